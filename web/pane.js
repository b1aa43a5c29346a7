/*
 * A flame graph in an element, with zoom, selection, search and both orientations. Node -1 is the root, the row of
 * all samples. options: flip (true: icicle, false: flame, null: that of the app), root (false: no row for it), label
 * (for screen readers), fixed (a click calls pick(node) instead of zooming).
 */
const ZOOM_MS = 260;

class FlamePane {
	constructor(app, element, options = {}) {
		this.app = app;
		this.options = { flip: null, root: true, label: local("Flame graph"), ...options };
		this.scroll = make("div", "flame-scroll");
		this.canvas = make("canvas", "flame-canvas");
		this.spacer = make("div");
		this.empty = make("p", "empty");
		this.canvas.tabIndex = 0;
		this.canvas.setAttribute("role", "application");
		this.canvas.setAttribute("aria-roledescription", local("flame graph"));
		this.canvas.setAttribute("aria-label", local("{0}. Arrow keys move between frames, Enter " +
			"zooms in, Escape out, question mark lists all keys.", this.options.label));
		this.scroll.append(this.canvas, this.spacer);
		element.append(this.scroll, this.empty);
		this.painter = new Painter(app, this.canvas.getContext("2d", { alpha: false }));
		this.tree = null;
		this.selected = this.zoomed = -1;
		this.hover = null;
		this.asked = 0;
		this.lift = 0; /* scrollTop of the last drawing, cached because reading it forces a layout of the page */
		this.away = 0; /* scrolled distance from the root, kept when the window is resized */
		this.motion = null;
		this.mouse = new PaneMouse(this);
		this.canvas.addEventListener("focus", () => this.draw());
		this.canvas.addEventListener("blur", () => this.draw());
		this.scroll.addEventListener("scroll", () => this.scrolled());
		new ResizeObserver(() => this.resized()).observe(this.scroll);
	}

	get flip() {
		return this.options.flip === null ? this.app.flip : this.options.flip;
	}

	/* Show another tree. */
	set(tree, weights, title) {
		this.tree = tree;
		this.weights = weights;
		this.title = title;
		this.selected = this.zoomed = -1;
		this.hover = null;
		this.motion = null;
		this.arrange();
		this.from = 0;
		this.to = this.layout.all;
		this.toRoot();
	}

	arrange() {
		this.layout = new Layout(this.tree, this.weights.widths(this.app.width), this.app.order);
		this.empty.hidden = this.layout.all > 0;
		this.scroll.hidden = !this.empty.hidden;
		this.empty.textContent = this.app.emptyText();
		this.updateMatches();
		this.resized();
	}

	/* Search again, after a change of the search or of the tree. */
	updateMatches() {
		this.found = new Found(this.app.search, this.tree, this.layout, this.weights);
		this.draw();
	}

	/* Apply a change of order or widths, with the same frames visible. */
	rearrange() {
		if (!this.tree)
			return;
		this.arrange();
		this.motion = null;
		[this.from, this.to] = this.span(this.zoomed);
		this.reveal(this.selected);
	}

	span(node) {
		const { layout } = this;
		return node < 0 || !layout.width[node] ? [0, layout.all]
			: [layout.x[node], layout.x[node] + layout.width[node]];
	}

	/* ---- where things are, in CSS pixels ---- */

	resized() {
		if (!this.tree || this.scroll.hidden || !this.scroll.clientHeight)
			return;
		const width = this.scroll.clientWidth;
		const height = this.scroll.clientHeight;
		const { ratio } = this.app;
		this.width = width;
		this.height = height;
		this.ratio = ratio;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		this.content = Math.max((this.layout.depths + this.rootRows) * ROW + 1, height);
		this.spacer.style.height = `${this.content - height}px`;
		this.scroll.scrollTop = this.flip ? this.away : this.content - height - this.away;
		this.paint();
	}

	scrolled() {
		const { scrollTop, clientHeight } = this.scroll;
		if (clientHeight === this.height)
			this.away = this.flip ? scrollTop : Math.max(this.content - this.height - scrollTop, 0);
		this.draw();
	}

	get rootRows() {
		return this.options.root ? 1 : 0;
	}

	/* Return the upper edge of a depth (-1: the root). */
	top(depth) {
		const row = depth + this.rootRows;
		const y = this.flip ? row * ROW : this.content - (row + 1) * ROW;
		return y - this.lift;
	}

