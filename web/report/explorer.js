/*
 * Charts of all series: one per table and group of units, as PIPA groups them, with a common visible time. A chart
 * decodes its series when it comes into view.
 */
const LINES_SHOWN = 24;   /* lines of a chart whose instances were not chosen */
const LINES_MAX = 300;	  /* lines of a chart at all */
const DECODED_MAX = 400;  /* instances that are decoded to choose lines */
const CPU_DEFAULT = ["%usr", "%user", "%nice", "%sys", "%system", "%total", "%iowait", "%steal"];

/* PIPA's groups of columns, first match wins; ours by unit first. */
function unitGroup({ name, unit }) {
	if (unit === "%" || name.includes("%"))
		return "percentage";
	if (unit === "kB/s" || /kb\/s|pgpgin\/s|pgpgout\/s/i.test(name))
		return "throughput_kb";
	if (/^(pgfree|pgscank|pgscand|pgsteal)\/s$|vmeff/.test(name))
		return "pages_count";
	if (unit === "/s" || name.includes("/s"))
		return "rate_per_sec";
	if (unit === "kB")
		return "size_kb";
	if (unit === "MB")
		return "size_mb";
	return unit ? `absolute_${unit}` : "absolute";
}

/* The charts of a payload: {id, group, columns: [index], kind, unit, title}. */
function chartsOf(page) {
	const charts = [];
	const used = new Map();
	const shared = sharedSections(page.data.series || []);
	(page.data.series || []).forEach((series, group) => {
		const kinds = new Map();
		series.columns.forEach((column, i) => {
			if (["text", "attribute"].includes(column.kind))
				return;
			const kind = unitGroup(column);
			kinds.set(kind, [...(kinds.get(kind) || []), i]);
		});
		for (const [kind, columns] of kinds) {
			const base = kinds.size > 1 ? `${series.section}_${kind}` : series.section;
			const count = (used.get(base) || 0) + 1;
			used.set(base, count);
			const { unit, name, description } = series.columns[columns[0]];
			const where = [columns.length === 1 && kinds.size > 1 && metricTitle(page, name, description),
				shared.has(series.section) && series.source, series.evidence && page.text("explorer.evidence")];
			charts.push({ id: count > 1 ? `${base}.${count}` : base, group, columns, kind, unit, series,
				title: sectionTitle(page, series),
				where: where.filter(Boolean).map((text) => visible(text, 120)).join(" \u00b7 ") });
		}
	});
	return charts;
}

/* One chart with its boxes of filters. */
class ExplorerChart {
	constructor(explorer, plan) {
		this.explorer = explorer;
		this.plan = plan;
		this.chart = null;
		this.loading = 0; /* number of the last load; an older one is dropped */
		this.pending = false;
		const { page } = explorer;
		const { series } = plan;
		this.defaults = this.defaultFilters();
		this.filters = { ...this.defaults };
		this.element = make("div", "card chart");
		this.element.dataset.chart = plan.id;
		const head = make("div", "chart-head");
		const title = make("h3", "", plan.title);
		const unit = this.unitName();
		title.append(make("span", "hint", [unit, plan.where].filter(Boolean).map((text) => ` \u00b7 ${text}`).join("")));
		head.append(title);
		this.boxes = {};
		if (series.label && series.instances.length > 1)
			head.append(this.box("instances", visible(series.label, 20), "explorer.instances.title"));
		if (plan.columns.length > 1)
			head.append(this.box("columns", page.text("explorer.columns"), "explorer.columns.title"));
		this.note = make("p", "hint chart-note");
		this.note.hidden = true;
		this.body = make("div", "chart-body");
		this.element.append(head, this.note, this.body);
	}

	unitName() {
		const { page } = this.explorer;
		const key = `explorer.unit.${this.plan.kind}`;
		if (this.plan.kind === "absolute" && this.plan.columns.length === 1 && this.plan.where)
			return ""; /* the name of the metric has it */
		return Object.hasOwn(LANG, key) ? page.text(key) : this.plan.unit;
	}

