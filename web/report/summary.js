/* The verdict, the workload in plain words, the metrics, the next steps, and the data they come from. */
class SummarySection {
	static id = "summary";
	static label = "summary.title";
	static printed = true;

	constructor(page, element) {
		this.page = page;
		element.append(this.verdict());
		this.overview = Overview.of(page, element);
		for (const part of [this.work(), this.findings(), this.next(), this.metrics(), this.data()]) {
			if (part)
				element.append(part);
		}
	}

	changed() {
		if (this.overview)
			this.overview.draw();
	}

	busy() {
		return Boolean(this.overview && this.overview.waits);
	}

	part(key, ...children) {
		const part = make("div", "part");
		part.append(make("h3", "", this.page.text(key)), ...children);
		return part;
	}

	verdict() {
		const { page } = this;
		const verdict = page.data.verdict || { severity: "none", text: null, finding: null };
		const severity = severityOf(verdict.severity);
		const card = make("div", `card verdict ${severity}`);
		const text = make("p", "verdict-text");
		if (verdict.text)
			page.runs(text, verdict.text);
		else
			text.textContent = page.text("summary.no_verdict");
		card.append(severityChip(page, severity), text);
		if (typeof verdict.finding === "number")
			card.append(action(page.text("summary.evidence"),
				() => page.open("findings", { f: String(verdict.finding) }), "screen"));
		return card;
	}

	/* Each statement with the values it is based on. */
	work() {
		const { page } = this;
		const list = page.data.characterization || [];
		if (!list.length)
			return null;
		const element = make("dl", "work");
		for (const { id, text, values } of list) {
			const body = make("dd");
			const said = make("p", "", page.in(text));
			const known = Object.hasOwn(LANG, `work.${id}`);
			body.append(said);
			if (values && values.length) {
				const based = make("p", "values");
				for (const [name, value, unit] of values)
					based.append(make("span", "", `${visible(name, 60)} ${amountText(value, unit)}`));
				body.append(based);
			}
			element.append(make("dt", "", known ? page.text(`work.${id}`) : visible(id, 40)), body);
		}
		return this.part("summary.work", element);
	}

	findings() {
		const { page } = this;
		const all = (page.data.findings || []).map((finding, at) => ({ finding, at }))
			.filter(({ finding }) => !finding.audit);
		if (all.length < 2) /* a single one is the verdict */
			return null;
		const list = make("ul", "brief");
		for (const { finding, at } of all.slice(0, 8)) {
			const item = make("li");
			item.append(severityChip(page, finding.severity),
				action(findingName(page, finding), () => page.open("findings", { f: String(at) }), "link"));
			list.append(item);
		}
		if (all.length > 8)
			list.append(make("li", "hint", page.text("summary.more", all.length - 8)));
		return this.part("summary.findings", list);
	}

	next() {
		const { page } = this;
		const steps = page.data.next || [];
		if (!steps.length)
			return null;
		const list = make("div", "steps");
		for (const { why, command, config } of steps) {
			const card = make("div", "card");
			card.append(make("p", "", page.in(why)));
			if (command)
				card.append(this.code(command));
			if (config)
				card.append(disclosure(page.text("summary.config"),
					(body) => body.append(this.code(config))));
			list.append(card);
		}
		return this.part("summary.next", list);
	}

	code(text) {
		const { page } = this;
		const box = make("div", "code");
		box.append(make("pre", "", visibleLines(text)), action(page.text("page.copy"), async () => {
			await copyText(text);
			page.say(page.text("page.copied"));
		}, "screen"));
		return box;
	}

	metrics() {
		const { page } = this;
		const groups = new Map();
		for (const metric of page.data.metrics || []) {
			if (!groups.has(metric.group))
				groups.set(metric.group, []);
			groups.get(metric.group).push(metric);
		}
		if (!groups.size)
			return null;
		const cards = make("div", "metric-cards");
		for (const [group, list] of groups) {
			const card = make("div", "card");
			const name = `group.${group}`;
			const table = make("table", "metrics");
			for (const { key, title, unit, value, digits } of list) {
				const line = table.insertRow();
				const head = make("th", "", Object.hasOwn(LANG, `metric.${key}`) && page.lang !== "en"
					? page.text(`metric.${key}`) : page.in(title || key));
				head.scope = "row";
				head.title = visible(key, 60);
				line.append(head, make("td", "number", amountText(value, unit, digits)));
			}
			const { of } = list[0];
			card.append(make("h4", "", `${Object.hasOwn(LANG, name) ? page.text(name) : visible(String(group), 40)}${
				of ? ` \u00b7 ${visible(of, 60)}` : ""}`), table);
			cards.append(card);
		}
		return this.part("summary.metrics", cards);
	}

	data() {
		const { page } = this;
		const { data } = page;
		const rows = [];
		if ((data.inputs || []).length)
			rows.push([page.text("summary.inputs"), data.inputs.map((path) => visible(path, 300)).join(", ")]);
		if (data.time && data.time.end_ms > data.time.begin_ms)
			rows.push([page.text("summary.time"), page.text("summary.time.range", page.moment(data.time.begin_ms),
				page.moment(data.time.end_ms), page.span(data.time.end_ms - data.time.begin_ms))]);
		if (data.phases) {
			const text = make("span", "", page.in(data.phases.text));
			const steady = steadyPhase(page);
			if (steady)
				text.append(" ", action(page.text("summary.phase.show"), () => page.setRange(steady), "link screen"));
			rows.push([page.text("summary.phases"), text]);
		}
		const defects = (data.quality || []).length;
		const unusable = (data.unusable || []).length;
		rows.push([page.text("summary.quality"), action(defects || unusable
			? page.text("summary.quality.some", defects, unusable) : page.text("summary.quality.none"),
		() => page.open("quality"), "link")]);
		if (data.profile)
			rows.push([page.text("summary.profile"), page.text("summary.profile.text",
				visible(data.profile.event || page.text("summary.profile.samples"), 60), countText(data.profile.samples || 0),
				countText(data.profile.lost || 0))]);
		return this.part("summary.data", pairs(rows));
	}
}

/* Return the lines of a text, escaped. */
function visibleLines(text) {
	return String(text).split("\n").map((line) => visible(line.replace(/\t/g, "    "), 2000)).join("\n");
}

ReportPage.sections.push(SummarySection);
