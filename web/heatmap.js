/*
 * The heat map: samples over time by CPU, thread or subsecond offset. The selected time window is shown as a flame
 * graph below.
 */
const HEAT_ROWS = [["cpu", "CPU"], ["thread", "Thread"], ["offset", "Subsecond offset"]];

class HeatmapView {
	static id = "heatmap";
	static label = "Heat map";

	static offered(profile) {
		return Timeline.of(profile) !== null;
	}

	constructor(app, element) {
		const rows = app.profile.payload.timeline.rows;
		this.app = app;
		this.timeline = Timeline.of(app.profile);
		this.start = HEAT_ROWS.some(([by]) => by === rows) ? rows : "cpu";
		if (this.start === "cpu" && !this.timeline.cpus.length)
			this.start = "thread"; /* no sample has a CPU */
		this.by = this.start;
		this.track = -1; /* the selected row; -1: all rows */
		this.cursor = null; /* [col, row] for the keys */
		this.known = {};
		element.classList.add("heatmap");
		this.board = new TimeBoard(app, this.timeline, local("Heat map of samples over time. Arrow keys " +
			"move from cell to cell, with Shift they draw a window, Enter chooses a cell, Escape the whole time."));
		this.flame = new WindowPane(app, this.timeline, local("Flame graph of the window"));
		this.flame.clear.addEventListener("click", () => this.reset());
		const scroll = make("div", "heat-scroll");
		scroll.append(this.board.canvas);
		element.append(this.makeTools(), scroll, this.flame.element);
		this.listen();
	}

	makeTools() {
		const tools = make("div", "heat-tools");
		const group = make("span", "choice");
		group.setAttribute("role", "group");
		group.setAttribute("aria-label", local("Rows"));
		this.buttons = {};
		for (const [by, text] of HEAT_ROWS) {
			this.buttons[by] = make("button", "", local(text));
			this.buttons[by].addEventListener("click", () => this.setRows(by));
			group.append(this.buttons[by]);
		}
		this.scale = make("canvas", "heat-scale");
		this.scaleFrom = make("span", "soft", "0");
		this.scaleTo = make("span", "soft");
		this.hint = make("span", "soft heat-hint");
		const scale = make("span", "heat-legend");
		scale.append(this.scaleFrom, this.scale, this.scaleTo);
		tools.append(make("span", "soft", local("Rows")), group, this.hint, scale);
		return tools;
	}

	listen() {
		const { board } = this;
		board.paint = (ctx) => this.paint(ctx);
		board.snap = (from, until) => this.snap(from, until);
		board.stretch = (drag) => this.stretch(drag);
		board.hovered = (at) => this.hovered(at);
		board.clicked = (x, y) => this.clicked(x, y);
		board.chosen = () => this.chosen();
		board.moved = () => { this.grid = null; this.app.remember(); };
	}

	/* ---- what is shown ---- */

	show() {
		this.shown = true;
		this.setRows(this.by, true);
		this.chosen();
	}

	hide() {
		this.shown = false;
		this.app.tip.hide();
	}

	get tracks() {
		if (this.by === "offset")
			return null;
		if (!this.known[this.by])
			this.known[this.by] = this.timeline.tracks(this.by);
		return this.known[this.by];
	}

	setRows(by, again) {
		if (by !== this.by || again) {
			const filtered = this.track >= 0 && by !== this.by;
			this.track = by === this.by ? this.track : -1;
			this.by = by;
			this.cursor = null;
			for (const [name, button] of Object.entries(this.buttons))
				button.setAttribute("aria-pressed", String(name === by));
			this.board.zooms = by !== "offset";
			this.hint.textContent = local(by === "offset" ? "drag from cell to cell to choose a window" :
				"drag to choose a window, click a row's name to show only that row") + (this.timeline.resolution ?
				local("; times are rounded to {0}", timeText(this.timeline.resolution)) : "");
			this.grid = null;
			this.board.draw();
			if (filtered)
				this.chosen();
		}
		this.app.remember();
	}

	/* Show the window, or the whole time, as a flame graph. */
	chosen() {
		const { board, tracks, track } = this;
		this.flame.set(board.window, tracks, track, track >= 0 ? tracks.labels[track] : "");
		this.app.say(this.flame.what.textContent);
		this.app.zoomChanged(this.flame.pane);
		this.app.detail(this.flame.pane, -1);
		board.draw();
		this.app.remember();
	}

	reset() {
		const { board } = this;
		this.track = -1;
		this.cursor = null;
		board.showRange(0, board.end);
		board.choose(null);
	}

