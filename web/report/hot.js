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
			element.append(make("p", "hint", page.text("hot.of", visible(profile.event || page.text("summary.profile.samples"), 60),
				countText(profile.samples || 0))));
		const percent = (value) => fixedText(value, "%", 2);
		this.table = new RowTable(page, [
			{ label: page.text("col.function"), value: (row) => row.symbol, text: (row) => visible(row.symbol, 200) },
			{ label: page.text("col.self"), number: true, value: (row) => row.self, text: (row) => percent(row.self),
				bar: (row) => row.self / most },
			{ label: page.text("col.total"), number: true, value: (row) => row.total, text: (row) => percent(row.total) },
			{ label: page.text("col.samples"), number: true, value: (row) => row.samples,
				text: (row) => figureText(row.samples, 0) },
			{ label: page.text("col.hottest"), text: (row) => this.hottest(row), title: (row) => this.place(row) },
			{ label: page.text("col.scope"), value: (row) => row.scope, text: (row) => (Object.hasOwn(LANG,
				`scope.${row.scope}`) ? page.text(`scope.${row.scope}`) : visible(row.scope || NO_VALUE, 40)) },
			{ label: page.text("col.object"), value: (row) => row.object, text: (row) => visible(row.object || NO_VALUE, 120) },
		], hot, { label: page.text("hot.title"), sort: 1, more: (row) => this.more(row) });
		element.append(this.table.element);
	}

	/* "parse.c:120" of the line with most samples. */
	hottest({ lines }) {
		return lines && lines.length ? `${visible(lines[0][0].split("/").pop(), 60)}:${lines[0][1]}` : NO_VALUE;
	}

	place({ lines }) {
		return lines && lines.length ? visible(`${lines[0][0]}:${lines[0][1]}`, 300) : "";
	}

	/* A function that makes the rows below, or null if there are none. */
	more(row) {
		const { page } = this;
		const lines = row.lines || [];
		const instructions = row.instructions || [];
		if (!lines.length && !instructions.length && !row.note)
			return null;
		return () => {
			const box = make("div", "hot-more");
			if (row.note)
				box.append(make("p", "hint", page.in(row.note)));
			const percent = (at) => ({ label: page.text("col.percent"), number: true, value: (one) => one[at],
				text: (one) => fixedText(one[at], "%", 2), bar: (one) => one[at] / 100 });
			const code = (at) => ({ label: page.text(at === 3 ? "col.code" : "col.assembly"),
				node: (one) => make("code", "", visible(one[at] || "", 300)) });
			const part = (key, columns, rows) => {
				const element = make("div");
				element.append(make("h4", "", page.text(key)),
					new RowTable(page, columns, rows, { label: page.text(key), sort: 1 }).element);
				box.append(element);
			};
			if (lines.length)
				part("hot.lines", [
					{ label: page.text("col.line"), text: (one) => `${visible(one[0] || NO_VALUE, 160)}:${one[1]}`,
						value: (one) => one[1] },
					percent(2), ...(lines.some((one) => one[3]) ? [code(3)] : []),
				], lines);
			if (instructions.length)
				part("hot.instructions", [
					{ label: page.text("col.address"), text: (one) => visible(String(one[0]), 40) },
					percent(1), ...(instructions.some((one) => one[2]) ? [code(2)] : []),
				], instructions);
			return box;
		};
	}
}

ReportPage.sections.push(HotSection);
