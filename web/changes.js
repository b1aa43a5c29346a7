/* The rows of `pipa diff`: changes and their significance. */
const VERDICT = { more: "more", less: "less", new: "new", gone: "gone", same: "within noise",
	unknown: "unknown" };

class ChangesView {
	static id = "changes";
	static label = "Changes";

	static offered(profile) {
		return Array.isArray(profile.payload.rows);
	}

	constructor(app, element) {
		this.app = app;
		this.all = app.profile.payload.rows;
		element.classList.add("changes");
		this.filter = make("input", "filter");
		this.filter.type = "search";
		this.filter.placeholder = "Filter rows";
		this.filter.setAttribute("aria-label", "Filter rows");
		this.filter.spellcheck = false;
		this.filter.addEventListener("input", () => {
			this.refilter();
			app.remember();
		});
		element.append(this.filter);
		this.table = new Table(element, this.columns(), { label: "Changes", sort: "points",
			picked: (row) => this.picked(row) });
		this.table.changed = () => app.remember();
		this.refilter();
	}

	now(row) {
		return this.all[row].now[0];
	}

	text(row) {
		const { symbol, srcline, path, dso } = this.all[row];
		return path ? path.join(" \u203a ") : srcline || symbol || dso;
	}

	columns() {
		const { unit } = this.app.profile;
		const percent = (n) => `${n.toFixed(2)}\u00a0%`;
		const moved = (row) => !["same", "unknown"].includes(this.now(row).verdict);
		const tone = (of) => (row) => toneOf(moved(row) ? of(this.now(row)) : 0);
		return [
			{ id: "base", label: "Base", number: true, value: (row) => this.all[row].base.percent,
				text: (row) => percent(this.all[row].base.percent) },
			{ id: "now", label: "Now", number: true, value: (row) => this.now(row).percent,
				text: (row) => percent(this.now(row).percent) },
			{ id: "points", label: "Points", number: true, className: tone((now) => now.points),
				value: (row) => Math.abs(this.now(row).points),
				text: (row) => pointsText(this.now(row).points) },
			{ id: "cost", label: "Cost", number: true,
				className: tone((now) => now.weight_change),
				value: (row) => Math.abs(this.now(row).weight_change),
				text: (row) => signed(this.now(row).weight_change,
					weightText(Math.abs(this.now(row).weight_change), unit)) },
			{ id: "verdict", label: "Verdict", value: (row) => this.now(row).verdict,
				className: (row) => (moved(row) ? "" : "pale"),
				text: (row) => VERDICT[this.now(row).verdict] || visible(this.now(row).verdict, 20) },
			{ id: "name", label: "What", grow: true, value: (row) => this.text(row),
				text: (row) => visible(this.text(row)) },
			{ id: "library", label: "Library", value: (row) => this.all[row].dso,
				text: (row) => visible(this.all[row].dso || "", 80) },
		];
	}

	refilter() {
		const text = this.filter.value.toLowerCase();
		const rows = this.all.map((_, row) => row);
		this.table.set(rows.filter((row) => this.text(row).toLowerCase().includes(text) ||
			(this.all[row].dso || "").toLowerCase().includes(text)));
	}

	/* Open the flame graph with a search for the symbol. */
	picked(row) {
		const { symbol } = this.all[row];
		if (symbol) {
			this.app.setSearch(symbol, false);
			this.app.open("flame");
		}
	}

	show() {
		this.table.draw();
		this.app.zoomChanged(null);
		this.app.detail(null, -1);
	}

	hide() {}

	state() {
		const state = this.filter.value ? { filter: this.filter.value } : {};
		if (this.table.sort !== "points" || !this.table.down)
			state.sort = (this.table.down ? "-" : "") + this.table.sort;
		return state;
	}

	restore(state) {
		this.filter.value = state.filter || "";
		this.table.sort = (state.sort || "-points").replace(/^-/, "");
		this.table.down = (state.sort || "-points").startsWith("-");
		this.refilter();
	}

	key() {
		return false;
	}

	changed() {}

	status() {
		return "";
	}

	pane() {
		return null;
	}
}
