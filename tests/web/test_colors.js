/* Colours: contrast of texts (WCAG AA), in both themes. The page's own classes are asked. */
"use strict";

/* global Colors, Profile, contrast */
const assert = require("node:assert");
const { test, withStacks } = require("./lib.js");

const lib = (name, object, kind = 0) => ({ name, object, kind });
const stacks = Array.from({ length: 12 }, (_, i) => [[lib(`f${i}`, `lib${i}.so`, i % 5)], 10 + i, 10 + i, 5]);

test("text on every fill has a contrast of 4.5 at least", () => withStacks(stacks, async (shown, page) => {
	const least = await page.evaluate(async () => {
		const payload = JSON.parse(document.getElementById("pipa-data").textContent);
		const colors = new Colors(await Profile.of(payload));
		const found = [];
		for (const mode of ["library", "kind", "self", "change"]) {
			for (const dark of [false, true]) {
				colors.set(mode, dark);
				found.push(Math.min(...colors.fills.map((fill, i) => contrast(fill, colors.texts[i]))));
			}
		}
		return Math.min(...found);
	});
	assert(least >= 4.5, `the least is ${least}`);
}, {}, { view: "diff" }));

test("texts of the page have it too, light and dark", () => withStacks(stacks, async (shown, page) => {
	const pairs = [["text", "panel"], ["text", "page"], ["soft", "panel"], ["soft", "page"], ["accent", "panel"],
		["accent", "accent-soft"], ["text", "accent-soft"], ["more", "panel"], ["less", "panel"],
		["warn", "warn-back"], ["text", "bar"], ["faded-text", "faded"], ["match-text", "match"],
		["root-text", "root"], ["soft", "canvas"]];
	for (const theme of ["light", "dark"]) {
		await page.emulateMedia({ colorScheme: theme });
		const low = await page.evaluate((list) => {
			const style = getComputedStyle(document.documentElement);
			const color = (name) => style.getPropertyValue(`--${name}`).trim();
			return list.filter(([a, b]) => !(contrast(color(a), color(b)) >= 4.5)).map((pair) => pair.join(" on "));
		}, pairs);
		assert.deepStrictEqual(low, [], theme);
	}
}));

test("the largest libraries have hues of their own", () => withStacks(stacks, async (shown, page) => {
	const fills = await page.evaluate(() => [...document.querySelectorAll("#legend i")]
		.map((dot) => getComputedStyle(dot).backgroundColor));
	assert.strictEqual(fills.length, 8, "seven, and the others");
	assert.strictEqual(new Set(fills).size, 8);
}));
