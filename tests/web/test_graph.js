/* The call graph's page: zoom, move, search, focus, links, and names that stay texts. */
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { folder, near, test, withFile } = require("./lib.js");
const { SIZES, fits } = require("./test_narrow.js");

const pipa = process.env.PIPA;
const none = "PIPA names no program";
const STACKS = ["main;parse;read 30", "main;parse;scan 10", "main;draw;read 40", "main;draw;draw 5", "idle 15"];

let number = 0;
function graph(lines, ...args) {
	const file = path.join(folder(), "graph-lines");
	const out = path.join(folder(), `graph-${number++}.${args.includes("svg") ? "svg" : "html"}`);
	fs.writeFileSync(file, lines.join("\n") + "\n");
	execFileSync(pipa, ["graph", file, "-o", out, ...args], { stdio: "ignore" });
	return out;
}

const node = async (shown, name) => (await shown.ask("times")).nodes.find((one) => one.name === name);
const names = async (shown) => (await shown.ask("times")).nodes.filter((one) => one.shown).map((one) => one.name).sort();

async function clickOn(shown, page, name) {
	const box = await node(shown, name);
	const canvas = await page.locator(".graph-canvas").boundingBox();
	await page.mouse.click(canvas.x + box.x + box.width / 2, canvas.y + box.y + box.height / 2);
}

test("the graph has functions and calls, and fits every window", async () => {
	if (!pipa)
		return none;
	const html = graph(STACKS);
	for (const [width, height] of SIZES) {
		await withFile(html, async (shown, page) => {
			assert.strictEqual(await shown.ask("view"), "graph");
			await fits(page, `graph at ${width}`);
			const { nodes, edges } = await shown.ask("times");
			const canvas = await page.locator(".graph-canvas").boundingBox();
			for (const box of nodes)
				assert(box.x >= 0 && box.y >= 0 && box.x + box.width <= canvas.width &&
					box.y + box.height <= canvas.height, `${box.name} at ${width}`);
			assert.deepStrictEqual(nodes.map(({ name, self, total }) => [name, self, total]).sort(), [
				["draw", 5, 45], ["idle", 15, 15], ["main", 0, 85], ["parse", 0, 40], ["read", 70, 70], ["scan", 10, 10]]);
			assert(edges.some(([from, to, weight]) => from === "draw" && to === "read" && weight === 40));
			await clickOn(shown, page, "parse");
			await fits(page, `focus at ${width}`);
		}, { width, height });
	}
});

test("a click focuses on a function, its lists lead on, Escape shows all", () => {
	if (!pipa)
		return none;
	return withFile(graph(STACKS), async (shown, page) => {
		await clickOn(shown, page, "parse");
		assert.strictEqual((await shown.ask("times")).focus, "parse");
		assert.deepStrictEqual(await names(shown), ["main", "parse", "read", "scan"]);
		const side = await page.locator(".graph-side").innerText();
		assert.match(side, /Callers \(1\)\s+40\.00.%\s+main\s+Callees \(2\)\s+30\.00.%\s+read\s+10\.00.%\s+scan/);
		await page.click(".graph-side li >> text=read");
		assert.strictEqual((await shown.ask("times")).focus, "read");
		assert.strictEqual(await shown.text("detail-name"), "read");
		const link = await shown.fragment();
		await shown.load(`#${link}`);
		assert.strictEqual((await shown.ask("times")).focus, "read");
		await shown.press("Escape");
		assert.strictEqual((await names(shown)).length, 6);
		assert.strictEqual(await page.locator(".graph-side").isVisible(), false);
	});
});

test("wheel and keys zoom around a point, a drag moves", () => {
	if (!pipa)
		return none;
	return withFile(graph(STACKS), async (shown, page) => {
		const before = await node(shown, "main");
		const { scale } = await shown.ask("times");
		const canvas = await page.locator(".graph-canvas").boundingBox();
		const at = [canvas.x + before.x, canvas.y + before.y];
		await page.mouse.move(...at);
		await page.mouse.wheel(0, -150);
		await page.waitForFunction((old) => window.look.times().scale > old * 1.3, scale);
		const closer = await node(shown, "main");
		near(closer.x, before.x, 0.01, "the corner under the pointer");
		near(closer.y + 1, before.y + 1, 0.05, "and its height");
		await page.mouse.down();
		await page.mouse.move(at[0] - 60, at[1] + 40, { steps: 4 });
		await page.mouse.up();
		const moved = await node(shown, "main");
		near(moved.x, closer.x - 60, 0.02, "60 to the left");
		assert.strictEqual((await shown.ask("times")).focus, "", "a drag is no click");
		await page.locator(".graph-canvas").focus();
		await shown.press("0");
		near((await shown.ask("times")).scale, scale, 0.001, "all of it again");
		await shown.press("ArrowDown", "ArrowDown", "Enter");
		assert.strictEqual((await shown.ask("times")).focus, "draw", "the heaviest callee of main");
	});
});

test("a search finds functions of the graph", () => {
	if (!pipa)
		return none;
	return withFile(graph(STACKS), async (shown, page) => {
		await page.fill("#search", "EA");
		assert.strictEqual(await shown.text("found"), "no match");
		await page.fill("#search", "a");
		assert.deepStrictEqual((await shown.ask("times")).matches.sort(), ["draw", "main", "parse", "read", "scan"]);
		await page.fill("#search", "^read|^scan");
		await page.click("#regex");
		assert.strictEqual(await shown.text("found"), "80.00\u00a0% self in 2 functions");
		await page.focus("#search");
		await shown.press("Enter");
		assert.strictEqual((await shown.ask("times")).cursor, "read");
		await page.fill("#search", "(");
		assert.match(await shown.text("found"), /^not a regular expression/);
	});
});

test("a graph of a part of the samples has no other view", () => {
	if (!pipa)
		return none;
	return withFile(graph(STACKS, "--callers-of", "scan"), async (shown, page) => {
		assert.deepStrictEqual(await names(shown), ["main", "parse", "scan"]);
		assert.strictEqual(await page.locator("#tabs button").count(), 0);
		await shown.press("f", "t");
		assert.strictEqual(await shown.ask("view"), "graph");
	});
});

test("hostile names in a graph are texts", () => {
	if (!pipa)
		return none;
	const hostile = ["<script>window.hurt=1</script>", "</script><img src=x onerror=window.hurt=1>", "\u202eevil"];
	return withFile(graph(hostile.map((name) => `main;${name} 10`)), async (shown, page) => {
		await clickOn(shown, page, "main");
		const side = await page.locator(".graph-side").innerText();
		assert(side.includes(hostile[0]) && side.includes(hostile[1]) && side.includes("[U+202E]evil"), side);
		assert.strictEqual(await page.evaluate(() => window.hurt), undefined);
		assert.strictEqual(await page.locator("script").count(), 2);
	});
});

test("the image of a graph fits the window, a link shows its size", () => {
	if (!pipa)
		return none;
	const wide = Array.from({ length: 60 }, (_, i) => `main;a_function_of_some_length_${i} ${100 + i}`);
	return withFile(graph(wide, "-f", "svg"), async (shown, page) => {
		const size = () => page.evaluate(() => [document.documentElement.getBoundingClientRect().width, innerWidth,
			document.documentElement.getBoundingClientRect().height, innerHeight]);
		const [width, most, height, highest] = await size();
		assert(width <= most && height <= highest, `${width} x ${height}`);
		await page.goto(`${shown.url}#full`);
		assert((await size())[0] > most, "its own size");
	}, { picture: true, width: 600, height: 500 });
});