	/* ---- geometry ---- */

	/* Return the grid, also before it is drawn. */
	cells() {
		if (!this.grid)
			this.board.drawAtOnce();
		return this.grid;
	}

	rowHeight() {
		if (this.by === "offset")
			return 6;
		return Math.min(Math.max(Math.floor(300 / this.grid.rows), this.by === "cpu" ? 2 : 14), 36);
	}

	/* Make the grid and set the height by its rows. False if the height changed. */
	layout(ctx) {
		const { board } = this;
		const widest = (labels) => labels.reduce((most, text) =>
			Math.max(most, ctx.measureText(visible(text, 60)).width), 0);
		board.left = this.by === "offset" ? 70 :
			Math.min(Math.max(widest(this.tracks.labels.slice(0, 200)) + 16, 60), 210, board.width / 3);
		const width = board.plotWidth();
		if (!this.grid || this.gridWidth !== width) {
			this.grid = this.by === "offset" ? OffsetGrid.make(this.timeline, width) :
				TrackGrid.make(this.timeline, this.tracks, board.from, board.until, width);
			this.gridWidth = width;
		}
		this.row = this.rowHeight();
		const height = Math.ceil(board.top + this.grid.rows * this.row + board.foot);
		if (Math.abs(height - board.height) < 1)
			return true;
		board.canvas.style.height = `${height}px`;
		return false;
	}

	/* Return left and right edge of a column. */
	edges(col) {
		const { board, grid } = this;
		const right = board.width - board.right;
		if (this.by === "offset") {
			const size = Math.min((right - board.left) / grid.cols, 96);
			return [board.left + col * size, board.left + (col + 1) * size];
		}
		const [from, until] = grid.times(col);
		return [Math.max(board.xOf(from), board.left), Math.min(board.xOf(until + 1), right)];
	}

	/* Return the cell at or next to a point, null left of all cells. */
	cellAt(x, y) {
		const { board, grid } = this;
		if (!grid || x < board.left)
			return null;
		const row = Math.min(Math.max(Math.floor((y - board.top) / this.row), 0), grid.rows - 1);
		if (this.by !== "offset")
			return [grid.colAt(board.timeAt(x)), row];
		const [left, right] = this.edges(0);
		return [Math.min(Math.floor((x - board.left) / (right - left)), grid.cols - 1), row];
	}

	/* Extend a window to whole cells. */
	snap(from, until) {
		const { grid } = this;
		return { from: Math.max(grid.times(grid.colAt(from))[0], 0),
			until: Math.min(grid.times(grid.colAt(until))[1], this.timeline.span) };
	}

	/* Return the window from the first to the last cell of a drag. */
	stretch(drag) {
		const { board } = this;
		this.cells();
		const a = this.cellAt(Math.max(drag.x, board.left), drag.y);
		const b = this.cellAt(Math.max(drag.at, board.left), drag.atY);
		return this.between(a, b);
	}

	between(a, b) {
		const p = this.grid.times(...a), q = this.grid.times(...b);
		return { from: Math.max(Math.min(p[0], q[0]), 0),
			until: Math.min(Math.max(p[1], q[1]), this.timeline.span) };
	}

	/* ---- drawing ---- */

	paint(ctx) {
		if (!this.layout(ctx))
			return; /* the height changed: it is drawn again */
		const { board, grid } = this;
		const ink = board.ink();
		const scale = board.app.colors.dark ? SHARE_DARK : SHARE;
		const most = grid.most;
		ctx.fillStyle = ink.ground;
		ctx.fillRect(0, 0, board.width, board.height);
		this.paintCells(ctx, scale, most, ink.empty);
		this.paintLabels(ctx, ink);
		if (this.by === "offset") {
			this.paintSeconds(ctx, ink);
		} else {
			board.paintAxis(ctx, board.top + grid.rows * this.row);
			board.paintWindow(ctx, board.top, board.top + grid.rows * this.row);
		}
		this.paintCursor(ctx, ink);
		this.paintScale(scale, most);
	}

