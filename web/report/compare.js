/*
 * The page of `pipa analyze A --compare B`: changes with their significance, series of both sides on one time axis, and
 * differences of the machines (entry "compare" of the payload).
 */
const COMPARE_TONES = { better: "compare-good", worse: "critical", lower: "notice", higher: "notice",
	same: "compare-same", unclear: "compare-unclear" };

/* A part of a section with its heading. */
function comparePart(page, key, ...children) {
	const part = make("div", "part");
	part.append(make("h3", "", page.text(key)), ...children);
	return part;
}

function compareValue(row, side) {
	const { value } = row[side];
	return typeof value === "number" ? amountText(value, row.unit, row.digits)
		: value === null || value === undefined ? NO_VALUE : visible(String(value), 120);
}

/* The difference of two values; that of percentages is in points. */
function compareDifference(page, { difference, unit, digits }) {
	if (typeof difference !== "number")
		return NO_VALUE;
	const rounded = Number(difference.toFixed(digits ?? 2)); /* below the digits of the values there is no difference */
	return compareSigned(rounded, unit === "%" ? page.text("compare.in_points", figureText(rounded, digits))
		: amountText(rounded, unit, digits));
}

/* Has one of the sides a value? */
function isKnown({ a, b }) {
	return [a, b].some(({ value }) => value !== null && value !== undefined);
}

function compareSigned(value, text) {
	return typeof value === "number" && value > 0 ? `+${text}` : text;
}

/* Columns of PIPA's compare and the verdict; `first`: columns before them. */
function compareColumns(page, first) {
	const number = (row, side) => (typeof row[side].value === "number" ? row[side].value : null);
	return [...first,
		{ label: page.text("compare.a"), number: true, value: (row) => number(row, "a"), text: (row) => compareValue(row, "a") },
		{ label: page.text("compare.b"), number: true, value: (row) => number(row, "b"), text: (row) => compareValue(row, "b") },
		{ label: page.text("compare.diff"), number: true, value: (row) => row.difference,
			text: (row) => compareDifference(page, row) },
		{ label: page.text("compare.percent"), number: true, value: (row) => Math.abs(row.percent ?? 0),
			text: (row) => compareSigned(row.percent, unitText(row.percent, "%", 1)) },
		{ label: page.text("compare.p"), number: true, value: (row) => row.p,
			text: (row) => (typeof row.p !== "number" ? NO_VALUE : row.p < 1e-4 ? "<\u202f0.0001" : row.p.toFixed(4)),
			title: (row) => (typeof row.p === "number" ? page.text("compare.p.title",
				numberText(row.a.effective, 0), numberText(row.b.effective, 0)) : "") },
		{ label: page.text("compare.verdict"), value: (row) => Object.keys(COMPARE_TONES).indexOf(row.verdict),
			node: (row) => (Object.hasOwn(COMPARE_TONES, row.verdict)
				? chip(page.text(`compare.verdict.${row.verdict}`), COMPARE_TONES[row.verdict])
				: make("span", "", visible(String(row.verdict), 20))) },
	];
}

/* Series of both sides as lines of one chart; the time is that since the start of the steady phases. */
class Overlay {
	constructor(page) {
		const { overlay, a, b } = page.data.compare;
		this.page = page;
		this.names = [`A: ${visible(a.title, 60)}`, `B: ${visible(b.title, 60)}`];
		const { from_ms: from, step_ms: step, n } = overlay;
		const end = Float64Array.from({ length: n }, (_, i) => from + (i + 1) * step);
		this.axis = { n, end, length: new Float64Array(n).fill(step) };
		this.sight = new TimeSight({ from, until: from + n * step }, () => {});
		this.steady = Math.min(...[a, b].map((side) => side.steady_until_ms - side.steady_from_ms));
		this.charts = [];
	}

	chart(row) {
		const box = make("div", "compare-chart");
		const chart = new LineChart(this.page, this.sight, box, { label: row.key, unit: row.unit, height: 170,
			marks: () => (this.steady > 0 ? [{ from: 0, until: this.steady, color: "#7f7f7f", alpha: 0.08 }] : []) });
		this.charts.push(chart);
		chart.set(this.page.data.compare.charts[row.chart].map((values, i) => {
			const column = Float64Array.from(values, (value) => value ?? NaN);
			return { name: this.names[i], axis: this.axis, first: 0, reduced: false,
				column: { min: column, mean: column, max: column } };
		}));
		return box;
	}

