/* Texts on a frame: for the tooltip, the foot of the page and screen readers. */

const KIND_TEXT = ["user", "kernel", "JIT", "group", "unresolved"];

/* Return [[name, amount, share, samples]...] of a node, -1: of the root. */
function factRows(profile, weights, node) {
	const { unit } = profile;
	const row = (what, value, samples) => [what, weightText(value, unit),
		percentText(value, weights.all), samples >= 0 ? plural(samples, "sample", "samples") : ""];
	if (node < 0)
		return [[local("total"), weightText(weights.all, unit), "100\u00a0%", ""]];
	const rows = unit === "samples" || unit === ""
		? [row(local("total"), weights.total[node], -1), row(local("self"), weights.self[node], -1)]
		: [row(local("total"), weights.total[node], weights.samples(node)),
			row(local("self"), weights.self[node], weights.selfSamples(node))];
	return weights.base ? changeRows(profile, weights, node) : rows;
}

function changeRows(profile, weights, node) {
	const { base } = weights;
	const { unit } = profile;
	const share = (part, all) => (all ? part / all * 100 : 0);
	const rows = [];
	for (const [what, column] of [["total", "total"], ["self", "self"]]) {
		const now = weights[column][node];
		const then = base[column][node];
		const by = now - then;
		rows.push([local(`${what} now`), weightText(now, unit), percentText(now, weights.all), ""]);
		rows.push([local(`${what} base`), weightText(then, unit), percentText(then, base.all), ""]);
		rows.push([local(`${what} change`), signed(by, weightText(Math.abs(by), unit)),
			local("{0} points", pointsText(share(now, weights.all) - share(then, base.all))), ""]);
	}
	return rows;
}

/* Return library and kind of a frame as text. */
function placeText(profile, frame) {
	const words = [];
	const object = profile.objectOf(frame);
	if (object)
		words.push(visible(object, 120));
	if (profile.kind[frame] === KIND.group)
		words.push(local(profile.payload.by || "group"));
	else
		words.push(local(KIND_TEXT[profile.kind[frame]] || ""));
	if (profile.inlined[frame])
		words.push(local("inlined"));
	return words.filter(Boolean).join(" \u00b7 ");
}

/* Return the text on a node for screen readers. */
function spoken(profile, weights, tree, node) {
	if (node < 0)
		return local("all, {0}", weightText(weights.all, profile.unit));
	const frame = tree.frame[node];
	const object = profile.objectOf(frame);
	const name = visible(profile.nameOf(frame), 200);
	let text = local("{0}, depth {1}, total {2}, self {3}", object ? local("{0} in {1}", name, visible(object, 80)) : name,
		tree.depth[node] + 1, percentText(weights.total[node], weights.all),
		percentText(weights.self[node], weights.all));
	if (weights.base)
		text += local(", was {0}", percentText(weights.base.total[node], weights.base.all));
	return text;
}

class Tip {
	constructor(element) {
		this.element = element;
	}

	/* rows of texts under a heading, near a point of the window */
	show(heading, place, rows, x, y) {
		const { element } = this;
		const table = make("table");
		for (const row of rows) {
			const line = table.insertRow();
			for (const text of row)
				line.insertCell().textContent = text;
		}
		element.replaceChildren(make("strong", "", heading), make("p", "", place), table);
		element.hidden = false;
		const box = element.getBoundingClientRect();
		const left = x + 16 + box.width > innerWidth ? x - box.width - 12 : x + 16;
		const top = y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18;
		element.style.left = `${Math.max(left, 4)}px`;
		element.style.top = `${Math.max(top, 4)}px`;
	}

	frame(profile, pane, node, x, y) {
		if (node < 0) {
			this.show(pane.title, "", factRows(profile, pane.weights, -1), x, y);
			return;
		}
		const frame = pane.tree.frame[node];
		this.show(visible(profile.nameOf(frame)), placeText(profile, frame),
			factRows(profile, pane.weights, node), x, y);
	}

	hide() {
		if (!this.element.hidden)
			this.element.hidden = true;
	}
}