	defaultFilters() {
		const { series, columns } = this.plan;
		const isCpu = /^(cpu|cpu-short|sar_cpu)$/.test(series.section);
		const all = series.label && series.instances.some(({ name }) => name === "all");
		const names = columns.map((i) => series.columns[i].name);
		const chosen = isCpu ? CPU_DEFAULT.filter((name) => names.includes(name)) : [];
		const workload = isCpu && hasExpected(this.explorer.page.data) ? `${WORKLOAD_AVG},` : "";
		return { instances: all && !series.evidence ? `${workload}^all` : "",
			columns: chosen.length && !series.evidence ? chosen.map((name) => `^${name}`).join(",") : "" };
	}

	box(name, label, titleKey) {
		const field = make("input");
		field.type = "text";
		field.spellcheck = false;
		field.value = this.filters[name];
		field.title = this.explorer.page.text(titleKey);
		field.setAttribute("aria-label", `${this.plan.title}: ${label}`);
		field.placeholder = this.explorer.page.text("explorer.everything");
		field.addEventListener("input", () => {
			clearTimeout(this.typing);
			this.pending = true;
			this.typing = setTimeout(() => this.filter(), 150);
		});
		this.boxes[name] = field;
		const wrap = make("label", "chart-filter", `${label} `);
		wrap.append(field);
		return wrap;
	}

	/* Write a filter into its box; filter() applies it. */
	setFilter(name, text) {
		if (this.boxes[name])
			this.boxes[name].value = text;
	}

	/* Choose instances and columns as the boxes have them. */
	filter() {
		for (const [name, { value }] of Object.entries(this.boxes))
			this.filters[name] = value;
		this.explorer.page.remember();
		if (this.chart)
			this.load();
		else
			this.pending = false;
	}

	/* Decode and draw when it comes into view. */
	appear() {
		if (this.chart)
			return;
		const { explorer } = this;
		this.chart = new LineChart(explorer.page, explorer.sight, this.body, {
			label: `${this.plan.title} ${this.unitName()}`, unit: this.plan.unit, marks: () => explorer.marks.shades(),
			notes: (ms) => explorer.marks.notesAt(ms) });
		this.load();
	}

	load() {
		const turn = ++this.loading;
		this.pending = true;
		this.lines().then((lines) => {
			if (turn === this.loading)
				this.chart.set(lines);
		}).catch((error) => {
			this.body.replaceChildren();
			this.explorer.page.failed(this.body, error);
		}).finally(() => {
			if (turn === this.loading)
				this.pending = false;
		});
	}

	/* Instances of the filter, by their index; -1: the mean of the expected CPUs. */
	chosenInstances() {
		const { instances, label } = this.plan.series;
		const entries = filterEntries(this.filters.instances);
		const chosen = [];
		if (label && entries.includes(WORKLOAD_AVG))
			chosen.push(-1);
		const rest = entries.filter((entry) => entry !== WORKLOAD_AVG);
		if (rest.length || !entries.length) {
			instances.forEach(({ name, words }, i) => {
				if (filterSelects(rest.join(","), name, this.explorer.nodeOf) ||
					(rest.length && words && words.some((word) => filterSelects(rest.join(","), word))))
					chosen.push(i);
			});
		}
		return chosen;
	}

	/* A promise of the lines for the chart. */
	async lines() {
		const { page } = this.explorer;
		const { group, series } = this.plan;
		const columns = this.plan.columns.filter((i) => filterSelects(this.filters.columns, series.columns[i].name));
		const chosen = this.chosenInstances();
		const axis = await page.blocks.axis(group);
		const lines = [];
		const used = chosen.slice(0, DECODED_MAX);
		const decoded = await Promise.all(used.map((at) =>
			(at < 0 ? this.workload(axis) : page.blocks.instance(group, at))));
		for (const [k, at] of used.entries()) {
			const data = decoded[k];
			const { first } = at < 0 ? { first: 0 } : series.instances[at];
			for (const i of columns) {
				if (data[i])
					lines.push({ name: this.lineName(at, i, columns.length), axis, first, column: data[i],
						title: columnText(page, series.columns[i].description), reduced: series.reduced_s > 0 });
			}
		}
		return this.limit(lines, chosen.length * columns.length);
	}

