/* The charts of a report: lines, peaks, gaps, zoom, range, filters, links, reduced series, hostile names. */
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { near, test } = require("./lib.js");
const { names } = require("./test_hostile.js");
const { fits } = require("./test_narrow.js");
const { BEGIN, cpuGroup, diskGroup, groupOf, memoryGroup, reportOf } = require("./report.js");
const { withReport } = require("./test_report_page.js");

const report = () => reportOf([cpuGroup({}), memoryGroup({}), diskGroup({})]);
const withCharts = (made, run, options) => withReport(made, async (shown, page) => {
	await shown.load("#view=metrics");
	await run(shown, page);
}, options, "");
const chartOf = async (shown, id) => (await shown.ask("told")).charts.find((chart) => chart.id === id);
const linesOf = async (shown, id) => (await chartOf(shown, id)).lines.map(({ name }) => name);
const field = (page, id, n) => page.locator(`[data-chart="${id}"] .chart-filter input`).nth(n);

async function fill(shown, page, id, n, text) {
	await field(page, id, n).fill(text);
	await shown.still();
}

const scope = {};
vm.runInNewContext(`${["linechart.js", "filter.js"].map((file) =>
	fs.readFileSync(path.join(__dirname, "../../web/report", file), "utf8")).join("")}
	Object.assign(this, { linePoints, filterSelects, valueText, unitScale });`, scope);

function pointsOf(ends, values, pixels, first = 0, length = 1000) {
	const axis = { n: ends.length, end: Float64Array.from(ends), length: new Float64Array(ends.length).fill(length) };
	const points = [];
	scope.linePoints({ axis, first, values: Float64Array.from(values) }, ends[0] - length, ends[ends.length - 1], pixels,
		(x, value) => points.push([x, value]));
	return points;
}

test("a line on few pixels keeps its peaks, its ends and their order", () => {
	const values = Array.from({ length: 10000 }, (_, i) => (i === 4321 ? 99 : i === 4330 ? -7 : i % 3));
	const points = pointsOf(values.map((_, i) => (i + 1) * 1000), values, 100);
	assert(points.length <= 404, `${points.length} points`);
	assert(points.some(([, value]) => value === 99) && points.some(([, value]) => value === -7));
	assert(points.findIndex(([, value]) => value === 99) < points.findIndex(([, value]) => value === -7));
	assert.strictEqual(points[points.length - 1][1], values[9999]);
});

test("missing values and times without intervals interrupt a line", () => {
	const breaks = (points) => points.filter(([x]) => Number.isNaN(x)).length;
	assert.strictEqual(breaks(pointsOf([1000, 2000, 3000, 4000], [1, 2, 3, 4], 400)), 0);
	assert.strictEqual(breaks(pointsOf([1000, 2000, 9000, 10000], [1, 2, 3, 4], 400)), 1);
	assert.strictEqual(breaks(pointsOf([1000, 2000, 3000, 4000], [1, NaN, 3, 4], 400)), 1);
	assert.strictEqual(breaks(pointsOf([1000, 2010, 2990, 4000], [1, 2, 3, 4], 400)), 0, "jitter is no gap");
});

test("filters are those of PIPA", () => {
	const nodes = new Map([[0, 0], [1, 0], [2, 1]]);
	const chosen = (list, all) => all.filter((name) => scope.filterSelects(list, name, nodes));
	const cpus = ["all", "0", "1", "2", "10"];
	assert.deepStrictEqual(chosen("", cpus), cpus);
	assert.deepStrictEqual(chosen("1", cpus), ["1"]);
	assert.deepStrictEqual(chosen("0-1, ^all", cpus), ["all", "0", "1"]);
	assert.deepStrictEqual(chosen("numa_node_1", cpus), ["2"]);
	assert.deepStrictEqual(chosen("SD", ["sda", "nvme0n1"]), ["sda"]);
	assert.deepStrictEqual(chosen("^sd", ["sd", "sda"]), ["sd"]);
});

test("values have units that people read", () => {
	assert.strictEqual(scope.valueText(8 * 1024 * 1024, "kB"), "8\u00a0GiB");
	assert.strictEqual(scope.valueText(12.345, "%"), "12.35\u00a0%");
	assert.strictEqual(scope.valueText(1234567, ""), "1.23\u00a0M");
	assert.strictEqual(scope.valueText(NaN, "%"), "\u2014");
});

