/* Defects of the data, their effect and repair, and the parts that could not be used. */
class QualitySection {
	static id = "quality";
	static label = "quality.title";
	static printed = true;

	static count({ data }) {
		return (data.quality || []).length + (data.unusable || []).length;
	}

	constructor(page, element) {
		const { quality = [], unusable = [] } = page.data;
		this.page = page;
		element.append(make("p", "hint", page.text("quality.what")));
		if (!quality.length)
			element.append(make("p", "card verdict none", page.text("quality.none")));
		else
			element.append(this.defects(quality));
		if (page.data.unlisted_defects > 0)
			element.append(make("p", "hint", page.text("quality.unlisted", countText(page.data.unlisted_defects))));
		if (unusable.length) {
			element.append(make("h3", "", page.text("quality.unusable")));
			element.append(new RowTable(page, [
				{ label: page.text("col.name"), text: (row) => visible(row.name || "", 300), value: (row) => row.name },
				{ label: page.text("col.reason"), text: (row) => page.in(row.text) },
			], unusable, { label: page.text("quality.unusable") }).element);
		}
		const low = [...variablesOf(page).values()].filter((one) => !one.constant && one.quality < 1 &&
			one.value !== null && one.value !== undefined);
		if (low.length)
			element.append(make("h3", "", page.text("quality.variables")), this.variables(low));
	}

	defects(list) {
		const { page } = this;
		const kind = (row) => (Object.hasOwn(LANG, `defect.${row.kind}`) ? page.text(`defect.${row.kind}`)
			: visible(String(row.kind), 40));
		return new RowTable(page, [
			{ label: page.text("col.defect"), text: kind, value: kind },
			{ label: page.text("col.where"), value: (row) => row.section,
				text: (row) => this.where(row) },
			{ label: page.text("col.when"), value: (row) => row.from_ms, node: (row) => this.when(row) },
			{ label: page.text("col.count"), number: true, value: (row) => row.count, text: (row) => countText(row.count || 0) },
			{ label: page.text("col.share"), number: true, value: (row) => row.share,
				text: (row) => unitText((row.share || 0) * 100, "%", 1), bar: (row) => row.share,
				tone: (row) => (row.share > 0.2 ? "critical" : "warning") },
			{ label: page.text("col.repaired"), value: (row) => Number(Boolean(row.repaired)),
				text: (row) => page.text(row.repaired ? "value.yes" : "value.no") },
			{ label: page.text("col.effect"), text: (row) => page.in(row.effect) },
		], list, { label: page.text("quality.title"), sort: 4 }).element;
	}

	/* "CPU time · 3 · %idle" */
	where({ section, instance, column }) {
		const { page } = this;
		if (!section)
			return page.text("quality.all");
		const columns = (page.data.series || []).filter((one) => one.section === section).flatMap((one) => one.columns);
		const { name = column } = columns.find(({ id }) => id === column) || {};
		return [sectionTitle(page, { section }), ...[instance, name].filter(Boolean).map((part) => visible(part, 80))]
			.join(" \u00b7 ");
	}

	when({ from_ms: from, until_ms: until }) {
		const { page } = this;
		if (!(until > from))
			return from > 0 ? page.moment(from) : NO_VALUE;
		return action(page.text("quality.range", page.moment(from), page.moment(until)),
			() => page.setRange({ from, until }), "link");
	}

	variables(list) {
		const { page } = this;
		return new RowTable(page, [
			{ label: page.text("col.variable"), text: (row) => visible(row.name, 80), value: (row) => row.name },
			{ label: page.text("col.value"), number: true, text: (row) => variableText(page, row) },
			{ label: page.text("col.quality"), number: true, value: (row) => row.quality,
				text: (row) => `${Math.round(row.quality * 100)}\u00a0%`, bar: (row) => row.quality },
			{ label: page.text("col.source"), text: (row) => sourceText(page, row.source) },
		], list, { label: page.text("quality.variables"), sort: 2, down: false }).element;
	}
}

ReportPage.sections.push(QualitySection);
