/*
 * Charts of lines over time: TimeSight has the visible time, the cursor and the selected range of all charts of a
 * section; LineChart draws lines on a canvas. Lines are reduced to the resolution of the pixels without losing peaks
 * (M4); gaps remain.
 */
const LINE_COLORS = ["#0072b2", "#d55e00", "#009e73", "#b5519c", "#a36a00", "#3a8fc4", "#6b6b00"];
const LINE_COLORS_DARK = ["#56b4e9", "#ff9d5c", "#3fcf9f", "#f0a8cf", "#f2b93b", "#a9dbfa", "#f0e442"];
const DASHES = [[], [6, 3], [2, 2], [9, 3, 2, 3]];
const CHART_EDGE = { left: 62, right: 10, top: 10, bottom: 20 };
const TIP_ROWS = 14;
const BANDS_MAX = 6; /* most lines of a chart with bands */
const DASHED_MAX = LINE_COLORS.length * DASHES.length;
const SIGHT_MIN = 10; /* ms that charts show at least */

/* ---- numbers ---- */

/* A step of 1, 2 or 5 times a power of ten: about `count` of them are in `size`. */
function niceStep(size, count) {
	const rough = size / count;
	const power = 10 ** Math.floor(Math.log10(rough));
	const times = rough / power;
	return (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1) * power;
}

const TIME_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3,
	900e3, 1800e3, 3600e3, 7200e3, 10800e3, 21600e3, 43200e3, 86400e3];

function timeStep(ms, count) {
	return TIME_STEPS.find((step) => ms / step <= count) || Math.ceil(ms / count / 86400e3) * 86400e3;
}

/* {divide, suffix} for values of a unit up to `most`: KiB become GiB, counts get a prefix. */
function unitScale(most, unit) {
	const step = /^kB/.test(unit) ? 1024 : 1000;
	const names = unit === "kB" ? ["KiB", "MiB", "GiB", "TiB"]
		: unit === "kB/s" ? ["KiB/s", "MiB/s", "GiB/s", "TiB/s"]
			: unit === "MB" || unit === "%" || unit === "ms" || unit === "MHz" ? [unit] : ["", "k", "M", "G", "T", "P"];
	let at = 0;
	let divide = 1;
	while (Math.abs(most) / divide >= step && at < names.length - 1) {
		divide *= step;
		at++;
	}
	return { divide, suffix: names[at] };
}

function numberText(value, digits) {
	return value.toFixed(digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "").replace("-", "\u2212");
}

/* What stands after a scaled number: "MiB", "k/s", "\u00b0C". */
function suffixText(suffix, unit) {
	return `${suffix}${unit === "/s" || (!suffix && unit === "\u00b0C") ? unit : ""}`;
}

/* A value with its unit, three or more digits. */
function valueText(value, unit) {
	if (Number.isNaN(value))
		return "\u2014";
	const { divide, suffix } = unitScale(value, unit);
	const n = value / divide;
	const text = numberText(n, Math.abs(n) >= 100 ? 1 : Math.abs(n) >= 1 ? 2 : 4);
	const tail = suffixText(suffix, unit);
	return `${text}${tail ? `\u00a0${tail}` : ""}`;
}

/* ---- points of a line ---- */

