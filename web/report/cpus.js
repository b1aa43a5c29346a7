/* CPUs by PIPA's classes and by groups found in the data, and the load of NUMA nodes. */
const CPU_CLASSES = [
	{ id: 1, name: "busy", fill: "#d55e00", shape: "triangle" },
	{ id: 0, name: "active", fill: "#0072b2", shape: "square" },
	{ id: 99, name: "idle", fill: "#8a929d", shape: "circle" },
];

function cpuClass(id) {
	return CPU_CLASSES.find((one) => one.id === id) || CPU_CLASSES[2];
}

class CpusSection {
	static id = "cpus";
	static label = "cpus.title";
	static printed = true;
	static keys = [["\u2190 \u2192", "cpus.key.step"]];

	static offered({ data }) {
		return Boolean(data.cpus && (data.cpus.items || []).length) || (data.nodes || []).length > 0;
	}

	constructor(page, element) {
		const { cpus = { items: [], groups: [] }, nodes = [] } = page.data;
		this.page = page;
		this.items = cpus.items || [];
		this.groups = cpus.groups || [];
		this.limits = cpus.thresholds || { idle: 10, busy: 40 };
		this.classed = cpus.classes !== 0; /* 0: too few CPUs for classes */
		if (this.items.length) {
			const box = make("div", "scatter-box");
			this.plot = new CpuScatter(page, this.items, this.classed);
			box.append(this.plot.canvas, this.classes());
			element.append(box);
			if (this.groups.length)
				element.append(make("h3", "", page.text("cpus.groups")), this.groupTable());
		}
		if (nodes.length)
			element.append(make("h3", "", page.text("cpus.nodes")), this.nodes(nodes));
		if (this.items.length)
			element.append(make("h3", "", page.text("cpus.all", this.items.length)), this.table());
	}

	mean(list, column) {
		return list.length ? list.reduce((sum, item) => sum + (item[column] || 0), 0) / list.length : NaN;
	}

	classes() {
		const { page, limits } = this;
		const box = make("div", "classes");
		const rows = CPU_CLASSES.map((one) => ({ ...one, list: this.items.filter((item) => item.class === one.id) }));
		if (!this.classed) {
			box.append(make("p", "hint", page.text("cpus.few")));
			return box;
		}
		box.append(make("p", "hint", page.text("cpus.rule", limits.idle, limits.busy)));
		box.append(new RowTable(page, [
			{ label: page.text("col.class"), node: (one) => {
				const name = make("span", "class-name");
				name.append(shapeMark(one), page.text(`class.${one.name}`));
				return name;
			} },
			{ label: page.text("col.cpus"), number: true, text: (one) => countText(one.list.length) },
			{ label: page.text("col.user"), number: true, text: (one) => fixedText(this.mean(one.list, "user"), "%", 1) },
			{ label: page.text("col.system"), number: true, text: (one) => fixedText(this.mean(one.list, "system"), "%", 1) },
			{ label: page.text("col.numbers"), text: (one) => rangesText(one.list.map(({ cpu }) => cpu)) || NO_VALUE },
		], rows, { label: page.text("cpus.classes") }).element);
		if (this.items.some(({ expected }) => expected) && this.items.some(({ expected }) => !expected))
			box.append(make("p", "hint", page.text("cpus.expected",
				rangesText(this.items.filter(({ expected }) => expected).map(({ cpu }) => cpu)))));
		return box;
	}

	groupTable() {
		const { page } = this;
		const rows = this.groups.map((group, at) => ({ ...group, at,
			list: this.items.filter((item) => item.group === at) }));
		const box = make("div");
		box.append(make("p", "hint", page.text("cpus.groups.how")), new RowTable(page, [
			{ label: page.text("col.group"), text: (row) => String(row.at + 1) },
			{ label: page.text("col.load"), number: true, value: (row) => row.high,
				text: (row) => `${fixedText(row.low, "", 1)} \u2026 ${fixedText(row.high, "%", 1)}`,
				bar: (row) => row.high / 100 },
			{ label: page.text("col.cpus"), number: true, text: (row) => countText(row.cpus) },
			{ label: page.text("col.numbers"), text: (row) => rangesText(row.list.map(({ cpu }) => cpu)) || NO_VALUE },
		], rows, { label: page.text("cpus.groups"), sort: 1 }).element);
		return box;
	}

