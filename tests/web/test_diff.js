/* Two profiles: widths, colours, what vanished, rows. */
"use strict";

const assert = require("node:assert");
const { near, test, withStacks } = require("./lib.js");
const { payloadOf } = require("./payload.js");

/* [stack, now, samples, base] */
const stacks = [
	[["main", "same"], 500, 500, 1000],
	[["main", "gone"], 0, 0, 500],
	[["main", "new"], 250, 250, 0],
	[["main", "less"], 50, 50, 400],
	[["main", "more"], 200, 200, 100],
];
const now = { main: 1, same: 0.5, gone: 0, new: 0.25, less: 0.05, more: 0.2 };
const base = { main: 1, same: 0.5, gone: 0.25, new: 0, less: 0.2, more: 0.05 };

const withDiff = (run, more) => withStacks(stacks, run, {}, { view: "diff", unit: "samples", ...more });

/* red minus blue in the middle of a frame: positive is more */
async function warmth(shown, page, name) {
	const [x, y] = await shown.point(name);
	const canvas = await page.locator("canvas").first().boundingBox();
	const [r, , b] = await page.evaluate(([left, top]) => {
		const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		pixel.drawImage(document.querySelector("canvas"), left, top, 1, 1, 0, 0, 1, 1);
		return [...pixel.getImageData(0, 0, 1, 1).data];
	}, [x - canvas.x, y - canvas.y + 7]);
	return r - b;
}

test("widths are the mean of both, and what vanished is there", () => withDiff(async (shown, page) => {
	const all = (await shown.box("")).width;
	for (const name of Object.keys(now))
		near((await shown.box(name)).width, all * (now[name] + base[name]) / 2, 0.001, name);
	await page.selectOption("#width", "now");
	assert.strictEqual(await shown.box("gone"), undefined);
	near((await shown.box("new")).width, all * 0.25, 0.001, "new by what it is now");
	await page.selectOption("#width", "base");
	assert.strictEqual(await shown.box("new"), undefined);
	near((await shown.box("gone")).width, all * 0.25, 0.001, "gone by what it was");
}));

test("red is more, blue is less, the same is grey", () => withDiff(async (shown, page) => {
	for (const name of ["more", "new"])
		assert(await warmth(shown, page, name) > 60, `${name} is red`);
	for (const name of ["less", "gone"])
		assert(await warmth(shown, page, name) < -60, `${name} is blue`);
	assert(Math.abs(await warmth(shown, page, "same")) < 20);
	assert.match(await shown.text("legend"), /less.*more/);
}));

test("absolute costs compare weights, not shares", () => withDiff(async (shown, page) => {
	await page.check("#absolute");
	assert(await warmth(shown, page, "same") < -20, "half of what it was");
	const all = (await shown.box("")).width;
	near((await shown.box("gone")).width, all * 500 / 3000, 0.001, "of what both cost");
	const said = await shown.fragment();
	await shown.load(`#${said}`);
	assert(await page.isChecked("#absolute"));
}));

test("the tooltip tells both and the change", () => withDiff(async (shown, page) => {
	await page.mouse.move(...await shown.point("more"));
	const text = (await page.locator("#tip").innerText()).replaceAll("\u00a0", " ");
	assert.match(text, /total now\s+200\s+20\.00 %/);
	assert.match(text, /total base\s+100\s+5\.00 %/);
	assert.match(text, /total change\s+\+100\s+\+15\.00 points/);
}));

const cell = (percent, weight) => ({ percent, weight, samples: weight });
const rows = [
	{ dso: "app", symbol: "gone", base: cell(25, 500),
		now: [{ ...cell(0, 0), points: -25, weight_change: -500, verdict: "gone" }] },
	{ dso: "app", symbol: "more", base: cell(5, 100),
		now: [{ ...cell(20, 200), points: 15, weight_change: 100, verdict: "more" }] },
	{ dso: "libc.so.6", symbol: "same", base: cell(50, 1000),
		now: [{ ...cell(50, 500), points: 0, weight_change: -500, verdict: "same" }] },
];

