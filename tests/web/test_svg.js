/* A flame graph that is one picture: what its own small script does, and that it does no more. */
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { folder, near, test, withFile } = require("./lib.js");

const pipa = process.env.PIPA;

/* pipa flamegraph of folded lines, as a picture */
function picture(lines, ...args) {
	const file = path.join(folder(), "lines");
	const svg = path.join(folder(), "picture.svg");
	fs.writeFileSync(file, lines.join("\n") + "\n");
	execFileSync(pipa, ["flamegraph", file, "-o", svg, ...args], { stdio: "ignore" });
	return svg;
}

/* The boxes in sight by the first line of their titles. */
function boxes(tab) {
	return tab.evaluate(() => Object.fromEntries([...document.querySelectorAll(".f")]
		.filter((group) => group.style.display !== "none")
		.map((group) => [group.querySelector("title").textContent.split("\n")[0],
			Number(group.querySelector("rect").getAttribute("width"))])));
}

const part = (tab, name) => tab.evaluate((which) =>
	document.querySelector(`[data-part="${which}"]`).textContent, name);

/* The dialog that a search asks by is answered, and no trouble. */
function answer(tab, text) {
	tab.removeAllListeners("dialog");
	tab.once("dialog", (dialog) => dialog.accept(text));
}

const STACKS = ["main;parse;read 30", "main;parse;scan 10", "main;draw 40", "idle 20"];

test("a picture zooms by a click and by keys, and comes back", () => {
	if (!pipa)
		return "PIPA names no program";
	return withFile(picture(STACKS), async (shown, tab) => {
		const whole = await boxes(tab);
		near(whole.parse / whole.all, 0.4, 0.001, "parse");
		await tab.click('.f:has(title:text-matches("^parse"))', { force: true });
		const zoomed = await boxes(tab);
		near(zoomed.parse, whole.all, 0.001, "parse, zoomed");
		near(zoomed.read / zoomed.parse, 0.75, 0.001, "read in parse");
		assert.strictEqual(zoomed.idle, undefined);
		await tab.keyboard.press("Escape");
		assert.deepStrictEqual(await boxes(tab), whole);
		for (const key of ["ArrowUp", "ArrowUp", "Enter"])
			await tab.keyboard.press(key);
		near((await boxes(tab)).idle, whole.all, 0.001, "idle, by keys");
	}, { picture: true });
});

test("a picture is searched by text and by expression", () => {
	if (!pipa)
		return "PIPA names no program";
	return withFile(picture(STACKS), async (shown, tab) => {
		for (const [text, told] of [["PARSE", "0.00 % in 0"], ["parse", "40.00 % in 1"],
			["^(read|draw)$", "70.00 % in 2"], ["(", "0.00 % in 0"]]) {
			answer(tab, text);
			await tab.keyboard.press("/");
			assert((await part(tab, "found")).startsWith(told), `${text}: ${await part(tab, "found")}`);
		}
		await tab.keyboard.press("Escape");
		assert.strictEqual(await part(tab, "found"), "");
	}, { picture: true });
});

test("names in a picture are text and nothing else", () => {
	if (!pipa)
		return "PIPA names no program";
	const hostile = ["<script>window.hurt=1</script>", "]]><script>window.hurt=1</script>",
		"a\" onload=\"window.hurt=1", "a && b"];
	return withFile(picture(hostile.map((name) => `main;${name} 10`)), async (shown, tab) => {
		const found = await boxes(tab);
		for (const name of hostile)
			assert(name in found, `${name} is a frame`);
		assert.strictEqual(await tab.evaluate(() => window.hurt), undefined);
	}, { picture: true });
});

test("a picture has the width of its window", () => {
	if (!pipa)
		return "PIPA names no program";
	const file = picture(STACKS);
	const run = (width, wide) => withFile(file, async (shown, tab) => {
		const scrolled = await tab.evaluate(() => document.documentElement.scrollWidth);
		assert(scrolled <= width, `${scrolled} wide in a window of ${width}`);
		near((await boxes(tab)).all, wide, 0.001, "all frames");
		const search = await tab.evaluate(() =>
			document.querySelector('[data-part="search"]').getBoundingClientRect().right);
		assert(search <= width && search > width - 20, `the button ends at ${search} of ${width}`);
		await tab.click('.f:has(title:text-matches("^draw"))', { force: true });
		near((await boxes(tab)).draw, wide, 0.001, "draw, zoomed");
	}, { picture: true, width });
	return run(390, 370).then(() => run(2560, 2540));
});

test("a legend and the notes below it fit a narrow window", () => {
	if (!pipa)
		return "PIPA names no program";
	const libraries = [...Array(8).keys()].map((i) => `libexample-${i}.so`);
	const samples = libraries.map((library, i) =>
		`prog 1 ${i}.000000: 1 cycles: \n\t${i}00 f${i}+0x0 (/usr/lib/${library})\n`);
	const file = picture(samples);
	const run = (width, lines) => withFile(file, async (shown, tab) => {
		const boxes = await tab.evaluate(() => [...document.querySelectorAll(".key")].map((text) => {
			const [swatch, name] = [text.previousElementSibling, text]
				.map((node) => node.getBoundingClientRect());
			return { left: swatch.left, right: name.right, top: swatch.top, bottom: name.bottom,
				gap: name.left - swatch.right };
		}));
		assert.strictEqual(boxes.length, libraries.length);
		for (const [i, box] of boxes.entries()) {
			assert(box.left >= 10 && box.right <= width, `${i} from ${box.left} to ${box.right}`);
			near(box.gap, 6, 1, `the gap of ${i}`);
			assert(!i || boxes[i - 1].top < box.top || boxes[i - 1].right < box.left, `${i} overlaps`);
		}
		assert.strictEqual(new Set(boxes.map((box) => box.top)).size, lines);
		const [last, notes, end] = await tab.evaluate(() => {
			const baseline = (node) => Number(node.getAttribute("y")) + node.getCTM().f;
			return [baseline([...document.querySelectorAll(".key")].pop()),
				baseline(document.querySelector('[data-part="notes"]')),
				document.documentElement.viewBox.baseVal.height];
		});
		assert(last < notes - 12 && notes < end, `${last} of the legend, ${notes} of ${end}`);
	}, { picture: true, width });
	return run(390, 4).then(() => run(1400, 1));
});