	nodes(nodes) {
		const { page } = this;
		const box = make("div");
		const loads = nodes.map(({ total }) => total).filter(Number.isFinite);
		const difference = loads.length > 1 ? Math.max(...loads) - Math.min(...loads) : 0;
		const limit = variablesOf(page).get("NUMA_IMBALANCE_THRESHOLD");
		const most = limit && typeof limit.value === "number" ? limit.value : 20;
		if (nodes.length > 1)
			box.append(make("p", difference > most ? "notice" : "hint",
				page.text(difference > most ? "cpus.nodes.uneven" : "cpus.nodes.even", figureText(difference, 1), most)));
		box.append(new RowTable(page, [
			{ label: page.text("col.node"), text: (row) => String(row.node), value: (row) => row.node },
			{ label: page.text("col.cpus"), number: true, text: (row) => countText(row.cpus) },
			{ label: page.text("col.load"), number: true, value: (row) => row.total,
				text: (row) => fixedText(row.total, "%", 1), bar: (row) => row.total / 100 },
		], nodes, { label: page.text("cpus.nodes") }).element);
		return box;
	}

	table() {
		const { page } = this;
		const percent = (key, column, bar) => ({ label: page.text(key), number: true, value: (row) => row[column],
			text: (row) => fixedText(row[column], "%", 1), ...(bar ? { bar: (row) => row[column] / 100 } : {}) });
		return new RowTable(page, [
			{ label: page.text("col.cpu"), text: (row) => String(row.cpu), value: (row) => row.cpu },
			percent("col.user", "user"), percent("col.system", "system"), percent("col.iowait", "iowait"),
			percent("col.load", "total", true), percent("col.p95_user", "p95_user"),
			percent("col.p95_system", "p95_system"),
			...(this.classed ? [{ label: page.text("col.class"), value: (row) => row.class,
				text: (row) => page.text(`class.${cpuClass(row.class).name}`) }] : []),
			...(this.groups.length ? [{ label: page.text("col.group"), number: true, value: (row) => row.group,
				text: (row) => String(row.group + 1) }] : []),
		], this.items, { label: page.text("cpus.all", this.items.length), sort: 0, down: false }).element;
	}

	show() {
		if (this.plot)
			this.plot.draw();
	}

	changed(what) {
		if (this.plot && what !== "range")
			this.plot.draw(what === "print");
	}

	told() {
		return this.plot ? { cpus: this.items.length, points: this.plot.points(), at: this.plot.at } : null;
	}
}

/* A small mark in the shape and colour of a class, as an image of a table. */
function shapeMark({ fill, shape }) {
	const canvas = make("canvas", "shape");
	canvas.width = canvas.height = 24;
	const ctx = canvas.getContext("2d");
	ctx.scale(2, 2);
	ctx.fillStyle = ctx.strokeStyle = fill;
	drawShape(ctx, shape, 6, 6, 4);
	canvas.setAttribute("aria-hidden", "true");
	return canvas;
}

function drawShape(ctx, shape, x, y, r) {
	ctx.beginPath();
	if (shape === "square") {
		ctx.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
	} else if (shape === "triangle") {
		ctx.moveTo(x, y - r * 1.15);
		ctx.lineTo(x + r * 1.05, y + r * 0.8);
		ctx.lineTo(x - r * 1.05, y + r * 0.8);
		ctx.closePath();
	} else {
		ctx.arc(x, y, r, 0, 2 * Math.PI);
	}
	ctx.fill();
	ctx.stroke();
}

