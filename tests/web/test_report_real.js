/* Reports that pipa analyze writes: every section of a measurement with hostile names and damaged members. */
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { folder, test, withFile } = require("./lib.js");

const NAME = "<img src=x onerror=alert(1)>";

/* 120 s of 8 CPUs, of which 2 are busy, and a saturated disk with a hostile name. */
function measurement() {
	const at = path.join(folder(), "measurement/attach_session_demo");
	const table = (name, columns, rowsOf) => {
		const lines = [`# hostname;interval;timestamp;${columns}`];
		for (let second = 0; second < 120; second++) {
			const time = `2026-11-15 03:${String(Math.floor(second / 60)).padStart(2, "0")}:${
				String(second % 60).padStart(2, "0")} UTC`;
			lines.push(...rowsOf(second).map((row) => `box;1;${time};${row.join(";")}`));
		}
		fs.writeFileSync(path.join(at, name), `${lines.join("\n")}\n`);
	};
	fs.mkdirSync(at, { recursive: true });
	table("sar_cpu.csv", "CPU;%user;%nice;%system;%iowait;%steal;%idle", () =>
		[-1, 0, 1, 2, 3, 4, 5, 6, 7].map((cpu) => (cpu === 0 || cpu === 1 ? [cpu, 60, 0, 20, 15, 0, 5] : [cpu, 2, 0, 1, 0, 0, 97])));
	table("sar_disk.csv", "DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util", (second) =>
		[[NAME, 900, 1000 + second, 200, 0, 4, 85, 60, 98], ["sdb", 1, 0, 1, 0, 4, 0, 1, 1]]);
	fs.writeFileSync(path.join(at, "sar_memory.csv"), Buffer.from([0, 255, 10, 59, 59]));
	fs.writeFileSync(path.join(at, "stacks.folded"), `java;main;${NAME} 60\njava;main;wait 40\n`);
	return path.dirname(at);
}

test("every section of a report that pipa writes is shown in both languages", async () => {
	const pipa = process.env.PIPA;
	if (!pipa)
		return "PIPA names no program";
	const file = path.join(folder(), "real_report.html");
	execFileSync(pipa, ["analyze", measurement(), "-o", file], { stdio: "pipe" });
	await withFile(file, async (shown, page) => {
		for (const lang of ["en", "zh"]) {
			await shown.load(`#lang=${lang}`);
			const sections = await shown.ask("sections");
			for (const id of ["summary", "findings", "tree", "cpus", "disks", "metrics", "viewer", "quality"])
				assert(sections.includes(id), `${id} is missing: ${sections}`);
			for (const id of sections) {
				await page.click(`#tabs [data-section=${id}]`);
				await page.evaluate(() => document.querySelectorAll(".section:not([hidden]) .toggle[aria-expanded=false]")
					.forEach((button) => button.click()));
				await page.waitForFunction(() => !window.look.busy());
				const text = await page.evaluate(() => document.querySelector(".section:not([hidden])").innerText);
				assert(!/undefined|\bNaN\b|\[object|\{\d\}/.test(text), `${id} ${lang}: ${text}`);
				assert.strictEqual(await page.locator("img").count(), 0, id);
				if (id === "summary" && lang === "en")
					assert.match(text, /Limit\s+Disk <img src=x onerror=alert\(1\)> limits the workload/);
				if (id === "cpus" && lang === "en")
					assert.match(text, /Busy\s+2\s+60\.0.%[\s\S]*0-1/);
			}
		}
	});
	return undefined;
});