	/* Return the element below a row: its chart, if the page has its values. */
	more(row) {
		return typeof row.chart === "number" ? () => this.chart(row) : null;
	}

	draw() {
		for (const chart of this.charts)
			chart.draw();
	}

	remove() {
		for (const chart of this.charts)
			chart.remove();
	}
}

/* Warnings, summary, findings and metrics. */
class CompareSection {
	static id = "compare";
	static label = "compare.title";
	static printed = true;
	static compares = true;

	static offered({ data }) {
		return Boolean(data.compare);
	}

	constructor(page, element) {
		this.page = page;
		this.overlay = new Overlay(page);
		element.append(this.sides());
		for (const part of [this.said(), this.warnings(), this.table("summary"), this.findings(), this.table("metrics")]) {
			if (part)
				element.append(part);
		}
		element.append(make("p", "hint", page.text("compare.method")));
	}

	sides() {
		const { page } = this;
		const cards = make("div", "cards");
		for (const name of ["a", "b"]) {
			const side = page.data.compare[name];
			const card = make("div", "card");
			card.append(make("h3", "", page.text(`compare.${name}`)), make("p", "", visible(side.title, 200)),
				make("p", "hint", side.steady_s > 0 ? page.text("compare.steady", page.span(side.steady_s * 1000),
					page.span(side.interval_s * 1000)) : page.text("compare.no_steady")),
				make("p", "hint", page.text("compare.inputs", side.inputs.map((path) => visible(path, 200)).join(", "))));
			cards.append(card);
		}
		return cards;
	}

	said() {
		const { tested, significant, rows } = this.page.data.compare.tables.series;
		const count = (...verdicts) => rows.filter(({ verdict }) => verdicts.includes(verdict)).length;
		return make("p", "compare-said", this.page.text("compare.said", tested, significant, count("better"),
			count("worse"), count("lower", "higher")));
	}

	warnings() {
		const { page } = this;
		const { warnings } = page.data.compare;
		if (!warnings.length)
			return null;
		const list = make("ul");
		for (const { text } of warnings)
			list.append(make("li", "", page.in(text)));
		const notice = make("div", "notice");
		notice.append(list);
		return comparePart(page, "compare.warnings", notice);
	}

	table(name) {
		const { page } = this;
		const rows = page.data.compare.tables[name].rows.filter(isKnown);
		if (!rows.length)
			return null;
		const titleOf = ({ key, title }) => (Object.hasOwn(LANG, `compare.row.${key}`) && name === "summary"
			? page.text(`compare.row.${key}`) : visible(title || key, 160));
		const columns = compareColumns(page, [{ label: page.text("compare.metric"), value: titleOf, text: titleOf,
			title: ({ key }) => key }]);
		return comparePart(page, `compare.${name}`, new RowTable(page, columns, rows,
			{ label: page.text(`compare.${name}`), more: (row) => this.overlay.more(row) }).element);
	}

	findings() {
		const { page } = this;
		const { findings } = page.data.compare;
		if (!findings.length)
			return comparePart(page, "compare.findings", make("p", "hint", page.text("compare.no_findings")));
		const list = make("div");
		for (const finding of findings) {
			const { name, severity, change, a, b } = finding;
			const card = make("div", `card compare-finding ${change}`);
			const head = make("p");
			head.append(severityChip(page, severity), " ", make("b", "", page.in(name)), " \u00b7 ",
				page.text(`compare.change.${change}`));
			card.append(head);
			for (const [key, side] of [["compare.a", a], ["compare.b", b]]) {
				if (side.text && change !== "stayed" || side.text && side === b)
					card.append(make("p", "", page.in(side.text)));
				else if (side.state === "unknown")
					card.append(make("p", "hint", `${page.text(key)}: ${page.text("compare.undecided")}`));
			}
			list.append(card);
		}
		return comparePart(page, "compare.findings", list);
	}

	changed() {
		this.overlay.draw();
	}

	told() {
		return { charts: this.overlay.charts.length };
	}
}

/* All series of both sides, with a chart below the row that is chosen. */
class CompareSeriesSection {
	static id = "series";
	static label = "compare.series.title";
	static compares = true;
	static keys = [["/", "compare.key.filter"]];

	static offered({ data }) {
		return Boolean(data.compare) && data.compare.tables.series.rows.length > 0;
	}

