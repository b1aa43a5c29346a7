/*
 * Print how long speedscope's page takes from the choice of a file until it shows it, in seconds:
 *
 *   node speedscope_peer.js NODE_MODULES FILE ROUNDS
 */
"use strict";

const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const [modules, file, rounds] = process.argv.slice(2);
const { chromium } = require(path.join(modules, "playwright-core"));

async function main() {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pipa-speedscope-"));
	const browser = await chromium.launchPersistentContext(path.join(folder, "browser"), {
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader"] });
	const page = await browser.newPage();

	page.setDefaultTimeout(300000);
	for (let i = 0; i < Number(rounds); i++) {
		await page.goto("about:blank");
		await page.goto(String(pathToFileURL(path.join(modules, "speedscope/dist/release/index.html"))));
		const input = await page.waitForSelector("input[type=file]", { state: "attached" });
		await page.evaluate(() => {
			const input_ = document.querySelector("input[type=file]");
			window.shown = new Promise((resolve) => {
				input_.addEventListener("change", () => { window.began = performance.now(); }, true);
				const observer = new MutationObserver(() => {
					if (!/Sandwich/.test(document.body.textContent))
						return;
					observer.disconnect();
					resolve(performance.now() - window.began);
				});
				observer.observe(document.body, { subtree: true, childList: true });
			});
		});
		await input.setInputFiles(file);
		console.log((await page.evaluate(() => window.shown) / 1000).toFixed(3));
	}
	await browser.close();
	fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

main().catch((error) => { console.error(error.message); process.exit(1); });