	/* The lines with the highest means if there are too many; all that was left out is noted. */
	limit(lines, all) {
		const { page } = this.explorer;
		const { series } = this.plan;
		const most = filterEntries(this.filters.instances).length ? LINES_MAX : LINES_SHOWN;
		let shown = lines;
		if (lines.length > most) {
			const means = new Map(lines.map((line) => [line, meanOf(line.column.mean)]));
			const kept = new Set(lines.slice().sort((a, b) => means.get(b) - means.get(a)).slice(0, most));
			shown = lines.filter((line) => kept.has(line));
		}
		const notes = [];
		if (shown.length < all)
			notes.push(page.text("explorer.limited", shown.length, all));
		if (!all)
			notes.push(page.text("explorer.none"));
		if (series.reduced_s > 0)
			notes.push(page.text("explorer.reduced", page.span(series.reduced_s * 1000)));
		this.note.textContent = notes.join(" ");
		this.note.hidden = !notes.length;
		return shown;
	}

	lineName(at, column, columns) {
		const { series } = this.plan;
		return lineName(series, at < 0 ? { name: WORKLOAD_AVG } : series.instances[at], series.columns[column], columns > 1);
	}

	/* The mean of the expected CPUs: of each column {min, mean, max} over the whole axis. */
	async workload(axis) {
		const { page } = this.explorer;
		const { group, series } = this.plan;
		const expected = expectedCpus(page.data);
		const parts = ["min", "mean", "max"];
		const sums = series.columns.map(() => parts.map(() => new Float64Array(axis.n)));
		const counts = series.columns.map(() => new Uint32Array(axis.n));
		for (let at = 0; at < series.instances.length; at++) {
			const { name, first, n } = series.instances[at];
			if (!expected.has(name))
				continue;
			const data = await page.blocks.instance(group, at);
			data.forEach((column, c) => {
				for (let i = 0; column && i < n && first + i < axis.n; i++) {
					if (Number.isNaN(column.mean[i]))
						continue;
					counts[c][first + i]++;
					parts.forEach((part, p) => { sums[c][p][first + i] += column[part][i]; });
				}
			});
		}
		return sums.map((sum, c) => Object.fromEntries(parts.map((part, p) =>
			[part, sum[p].map((value, i) => (counts[c][i] ? value / counts[c][i] : NaN))])));
	}

	/* Return the state that differs from the default, for the link. */
	state() {
		const { instances, columns } = this.filters;
		return instances === this.defaults.instances && columns === this.defaults.columns ? ""
			: [this.plan.id, instances, columns].map(encodeURIComponent).join("~");
	}
}

/* The mean of the values that exist; -Infinity without any. */
function meanOf(values) {
	let sum = 0;
	let n = 0;
	for (const value of values) {
		if (!Number.isNaN(value)) {
			sum += value;
			n++;
		}
	}
	return n ? sum / n : -Infinity;
}

class ExplorerSection {
	static id = "metrics";
	static label = "explorer.title";
	static keys = [["+ \u2212", "explorer.key.zoom"], ["< >", "explorer.key.move"], ["z", "explorer.key.range"],
		["\u2190 \u2192", "explorer.key.cursor"], ["0", "explorer.key.reset"], ["/", "explorer.key.find"]];

	static offered(page) {
		return (page.data.series || []).length > 0;
	}

	constructor(page, element) {
		this.page = page;
		this.element = element;
		const { begin_ms: from, end_ms: until } = page.data.time;
		this.sight = new TimeSight({ from, until }, () => this.moved());
		this.marks = new TimeMarks(page);
		this.nodeOf = nodesOfCpus(page.data);
		this.anchor = NaN;
		this.charts = chartsOf(page).map((plan) => new ExplorerChart(this, plan));
		this.byElement = new Map(this.charts.map((chart) => [chart.element, chart]));
		element.append(this.tools());
		this.list = make("div", "chart-list");
		this.list.append(...this.charts.map((chart) => chart.element));
		this.nothing = make("p", "empty", page.text("explorer.nothing"));
		this.nothing.hidden = true;
		element.append(this.list, this.nothing);
		this.watch = new IntersectionObserver((entries) => {
			for (const { isIntersecting, target } of entries) {
				if (isIntersecting)
					this.byElement.get(target).appear();
			}
		}, { root: element, rootMargin: "200px 0px" });
		for (const chart of this.charts)
			this.watch.observe(chart.element);
	}

