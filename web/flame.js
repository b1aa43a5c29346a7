/* The flame graph of all samples; of two profiles the differential one. */
class FlameView {
	static id = "flame";
	static label = "Flame graph";

	static offered() {
		return true;
	}

	constructor(app, element) {
		this.app = app;
		this.flame = new FlamePane(app, element, { label: local("Flame graph of {0}", visible(app.title)) });
		this.fill();
	}

	fill() {
		const { app } = this;
		this.flame.set(app.tree, app.weights, app.rootText());
	}

	show() {
		this.flame.resized();
		this.app.zoomChanged(this.flame);
		this.app.detail(this.flame, this.flame.selected);
	}

	hide() {}

	state() {
		return this.flame.state();
	}

	restore(state) {
		this.flame.restore(state);
	}

	key(event) {
		return this.flame.key(event);
	}

	changed(what) {
		const { flame } = this;
		if (what === "group")
			this.fill();
		else if (what === "order" || what === "width")
			flame.rearrange();
		else if (what === "search")
			flame.updateMatches();
		else if (what === "print")
			flame.resized();
		else if (what === "flip") {
			flame.resized();
			flame.toRoot();
			flame.reveal(flame.selected);
		} else
			flame.draw();
	}

	status() {
		return foundText(this.app, this.flame);
	}

	pane() {
		return this.flame;
	}
}

/* Return the result of the search in a pane as text. */
function foundText(app, pane) {
	const { found, weights } = pane;
	if (!app.search.hits)
		return "";
	if (!found.nodes)
		return local("no match");
	return local("{0} in {1}, {2}", percentText(found.weight, weights.all), plural(found.frames, "name", "names"),
		plural(found.nodes, "place", "places"));
}
