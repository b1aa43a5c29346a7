/* Reports that pipa analyze writes: every section of a measurement with hostile names and damaged members. */
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { folder, test, withFile } = require("./lib.js");
const { Measurement } = require("./measurement.js");

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

const HOSTILE = ["</script><script>alert(1)</script>", "\"quoted' name`", "\u202eevil\u202d", "tab\tcontrol\u0001\u0007\u001b[31m",
	"<img src=x onerror=alert(2)>", "-->", "]]>", "{{data}}", "'+alert(3)+'", "javascript:alert(4)", "x".repeat(3000)];

/* Hostile names everywhere, a gap, impossible values, malformed lines, and members that are nothing. */
function damaged() {
	const made = new Measurement(folder(), "damaged");
	const gap = (second) => second >= 40 && second < 47;
	made.table("sar_cpu.csv", "CPU;%user;%nice;%system;%iowait;%steal;%idle", 120, (second) => (gap(second) ? []
		: [-1, 0, 1, 2, 3].map((cpu) => [cpu, 60, 0, 20, second === 60 ? -5 : 0, 0, second === 70 ? 250 : 20])
			.concat(second === 119 ? ["box;1;2026-11-15 03:99:99 UTC;\ufffd;nan;inf;-1;1e999\nbox;1;"] : [])));
	made.table("sar_disk.csv", "DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util", 120, (second) => (gap(second) ? []
		: HOSTILE.map((name) => [name, 900, 1000 + second, 200, 0, 4, 85, 60, 98])));
	made.table("sar_network.csv", "IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s;%ifutil", 120, () =>
		HOSTILE.map((name) => [name, 1, 1, 10, 20, 0, 0, 0, 1]));
	made.write("sar_memory.csv", Buffer.from([0, 255, 10, 59, 59]));
	made.write("perf_stat.txt", `${HOSTILE.slice(0, 2).map((name) => `1.0,10,,${name},1000,100.00,,\n`).join("")}99,x`);
	made.write("stacks.folded", HOSTILE.map((name, i) => `${name.replace(/[\n;]/g, "")};main;${name.replace(/[\n;]/g, "")} ${i + 3}\n`)
		.join(""));
	fs.writeFileSync(path.join(made.folder, "spec_info.yaml"), "cpu_info:\n  \"</script>\": \"<img src=x>\"\nbad: [unclosed\n");
	return made.folder;
}

test("a damaged measurement with hostile names is a report of all that can be used", async () => {
	const pipa = process.env.PIPA;
	if (!pipa)
		return "PIPA names no program";
	const file = path.join(folder(), "damaged.html");
	execFileSync(pipa, ["analyze", damaged(), "-o", file, "--title", "</title><script>alert(6)</script>"], { stdio: "pipe" });
	await withFile(file, async (shown, page) => {
		assert.strictEqual(await page.title(), "</title><script>alert(6)</script>");
		for (const lang of ["en", "zh"]) {
			await shown.load(`#lang=${lang}`);
			for (const id of await shown.ask("sections")) {
				await page.click(`#tabs [data-section=${id}]`);
				await page.evaluate(() => document.querySelectorAll(".section:not([hidden]) .toggle[aria-expanded=false]")
					.forEach((button) => button.click()));
				await page.waitForFunction(() => !window.look.busy());
				assert.strictEqual(await page.locator("main :is(script, img, iframe, a[href])").count(), 0, id);
				const text = await page.evaluate(() => document.querySelector(".section:not([hidden])").innerText);
				assert(!/[\u0001-\u0008\u001b\u202d\u202e]/.test(text), `${id} shows control characters`);
				if (id === "quality" && lang === "en")
					for (const piece of ["negative value", "above 100 %", "gap", "malformed line", "not a file that pipa reads", "spec_info"])
						assert(text.includes(piece), `${piece} is not in ${text}`);
			}
		}
		assert.strictEqual(await page.locator("script").count() - await page.locator("script[type]").count(), 1, "one script");
	});
	return undefined;
});

test("every section of a report that pipa writes is shown in both languages", async () => {
	const pipa = process.env.PIPA;
	if (!pipa)
		return "PIPA names no program";
	const file = path.join(folder(), "real_report.html");
	const source = measurement();
	execFileSync(pipa, ["analyze", source, "-o", file], { stdio: "pipe" });
	const metrics = JSON.parse(execFileSync(pipa, ["analyze", source, "-f", "json"], { stdio: ["ignore", "pipe", "ignore"] }));
	await withFile(file, async (shown, page) => {
		const { metrics: told } = await page.evaluate(() => JSON.parse(document.getElementById("pipa-data").textContent));
		assert(told.length > 10);
		for (const { key, value } of told)
			assert.strictEqual(value, metrics[key], `${key} is not that of -f json`);
		await shown.load("#lang=zh");
		assert.deepStrictEqual(await page.evaluate(() => JSON.parse(document.getElementById("pipa-data").textContent).variables
			.map(({ source }) => window.look.source(source))
			.filter((text) => /\b(mean|needs|maximum|minimum|the|of|over|with|counters?|statistics)\b/.test(text))), [],
		"sources of variables in Chinese");
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