/* Mean %user against mean %system, a point per CPU. */
class CpuScatter {
	/* classed: whether points have the colours of classes, else all have one */
	constructor(page, items, classed) {
		this.page = page;
		this.items = items;
		this.classed = classed;
		this.at = -1;
		this.box = { left: 46, right: 14, top: 12, bottom: 40 };
		const most = (column) => Math.max(1, ...items.map((item) => item[column] || 0));
		this.most = { user: CpuScatter.round(most("user")), system: CpuScatter.round(most("system")) };
		this.canvas = make("canvas", "scatter");
		this.canvas.tabIndex = 0;
		this.canvas.setAttribute("role", "application");
		this.canvas.setAttribute("aria-label", page.text("cpus.plot", items.length));
		this.canvas.addEventListener("pointermove", (event) => this.hover(event));
		this.canvas.addEventListener("pointerleave", () => this.select(-1));
		this.canvas.addEventListener("blur", () => this.select(-1));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.draw()).observe(this.canvas);
	}

	/* The end of an axis: 5, 10, 20, 50 or 100 %. */
	static round(value) {
		return [5, 10, 20, 50, 100].find((end) => value <= end) || 100;
	}

	place(item) {
		const { box, most, width, height } = this;
		return [box.left + Math.min((item.user || 0) / most.user, 1) * (width - box.left - box.right),
			height - box.bottom - Math.min((item.system || 0) / most.system, 1) * (height - box.top - box.bottom)];
	}

	/* For tests. */
	points() {
		return this.items.map((item) => ({ cpu: item.cpu, class: item.class, x: this.place(item)[0],
			y: this.place(item)[1] }));
	}

	draw() {
		const { canvas, page } = this;
		const { width, height } = canvas.getBoundingClientRect();
		if (!(width > 0 && height > 0))
			return;
		const { ratio } = page;
		this.width = width;
		this.height = height;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		const ctx = canvas.getContext("2d");
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		const style = getComputedStyle(document.documentElement);
		const ink = (name) => style.getPropertyValue(`--${name}`).trim();
		ctx.font = "12px system-ui, sans-serif";
		this.axes(ctx, ink);
		ctx.lineWidth = 1;
		ctx.strokeStyle = ink("panel");
		ctx.globalAlpha = this.items.length > 64 ? 0.75 : 0.95;
		for (const item of this.items) {
			const { fill, shape } = cpuClass(this.classed ? item.class : 0);
			ctx.fillStyle = page.dark ? mix(fill, "#ffffff", 0.25) : fill;
			drawShape(ctx, shape, ...this.place(item), this.items.length > 64 ? 4.5 : 6);
		}
		ctx.globalAlpha = 1;
		const chosen = this.items[this.at];
		if (chosen) {
			ctx.strokeStyle = ink("outline");
			ctx.lineWidth = 2;
			ctx.beginPath();
			ctx.arc(...this.place(chosen), 9, 0, 2 * Math.PI);
			ctx.stroke();
		}
	}

	axes(ctx, ink) {
		const { box, most, width, height, page } = this;
		const right = width - box.right;
		const bottom = height - box.bottom;
		ctx.strokeStyle = ink("line");
		ctx.fillStyle = ink("soft");
		ctx.lineWidth = 1;
		ctx.textBaseline = "middle";
		for (let i = 0; i <= 5; i++) {
			const x = Math.round(box.left + i / 5 * (right - box.left)) + 0.5;
			const y = Math.round(bottom - i / 5 * (bottom - box.top)) + 0.5;
			ctx.beginPath();
			ctx.moveTo(x, box.top);
			ctx.lineTo(x, bottom + 4);
			ctx.moveTo(box.left - 4, y);
			ctx.lineTo(right, y);
			ctx.stroke();
			ctx.textAlign = "center";
			ctx.fillText(figureText(i / 5 * most.user), x, bottom + 13);
			ctx.textAlign = "right";
			ctx.fillText(figureText(i / 5 * most.system), box.left - 8, y);
		}
		ctx.fillStyle = ink("text");
		ctx.textAlign = "center";
		ctx.fillText(page.text("cpus.axis.user"), (box.left + right) / 2, height - 9);
		ctx.save();
		ctx.translate(10, (box.top + bottom) / 2);
		ctx.rotate(-Math.PI / 2);
		ctx.fillText(page.text("cpus.axis.system"), 0, 0);
		ctx.restore();
	}

	/* ---- one CPU ---- */

	hover(event) {
		const near = (item) => {
			const [x, y] = this.place(item);
			return Math.hypot(x - event.offsetX, y - event.offsetY);
		};
		let best = -1;
		this.items.forEach((item, at) => {
			if (near(item) < 14 && (best < 0 || near(item) < near(this.items[best])))
				best = at;
		});
		this.select(best);
	}

	select(at) {
		const { page } = this;
		if (at === this.at)
			return;
		this.at = at;
		this.draw();
		const item = this.items[at];
		if (!item) {
			page.tip.hide();
			return;
		}
		const frame = this.canvas.getBoundingClientRect();
		const [x, y] = this.place(item);
		const same = this.items.filter((other) => Math.abs(other.user - item.user) < 0.05 &&
			Math.abs(other.system - item.system) < 0.05);
		const rows = [[page.text("col.user"), fixedText(item.user, "%", 1), `p95 ${fixedText(item.p95_user, "%", 1)}`],
			[page.text("col.system"), fixedText(item.system, "%", 1), `p95 ${fixedText(item.p95_system, "%", 1)}`],
			[page.text("col.iowait"), fixedText(item.iowait, "%", 1), ""]];
		page.tip.show(`CPU ${same.length > 1 ? rangesText(same.map(({ cpu }) => cpu)) : item.cpu}`,
			this.classed ? page.text(`class.${cpuClass(item.class).name}`) : "", rows, frame.x + x, frame.y + y);
		page.say(`CPU ${item.cpu}, ` +
			rows.map((row) => row.slice(0, 2).join(" ")).join(", "));
	}

	key(event) {
		const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
		if (event.key === "Escape" && this.at >= 0)
			this.select(-1);
		else if (by)
			this.select((this.at + by + this.items.length) % this.items.length);
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}
}

ReportPage.sections.push(CpusSection);