	paintCells(ctx, scale, most, empty) {
		const { board, grid } = this;
		const shades = Array.from({ length: 33 }, (_, i) => along(scale, i / 32));
		const window = this.by === "offset" ? board.dragged() || board.window : null;
		const only = this.track >= 0 ? grid.rowOf(this.track) : -1;
		for (let row = 0; row < grid.rows; row++) {
			const y = board.top + row * this.row;
			const high = this.row > 4 ? this.row - 1 : this.row;
			ctx.globalAlpha = 1;
			ctx.fillStyle = empty;
			ctx.fillRect(board.left, y, this.edges(grid.cols - 1)[1] - board.left, high);
			for (let col = 0; col < grid.cols; col++) {
				const sum = grid.sums[row * grid.cols + col];
				if (!grid.counts[row * grid.cols + col])
					continue;
				const [left, right] = this.edges(col);
				const back = (only >= 0 && row !== only) || !grid.within(col, row, window);
				ctx.globalAlpha = back ? 0.25 : 1;
				ctx.fillStyle = shades[most ? Math.max(1, Math.round(sum / most * 32)) : 1];
				ctx.fillRect(left, y, Math.max(right - left - (right - left > 4 ? 1 : 0), 1), high);
			}
		}
		ctx.globalAlpha = 1;
	}

	paintLabels(ctx, ink) {
		const { board, grid } = this;
		const each = this.by === "offset" ? 1 : Math.ceil(13 / this.row);
		ctx.textAlign = "right";
		for (let row = 0; row < grid.rows; row += each) {
			const track = grid.trackOf(row);
			const text = visible(grid.label(row), 80);
			if (!text)
				continue;
			ctx.fillStyle = track >= 0 && track === this.track ? ink.mark : ink.text;
			ctx.fillText(board.letters.fit(ctx, text, board.left - 12), board.left - 8,
				board.top + (row + 0.5) * this.row);
		}
	}

	/* Draw the axis of seconds since the first sample. */
	paintSeconds(ctx, ink) {
		const { board, grid } = this;
		const y = board.top + grid.rows * this.row;
		const [left, right] = this.edges(0);
		const each = Math.max(1, roundStep(80 / (right - left)));
		ctx.fillStyle = ink.soft;
		for (let col = 0; col < grid.cols; col += each) {
			ctx.textAlign = col ? "center" : "left";
			ctx.fillText(`${col * grid.period / 1e9}\u00a0s`, col ? (this.edges(col)[0] +
				this.edges(col)[1]) / 2 : board.left, y + 13);
		}
	}

	paintCursor(ctx, ink) {
		const { board, cursor, grid } = this;
		if (!cursor || document.activeElement !== board.canvas)
			return;
		const [left, right] = this.edges(Math.min(cursor[0], grid.cols - 1));
		ctx.strokeStyle = ink.text;
		ctx.lineWidth = 2;
		ctx.strokeRect(left - 1, board.top + cursor[1] * this.row - 1, right - left + 1, this.row + 1);
	}

	/* Draw the legend, with the value of the strongest colour. */
	paintScale(scale, most) {
		const width = 120, ctx = this.scale.getContext("2d");
		this.scale.width = width;
		this.scale.height = 10;
		for (let x = 0; x < width; x++) {
			ctx.fillStyle = along(scale, x / (width - 1));
			ctx.fillRect(x, 0, 1, 10);
		}
		this.scaleTo.textContent = local("{0} per cell", weightText(most, this.app.profile.unit));
	}

	/* ---- pointer and keys ---- */

	cellText(col, row) {
		const { grid } = this;
		const [from, until] = grid.times(col, row);
		const cell = row * grid.cols + col;
		const name = this.by === "offset" ? "" : visible(grid.label(row), 80);
		const when = stretchText(from, until + 1);
		return { name: name || when, when: name ? when : "", rows: [
			[local("weight"), weightText(grid.sums[cell], this.app.profile.unit),
				percentText(grid.sums[cell], this.app.profile.weights.all)],
			[local("samples"), countText(grid.counts[cell]), ""],
		] };
	}

	hovered(at) {
		const cell = at && this.timeline.n ? this.cellAt(...at) : null;
		const { board } = this;
		const low = this.grid ? board.top + this.grid.rows * this.row : 0;
		if (!cell || at[1] > low || at[0] > board.width - board.right) {
			this.app.tip.hide();
			board.canvas.classList.toggle("link", Boolean(at && !cell && this.by !== "offset" && at[1] < low));
			return;
		}
		board.canvas.classList.remove("link");
		const text = this.cellText(...cell);
		const box = board.canvas.getBoundingClientRect();
		this.app.tip.show(text.name, text.when, text.rows, box.left + at[0], box.top + at[1]);
	}

	/* Handle a click: on a row's name select only that row, or all rows again; on a cell select its time. */
	clicked(x, y) {
		const { board } = this;
		const grid = this.cells();
		if (!this.timeline.n)
			return;
		const cell = this.cellAt(x, y);
		if (cell) {
			this.cursor = cell;
			board.choose(this.between(cell, cell));
			return;
		}
		const row = Math.floor((y - board.top) / this.row);
		if (row >= 0 && row < grid.rows)
			this.toggle(row);
	}

