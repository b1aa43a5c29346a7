/* Pages that pipa wrote: what they show is what pipa says of the same files. */
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { folder, near, test, widthsAgree, withFile } = require("./lib.js");
const { names } = require("./test_hostile.js");

const pipa = process.env.PIPA;
const none = "PIPA names no program";

function run(...args) {
	return execFileSync(pipa, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

function write(name, bytes) {
	const file = path.join(folder(), name);
	fs.writeFileSync(file, bytes);
	return file;
}

/* pipa flamegraph of a file, as a page */
function page(name, ...args) {
	const html = path.join(folder(), `${name}.html`);
	run("flamegraph", ...args, "-o", html);
	return html;
}

test("folded text: widths and totals are those of pipa report", async () => {
	if (!pipa)
		return none;
	const file = write("folded", "main;a;c 30\nmain;b 50\nmain 15\nidle 5\n");
	const report = JSON.parse(run("report", "--json", file));
	return withFile(page("folded", file), async (shown) => {
		const profile = await shown.ask("profile");
		assert.strictEqual(profile.samples, report.samples);
		assert.strictEqual(profile.total, 100);
		const boxes = await shown.ask("boxes");
		widthsAgree(boxes, { main: 0.95, a: 0.3, b: 0.5, c: 0.3, idle: 0.05 }, boxes[0].width);
	});
});

test("hostile names in a file do not leave their page", async () => {
	if (!pipa)
		return none;
	const safe = names.filter((name) => !/[;\n\u0000]/.test(name)).map((name) => name.trim());
	const lines = safe.map((name) => Buffer.from(`main;${name} 10\n`));
	lines.push(Buffer.from([0x62, 0xff, 0xfe, 0x80, 0x20, 0x35, 0x0a])); /* no UTF-8 */
	const file = write("<img src=x onerror=alert(1)>", Buffer.concat(lines));
	return withFile(page("hostile", file), async (shown, tab) => {
		assert((await shown.ask("profile")).nodes >= safe.length);
		await shown.press("ArrowUp", "ArrowUp", "ArrowRight", "t", "Enter", "f");
		assert.strictEqual(await tab.evaluate(() => window.hurt), undefined);
		assert.strictEqual(await tab.locator("script").count(), 2);
		const boxes = await shown.ask("boxes");
		assert(boxes.some((box) => box.name === "b\ufffd\ufffd\ufffd" || box.name === "b\ufffd"));
		for (const name of safe.filter((text) => /script|onerror/.test(text)))
			assert(boxes.some((box) => box.name === name), `${name} is a frame`);
	});
});

test("a differential page has both profiles and what vanished", async () => {
	if (!pipa)
		return none;
	const base = write("base", "main;gone 25\nmain;same 75\n");
	const now = write("now", "main;new 50\nmain;same 150\n");
	return withFile(page("diff", "--diff", base, now), async (shown) => {
		const all = (await shown.box("")).width;
		near((await shown.box("gone")).width, all / 8, 0.001, "half of its quarter");
		near((await shown.box("new")).width, all / 8, 0.001, "half of its quarter");
		near((await shown.box("same")).width, all * 0.75, 0.001, "the same");
	});
});

test("a deep stack in a file can be walked to its end", async () => {
	if (!pipa)
		return none;
	const deep = Array.from({ length: 10000 }, (_, i) => `f${i}`).join(";");
	return withFile(page("deep", write("deep", `${deep} 1\n`)), async (shown, tab) => {
		await tab.fill("#search", "f9999");
		await shown.press("Enter");
		assert.strictEqual(await shown.ask("selected"), "f9999");
		assert(await shown.box("f9999"), "it is in sight");
	});
});

test("options of the command are what the page starts with", async () => {
	if (!pipa)
		return none;
	const file = write("options", "main;a 1\nmain;b 3\n");
	return withFile(page("options", "--icicle", "--color-by", "kind", "--title", "T & <t>", file), async (shown, tab) => {
		assert.strictEqual(await shown.text("title"), "T & <t>");
		assert.strictEqual(await tab.title(), "T & <t>");
		assert.strictEqual(await tab.inputValue("#color"), "kind");
		assert((await shown.box("a")).y > (await shown.box("main")).y);
		assert.strictEqual(await shown.ask("state"), "", "and needs no saying in a link");
	});
});
