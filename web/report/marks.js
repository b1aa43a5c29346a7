/* Shaded ranges of charts: times outside of the steady phase, and the time ranges of findings. */

/* The variable of the style that colours a severity. */
function severityColor(severity) {
	return { critical: "--critical", warning: "--warning" }[severity] || "--accent";
}

class TimeMarks {
	constructor(page) {
		const { phases, findings, time } = page.data;
		const whole = time.end_ms - time.begin_ms;
		this.page = page;
		this.unsteady = !phases || !(phases.from_ms < phases.until_ms) ? []
			: [[time.begin_ms, phases.from_ms], [phases.until_ms, time.end_ms]].filter(([from, until]) => until - from > 0);
		/* a finding of the whole time would only colour all charts */
		this.findings = (findings || []).filter(({ range_ms: range }) => range && range[0] < range[1] &&
			range[1] - range[0] < 0.9 * whole);
	}

	/* For LineChart. */
	shades() {
		const style = getComputedStyle(document.documentElement);
		const read = (name) => style.getPropertyValue(name).trim();
		return [...this.unsteady.map(([from, until]) => ({ from, until, color: read("--soft"), alpha: 0.1 })),
			...this.findings.map(({ range_ms: [from, until], severity }) => ({ from, until,
				color: read(severityColor(severity)), alpha: 0.12, strip: true }))];
	}

	/* Findings at a time, for the tooltip. */
	notesAt(ms) {
		return this.findings.filter(({ range_ms: [from, until] }) => ms >= from && ms <= until).slice(0, 2)
			.map(({ text }) => this.page.in(text).slice(0, 90));
	}

	legend() {
		const legend = make("span", "chart-marks");
		for (const [color, key, there] of [["--soft", "explorer.unsteady", this.unsteady.length],
			[severityColor((this.findings[0] || {}).severity), "explorer.findings", this.findings.length]]) {
			if (!there)
				continue;
			const item = make("span", "hint");
			const dot = make("i");
			dot.style.background = `var(${color})`;
			item.append(dot, this.page.text(key));
			legend.append(item);
		}
		return legend;
	}
}