/* Index of the first interval of an axis that ends after a time. */
function intervalAt(axis, ms) {
	let low = 0;
	let high = axis.n;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (axis.end[middle] > ms)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Return the intervals that do not start at the end of the previous one. */
function gapsOf(axis) {
	if (!axis.gaps) {
		const steps = [];
		for (let i = 1; i < axis.n; i += Math.ceil(axis.n / 1000))
			steps.push(axis.end[i] - axis.end[i - 1]);
		const usual = steps.sort((a, b) => a - b)[steps.length >> 1] || 0;
		axis.gaps = new Uint8Array(axis.n);
		for (let i = 1; i < axis.n; i++) {
			const length = axis.length[i] || usual * 2;
			axis.gaps[i] = axis.end[i] - length - axis.end[i - 1] > 0.6 * Math.min(length, usual || length) ? 1 : 0;
		}
	}
	return axis.gaps;
}

/*
 * Points of a line for pixels [0, pixels): of each pixel the first, smallest, largest and last value, in
 * their order, NaN where the line is interrupted. `take` receives (pixel, value); pixel is exact where it
 * has one value. `line`: {axis, first, values}.
 */
function linePoints({ axis, first, values }, from, until, pixels, take) {
	const gaps = gapsOf(axis);
	const scale = pixels / (until - from);
	const begin = Math.max(intervalAt(axis, from) - 1, first);
	const last = Math.min(intervalAt(axis, until) + 2, first + values.length, axis.n);
	let at = -1; /* pixel of the run */
	let n = 0;
	let x = 0;
	let open = 0, close = 0, low = 0, high = 0, lowAt = 0, highAt = 0;
	const flush = () => {
		if (n === 1) {
			take(x, open);
		} else if (n > 1) {
			take(at, open);
			take(at, lowAt < highAt ? low : high);
			take(at, lowAt < highAt ? high : low);
			take(at, close);
		}
		n = 0;
	};
	for (let i = begin; i < last; i++) {
		const value = values[i - first];
		if (gaps[i] || Number.isNaN(value)) {
			flush();
			take(NaN, NaN);
			if (Number.isNaN(value))
				continue;
		}
		const place = (axis.end[i] - axis.length[i] / 2 - from) * scale;
		const pixel = Math.floor(place);
		if (!n || pixel !== at) {
			flush();
			at = pixel;
			x = place;
			open = low = high = value;
			lowAt = highAt = i;
		}
		if (value < low) {
			low = value;
			lowAt = i;
		}
		if (value > high) {
			high = value;
			highAt = i;
		}
		close = value;
		n++;
	}
	flush();
}

/* ---- what the charts of a section share ---- */

class TimeSight {
	/* all: {from, until} in ms; moved(): called after each change of the visible time */
	constructor(all, moved) {
		this.all = { from: all.from, until: Math.max(all.until, all.from + SIGHT_MIN) };
		this.from = this.all.from;
		this.until = this.all.until;
		this.cursor = NaN;
		this.draft = null; /* range that is being dragged */
		this.charts = new Set();
		this.moved = moved;
		this.drawing = 0;
	}

	get zoomed() {
		return this.from !== this.all.from || this.until !== this.all.until;
	}

	set(from, until) {
		const most = this.all.until - this.all.from;
		const size = Math.min(Math.max(until - from, SIGHT_MIN), most);
		const start = Math.min(Math.max(from, this.all.from), this.all.until - size);
		this.from = start;
		this.until = start + size;
		this.draw();
		this.moved();
	}

	reset() {
		this.set(this.all.from, this.all.until);
	}

	/* factor < 1: closer; at: the time that stays where it is */
	zoomBy(factor, at = (this.from + this.until) / 2) {
		this.set(at - (at - this.from) * factor, at + (this.until - at) * factor);
	}

	/* Move by a share of the visible time. */
	moveBy(share) {
		const by = (this.until - this.from) * share;
		this.set(this.from + by, this.until + by);
	}

	setCursor(ms) {
		this.cursor = ms;
		for (const chart of this.charts)
			chart.pointed();
	}

	/* Draw all charts in the next frame. */
	draw() {
		if (!this.drawing)
			this.drawing = requestAnimationFrame(() => this.drawNow());
	}

	drawNow() {
		cancelAnimationFrame(this.drawing);
		this.drawing = 0;
		for (const chart of this.charts)
			chart.draw();
	}
}

/* ---- the chart ---- */

class LineChart {
	/* marks(): [{from, until, color, alpha, strip}] that are shaded; notes(ms): texts for the tooltip */
	constructor(page, sight, element, { label, unit, height = 190, marks = () => [], notes = () => [] }) {
		this.page = page;
		this.sight = sight;
		this.unit = unit;
		this.marks = marks;
		this.notes = notes;
		this.lines = [];
		this.items = []; /* elements of the legend that have the values at the cursor */
		this.hidden = new Set(); /* names of lines that the legend has switched off */
		this.height = height;
		this.width = 0;
		this.box = make("div", "chart-box");
		this.canvas = make("canvas", "chart-canvas");
		this.canvas.tabIndex = 0;
		this.canvas.setAttribute("role", "img");
		this.canvas.setAttribute("aria-label", label);
		this.over = make("div", "chart-cursor"); /* the cursor moves without drawing the lines again */
		this.box.append(this.canvas, this.over);
		this.legend = make("div", "chart-legend");
		element.append(this.box, this.legend);
		this.listen();
		this.resized = new ResizeObserver(() => this.resize());
		this.resized.observe(this.box);
		sight.charts.add(this);
	}

	remove() {
		this.resized.disconnect();
		this.sight.charts.delete(this);
	}

	/* lines: [{name, axis, first, column: {min, mean, max}, reduced}] */
	set(lines) {
		this.lines = lines;
		lines.forEach((line, i) => {
			line.dash = DASHES[Math.floor(i / LINE_COLORS.length) % DASHES.length];
		});
		this.drawLegend();
		this.draw();
	}

	colorOf(i) {
		const colors = this.page.dark ? LINE_COLORS_DARK : LINE_COLORS;
		return colors[i % colors.length];
	}

	resize() {
		const { clientWidth } = this.box;
		if (clientWidth && clientWidth !== this.width)
			this.draw();
	}

	get inner() {
		return Math.max(this.width - CHART_EDGE.left - CHART_EDGE.right, 1);
	}

	xOf(ms) {
		return CHART_EDGE.left + (ms - this.sight.from) / (this.sight.until - this.sight.from) * this.inner;
	}

	timeOf(x) {
		const share = Math.min(Math.max((x - CHART_EDGE.left) / this.inner, 0), 1);
		return this.sight.from + share * (this.sight.until - this.sight.from);
	}

	/* Return the smallest and largest visible value, with 0. */
	extent() {
		const { from, until } = this.sight;
		let low = 0;
		let high = 0;
		for (const { axis, first, column, name } of this.lines) {
			if (this.hidden.has(name))
				continue;
			const last = Math.min(intervalAt(axis, until) + 1, first + column.mean.length, axis.n);
			for (let i = Math.max(intervalAt(axis, from), first); i < last; i++) {
				if (column.min[i - first] < low)
					low = column.min[i - first];
				if (column.max[i - first] > high)
					high = column.max[i - first];
			}
		}
		return { low, high };
	}

	/* {low, high, ticks: [value], text(value)} of the vertical axis */
	scale() {
		let { low, high } = this.extent();
		if (high === low)
			high = low + 1;
		const { divide, suffix } = unitScale(Math.max(high, -low), this.unit);
		const step = niceStep((high - low) / divide, 4) * divide;
		low = Math.floor(low / step) * step;
		high = Math.ceil(high / step - 1e-9) * step;
		if (this.unit === "%" && high > 100 && this.extent().high <= 100.5)
			high = 100;
		const digits = Math.max(0, -Math.floor(Math.log10(step / divide) + 1e-9));
		const ticks = [];
		for (let i = 0; low + i * step <= high + step / 1000; i++)
			ticks.push(low + i * step);
		const tail = suffixText(suffix, this.unit);
		return { low, high, ticks, text: (value) => (value ? `${numberText(value / divide, Math.min(digits, 6))}` +
			(tail ? `\u00a0${tail}` : "") : "0") };
	}

	draw() {
		const { page, canvas } = this;
		this.width = this.box.clientWidth;
		if (!this.width)
			return;
		const { ratio } = page;
		canvas.width = Math.round(this.width * ratio);
		canvas.height = Math.round(this.height * ratio);
		canvas.style.height = `${this.height}px`;
		const ctx = canvas.getContext("2d");
		ctx.scale(ratio, ratio);
		ctx.clearRect(0, 0, this.width, this.height);
		const style = getComputedStyle(document.documentElement);
		this.colors = { grid: style.getPropertyValue("--grid").trim(), soft: style.getPropertyValue("--soft").trim(),
			accent: style.getPropertyValue("--accent").trim() };
		const scale = this.scale();
		const bottom = this.height - CHART_EDGE.bottom;
		const yOf = (value) => bottom - (value - scale.low) / (scale.high - scale.low) * (bottom - CHART_EDGE.top);
		this.drawMarks(ctx, bottom);
		this.drawAxes(ctx, scale, yOf, bottom);
		ctx.save();
		ctx.beginPath();
		ctx.rect(CHART_EDGE.left, 0, this.inner, this.height);
		ctx.clip();
		const shown = this.lines.filter(({ name }) => !this.hidden.has(name)).length;
		this.lines.forEach((line, i) => {
			if (!this.hidden.has(line.name))
				this.drawLine(ctx, line, this.colorOf(i), yOf, shown);
		});
		ctx.restore();
		this.drawRange(ctx, bottom);
		this.pointed();
	}

	drawMarks(ctx, bottom) {
		for (const { from, until, color, alpha, strip } of this.marks()) {
			const left = Math.max(this.xOf(from), CHART_EDGE.left);
			const right = Math.min(this.xOf(until), CHART_EDGE.left + this.inner);
			if (right <= left)
				continue;
			ctx.fillStyle = color;
			ctx.globalAlpha = alpha;
			ctx.fillRect(left, CHART_EDGE.top, right - left, bottom - CHART_EDGE.top);
			ctx.globalAlpha = 1;
			if (strip)
				ctx.fillRect(left, CHART_EDGE.top - 5, Math.max(right - left, 2), 4);
		}
	}

	drawAxes(ctx, scale, yOf, bottom) {
		const { from, until } = this.sight;
		ctx.font = `11px ${this.page.theme.font}`;
		ctx.lineWidth = 1;
		ctx.strokeStyle = this.colors.grid;
		ctx.fillStyle = this.colors.soft;
		ctx.textAlign = "right";
		ctx.textBaseline = "middle";
		for (const value of scale.ticks) {
			const y = Math.round(yOf(value)) + 0.5;
			ctx.beginPath();
			ctx.moveTo(CHART_EDGE.left, y);
			ctx.lineTo(CHART_EDGE.left + this.inner, y);
			ctx.stroke();
			ctx.fillText(scale.text(value), CHART_EDGE.left - 6, y, CHART_EDGE.left - 8);
		}
		ctx.textAlign = "center";
		ctx.textBaseline = "top";
		const step = timeStep(until - from, Math.max(this.inner / 90, 2));
		const base = this.page.data.time.clock === "elapsed" ? this.page.data.time.begin_ms : 0;
		for (let at = Math.ceil((from - base) / step) * step + base; at <= until; at += step) {
			const x = Math.round(this.xOf(at)) + 0.5;
			ctx.beginPath();
			ctx.moveTo(x, bottom);
			ctx.lineTo(x, bottom + 4);
			ctx.stroke();
			const text = this.timeText(at, step);
			const half = ctx.measureText(text).width / 2;
			ctx.fillText(text, Math.min(x, this.width - half - 1), bottom + 6);
		}
	}

	/* A time of the axis: as long as its step needs. */
	timeText(ms, step) {
		const { clock, begin_ms: begin } = this.page.data.time;
		if (clock === "elapsed")
			return numberText((ms - begin) / 1000, step < 1000 ? 3 : 0) + "\u00a0s";
		const text = new Date(ms).toISOString();
		if (step >= 86400e3 || (step >= 3600e3 && ms % 86400e3 === 0))
			return text.slice(5, 10);
		return text.slice(11, step < 1000 ? 23 : step < 60e3 ? 19 : 16);
	}

	/* among: number of lines of the chart; bands and dots are omitted if there are many */
	drawLine(ctx, { axis, first, column, reduced, dash }, color, yOf, among) {
		const { from, until } = this.sight;
		const pixels = this.inner * this.page.ratio;
		const trace = (values, take) => linePoints({ axis, first, values }, from, until, pixels, (x, value) =>
			take(CHART_EDGE.left + x / this.page.ratio, yOf(value)));
		ctx.strokeStyle = ctx.fillStyle = color;
		if (reduced && among <= BANDS_MAX)
			this.drawBand(ctx, trace, column, Math.max(0.24 / among, 0.06));
		ctx.lineWidth = among > DASHED_MAX ? 1 : 1.4;
		ctx.lineJoin = "bevel";
		ctx.setLineDash(among > DASHED_MAX ? [] : dash);
		ctx.beginPath();
		let points = 0; /* of the current part of the line */
		let x0 = 0, y0 = 0;
		const dots = [];
		const end = () => {
			if (points === 1)
				dots.push([x0, y0]); /* one value between two gaps */
			points = 0;
		};
		trace(column.mean, (x, y) => {
			if (Number.isNaN(x)) {
				end();
				return;
			}
			if (points++)
				ctx.lineTo(x, y);
			else
				ctx.moveTo(x, y);
			x0 = x;
			y0 = y;
		});
		end();
		ctx.stroke();
		ctx.setLineDash([]);
		for (const [x, y] of dots)
			ctx.fillRect(x - 1.5, y - 1.5, 3, 3);
	}

	/* Between the smallest and the largest values of the intervals of a reduced series. */
	drawBand(ctx, trace, column, alpha) {
		const edge = (values) => {
			const parts = [[]];
			trace(values, (x, y) => {
				if (Number.isNaN(x))
					parts.push([]);
				else
					parts[parts.length - 1].push([x, y]);
			});
			return parts;
		};
		const low = edge(column.min);
		const high = edge(column.max);
		ctx.globalAlpha = alpha;
		high.forEach((part, i) => {
			if (!part.length || !low[i])
				return;
			ctx.beginPath();
			part.forEach(([x, y], k) => (k ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
			for (const [x, y] of low[i].slice().reverse())
				ctx.lineTo(x, y);
			ctx.fill();
		});
		ctx.globalAlpha = 1;
	}

	drawRange(ctx, bottom) {
		const range = this.sight.draft || this.page.range;
		if (!range || range.until < this.sight.from || range.from > this.sight.until)
			return;
		const left = Math.max(this.xOf(range.from), CHART_EDGE.left);
		const right = Math.min(this.xOf(range.until), CHART_EDGE.left + this.inner);
		ctx.fillStyle = ctx.strokeStyle = this.colors.accent;
		ctx.globalAlpha = 0.14;
		ctx.fillRect(left, CHART_EDGE.top, right - left, bottom - CHART_EDGE.top);
		ctx.globalAlpha = 0.9;
		ctx.beginPath();
		for (const x of [left, right]) {
			ctx.moveTo(x, CHART_EDGE.top);
			ctx.lineTo(x, bottom);
		}
		ctx.lineWidth = 1;
		ctx.stroke();
		ctx.globalAlpha = 1;
	}

	/* ---- values ---- */

	/* {min, mean, max} of a line at a time; null: it has none */
	valueAt({ axis, first, column }, ms) {
		const i = intervalAt(axis, ms - 1e-6);
		if (i >= axis.n || i < first || i >= first + column.mean.length)
			return null;
		const length = axis.length[i] || (i ? axis.end[i] - axis.end[i - 1] : 0);
		if (ms < axis.end[i] - length * 1.05 - 1 || Number.isNaN(column.mean[i - first]))
			return null;
		return { min: column.min[i - first], mean: column.mean[i - first], max: column.max[i - first] };
	}

	textOf(value, reduced) {
		if (!value)
			return "\u2014";
		const text = valueText(value.mean, this.unit);
		return reduced ? `${text} (${valueText(value.min, this.unit)} \u2026 ${valueText(value.max, this.unit)})` : text;
	}

	/* The cursor moved, in this chart or in another. */
	pointed() {
		const { cursor, from, until } = this.sight;
		const shown = cursor >= from && cursor <= until && !this.page.printing;
		this.over.hidden = !shown;
		if (shown) {
			this.over.style.left = `${this.xOf(cursor)}px`;
			this.over.style.height = `${this.height - CHART_EDGE.bottom}px`;
		}
		this.items.forEach((item, i) => {
			item.textContent = shown ? this.textOf(this.valueAt(this.lines[i], cursor), false) : "";
		});
	}

	drawLegend() {
		const held = [...this.legend.children].indexOf(document.activeElement);
		this.items = [];
		this.legend.replaceChildren(...this.lines.map((line, i) => {
			const item = make("button", "chart-line");
			const dot = make("i");
			dot.style.background = this.colorOf(i);
			const value = make("span", "chart-value");
			this.items.push(value);
			item.append(dot, make("span", "chart-name", line.name), value);
			item.title = line.title || line.name;
			item.setAttribute("aria-pressed", String(!this.hidden.has(line.name)));
			item.addEventListener("click", (event) => this.toggle(line.name, event.shiftKey));
			return item;
		}));
		if (held >= 0 && this.legend.children[held])
			this.legend.children[held].focus();
	}

	/* Switch a line off or on; only: leave only this one. */
	toggle(name, only) {
		const names = this.lines.map((line) => line.name);
		if (only) {
			const alone = names.every((other) => this.hidden.has(other) === (other !== name));
			this.hidden = new Set(alone ? [] : names.filter((other) => other !== name));
		} else if (!this.hidden.delete(name)) {
			this.hidden.add(name);
		}
		this.drawLegend();
		this.draw();
	}

	/* ---- the pointer ---- */

	listen() {
		const { canvas, sight } = this;
		const x = (event) => event.clientX - canvas.getBoundingClientRect().left;
		canvas.addEventListener("pointerdown", (event) => {
			if (event.button || x(event) < CHART_EDGE.left - 6)
				return;
			this.pressedAt = x(event);
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener("pointermove", (event) => this.moved(event, x(event)));
		canvas.addEventListener("pointerup", (event) => this.released(x(event)));
		canvas.addEventListener("pointercancel", () => this.cancel());
		canvas.addEventListener("pointerleave", () => {
			this.page.tip.hide();
			sight.setCursor(NaN);
		});
		canvas.addEventListener("dblclick", (event) => {
			const at = this.timeOf(x(event));
			const { range } = this.page;
			if (range && at >= range.from && at <= range.until)
				sight.set(range.from, range.until);
			else
				sight.reset();
		});
		canvas.addEventListener("wheel", (event) => {
			const delta = event.deltaMode ? event.deltaY * 16 : event.deltaY;
			if (event.ctrlKey || event.metaKey)
				sight.zoomBy(1.0025 ** Math.max(Math.min(delta, 300), -300), this.timeOf(x(event)));
			else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
				sight.moveBy((event.deltaX || delta) / this.inner);
			else
				return;
			event.preventDefault();
		}, { passive: false });
	}

	moved(event, x) {
		const { sight } = this;
		const at = this.timeOf(x);
		if (this.pressedAt !== undefined && (sight.draft || Math.abs(x - this.pressedAt) > 4)) {
			const from = this.timeOf(this.pressedAt);
			sight.draft = { from: Math.min(from, at), until: Math.max(from, at) };
			sight.draw();
		}
		sight.setCursor(at);
		this.showTip(at, event.clientX, event.clientY);
	}

	released(x) {
		const { sight, page } = this;
		const { draft } = sight;
		if (this.pressedAt === undefined)
			return;
		this.cancel();
		const { range } = page;
		const at = this.timeOf(x);
		if (draft)
			page.setRange(draft);
		else if (range && (at < range.from || at > range.until))
			page.setRange(null);
	}

	cancel() {
		this.pressedAt = undefined;
		this.sight.draft = null;
		this.sight.draw();
	}

	showTip(at, x, y) {
		const rows = this.lines.filter(({ name }) => !this.hidden.has(name))
			.map((line) => ({ line, value: this.valueAt(line, at) }))
			.filter(({ value }) => value).sort((a, b) => b.value.mean - a.value.mean);
		const texts = rows.slice(0, TIP_ROWS).map(({ line, value }) => [line.name, this.textOf(value, line.reduced)]);
		if (rows.length > TIP_ROWS)
			texts.push([`\u2026 ${rows.length - TIP_ROWS}`, ""]);
		this.page.tip.show(this.page.moment(at, this.sight.until - this.sight.from < 60e3), this.notes(at).join(" \u00b7 "),
			texts, x, y);
	}
}
