/*
 * Samples along time: the payload's "timeline" as arrays of numbers, in the order of time. Times are whole
 * nanoseconds since the first sample.
 */
class Timeline {
	/* Return the timeline of a profile, made once; null without times. */
	static of(profile) {
		const from = profile.payload.timeline;
		if (profile.timeline === undefined)
			profile.timeline = from ? new Timeline(from, profile.times, profile.tree.n) : null;
		return profile.timeline;
	}

	constructor(from, bytes, nodes) {
		this.threads = from.threads;
		this.cpus = from.cpus;
		this.nodes = nodes;
		this.start = Math.round(from.start * 1e9); /* ns of the recording's clock */
		this.resolution = from.resolution_ns || 0; /* samples this close may be one entry */
		this.read(rowsOf(bytes, this.resolution ? 6 : 5), this.resolution ? 6 : 5);
		this.span = this.n ? this.time[this.n - 1] : 0;
	}

	read(rows, width) {
		const n = this.n = rows.length / width;
		this.time = new Float64Array(n);
		this.thread = new Uint32Array(n);
		this.cpu = new Int32Array(n); /* index in cpus, -1: unknown */
		this.node = new Uint32Array(n);
		this.weight = new Float64Array(n);
		this.count = new Uint32Array(n).fill(1); /* samples of each entry */
		for (let i = 0, at = 0, time = 0; i < n; i++, at += width) {
			time += rows[at];
			this.time[i] = time;
			this.thread[i] = rows[at + 1];
			this.cpu[i] = rows[at + 2] - 1;
			this.node[i] = rows[at + 3];
			this.weight[i] = rows[at + 4];
			if (width > 5)
				this.count[i] += rows[at + 5];
			if (!(this.thread[i] < this.threads.length && this.cpu[i] < this.cpus.length &&
			      this.node[i] < this.nodes))
				throw new Error("the times of this page are corrupt");
		}
	}

	/* Return the first sample at or after a time. */
	first(time) {
		let low = 0, high = this.n;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.time[middle] < time)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* Format a time as seconds of the recording's clock with all digits, as for --time. */
	clock(time) {
		const ns = this.start + time;
		const seconds = Math.floor(ns / 1e9);
		return `${seconds}.${String(Math.round(ns - seconds * 1e9)).padStart(9, "0")}`;
	}

	/* Parse such a time; NaN if it is invalid. */
	since(text) {
		const parts = /^(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text);
		return parts ? Number(parts[1]) * 1e9 + Number((parts[2] || "").padEnd(9, "0")) - this.start : NaN;
	}

	/* Parse a range "A,B", limited to the recording; null if it is invalid. */
	stretch(text, most = this.span) {
		const [from, until] = (text || "").split(",").map((part) => this.since(part));
		return from <= until && until >= 0 && from <= this.span ?
			{ from: Math.max(from, 0), until: Math.min(until, most) } : null;
	}

	/*
	 * Return the samples between two times, inclusive, as weights of the payload's tree; of a single track if tracks
	 * and its index are given.
	 */
	window(profile, from, until, tracks, track) {
		const self = new Float64Array(this.nodes), counts = new Float64Array(this.nodes);
		let total = 0, samples = 0;
		for (let i = this.first(from); i < this.n && this.time[i] <= until; i++) {
			if (tracks && track >= 0 && tracks.of[i] !== track)
				continue;
			self[this.node[i]] += this.weight[i];
			counts[this.node[i]] += this.count[i];
			total += this.weight[i];
			samples += this.count[i];
		}
		return { total, samples, weights: new Weights(profile, profile.tree, self, counts) };
	}

	tracks(by) {
		return by === "thread" ? this.threadTracks() : this.cpuTracks();
	}

	cpuTracks() {
		const labels = this.cpus.map((cpu) => `CPU ${cpu}`);
		const of = new Uint32Array(this.n);
		for (let i = 0; i < this.n; i++) {
			if (this.cpu[i] < 0 && labels.length === this.cpus.length)
				labels.push(local("no CPU known"));
			of[i] = this.cpu[i] < 0 ? this.cpus.length : this.cpu[i];
		}
		return new Tracks(this, labels, of, true);
	}

