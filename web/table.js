/*
 * A table of any number of rows, of which only the visible ones are elements. columns: {id, label, text(row),
 * value(row) for sorting, bar(row) 0..1 or none, number (right-aligned), grow, className(row)}.
 * picked(row) is called for a row that is clicked or entered, moved(row) for one that keys have reached.
 */
const TABLE_ROW = 26;

class Table {
	constructor(element, columns, { label, picked, sort, down = true, nothing = local("Nothing here matches.") }) {
		this.columns = columns;
		this.picked = picked;
		this.rows = [];
		this.chosen = -1;
		this.sort = sort;
		this.down = down;
		this.element = make("div", "table");
		this.element.setAttribute("role", "grid");
		this.element.setAttribute("aria-label", label);
		this.head = make("div", "table-head");
		this.head.setAttribute("role", "row");
		this.body = make("div", "table-body");
		this.body.setAttribute("role", "rowgroup");
		this.body.tabIndex = 0;
		this.spacer = make("div", "table-spacer");
		this.nothing = make("p", "empty", nothing);
		this.body.append(this.spacer);
		this.element.append(this.head, this.body, this.nothing);
		element.append(this.element);
		this.heads();
		this.body.addEventListener("scroll", () => this.draw());
		this.body.addEventListener("keydown", (event) => this.key(event));
		this.body.addEventListener("click", (event) => this.clicked(event));
		new ResizeObserver(() => this.draw()).observe(this.body);
	}

	heads() {
		this.buttons = this.columns.map((column) => {
			const cell = make("div", `cell ${column.grow ? "grow" : ""} ${column.number ? "number" : ""}`);
			const button = make("button", "sort", column.label);
			cell.setAttribute("role", "columnheader");
			cell.append(button);
			button.addEventListener("click", () => {
				this.down = this.sort === column.id ? !this.down : Boolean(column.number);
				this.sort = column.id;
				this.order();
				if (this.changed)
					this.changed();
			});
			this.head.append(cell);
			return { cell, button };
		});
	}

	set(rows) {
		this.rows = rows.slice();
		this.element.setAttribute("aria-rowcount", String(rows.length));
		this.order();
	}

	order() {
		const column = this.columns.find((c) => c.id === this.sort) || this.columns[0];
		const sign = this.down ? -1 : 1;
		const keys = new Map(this.rows.map((row) => [row, column.value(row)]));
		const compare = (a, b) => {
			const x = keys.get(a);
			const y = keys.get(b);
			return x < y ? -sign : x > y ? sign : 0;
		};
		this.rows.sort(compare);
		this.columns.forEach((c, i) => {
			const now = c === column ? (this.down ? "descending" : "ascending") : "none";
			this.buttons[i].cell.setAttribute("aria-sort", now);
		});
		this.spacer.style.height = `${this.rows.length * TABLE_ROW}px`;
		this.nothing.hidden = this.rows.length > 0;
		this.body.hidden = !this.nothing.hidden;
		this.draw();
	}

	draw() {
		const first = Math.max(Math.floor(this.body.scrollTop / TABLE_ROW) - 4, 0);
		const last = Math.min(first + Math.ceil(this.body.clientHeight / TABLE_ROW) + 9,
			this.rows.length);
		const lines = [];
		for (let at = first; at < last; at++)
			lines.push(this.line(at));
		this.spacer.replaceChildren(...lines);
		if (this.chosen >= 0)
			this.body.setAttribute("aria-activedescendant", `row-${this.chosen}`);
		else
			this.body.removeAttribute("aria-activedescendant");
	}

	line(at) {
		const row = this.rows[at];
		const line = make("div", row === this.chosen ? "line chosen" : "line");
		line.id = `row-${row}`;
		line.dataset.at = String(at);
		line.setAttribute("role", "row");
		line.setAttribute("aria-rowindex", String(at + 1));
		line.setAttribute("aria-selected", String(row === this.chosen));
		line.style.top = `${at * TABLE_ROW}px`;
		for (const column of this.columns) {
			const cell = make("div", `cell ${column.grow ? "grow" : ""} ${column.number ? "number" : ""} ` +
				(column.className ? column.className(row) : ""));
			cell.setAttribute("role", "gridcell");
			if (column.bar) {
				const bar = make("span", "bar");
				bar.style.width = `${Math.min(Math.max(column.bar(row), 0), 1) * 100}%`;
				cell.append(bar);
			}
			const text = column.text(row);
			cell.append(make("span", "text", text));
			if (!column.number)
				cell.title = text; /* it may be truncated */
			line.append(cell);
		}
		return line;
	}

	clicked(event) {
		const line = event.target.closest(".line");
		if (!line)
			return;
		this.choose(this.rows[Number(line.dataset.at)]);
		this.picked(this.chosen);
	}

	choose(row) {
		this.chosen = row;
		const at = this.rows.indexOf(row);
		if (at >= 0) {
			const y = at * TABLE_ROW;
			const { body } = this;
			if (y < body.scrollTop)
				body.scrollTop = y;
			else if (y + TABLE_ROW > body.scrollTop + body.clientHeight)
				body.scrollTop = y + TABLE_ROW - body.clientHeight;
		}
		this.draw();
	}

	key(event) {
		const page = Math.max(Math.floor(this.body.clientHeight / TABLE_ROW) - 1, 1);
		const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
			Home: -this.rows.length, End: this.rows.length };
		if (event.ctrlKey || event.metaKey || event.altKey || !this.rows.length)
			return;
		if (event.key === "Enter" && this.chosen >= 0) {
			this.picked(this.chosen);
		} else if (steps[event.key]) {
			const at = this.rows.indexOf(this.chosen);
			const to = at < 0 ? 0 : at + steps[event.key];
			this.choose(this.rows[Math.min(Math.max(to, 0), this.rows.length - 1)]);
			if (this.moved)
				this.moved(this.chosen);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}
}
