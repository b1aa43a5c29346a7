/* The row of tools, the tabs, the breadcrumb and the legend. */
const CRUMBS = 6;

class Tools {
	constructor(app) {
		this.app = app;
		const { profile } = app;
		const diff = Boolean(profile.weights.base);
		byId("group-label").hidden = !profile.payload.by;
		byId("group-text").textContent = local("By {0}", local(visible(profile.payload.by || "", 20)));
		this.events(profile.payload);
		byId("absolute-label").hidden = byId("width-label").hidden = !diff;
		if (!diff)
			byId("color").querySelector("[value=change]").remove();
		this.listen();
	}

	/* List the events if there are several. */
	events({ events, event }) {
		byId("event-label").hidden = events.length < 2;
		byId("event").replaceChildren(...events.map((name) =>
			new Option(visible(name, 60), name, false, name === event)));
	}

	listen() {
		const { app } = this;
		const click = (id, run) => byId(id).addEventListener("click", run);
		const chosen = (id, run) => byId(id).addEventListener("change", () => run(byId(id)));
		byId("search").addEventListener("input", () =>
			app.setSearch(byId("search").value, app.search.regex));
		click("regex", () => app.setSearch(app.search.text, !app.search.regex));
		click("previous", () => this.match(-1));
		click("next", () => this.match(1));
		chosen("event", (field) => app.openEvent(field.value));
		chosen("color", (field) => app.setColor(field.value));
		chosen("order", (field) => app.set("order", field.value));
		chosen("width", (field) => app.set("width", field.value));
		chosen("absolute", (field) => app.set("absolute", field.checked, "width"));
		chosen("group", (field) => app.set("group", field.checked));
		click("flip", () => app.set("flip", !app.flip));
		click("reset", () => app.reset());
		click("copy", () => this.copy(app.copied, local("The name is copied.")));
		if (!app.host) {
			click("theme", () => this.nextTheme());
			click("help-open", () => byId("help").showModal());
			click("link", () => this.copyLink());
		}
		app.tabs.addEventListener("keydown", (event) => this.tabKey(event));
	}

	match(by) {
		if (this.app.current.match) {
			this.app.current.match(by);
			return;
		}
		const pane = this.app.current.pane();
		if (pane && pane.tree)
			pane.match(by);
	}

	has(id, value) {
		return [...byId(id).options].some((option) => option.value === value);
	}

	/* Select the next choice of a list. */
	next(id, run) {
		const field = byId(id);
		field.selectedIndex = (field.selectedIndex + 1) % field.options.length;
		run(field.value);
	}

	/* Switch to the next theme: of the system, the opposite, the same as the system. */
	nextTheme() {
		const { app } = this;
		app.chosenTheme = themeAfter(app.chosenTheme);
		app.paintTheme();
	}

	/* Update all tools from the state of the app. */
	update() {
		const { app } = this;
		if (byId("search").value !== app.search.text)
			byId("search").value = app.search.text;
		byId("regex").setAttribute("aria-pressed", String(app.search.regex));
		byId("color").value = app.mode;
		byId("order").value = app.order;
		byId("width").value = app.width;
		byId("absolute").checked = app.absolute;
		byId("group").checked = app.group;
		byId("flip").textContent = local(app.flip ? "Icicle" : "Flame");
		if (!app.host)
			byId("theme").textContent = app.chosenTheme === "dark" ? "Dark"
				: app.chosenTheme === "light" ? "Light" : "Auto";
		this.tabs();
		this.legend();
		if (app.current)
			this.found();
	}

	tabs() {
		const { app } = this;
		const offered = app.offered();
		const held = app.tabs.contains(document.activeElement);
		app.tabs.replaceChildren(...(offered.length < 2 ? [] : offered.map((View) => {
			const tab = make("button", "", local(View.label));
			tab.setAttribute("role", "tab");
			tab.setAttribute("aria-selected", String(View.id === app.view));
			tab.tabIndex = View.id === app.view ? 0 : -1;
			tab.dataset.view = View.id;
			tab.addEventListener("click", () => app.open(View.id));
			return tab;
		})));
		if (held)
			app.tabs.querySelector("[aria-selected=true]").focus();
	}

	tabKey(event) {
		const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!by)
			return;
		const tabs = [...this.app.tabs.children];
		const at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
		event.preventDefault();
		event.stopPropagation();
		this.app.open(tabs[(at + by + tabs.length) % tabs.length].dataset.view);
	}

	found() {
		const { app } = this;
		const { error } = app.search;
		const text = error ? local("not a regular expression: {0}", error) : app.current.status();
		if (byId("found").textContent !== text)
			byId("found").textContent = text;
		byId("found").title = text;
		byId("found").classList.toggle("bad", Boolean(error));
		byId("search").setAttribute("aria-invalid", String(Boolean(error)));
		byId("previous").disabled = byId("next").disabled = !app.search.hits ||
			!(app.current.pane() || app.current.match);
	}

	/* Show the path from the root to the zoomed frame; the middle of a long path is omitted. */
	crumbs(pane) {
		const path = pane && pane.zoomed >= 0 ? pane.tree.path(pane.zoomed) : [];
		byId("crumbs").hidden = !pane;
		const { profile } = this.app;
		let shown = path;
		if (path.length > CRUMBS)
			shown = [...path.slice(0, 2), null, ...path.slice(2 - CRUMBS + 1)];
		const crumb = (node, text) => {
			const button = make("button", "", text);
			button.title = text;
			button.addEventListener("click", () => {
				if (!pane)
					return;
				pane.select(node);
				pane.zoom(node);
				pane.canvas.focus();
			});
			return button;
		};
		const items = [crumb(-1, local("all"))];
		for (const node of shown) {
			items.push(make("span", "", "\u203a"));
			items.push(node === null
				? make("span", "", `\u2026 ${plural(path.length - CRUMBS + 1, "frame", "frames")} \u2026`)
				: crumb(node, visible(profile.nameOf(pane.tree.frame[node]), 120)));
		}
		items[items.length - 1].setAttribute("aria-current", "location");
		byId("crumbs").replaceChildren(...items);
	}

	/* Return the legend of the view, else that of frames. */
	legendOf() {
		const { app } = this;
		return app.current && app.current.legend ? app.current.legend() : app.colors.legend();
	}

	/* entries: as Colors.legend() gives them. */
	legend(entries = this.legendOf()) {
		if (Array.isArray(entries)) {
			byId("legend").replaceChildren(...entries.map(([fill, text]) => {
				const item = make("span");
				const dot = make("i");
				dot.style.background = fill;
				item.append(dot, text);
				return item;
			}));
			return;
		}
		const scale = make("span", "scale");
		for (const fill of entries.fills) {
			const step = make("i", "step");
			step.style.background = fill;
			scale.append(step);
		}
		byId("legend").replaceChildren(make("span", "", entries.from), scale,
			make("span", "", entries.to));
	}

	/* ---- copying ---- */

	copyLink() {
		const { app } = this;
		keepFragment(app.fragment(), false);
		app.written = app.fragment();
		this.copy(location.href, "The link is copied.");
	}

	async copy(text, said) {
		if (!text)
			return;
		await copyText(text);
		this.app.say(said);
	}
}
