/* Read the data, show it, and export the state for tests (web/README.md). */
function reportLooker(page) {
	return {
		view: () => (page.current ? page.current.constructor.id : ""),
		state: () => page.fragment(),
		sections: () => page.offered.map(({ id }) => id),
		decoded: () => page.blocks.kept.size,
		range: () => page.range,
		reveal: (series, range) => page.reveal(series, range),
		busy: () => Boolean(page.current && page.current.busy && page.current.busy()),
		strings: () => Object.entries(LANG).filter(([, row]) => !row.en || !row.zh ||
			[row.en, row.zh].map((text) => (text.match(/\{\d\}/g) || []).sort().join())
				.some((found, i, all) => found !== all[0])).map(([key]) => key),
		printable: () => page.prepare().then(() => page.blocks.kept.size),
		source: (text) => sourceText(page, text),
		told: () => (page.current && page.current.told ? page.current.told() : null),
	};
}

async function startReport() {
	const data = JSON.parse(byId("pipa-data").textContent);
	if (data.schema !== "pipa.report/1")
		throw new Error(`schema ${visible(String(data.schema), 40)} is not known`);
	const page = new ReportPage(data);
	performance.mark("pipa-summary"); /* the summary is shown */
	return Object.freeze(reportLooker(page));
}

function reportFailed(error) {
	byId("views").replaceChildren(make("p", "empty", `This page cannot show its data: ${error.message}.`));
	console.error(error);
	return Object.freeze({ failed: error.message });
}

const ready = startReport().catch(reportFailed);
Object.defineProperty(window, "pipa", { value: Object.freeze({ ready }) });
