/*
 * A small chart of the CPU time of the whole machine, to select a time range. Only the series of all CPUs together is
 * decoded.
 */
const OVERVIEW_COLUMNS = [["%user", "%usr"], ["%nice"], ["%system", "%sys"], ["%iowait"], ["%steal"]];

/* {group, at, columns} of the CPU time of all CPUs, null if there is none. */
function overviewSeries({ series = [] }) {
	for (const [group, { section, instances, columns, evidence }] of series.entries()) {
		const at = instances.findIndex(({ name }) => name === "all");
		const found = OVERVIEW_COLUMNS.map((names) => columns.findIndex(({ name }) => names.includes(name)))
			.filter((column) => column >= 0);
		if (/^(cpu|cpu-short)$/.test(section) && !evidence && at >= 0 && found.length)
			return { group, at, columns: found };
	}
	return null;
}

class Overview {
	/* An overview in an element; null if the page has no CPU time. */
	static of(page, element) {
		const plan = overviewSeries(page.data);
		return plan ? new Overview(page, element, plan) : null;
	}

	constructor(page, element, plan) {
		const { begin_ms: from, end_ms: until } = page.data.time;
		this.page = page;
		this.marks = new TimeMarks(page);
		this.waits = 1;
		this.box = make("div", "card overview");
		const head = make("p", "overview-head");
		head.append(make("b", "", page.text("overview.title")), make("span", "hint screen", page.text("overview.hint")),
			this.marks.legend());
		this.box.append(head);
		element.append(this.box);
		this.sight = new TimeSight({ from, until }, () => {});
		this.chart = new LineChart(page, this.sight, this.box, { label: page.text("overview.title"), unit: "%", height: 130,
			marks: () => this.marks.shades(), notes: (ms) => this.marks.notesAt(ms) });
		requestAnimationFrame(() => setTimeout(() => this.fill(plan))); /* after the page is painted */
	}

	async fill({ group, at, columns }) {
		const { blocks, data } = this.page;
		const series = data.series[group];
		try {
			const [axis, values] = await Promise.all([blocks.axis(group), blocks.instance(group, at)]);
			this.chart.set(columns.map((column) => ({ name: series.columns[column].name, axis, first: series.instances[at].first,
				column: values[column], title: columnText(this.page, series.columns[column].description),
				reduced: series.reduced_s > 0 })));
		} catch (error) {
			this.box.remove(); /* the explorer shows the reason */
		}
		this.waits = 0;
	}

	draw() {
		this.chart.draw();
	}

	remove() {
		this.chart.remove();
	}
}
