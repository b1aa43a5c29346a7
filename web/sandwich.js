/* All functions in a table; of the chosen one, callers above and callees below. */
class SandwichView {
	static id = "sandwich";
	static label = "Functions";

	static offered() {
		return true;
	}

	constructor(app, element) {
		this.app = app;
		this.fn = -1;
		element.classList.add("sandwich");
		this.list = make("section", "list");
		this.list.setAttribute("aria-label", local("Functions"));
		this.filter = make("input", "filter");
		this.filter.type = "search";
		this.filter.placeholder = local("Filter functions and libraries");
		this.filter.setAttribute("aria-label", local("Filter functions and libraries"));
		this.filter.spellcheck = false;
		this.filter.addEventListener("input", () => {
			this.refilter();
			app.remember();
		});
		this.list.append(this.filter);
		this.sides = make("section", "sides");
		this.hint = make("p", "empty", local("Choose a function to see who calls it and what it calls."));
		this.up = make("div", "side");
		this.name = make("h2", "side-name");
		this.down = make("div", "side");
		this.sides.append(this.hint, this.up, this.name, this.down);
		element.append(this.list, this.sides);
		this.callers = new FlamePane(app, this.up, { flip: false, root: false, label: local("Callers") });
		this.callees = new FlamePane(app, this.down, { flip: true, root: false, label: local("Callees") });
		this.last = this.callees;
		for (const pane of [this.callers, this.callees])
			pane.canvas.addEventListener("focus", () => { this.last = pane; });
		this.makeTable();
		this.fill();
	}

	makeTable() {
		const { app } = this;
		const { profile } = app;
		const all = () => this.app.weights.all;
		const share = (id, label, of) => ({
			id, label, number: true, value: of,
			bar: (row) => (all() ? of(row) / all() : 0),
			text: (row) => percentText(of(row), all()),
		});
		const columns = [
			share("self", local("Self"), (row) => this.functions.sums.self[row]),
			share("total", local("Children"), (row) => this.functions.sums.total[row]),
		];
		if (profile.weights.base) {
			columns.push({ id: "change", label: local("Change"), number: true,
				value: (row) => this.points(row),
				className: (row) => toneOf(this.points(row)),
				text: (row) => pointsText(this.points(row)) });
		}
		columns.push({ id: "name", label: local("Function"), grow: true,
			className: (row) => (this.hit(row) ? "hit" : ""),
			value: (row) => profile.nameOf(this.functions.frame[row]),
			text: (row) => visible(profile.nameOf(this.functions.frame[row])) });
		if (profile.object.some((object) => profile.strings[object] !== "")) {
			columns.push({ id: "library", label: local("Library"),
				value: (row) => profile.objectOf(this.functions.frame[row]),
				text: (row) => visible(profile.objectOf(this.functions.frame[row]), 80) });
		}
		this.table = new Table(this.list, columns, { label: local("Functions"), sort: "self",
			picked: (row) => this.choose(row) });
		this.table.changed = () => app.remember();
	}

	/* Return the change of a function's share of self, in percentage points. */
	points(row) {
		const { weights } = this.app;
		const { sums, baseSums } = this.functions;
		const share = (part, whole) => (whole ? part / whole * 100 : 0);
		return share(sums.self[row], weights.all) - share(baseSums.self[row], weights.base.all);
	}

	fill() {
		const { app } = this;
		this.functions = new Functions(app.profile, app.tree, app.weights);
		this.rows = this.functions.rows();
		this.refilter();
		this.choose(this.fn, true);
	}

	/* Does the search match it? */
	hit(row) {
		const { hits } = this.app.search;
		return hits !== null && hits[this.functions.frame[row]] === 1;
	}

	/* Select the next (by 1) or previous (-1) row that matches the search, with wrap-around. */
	match(by) {
		if (this.fn >= 0) {
			this.last.match(by);
			return;
		}
		const { rows, chosen } = this.table;
		const from = rows.indexOf(chosen);
		for (let i = 1; i <= rows.length; i++) {
			const row = rows[((from < 0 && by < 0 ? 0 : from) + by * i + rows.length * 2) % rows.length];
			if (this.hit(row)) {
				this.table.choose(row);
				return;
			}
		}
	}

