/* Functions of both sides, and their differential flame graph. */
class CompareFunctionsSection {
	static id = "functions";
	static label = "compare.functions.title";
	static printed = true;
	static compares = true;

	static offered({ data }) {
		return Boolean(data.compare && data.compare.hot);
	}

	constructor(page, element) {
		this.page = page;
		this.flameBox = make("div");
		element.append(comparePart(page, "compare.hot", this.table()), comparePart(page, "compare.flame",
			make("p", "hint", page.text("compare.flame.hint")), this.flameBox));
	}

	table() {
		const { page } = this;
		const percent = (value) => fixedText(value, "%", 2);
		const tones = { more: "critical", new: "critical", less: "compare-good", gone: "compare-good",
			unknown: "compare-unclear" };
		return new RowTable(page, [
			{ label: page.text("col.function"), value: ({ symbol }) => symbol, text: ({ symbol }) => visible(symbol || NO_VALUE, 200) },
			{ label: page.text("col.object"), value: ({ dso }) => dso, text: ({ dso }) => visible(dso || NO_VALUE, 120) },
			{ label: page.text("compare.a"), number: true, value: ({ base }) => base.percent, text: ({ base }) => percent(base.percent),
				bar: ({ base }) => base.percent / 100 },
			{ label: page.text("compare.b"), number: true, value: ({ now }) => now[0].percent,
				text: ({ now }) => percent(now[0].percent), bar: ({ now }) => now[0].percent / 100 },
			{ label: page.text("compare.points"), number: true, value: ({ now }) => Math.abs(now[0].points),
				node: ({ now }) => make("span", toneOf(now[0].points), pointsText(now[0].points)) },
			{ label: page.text("compare.verdict"), value: ({ now }) => now[0].verdict, node: ({ now }) =>
				chip(Object.hasOwn(LANG, `compare.hot.${now[0].verdict}`) ? page.text(`compare.hot.${now[0].verdict}`)
					: visible(String(now[0].verdict), 20), Object.hasOwn(tones, now[0].verdict) ? tones[now[0].verdict] : "compare-same") },
		], page.data.compare.hot.rows, { label: page.text("compare.hot"), sort: 4, most: 30 }).element;
	}

	show() {
		if (this.reading)
			return;
		this.reading = true;
		this.page.profile().then((profile) => {
			if (profile)
				this.flame(profile);
		}).catch((error) => this.page.failed(this.flameBox, error)).finally(() => { this.done = true; });
	}

	flame(profile) {
		const { page } = this;
		this.diff = new DiffFlame(page, this.flameBox, profile, profile.weights, { label: page.text("compare.flame"),
			all: page.text("compare.flame.all"), frame: "compare.frame", less: "compare.less" });
	}

	key(event) {
		return Boolean(this.diff && this.diff.key(event));
	}

	changed(what) {
		if (this.diff)
			this.diff.changed(what);
	}

	busy() {
		return Boolean(this.reading) && !this.done;
	}

	told() {
		return { flame: Boolean(this.diff) };
	}
}