	depthAt(y) {
		const at = y + this.scroll.scrollTop;
		return Math.floor((this.flip ? at : this.content - at) / ROW) - this.rootRows;
	}

	get view() {
		return { from: this.from, to: this.to, pixels: this.width };
	}

	/* Return left and right edge of a node. */
	edges(node) {
		const scale = this.width / (this.to - this.from);
		const [from, to] = this.span(node);
		return [(from - this.from) * scale, (to - this.from) * scale];
	}

	/* Return the node at a point, or null. */
	at(x, y) {
		const depth = this.depthAt(y);
		if (depth === -1 && this.options.root)
			return -1;
		const node = this.layout.find(depth, this.from + x / this.width * (this.to - this.from));
		return node < 0 ? null : node;
	}

	/* ---- drawing ---- */

	draw() {
		if (!this.asked && this.tree)
			this.asked = requestAnimationFrame(() => this.paint());
	}

	paint() {
		if (this.asked)
			cancelAnimationFrame(this.asked);
		this.asked = 0;
		if (!this.tree || !this.width || this.scroll.hidden)
			return;
		this.move();
		this.lift = this.scroll.scrollTop;
		const { painter } = this;
		painter.begin(this, this.width, this.height, this.ratio);
		this.visit(painter);
		const mark = (node, color, line) => {
			if (node !== null && node >= -1 + (this.options.root ? 0 : 1))
				painter.outline(...this.edges(node), node < 0 ? -1 : this.tree.depth[node], color, line);
		};
		if (this.hover !== this.selected)
			mark(this.hover, this.app.theme.hover, 1);
		if (this.selected >= 0 || document.activeElement === this.canvas)
			mark(this.selected, this.app.theme.outline, 2);
	}

	/* Pass all visible frames to a sink (paint.js). */
	visit(sink) {
		const depths = [this.depthAt(0), this.depthAt(this.height - 1)];
		const last = Math.min(Math.max(...depths), this.layout.depths - 1);
		if (Math.min(...depths) <= -1 && this.options.root) {
			const [left, right] = this.edges(-1);
			if (sink.root)
				sink.root(left, right);
			else
				sink.rect(left, right, -1, this.app.theme.root, this.app.theme.rootText,
					() => [this.title]);
		}
		for (let depth = Math.max(Math.min(...depths), 0); depth <= last; depth++)
			visitRow(this.layout, depth, this.view, this.found, sink);
	}

	/* Advance a running zoom: at a constant rate, around a fixed point. */
	move() {
		const { motion } = this;
		if (!motion)
			return;
		const part = Math.min((performance.now() - motion.since) / ZOOM_MS, 1);
		if (part >= 1) {
			[this.from, this.to] = motion.end;
			this.motion = null;
			return;
		}
		const eased = 1 - (1 - part) ** 3;
		const [a, b] = motion.begin;
		const [c, d] = motion.end;
		const span = (b - a) * ((d - c) / (b - a)) ** eased;
		const done = b - a === d - c ? eased : (span - (b - a)) / (d - c - (b - a));
		this.from = a + (c - a) * done;
		this.to = this.from + span;
		this.draw();
	}

	/* ---- zoom ---- */

	lookAt(from, to, smooth) {
		const { all } = this.layout;
		const span = Math.min(Math.max(to - from, all * 1e-9), all);
		const start = Math.min(Math.max(from, 0), all - span);
		const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
		this.app.tip.hide();
		if (!smooth || still || !this.width) {
			this.motion = null;
			this.from = start;
			this.to = start + span;
		} else {
			this.motion = { since: performance.now(), begin: [this.from, this.to],
				end: [start, start + span] };
		}
		this.draw();
	}

	zoom(node) {
		this.zoomed = node;
		this.lookAt(...this.span(node), true);
		this.app.zoomChanged(this); /* the breadcrumb may change the height */
		this.scrollTo(node < 0 ? -1 : this.tree.depth[node]);
	}

	/* Zoom out to the nearest wider caller. Returns whether something changed. */
	out() {
		const { width } = this.layout;
		let up = this.zoomed;
		if (up < 0) {
			const whole = this.from <= 0 && this.to >= this.layout.all;
			this.lookAt(0, this.layout.all, true);
			return !whole;
		}
		const narrow = width[up];
		while (up >= 0 && width[up] <= narrow)
			up = this.tree.parent[up];
		this.zoom(up);
		return true;
	}