test("rows are a table, and one leads into the graph", () => withDiff(async (shown, page) => {
	await page.click("[role=tab]:has-text('Changes')");
	const texts = (await page.locator(".line").allInnerTexts()).map((text) => text.replaceAll("\u00a0", " "));
	assert.strictEqual(texts.length, 3);
	assert.match(texts[0], /25\.00 %\s+0\.00 %\s+\u221225\.00\s+\u2212500\s+gone\s+gone\s+app/);
	assert.match(texts[1], /\+15\.00\s+\+100\s+more/);
	assert.match(texts[2], /within noise/);
	await page.click(".line:has-text('libc')");
	assert.strictEqual(await shown.ask("view"), "flame");
	assert.strictEqual(await page.inputValue("#search"), "same");
}, { rows }));

const faults = payloadOf([[["main", "touch"], 30, 30, 20], [["main", "same"], 10, 10, 20]], { view: "diff",
	event: "page-faults", unit: "events", rows: [{ dso: "app", symbol: "touch",
		base: { percent: 50, weight: 20, samples: 20 },
		now: [{ percent: 75, weight: 30, samples: 30, points: 25, weight_change: 10, verdict: "more" }] }] });

test("of several events another one can be chosen", () => withDiff(async (shown, page) => {
	assert.strictEqual(await page.locator("#event option").count(), 2);
	await page.click("[role=tab]:has-text('Changes')");
	await Promise.all([page.waitForNavigation(), page.selectOption("#event", "page-faults")]);
	await page.waitForSelector(".line:has-text('touch')");
	assert.match(await page.innerText("#facts"), /page-faults/);
	assert.strictEqual(await page.locator(".line").count(), 1);
	assert.match(page.url(), /event=page-faults/);
	assert.strictEqual(await page.inputValue("#event"), "page-faults");
	await page.click("[role=tab]:has-text('Flame')");
	await page.evaluate(async () => { window.look = await window.pipa.ready; });
	near((await shown.box("touch")).width / (await shown.box("")).width, 0.625, 0.01, "touch");
	await Promise.all([page.waitForNavigation(), page.selectOption("#event", "cpu-clock")]);
	await page.waitForSelector("canvas");
	assert.doesNotMatch(page.url(), /event=page-faults/);
}, { rows, others: [faults] }));

test("one event needs no choice, and a link to another is not followed", () => withDiff(async (shown, page) => {
	assert.strictEqual(await page.isVisible("#event-label"), false);
	await page.evaluate(() => { location.hash = "event=nothing&q=more"; });
	await page.waitForFunction(() => document.querySelector("#search").value === "more");
}, { rows }));

test("a base without samples is drawn", () => withStacks([[["a"], 10, 10, 0]], async (shown) => {
	near((await shown.box("a")).width, (await shown.box("")).width, 0.001, "a");
}, {}, { view: "diff" }));

test("a profile that lost everything is drawn by its base", () => withStacks([[["a"], 0, 0, 10]], async (shown) => {
	near((await shown.box("a")).width, (await shown.box("")).width, 0.001, "a");
}, {}, { view: "diff" }));

test("a number of a row has the colour of its own sign, and noise has none", () => withDiff(async (shown, page) => {
	await page.click("#tabs >> text=Changes");
	const tones = await page.locator(".line").evaluateAll((lines) => lines.map((line) =>
		[2, 3, 4].map((at) => line.children[at].className.match(/more|less|pale/)?.[0] || "")));
	assert.deepStrictEqual(tones, [["less", "more", ""], ["pale", "pale", "pale"], ["pale", "pale", "pale"]]);
}, { rows: [
	{ symbol: "less", dso: "app", base: { percent: 20 },
		now: [{ percent: 5, points: -15, weight_change: 50, verdict: "less" }] },
	{ symbol: "same", dso: "app", base: { percent: 50 },
		now: [{ percent: 53, points: 3, weight_change: 30, verdict: "same" }] },
	{ symbol: "new", dso: "app", base: { percent: 0 },
		now: [{ percent: 1, points: 1, weight_change: 5, verdict: "unknown" }] },
] }));
