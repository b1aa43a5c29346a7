/*
 * Import files into speedscope's own page in a headless browser, and print what it shows as JSON:
 *
 *   node page.js FILE... [--save FILE]
 *
 * One line per profile of each file: its name, the total and the functions of the sandwich view with their self and total
 * weights as the page prints them. --save writes the last file as speedscope itself saves it.
 */
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const QUIET = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync", "--use-gl=swiftshader", "--enable-unsafe-swiftshader",
	"--allow-file-access-from-files"];
const release = path.join(__dirname, "node_modules/speedscope/dist/release/index.html");

/* The rows of the sandwich view; the list is drawn only as far as it is seen, so the window is made tall. */
async function rows(page) {
	return page.$$eval("table tr", (lines) => lines.map((line) =>
		[...line.querySelectorAll("td")].map((cell) => cell.textContent.trim()))
		.filter((cells) => cells.length === 3));
}

async function show(page, file, folder) {
	const script = path.join(folder, "profile.js");
	const bytes = fs.readFileSync(file).toString("base64");

	fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, "${bytes}")`);
	await page.goto("about:blank");
	await page.goto(`${pathToFileURL(release)}#localProfilePath=${script}`);
	await page.waitForFunction(() => /Sandwich/.test(document.body.textContent), { timeout: 20000 });
	await page.keyboard.press("3");
	await page.waitForSelector("table td", { state: "attached" });
	await page.waitForTimeout(200);
	const title = await page.title();
	console.log(JSON.stringify({ file: path.basename(file), title, rows: await rows(page) }));
}

async function main() {
	const args = process.argv.slice(2);
	const at = args.indexOf("--save");
	const save = at < 0 ? null : args.splice(at, 2)[1];
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pipa-speedscope-"));
	const browser = await chromium.launchPersistentContext(path.join(folder, "browser"), {
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: QUIET,
		viewport: { width: 1600, height: 2400 }, acceptDownloads: true });
	const page = await browser.newPage();
	let failed = false;

	page.on("pageerror", (error) => { failed = true; console.error(`error: ${error.message}`); });
	page.on("dialog", (dialog) => { failed = true; console.error(`dialog: ${dialog.message()}`); dialog.dismiss(); });
	for (const file of args)
		await show(page, file, folder);
	if (save) {
		const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+s")]);
		await download.saveAs(save);
	}
	await browser.close();
	fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	process.exitCode = failed ? 1 : 0;
}

main().catch((error) => { console.error(error.message); process.exit(1); });