	toggle(row) {
		const track = this.grid.trackOf(row);
		if (track < 0)
			return;
		this.track = this.track === track ? -1 : track;
		this.chosen();
	}

	key(event) {
		if (this.flame.box.contains(document.activeElement))
			return event.key === "Escape" && this.flame.pane.zoomed < 0 ? false : this.flame.pane.key(event);
		if (event.target && event.target.tagName === "BUTTON" && ["Enter", " "].includes(event.key))
			return false;
		if (!this.timeline.n)
			return false;
		return this.walk(event) || this.board.key(event) ||
			(["n", "N"].includes(event.key) && this.flame.pane.key(event));
	}

	walk(event) {
		const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
		const { board } = this;
		if (!this.cells() || event.ctrlKey || event.altKey || event.metaKey)
			return false;
		if (steps[event.key]) {
			this.step(steps[event.key], event.shiftKey);
		} else if (event.key === "Enter" && this.cursor) {
			this.anchor = this.cursor;
			board.choose(this.between(this.cursor, this.cursor));
		} else if (event.key === "x" && this.cursor) {
			this.toggle(this.cursor[1]);
		} else if (event.key === "Escape" && (board.window || this.track >= 0 || !board.whole())) {
			this.reset();
		} else {
			return false;
		}
		return true;
	}

	step([right, down], draws) {
		const { board, grid, cursor } = this;
		const at = cursor || [-right, this.by === "offset" ? grid.rows - 1 - down : -down];
		const to = [Math.min(Math.max(at[0] + right, 0), grid.cols - 1),
			Math.min(Math.max(at[1] + down, 0), grid.rows - 1)];
		board.canvas.focus();
		if (draws) {
			this.anchor = this.anchor || at;
			board.choose(this.between(this.anchor, to));
		} else {
			this.anchor = null;
		}
		this.cursor = to;
		const text = this.cellText(...to);
		this.app.say(`${text.name} ${text.when}, ${text.rows[0][1]}, ${text.rows[0][2]}, ` +
			plural(grid.counts[to[1] * grid.cols + to[0]], "sample", "samples"));
		board.draw();
	}

	/* ---- the rest of a view ---- */

	state() {
		const { board } = this;
		const state = this.flame.pane.state();
		if (this.by !== this.start)
			state.rows = this.by;
		if (board.window)
			state.time = `${this.timeline.clock(board.window.from)},${this.timeline.clock(board.window.until)}`;
		if (!board.whole())
			state.sight = `${this.timeline.clock(Math.round(board.from))},` +
				`${this.timeline.clock(Math.round(board.until))}`;
		if (this.track >= 0)
			state.row = String(this.track);
		return state;
	}

	restore(state) {
		const { board } = this;
		const sight = this.timeline.stretch(state.sight, board.end);
		this.setRows(HEAT_ROWS.some(([by]) => by === state.rows) ? state.rows : this.start, true);
		board.showRange(sight ? sight.from : 0, sight ? sight.until : board.end);
		board.window = this.timeline.stretch(state.time);
		const track = /^[0-9]+$/.test(state.row || "") ? Number(state.row) : -1;
		this.track = this.tracks && track < this.tracks.n ? track : -1;
		this.chosen();
		this.flame.pane.restore(state);
	}

	/* For tests: web/README.md. */
	told() {
		const { board, flame } = this;
		board.drawAtOnce();
		const { grid } = this;
		const text = (window) => `${this.timeline.clock(window.from)},${this.timeline.clock(window.until)}`;
		return { rows: this.by, row: this.track, time: board.window ? text(board.window) : "",
			total: flame.total, samples: flame.samples, cols: grid.cols, lines: grid.rows,
			weight: grid.sums.reduce((a, b) => a + b, 0), count: grid.counts.reduce((a, b) => a + b, 0),
			cell: (col, row) => ({ x: this.edges(col)[0], y: board.top + row * this.row,
				width: this.edges(col)[1] - this.edges(col)[0], height: this.row,
				weight: grid.sums[row * grid.cols + col], samples: grid.counts[row * grid.cols + col] }) };
	}

	changed(what) {
		this.flame.changed(what);
		if (what === "print")
			this.board.drawAtOnce();
		else
			this.board.draw();
	}

	status() {
		return foundText(this.app, this.flame.pane);
	}

	pane() {
		return this.flame.pane;
	}
}

App.views.push(HeatmapView);
