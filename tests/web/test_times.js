/* Heat map and chart, of pages that pipa makes: what they tell of a window is what pipa report tells. */
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { folder, near, test, widthsAgree, withFile } = require("./lib.js");

/*
 * Ten seconds on two CPUs: `steady` every 10 ms on CPU 0 (parse half of the time, write the other half of each
 * second), `tick` for 50 ms at 300 ms of each second on CPU 1, and one sample of a thread with a hostile name.
 */
function samples() {
	const all = [];
	for (let ms = 0; ms < 10000; ms += 10)
		all.push({ ms, comm: "steady", id: "50/50", cpu: 0, weight: 10, stack: ["main", ms % 1000 < 500 ? "parse" : "write"] });
	for (let second = 0; second < 10; second++)
		for (let ms = 300; ms < 350; ms += 10)
			all.push({ ms: 1000 * second + ms, comm: "tick", id: "50/51", cpu: 1, weight: 7, stack: ["timer", "tick"] });
	all.push({ ms: 5005, comm: "<b>\u202ex</b>", id: "60/60", cpu: 1, weight: 1, stack: ["odd"] });
	return all.sort((a, b) => a.ms - b.ms);
}

function textOf(list) {
	return list.map(({ ms, comm, id, cpu, weight, stack }) =>
		`${comm} ${id} [${String(cpu).padStart(3, "0")}] ${100 + Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, "0")}000: ${weight} cycles: \n` +
		[...stack].reverse().map((name) => `\t${(16 + name.length).toString(16).padStart(16)} ${name} (/bin/a)\n`).join("") +
		"\n").join("");
}

function make(args, list = samples(), name = "in.txt") {
	const input = path.join(folder(), name);
	const page = path.join(folder(), "times.html");
	fs.writeFileSync(input, textOf(list));
	execFileSync(process.env.PIPA, [...args, input, "-o", page], { stdio: "pipe" });
	return page;
}

/* "samples weight" of a window, as pipa report tells it. */
function reported(time) {
	const told = JSON.parse(execFileSync(process.env.PIPA,
		["report", "--json", ...(time ? ["--time", time] : []), path.join(folder(), "in.txt")]));
	return [told.events[0].samples, told.events[0].weight];
}

const withMap = (run, args = ["heatmap"], list = undefined) => (process.env.PIPA ?
	withFile(make(args, list), run) : "PIPA names no program");

/* Where a cell is in the window. */
async function cell(page, col, row) {
	const box = await page.evaluate(([c, r]) => window.look.times().cell(c, r), [col, row]);
	const canvas = await page.locator(".heatmap .board").boundingBox();
	return { ...box, at: [canvas.x + box.x + box.width / 2, canvas.y + box.y + box.height / 2] };
}

async function drag(page, from, to) {
	await page.mouse.move(...from);
	await page.mouse.down();
	await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
	await page.mouse.move(...to);
	await page.mouse.up();
}

test("each cell has its samples, whatever the rows are", () => withMap(async (shown, page) => {
	assert.strictEqual(await shown.ask("view"), "heatmap");
	for (const [button, lines] of [["CPU", 2], ["Thread", 3], ["Subsecond offset", 50]]) {
		await page.click(`.choice button:text-is("${button}")`);
		await page.waitForFunction((n) => window.look.times().lines === n, lines);
		const told = await shown.ask("times");
		assert.deepStrictEqual([told.count, told.weight], reported(""));
	}
	/* what comes at 300 ms of each second is in slices 15 to 17 from the foot, and heavier there */
	assert.strictEqual((await shown.ask("times")).cols, 10);
	const slice = async (col, n) => (await cell(page, col, 49 - n)).weight;
	for (const col of [0, 4, 9]) {
		assert.strictEqual(await slice(col, 15), 34);
		assert.strictEqual(await slice(col, 14), 20);
	}
}));

