/* A flame graph of some samples, coloured by the difference to others: a time range, or the other measurement. */

/* The environment of a FlamePane in a report page, in place of App. */
class PaneHost {
	/* frame: key of the text of a frame's shares */
	constructor(page, profile, element, frame) {
		this.page = page;
		this.profile = profile;
		this.frameKey = frame;
		this.search = new Search(profile);
		this.colors = new Colors(profile);
		this.line = element;
		this.order = "weight";
		this.width = "now";
		this.flip = true; /* the root is above, beside the table */
		this.mode = "change";
		this.paint();
	}

	get theme() {
		return this.page.theme;
	}

	get ratio() {
		return this.page.ratio;
	}

	/* The page's tooltip, with the shares inside and outside of a frame. */
	get tip() {
		const { page, profile } = this;
		return {
			show: (...args) => page.tip.show(...args),
			hide: () => page.tip.hide(),
			frame: (_, { tree, weights, title }, node, x, y) => {
				const row = (key, part, all) => [page.text(key), percentText(part, all)];
				const rows = node < 0 ? [] : [
					row("col.inside_total", weights.total[node], weights.all),
					row("col.outside_total", weights.base.total[node], weights.base.all),
					row("col.inside", weights.self[node], weights.all),
					row("col.outside", weights.base.self[node], weights.base.all)];
				page.tip.show(node < 0 ? title : visible(profile.nameOf(tree.frame[node])),
					node < 0 ? "" : placeText(profile, tree.frame[node]), rows, x, y);
			},
		};
	}

	paint() {
		this.colors.set(this.mode, this.page.dark);
	}

	remember() {}

	say(text) {
		this.page.say(text);
	}

	emptyText() {
		return this.page.text("range.empty");
	}

	zoomChanged() {}

	/* The chosen frame, below the graph. */
	detail(pane, node) {
		if (!pane || !pane.tree || !(node >= 0)) {
			this.line.textContent = this.page.text("range.point");
			return;
		}
		const { weights, tree } = pane;
		const frame = tree.frame[node];
		this.line.textContent = `${visible(this.profile.nameOf(frame), 200)} \u00b7 ${this.page.text(this.frameKey,
			percentText(weights.total[node], weights.all), percentText(weights.base.total[node], weights.base.all))}`;
	}
}

class DiffFlame {
	/* frame: key of the text of a frame's shares; less: key of the colour for fewer samples; all: name of the root */
	constructor(page, element, profile, weights, { label, all, frame, less }) {
		const box = make("div", "range-flame");
		const line = make("p", "hint range-detail");
		this.page = page;
		this.less = less;
		WORDS.dictionary = page.lang === "zh" ? VIEWER_ZH : null;
		this.scale = make("p", "range-legend hint");
		element.append(box, line, this.scale);
		this.host = new PaneHost(page, profile, line, frame);
		this.pane = new FlamePane(this.host, box, { label });
		this.pane.set(profile.tree, weights, all);
		box.style.height = `${Math.min(Math.max((this.pane.layout.depths + 1) * ROW + 4, 90), 440)}px`;
		this.host.detail(null, -1);
		this.legend();
	}

	/* mode: "change" or "library" */
	color(mode) {
		this.host.mode = mode;
		this.host.paint();
		this.pane.draw();
		this.legend();
	}

	legend() {
		const { page } = this;
		const { colors, mode } = this.host;
		this.scale.replaceChildren();
		if (mode !== "change")
			return;
		const scale = make("span", "range-scale");
		for (const fill of colors.legend().fills) {
			const step = make("i");
			step.style.background = fill;
			scale.append(step);
		}
		this.scale.append(page.text(this.less), scale, page.text("range.more"));
	}

	changed(what) {
		this.host.paint();
		if (what === "theme")
			this.pane.draw();
		else
			this.pane.resized();
		this.legend();
	}

	key(event) {
		return document.activeElement === this.pane.canvas && this.pane.key(event);
	}
}
