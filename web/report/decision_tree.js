/* The decision tree: rules with their state; the path to each finding is marked and open. */
const TRUTH_MARKS = { true: "\u2713", false: "\u2717", unknown: "?", error: "!" };

class TreeSection {
	static id = "tree";
	static label = "tree.title";
	static printed = true;
	static keys = [["\u2191 \u2193", "tree.key.step"], ["\u2190 \u2192", "tree.key.fold"], ["Enter", "tree.key.detail"]];

	static offered(page) {
		return (page.data.tree || []).length > 0;
	}

	constructor(page, element) {
		this.page = page;
		this.rules = page.data.tree;
		this.items = []; /* {item, row, children, detail} of each rule */
		this.findings = new Map((page.data.findings || []).map((finding, at) => [finding.rule, at]));
		this.leads = this.rules.map(() => false); /* to a finding */
		for (const rule of this.findings.keys()) {
			for (let at = rule; at >= 0 && this.rules[at] && !this.leads[at]; at = this.rules[at].parent)
				this.leads[at] = true;
		}
		element.append(this.tools(), this.legend());
		this.list = make("ul", "tree");
		this.list.setAttribute("role", "tree");
		this.list.setAttribute("aria-label", page.text("tree.title"));
		this.rules.forEach((rule, at) => this.add(rule, at));
		element.append(this.list);
		this.fold((at) => this.leads[at] || this.rules[at].depth === 0);
		this.setCurrent(Math.max(this.leads.indexOf(true), 0));
		this.list.addEventListener("keydown", (event) => this.walk(event));
	}

	tools() {
		const { page } = this;
		const box = make("div", "tools-line screen");
		box.append(action(page.text("tree.open_all"), () => this.fold(() => true)),
			action(page.text("tree.close_all"), () => this.fold(() => false)),
			action(page.text("tree.active"), () => this.fold((at) => this.leads[at])));
		return box;
	}

	/* Number of rules by state. */
	legend() {
		const { page } = this;
		const counts = new Map();
		for (const { state } of this.rules)
			counts.set(state, (counts.get(state) || 0) + 1);
		const line = make("p", "tree-legend");
		for (const state of ["fired", "not_fired", "unknown", "invalid", "not_reached"]) {
			if (counts.has(state))
				line.append(chip(`${page.text(`state.${state}`)} ${counts.get(state)}`, `state ${state}`));
		}
		return line;
	}

	add(rule, at) {
		const { page } = this;
		const item = make("li", this.leads[at] ? "rule leads" : "rule");
		const row = make("div", `rule-row ${rule.state}`);
		const children = make("ul");
		const detail = make("div", "rule-detail");
		children.setAttribute("role", "group");
		item.setAttribute("role", "treeitem");
		item.setAttribute("aria-level", String(rule.depth + 1));
		item.tabIndex = -1;
		item.dataset.at = String(at);
		detail.hidden = true;
		const mark = make("span", "fold");
		row.append(mark, chip(page.text(`state.${rule.state}`), `state ${rule.state}`),
			make("span", "rule-name", page.in(rule.name) || visible(rule.id || "", 80)));
		if (this.findings.has(at))
			row.append(severityChip(page, rule.severity));
		if (rule.audit)
			row.append(make("span", "hint", page.text("tree.audit")));
		item.append(row, detail, children);
		mark.addEventListener("click", (event) => {
			event.stopPropagation();
			this.setOpen(at, children.hidden);
		});
		row.addEventListener("click", () => {
			this.setCurrent(at);
			item.focus();
			this.toggleDetail(at);
		});
		this.items[at] = { item, row, children, detail, mark };
		const parent = this.items[rule.parent];
		(parent ? parent.children : this.list).append(item);
	}

	/* ---- folding ---- */

	setOpen(at, open) {
		const { item, children, mark } = this.items[at];
		if (!children.hasChildNodes()) {
			mark.textContent = "";
			item.removeAttribute("aria-expanded");
			return;
		}
		children.hidden = !open;
		mark.textContent = open ? "\u25be" : "\u25b8";
		item.setAttribute("aria-expanded", String(open));
	}

	fold(isOpen) {
		this.items.forEach((_, at) => this.setOpen(at, isOpen(at)));
	}

	toggleDetail(at, open = this.items[at].detail.hidden) {
		const { detail, row } = this.items[at];
		if (open && !detail.hasChildNodes())
			this.describe(at, detail);
		detail.hidden = !open;
		row.classList.toggle("open", open);
		this.page.remember();
	}

	/* ---- one rule ---- */