test("a window that is drawn is what report tells of that time", () => withMap(async (shown, page) => {
	const { cols } = await shown.ask("times");
	const [a, b] = [Math.floor(cols * 0.23), Math.floor(cols * 0.61)];
	await drag(page, (await cell(page, a, 0)).at, (await cell(page, b, 1)).at);
	const told = await shown.ask("times");
	assert(told.time, "there is a window");
	assert.deepStrictEqual([told.samples, told.total], reported(told.time));
	assert(told.samples > 200 && told.samples < 800, `${told.samples} samples`);
	const at = samples().filter(({ ms }) => {
		const [from, until] = told.time.split(",").map(Number);
		return 100 + ms / 1000 >= from && 100 + ms / 1000 <= until;
	});
	const share = (name) => at.filter(({ stack }) => stack.includes(name))
		.reduce((sum, { weight }) => sum + weight, 0) / told.total;
	const { width } = (await shown.ask("boxes"))[0];
	widthsAgree((await shown.ask("boxes")).filter((box) => box.width > 2),
		Object.fromEntries(["main", "parse", "write", "timer", "tick"].map((name) => [name, share(name)])), width);
	assert.match(await page.locator(".window-what").innerText(), /samples/);
	await page.click("text=Whole time");
	assert.strictEqual((await shown.ask("times")).time, "");
	assert.deepStrictEqual([(await shown.ask("times")).samples, (await shown.ask("times")).total], reported(""));
}));

test("in seconds a window reaches from cell to cell through the time between", () => withMap(async (shown, page) => {
	await page.waitForFunction(() => window.look.times().cols === 10);
	await drag(page, (await cell(page, 2, 49 - 20)).at, (await cell(page, 4, 49 - 5)).at);
	const told = await shown.ask("times");
	assert.strictEqual(told.time, "102.400000000,104.119999999");
	assert.deepStrictEqual([told.samples, told.total], reported(told.time));
}, ["heatmap", "--by", "offset"]));

test("a row's name shows that row alone", () => withMap(async (shown, page) => {
	const first = await cell(page, 0, 1);
	const canvas = await page.locator(".heatmap .board").boundingBox();
	await page.mouse.click(canvas.x + 20, first.at[1]);
	const told = await shown.ask("times");
	assert.deepStrictEqual([told.samples, told.total], [51, 351]);
	await page.mouse.click(canvas.x + 20, first.at[1]);
	assert.strictEqual((await shown.ask("times")).samples, samples().length);
}));

test("cells are walked, windows drawn and left with keys", () => withMap(async (shown, page) => {
	await page.locator(".heatmap .board").focus();
	await shown.press("ArrowRight", "ArrowRight", "Enter");
	const one = await shown.ask("times");
	assert.deepStrictEqual([one.samples, one.total], reported(one.time));
	const second = await cell(page, 1, 0);
	assert(one.total >= second.weight && second.samples > 0);
	await shown.press("Shift+ArrowRight", "Shift+ArrowRight");
	const three = await shown.ask("times");
	assert(three.samples > 2 * one.samples, `${three.samples} of ${one.samples}`);
	assert.deepStrictEqual([three.samples, three.total], reported(three.time));
	await page.waitForFunction(() => /CPU 0/.test(document.getElementById("said").textContent));
	await shown.press("z");
	assert((await shown.ask("times")).count < samples().length / 5, "only the window is in sight");
	await shown.press("Escape");
	assert.strictEqual((await shown.ask("times")).time, "");
	assert.strictEqual((await shown.ask("times")).count, samples().length);
}));

test("a link restores window, row, rows and what is in sight", () => withMap(async (shown, page) => {
	await page.click('.choice button:text-is("Thread")');
	await page.waitForFunction(() => window.look.times().lines === 3);
	await drag(page, (await cell(page, 20, 0)).at, (await cell(page, 90, 0)).at);
	await page.locator(".heatmap .board").focus();
	await shown.press("z", "ArrowDown", "x");
	const said = await shown.fragment();
	const seen = await shown.ask("times");
	assert(seen.time && seen.row >= 0 && seen.count < samples().length);
	await shown.load(`#${said}`);
	await page.waitForFunction((n) => window.look.times().count === n, seen.count);
	assert.deepStrictEqual(await shown.ask("times"), seen);
	assert.strictEqual(await shown.fragment(), said);
	await shown.load("#view=heatmap&time=nonsense,&sight=5&row=99999&rows=x");
	assert.strictEqual((await shown.ask("times")).time, "");
}));

