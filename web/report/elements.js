/* Elements that several sections use: tables, chips, bars, texts of numbers. */

const NO_VALUE = "\u2013";
const ROWS_SHOWN = 100; /* of a table, until all are requested */
const SEVERITIES = ["critical", "warning", "notice", "info", "none", "unknown"];

/* A number with grouped thousands and at most `digits` after the point; a dash for a missing one. */
function figureText(value, digits = 2) {
	if (typeof value !== "number" || !Number.isFinite(value))
		return NO_VALUE;
	const small = value !== 0 && Math.abs(value) < 10 ** -digits;
	return new Intl.NumberFormat("en-US", small ? { maximumSignificantDigits: 2 }
		: { maximumFractionDigits: digits }).format(value).replace("-", "\u2212");
}

/* A number with its unit; a large one has a prefix instead of its last digits. */
function unitText(value, unit, digits) {
	const short = unit === "1/s" ? "/s" : visible(unit || "", 20);
	if (Math.abs(value) >= 1e7 && ["", "/s"].includes(short))
		return `${scaled(value, 1000, ["", "k", "M", "G", "T", "P"])}${short}`;
	const text = figureText(value, digits);
	return short && text !== NO_VALUE ? `${text}${short === "/s" ? "" : "\u00a0"}${short}` : text;
}

/* A number of a column, always with `digits` after the point, so that the points are aligned. */
function fixedText(value, unit, digits) {
	if (typeof value !== "number" || !Number.isFinite(value))
		return NO_VALUE;
	const text = new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })
		.format(value).replace(/^-(?=[0.]*$)/, "").replace("-", "\u2212");
	return unit ? `${text}\u00a0${unit}` : text;
}

/* Kilobytes with a prefix. */
function kilobytesText(kb) {
	return typeof kb === "number" && Number.isFinite(kb)
		? scaled(kb * 1024, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]) : NO_VALUE;
}

/* A measured value: amounts of memory and data with a prefix, everything else with its unit. */
function amountText(value, unit, digits) {
	if (unit === "kB" || unit === "kB/s") {
		const text = kilobytesText(value);
		return unit === "kB" || text === NO_VALUE ? text : `${text}/s`;
	}
	return unitText(value, unit, digits);
}

/* The name of a finding: its own, else that of its rule. */
function findingName(page, finding) {
	const rule = (page.data.tree || [])[finding.rule];
	return page.in(finding.name) || (rule ? page.in(rule.name) : "") || page.text("findings.unnamed");
}

/* The steady phase as a range, null if none was found. */
function steadyPhase({ data }) {
	const { phases } = data;
	return phases && phases.reason === "found" && phases.from_ms < phases.until_ms
		? { from: phases.from_ms, until: phases.until_ms } : null;
}

/* The value of a variable of rules: number, text, truth, or missing. */
function variableText(page, { value, unit }) {
	if (value === null || value === undefined)
		return page.text("value.absent");
	if (typeof value === "boolean")
		return page.text(value ? "value.true" : "value.false");
	return typeof value === "number" ? amountText(value, unit) : visible(String(value), 300);
}

/* The variables of rules by name. */
function variablesOf(page) {
	if (!page.variables)
		page.variables = new Map((page.data.variables || []).map((one) => [one.name, one]));
	return page.variables;
}

/* Numbers as ranges: "0-3,7". */
function rangesText(numbers) {
	const sorted = [...numbers].sort((a, b) => a - b);
	const parts = [];
	for (let i = 0; i < sorted.length;) {
		let end = i;
		while (end + 1 < sorted.length && sorted[end + 1] === sorted[end] + 1)
			end++;
		parts.push(end > i ? `${sorted[i]}-${sorted[end]}` : String(sorted[i]));
		i = end + 1;
	}
	return parts.join(",");
}

function severityOf(name) {
	return SEVERITIES.includes(name) ? name : "info";
}

/* A word on a coloured ground. */
function chip(text, tone) {
	return make("span", `chip ${tone}`, text);
}

function severityChip(page, severity) {
	const known = severityOf(severity);
	return chip(page.text(`severity.${known}`), known);
}

/* A bar of a share, 0 to 1; a mark at a limit if there is one. */
function meter(share, tone = "", limit = NaN) {
	const element = make("span", `meter ${tone}`);
	const fill = make("i");
	fill.style.width = `${Math.min(Math.max(share || 0, 0), 1) * 100}%`;
	element.append(fill);
	if (limit >= 0 && limit <= 1) {
		const mark = make("b");
		mark.style.left = `${limit * 100}%`;
		element.append(mark);
	}
	element.setAttribute("aria-hidden", "true");
	return element;
}

function action(text, run, className = "") {
	const button = make("button", className, text);
	button.type = "button";
	button.addEventListener("click", run);
	return button;
}

