/* Findings: text, confidence, next step; on demand the evidence: variables, series, place in the tree. */
class FindingsSection {
	static id = "findings";
	static label = "findings.title";
	static printed = true;
	static keys = [["j k", "findings.key.step"], ["e", "findings.key.evidence"]];

	static count(page) {
		return (page.data.findings || []).length;
	}

	constructor(page, element) {
		this.page = page;
		this.element = element;
		this.cards = [];
		this.charts = []; /* of evidence that was opened */
		const all = page.data.findings || [];
		if (!all.length) {
			element.append(make("p", "card verdict none", page.text("findings.none")));
			return;
		}
		for (const [key, audit] of [["findings.diagnosis", false], ["findings.audit", true]]) {
			const some = all.map((finding, at) => [finding, at]).filter(([{ audit: is }]) => Boolean(is) === audit);
			if (!some.length)
				continue;
			if (some.length < all.length)
				element.append(make("h3", "", page.text(key)));
			for (const [finding, at] of some)
				element.append(this.card(finding, at));
		}
	}

	card(finding, at) {
		const { page } = this;
		const rule = (page.data.tree || [])[finding.rule];
		const card = make("article", `card finding ${severityOf(finding.severity)}`);
		const head = make("div", "finding-head");
		const text = page.runs(make("p", "finding-text"), finding.text);
		card.id = `finding-${at}`;
		card.tabIndex = -1;
		head.append(severityChip(page, finding.severity),
			make("h4", "", findingName(page, finding)), this.confidence(finding));
		card.append(head, text);
		if (finding.next && (finding.next[page.lang] || finding.next.en || []).length) {
			const next = make("p", "finding-next");
			next.append(make("b", "", `${page.text("findings.next")} `));
			card.append(page.runs(next, finding.next));
		}
		const evidence = disclosure(page.text("findings.evidence", (finding.evidence || []).length),
			(body) => this.evidence(finding, body), "evidence");
		const tools = make("div", "finding-tools screen");
		const range = finding.range_ms;
		if (range && range[0] < range[1])
			tools.append(action(page.text("findings.range", page.moment(range[0]), page.moment(range[1])), () => {
				page.setRange({ from: range[0], until: range[1] });
				if (page.data.profile)
					page.open("range");
			}));
		const series = this.series(finding);
		if (series.length && page.offered.some(({ id }) => id === "metrics"))
			tools.append(action(page.text("findings.charts"), () => page.reveal(series, range)));
		if (rule)
			tools.append(action(page.text("findings.tree"), () =>
				page.open("tree", { node: String(finding.rule) })));
		card.append(evidence, tools);
		this.cards[at] = { card, evidence };
		evidence.firstChild.addEventListener("click", () => page.remember());
		return card;
	}

	confidence({ confidence }) {
		const { page } = this;
		const box = make("span", "confidence");
		const share = Number(confidence) || 0;
		box.append(make("span", "", page.text("findings.confidence", Math.round(share * 100))), meter(share));
		return box;
	}

	/* All series of the evidence, each once. */
	series(finding) {
		const found = new Map();
		for (const { series } of finding.evidence || []) {
			for (const ref of series || [])
				found.set(ref.join("/"), ref);
		}
		return [...found.values()];
	}

	evidence(finding, body) {
		const { page } = this;
		const rows = finding.evidence || [];
		if (rows.length)
			body.append(new RowTable(page, [
				{ label: page.text("col.variable"), text: (row) => visible(row.variable, 80),
					value: (row) => row.variable },
				{ label: page.text("col.value"), number: true, text: (row) => variableText(page, row) },
				{ label: page.text("col.source"), text: (row) => sourceText(page, row.source) },
				{ label: page.text("col.quality"), number: true, value: (row) => row.quality,
					text: (row) => `${Math.round((row.quality ?? 1) * 100)}\u00a0%`,
					bar: (row) => row.quality ?? 1 },
			], rows, { label: page.text("findings.variables") }).element);
		const place = this.place(finding);
		if (place)
			body.append(place);
		const series = this.series(finding);
		if (series.length) {
			const charts = make("div", "evidence-charts");
			body.append(charts);
			this.charts.push(new EvidenceCharts(page, charts, series, finding));
		}
	}

	/* The way from the root of the decision tree to the rule. */
	place({ rule }) {
		const { page } = this;
		const { tree = [] } = page.data;
		const path = [];
		for (let at = rule; at >= 0 && tree[at] && path.length < tree.length; at = tree[at].parent)
			path.unshift(at);
		if (!path.length)
			return null;
		const line = make("p", "path");
		line.append(make("b", "", `${page.text("findings.place")} `));
		path.forEach((at, i) => line.append(i ? " \u203a " : "",
			action(page.in(tree[at].name), () => page.open("tree", { node: String(at) }), "link")));
		return line;
	}

	/* ---- which are open ---- */

	show() {
		if (this.wanted) {
			const first = this.cards[this.wanted[0]];
			this.wanted = null;
			if (first)
				first.card.scrollIntoView({ block: "start" });
		}
	}

	restore({ f }) {
		const list = (f || "").split(",").filter((n) => /^\d+$/.test(n)).map(Number)
			.filter((n) => this.cards[n]);
		for (const at of list)
			this.cards[at].evidence.toggle(true);
		this.wanted = list.length ? list : null;
	}

	state() {
		const open = this.cards.flatMap(({ evidence }, at) => (evidence.lastChild.hidden ? [] : [at]));
		return open.length ? { f: open.join(",") } : {};
	}

	/* The finding that has the focus, else -1. */
	at() {
		return this.cards.findIndex(({ card }) => card.contains(document.activeElement));
	}

	key(event) {
		const { cards } = this;
		const step = { j: 1, k: -1 }[event.key];
		if (!cards.length || (!step && event.key !== "e"))
			return false;
		const at = this.at();
		if (step) {
			const to = Math.min(Math.max(at < 0 ? 0 : at + step, 0), cards.length - 1);
			cards[to].card.focus();
			cards[to].card.scrollIntoView({ block: "nearest" });
		} else {
			cards[Math.max(at, 0)].evidence.toggle();
			this.page.remember();
		}
		return true;
	}

	/* On paper the evidence of all findings is shown. */
	changed(what) {
		if (what === "print") {
			this.closed = this.cards.filter(({ evidence }) => evidence.lastChild.hidden);
			for (const { evidence } of this.closed)
				evidence.toggle(true);
		} else if (what === "screen" && this.closed) {
			for (const { evidence } of this.closed)
				evidence.toggle(false);
			this.closed = null;
		}
		for (const charts of this.charts)
			charts.draw();
	}

	busy() {
		return this.charts.some(({ waits }) => waits > 0);
	}

	told() {
		return { findings: this.cards.length, open: this.state().f || "",
			lines: this.charts.flatMap(({ sight }) => [...sight.charts].map(({ lines }) => lines.map(({ name }) => name))) };
	}
}

ReportPage.sections.push(FindingsSection);
