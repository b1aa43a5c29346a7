/* The tools around the views, the keys, and the start. */
class App {
	static views = [FlameView, SandwichView, ChangesView];

	/*
	 * host: the page that has the views in one of its elements, or null. It has {page: with theme, dark, ratio, tip,
	 * say() and remember(), element, tabs, views: elements}. The page passes keys, theme and print events on, and has
	 * the link.
	 */
	constructor(profile, host = null) {
		const { payload } = profile;
		this.profile = profile;
		this.host = host;
		this.tabs = host ? host.tabs : byId("tabs");
		this.place = host ? host.views : byId("views");
		this.title = payload.title || "profile";
		this.search = new Search(profile);
		this.colors = new Colors(profile);
		this.tip = host ? host.page.tip : new Tip(byId("tip"));
		this.defaults = this.firstSettings(payload);
		this.views = new Map();
		this.current = null;
		this.merged = null;
		this.writing = 0;
		this.tools = new Tools(this);
		this.keys = new Keys(this);
		if (host) {
			this.take(host.state || {});
			return;
		}
		this.heading();
		this.take(readFragment(location.hash));
		addEventListener("popstate", () => this.forget()); /* drop the pending state of the previous place */
		addEventListener("hashchange", () => {
			if (location.hash.slice(1) !== this.written)
				this.take(readFragment(location.hash));
		});
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paintTheme());
		addEventListener("beforeprint", () => this.print(true));
		addEventListener("afterprint", () => this.print(false));
	}

	/* Return the views of this page. A call graph of some of the samples is the only one. */
	offered() {
		const { graph } = this.profile.payload;
		return App.views.filter((View) => View.offered(this.profile) && (!(graph && graph.only) || View.id === "graph"));
	}

	/* Return the defaults, which a link omits. */
	firstSettings(payload) {
		const show = payload.show || {};
		const view = payload.view === "diff" ? "flame" : payload.view || "flame";
		return { view, event: payload.events[0], q: show.search || "", re: "", theme: "",
			color: show.color || (this.profile.weights.base ? "change" : "library"),
			order: show.order || "name", icicle: show.icicle ? "1" : "", merged: "",
			width: "both", abs: show.absolute ? "1" : "" };
	}

	/* Apply the state of a fragment. */
	take(state) {
		const settings = { ...this.defaults, ...state };
		const { payload } = this.profile;
		if (settings.event !== payload.event && payload.events.includes(settings.event)) {
			location.reload();
			return;
		}
		this.order = settings.order === "weight" ? "weight" : "name";
		this.flip = settings.icicle === "1";
		this.width = ["now", "base"].includes(settings.width) ? settings.width : "both";
		this.absolute = settings.abs === "1";
		this.group = settings.merged !== "1";
		this.mode = this.tools.has("color", settings.color) ? settings.color : this.defaults.color;
		this.chosenTheme = ["dark", "light"].includes(settings.theme) ? settings.theme : "";
		this.search.set(settings.q, settings.re === "1");
		this.pickTree();
		this.paintTheme();
		for (const view of this.views.values())
			view.changed("group");
		this.open(App.views.some((v) => v.id === settings.view) ? settings.view : "flame", state);
		this.tools.update();
		this.write(false); /* not a step of the user */
	}

	pickTree() {
		const { profile } = this;
		if (!this.group && !this.merged)
			this.merged = profile.merged();
		({ tree: this.tree, weights: this.weights } = this.group ? profile : this.merged);
		this.weights.compare(this.absolute);
	}

	get dark() {
		if (this.host)
			return this.host.page.dark;
		if (this.printing)
			return false;
		return this.chosenTheme ? this.chosenTheme === "dark"
			: systemIsDark();
	}

	/* Draw for paper, in the light theme and a higher resolution, or for the screen again. */
	print(on) {
		this.printing = on;
		this.paintTheme();
		this.current.changed("print");
	}

	get ratio() {
		if (this.host)
			return this.host.page.ratio;
		return Math.max(window.devicePixelRatio || 1, this.printing ? PAPER : 1);
	}

	/* Apply the theme, and read the canvas colours from the style sheet. */
	paintTheme() {
		this.theme = this.host ? this.host.page.theme : applyTheme(this.dark);
		this.colors.set(this.mode, this.dark);
		this.notify("theme");
		this.tools.update();
	}

	/* ---- words ---- */

	heading() {
		const { payload, unit, weights } = this.profile;
		byId("title").textContent = visible(this.title, 200);
		byId("title").title = visible(this.title);
		const words = payload.graph ? [payload.graph.facts[0]]
			: [payload.event && visible(payload.event, 60), this.amount()];
		if (payload.base)
			words.push(`against ${visible(payload.base.title || "base", 60)}, ` +
				weightText(weights.base ? weights.base.all : payload.base.total, unit));
		byId("facts").textContent = byId("facts").title = words.filter(Boolean).join(" \u00b7 ");
		const notes = (payload.notes || []).map((note) => visible(note, 300));
		if (payload.complete === false && !notes.some((note) => /^corrupt/.test(note)))
			notes.unshift("The file is corrupt or truncated: only a part could be read.");
		if (payload.lost > 0 && !notes.some((note) => /lost/.test(note)))
			notes.push(`${plural(payload.lost, "record was", "records were")} lost while recording.`);
		byId("notes").hidden = !notes.length;
		byId("notes").textContent = notes.join(" \u00b7 ");
	}

	amount() {
		const { unit, samples, weights } = this.profile;
		const words = samples >= 0 ? [plural(samples, "sample", "samples")] : [];
		const counted = ["", "events"].includes(unit) && weights.all === samples; /* each sample is one */
		if (unit !== "samples" && !counted)
			words.unshift(weightText(weights.all, unit));
		return words.join(", ");
	}

	rootText() {
		return `${local("all")} \u00b7 ${this.amount()}`;
	}

	emptyText() {
		return local(this.profile.samples ? "All samples have weight 0: there is nothing to draw."
			: "There are no samples in this profile, so there is nothing to draw.");
	}

	/* Announce a text to screen readers, with a delay so that only the last of many is announced. */
	say(text) {
		clearTimeout(this.saying);
		this.saying = setTimeout(() => { byId("said").textContent = text; }, 120);
	}

	detail(pane, node) {
		const { profile } = this;
		const shown = pane && pane.tree && node < pane.tree.n;
		this.copied = shown && node >= 0 ? profile.nameOf(pane.tree.frame[node]) : "";
		this.frame = shown && node >= 0 ? pane.tree.frame[node] : -1;
		byId("copy").disabled = !this.copied;
		byId("detail-name").textContent = this.copied ? visible(this.copied)
			: shown && pane.weights.all ? local("Point at a frame, or choose one with the arrow keys") : "";
		byId("detail-name").classList.toggle("hint", !this.copied);
		const facts = shown && node >= 0 ? [
			...factRows(profile, pane.weights, node).map(([what, amount, share, samples]) =>
				`${what} ${share} (${[amount, samples].filter(Boolean).join(", ")})`),
			placeText(profile, this.frame)] : []; /* last: truncated first */
		byId("detail-facts").textContent = facts.join(" \u00b7 ");
	}

	/* ---- changes ---- */

	notify(what) {
		for (const view of this.views.values())
			view.changed(what);
		if (this.current)
			this.tools.found();
		this.remember();
	}

	setSearch(text, regex) {
		this.search.set(text, regex);
		this.tools.update();
		this.notify("search");
	}

	setColor(mode) {
		this.mode = mode;
		this.colors.set(mode, this.dark);
		this.tools.update();
		this.notify("color");
	}

	set(name, value, what = name) {
		this[name] = value;
		if (what === "group" || what === "width")
			this.pickTree();
		this.tools.update();
		this.notify(what);
	}

	zoomChanged(pane) {
		this.tools.crumbs(pane);
		this.remember();
	}

	open(id, state) {
		const offered = this.offered();
		const View = offered.find((v) => v.id === id) || offered.find((v) => v === FlameView) || offered[0];
		for (const [name, view] of this.views) {
			if (name !== View.id) {
				byId(`view-${name}`).hidden = true;
				view.hide();
			}
		}
		if (!this.views.has(View.id)) {
			const element = make("div", "view");
			element.id = `view-${View.id}`;
			element.setAttribute("role", "tabpanel");
			element.setAttribute("aria-label", local(View.label));
			this.place.append(element);
			this.views.set(View.id, new View(this, element));
		}
		byId(`view-${View.id}`).hidden = false;
		this.current = this.views.get(View.id);
		this.view = View.id;
		if (!this.host)
			document.body.dataset.view = View.id;
		this.current.show();
		if (state)
			this.current.restore(state);
		this.tools.update();
		this.remember();
		return this.current;
	}

	/* Callers and callees of the chosen frame. */
	openSandwich() {
		const { frame } = this;
		const view = this.open("sandwich");
		if (this.view !== "sandwich")
			return;
		if (frame >= 0)
			view.open(frame);
		else
			view.focusTable();
	}

	openTable() {
		const view = this.open("sandwich");
		if (this.view === "sandwich")
			view.focusTable();
	}

	reset() {
		if (this.current.reset)
			this.current.reset();
		const pane = this.current.pane();
		if (pane && pane.tree)
			pane.reset();
	}

	/* Reload the page with another event, whose tree differs, and keep the rest of the state. */
	openEvent(event) {
		clearTimeout(this.writing);
		this.writing = 1;
		keepFragment(writeFragment({ ...readFragment(this.fragment()), event }), true);
		location.reload();
	}

	/* ---- the link ---- */

	remember() {
		if (this.host)
			this.host.page.remember();
		else if (!this.writing)
			this.writing = setTimeout(() => this.write(true), 100);
	}

	forget() {
		clearTimeout(this.writing);
		this.writing = 0;
	}

	/* step: add an entry to the browser's history for another place */
	write(step) {
		if (this.host)
			return;
		this.forget();
		this.written = this.fragment();
		keepFragment(this.written, step);
	}

	fragment() {
		const settings = { view: this.view, event: this.profile.payload.event, q: this.search.text,
			re: this.search.regex ? "1" : "", theme: this.chosenTheme, color: this.mode, order: this.order,
			icicle: this.flip ? "1" : "", merged: this.group ? "" : "1", width: this.width,
			abs: this.absolute ? "1" : "" };
		const said = {};
		for (const [name, value] of Object.entries(settings)) {
			if (value !== this.defaults[name])
				said[name] = value;
		}
		return writeFragment({ ...said, ...(this.current ? this.current.state() : {}) });
	}
}