test("the chart joins equal frames and leaves gaps open", () => withMap(async (shown, page) => {
	assert.strictEqual(await shown.ask("view"), "chart");
	const { tracks, boxes } = await shown.ask("times");
	assert.deepStrictEqual(tracks.map(({ label, samples: n }) => [label, n]),
		[["steady 50", 1000], ["tick 50/51", 50], ["<b>\u202ex</b> 60", 1]]);
	const of = (name, track) => boxes.filter((box) => box.name === name && box.track.startsWith(track));
	assert.strictEqual(of("main", "steady").length, 1, "one call of main");
	assert.strictEqual(of("parse", "steady").length, 10, "and ten of parse");
	assert.strictEqual(of("tick", "tick").length, 10, "a tick a second, with gaps between");
	const canvas = await page.locator(".chart .board").boundingBox();
	const pixels = (ms) => ms / 9990 * (canvas.width - 24);
	for (const box of of("parse", "steady").slice(0, 9))
		assert(Math.abs(box.width - pixels(500)) <= 2, `parse is ${box.width} wide`);
	near(of("tick", "tick")[3].from, 3.3e9, 0.001, "the fourth tick's begin");
	near(of("tick", "tick")[3].until - of("tick", "tick")[3].from, 50e6, 0.25, "its length");
}, ["flamegraph", "--chart"]));

test("the chart is looked at closer, moved and walked", () => withMap(async (shown, page) => {
	const canvas = await page.locator(".chart .board").boundingBox();
	const sight = async () => {
		const [from, until] = (await shown.ask("times")).sight.split(",").map(Number);
		return { from, until, span: until - from };
	};
	const whole = await sight();
	const all = (await shown.ask("times")).sight;
	await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + 150);
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, -150);
	await page.keyboard.up("Control");
	await page.waitForFunction((text) => window.look.times().sight !== text, all);
	const closer = await sight();
	assert(closer.span < whole.span * 0.8, `${closer.span} of ${whole.span}`);
	near((closer.from + closer.until) / 2, (whole.from + whole.until) / 2, 0.01, "around the pointer");
	await page.locator(".chart .board").focus();
	await shown.press(">");
	assert((await sight()).from > closer.from);
	await shown.press("0", "ArrowDown", "ArrowDown", "ArrowRight");
	assert.strictEqual(await page.locator("#detail-name").innerText(), "write");
	await shown.press("Enter");
	near((await sight()).span, 0.5, 0.05, "the box in its whole width");
	const said = await shown.fragment();
	const seen = await sight();
	await shown.load(`#${said}`);
	assert.deepStrictEqual(await sight(), seen);
	await shown.press("r");
	assert.deepStrictEqual(await sight(), whole);
}, ["flamegraph", "--chart"]));

test("tracks of the chart are closed and opened all at once", () => withMap(async (shown, page) => {
	const drawn = async () => (await shown.ask("times")).boxes.length;
	const open = await drawn();
	assert(open > 0);
	await page.click("text=Close all");
	assert.strictEqual(await drawn(), 0);
	const busy = await page.evaluate(() => { /* below the first track's head, where the second half begins */
		const canvas = document.querySelector(".chart .board");
		return canvas.getContext("2d").getImageData(canvas.width / 2, 96, 1, 1).data[0];
	});
	assert(busy < 128, `when a closed track had samples is drawn in ${busy}`);
	await page.click("text=Open all");
	assert.strictEqual(await drawn(), open);
	await page.click(".tracks-fold");
	await page.click(".chart .choice >> text=CPU"); /* other tracks, which are open */
	assert.strictEqual(await page.locator(".tracks-fold").innerText(), "Close all");
	assert(await drawn() > 0);
}, ["flamegraph", "--chart"]));

test("a window of the chart is what report tells of that time", () => withMap(async (shown, page) => {
	const canvas = await page.locator(".chart .board").boundingBox();
	await drag(page, [canvas.x + 200, canvas.y + 20], [canvas.x + 420, canvas.y + 20]);
	const told = await shown.ask("times");
	assert(told.samples > 100);
	assert.deepStrictEqual([told.samples, told.total], reported(told.time));
	assert((await shown.ask("boxes")).some((box) => box.name === "main"), "a flame graph of it");
	const said = await shown.fragment();
	await shown.load(`#${said}`);
	assert.deepStrictEqual([(await shown.ask("times")).time, (await shown.ask("times")).total], [told.time, told.total]);
}, ["flamegraph", "--chart"]));

