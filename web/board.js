/*
 * A canvas with a time axis that can be zoomed, and on which a time window is selected: the common part of
 * chart and heat map.
 *
 * The view that makes it sets paint(ctx), and optionally: clicked(x, y), hovered([x, y] or null),
 * pans(x, y) (true: a drag from there pans instead of selecting), snap(from, until) (returns the window that
 * can be selected), moved(), chosen().
 */
class TimeBoard {
	constructor(app, timeline, label) {
		this.app = app;
		this.timeline = timeline;
		this.end = timeline.span + 1; /* after the last sample */
		this.from = 0; /* visible time */
		this.until = this.end;
		this.window = null; /* {from, until}, inclusive */
		this.left = 90;
		this.right = 12;
		this.top = 4;
		this.foot = 30; /* height of the axis */
		this.width = this.height = 0;
		this.zooms = true;
		this.letters = new Letters();
		this.canvas = make("canvas", "board");
		this.canvas.tabIndex = 0;
		this.canvas.setAttribute("role", "application");
		this.canvas.setAttribute("aria-label", label);
		this.listen();
	}

	listen() {
		const { canvas } = this;
		canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		canvas.addEventListener("pointerdown", (event) => this.down(event));
		canvas.addEventListener("pointermove", (event) => this.move(event));
		canvas.addEventListener("pointerup", (event) => this.up(event));
		canvas.addEventListener("pointercancel", () => { this.drag = null; });
		canvas.addEventListener("pointerleave", () => { if (!this.drag) this.hover(null); });
		canvas.addEventListener("focus", () => this.draw());
		canvas.addEventListener("blur", () => this.draw());
		new ResizeObserver(() => this.draw()).observe(canvas);
	}

	/* ---- drawing ---- */

	/* Return the colours of the style sheet. */
	ink() {
		const style = getComputedStyle(document.documentElement);
		const read = (name) => style.getPropertyValue(`--${name}`).trim();
		return { text: read("text"), soft: read("soft"), line: read("line"), ground: read("canvas"),
			mark: read("accent"), empty: read("page") };
	}

	draw() {
		if (!this.frame)
			this.frame = requestAnimationFrame(() => this.drawNow());
	}

	drawNow() {
		const box = this.canvas.getBoundingClientRect();
		const scale = this.app.ratio;
		this.frame = 0;
		if (!(box.width > 0 && box.height > 0))
			return;
		this.width = box.width;
		this.height = box.height;
		this.canvas.width = Math.round(box.width * scale);
		this.canvas.height = Math.round(box.height * scale);
		const ctx = this.canvas.getContext("2d");
		ctx.setTransform(scale, 0, 0, scale, 0, 0);
		ctx.font = "12px system-ui, sans-serif";
		ctx.textBaseline = "middle";
		this.paint(ctx);
	}

	/* Draw at once, twice because the first drawing may change the height. */
	drawAtOnce() {
		for (let i = 0; i < 2; i++) {
			cancelAnimationFrame(this.frame);
			this.drawNow();
		}
	}

	plotWidth() {
		return Math.max(1, this.width - this.left - this.right);
	}

	xOf(time) {
		return this.left + (time - this.from) / (this.until - this.from) * this.plotWidth();
	}

	timeAt(x) {
		const time = this.from + (x - this.left) / this.plotWidth() * (this.until - this.from);
		return Math.min(Math.max(time, this.from), this.until);
	}

	/* Draw round times below y, as many as fit. */
	paintAxis(ctx, y) {
		const ink = this.ink();
		ctx.strokeStyle = ink.line;
		ctx.fillStyle = ink.soft;
		ctx.textAlign = "center";
		ctx.beginPath();
		ctx.moveTo(this.left, y + 0.5);
		ctx.lineTo(this.width - this.right, y + 0.5);
		for (const [time, text] of timeTicks(this.from, this.until, this.plotWidth())) {
			const x = Math.round(this.xOf(time)) + 0.5;
			const half = ctx.measureText(text).width / 2;
			ctx.moveTo(x, y);
			ctx.lineTo(x, y + 5);
			ctx.fillText(text, Math.min(Math.max(x, half + 2), this.width - half - 2), y + 15);
		}
		ctx.stroke();
	}