	refilter() {
		const { profile } = this.app;
		const text = this.filter.value.toLowerCase();
		const has = (row) => {
			const frame = this.functions.frame[row];
			return profile.nameOf(frame).toLowerCase().includes(text) ||
				profile.objectOf(frame).toLowerCase().includes(text);
		};
		this.table.set(text ? this.rows.filter(has) : this.rows);
	}

	choose(fn, quiet) {
		this.fn = fn;
		this.hint.hidden = fn >= 0;
		this.up.hidden = this.name.hidden = this.down.hidden = fn < 0;
		if (fn < 0)
			return;
		const { app, functions } = this;
		const { profile } = app;
		const name = visible(profile.nameOf(functions.frame[fn]));
		this.name.replaceChildren(make("span", "", local("\u2191 callers")), make("b", "", name),
			make("span", "", local("callees \u2193")));
		this.name.title = name;
		for (const [pane, made] of [[this.callers, functions.callers(fn)],
			[this.callees, functions.callees(fn)]]) {
			made.weights.all = app.weights.all; /* shares are those of the profile */
			if (made.weights.base)
				made.weights.base.all = app.weights.base.all;
			made.weights.average = app.weights.average;
			made.weights.compare(app.weights.absolute);
			pane.set(made.tree, made.weights, "");
		}
		if (app.current === this)
			app.detail(this.callees, 0);
		if (quiet)
			return;
		app.say(spoken(profile, this.callees.weights, this.callees.tree, 0));
		app.remember();
	}

	/* Show the function of a frame of another view. */
	open(frame) {
		const fn = this.functions.of[frame];
		this.filter.value = "";
		this.refilter();
		this.table.choose(fn);
		this.choose(fn);
	}

	focusTable() {
		this.table.body.focus();
		if (this.table.chosen < 0 && this.table.rows.length)
			this.table.choose(this.table.rows[0]);
	}

	show() {
		this.table.draw();
		this.app.zoomChanged(null);
		if (this.fn >= 0) {
			this.callers.resized();
			this.callees.resized();
			this.callers.toRoot();
			this.app.detail(this.callees, this.last.selected < 0 ? 0 : this.callees.selected);
		}
	}

	hide() {}

	state() {
		const state = {};
		if (this.fn >= 0)
			state.fn = String(this.functions.frame[this.fn]);
		if (this.filter.value)
			state.filter = this.filter.value;
		if (this.table.sort !== "self" || !this.table.down)
			state.sort = (this.table.down ? "-" : "") + this.table.sort;
		return state;
	}

	restore(state) {
		this.filter.value = state.filter || "";
		this.table.sort = (state.sort || "-self").replace(/^-/, "");
		this.table.down = (state.sort || "-self").startsWith("-");
		this.refilter();
		const frame = /^[0-9]+$/.test(state.fn || "") ? Number(state.fn) : -1;
		const fn = frame >= 0 && frame < this.app.profile.n ? this.functions.of[frame] : -1;
		this.table.choose(fn);
		this.choose(fn, true);
	}

	key(event) {
		if (this.fn < 0) {
			const by = { n: 1, N: -1 }[event.key] || 0;
			if (by)
				this.match(by);
			return by !== 0;
		}
		if (event.key === "Enter" && this.last.selected >= 0) {
			this.open(this.last.tree.frame[this.last.selected]);
			return true;
		}
		return this.last.key(event);
	}

	changed(what) {
		if (what === "group" || what === "width") {
			this.fill();
			return;
		}
		if (what === "search")
			this.table.draw();
		for (const pane of [this.callers, this.callees]) {
			if (!pane.tree)
				continue;
			if (what === "order")
				pane.rearrange();
			else if (what === "search")
				pane.updateMatches();
			else if (what === "print")
				pane.resized();
			else
				pane.draw();
		}
	}

	/* Return the result of the search in the table as text. */
	rowsText() {
		const { search, weights } = this.app;
		const found = search.hits ? this.rows.filter((row) => this.hit(row)) : [];
		if (!found.length)
			return search.hits ? local("no match") : "";
		const self = found.reduce((sum, row) => sum + this.functions.sums.self[row], 0);
		return local("{0} self in {1}", percentText(self, weights.all), plural(found.length, "function", "functions"));
	}

	status() {
		return this.fn >= 0 ? foundText(this.app, this.callees) : this.rowsText();
	}

	pane() {
		return this.fn >= 0 ? this.last : null;
	}

	panes() {
		return [this.callers, this.callees];
	}
}
