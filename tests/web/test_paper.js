/* A page on paper: light, as wide as the sheet, nothing to press, and the screen as it was behind it. */
"use strict";

const assert = require("node:assert");
const { near, test, withStacks } = require("./lib.js");

const stacks = [
	[[{ name: "main", object: "app" }, { name: "parse", object: "app" }], 30],
	[[{ name: "main", object: "app" }, { name: "read", object: "libc.so.6" }], 70],
];

/* Is the page dark, and how bright is a corner of its canvas, 0 to 255? */
const look = () => {
	const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	pixel.drawImage(document.querySelector(".flame-canvas"), 3, 3, 1, 1, 0, 0, 1, 1);
	return { dark: document.documentElement.hasAttribute("data-dark"), light: pixel.getImageData(0, 0, 1, 1).data[0] };
};

test("paper is light, and the screen stays dark", () => withStacks(stacks, async (shown, page) => {
	await page.evaluate(`addEventListener("beforeprint", () => { window.printed = (${look})(); })`);
	assert.deepStrictEqual((await page.evaluate(look)).dark, true);
	await page.pdf();
	const printed = await page.evaluate(() => window.printed);
	assert.strictEqual(printed.dark, false);
	assert(printed.light > 200, `a corner has ${printed.light}`);
	await page.evaluate(() => new Promise(requestAnimationFrame));
	const after = await page.evaluate(look);
	assert(after.dark && after.light < 60, JSON.stringify(after));
}, { colorScheme: "dark" }));

test("a sheet has the picture in its whole width, what colours mean, and no tools", () =>
	withStacks(stacks, async (shown, page) => {
		await shown.click("read");
		await page.emulateMedia({ media: "print" });
		await page.setViewportSize({ width: 700, height: 500 });
		near((await page.locator(".flame-canvas").boundingBox()).width, 700, 0.001, "the picture");
		for (const gone of ["#search", "#tabs", "#link", "#copy"])
			assert.strictEqual(await page.locator(gone).isVisible(), false, gone);
		for (const there of ["h1", "#legend", "#crumbs", "#detail-facts"])
			assert(await page.locator(there).isVisible(), there);
		await page.emulateMedia({ media: null });
	}));