	/* The reason for its state, in a sentence. */
	reason(rule) {
		const { page } = this;
		const parent = this.rules[rule.parent];
		const inputs = (rule.inputs || []).map((name) => variablesOf(page).get(name));
		const absent = inputs.filter((one) => one && (one.value === null || one.value === undefined));
		const wrong = (rule.tests || []).filter(([, truth]) => truth === "false").map(([text]) => visible(text, 200));
		switch (rule.state) {
		case "fired":
			return page.text(rule.expression ? "reason.fired" : "reason.always");
		case "not_fired":
			return wrong.length ? page.text("reason.false", wrong.join("; ")) : page.text("reason.not_fired");
		case "unknown":
			return page.text("reason.unknown", absent.map((one) => visible(one.name, 60)).join(", ") || NO_VALUE);
		case "invalid":
			return page.text("reason.invalid", page.in(rule.fault));
		default:
			return page.text("reason.not_reached", parent ? page.in(parent.name) : NO_VALUE);
		}
	}

	describe(at, element) {
		const { page } = this;
		const rule = this.rules[at];
		element.append(make("p", "", this.reason(rule)));
		if (rule.expression)
			element.append(make("pre", "expression", visibleLines(rule.expression)));
		if ((rule.tests || []).length) {
			const list = make("ul", "tests");
			for (const [text, truth] of rule.tests) {
				const known = Object.hasOwn(TRUTH_MARKS, truth) ? truth : "error";
				const line = make("li", `truth-${known}`);
				line.append(make("span", "mark", TRUTH_MARKS[known]), make("code", "", visible(text, 400)),
					make("span", "hint", page.text(`truth.${known}`)));
				list.append(line);
			}
			element.append(list);
		}
		const variables = variablesOf(page);
		const inputs = (rule.inputs || []).map((name) => variables.get(name) || { name, value: null, source: "" });
		if (inputs.length)
			element.append(new RowTable(page, [
				{ label: page.text("col.variable"), text: (one) => visible(one.name, 80) },
				{ label: page.text("col.value"), number: true, text: (one) => variableText(page, one) },
				{ label: page.text("col.source"), text: (one) => (one.constant
					? page.in(one.reason) || page.text("tree.threshold") : sourceText(page, one.source)) },
			], inputs, { label: page.text("tree.inputs") }).element);
		if (this.findings.has(at))
			element.append(action(page.text("tree.finding"), () =>
				page.open("findings", { f: String(this.findings.get(at)) }), "screen"));
		if (rule.file)
			element.append(make("p", "hint", page.text("tree.file", visible(rule.file, 200), rule.line)));
	}

	/* ---- keys ---- */

	setCurrent(at) {
		if (this.items[this.current])
			this.items[this.current].item.tabIndex = -1;
		this.current = at;
		this.items[at].item.tabIndex = 0;
	}

	walk(event) {
		const { current, rules } = this;
		const { children } = this.items[current];
		const seen = this.items.map(({ item }, at) => (item.checkVisibility() ? at : -1)).filter((at) => at >= 0);
		const here = seen.indexOf(current);
		const to = (at) => {
			if (at === undefined || at < 0)
				return;
			this.setCurrent(at);
			this.items[at].item.focus();
		};
		if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button"))
			return;
		switch (event.key) {
		case "ArrowDown": to(seen[here + 1]); break;
		case "ArrowUp": to(seen[here - 1]); break;
		case "Home": to(seen[0]); break;
		case "End": to(seen[seen.length - 1]); break;
		case "ArrowRight":
			if (children.hidden)
				this.setOpen(current, true);
			else if (children.firstChild)
				to(Number(children.firstChild.dataset.at));
			break;
		case "ArrowLeft":
			if (children.hasChildNodes() && !children.hidden)
				this.setOpen(current, false);
			else
				to(rules[current].parent);
			break;
		case "Enter": case " ": this.toggleDetail(current); break;
		default: return;
		}
		event.preventDefault();
		event.stopPropagation();
	}

	/* ---- for the link ---- */

	show() {
		const at = this.wanted;
		this.wanted = undefined;
		if (at === undefined)
			return;
		const { item, row } = this.items[at];
		row.scrollIntoView({ block: "center" });
		item.focus({ preventScroll: true });
	}

	restore({ node }) {
		const at = /^\d+$/.test(node || "") ? Number(node) : -1;
		if (!this.items[at])
			return;
		for (let up = this.rules[at].parent; up >= 0 && this.items[up]; up = this.rules[up].parent)
			this.setOpen(up, true);
		this.setCurrent(at);
		this.toggleDetail(at, true);
		this.wanted = at;
	}

	state() {
		const open = this.items.findIndex(({ detail }) => !detail.hidden);
		return open >= 0 ? { node: String(open) } : {};
	}

	told() {
		return { rules: this.items.length, leads: this.leads.flatMap((is, at) => (is ? [at] : [])),
			visible: this.items.filter(({ item }) => item.checkVisibility()).length };
	}
}

ReportPage.sections.push(TreeSection);
