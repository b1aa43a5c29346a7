/*
 * The tables of the charts: one row per interval and instance, with sort, filters per column and download as CSV.
 * Only the shown table is decoded.
 */
const TABLE_VALUES_MAX = 6e6; /* values of a table that are decoded without a filter */
const CSV_ROWS = 20000;	      /* rows of a piece of a download */
const RAW_WIDTH = { time: 178, instance: 120, value: 104 };

/* A filter of numbers: ">5", "<=10", "1-3", "=4"; other texts are contained. null: selects everything. */
function numberFilter(text) {
	const entry = text.trim();
	const compare = /^(>=|<=|>|<|=)\s*(-?[\d.]+(?:e[+-]?\d+)?)$/i.exec(entry);
	const range = /^(-?[\d.]+)\s*(?:-|\.\.)\s*(-?[\d.]+)$/.exec(entry);
	if (!entry)
		return null;
	if (compare) {
		const limit = Number(compare[2]);
		return { ">": (v) => v > limit, "<": (v) => v < limit, ">=": (v) => v >= limit, "<=": (v) => v <= limit,
			"=": (v) => v === limit }[compare[1]];
	}
	if (range)
		return (v) => v >= Number(range[1]) && v <= Number(range[2]);
	return (v, shown) => shown.includes(entry);
}

