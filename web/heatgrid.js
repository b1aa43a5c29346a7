/*
 * Samples summed in cells. A grid has cols and rows, sums and counts by [row * cols + col], the time of each cell
 * (times(col, row): first and last nanosecond) and a label per row.
 */
class HeatGrid {
	constructor(timeline, cols, rows) {
		this.timeline = timeline;
		this.cols = cols;
		this.rows = rows;
		this.sums = new Float64Array(cols * rows);
		this.counts = new Uint32Array(cols * rows);
	}

	add(cell, sample) {
		this.sums[cell] += this.timeline.weight[sample];
		this.counts[cell] += this.timeline.count[sample];
	}

	get most() {
		return this.sums.reduce((most, sum) => Math.max(most, sum), 0);
	}

	/* Does the cell overlap the window? True without a window. */
	within(col, row, window) {
		const [from, until] = this.times(col, row);
		return !window || (from <= window.until && until >= window.from);
	}
}

const CELL = 5; /* pixels, at least */
const MOST_CPUS = 256;
const MOST_THREADS = 24;
const FEW_THREADS = 8; /* shown in any case */

/* Time along the columns, a CPU or thread per row. The lightest of many threads share the last row. */
class TrackGrid extends HeatGrid {
	static make(timeline, tracks, from, until, width) {
		const wanted = roundStep(Math.max(1, (until - from) / Math.max(1, width / CELL)));
		const [base, step] = TrackGrid.columns(timeline, from, wanted);
		const cols = Math.ceil((until - base) / step);
		const order = tracks.byCpu && tracks.n <= MOST_CPUS ? Array.from(tracks.labels.keys()) : tracks.heaviest();
		const grid = new TrackGrid(timeline, cols, TrackGrid.rowsOf(tracks));
		return Object.assign(grid, { tracks, order, step, base }).fill(from, until);
	}

	/*
	 * Return start and width of columns. Merged samples are in time slots that begin at multiples of the resolution
	 * on the recording's clock. A column has whole slots: constant rates would look like bursts otherwise.
	 */
	static columns(timeline, from, wanted) {
		const { resolution, start } = timeline;
		if (!resolution)
			return [Math.floor(from / wanted) * wanted, wanted];
		const step = Math.ceil(wanted / resolution) * resolution;
		return [Math.floor((start + from) / step) * step - start, step];
	}

	/* Return the number of rows. Threads with less than a thousandth of the weight have no row of their own. */
	static rowsOf(tracks) {
		if (tracks.byCpu)
			return Math.min(tracks.n, MOST_CPUS);
		const worth = tracks.weight.filter((weight) => weight >= tracks.total / 1000).length;
		const rows = Math.min(Math.max(worth, FEW_THREADS), MOST_THREADS);
		return tracks.n <= rows + 1 ? tracks.n : rows + 1;
	}

	fill(from, until) {
		const { timeline, tracks, step, base, cols, rows } = this;
		const row = new Uint32Array(tracks.n);
		this.order.forEach((track, i) => { row[track] = Math.min(i, rows - 1); });
		for (let i = timeline.first(from); i < timeline.n && timeline.time[i] < until; i++) {
			const col = Math.floor((timeline.time[i] - base) / step);
			this.add(row[tracks.of[i]] * cols + col, i);
		}
		return this;
	}

	times(col) {
		const from = this.base + col * this.step;
		return [from, from + this.step - 1];
	}

	shared(row) {
		return row === this.rows - 1 && this.tracks.n > this.rows;
	}

	/* Return the track of a row, -1 if several share it. */
	trackOf(row) {
		return this.shared(row) ? -1 : this.order[row];
	}

	rowOf(track) {
		const row = this.order.indexOf(track);
		return row < this.rows && this.trackOf(row) === track ? row : -1;
	}

	label(row) {
		return this.shared(row) ? plural(this.tracks.n - this.rows + 1, "other", "others") :
			this.tracks.labels[this.order[row]];
	}

	colAt(time) {
		return Math.min(Math.max(Math.floor((time - this.base) / this.step), 0), this.cols - 1);
	}
}

const SLICES = 50;
const SECONDS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600];

/*
 * A column for each second since the first sample (or for several), and the slices of a second as rows, the first
 * one at the bottom: events that occur once per second are in one row.
 */
class OffsetGrid extends HeatGrid {
	static make(timeline, width) {
		const least = 4 * SLICES * timeline.resolution; /* slices are coarser than merged samples */
		const fits = (seconds) => seconds * 1e9 >= least &&
			OffsetGrid.columns(timeline, seconds * 1e9) * 3 <= width;
		const period = SECONDS.some(fits) ? SECONDS.find(fits) * 1e9 :
			roundStep(Math.max(timeline.span * 3 / width, 3600e9, least));
		const grid = new OffsetGrid(timeline, OffsetGrid.columns(timeline, period), SLICES);
		grid.period = period;
		grid.slice = period / SLICES;
		for (let i = 0; i < timeline.n; i++) {
			const col = Math.floor(timeline.time[i] / period);
			const slice = Math.floor((timeline.time[i] - col * period) / grid.slice);
			grid.add((SLICES - 1 - slice) * grid.cols + col, i);
		}
		return grid;
	}

	static columns(timeline, period) {
		return Math.floor(timeline.span / period) + 1;
	}

	times(col, row) {
		const from = col * this.period + (SLICES - 1 - row) * this.slice;
		return [from, from + this.slice - 1];
	}

	label(row) {
		const slice = SLICES - 1 - row;
		return slice % 10 ? "" : momentText(slice * this.slice, this.slice);
	}

	trackOf() {
		return -1;
	}

	rowOf() {
		return -1;
	}
}