test("matches of a search are told and found along time", () => withMap(async (shown, page) => {
	await page.fill("#search", "tick");
	const share = 350 / samples().reduce((sum, { weight }) => sum + weight, 0);
	const found = async () => parseFloat((await shown.text("found")).replace("\u00a0", " "));
	near(await found(), 100 * share, 0.01, "the share of tick");
	await page.locator(".chart .board").focus();
	await shown.press("n");
	assert.strictEqual(await page.locator("#detail-name").innerText(), "tick");
}, ["flamegraph", "--chart"]));

test("one sample, and names that are no text, are shown", () => withMap(async (shown, page) => {
	assert.deepStrictEqual([(await shown.ask("times")).count, (await shown.ask("times")).lines], [1, 1]);
	await page.click('.choice button:text-is("Thread")');
	await page.click('.choice button:text-is("Subsecond offset")');
	await page.click("#tabs [data-view=chart]");
	await page.waitForFunction(() => window.look.times().boxes.length === 1);
	await page.emulateMedia({ colorScheme: "dark" });
	assert.strictEqual(await page.locator("b").count(), 0);
}, ["heatmap"], samples().filter(({ weight }) => weight === 1)));

/* Drawn, chosen, walked and restored, and no trouble with any of it. */
async function touchAll(shown, page) {
	for (const view of ["heatmap", "chart"]) {
		await page.click(`#tabs [data-view=${view}]`);
		for (const button of await page.locator(`#view-${view} .choice button`).all()) {
			await button.click();
			await shown.ask("times");
			const board = page.locator(`#view-${view} .board`);
			const canvas = await board.boundingBox();
			await drag(page, [canvas.x + 150, canvas.y + 15], [canvas.x + 300, canvas.y + 25]);
			await page.mouse.click(canvas.x + 20, canvas.y + 15);
			await page.mouse.click(canvas.x + 200, canvas.y + 15);
			await board.focus();
			await shown.press("ArrowRight", "ArrowDown", "Shift+ArrowRight", "Enter", "x", "+", ">", "z", "-", "<", "n", "Escape");
			await shown.ask("times");
		}
		await shown.load(`#${await shown.fragment()}`);
	}
}

test("a time without samples is a page that says so", () => withMap(async (shown, page) => {
	assert.strictEqual((await shown.ask("times")).count, 0);
	assert(await page.locator("text=There are no samples").first().isVisible());
	await touchAll(shown, page);
}, ["heatmap", "--time", "5000,6000"]));

test("times of a wild clock, deep stacks and many threads are no trouble", () => withMap(async (shown, page) => {
	await touchAll(shown, page);
}, ["heatmap"], [
	{ ms: 0, comm: "first", id: "1/1", cpu: 0, weight: 1, stack: ["main"] },
	...Array.from({ length: 300 }, (_, i) => ({ ms: 1000 * i, comm: `t${i}`, id: `1/${i + 2}`, cpu: i % 9, weight: i, stack: ["main", "f"] })),
	{ ms: 5e8, comm: "deep", id: "1/999", cpu: 1, weight: 5, stack: Array.from({ length: 3000 }, (_, i) => `f${i}`) },
	{ ms: 9e12, comm: "late", id: "1/1", cpu: 0, weight: 1, stack: ["main"] },
]));

test("a long time is packed, and all of it is there", () => withMap(async (shown, page) => {
	assert(fs.readFileSync(path.join(folder(), "times.html"), "utf8").includes('"deflate":["samples"]'));
	const told = await shown.ask("times");
	assert.deepStrictEqual([told.count, told.weight], reported(""));
	await page.keyboard.press("Escape");
	await shown.load("#view=chart");
	assert.strictEqual(await shown.ask("view"), "chart");
}, ["heatmap"], Array.from({ length: 40000 }, (_, i) => ({ ms: i, comm: "long", id: "1/1", cpu: i % 4,
	weight: 1000 + i % 7, stack: ["main", `f${i % 50}`] }))));