	tools() {
		const { page } = this;
		const bar = make("div", "chart-tools screen");
		this.find = make("input", "chart-find");
		this.find.type = "search";
		this.find.placeholder = page.text("explorer.find");
		this.find.setAttribute("aria-label", page.text("explorer.find"));
		this.find.addEventListener("input", () => this.seek(this.find.value));
		const button = (text, key, run) => {
			const made = make("button", "", text);
			made.title = page.text(key);
			made.setAttribute("aria-label", page.text(key));
			made.addEventListener("click", run);
			return made;
		};
		this.back = button(page.text("explorer.reset"), "explorer.key.reset", () => this.sight.reset());
		this.back.className = "chart-reset";
		this.seen = make("span", "hint chart-seen");
		bar.append(this.find, button("\u2212", "explorer.key.out", () => this.sight.zoomBy(2)),
			button("+", "explorer.key.in", () => this.sight.zoomBy(0.5)), this.back, this.seen, this.marks.legend());
		return bar;
	}

	/* ---- time ---- */

	moved() {
		const { sight, page } = this;
		this.back.disabled = !sight.zoomed;
		this.seen.textContent = sight.zoomed ? page.text("explorer.seen", page.moment(sight.from), page.moment(sight.until),
			page.span(sight.until - sight.from)) : "";
		page.remember();
	}

	zoomTo(range) {
		if (range)
			this.sight.set(range.from, range.until);
	}

	/* Show the charts whose table or columns contain a text. */
	seek(text) {
		const words = text.toLowerCase().split(/\s+/).filter(Boolean);
		let shown = 0;
		for (const { element, plan } of this.charts) {
			const names = [plan.id, plan.title, plan.where, ...plan.columns.map((i) => plan.series.columns[i].name),
				...plan.columns.map((i) => plan.series.columns[i].id)].join(" ").toLowerCase();
			element.hidden = !words.every((word) => names.includes(word));
			shown += element.hidden ? 0 : 1;
		}
		this.nothing.hidden = shown > 0;
		this.page.remember();
	}

	/* Show these series [group, instance, column]: their charts come first into view. */
	reveal(series) {
		const wanted = new Map();
		for (const [group, instance, column] of series) {
			const chart = this.charts.find(({ plan }) => plan.group === group && plan.columns.includes(column));
			if (!chart)
				continue;
			const one = wanted.get(chart) || { instances: new Set(), columns: new Set() };
			const { name } = chart.plan.series.instances[instance] || { name: "" };
			one.instances.add(name);
			one.columns.add(chart.plan.series.columns[column].name);
			wanted.set(chart, one);
		}
		this.find.value = "";
		this.seek("");
		for (const chart of this.charts)
			chart.element.classList.toggle("revealed", wanted.has(chart));
		for (const [chart, { instances, columns }] of wanted) {
			chart.setFilter("instances", [...instances].map((name) => `^${name}`).join(","));
			chart.setFilter("columns", [...columns].map((name) => `^${name}`).join(","));
			chart.filter();
		}
		const [first] = wanted.keys();
		if (first) {
			first.element.scrollIntoView({ block: "start" });
			first.appear();
		}
	}

	/* ---- the page ---- */

	show() {
		this.moved();
		this.sight.draw();
	}

	hide() {
		this.page.tip.hide();
	}

	changed(what) {
		if (what === "print") {
			this.sight.drawNow(); /* there is no frame before the paper */
			for (const { chart } of this.charts)
				chart && chart.drawLegend();
		} else if (what === "theme" || what === "screen") {
			this.sight.draw();
			for (const { chart } of this.charts)
				chart && chart.drawLegend();
		} else if (what === "range") {
			this.sight.draw();
		}
	}

