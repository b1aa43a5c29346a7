/* The page of a comparison: changes, series of both sides on one axis, functions and facts. */
"use strict";

const assert = require("node:assert");
const { fileOf, test, withFile } = require("./lib.js");
const { payloadOf } = require("./payload.js");
const { reportOf, reportPageOf } = require("./report.js");
const { fits } = require("./test_narrow.js");

const HOSTILE = "<img src=x onerror=alert(1)>";
const both = (en, zh) => ({ en, zh });

function row(key, a, b, more = {}) {
	return { key, title: key, unit: "%", digits: 2, better: 0, a: { value: a, sd: 1, n: 60, effective: 50 },
		b: { value: b, sd: 1, n: 60, effective: 40 }, difference: b - a, percent: 100 * (b - a) / a, p: 0.5,
		verdict: "same", ...more };
}

function comparison() {
	const side = (title) => ({ title, inputs: [title], begin_ms: 1e12, end_ms: 1e12 + 6e4, steady_from_ms: 1e12 + 1e4,
		steady_until_ms: 1e12 + 6e4, steady_s: 50, interval_s: 1, only_series: 2 });
	const values = (of) => Array.from({ length: 60 }, (_, i) => (i === 30 ? null : of + i % 3));
	const table = (...rows) => ({ tested: rows.length, significant: 2, rows });
	const report = reportOf([], {
		time: { begin_ms: 0, end_ms: 50000, clock: "elapsed" },
		compare: { a: side("before"), b: side(HOSTILE),
			warnings: [{ id: "machine", text: both("The machines differ.", "两台机器不同。") }],
			facts: [{ section: "cpu_info", key: "Model name", a: "Xeon", b: HOSTILE, machine: true }],
			findings: [{ id: "cpu", name: both("CPUs saturated", "CPU 饱和"), severity: "critical", change: "appeared",
				a: { state: "unknown" }, b: { state: "fired", text: both("busy", "忙碌") } }],
			tables: {
				summary: table(row("cpu_user", 30, 60, { verdict: "higher", p: 1e-9 }), row("ipc", 2, 1, { verdict: "worse", p: 1e-5 })),
				metrics: table(row("run_time", 10, 20, { p: null, verdict: "unclear" })),
				variables: table(row("busiest_disk_name", 1, 1, { a: { value: "sda" }, b: { value: HOSTILE },
					difference: null, percent: null, p: null, verdict: "unclear" })),
				series: table(
					row("cpu.user", 30, 60, { section: "cpu", instance: "all", verdict: "higher", p: 1e-9, chart: 0 }),
					row("disk.await", 4, 2, { section: "disk", instance: HOSTILE, verdict: "better", unit: "ms", chart: 1 }),
					row("load.1", 1, 1, { section: "load", instance: "", unit: "" })),
			},
			hot: { event: "cycles", unit: "events", basis: "percentages", rows: [
				{ dso: "libx.so", symbol: HOSTILE, base: { percent: 10, weight: 10, samples: 10 },
					now: [{ percent: 40, weight: 40, samples: 40, points: 30, weight_change: 30, verdict: "more" }] },
				{ dso: "libx.so", symbol: "g", base: { percent: 90, weight: 90, samples: 90 },
					now: [{ percent: 60, weight: 60, samples: 60, points: -30, weight_change: -30, verdict: "less" }] }] },
			overlay: { from_ms: -10000, step_ms: 1000, n: 60 }, charts: [[values(30), values(60)], [values(4), values(2)]] },
	});
	report.profile = payloadOf([[["main", HOSTILE], 40, 40, 10], [["main", "g"], 60, 60, 90]], { view: "diff" });
	return report;
}

const withComparison = (run, options) => withFile(fileOf(reportPageOf(comparison())), run, options);
const textOf = (page) => page.evaluate(() => document.querySelector(".section:not([hidden])").innerText);

test("a comparison has its own sections, in both languages and themes, and runs no names", () =>
	withComparison(async (shown, page) => {
		assert.deepStrictEqual(await shown.ask("sections"), ["compare", "series", "functions", "configuration"]);
		for (const [lang, theme] of [["en", "light"], ["zh", "dark"]]) {
			await shown.load(`#lang=${lang}&theme=${theme}`);
			for (const id of await shown.ask("sections")) {
				await page.click(`#tabs [data-section=${id}]`);
				await page.waitForFunction(() => !window.look.busy());
				const text = await textOf(page);
				assert(!/undefined|NaN|\[object|\{\d\}|compare\./.test(text), `${id} ${lang}: ${text}`);
				assert.strictEqual(await page.locator(".section img").count(), 0, id);
				assert(text.includes("img src=x"), id);
				if (lang === "zh")
					assert(/[\u4e00-\u9fff]/.test(text), `${id} is not Chinese`);
			}
		}
		assert.deepStrictEqual(await shown.ask("strings"), []);
	}));

test("the first section of a comparison has warnings, verdicts and findings", () => withComparison(async (shown, page) => {
	const text = await textOf(page);
	for (const piece of ["The machines differ.", "worse", "CPUs saturated", "appeared in B", "no data to decide",
		"1 better, 0 worse", "+30 points", "\u221250 %", "< 0.0001"])
		assert(text.replace(/[\u00a0\u202f]/g, " ").includes(piece), piece + text);
}));

test("series of both sides are drawn below their row", () => withComparison(async (shown, page) => {
	await shown.load("#view=series");
	assert.deepStrictEqual(await shown.ask("told"), { rows: 3, charts: 0 });
	await page.locator("#view-series .toggle").first().click();
	assert.deepStrictEqual(await shown.ask("told"), { rows: 3, charts: 1 });
	assert((await textOf(page)).includes("A: before"));
	await page.fill("#view-series .filter", "await");
	assert.deepStrictEqual(await shown.ask("told"), { rows: 1, charts: 0 });
	await page.fill("#view-series .filter", "");
	await page.check("#view-series [type=checkbox]");
	assert.strictEqual((await shown.ask("told")).rows, 2);
	await shown.load("#view=series&find=load");
	assert.strictEqual((await shown.ask("told")).rows, 1);
}));

test("rows of a comparison are sorted by any column", () => withComparison(async (shown, page) => {
	await shown.load("#view=functions");
	const first = () => page.locator("#view-functions tbody tr").first().innerText();
	assert((await first()).includes("+30"));
	await page.locator("#view-functions thead button").nth(2).click(); /* baseline, largest first */
	assert((await first()).startsWith("g"));
	await page.waitForFunction(() => !window.look.busy());
	assert.deepStrictEqual(await shown.ask("told"), { flame: true });
}));

test("a comparison fits into a narrow window", () => withComparison(async (shown, page) => {
	for (const id of await shown.ask("sections")) {
		await page.click(`#tabs [data-section=${id}]`);
		await fits(page, id);
	}
}, { width: 390, height: 800 }));
