/*
 * The flame graph of a time window, below a line with its range and weight and a button that copies the --time
 * option for pipa.
 */
class WindowPane {
	constructor(app, timeline, label) {
		this.app = app;
		this.timeline = timeline;
		this.element = make("section", "window-pane");
		this.head = make("p", "window-head");
		this.what = make("span", "window-what");
		this.copy = make("button", "", local("Copy --time"));
		this.clear = make("button", "", local("Whole time"));
		this.copy.title = local("Copy the --time option that selects these samples");
		this.copy.addEventListener("click", () =>
			this.window && this.app.tools.copy(this.option(), local("The option is copied.")));
		this.head.append(this.what, this.copy, this.clear);
		this.element.append(this.head);
		this.box = make("div", "window-flame");
		this.element.append(this.box);
		this.pane = new FlamePane(app, this.box, { label });
	}

	/* tracks, track: restrict the samples to one row; row: name of that row */
	set(window, tracks, track, row) {
		const { app, timeline } = this;
		const { profile } = app;
		const chosen = window || { from: 0, until: timeline.span };
		const found = timeline.window(profile, chosen.from, chosen.until, tracks, track);
		const when = window ? stretchText(chosen.from, chosen.until + 1) : local("the whole time");
		const title = row ? `${visible(row, 60)}, ${when}` : when;
		this.window = chosen;
		this.total = found.total;
		this.samples = found.samples;
		this.what.textContent = `${title}: ${plural(found.samples, "sample", "samples")}, ` +
			`${weightText(found.total, profile.unit)}, ` +
			`${percentText(found.total, profile.weights.all)}`;
		this.copy.hidden = Boolean(row);
		this.clear.hidden = !window && !row;
		this.pane.set(profile.tree, found.weights, title);
	}

	changed(what) {
		const { pane } = this;
		if (what === "order" || what === "width")
			pane.rearrange();
		else if (what === "search")
			pane.updateMatches();
		else if (what === "print")
			pane.resized();
		else if (what === "flip") {
			pane.resized();
			pane.toRoot();
		} else
			pane.draw();
	}

	option() {
		return `--time ${this.timeline.clock(this.window.from)},${this.timeline.clock(this.window.until)}`;
	}
}
