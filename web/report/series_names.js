/* Names of tables, metrics and lines of series, for charts and tables. */

/* The title of a table in the language of the page. */
function sectionTitle(page, series) {
	const key = `series.${series.section}`;
	return Object.hasOwn(LANG, key) ? page.text(key) : visible(series.title || series.section, 80);
}

/* A metric by its name and what it is: "await: average time of a request". */
function metricTitle(page, name, description) {
	const text = page.in(description);
	return text && page.lang === "en" ? `${visible(name, 60)}: ${text}` : visible(name, 60);
}

/* The name of a line: its instance, with the metric where a chart has several. */
function lineName({ label }, { name, words }, column, several) {
	const instance = label || name ? visible([name, ...(words || [])].filter(Boolean).join(" "), 60) : "";
	return several || !instance ? [instance, visible(column.name, 60)].filter(Boolean).join(" ") : instance;
}

/* Sources of the tables that several sources have: a name only tells them apart there. */
function sharedSections(all) {
	const sources = new Map();
	for (const { section, source } of all)
		sources.set(section, (sources.get(section) || new Set()).add(source));
	return new Set([...sources].filter(([, names]) => names.size > 1).map(([section]) => section));
}
