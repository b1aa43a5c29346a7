/* The series of a finding as charts. */

/* Fill an element with the charts of series [[group, instance, column]...]. */
function showEvidence(page, element, series, range) {
	const known = series.filter(([group, instance, column]) => {
		const entry = (page.data.series || [])[group];
		return entry && entry.instances[instance] && entry.columns[column];
	});
	if (!known.length) {
		element.append(make("p", "hint", page.text("findings.no_series")));
		return;
	}
	for (const [group, instance, column] of known) {
		const { title, instances, columns } = page.data.series[group];
		element.append(make("p", "", [title, instances[instance].name, columns[column].name].filter(Boolean)
			.map((text) => visible(text, 80)).join(" \u00b7 ")));
	}
}
