/* The sections of a report: what they show is what the payload has, in both languages, without running names. */
"use strict";

const assert = require("node:assert");
const { fileOf, near, test, withFile } = require("./lib.js");
const { BEGIN, reportOf, reportPageOf } = require("./report.js");
const { sampleReport } = require("./report_sample.js");
const { fits } = require("./test_narrow.js");

const withReport = (report, run, options) => withFile(fileOf(reportPageOf(report)), run, options);
const SECTIONS = ["summary", "findings", "tree", "cpus", "disks", "range", "hot", "viewer", "system", "quality"];
const RANGE = `time=${BEGIN + 60000},${BEGIN + 90000}`;

/* The text of the section in sight, as it is read. */
const textOf = (page) => page.evaluate(() => document.querySelector(".section:not([hidden])").innerText);

async function quiet(shown, page) {
	await page.waitForFunction(() => !window.look.busy());
}

test("every section of a report shows hostile names as text, in both languages and themes", () =>
	withReport(sampleReport(), async (shown, page) => {
		const offered = await shown.ask("sections");
		for (const id of SECTIONS)
			assert(offered.includes(id), id);
		for (const [lang, theme] of [["en", "light"], ["zh", "dark"]]) {
			await shown.load(`#lang=${lang}&theme=${theme}&${RANGE}`);
			for (const id of SECTIONS) {
				await page.click(`#tabs [data-section=${id}]`);
				await page.evaluate(() => document.querySelectorAll(".section:not([hidden]) .toggle[aria-expanded=false]")
					.forEach((button) => button.click()));
				await quiet(shown, page);
				const text = await textOf(page);
				assert(!/undefined|NaN|\[object|\{\d\}/.test(text), `${id} ${lang}: ${text}`);
				assert(!/\b[a-z_]+\.[a-z_]+\.title\b/.test(text), `${id} ${lang}: a key is shown`);
				assert.strictEqual(await page.locator(".section img").count(), 0, id);
				if (lang === "zh")
					assert(/[\u4e00-\u9fff]/.test(text), `${id} is not Chinese`);
			}
		}
		await shown.load("#view=disks");
		assert((await textOf(page)).includes("<img src=x onerror=alert(1)>\u27e8202E\u27e9&\"'"));
	}));

test("texts of sections exist in both languages", () => withReport(sampleReport(), async (shown, page) => {
	assert.deepStrictEqual(await page.evaluate(() => window.look.strings()), []);
}));

test("the verdict leads to the finding, the finding to its evidence, its range and its rule", () =>
	withReport(sampleReport(), async (shown, page) => {
		assert((await textOf(page)).includes("p95_disk_util 99.2"));
		await page.click("text=Show the evidence");
		assert.strictEqual(await shown.ask("view"), "findings");
		assert.strictEqual((await shown.ask("told")).open, "0");
		const card = page.locator("#finding-0");
		const evidence = await card.locator("table.rows").first().innerText();
		assert.match(evidence, /p95_disk_util\s+99\.2.%\s+disk: sda %util, p95\s+95.%/);
		assert.match(await card.locator(".path").innerText(), /Disk \u203a A disk is saturated/);
		await quiet(shown, page);
		assert.deepStrictEqual((await shown.ask("told")).lines, [["sda"]]);
		assert.match(await card.locator(".evidence-charts h4").innerText(), /^Disks \u00b7 %util/);
		const drawn = await card.locator(".chart-canvas").evaluate((canvas) => new Set(canvas.getContext("2d")
			.getImageData(0, 0, canvas.width, canvas.height).data).size);
		assert(drawn > 10, "the chart of the evidence is empty");
		await shown.press("e"); /* closes the first */
		assert.strictEqual((await shown.ask("told")).open, "");
		await page.click("#finding-1 >> text=Show in the decision tree");
		assert.strictEqual(await shown.ask("view"), "tree");
		assert((await shown.fragment()).includes("node=6"));
		await page.click(".rule-detail >> text=Show the finding");
		assert.strictEqual(await shown.ask("view"), "findings");
		await page.click("#finding-0 >> text=Range");
		assert.deepStrictEqual(await shown.ask("range"), { from: BEGIN + 60000, until: BEGIN + 90000 });
		assert.strictEqual(await shown.ask("view"), "range");
	}));

test("a report without findings says so", () => withReport(reportOf([], { findings: [], cpus: undefined, nodes: [],
	verdict: { severity: "none", text: null, finding: null } }), async (shown, page) => {
	assert.deepStrictEqual(await shown.ask("sections"), ["summary", "findings", "quality"]);
	await shown.load("#view=findings");
	assert.match(await textOf(page), /No rule found a problem/);
}));

test("the decision tree opens the path to findings and is walked by keys", () =>
	withReport(sampleReport(), async (shown, page) => {
		await shown.load("#view=tree");
		const told = await shown.ask("told");
		assert.deepStrictEqual(told.leads, [4, 5, 6, 8]);
		assert.strictEqual(told.visible, 8); /* the rule below one that is not active is closed */
		await page.locator(".tree [tabindex='0']").focus();
		await shown.press("ArrowDown", "Enter");
		const detail = page.locator(".rule-detail:not([hidden])");
		assert.match(await detail.innerText(), /its expression is true[\s\S]*p95_disk_util > IO_UTIL_HIGH_THRESHOLD[\s\S]*PIPA's limit/);
		await shown.press("ArrowLeft");
		assert.strictEqual((await shown.ask("told")).visible, 7);
		await shown.load("#view=tree&node=3");
		assert.match(await detail.innerText(), /not measured: ipc/);
		await shown.load("#view=tree&node=2");
		assert.match(await detail.innerText(), /not active: CPUs are saturated/);
	}));

test("256 CPUs are plotted by class and listed by class and group", () =>
	withReport(sampleReport({ cpus: 256 }), async (shown, page) => {
		await shown.load("#view=cpus");
		const { points } = await shown.ask("told");
		assert.strictEqual(points.length, 256);
		assert.deepStrictEqual([0, 1, 99].map((id) => points.filter((point) => point.class === id).length), [128, 64, 64]);
		const canvas = await page.locator(".scatter").boundingBox();
		assert(points.every(({ x, y }) => x > 0 && x < canvas.width && y > 0 && y < canvas.height));
		const classes = await page.locator(".classes table").innerText();
		assert.match(classes, /Busy\s+64\s/);
		await page.mouse.move(canvas.x + points[3].x, canvas.y + points[3].y);
		assert.match(await page.locator("#tip").innerText(), /^CPU .*3/);
		await page.locator(".scatter").focus();
		await shown.press("ArrowRight");
		assert(await page.locator("#tip").isVisible());
		const rows = page.locator("table.rows").last().locator("tbody tr");
		assert.strictEqual(await rows.count(), 100);
		await page.click("text=Show all 256 rows");
		assert.strictEqual(await rows.count(), 256);
		await page.locator("table.rows").last().locator("text=%iowait").click();
		assert.match(await rows.first().innerText(), /^3\s/);
		assert.match(await textOf(page), /unevenly: they differ by 43/);
	}));

test("fewer than 4 CPUs have neither classes nor groups", () => {
	const report = sampleReport({ cpus: 2 });
	Object.assign(report.data.cpus, { classes: 0, groups: [] });
	return withReport(report, async (shown, page) => {
		await shown.load("#view=cpus");
		assert.match(await textOf(page), /need at least 4 CPUs/);
		assert(!/Busy|Idle|Group/.test(await textOf(page)));
	});
});

test("disks, hot spots and system information show their warnings and details", () =>
	withReport(sampleReport(), async (shown, page) => {
		await shown.load("#view=disks");
		assert.match(await textOf(page), /Disk sda is saturated: busy 99 % of the time \(p95\), requests take 14\.2 ms/);
		assert.match(await textOf(page), /nearly full: 94 % used/);
		await shown.load("#view=hot");
		await page.click("button.toggle:has-text('parse')");
		assert.match(await textOf(page), /src\/parse\.c:120\s+30\.50.%[\s\S]*cmp \$0x3c,%al/);
		await shown.load("#view=system");
		await shown.press("/");
		await page.keyboard.type("512k");
		assert.match(await textOf(page), /1 entry[\s\S]*cpu \u203a caches \u203a 1 \u203a size\s+512K/);
		assert(!(await textOf(page)).includes("6.1.0"));
	}));

test("a time range is compared with the rest of the time", () => withReport(sampleReport(), async (shown, page) => {
	await shown.load("#view=range");
	await quiet(shown, page);
	assert.match(await textOf(page), /Select a time range/);
	await page.click("button:has-text('A disk is saturated')");
	await quiet(shown, page);
	const told = await shown.ask("told");
	/* 300 samples of serve and 300 of flush, one of the hostile thread; 900 of serve in the rest */
	assert.strictEqual(told.samples, 601);
	assert.strictEqual(told.rest, 900e8);
	const share = (rows, name) => rows.find((row) => row.name === name);
	near(share(told.processes, "flush").share, 300 / 601, 1e-9, "flush in the range");
	assert.strictEqual(share(told.processes, "flush").rest, 0);
	near(share(told.processes, "serve").change, 300 / 601 - 1, 1e-9, "difference of serve");
	assert.strictEqual(told.threads.length, 4);
	near(share(told.functions, "vfs_fsync").share, 300 / 601, 1e-9, "vfs_fsync");
	near(share(told.functions, "main").total, 300 / 601, 1e-9, "total of main");
	assert.match(await page.locator(".range-body table").innerText(), /^Function[\s\S]*?vfs_fsync/);
	await page.click("button:text-is('Processes')");
	assert.match(await page.locator(".range-body table tbody tr").first().innerText(), /flush\s+200\s+49\.92/);
	assert((await shown.fragment()).includes("by=processes"));
	await page.locator(".range-flame canvas").scrollIntoViewIfNeeded();
	const canvas = await page.locator(".range-flame canvas").boundingBox();
	await page.mouse.click(canvas.x + canvas.width / 4, canvas.y + 30);
	assert.match(await page.locator(".range-detail").innerText(), /in the range 49\.92/);
	await page.keyboard.press("Escape");
}));

test("the views of the profile live in a section of the report", () => withReport(sampleReport(), async (shown, page) => {
	await shown.load("#view=viewer");
	await quiet(shown, page);
	assert.deepStrictEqual((await shown.ask("told")).offered, ["flame", "sandwich", "heatmap"]);
	await shown.press("/");
	await page.keyboard.type("parse");
	assert.match((await shown.ask("told")).found, /^53\.30.% in 1 name, 1 place$/);
	await shown.press("Escape", "t");
	assert.strictEqual((await shown.ask("told")).view, "sandwich");
	assert((await shown.fragment()).includes("p.view=sandwich"));
	await page.click(".viewer-tabs >> text=Heat map");
	await shown.press("g"); /* Chinese: the views are made again where they were */
	await quiet(shown, page);
	assert.strictEqual((await shown.ask("told")).view, "heatmap");
	const text = await page.locator(".viewer").innerText();
	const names = /libapp\.so|\[kernel\]|img src|onerror|alert|CPU|--time|\d+(\.\d+)? ?(s|ms)\b|202E/g;
	assert(!/[A-Za-z]{3}/.test(text.replace(names, "")), text);
	await shown.press("d"); /* the page's keys stay its own */
	assert(await page.evaluate(() => document.documentElement.hasAttribute("data-dark")));
	const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
	assert.deepStrictEqual(ids.filter((id, i) => ids.indexOf(id) !== i), []);
}));

test("the sections of a report fit a phone", () => withReport(sampleReport({ cpus: 64 }), async (shown, page) => {
	for (const id of SECTIONS) {
		await shown.load(`#view=${id}&${RANGE}&f=0&node=5`);
		await quiet(shown, page);
		const wide = await page.evaluate(() => document.documentElement.scrollWidth);
		assert(wide <= 390, `${id} is ${wide} wide`);
		const section = await page.evaluate(() => {
			const element = document.querySelector(".section:not([hidden])");
			return [element.scrollWidth, element.clientWidth];
		});
		assert(section[0] <= section[1], `${id} scrolls sideways: ${section}`);
	}
	await shown.load("#view=summary");
	await fits(page, "summary");
}, { width: 390, height: 844 }));

test("evidence that was never opened has its lines on paper", () => withReport(sampleReport(), async (shown, page) => {
	await shown.load("#view=findings");
	assert.deepStrictEqual((await shown.ask("told")).lines, []);
	const lines = await page.evaluate(async () => {
		await window.look.printable();
		dispatchEvent(new Event("beforeprint"));
		for (let i = 0; i < 20; i++)
			await null; /* a page that is printed does not wait longer */
		const told = window.look.told();
		dispatchEvent(new Event("afterprint"));
		return told.lines;
	});
	assert(lines.length > 1 && lines.every((names) => names.length > 0), JSON.stringify(lines));
}));

test("on paper all sections of the report are there, the evidence too", () =>
	withReport(sampleReport(), async (shown, page) => {
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		await page.emulateMedia({ media: "print" });
		for (const id of ["summary", "findings", "tree", "cpus", "disks", "hot", "quality"])
			assert(await page.locator(`#view-${id}`).isVisible(), id);
		assert(await page.locator("#finding-1 .evidence table").isVisible());
		await page.evaluate(() => dispatchEvent(new Event("afterprint")));
		await page.emulateMedia({ media: "screen" });
		assert(await page.locator("#view-disks").isHidden());
	}));
