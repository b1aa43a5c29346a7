/* Functions, and callers and callees of one. */
"use strict";

const assert = require("node:assert");
const { near, test, withStacks } = require("./lib.js");

const stacks = [
	[["main", "a", "f", "g"], 30],
	[["main", "b", "f", "g"], 10],
	[["main", "b", "f", "h", "f", "g"], 20], /* f within f counts once */
	[["main", "a"], 40],
];

test("the table has self and total of each function, recursion once", () => withStacks(stacks, async (shown, page) => {
	await shown.press("t");
	assert.strictEqual(await shown.ask("view"), "sandwich");
	const rows = await page.locator(".line").allInnerTexts();
	const cells = rows.map((row) => row.replaceAll("\u00a0", " ").split("\n").map((text) => text.trim()));
	assert.deepStrictEqual(cells, [
		["60.00 %", "60.00 %", "g"],
		["40.00 %", "70.00 %", "a"],
		["0.00 %", "30.00 %", "b"],
		["0.00 %", "60.00 %", "f"],
		["0.00 %", "20.00 %", "h"],
		["0.00 %", "100.00 %", "main"],
	]);
}));

test("callers stand above, callees hang below", () => withStacks(stacks, async (shown) => {
	await shown.click("f");
	await shown.press("s");
	const callers = await shown.ask("boxes", 0);
	const callees = await shown.ask("boxes", 1);
	const of = (boxes, name) => boxes.filter((box) => box.name === name)
		.reduce((sum, box) => sum + box.width, 0);
	const full = of(callers.slice(0, 1), "f");
	near(of(callers, "a"), full * 0.5, 0.001, "a called f for half of it");
	near(of(callers, "b"), full * 0.5, 0.001, "b for the other");
	near(of(callers, "main"), full, 0.001, "main called both");
	near(of(callees, "g"), full, 0.001, "g took all");
	near(of(callees, "h"), full / 3, 0.001, "a third of it through h");
	const y = (boxes, name) => boxes.find((box) => box.name === name).y;
	assert(y(callers, "main") < y(callers, "a") && y(callers, "a") < y(callers, "f"));
	assert(y(callees, "f") < y(callees, "h"));
}));

test("rows are sorted, filtered, walked and chosen by keys", () => withStacks(stacks, async (shown, page) => {
	await shown.press("t");
	await page.click(".sort:has-text('Children')");
	const first = () => page.locator(".line").first().innerText();
	assert.match(await first(), /main/);
	await page.click(".sort:has-text('Function')");
	assert.match(await first(), /a$/);
	await page.fill(".filter", "H");
	assert.strictEqual(await page.locator(".line").count(), 1);
	await page.fill(".filter", "nothing like it");
	assert(await page.locator("text=Nothing here matches").isVisible());
	await page.fill(".filter", "");
	await page.locator(".table-body").focus();
	await shown.press("Home", "ArrowDown", "Enter");
	assert.match(await page.locator(".side-name").innerText(), /b/);
}));

test("a link restores the function and the table", () => withStacks(stacks, async (shown, page) => {
	await shown.press("t");
	await page.click(".sort:has-text('Children')");
	await page.fill(".filter", "f");
	await page.click(".line:has-text('f')");
	const said = await shown.fragment();
	const seen = [await shown.ask("boxes", 0), await shown.ask("boxes", 1)];
	await shown.load(`#${said}`);
	assert.strictEqual(await shown.ask("state"), said);
	assert.deepStrictEqual([await shown.ask("boxes", 0), await shown.ask("boxes", 1)], seen);
	assert.strictEqual(await page.inputValue(".filter"), "f");
}));

test("from a caller on to its own callers", () => withStacks(stacks, async (shown, page) => {
	await shown.click("g");
	await shown.press("s");
	await page.locator("canvas").filter({ visible: true }).first().focus();
	await shown.press("ArrowUp", "ArrowUp", "Enter");
	assert.match(await page.locator(".side-name").innerText(), /\bf\b/);
}));

test("a search marks functions in the table, tells their share, and n goes to them", () =>
	withStacks(stacks, async (shown, page) => {
		await shown.press("t");
		await page.fill("#search", "[gh]");
		await page.click("#regex");
		assert.strictEqual((await shown.text("found")).replaceAll("\u00a0", " "), "60.00 % self in 2 functions");
		assert.deepStrictEqual(await page.locator(".cell.hit").allInnerTexts(), ["g", "h"]);
		const chosen = () => page.locator(".line.chosen .cell.grow").innerText();
		await page.locator(".table-body").focus();
		await shown.press("n"); /* g was chosen by t: on to h */
		assert.strictEqual(await chosen(), "h");
		await page.click("#next");
		assert.strictEqual(await chosen(), "g");
		await page.click("#previous");
		assert.strictEqual(await chosen(), "h");
		await page.fill("#search", "nothing");
		assert.strictEqual(await shown.text("found"), "no match");
	}));

test("a name that is cut in the table is whole where the pointer rests", () => {
	const long = "a_function_with_a_name_that_is_far_too_long_for_its_column_".repeat(3);
	return withStacks([[[long], 1]], async (shown, page) => {
		await shown.press("t");
		assert.strictEqual(await page.locator(".line .cell.grow").getAttribute("title"), long);
	});
});