	reset() {
		this.selected = -1;
		this.zoom(-1);
		this.toRoot();
		this.app.detail(this, -1);
	}

	/* Zoom by a factor around a position of the window. */
	scale(factor, x) {
		const at = this.from + x / this.width * (this.to - this.from);
		const from = at - (at - this.from) * factor;
		this.lookAt(from, from + (this.to - this.from) * factor, false);
	}

	pan(pixels) {
		const by = pixels / this.width * (this.to - this.from);
		const span = this.to - this.from;
		const from = Math.min(Math.max(this.from + by, 0), this.layout.all - span);
		this.lookAt(from, from + span, false);
	}

	toRoot() {
		this.away = 0;
		this.scroll.scrollTop = this.flip ? 0 : this.scroll.scrollHeight;
		this.draw();
	}

	/* Scroll a depth into view, with some callers. */
	scrollTo(depth) {
		if (!this.height)
			return;
		if (this.scroll.clientHeight !== this.height)
			this.resized();
		this.lift = this.scroll.scrollTop;
		const y = this.top(depth);
		if (y >= 0 && y + ROW <= this.height)
			return;
		const room = Math.min(6 * ROW, this.height / 3);
		this.scroll.scrollTop += this.flip ? y - room : y + ROW + room - this.height;
		this.scrolled();
	}

	/* ---- the chosen frame ---- */

	select(node) {
		this.selected = node;
		this.reveal(node);
		this.app.detail(this, node);
		this.app.say(spoken(this.app.profile, this.weights, this.tree, node));
		this.app.remember();
	}

	reveal(node) {
		if (!this.tree)
			return;
		if (node >= 0 && this.layout.width[node] > 0) {
			const [from, to] = this.span(node);
			if (from < this.from || to > this.to) {
				let up = node;
				while (up >= 0 && !(this.span(up)[0] <= this.from && this.span(up)[1] >= this.to))
					up = this.tree.parent[up];
				this.zoomed = up;
				this.lookAt(...this.span(up), true);
				this.app.zoomChanged(this);
			}
		}
		this.scrollTo(node < 0 ? -1 : this.tree.depth[node]);
		this.draw();
	}

	/* Select a neighbour: the caller (-1) or a callee (1), or the next one of the row. */
	step(inwards, along) {
		let to = this.selected;
		if (along && to >= 0)
			to = this.layout.beside(to, along);
		else if (inwards > 0)
			to = this.layout.widest(to);
		else if (inwards < 0 && to >= 0)
			to = this.tree.parent[to];
		if (to >= 0 || (inwards < 0 && this.options.root))
			this.select(to);
	}

	match(by) {
		const node = this.found.step(this.selected, by);
		if (node >= 0)
			this.select(node);
	}

	/* Handle a key of every flame graph; true: used. */
	key(event) {
		const up = this.flip ? -1 : 1;
		const keys = {
			ArrowUp: () => this.step(up, 0),
			ArrowDown: () => this.step(-up, 0),
			ArrowLeft: () => this.step(0, -1),
			ArrowRight: () => this.step(0, 1),
			Enter: () => this.zoom(this.selected),
			Escape: () => this.out(),
			"+": () => this.scale(0.5, this.middle()),
			"-": () => this.scale(2, this.middle()),
			n: () => this.match(1),
			N: () => this.match(-1),
		};
		if (!keys[event.key] || !this.tree || !this.layout.all)
			return false;
		keys[event.key]();
		return true;
	}

	middle() {
		const [left, right] = this.edges(this.selected);
		return Math.min(Math.max((left + right) / 2, 0), this.width);
	}

	/* ---- for the link ---- */

	state() {
		const state = {};
		if (this.zoomed >= 0)
			state.zoom = String(this.zoomed);
		if (this.selected >= 0)
			state.at = String(this.selected);
		return state;
	}

	restore(state) {
		const node = (text) => {
			const n = /^[0-9]+$/.test(text || "") ? Number(text) : -1;
			return n < this.tree.n ? n : -1;
		};
		this.zoomed = node(state.zoom);
		this.selected = node(state.at);
		this.lookAt(...this.span(this.zoomed), false);
		this.app.detail(this, this.selected);
		this.app.zoomChanged(this);
		this.scrollTo(this.selected >= 0 ? this.tree.depth[this.selected]
			: this.zoomed >= 0 ? this.tree.depth[this.zoomed] : -1);
	}
}