test("a chart per table and group of units, with the values of the data", () => withCharts(report(), async (shown, page) => {
	const { charts } = await shown.ask("told");
	assert.deepStrictEqual(charts.map(({ id }) => id), ["cpu", "mem_size_kb", "mem_percentage",
		"disk_rate_per_sec", "disk_throughput_kb", "disk_absolute_ms", "disk_percentage"]);
	assert.deepStrictEqual(await linesOf(shown, "cpu"), ["workload_avg %usr", "workload_avg %sys", "workload_avg %iowait",
		"all %usr", "all %sys", "all %iowait"]);
	const box = await page.locator('[data-chart="cpu"] canvas').boundingBox();
	const { left, inner } = await chartOf(shown, "cpu");
	await page.mouse.move(box.x + left + inner * 60.5 / 120, box.y + 60);
	assert.match(await page.locator("#tip").innerText(), /12:01:00/);
	const [avg] = (await chartOf(shown, "cpu")).lines;
	near(avg.max, 60 + 0, 0.2, "the peak of one CPU of two");
	near(avg.at.mean, avg.max, 0.001, "the value at the cursor");
	assert.match(await page.locator('[data-chart="mem_size_kb"] .chart-value').first().textContent(), /GiB/);
}));

test("only charts in view are decoded", () => withCharts(report(), async (shown, page) => {
	const decoded = async () => (await shown.ask("told")).charts.filter((chart) => chart.decoded).length;
	assert(await decoded() < 7);
	await page.locator('[data-chart="disk_percentage"]').scrollIntoViewIfNeeded();
	await page.waitForFunction(() => window.look.told().charts[6].decoded && !window.look.busy());
	assert.deepStrictEqual(await linesOf(shown, "disk_percentage"), ["sda", "sdb", "nvme0n1"]);
}, { height: 500 }));

test("filters choose instances and metrics, and a link restores them", () => withCharts(report(), async (shown, page) => {
	await fill(shown, page, "cpu", 0, "0-1,^all");
	await fill(shown, page, "cpu", 1, "^%usr");
	assert.deepStrictEqual(await linesOf(shown, "cpu"), ["all", "0", "1"]);
	await fill(shown, page, "cpu", 0, "numa_node_1");
	assert.deepStrictEqual(await linesOf(shown, "cpu"), ["2", "3"]);
	const said = await shown.fragment();
	await shown.load(`#${said}`);
	assert.deepStrictEqual(await linesOf(shown, "cpu"), ["2", "3"]);
	assert.strictEqual(await field(page, "cpu", 0).inputValue(), "numa_node_1");
	await fill(shown, page, "cpu", 0, "no such");
	assert.match(await page.locator('[data-chart="cpu"] .chart-note').textContent(), /selects nothing/);
	await page.fill(".chart-find", "await");
	assert.deepStrictEqual((await shown.ask("told")).charts.filter((c) => c.shown).map(({ id }) => id), ["disk_absolute_ms"]);
}));

test("charts zoom together by key, wheel and button, and a link restores it", () => withCharts(report(), async (shown, page) => {
	const sight = async () => {
		await shown.still();
		const { from, until } = await shown.ask("told");
		return [from - BEGIN, until - BEGIN];
	};
	await shown.press("+");
	assert.deepStrictEqual(await sight(), [30e3, 90e3]);
	await shown.press(">");
	assert.deepStrictEqual(await sight(), [45e3, 105e3]);
	const said = await shown.fragment();
	await shown.press("0");
	assert.deepStrictEqual(await sight(), [0, 120e3]);
	await shown.load(`#${said}`);
	assert.deepStrictEqual(await sight(), [45e3, 105e3]);
	await page.click(".chart-reset");
	const box = await page.locator('[data-chart="cpu"] canvas').boundingBox();
	const { left } = await chartOf(shown, "cpu");
	await page.mouse.move(box.x + left, box.y + 60);
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, -200);
	await page.keyboard.up("Control");
	await page.waitForFunction(() => window.look.told().until < window.look.told().from + 110e3);
	assert.strictEqual((await sight())[0], 0, "the time at the pointer stays");
}));

