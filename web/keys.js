/* Keys of the page. */
class Keys {
	constructor(app) {
		this.app = app;
		const { tools } = app;
		this.keys = {
			"/": () => this.search(),
			"?": () => byId("help").showModal(),
			r: () => app.reset(),
			f: () => app.open("flame"),
			p: () => app.open(app.profile.payload.graph ? "graph" : app.view),
			t: () => app.openTable(),
			s: () => app.openSandwich(),
			i: () => app.set("flip", !app.flip),
			o: () => tools.next("order", (value) => app.set("order", value)),
			c: () => tools.next("color", (value) => app.setColor(value)),
			d: () => tools.nextTheme(),
			y: () => tools.copy(app.copied, local("The name is copied.")),
			l: () => tools.copyLink(),
		};
		if (app.profile.payload.by)
			this.keys.g = () => app.set("group", !app.group);
		if (app.profile.weights.base) {
			this.keys.w = () => tools.next("width", (value) => app.set("width", value));
			this.keys.a = () => app.set("absolute", !app.absolute, "width");
		}
		if (app.host)
			this.listenIn(app.host);
		else
			document.addEventListener("keydown", (event) => this.pressed(event));
	}

	/* Use the keys that the surrounding page passes on, without its own. */
	listenIn({ element }) {
		for (const key of ["?", "d", "l", "g"])
			delete this.keys[key];
		element.addEventListener("keydown", (event) => {
			if (event.target.matches("input:not([type=checkbox])"))
				this.inField(event);
		});
	}

	search() {
		byId("search").focus();
		byId("search").select();
	}

	pressed(event) {
		const { target } = event;
		if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open)
			return;
		if (target.matches("input:not([type=checkbox]), textarea")) {
			this.inField(event);
			return;
		}
		if (target.matches("select") || (target.matches("button, [type=checkbox]") &&
			[" ", "Enter"].includes(event.key)))
			return;
		const used = this.app.current.key(event) || this.run(event.key);
		if (used)
			event.preventDefault();
	}

	run(key) {
		if (!Object.hasOwn(this.keys, key))
			return false;
		this.keys[key]();
		return true;
	}

	inField(event) {
		const { app } = this;
		if (event.key === "Escape") {
			if (event.target.id === "search")
				app.setSearch("", app.search.regex);
			event.target.blur();
			this.focusPane();
		} else if (event.key === "Enter" && event.target.id === "search") {
			app.tools.match(event.shiftKey ? -1 : 1);
		} else {
			return;
		}
		event.preventDefault();
	}

	focusPane() {
		const pane = this.app.current.pane() || this.app.current;
		if (pane.canvas)
			pane.canvas.focus();
	}
}
