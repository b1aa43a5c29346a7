/*
 * A browser, pages in it, and what tests ask of them. A page that logs an error, or asks for anything
 * beyond its own file, fails its test whatever else the test looks at.
 */
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");
const { pageOf, payloadOf } = require("./payload.js");

const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync"];

const tests = {
	list: [],
	file: "",
	in(file, load) {
		this.file = file;
		load();
	},
};

function test(name, run) {
	tests.list.push({ file: tests.file, name, run });
}

let folder;
let browser;
let pages = 0;

async function setUp() {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), "pipa-web-"));
	browser = await chromium.launchPersistentContext(path.join(folder, "browser"), {
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: QUIET, viewport: null });
}

async function close() {
	await browser.close();
	fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/* A page of a file, and its troubles so far. */
class Shown {
	constructor(page, url) {
		this.page = page;
		this.url = url;
		this.troubles = [];
		page.setDefaultTimeout(60000);
		page.on("console", (message) => {
			if (["error", "warning"].includes(message.type()))
				this.troubles.push(`console: ${message.text()}`);
		});
		page.on("pageerror", (error) => this.troubles.push(`error: ${error.message}`));
		page.on("dialog", (dialog) => {
			this.troubles.push(`dialog: ${dialog.message()}`);
			dialog.dismiss();
		});
		page.on("request", (request) => {
			const to = request.url();
			if (to.split("#")[0] !== url && !to.startsWith("data:") && !to.startsWith("blob:"))
				this.troubles.push(`request: ${to}`);
		});
	}

	async load(fragment = "") {
		await this.page.goto("about:blank");
		await this.page.goto(this.url + fragment);
		await this.page.evaluate(async () => { window.look = await window.pipa.ready; });
		await this.still();
	}

	/* what window.pipa says: ask("boxes", 1) */
	ask(name, ...args) {
		return this.page.evaluate(([what, with_]) => {
			const value = window.look[what];
			return typeof value === "function" ? value(...with_) : value;
		}, [name, args]);
	}

	/* When zooms have come to rest and the address is written. */
	async still() {
		await this.page.waitForFunction(() => window.look.failed || !window.look.busy());
	}

	async fragment() {
		const said = await this.ask("state");
		await this.page.waitForFunction((text) => location.hash.replace(/^#/, "") === text, said);
		return said;
	}

	async box(name, pane = 0) {
		const boxes = await this.ask("boxes", pane);
		return boxes.find((box) => box.name === name);
	}

	/* The middle of a frame's part in sight, in the window. */
	async point(name, pane = 0) {
		const box = await this.box(name, pane);
		assert(box, `${name} is not in sight`);
		const canvas = await this.page.locator("canvas").filter({ visible: true }).nth(pane).boundingBox();
		const left = Math.max(box.x, 0);
		const right = Math.min(box.x + box.width, canvas.width);
		return [canvas.x + (left + right) / 2, canvas.y + box.y + box.height / 2];
	}

	async click(name, pane = 0) {
		await this.page.mouse.click(...await this.point(name, pane));
		await this.still();
	}

	async press(...keys) {
		for (const key of keys)
			await this.page.keyboard.press(key);
		await this.still();
	}

	text(id) {
		return this.page.locator(`#${id}`).textContent();
	}
}

/* Run with a page of a file, in a window of a size. */
async function withFile(file, run, { width = 1000, height = 600, picture = false, ...more } = {}) {
	const page = browser.pages()[0];
	const shown = new Shown(page, pathToFileURL(file).href);
	try {
		await page.setViewportSize({ width, height });
		await page.emulateMedia({ colorScheme: "light", reducedMotion: "no-preference", ...more });
		if (picture) /* it has no window.pipa */
			await page.goto(shown.url);
		else
			await shown.load();
		await run(shown, page);
		assert.deepStrictEqual(shown.troubles, []);
	} finally {
		page.removeAllListeners();
	}
}

function fileOf(text) {
	const file = path.join(folder, `page-${pages++}.html`);
	fs.writeFileSync(file, text);
	return file;
}

async function withPage(payload, run, options) {
	await withFile(fileOf(pageOf(payload)), run, options);
}

const withStacks = (stacks, run, options, more) => withPage(payloadOf(stacks, more), run, options);

function near(got, want, share, what) {
	assert(Math.abs(got - want) <= share * Math.max(Math.abs(want), 1e-9),
		`${what}: ${got}, not ${want}`);
}

/* Each frame in sight is as wide as its weight says, to a thousandth. */
function widthsAgree(boxes, weights, pixels) {
	for (const { name, width } of boxes) {
		if (name !== "")
			near(width, weights[name] * pixels, 0.001, name);
	}
}

module.exports = { close, fileOf, folder: () => folder, near, setUp, test, tests, widthsAgree, withFile, withPage,
	withStacks };
