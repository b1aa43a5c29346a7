/* The views of the embedded profile: flame graph, functions, heat map (App and its views, in a section). */
const VIEWER_STATE = "p."; /* before the names of the views' state in the link */

class ViewerSection {
	static id = "viewer";
	static label = "viewer.title";
	static keys = [["f t s", "viewer.key.views"], ["/", "viewer.key.search"], ["n N", "viewer.key.match"],
		["+ -", "viewer.key.zoom"], ["i o c r", "viewer.key.look"]];

	static offered({ data }) {
		return Boolean(data.profile);
	}

	constructor(page, element) {
		this.page = page;
		this.element = element;
		this.wanted = {};
		this.waits = 0;
		this.reading = make("p", "hint", page.text("viewer.reading"));
		element.append(this.reading);
	}

	show() {
		if (this.app)
			this.app.current.show();
		else if (!this.waits)
			this.read();
	}

	async read() {
		const { page } = this;
		this.waits++;
		try {
			const profile = await page.profile();
			this.reading.remove();
			if (profile && this.element.isConnected)
				this.start(profile);
			else if (!profile)
				this.element.append(make("p", "notice", page.text("viewer.none")));
		} catch (error) {
			this.reading.remove();
			page.failed(this.element, error);
		}
		this.waits--;
	}

	start(profile) {
		const { page } = this;
		WORDS.dictionary = page.lang === "zh" ? VIEWER_ZH : null;
		const parts = this.build();
		this.element.append(parts.element);
		this.app = new App(profile, { page, state: this.wanted, ...parts });
	}

	/* The tools of page.html under the same ids, except those that the page itself has. */
	build() {
		const box = make("div", "viewer");
		const tabs = make("nav", "viewer-tabs");
		const views = make("div", "viewer-views");
		const tools = make("div", "tools");
		tabs.setAttribute("role", "tablist");
		tabs.setAttribute("aria-label", local("Views"));
		tools.setAttribute("role", "toolbar");
		tools.setAttribute("aria-label", local("Tools"));
		tools.append(this.searchTools(), this.choices());
		const crumbs = make("nav");
		crumbs.id = "crumbs";
		crumbs.setAttribute("aria-label", local("Zoomed into"));
		box.append(tabs, tools, crumbs, views, this.foot());
		return { element: box, tabs, views };
	}

	/* An element with an id, and texts in the language of the page. */
	made(tag, id, { text, title, label, ...more } = {}) {
		const element = make(tag, "", text === undefined ? undefined : local(text));
		element.id = id;
		if (title)
			element.title = local(title);
		if (label)
			element.setAttribute("aria-label", local(label));
		return Object.assign(element, more);
	}

	searchTools() {
		const box = make("div", "search");
		const found = this.made("output", "found");
		box.setAttribute("role", "search");
		found.setAttribute("aria-live", "polite");
		box.append(this.made("input", "search", { type: "search", placeholder: local("Search frames (/)"),
			label: "Search frames", autocomplete: "off", spellcheck: false }),
		this.made("button", "regex", { text: ".*", title: "The text is a regular expression" }),
		this.made("button", "previous", { text: "\u2039", title: "Previous match (N)", label: "Previous match" }),
		this.made("button", "next", { text: "\u203a", title: "Next match, the widest first (n)", label: "Next match" }), found);
		return box;
	}

	choices() {
		const box = make("div", "choices");
		const list = (id, rows) => {
			const field = this.made("select", id);
			field.append(...rows.map(([value, text]) => new Option(local(text), value)));
			return field;
		};
		const labelled = (id, text, field) => {
			const label = make("label", "", text ? `${local(text)} ` : undefined);
			if (id)
				label.id = id;
			label.hidden = Boolean(id);
			label.append(field);
			return label;
		};
		const group = labelled("group-label", "", this.made("input", "group", { type: "checkbox" }));
		group.append(" ", this.made("span", "group-text"));
		box.append(labelled("event-label", "Event", list("event", [])), group,
			labelled("absolute-label", "Absolute", this.made("input", "absolute", { type: "checkbox" })),
			labelled("width-label", "Width", list("width", [["both", "mean of both"], ["now", "now"], ["base", "base"]])),
			labelled("", "Colour", list("color", [["library", "library"], ["kind", "kind"], ["self", "share of self"],
				["change", "change"]])),
			labelled("", "Order", list("order", [["name", "by name"], ["weight", "heaviest left"]])),
			this.made("button", "flip", { title: "Flame or icicle (i)" }),
			this.made("button", "reset", { text: "Reset", title: "Reset zoom and selection (r)" }));
		return box;
	}

	foot() {
		const foot = make("footer");
		const detail = this.made("div", "detail");
		detail.append(this.made("button", "copy", { text: "Copy", title: "Copy the name (y)" }),
			this.made("div", "detail-name"), this.made("div", "detail-facts"));
		foot.append(detail, this.made("div", "legend"));
		return foot;
	}

	changed(what) {
		if (!this.app || what === "range")
			return;
		this.app.paintTheme();
		if (what !== "theme")
			this.app.current.changed("print"); /* draw now, in the resolution of paper or screen */
	}

	key(event) {
		const { app } = this;
		return Boolean(app && (app.current.key(event) || app.keys.run(event.key)));
	}

	restore(state) {
		const own = {};
		for (const [name, value] of Object.entries(state)) {
			if (name.startsWith(VIEWER_STATE))
				own[name.slice(VIEWER_STATE.length)] = value;
		}
		this.wanted = own;
		if (this.app)
			this.app.take(own);
	}

	state() {
		const own = this.app ? readFragment(this.app.fragment()) : this.wanted;
		return Object.fromEntries(Object.entries(own).map(([name, value]) => [VIEWER_STATE + name, value]));
	}

	busy() {
		return this.waits > 0 || Boolean(this.app && this.app.current.pane() && this.app.current.pane().motion);
	}

	told() {
		const { app } = this;
		return app ? { view: app.view, offered: app.offered().map(({ id }) => id), found: byId("found").textContent,
			total: app.profile.weights.all } : null;
	}
}

ReportPage.sections.push(ViewerSection);