/* A button that shows and hides an element, which is made when it is shown first. */
function disclosure(text, fill, className = "") {
	const box = make("div", `disclosure ${className}`);
	const body = make("div", "disclosure-body");
	const button = action(text, () => box.toggle());
	button.className = "toggle";
	body.hidden = true;
	box.toggle = (open = body.hidden) => {
		if (open && !body.hasChildNodes())
			fill(body);
		body.hidden = !open;
		button.setAttribute("aria-expanded", String(open));
	};
	button.setAttribute("aria-expanded", "false");
	box.append(button, body);
	return box;
}

/*
 * A table of elements, for up to some thousand rows; a large one is a Table (table.js). columns: {label,
 * text(row) or node(row), value(row) to sort by, number: right-aligned, bar(row): 0..1, title(row)}. options: label,
 * sort (place of a column), down, more(row): element shown below a row, or null, most: rows before all are requested.
 */
class RowTable {
	constructor(page, columns, rows, { label, sort = -1, down = true, more = null, most = ROWS_SHOWN }) {
		this.page = page;
		this.columns = columns;
		this.rows = rows.slice();
		this.more = more;
		this.sorted = sort;
		this.down = down;
		this.most = most;
		this.all = rows.length <= most * 1.2;
		this.opened = new Set();
		this.element = make("div", "rows-scroll");
		this.element.tabIndex = -1;
		this.table = make("table", "rows");
		this.table.setAttribute("aria-label", label);
		this.head = make("tr");
		this.body = make("tbody");
		const head = make("thead");
		head.append(this.head);
		this.table.append(head, this.body);
		this.element.append(this.table);
		this.heads();
		this.order();
	}

	heads() {
		this.cells = this.columns.map((column, at) => {
			const cell = make("th", column.number ? "number" : "");
			cell.scope = "col";
			if (column.value) {
				cell.append(action(column.label, () => {
					this.down = this.sorted === at ? !this.down : Boolean(column.number);
					this.sorted = at;
					this.order();
				}, "sort"));
			} else {
				cell.textContent = column.label;
			}
			this.head.append(cell);
			return cell;
		});
	}

	order() {
		const column = this.columns[this.sorted];
		if (column) {
			const sign = this.down ? -1 : 1;
			const key = (row) => column.value(row) ?? -Infinity;
			this.rows.sort((a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : 0));
		}
		this.cells.forEach((cell, at) => cell.setAttribute("aria-sort",
			at !== this.sorted ? "none" : this.down ? "descending" : "ascending"));
		this.fill();
	}

	fill() {
		const shown = this.all ? this.rows : this.rows.slice(0, this.most);
		this.body.replaceChildren(...shown.flatMap((row) => this.line(row)));
		if (this.rest)
			this.rest.remove();
		this.rest = null;
		if (shown.length < this.rows.length) {
			this.rest = action(this.page.text("rows.all", countText(this.rows.length)), () => {
				this.all = true;
				this.fill();
			}, "rows-all");
			this.element.append(this.rest);
		}
	}

	line(row) {
		const tr = make("tr");
		this.columns.forEach((column, at) => {
			const cell = make(at ? "td" : "th", column.number ? "number" : "");
			if (!at)
				cell.scope = "row";
			const content = column.node ? column.node(row) : column.text(row);
			if (column.bar) {
				const line = make("div", "barred");
				line.append(meter(column.bar(row), column.tone ? column.tone(row) : "",
					column.limit ? column.limit(row) : NaN), content);
				cell.append(line);
			} else {
				cell.append(content);
			}
			if (column.title)
				cell.title = column.title(row);
			tr.append(cell);
		});
		const more = this.more ? this.more(row) : null;
		return more ? this.expandable(row, tr, more) : [tr];
	}

	/* `more` makes the element when the row is opened. */
	expandable(row, line, more) {
		const below = make("tr", "more");
		const cell = make("td");
		const button = make("button", "toggle");
		const show = (open) => {
			if (open && !cell.hasChildNodes())
				cell.append(more());
			below.hidden = !open;
			button.setAttribute("aria-expanded", String(open));
			if (open)
				this.opened.add(row);
			else
				this.opened.delete(row);
		};
		cell.colSpan = this.columns.length;
		below.append(cell);
		const first = line.firstChild;
		button.append(...first.childNodes);
		button.type = "button";
		button.addEventListener("click", () => show(below.hidden));
		first.append(button);
		show(this.opened.has(row));
		return [line, below];
	}
}

/* Rows of a term and its value. */
function pairs(list) {
	const element = make("dl", "pairs");
	for (const [term, value] of list) {
		const definition = make("dd");
		definition.append(value);
		element.append(make("dt", "", term), definition);
	}
	return element;
}
