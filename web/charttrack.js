/*
 * A track of the chart: the samples of a thread or CPU, by rising time. A sample stands for the time until the
 * next one of its track; where that is longer than usual, for the usual time.
 */
const TRACK_HEAD = 22;
const TRACK_GAP = 10;
const TRACK_BUSY = 6; /* of a closed track: when it had samples */
const OVERVIEW = 46; /* the whole time, above the tracks */
const BAR = 4; /* of it, in pixels */
const RULER = 26;
const DEEPEST = 400; /* rows of a track; what is further in is left out, and told */

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

	/* Frames of the deepest stack between two times. */
	deepest(from, until) {
		let depth = 1;
		for (let k = Math.max(this.before(from), 0); k < this.list.length && this.time(k) < until; k++)
			depth = Math.max(depth, this.tree.depth[this.node(k)] + 1);
		return depth;
	}

	/* As high as what is in sight asks for; a track that is only moved does not shrink. */
	fit(from, until, moved) {
		const rows = Math.min(this.deepest(from, until), DEEPEST);
		this.rows = moved ? Math.max(this.rows, rows) : rows;
	}

	get height() {
		return TRACK_HEAD + (this.closed ? 0 : this.rows * ROW) + TRACK_GAP;
	}

	/* Samples of the entries from the first to the last one, both included. */
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

	/* The last sample of the track at that time or before; -1: none. */
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

	/* Until when a sample stands: to the next one, unless that is far off. */
	end(k, usual) {
		const next = k + 1 < this.list.length ? this.time(k + 1) : Infinity;
		return next - this.time(k) <= 1.75 * usual ? next : this.time(k) + usual;
	}

	/* The node of a sample at a depth; -1: its stack is not so deep. */
	at(k, depth) {
		const { tree } = this;
		let node = this.node(k);
		if (tree.depth[node] < depth)
			return -1;
		while (tree.depth[node] > depth)
			node = tree.parent[node];
		return node;
	}

	/* How many frames each sample shares with the one before, if it follows that without a gap. */
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
			while (a !== b) { /* in preorder what lies deeper has the larger number */
				if (a > b)
					a = tree.parent[a];
				else
					b = tree.parent[b];
			}
			this.same[k] = a < 0 ? 0 : tree.depth[a] + 1;
		}
		return this.same;
	}

	/* From when to when a box reaches: the samples around k that follow each other with the same frames. */
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

/* How far apart samples of a track are, mostly: of all of them, the one in the middle. */
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
