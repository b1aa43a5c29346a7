/*
 * One page in headless Chromium, timed within the page: node web.js ours|theirs FILE ROUNDS. Prints a line a
 * step, its name and its median in ns: `first` from the start of the navigation to what can be looked at,
 * `zoom` from a key to the picture after it, `search` from a text to the picture with what matches; `cpu-zoom`
 * and `cpu-search` are the CPU time of the page's thread for these, whatever else the machine does. Frames
 * are not held back for a screen, or 16 ms would be the least of everything.
 */
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("../tests/web/node_modules/playwright-core");

const FLAGS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync", "--disable-frame-rate-limit", "--disable-gpu-vsync",
	"--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

/*
 * In the page: a message that is sent within a frame comes when all who draw in that frame have drawn. To
 * wait for the next frame instead would count how long an idle one takes, 15 to 80 ms on a busy machine.
 */
function helpers() {
	window.drawn = () => new Promise((done) => {
		const { port1, port2 } = new MessageChannel();
		port1.onmessage = () => done(performance.now());
		requestAnimationFrame(() => port2.postMessage(0));
	});
	window.timed = async (act) => {
		const since = performance.now();
		act();
		return await window.drawn() - since;
	};
}

const ours = {
	async first(page) {
		await page.waitForFunction(() => window.pipa, null, { polling: 5 });
		return page.evaluate(async () => {
			await window.pipa.ready;
			return window.drawn();
		});
	},
	zoom: (page) => page.evaluate(() => window.timed(() => {
		document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
	})),
	search: (page, text) => page.evaluate((value) => window.timed(() => {
		const field = document.getElementById("search");
		field.value = value;
		field.dispatchEvent(new Event("input", { bubbles: true }));
	}), text),
};

const FIELD = "input:not([type=file])";
const theirs = {
	async first(page) {
		await page.waitForFunction(() => document.querySelectorAll("canvas").length > 0 &&
			/ - speedscope/.test(document.title), null, { polling: 20 });
		return page.evaluate(() => window.drawn());
	},
	zoom: (page) => page.evaluate(() => window.timed(() => {
		window.dispatchEvent(new KeyboardEvent("keydown", { key: "=", bubbles: true }));
	})),
	async search(page, text) {
		if (!await page.locator(FIELD).count()) {
			await page.keyboard.press("Control+f");
			await page.waitForSelector(FIELD);
		}
		return page.evaluate(([value, selector]) => window.timed(() => {
			const field = document.querySelector(selector);
			field.value = value;
			field.dispatchEvent(new Event("input", { bubbles: true }));
		}), [text, FIELD]);
	},
};

function median(list) {
	return list.sort((a, b) => a - b)[list.length >> 1];
}

async function main(who, file, rounds) {
	const steps = who === "ours" ? ours : theirs;
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pipa-bench-"));
	const browser = await chromium.launchPersistentContext(folder, { args: FLAGS,
		executablePath: process.env.CHROMIUM, viewport: { width: 1280, height: 800 } });
	try {
		return await measure(browser.pages()[0], steps, file, rounds);
	} finally {
		await browser.close();
		fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

async function measure(page, steps, file, rounds) {
	page.setDefaultTimeout(600000);
	const times = { first: [], zoom: [], search: [], "cpu-zoom": [], "cpu-search": [] };
	const busy = await page.context().newCDPSession(page);
	await busy.send("Performance.enable", { timeDomain: "threadTicks" });
	const spent = async () => (await busy.send("Performance.getMetrics")).metrics
		.find(({ name }) => name === "TaskDuration").value * 1000;
	const step = async (name, run) => {
		const before = await spent();
		times[name].push(await run());
		times[`cpu-${name}`].push(await spent() - before);
	};
	await page.addInitScript(helpers);
	for (let round = 0; round < rounds; round++) {
		const [address, fragment] = file.split("#");
		await page.goto("about:blank");
		await page.goto(pathToFileURL(address).href + (fragment ? `#${fragment}` : ""),
			{ waitUntil: "commit" });
		times.first.push(await steps.first(page));
		for (let i = 0; i < 5; i++)
			await step("zoom", () => steps.zoom(page));
		for (const text of ["fn_12", "fn_7", "parse", "fn_99"])
			await step("search", () => steps.search(page, text));
	}
	if (process.env.BENCH_SHOT)
		await page.screenshot({ path: process.env.BENCH_SHOT });
	for (const [name, list] of Object.entries(times))
		console.log(name, Math.round(median(list) * 1e6));
}

main(process.argv[2], process.argv[3], Number(process.argv[4])).catch((error) => {
	console.error(error.message);
	process.exitCode = 1;
});
