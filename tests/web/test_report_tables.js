/* The raw tables of a report: rows, sort, filters, download, links. */
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const { test } = require("./lib.js");
const { BEGIN, cpuGroup, dayGroup, diskGroup, groupOf, memoryGroup, reportOf } = require("./report.js");
const { withReport } = require("./test_report_page.js");

const report = () => reportOf([cpuGroup({}), memoryGroup({}), diskGroup({})]);
const withTables = (made, run, options) => withReport(made, async (shown, page) => {
	await shown.load("#view=tables");
	await run(shown, page);
}, options, "");
const rows = async (shown) => (await shown.ask("told")).rows;
const cells = (page, line) => page.locator(".line").nth(line).locator(".cell").allInnerTexts();

async function filter(shown, page, label, text) {
	await page.locator(`.raw-filter[aria-label*="${label}"]`).fill(text);
	await shown.still();
}

async function saved(page) {
	const waiting = page.waitForEvent("download");
	await page.click(".raw-save");
	const download = await waiting;
	return { name: download.suggestedFilename(), lines: fs.readFileSync(await download.path(), "utf8").split("\r\n") };
}

test("a table has its rows, sorted by any column", () => withTables(report(), async (shown, page) => {
	assert.strictEqual(await rows(shown), 120 * 5);
	assert.deepStrictEqual((await cells(page, 0)).slice(0, 2), ["2026-01-15 12:00:01", "all"]);
	await page.click(".sort >> text=%usr");
	const [time, cpu, usr] = await cells(page, 0);
	assert.deepStrictEqual([time, cpu, usr], ["2026-01-15 12:01:01", "1", "99.00"]);
	const said = await shown.fragment();
	await shown.load(`#${said}`);
	assert.strictEqual((await cells(page, 0))[2], "99.00");
	await page.selectOption(".raw-tools select", "disk");
	await shown.still();
	assert.strictEqual(await rows(shown), 120 * 3);
}));

test("filters per column, of instances and of the time range", () => withTables(report(), async (shown, page) => {
	await filter(shown, page, "Filter of %usr", ">98");
	assert.strictEqual(await rows(shown), 1);
	await filter(shown, page, "Filter of %usr", "");
	await filter(shown, page, "Filter of CPU", "^all");
	assert.strictEqual(await rows(shown), 120);
	await filter(shown, page, "Filter of Time", "12:00:0");
	assert.strictEqual(await rows(shown), 9);
	const said = await shown.fragment();
	await shown.load(`#${said}&time=${BEGIN},${BEGIN + 5000}`);
	assert.strictEqual(await rows(shown), 9);
	await page.check(".raw-tools [type=checkbox]");
	assert.strictEqual(await rows(shown), 5);
	await filter(shown, page, "Filter of %usr", "nothing like it");
	assert(await page.locator("text=No row matches").isVisible());
	assert(await page.locator(".raw-save").isDisabled());
}));

test("the rows are downloaded as they are shown, without a request", () => withTables(report(), async (shown, page) => {
	await page.click(".sort >> text=%usr");
	await filter(shown, page, "Filter of CPU", "1");
	const { name, lines } = await saved(page);
	assert.strictEqual(name, "cpu.csv");
	assert.strictEqual(lines[0], "time,CPU,%usr,%sys,%iowait,%idle");
	assert.match(lines[1], /^2026-01-15T12:01:01\.000Z,1,99\.00,/);
	assert.strictEqual(lines.length, 122);
}));

test("names with commas and quotes are quoted in a download", () => {
	const ends = [BEGIN + 1000];
	const made = reportOf([groupOf({ section: "x/y", label: "N", columns: [["a", 'a"b', ""]], ends,
		instances: [{ name: 'p,"q"\n', values: [[1.5]] }] })]);
	return withTables(made, async (shown, page) => {
		const { name, lines } = await saved(page);
		assert.strictEqual(name, "x_y.csv");
		assert.deepStrictEqual(lines, ['time,N,"a""b"', '2026-01-15T12:00:01.000Z,"p,""q""\u27e8000A\u27e9",1.50', ""]);
	});
});

test("a reduced table has minimum, mean and maximum, and says so", () =>
	withTables(reportOf([cpuGroup({ seconds: 7200, per: 60 })], {}, { seconds: 7200 }), async (shown, page) => {
		assert.match(await page.locator(".raw-note").textContent(), /minimum, mean and maximum of 1 min/);
		assert.deepStrictEqual((await shown.ask("told")).columns.slice(2, 5), ["cpu.usr.min", "cpu.usr.mean", "cpu.usr.max"]);
		assert.strictEqual(await rows(shown), 120 * 5);
	}));

test("a day of 256 CPUs decodes only its overview before it is looked at, then all of it", () =>
	withReport(reportOf([dayGroup({})], {}, { seconds: 86400 }), async (shown, page) => {
		assert.strictEqual(await shown.ask("decoded"), 1, "the CPU time of the overview");
		await shown.load("#view=metrics");
		assert.strictEqual(await shown.ask("decoded"), 3, "all, and the expected CPUs");
		await page.locator(".chart-filter input").first().fill("0-255");
		await page.locator(".chart-filter input").nth(1).fill("^%usr");
		await shown.still();
		assert.strictEqual((await shown.ask("told")).charts[0].lines.length, 256);
		await shown.load("#view=tables");
		assert.match(await page.locator(".raw-note").textContent(), /per|minimum/);
		assert.strictEqual(await rows(shown), 1440 * 257);
		assert(await page.locator(".line").count() < 100, "only rows in sight are elements");
	}, {}, ""));
