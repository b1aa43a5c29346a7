/* Hot spots: functions by self weight, with their source lines and instructions. */
class HotSection {
	static id = "hot";
	static label = "hot.title";
	static printed = true;

	static offered({ data }) {
		return (data.hot || []).length > 0;
	}

	constructor(page, element) {
		this.page = page;
		const { hot, profile } = page.data;
		const most = Math.max(...hot.map(({ self }) => self || 0), 1e-9);
		if (profile)
			element.append(make("p", "hint", page.text("hot.of", visible(profile.event || "", 60),
				countText(profile.samples || 0))));
		const percent = (value) => unitText(value, "%", 2);
		this.table = new RowTable(page, [
			{ label: page.text("col.function"), value: (row) => row.symbol, text: (row) => visible(row.symbol, 200) },
			{ label: page.text("col.self"), number: true, value: (row) => row.self, text: (row) => percent(row.self),
				bar: (row) => row.self / most },
			{ label: page.text("col.total"), number: true, value: (row) => row.total, text: (row) => percent(row.total) },
			{ label: page.text("col.samples"), number: true, value: (row) => row.samples,
				text: (row) => figureText(row.samples, 0) },
			{ label: page.text("col.scope"), value: (row) => row.scope, text: (row) => (Object.hasOwn(LANG,
				`scope.${row.scope}`) ? page.text(`scope.${row.scope}`) : visible(row.scope || NO_VALUE, 40)) },
			{ label: page.text("col.object"), value: (row) => row.object, text: (row) => visible(row.object || NO_VALUE, 120) },
		], hot, { label: page.text("hot.title"), sort: 1, more: (row) => this.more(row) });
		element.append(this.table.element);
	}

	/* A function that makes the rows below, or null if there are none. */
	more(row) {
		const { page } = this;
		const lines = row.lines || [];
		const instructions = row.instructions || [];
		if (!lines.length && !instructions.length)
			return null;
		return () => {
			const box = make("div", "hot-more");
			const percent = (at) => ({ label: page.text("col.percent"), number: true, value: (one) => one[at],
				text: (one) => unitText(one[at], "%", 2), bar: (one) => one[at] / 100 });
			const code = (at) => ({ label: page.text(at === 3 ? "col.code" : "col.assembly"),
				node: (one) => make("code", "", visible(one[at] || "", 300)) });
			if (lines.length)
				box.append(make("h4", "", page.text("hot.lines")), new RowTable(page, [
					{ label: page.text("col.line"), text: (one) => `${visible(one[0] || NO_VALUE, 160)}:${one[1]}` },
					percent(2), code(3),
				], lines, { label: page.text("hot.lines"), sort: 1 }).element);
			if (instructions.length)
				box.append(make("h4", "", page.text("hot.instructions")), new RowTable(page, [
					{ label: page.text("col.address"), text: (one) => visible(String(one[0]), 40) },
					percent(1), code(2),
				], instructions, { label: page.text("hot.instructions"), sort: 1 }).element);
			return box;
		};
	}
}

ReportPage.sections.push(HotSection);
