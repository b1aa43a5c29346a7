/*
 * A track of the chart: the samples of a thread or CPU in the order of time. A sample lasts until the next one of
 * its track, or for the usual time if that is much later.
 */
const TRACK_HEAD = 22;
const TRACK_GAP = 10;
const TRACK_BUSY = 6; /* height of the strip of a closed track */
const OVERVIEW = 46; /* height of the strip of the whole time */
const BAR = 4; /* width of its bars */
const RULER = 26;
const DEEPEST = 400; /* rows of a track; deeper frames are omitted, with a note */

class ChartTrack {
	constructor(timeline, tree, label, list, weight) {
		this.timeline = timeline;
		this.tree = tree;
		this.label = label;
		this.list = list;
		this.weight = weight;
		this.closed = false;
		this.depth = this.deepest(-Infinity, Infinity);
		this.rows = Math.min(this.depth, DEEPEST);
	}

	/* Return the number of frames of the deepest stack between two times. */
	deepest(from, until) {
		let depth = 1;
		for (let k = Math.max(this.before(from), 0); k < this.list.length && this.time(k) < until; k++)
			depth = Math.max(depth, this.tree.depth[this.node(k)] + 1);
		return depth;
	}

	/* Set the rows by the visible stacks; do not shrink a track while panning. */
	fit(from, until, moved) {
		const rows = Math.min(this.deepest(from, until), DEEPEST);
		this.rows = moved ? Math.max(this.rows, rows) : rows;
	}

	get height() {
		return TRACK_HEAD + (this.closed ? 0 : this.rows * ROW) + TRACK_GAP;
	}

	/* Return the number of samples of the entries from first to last, inclusive. */
	samples(first = 0, last = this.list.length - 1) {
		let samples = 0;
		for (let k = first; k <= last; k++)
			samples += this.timeline.count[this.list[k]];
		return samples;
	}

	time(k) {
		return this.timeline.time[this.list[k]];
	}

	node(k) {
		return this.timeline.node[this.list[k]];
	}

	/* Return the last sample of the track at or before a time, -1 if there is none. */
	before(time) {
		let low = 0, high = this.list.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.time(middle) <= time)
				low = middle + 1;
			else
				high = middle;
		}
		return low - 1;
	}

	/* Return the end of a sample: the next one, or the usual time later if that is far. */
	end(k, usual) {
		const next = k + 1 < this.list.length ? this.time(k + 1) : Infinity;
		return next - this.time(k) <= 1.75 * usual ? next : this.time(k) + usual;
	}

	/* Return the node of a sample at a depth, -1 if its stack is shorter. */
	at(k, depth) {
		const { tree } = this;
		let node = this.node(k);
		if (tree.depth[node] < depth)
			return -1;
		while (tree.depth[node] > depth)
			node = tree.parent[node];
		return node;
	}

	/* Return for each sample how many outer frames it shares with the previous one; 0 after a gap. */
	joined(usual) {
		const { tree, list } = this;
		if (this.same && this.sameUsual === usual)
			return this.same;
		this.same = new Uint32Array(list.length);
		this.sameUsual = usual;
		for (let k = 1; k < list.length; k++) {
			if (this.end(k - 1, usual) < this.time(k))
				continue;
			let a = this.node(k - 1), b = this.node(k);
			while (a !== b) { /* in preorder a descendant has the larger index */
				if (a > b)
					a = tree.parent[a];
				else
					b = tree.parent[b];
			}
			this.same[k] = a < 0 ? 0 : tree.depth[a] + 1;
		}
		return this.same;
	}

	/* Return the box of sample k at a depth: the adjacent samples with the same outer frames, and their time. */
	box(k, depth, usual) {
		const same = this.joined(usual);
		let first = k, last = k;
		while (same[first] > depth)
			first--;
		while (last + 1 < same.length && same[last + 1] > depth)
			last++;
		return { node: this.at(k, depth), first, last, from: this.time(first), until: this.end(last, usual) };
	}
}

/* Return the median time between two samples of a track. */
function usualGap(tracks) {
	const gaps = [];
	for (const track of tracks) {
		const step = Math.max(1, Math.floor(track.list.length / 2000));
		for (let k = 1; k < track.list.length; k += step)
			gaps.push(track.time(k) - track.time(k - 1));
	}
	gaps.sort((a, b) => a - b);
	return Math.max(gaps[gaps.length >> 1] || 1e6, 1);
}