	key(event) {
		const { sight } = this;
		const keys = { "+": () => sight.zoomBy(0.5, this.middle()), "=": () => sight.zoomBy(0.5, this.middle()),
			"-": () => sight.zoomBy(2, this.middle()), "0": () => sight.reset(), "r": () => sight.reset(),
			"<": () => sight.moveBy(-0.25), ">": () => sight.moveBy(0.25), ",": () => sight.moveBy(-0.25),
			".": () => sight.moveBy(0.25), "z": () => this.zoomTo(this.page.range), "/": () => this.find.focus() };
		if (event.target.matches(".chart-canvas") && ["ArrowLeft", "ArrowRight"].includes(event.key))
			return this.step(event.key === "ArrowLeft" ? -1 : 1, event.shiftKey, event.target);
		if (!Object.hasOwn(keys, event.key))
			return false;
		keys[event.key]();
		return true;
	}

	middle() {
		const { cursor, from, until } = this.sight;
		return cursor >= from && cursor <= until ? cursor : (from + until) / 2;
	}

	/* Move the cursor by a hundredth of the visible time; with Shift select a range. */
	step(by, select, canvas) {
		const { sight, page } = this;
		const before = this.middle();
		const size = (sight.until - sight.from) / 100;
		const at = Math.min(Math.max(before + by * size, sight.from), sight.until);
		sight.setCursor(at);
		if (select) {
			this.anchor = Number.isNaN(this.anchor) ? before : this.anchor;
			page.setRange({ from: Math.min(this.anchor, at), until: Math.max(this.anchor, at) });
		} else {
			this.anchor = NaN;
		}
		const shown = this.byElement.get(canvas.closest(".chart"));
		const { chart } = shown;
		page.say([page.moment(at), ...chart.lines.slice(0, 6).map((line) =>
			`${line.name} ${chart.textOf(chart.valueAt(line, at), false)}`)].join(", "));
		return true;
	}

	/* ---- the link ---- */

	state() {
		const { sight } = this;
		const state = {};
		if (sight.zoomed)
			state.zoom = `${Math.round(sight.from)},${Math.round(sight.until)}`;
		if (this.find.value)
			state.find = this.find.value;
		const filters = this.charts.map((chart) => chart.state()).filter(Boolean);
		if (filters.length)
			state.filter = filters.join("|");
		return state;
	}

	restore(state) {
		const zoom = ReportPage.readRange(state.zoom || "");
		if (zoom)
			this.sight.set(zoom.from, zoom.until);
		else
			this.sight.reset();
		this.find.value = state.find || "";
		this.seek(this.find.value);
		const wanted = new Map((state.filter || "").split("|").filter(Boolean).map((text) => {
			const [id, ...rest] = text.split("~").map(ExplorerSection.decode);
			return [id, rest];
		}));
		for (const chart of this.charts) {
			const [instances, columns] = wanted.get(chart.plan.id) || [chart.defaults.instances, chart.defaults.columns];
			if (chart.filters.instances !== instances || chart.filters.columns !== columns) {
				chart.setFilter("instances", instances || "");
				chart.setFilter("columns", columns || "");
				chart.filter();
			}
		}
	}

	static decode(text) {
		try {
			return decodeURIComponent(text);
		} catch {
			return text; /* not decodable, for example in a truncated link */
		}
	}

	busy() {
		return this.charts.some(({ pending }) => pending) || this.sight.drawing !== 0;
	}

	told() {
		const { from, until, cursor } = this.sight;
		return { from, until, cursor, charts: this.charts.map(({ plan, chart, filters, element }) => ({ id: plan.id,
			filters: { ...filters }, shown: !element.hidden, decoded: Boolean(chart), left: CHART_EDGE.left,
			inner: chart ? chart.inner : 0,
			lines: chart ? chart.lines.map((line) => ({ name: line.name, reduced: line.reduced,
				hidden: chart.hidden.has(line.name), at: chart.valueAt(line, cursor),
				max: Math.max(...line.column.max.filter((value) => !Number.isNaN(value))) })) : [] })) };
	}
}

ReportPage.sections.push(ExplorerSection);
