/* The series of a finding as charts, with its time range shaded. */
const EVIDENCE_LINES = 32; /* of a chart */

class EvidenceCharts {
	/* series: [[group, instance, column]...] of a finding */
	constructor(page, element, series, { range_ms: range = null, severity = "" }) {
		this.page = page;
		this.element = element;
		this.range = range;
		this.color = severityColor(severity);
		this.waits = 0;
		this.sight = new TimeSight({ from: page.data.time.begin_ms, until: page.data.time.end_ms }, () => {});
		const plans = this.plans(series);
		if (!plans.length)
			element.append(make("p", "hint", page.text("findings.no_series")));
		for (const plan of plans)
			this.chart(plan);
	}

	/* One chart for the series of a group that have the same unit. */
	plans(series) {
		const plans = new Map();
		for (const [group, instance, column] of series) {
			const entry = (this.page.data.series || [])[group];
			if (!entry || !entry.instances[instance] || !entry.columns[column] || entry.columns[column].kind === "text")
				continue;
			const { unit } = entry.columns[column];
			const key = `${group} ${unit}`;
			const plan = plans.get(key) || { group, entry, unit, refs: [] };
			plan.refs.push([instance, column]);
			plans.set(key, plan);
		}
		return [...plans.values()];
	}

	chart({ group, entry, unit, refs }) {
		const { page } = this;
		const box = make("div", "chart-body");
		const columns = new Set(refs.map(([, column]) => column));
		const { name, description } = entry.columns[refs[0][1]];
		const title = [sectionTitle(page, entry), columns.size === 1 ? metricTitle(page, name, description) : "",
			visible(unit, 20)].filter(Boolean).join(" \u00b7 ");
		this.element.append(make("h4", "", title), box);
		if (refs.length > EVIDENCE_LINES)
			this.element.append(make("p", "hint", page.text("findings.some_series", EVIDENCE_LINES, refs.length)));
		const chart = new LineChart(page, this.sight, box, { label: title, unit, height: 150, marks: () => this.marks() });
		this.waits++;
		this.lines(group, entry, refs.slice(0, EVIDENCE_LINES)).then((lines) => chart.set(lines))
			.catch((error) => page.failed(box, error)).finally(() => { this.waits--; });
	}

	async lines(group, entry, refs) {
		const { page } = this;
		const axis = await page.blocks.axis(group);
		const lines = [];
		const several = new Set(refs.map(([, column]) => column)).size > 1;
		for (const [instance, column] of refs) {
			const { first } = entry.instances[instance];
			const columns = await page.blocks.instance(group, instance);
			if (columns[column])
				lines.push({ name: lineName(entry, entry.instances[instance], entry.columns[column], several), axis, first, column: columns[column], title: columnText(page, entry.columns[column].description),
				reduced: entry.reduced_s > 0 });
		}
		return lines;
	}

	marks() {
		const { range, sight } = this;
		if (!range || !(range[0] < range[1]))
			return [];
		const color = getComputedStyle(document.documentElement).getPropertyValue(this.color).trim();
		if (range[1] - range[0] > 0.8 * (sight.all.until - sight.all.from))
			return []; /* do not shade almost the whole time */
		return [{ from: range[0], until: range[1], color, alpha: 0.1, strip: true }];
	}

	draw() {
		this.sight.drawNow();
	}
}
