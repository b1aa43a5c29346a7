/*
 * Reports of long measurements that pipa analyze writes: their size, what is reduced, what is kept in full resolution, and
 * what is there before the series are read. PIPA_LONG_CPUS: number of CPUs of the day (default: 4).
 */
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { folder, test, withFile } = require("./lib.js");
const { Measurement, dice } = require("./measurement.js");

const HOUR = 3600;
const DAY = 86400;
const CPUS = Number(process.env.PIPA_LONG_CPUS || 4);
const PEAK = { cpu: 1, second: 40005 }; /* the only second in which a CPU has no idle time */

function analyzed(measurement, name) {
	const file = path.join(folder(), `${name}.html`);
	execFileSync(process.env.PIPA, ["analyze", measurement.folder, "-o", file], { stdio: "pipe" });
	fs.rmSync(measurement.folder, { recursive: true });
	return file;
}

/* All tables of a collection of 8 CPUs, noise in every value. */
function hour() {
	const made = new Measurement(folder(), "hour");
	const random = dice(9);
	const noise = (scale) => (scale * random()).toFixed(2);
	const table = (name, columns, keys = [null]) => made.table(name, `${columns}`, HOUR, () => keys.map((key) =>
		[...(key ? [key] : []), ...columns.split(";").slice(key ? 1 : 0).map((column) => noise(/%/.test(column) ? 60 : 20000))]));
	made.cpus(8, HOUR, 50);
	table("sar_disk.csv", "DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util", ["sda", "nvme0n1"]);
	table("sar_network.csv", "IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s;%ifutil", ["lo", "eth0"]);
	table("sar_memory.csv", "kbmemfree;kbavail;kbmemused;%memused;kbbuffers;kbcached;kbcommit;%commit;kbactive;kbinact;kbdirty");
	table("sar_load.csv", "runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked");
	table("sar_cswch.csv", "proc/s;cswch/s");
	table("sar_paging.csv", "pgpgin/s;pgpgout/s;fault/s;majflt/s;pgfree/s;pgscank/s;pgscand/s;pgsteal/s;%vmeff");
	made.write("perf_stat.txt", Array.from({ length: HOUR }, (_, i) => ["cycles", "instructions", "branches",
		"branch-misses", "LLC-loads", "LLC-load-misses"].map((event) =>
		`${i + 1}.000000000,${Math.floor(random() * 2e10)},,${event},1000000000,100.00,,\n`).join("")).join(""));
	return made;
}

/* A day in which all CPUs are busy, one of them completely in one second. */
function day() {
	const made = new Measurement(folder(), "day");
	made.cpus(CPUS, DAY, 93, (row, cpu, second) => {
		if (cpu <= 0 && second === PEAK.second)
			row.splice(1, 6, 100, 0, 0, 0, 0, 0);
	});
	return made;
}

test("the report of an hour of 8 CPUs takes less than 2 MB", async () => {
	if (!process.env.PIPA)
		return "PIPA names no program";
	const file = analyzed(hour(), "hour");
	const { size } = fs.statSync(file);
	assert(size < 2e6, `${size} bytes`);
	await withFile(file, async (shown, page) => {
		await shown.load("#view=tables");
		assert.strictEqual((await shown.ask("told")).rows, 9 * HOUR, "nothing of an hour is reduced");
		assert(await page.locator(".raw-note").isHidden());
	});
	return undefined;
});

test("a day is reduced to minutes with a note, its evidence is not, and no peak is lost", async () => {
	if (!process.env.PIPA)
		return "PIPA names no program";
	const file = analyzed(day(), "day");
	await withFile(file, async (shown, page) => {
		assert(await page.evaluate(() => Boolean(document.querySelector("script:not([type])").compareDocumentPosition(
			document.getElementById("block-0")) & Node.DOCUMENT_POSITION_FOLLOWING)), "the summary waits for the series");
		const early = await page.evaluate(() => ({ summary: performance.getEntriesByName("pipa-summary")[0].startTime,
			read: performance.getEntriesByType("navigation")[0].domInteractive,
			paint: performance.getEntriesByName("first-contentful-paint")[0].startTime }));
		if (process.env.PIPA_LONG_CPUS)
			console.log(`${CPUS} CPUs, ${fs.statSync(file).size} bytes: summary after ${Math.round(early.summary)} ms, first ` +
				`paint ${Math.round(early.paint)} ms, all read after ${Math.round(early.read)} ms`);
		assert.strictEqual(await shown.ask("decoded"), 1, "the CPU time of the overview");
		const series = await page.evaluate(() => JSON.parse(document.getElementById("pipa-data").textContent).series
			.map(({ section, reduced_s: reduced, evidence = false, n }) => ({ section, reduced, evidence, n })));
		assert(series.some(({ section, reduced, n }) => section === "cpu-short" && reduced === 60 && [1440, 1441].includes(n)),
			JSON.stringify(series));
		assert(series.some(({ evidence, reduced, n }) => evidence && reduced === 0 && n === DAY), "evidence");

		await shown.load("#view=findings&f=0");
		const card = page.locator("#finding-0");
		assert.match(await card.innerText(), /CPUs saturated/);
		assert.deepStrictEqual((await shown.ask("told")).lines[0], ["all %idle", "all %iowait", "all %user", "all %system"]);

		await shown.load("#view=metrics");
		const { charts } = await shown.ask("told");
		const peakOf = ({ lines }) => lines.find(({ name }) => /%user$/.test(name)).max;
		assert.strictEqual(peakOf(charts.find(({ id }) => id === "cpu-short")), 100, "the peak in the chart of minutes");

		await shown.load("#view=tables");
		assert.match(await page.locator(".raw-note").innerText(), /reduced: each row has the minimum, mean and maximum of 1 min/);
		const filters = page.locator(".raw-filter");
		const at = (await shown.ask("told")).columns.indexOf("cpu.short.usr.max") >= 0 ? "cpu.short.usr.max"
			: (await shown.ask("told")).columns.find((id) => /(usr|user)\.max$/.test(id));
		await filters.nth((await shown.ask("told")).columns.indexOf(at)).fill("=100");
		await shown.still();
		await page.waitForFunction(() => window.look.told().rows === 2); /* of all CPUs and of one */
		assert.match(await page.locator(".raw-box .line").first().innerText(), /2026-11-15 11:0[67]/);
	});
	return undefined;
});