test("a range that is dragged is shared, zoomed to and cleared", () => withCharts(report(), async (shown, page) => {
	const box = await page.locator('[data-chart="cpu"] canvas').boundingBox();
	const { left, inner } = await chartOf(shown, "cpu");
	const drag = async (from, until) => {
		await page.mouse.move(box.x + left + inner * from, box.y + 80);
		await page.mouse.down();
		await page.mouse.move(box.x + left + inner * until, box.y + 90, { steps: 4 });
		await page.mouse.up();
		await shown.still();
	};
	await page.evaluate(() => addEventListener("pipa-range", () => { window.heard = true; }, true));
	await drag(0.25, 0.5);
	const range = await shown.ask("range");
	near(range.from - BEGIN, 30e3, 0.02, "from");
	near(range.until - BEGIN, 60e3, 0.02, "until");
	assert.strictEqual(await page.evaluate(() => window.heard), true);
	assert.match(await shown.text("range-text"), /12:00:30 to 12:01:00 \(30/);
	await shown.press("z");
	near((await shown.ask("told")).from, range.from, 1e-9, "zoomed");
	const said = await shown.fragment();
	assert.match(said, /time=/);
	await shown.load(`#${said}`);
	assert.deepStrictEqual(await shown.ask("range"), { from: Math.round(range.from), until: Math.round(range.until) });
	await shown.press("Escape");
	assert.strictEqual(await shown.ask("range"), null);
	await page.locator('[data-chart="cpu"] canvas').focus();
	await shown.press("0", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight");
	near((await shown.ask("range")).until - (await shown.ask("range")).from, 2400, 0.01, "drawn with keys");
}));

test("the legend switches lines, evidence is revealed", () => withCharts(report(), async (shown, page) => {
	await page.locator('[data-chart="cpu"] .chart-line').first().click();
	assert.strictEqual((await chartOf(shown, "cpu")).lines[0].hidden, true);
	await page.locator('[data-chart="cpu"] .chart-line').first().click({ modifiers: ["Shift"] });
	assert.deepStrictEqual((await chartOf(shown, "cpu")).lines.map(({ hidden }) => hidden),
		[false, true, true, true, true, true]);
	await page.evaluate(([at]) => window.look.reveal([[2, 1, 3]], [at, at + 5000]), [BEGIN]);
	await shown.still();
	assert.deepStrictEqual(await linesOf(shown, "disk_percentage"), ["sdb"]);
	assert(await page.locator('[data-chart="disk_percentage"].revealed').isVisible());
	assert.strictEqual((await shown.ask("range")).until - BEGIN, 5000);
}));

test("reduced series keep their extremes and say so", () =>
	withCharts(reportOf([cpuGroup({ seconds: 7200, per: 60 })], {}, { seconds: 7200 }), async (shown, page) => {
		await fill(shown, page, "cpu", 0, "1");
		const { lines } = await chartOf(shown, "cpu");
		assert.strictEqual(lines[0].reduced, true);
		near(lines[0].max, 99, 0.01, "the peak of a second");
		assert.match(await page.locator('[data-chart="cpu"] .chart-note').textContent(), /Reduced.*1 min/);
	}));

test("a report whose blocks are damaged shows what it can", () => {
	const made = report();
	made.blocks[0] = made.blocks[0].slice(0, 40);
	return withCharts(made, async (shown, page) => {
		assert.match(await page.locator('[data-chart="cpu"] .notice').textContent(), /cannot show/);
		assert.deepStrictEqual(await linesOf(shown, "mem_size_kb"), ["kbmemfree", "kbmemused"]);
		shown.troubles.length = 0;
	});
});

test("hostile names in series are texts", () => {
	const ends = [1, 2, 3].map((s) => BEGIN + s * 1000);
	const made = reportOf([groupOf({ section: names[0], title: names[1], label: names[2], source: names[3],
		columns: names.map((name) => [name, name, name.length % 2 ? "%" : name, 1, "gauge", name]), ends,
		instances: names.map((name) => ({ name, words: [name], values: names.map(() => [1, NaN, 3]) })) })],
	{ title: names[0], inputs: names, pipa: names[1] });
	return withCharts(made, async (shown, page) => {
		for (const id of ["metrics", "tables"]) {
			await shown.load(`#view=${id}&find=${encodeURIComponent(names[1])}&table=${encodeURIComponent(names[0])}`);
			await page.mouse.move(600, 300);
			await shown.press("g", "g");
		}
		assert.strictEqual(await page.evaluate(() => window.hurt), undefined);
		assert.strictEqual(await page.locator("script:not([type])").count(), 1);
		assert.strictEqual(await page.locator("img").count(), 0);
	});
});

test("charts and tables fit a phone and a wall, in both languages", async () => {
	for (const [width, height] of [[390, 844], [2560, 1440]]) {
		await withCharts(report(), async (shown, page) => {
			for (const view of ["metrics", "tables"]) {
				for (const lang of ["en", "zh"]) {
					await shown.load(`#view=${view}&lang=${lang}&time=${BEGIN},${BEGIN + 5000}`);
					await fits(page, `${view} in ${lang} at ${width}`);
				}
			}
		}, { width, height });
	}
});