	/* Make a track per thread, one for a thread that changed its name. */
	threadTracks() {
		const place = [], labels = [];
		this.threads.forEach((thread, i) => {
			const before = this.threads[i - 1];
			if (before && before.pid === thread.pid && before.tid === thread.tid) {
				labels[labels.length - 1].names.push(thread.comm);
			} else {
				labels.push({ thread, names: [thread.comm] });
			}
			place.push(labels.length - 1);
		});
		const of = new Uint32Array(this.n);
		for (let i = 0; i < this.n; i++)
			of[i] = place[this.thread[i]];
		return new Tracks(this, labels.map(Timeline.threadLabel), of);
	}

	static threadLabel({ thread, names }) {
		const name = names.join(" \u2192 ") || local("unknown");
		if (thread.tid < 0)
			return name;
		return thread.pid === thread.tid || thread.pid < 0 ?
			`${name} ${thread.tid}` : `${name} ${thread.pid}/${thread.tid}`;
	}
}

/*
 * Tracks of CPUs or threads: the track of each sample in of[sample], and the labels of tracks.
 */
class Tracks {
	constructor(timeline, labels, of, byCpu = false) {
		this.byCpu = byCpu;
		this.labels = labels;
		this.of = of;
		this.n = labels.length;
		this.weight = new Float64Array(this.n);
		this.count = new Uint32Array(this.n); /* entries */
		this.samples = new Float64Array(this.n);
		for (let i = 0; i < timeline.n; i++) {
			this.weight[of[i]] += timeline.weight[i];
			this.count[of[i]]++;
			this.samples[of[i]] += timeline.count[i];
		}
		this.total = this.weight.reduce((sum, w) => sum + w, 0);
	}

	/* Return the tracks by descending weight. */
	heaviest() {
		return Array.from(this.labels.keys())
			.sort((a, b) => this.weight[b] - this.weight[a] || a - b);
	}

	/* Return the tracks by the time of their first sample. */
	earliest() {
		const lists = this.lists();
		const first = (track) => (lists[track].length ? lists[track][0] : this.of.length);
		return Array.from(this.labels.keys()).sort((a, b) => first(a) - first(b) || a - b);
	}

	/* Return the samples of each track, in the order of time. */
	lists() {
		if (this.list)
			return this.list;
		this.list = Array.from(this.count, (n) => new Uint32Array(n));
		const at = new Uint32Array(this.n);
		for (let i = 0; i < this.of.length; i++)
			this.list[this.of[i]][at[this.of[i]]++] = i;
		return this.list;
	}
}

/* ---- texts of times ---------------------------------------------------------------------------------- */

const TIME_UNITS = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];

/*
 * Format a time since the first sample, "12.5 ms", with enough digits for steps of `step` ns, in the unit of `like`,
 * a time beside it.
 */
function momentText(ns, step, like = ns) {
	const [unit, size] = TIME_UNITS.find((row) => Math.max(Math.abs(like), step) >= row[1]) || TIME_UNITS[3];
	const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(size / step) - 1e-9)));
	return `${(ns / size).toFixed(digits)}\u00a0${unit}`;
}

/* Format a range of times, with the digits that its length needs. */
function stretchText(from, until) {
	const step = Math.max(1, 10 ** Math.floor(Math.log10(Math.max(until - from, 1)) - 1));
	return local("{0} to {1}", momentText(from, step, until), momentText(until, step));
}

/* Return the smallest of 1, 2, 5, 10, 20... ns that is not below a time. */
function roundStep(ns) {
	const scale = 10 ** Math.floor(Math.log10(Math.max(ns, 1)));
	return [1, 2, 5, 10].map((n) => n * scale).find((step) => step >= ns * (1 - 1e-9));
}

/* Return round times in a range, at least `room` pixels apart: [[time, text]...]. */
function timeTicks(from, until, width, room = 90) {
	const step = roundStep((until - from) / Math.max(1, width / room));
	const ticks = [];
	for (let time = Math.ceil(from / step) * step; time <= until; time += step)
		ticks.push([time, momentText(time, step, until)]);
	return ticks;
}