	/* Fade everything outside of the window. */
	paintWindow(ctx, top, bottom) {
		const shown = this.dragged() || this.window;
		if (!shown)
			return;
		const ink = this.ink();
		const right = this.width - this.right;
		const a = Math.min(Math.max(this.xOf(shown.from), this.left), right);
		const b = Math.min(Math.max(this.xOf(shown.until + 1), this.left), right);
		ctx.save();
		ctx.globalAlpha = 0.62;
		ctx.fillStyle = ink.ground;
		ctx.fillRect(this.left, top, a - this.left, bottom - top);
		ctx.fillRect(b, top, right - b, bottom - top);
		ctx.globalAlpha = 1;
		ctx.strokeStyle = ink.mark;
		ctx.lineWidth = 2;
		ctx.strokeRect(a, top + 1, Math.max(b - a, 2), bottom - top - 2);
		ctx.restore();
	}

	/* ---- zoom ---- */

	/* Make a time range visible, of at least a microsecond and at most the whole time. */
	showRange(from, until) {
		const span = Math.min(Math.max(until - from, 1000), this.end);
		const start = Math.min(Math.max(from, 0), this.end - span);
		this.from = start;
		this.until = start + span;
		this.draw();
		this.hover(null);
		if (this.moved)
			this.moved();
	}

	/* Zoom by a factor around a time, which keeps its position. */
	zoom(factor, time) {
		this.showRange(time - (time - this.from) * factor, time + (this.until - time) * factor);
	}

	pan(share) {
		const by = (this.until - this.from) * share;
		this.showRange(this.from + by, this.until + by);
	}

	whole() {
		return this.from <= 0 && this.until >= this.end;
	}

	wheel(event) {
		const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
		if (!this.zooms)
			return;
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			this.zoom(Math.exp(Math.min(Math.max(event.deltaY, -200), 200) / 300),
				this.timeAt(event.offsetX));
		} else if (across && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
			event.preventDefault();
			this.pan(across / this.plotWidth());
		}
	}

	/* Handle a key; true: used. */
	key(event) {
		const middle = (this.from + this.until) / 2;
		if (!this.zooms || event.ctrlKey || event.altKey || event.metaKey)
			return false;
		switch (event.key) {
		case "+": case "=": this.zoom(0.5, middle); return true;
		case "-": this.zoom(2, middle); return true;
		case "0": this.showRange(0, this.end); return true;
		case "<": this.pan(-0.25); return true;
		case ">": this.pan(0.25); return true;
		case "z":
			if (this.window)
				this.showRange(this.window.from, this.window.until + 1);
			return true;
		default: return false;
		}
	}

	/* ---- selection ---- */

	down(event) {
		if (event.button !== 0)
			return;
		const { offsetX: x, offsetY: y } = event;
		this.canvas.setPointerCapture(event.pointerId);
		this.drag = { x, y, at: x, atY: y, lastX: x, lastY: y, far: false,
			pans: Boolean(this.pans && !event.shiftKey && this.pans(x, y)) };
	}

	move(event) {
		const { drag } = this;
		const { offsetX: x, offsetY: y } = event;
		if (!drag) {
			this.hover([x, y]);
			return;
		}
		drag.far = drag.far || Math.abs(x - drag.x) > 3 || Math.abs(y - drag.y) > 3;
		drag.at = x;
		drag.atY = y;
		if (drag.far && drag.pans) {
			const by = (drag.lastX - x) / this.plotWidth() * (this.until - this.from);
			this.showRange(this.from + by, this.until + by);
			if (this.scrolled)
				this.scrolled(drag.lastY - y);
		}
		drag.lastX = x;
		drag.lastY = y;
		this.draw();
		if (drag.far && !drag.pans && this.choosing)
			this.choosing(this.dragged());
	}

	up(event) {
		const { drag } = this;
		if (!drag)
			return;
		const window = this.dragged();
		this.drag = null;
		if (!drag.far) {
			if (this.clicked)
				this.clicked(event.offsetX, event.offsetY);
		} else if (!drag.pans) {
			this.choose(window);
		}
	}

	hover(at) {
		if (this.hovered)
			this.hovered(at);
	}

	/* Return the window of the drag, or null. */
	dragged() {
		const { drag } = this;
		if (!drag || !drag.far || drag.pans)
			return null;
		return this.stretch(drag);
	}

	stretch(drag) {
		const a = this.timeAt(drag.x), b = this.timeAt(drag.at);
		return this.snap(Math.min(a, b), Math.max(a, b));
	}

	snap(from, until) {
		return { from: Math.floor(from), until: Math.ceil(until) };
	}

	choose(window) {
		this.window = window;
		this.draw();
		if (this.chosen)
			this.chosen();
	}
}
