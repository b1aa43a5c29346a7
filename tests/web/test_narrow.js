/* Every view in the window of a phone, a desk and a wall: nothing is cut off, everything can be reached. */
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { folder, test, withFile, withStacks } = require("./lib.js");

const pipa = process.env.PIPA;
const SIZES = [[390, 844], [1400, 900], [2560, 1440]];
const frame = (name) => ({ name, object: `lib${name.length}.so` });
const STACKS = Array.from({ length: 60 }, (_, i) =>
	[[frame("main"), frame(`a_function_with_a_long_name_${i}`), frame("leaf")], 10 + i]);

/* The page does not scroll sideways, and what can be pressed is in the window. */
async function fits(page, what) {
	const found = await page.evaluate(() => {
		const wide = document.documentElement.scrollWidth;
		const scrolls = (element) => element && (/auto|scroll/.test(getComputedStyle(element).overflowX) ||
			element.matches(".raw .table-head") || scrolls(element.parentElement)); /* with its body */
		const out = [...document.querySelectorAll("button, select, input")].filter((element) => {
			const box = element.getBoundingClientRect();
			return element.checkVisibility() && box.width && !scrolls(element.parentElement) &&
				(box.left < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1);
		});
		return { wide, out: out.map((element) => element.id || element.textContent) };
	});
	assert(found.wide <= page.viewportSize().width, `${what} is ${found.wide} wide`);
	assert.deepStrictEqual(found.out, [], what);
}

test("the views of a profile fit a phone and a wall", async () => {
	for (const [width, height] of SIZES) {
		await withStacks(STACKS, async (shown, page) => {
			await fits(page, `flame graph at ${width}`);
			const canvas = await page.locator(".flame-canvas").boundingBox();
			assert(canvas.width > 0.95 * width, `a graph of ${canvas.width} in ${width}`);
			assert(canvas.height > 0.5 * height, `a graph ${canvas.height} high in ${height}`);
			await page.click("#tabs >> text=Functions");
			await fits(page, `functions at ${width}`);
			const list = await page.locator(".list").boundingBox();
			assert(list.height > 0.45 * height, `a list ${list.height} high in ${height}`);
			assert(await page.locator(".line").count() >= 12);
		}, { width, height });
	}
});

test("views over time fit a phone and a wall, tracks by their first sample", async () => {
	if (!pipa)
		return "PIPA names no program";
	const script = path.join(folder(), "script");
	const lines = [];
	const sample = (comm, tid, time, name) => lines.push(`${comm} ${tid} [000] ${time.toFixed(6)}: 1000 cycles:`,
		`\t 10 ${name} (/bin/a)`, "");
	for (let i = 0; i < 100; i++)
		sample("late", 7, 2 + i / 100, "work");
	sample("early", 9, 1, "begin");
	sample("second", 8, 1.5, "wait");
	fs.writeFileSync(script, lines.join("\n") + "\n");
	for (const [command, view] of [[["flamegraph", "--chart"], "chart"], [["heatmap"], "heatmap"]]) {
		const html = path.join(folder(), `${view}.html`);
		execFileSync(pipa, [...command, script, "-o", html], { stdio: "ignore" });
		for (const [width, height] of SIZES) {
			await withFile(html, async (shown, page) => {
				assert.strictEqual(await shown.ask("view"), view);
				await fits(page, `${view} at ${width}`);
				const board = await page.locator(`.${view} .board`).boundingBox();
				assert(board.width > 0.95 * width, `a board of ${board.width} in ${width}`);
				if (view === "chart")
					assert.deepStrictEqual((await shown.ask("times")).tracks.map(({ label }) => label),
						["early 9", "second 8", "late 7"]);
			}, { width, height });
		}
	}
});

module.exports = { SIZES, fits };