/* A field of a CSV file (RFC 4180). */
function csvField(text) {
	return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

class TablesSection {
	static id = "tables";
	static label = "tables.title";
	static printed = false;

	static offered(page) {
		return (page.data.series || []).length > 0;
	}

	constructor(page, element) {
		this.page = page;
		this.element = element;
		element.classList.add("raw");
		this.tables = this.choices();
		this.at = 0;
		this.filters = new Map(); /* id of a column -> text */
		this.instances = "";
		this.sort = ["time", false];
		this.turn = 0;
		this.pending = false;
		this.nodeOf = nodesOfCpus(page.data);
		element.append(this.tools());
		this.note = make("p", "hint raw-note");
		this.box = make("div", "raw-box");
		element.append(this.note, this.box);
	}

	/* {id, group, title} of each table. */
	choices() {
		const used = new Map();
		const shared = sharedSections(this.page.data.series);
		return this.page.data.series.map((series, group) => {
			const count = (used.get(series.section) || 0) + 1;
			used.set(series.section, count);
			return { id: count > 1 ? `${series.section}.${count}` : series.section, group, series,
				title: [sectionTitle(this.page, series), shared.has(series.section) && visible(series.source, 60),
					series.evidence && this.page.text("explorer.evidence")].filter(Boolean).join(" \u00b7 ") };
		});
	}

	tools() {
		const { page } = this;
		const bar = make("div", "raw-tools screen");
		this.choice = make("select");
		this.choice.setAttribute("aria-label", page.text("tables.table"));
		this.choice.append(...this.tables.map(({ title, id }) => new Option(title, id)));
		this.choice.addEventListener("change", () => this.pick(this.choice.selectedIndex));
		this.field = make("input");
		this.field.type = "text";
		this.field.spellcheck = false;
		this.field.title = page.text("explorer.instances.title");
		this.field.placeholder = page.text("explorer.everything");
		this.field.addEventListener("input", () => {
			this.pending = true;
			clearTimeout(this.choosing);
			this.choosing = setTimeout(() => {
				this.instances = this.field.value;
				this.load();
			}, 200);
		});
		this.fieldLabel = make("label", "chart-filter");
		this.save = make("button", "raw-save", page.text("tables.csv"));
		this.save.title = page.text("tables.csv.title");
		this.save.addEventListener("click", () => this.download());
		this.ranged = make("label", "hint");
		this.inRange = make("input");
		this.inRange.type = "checkbox";
		this.inRange.addEventListener("change", () => this.select());
		this.ranged.append(this.inRange, ` ${page.text("tables.range")}`);
		this.amount = make("span", "hint raw-amount");
		bar.append(this.choice, this.fieldLabel, this.ranged, this.amount, this.save);
		return bar;
	}

	/* Choose a table. */
	pick(at) {
		this.at = at;
		this.filters.clear();
		this.instances = "";
		this.sort = ["time", false];
		this.load();
	}

	get table() {
		return this.tables[this.at];
	}

	/* ---- decoding ---- */

	load() {
		const { page } = this;
		const turn = ++this.turn;
		const { series } = this.table;
		this.pending = true;
		this.choice.selectedIndex = this.at;
		this.fieldLabel.replaceChildren(`${visible(series.label || "", 20)} `, this.field);
		this.fieldLabel.hidden = !series.label;
		if (this.field.value !== this.instances)
			this.field.value = this.instances;
		page.remember();
		this.decode().then((data) => {
			if (turn === this.turn)
				this.fill(data);
		}).catch((error) => {
			this.box.replaceChildren();
			page.failed(this.box, error);
		}).finally(() => {
			if (turn === this.turn)
				this.pending = false;
		});
	}

	/* A promise of {axis, chosen: [{name, first, n, columns}], left}: left is the number of instances left out. */
	async decode() {
		const { blocks } = this.page;
		const { group, series } = this.table;
		const axis = await blocks.axis(group);
		const wide = series.columns.length * (series.reduced_s ? 3 : 1);
		const chosen = [];
		let values = 0;
		let all = 0;
		for (let at = 0; at < series.instances.length; at++) {
			const { name, words, first, n } = series.instances[at];
			if (series.label && !filterSelects(this.instances, name, this.nodeOf))
				continue;
			all++;
			values += n * wide;
			if (chosen.length && values > TABLE_VALUES_MAX)
				continue;
			chosen.push({ name: visible([name, ...(words || [])].filter(Boolean).join(" "), 120), first, n,
				columns: blocks.instance(group, at) });
		}
		for (const instance of chosen)
			instance.columns = await instance.columns;
		return { axis, chosen, left: all - chosen.length };
	}

	/* ---- rows ---- */

	/* Columns of the table: {id, label, value(row), text(row), number}; a row is interval x instances + instance. */
	columnsOf({ axis, chosen }) {
		const { page } = this;
		const { series } = this.table;
		const wide = Math.max(chosen.length, 1);
		const instance = (row) => chosen[row % wide];
		const columns = [{ id: "time", label: page.text("tables.time"), value: (row) => axis.end[Math.floor(row / wide)],
			text: (row) => this.timeText(axis.end[Math.floor(row / wide)]), className: () => "raw-time" }];
		if (series.label)
			columns.push({ id: "instance", label: visible(series.label, 20), text: (row) => instance(row).name,
				value: (row) => (/^\d+$/.test(instance(row).name) ? Number(instance(row).name) : -1),
				className: () => "raw-instance" });
		series.columns.forEach((column, c) => {
			if (column.kind === "text")
				return;
			for (const part of series.reduced_s ? ["min", "mean", "max"] : ["mean"]) {
				const read = (row) => {
					const { first, columns: data } = instance(row);
					return data[c][part][Math.floor(row / wide) - first];
				};
				const digits = part === "mean" && series.reduced_s ? Math.max(column.digits, 2) : column.digits;
				columns.push({ id: `${column.id}${series.reduced_s ? `.${part}` : ""}`, number: true,
					label: `${visible(column.name, 40)}${series.reduced_s ? ` ${page.text(`tables.${part}`)}` : ""}`,
					title: columnText(page, column.description), read,
					value: (row) => (Number.isNaN(read(row)) ? -Infinity : read(row)),
					text: (row) => (Number.isNaN(read(row)) ? "" : read(row).toFixed(digits)) });
			}
		});
		return columns;
	}

	timeText(ms) {
		const { clock, begin_ms: begin } = this.page.data.time;
		return clock === "elapsed" ? ((ms - begin) / 1000).toFixed(3)
			: new Date(ms).toISOString().replace("T", " ").replace(/(\.000)?Z$/, "");
	}

	fill(data) {
		const { page } = this;
		const { series } = this.table;
		this.data = data;
		this.columns = this.columnsOf(data);
		this.box.replaceChildren();
		this.grid = new Table(this.box, this.columns, { label: this.table.title, picked: (row) => this.picked(row),
			sort: this.sort[0], down: this.sort[1], nothing: page.text("tables.nothing") });
		this.grid.changed = () => {
			this.sort = [this.grid.sort, this.grid.down];
			page.remember();
		};
		const { body, head } = this.grid;
		body.addEventListener("scroll", () => { head.scrollLeft = body.scrollLeft; });
		head.addEventListener("scroll", () => { body.scrollLeft = head.scrollLeft; }); /* a filter got the focus */
		const width = this.columns.reduce((sum, column) => sum + this.widthOf(column), 0);
		this.grid.spacer.style.minWidth = `${width}px`;
		this.columns.forEach((column, i) => this.columnFilter(column, this.grid.buttons[i].cell));
		const notes = [];
		if (series.reduced_s)
			notes.push(page.text("tables.reduced", page.span(series.reduced_s * 1000)));
		if (data.left)
			notes.push(page.text("tables.left", data.chosen.length, data.chosen.length + data.left));
		this.note.textContent = notes.join(" ");
		this.note.hidden = !notes.length;
		this.select();
	}

	widthOf({ id }) {
		return RAW_WIDTH[id] || RAW_WIDTH.value;
	}

	columnFilter(column, cell) {
		if (column.className)
			cell.classList.add(column.className());
		if (column.title)
			cell.title = column.title;
		const field = make("input", "raw-filter");
		field.type = "text";
		field.spellcheck = false;
		field.value = this.filters.get(column.id) || "";
		field.setAttribute("aria-label", this.page.text("tables.filter", column.label));
		field.placeholder = column.number ? ">0" : "";
		field.addEventListener("input", () => {
			if (field.value)
				this.filters.set(column.id, field.value);
			else
				this.filters.delete(column.id);
			this.pending = true;
			clearTimeout(this.typing);
			this.typing = setTimeout(() => {
				this.select();
				this.page.remember();
			}, 150);
		});
		cell.append(field);
	}

	/* The rows that all filters let pass. */
	select() {
		const { axis, chosen } = this.data;
		const { range } = this.page;
		const wide = Math.max(chosen.length, 1);
		const tests = [];
		for (const column of this.columns) {
			const text = this.filters.get(column.id);
			if (!text)
				continue;
			if (column.number) {
				const test = numberFilter(text);
				if (test)
					tests.push((row) => !Number.isNaN(column.read(row)) && test(column.read(row), column.text(row)));
			} else if (column.id === "instance") {
				tests.push((row) => filterSelects(text, chosen[row % wide].name, this.nodeOf));
			} else {
				tests.push((row) => column.text(row).includes(text.trim()));
			}
		}
		this.ranged.hidden = !range;
		const from = range && this.inRange.checked ? intervalAt(axis, range.from) : 0;
		const until = range && this.inRange.checked ? Math.min(intervalAt(axis, range.until - 1e-3) + 1, axis.n)
			: axis.n;
		const rows = [];
		for (let i = from; i < until; i++) {
			for (let k = 0; k < chosen.length; k++) {
				const row = i * wide + k;
				if (i >= chosen[k].first && i < chosen[k].first + chosen[k].n && tests.every((test) => test(row)))
					rows.push(row);
			}
		}
		this.grid.set(rows);
		this.amount.textContent = this.page.text("tables.rows", countText(rows.length));
		this.save.disabled = !rows.length;
		this.pending = false;
	}

	/* Set the range of the page to the interval of the clicked row. */
	picked(row) {
		const { axis, chosen } = this.data;
		const i = Math.floor(row / Math.max(chosen.length, 1));
		if (axis.length[i] > 0 && !this.inRange.checked)
			this.page.setRange({ from: axis.end[i] - axis.length[i], until: axis.end[i] });
	}

	/* ---- download ---- */

	/* The rows as they are filtered and sorted. */
	csv() {
		const { chosen, axis } = this.data;
		const wide = Math.max(chosen.length, 1);
		const elapsed = this.page.data.time.clock === "elapsed";
		const head = this.columns.map(({ id, label }) => csvField(id === "time" ? "time" : label)).join(",");
		const pieces = [`${head}\r\n`];
		for (let at = 0; at < this.grid.rows.length; at += CSV_ROWS) {
			pieces.push(this.grid.rows.slice(at, at + CSV_ROWS).map((row) => this.columns.map((column) => {
				if (column.id === "time")
					return elapsed ? column.text(row) : new Date(axis.end[Math.floor(row / wide)]).toISOString();
				return csvField(column.text(row));
			}).join(",")).join("\r\n"), "\r\n");
		}
		return new Blob(pieces, { type: "text/csv;charset=utf-8" });
	}

	download() {
		const url = URL.createObjectURL(this.csv());
		const link = make("a");
		link.href = url;
		link.download = `${this.table.id.replace(/[^\w.-]+/g, "_")}.csv`;
		link.click();
		setTimeout(() => URL.revokeObjectURL(url), 10000);
	}

	/* ---- the page ---- */

	show() {
		if (!this.data || this.turn === 0)
			this.load();
		else if (this.grid)
			this.grid.draw();
	}

	changed(what) {
		if (what === "range" && this.data && this.grid)
			this.select();
	}

	state() {
		const state = {};
		if (this.at)
			state.table = this.table.id;
		if (this.instances)
			state.rows = this.instances;
		if (this.sort[0] !== "time" || this.sort[1])
			state.sort = this.sort.map(String).join(",");
		if (this.filters.size)
			state.where = [...this.filters].map((pair) => pair.map(encodeURIComponent).join("~")).join("|");
		return state;
	}

	restore(state) {
		const at = this.tables.findIndex(({ id }) => id === state.table);
		this.at = Math.max(at, 0);
		this.instances = state.rows || "";
		const [sort, down] = (state.sort || "time,false").split(",");
		this.sort = [sort, down === "true"];
		this.filters = new Map((state.where || "").split("|").filter(Boolean)
			.map((pair) => pair.split("~").map(ExplorerSection.decode)));
		if (this.turn)
			this.load();
	}

	busy() {
		return this.pending;
	}

	told() {
		return { table: this.table.id, rows: this.grid ? this.grid.rows.length : -1, sort: this.sort,
			columns: this.columns ? this.columns.map(({ id }) => id) : [] };
	}
}

ReportPage.sections.push(TablesSection);
