/* The report page without its sections: navigation, language, theme, link, range, paper, bad data. */
"use strict";

const assert = require("node:assert");
const { fileOf, test, withFile } = require("./lib.js");
const { fits } = require("./test_narrow.js");
const { BEGIN, cpuGroup, reportOf, reportPageOf } = require("./report.js");

/* Two sections that write down what is done to them. */
const EXTRA = `
LANG["one.title"] = { en: "One", zh: "\u4e00" };
LANG["two.title"] = { en: "Two", zh: "\u4e8c" };
class One {
	static id = "one"; static label = "one.title"; static printed = true; static count() { return 3; }
	constructor(page, element) { this.page = page; element.append(make("p", "one-text", page.in(page.data.verdict.text))); }
}
class Two {
	static id = "two"; static label = "two.title"; static keys = [["x", "two.title"]];
	constructor(page, element) { this.page = page; this.element = element; this.kept = ""; this.got = []; }
	show() { this.axis = this.page.blocks.axis(0); }
	restore(state) { this.kept = state.kept || ""; }
	state() { return this.kept ? { kept: this.kept } : {}; }
	changed(what) { this.got.push(what); }
	key(event) { if (event.key === "x") { this.kept = "x&y"; this.page.remember(); } return event.key === "x"; }
	told() { return { got: this.got, kept: this.kept }; }
}
class Never { static id = "never"; static label = "two.title"; static offered() { return false; } }
class Broken { static id = "broken"; static label = "two.title"; constructor() { throw new Error("it is broken"); } }
ReportPage.sections.length = 0;
ReportPage.sections.push(One, Two, Never, Broken);
`;

const withReport = (report, run, options, extra = EXTRA) => withFile(fileOf(reportPageOf(report, extra)), run, options);
const small = () => reportOf([cpuGroup({})]);

test("sections of a report open by click, key and link, and nothing is decoded before", () =>
	withReport(small(), async (shown, page) => {
		assert.deepStrictEqual(await shown.ask("sections"), ["one", "two", "broken"]);
		assert.strictEqual(await shown.ask("view"), "one");
		assert.strictEqual(await page.locator("#tabs .badge").textContent(), "3");
		assert.strictEqual(await page.locator(".section").count(), 1);
		await page.click("#tabs >> text=Two");
		assert.strictEqual(await shown.ask("view"), "two");
		await shown.press("x");
		assert.strictEqual(await shown.fragment(), "view=two&kept=x%26y");
		await shown.press("[");
		assert.strictEqual(await shown.ask("view"), "one");
		await shown.load("#view=two&kept=z&time=5,9");
		assert.deepStrictEqual((await shown.ask("told")).kept, "z");
		assert.deepStrictEqual(await shown.ask("range"), { from: 5, until: 9 });
		await page.goBack();
	}));

test("a report changes its language and keeps its state", () => withReport(small(), async (shown, page) => {
	assert.match(await page.locator(".one-text").textContent(), /saturated/);
	await page.click("#tabs >> text=Two");
	await shown.press("x", "g");
	assert.strictEqual(await page.locator("html").getAttribute("lang"), "zh-CN");
	assert.strictEqual((await shown.ask("told")).kept, "x&y");
	assert.match(await shown.fragment(), /lang=zh/);
	await page.click("#tabs >> text=\u4e00");
	assert.match(await page.locator(".one-text").textContent(), /\u9971\u548c/);
	await page.click("#lang");
	assert.match(await page.locator(".one-text").textContent(), /saturated/);
}));

test("every text of a report exists in both languages", () => withReport(small(), async (shown, page) => {
	const odd = await page.evaluate(() => window.look.strings());
	assert.deepStrictEqual(odd, []);
}));

test("a report is dark, light, or as the system", () => withReport(small(), async (shown, page) => {
	const dark = () => page.evaluate(() => document.documentElement.hasAttribute("data-dark"));
	await page.click("#tabs >> text=Two");
	assert.strictEqual(await dark(), false);
	await shown.press("d");
	assert.strictEqual(await dark(), true);
	assert.match(await shown.fragment(), /theme=dark/);
	assert((await shown.ask("told")).got.includes("theme"));
	await shown.press("d", "d");
	assert.strictEqual(await dark(), false);
	await page.emulateMedia({ colorScheme: "dark" });
	await page.waitForFunction(() => document.documentElement.hasAttribute("data-dark"));
}));

test("the keys of all sections are listed", () => withReport(small(), async (shown, page) => {
	await shown.press("?");
	assert(await page.locator("#help").isVisible());
	assert(await page.locator("#help kbd").count() >= 6);
	await page.click("#help-close");
	assert.strictEqual(await page.locator("#help").isVisible(), false);
}));

test("a section that fails shows the reason, the others stay", () => withReport(small(), async (shown, page) => {
	await shown.load("#view=broken");
	assert.match(await page.locator("#view-broken .notice").textContent(), /it is broken/);
	assert(shown.troubles.length, "it is logged");
	shown.troubles.length = 0;
	await page.click("#tabs >> text=One");
	assert(await page.locator(".one-text").isVisible());
}));

test("the report page fits a phone and a wall", async () => {
	for (const [width, height] of [[390, 844], [1400, 900]]) {
		await withReport(small(), async (shown, page) => {
			await fits(page, `report at ${width}`);
			await shown.load(`#time=${BEGIN},${BEGIN + 5000}`);
			assert.match(await shown.text("range-text"), /12:00:00 to 12:00:05 \(5 s\)/);
			await fits(page, `report with a range at ${width}`);
			await page.click("#range-clear");
			assert.strictEqual(await shown.ask("range"), null);
		}, { width, height });
	}
});

test("on paper the sections follow each other, light", () => withReport(small(), async (shown, page) => {
	await page.click("#tabs >> text=Two");
	await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
	await page.emulateMedia({ media: "print" });
	assert(await page.locator(".one-text").isVisible());
	assert(await page.locator("#view-two").isVisible());
	assert.strictEqual(await page.locator("#tabs").isVisible(), false);
	assert.strictEqual(await page.evaluate(() => document.documentElement.hasAttribute("data-dark")), false);
	await page.emulateMedia({ media: null });
	await page.evaluate(() => dispatchEvent(new Event("afterprint")));
	assert.strictEqual(await page.locator(".one-text").isVisible(), false);
}, { colorScheme: "dark" }));

test("a report whose data is not a report gives a line", () => {
	const report = small();
	report.data.schema = "pipa.report/9";
	return withReport(report, async (shown) => {
		assert(await shown.ask("failed"));
		assert.match(await shown.text("views"), /^This page cannot show its data: /);
		shown.troubles.length = 0;
	});
});

module.exports = { withReport };