	static count({ data }) {
		return data.compare.tables.series.significant;
	}

	constructor(page, element) {
		this.page = page;
		this.overlay = new Overlay(page);
		const { tables, a, b, overlay } = page.data.compare;
		this.filter = make("input", "filter");
		this.filter.type = "search";
		this.filter.placeholder = page.text("compare.filter");
		this.filter.setAttribute("aria-label", page.text("compare.filter"));
		this.filter.spellcheck = false;
		this.only = make("input");
		this.only.type = "checkbox";
		const label = make("label", "compare-only");
		label.append(this.only, " ", page.text("compare.only_changed"));
		const bar = make("div", "compare-bar screen");
		bar.append(this.filter, label);
		this.box = make("div");
		element.append(make("p", "hint", page.text("compare.aligned", page.span(overlay.step_ms))), bar, this.box);
		if (tables.series.left_out)
			element.append(make("p", "hint", page.text("compare.left_out", countText(tables.series.left_out))));
		if (a.only_series || b.only_series)
			element.append(make("p", "hint", page.text("compare.only", a.only_series, b.only_series)));
		this.filter.addEventListener("input", () => this.fill());
		this.only.addEventListener("change", () => this.fill());
		this.fill();
	}

	/* "Disks: await" */
	nameOf(row) {
		return `${sectionTitle(this.page, { section: row.section })}: ${visible(row.title, 80)}`;
	}

	fill() {
		const { page } = this;
		const wanted = this.filter.value.toLowerCase();
		const rows = page.data.compare.tables.series.rows.filter((row) => (!this.only.checked ||
			!["same", "unclear"].includes(row.verdict)) &&
			`${this.nameOf(row)} ${row.section} ${row.key} ${row.instance}`.toLowerCase().includes(wanted));
		const columns = compareColumns(page, [
			{ label: page.text("compare.metric"), value: (row) => this.nameOf(row), text: (row) => this.nameOf(row),
				title: (row) => row.key },
			{ label: page.text("compare.instance"), value: (row) => row.instance,
				text: (row) => visible(row.instance || NO_VALUE, 80) },
		]);
		this.overlay.remove();
		this.overlay = new Overlay(page);
		this.table = new RowTable(page, columns, rows, { label: page.text("compare.series.title"),
			more: (row) => this.overlay.more(row) });
		this.box.replaceChildren(this.table.element);
		page.remember();
	}

	restore({ find = "", changed = "" }) {
		this.filter.value = find;
		this.only.checked = changed === "1";
		this.fill();
	}

	state() {
		return { ...(this.filter.value ? { find: this.filter.value } : {}), ...(this.only.checked ? { changed: "1" } : {}) };
	}

	key(event) {
		if (event.key !== "/")
			return false;
		this.filter.focus();
		return true;
	}

	changed() {
		this.overlay.draw();
	}

	told() {
		return { rows: this.table.rows.length, charts: this.overlay.charts.length };
	}
}

/* Differences of the machines, and the variables of the rules. */
class CompareConfigurationSection {
	static id = "configuration";
	static label = "compare.configuration.title";
	static compares = true;

	static offered({ data }) {
		return Boolean(data.compare);
	}

	constructor(page, element) {
		const { facts, tables } = page.data.compare;
		const side = (name) => ({ label: page.text(`compare.${name}`), value: (row) => row[name],
			text: (row) => (row[name] ? visible(row[name], 300) : page.text("compare.missing")) });
		element.append(comparePart(page, "compare.facts", facts.length ? new RowTable(page, [
			{ label: page.text("compare.fact"), value: ({ key }) => key, text: ({ key }) => visible(key, 160) },
			{ label: page.text("compare.section"), value: ({ section }) => section, text: ({ section }) => visible(section, 60) },
			side("a"), side("b"),
		], facts, { label: page.text("compare.facts") }).element : make("p", "hint", page.text("compare.no_facts"))));
		if (tables.variables.rows.some(isKnown))
			element.append(comparePart(page, "compare.variables", new RowTable(page, compareColumns(page, [
				{ label: page.text("compare.metric"), value: ({ key }) => key, text: ({ key }) => visible(key, 80),
					title: ({ title }) => title },
			]), tables.variables.rows.filter(isKnown), { label: page.text("compare.variables") }).element));
	}
}

ReportPage.sections.push(CompareSection, CompareSeriesSection, CompareFunctionsSection, CompareConfigurationSection);
