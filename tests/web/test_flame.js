/* The flame graph: widths, zoom, search, keys, links, themes. */
"use strict";

const assert = require("node:assert");
const zlib = require("node:zlib");
const { near, test, widthsAgree, withPage, withStacks } = require("./lib.js");
const { payloadOf } = require("./payload.js");

const lib = (name, object, kind = 0, inlined = false) => ({ name, object, kind, inlined });
const stacks = [
	[[lib("main", "app"), lib("parse", "app"), lib("scan", "app", 0, true)], 300e6, 30],
	[[lib("main", "app"), lib("parse", "app"), lib("memcpy", "libc.so.6")], 100e6, 10],
	[[lib("main", "app"), lib("write", "libc.so.6"), lib("vfs_write", "[kernel]", 1)], 400e6, 40],
	[[lib("main", "app")], 50e6, 5],
	[[lib("idle", "app")], 150e6, 15],
];
const shares = { main: 0.85, parse: 0.4, scan: 0.3, memcpy: 0.1, write: 0.4, vfs_write: 0.4, idle: 0.15 };

const withProfile = (run, options, more) => withStacks(stacks, run, options, more);

test("frames are as wide as the profile says, each on its caller", () => withProfile(async (shown) => {
	const boxes = await shown.ask("boxes");
	const pixels = boxes.find((box) => box.node === -1).width;
	assert.strictEqual(boxes.length, 8);
	widthsAgree(boxes, shares, pixels);
	const of = Object.fromEntries(boxes.map((box) => [box.name, box]));
	assert(of.parse.y < of.main.y && of.scan.y < of.parse.y, "calls stand on their callers");
	assert(of.idle.x < of.main.x && of.parse.x < of.write.x, "siblings stand by name");
	near(of.parse.x, of.main.x, 0.001, "the first call starts with its caller");
	near(of.write.x, of.parse.x + of.parse.width, 0.0001, "the next where it ends");
	near(of.main.x, of.idle.width, 0.0001, "and so on");
}));

test("a click zooms, a breadcrumb leads back, reset shows everything", () => withProfile(async (shown, page) => {
	await shown.click("parse");
	assert.strictEqual(await shown.ask("zoomed"), "parse");
	const whole = (await shown.box("")).width;
	const width = await page.evaluate(() => document.querySelector("canvas").clientWidth);
	near((await shown.box("parse")).width, width, 0.001, "the zoomed frame fills the window");
	near((await shown.box("scan")).width, width * 0.75, 0.001, "what it called keeps its share");
	near(whole, width / 0.4, 0.001, "all");
	assert.strictEqual(await shown.text("crumbs"), "all\u203amain\u203aparse");
	await page.click("#crumbs button:has-text('main')");
	await shown.still();
	assert.strictEqual(await shown.ask("zoomed"), "main");
	await page.click("#reset");
	await shown.still();
	assert.strictEqual(await shown.ask("zoomed"), "");
	near((await shown.box("")).width, width, 0.001, "all fills the window");
}));

test("a zoom moves, unless the reader asked for rest", async () => {
	const moves = (options) => new Promise((resolve, reject) => {
		withProfile(async (shown, page) => {
			const [x, y] = await shown.point("scan");
			await page.mouse.move(x, y);
			await page.evaluate(() => {
				document.querySelector("canvas").addEventListener("pointerup", () => {
					window.moving = window.look.busy(); /* the pane heard of it first */
				});
			});
			await page.mouse.down();
			await page.mouse.up();
			await page.waitForFunction(() => window.moving !== undefined);
			resolve(await page.evaluate(() => window.moving));
		}, options).catch(reject);
	});
	assert.strictEqual(await moves({}), true);
	assert.strictEqual(await moves({ reducedMotion: "reduce" }), false);
});

test("search tells share, names and places, nested matches once", () => withProfile(async (shown, page) => {
	await page.fill("#search", "a"); /* main, parse, scan; the latter two are inside main */
	assert.strictEqual(await shown.text("found"), "85.00\u00a0% in 3 names, 3 places");
	await page.fill("#search", "WRITE");
	assert.strictEqual(await shown.text("found"), "no match");
	await page.fill("#search", "write");
	assert.strictEqual(await shown.text("found"), "40.00\u00a0% in 2 names, 2 places");
	await page.fill("#search", "");
	assert.strictEqual(await shown.text("found"), "");
}));

test("search by regular expression, and a broken one is told", () => withProfile(async (shown, page) => {
	await page.click("#regex");
	await page.fill("#search", "^(scan|memcpy)$");
	assert.strictEqual(await shown.text("found"), "40.00\u00a0% in 2 names, 2 places");
	await page.fill("#search", "(scan");
	assert.match(await shown.text("found"), /^not a regular expression: /);
	assert.strictEqual(await page.getAttribute("#search", "aria-invalid"), "true");
	await page.fill("#search", "scan");
	assert.strictEqual(await page.getAttribute("#search", "aria-invalid"), "false");
}));

test("next and previous match go round, the widest first", () => withProfile(async (shown, page) => {
	await shown.press("/");
	await page.keyboard.type("write");
	await shown.press("Enter");
	assert.strictEqual(await shown.ask("selected"), "write");
	await page.click("#next");
	assert.strictEqual(await shown.ask("selected"), "vfs_write");
	await page.click("#next");
	assert.strictEqual(await shown.ask("selected"), "write");
	await page.locator("canvas").focus();
	await shown.press("N");
	assert.strictEqual(await shown.ask("selected"), "vfs_write");
	await shown.press("n");
	assert.strictEqual(await shown.ask("selected"), "write");
}));

test("a match outside of the zoomed frame is brought into sight", () => withProfile(async (shown, page) => {
	await shown.click("scan");
	await page.fill("#search", "idle");
	await page.click("#next");
	await shown.still();
	assert.strictEqual(await shown.ask("selected"), "idle");
	const { x, width } = await shown.box("idle");
	assert(x >= -1 && width > 20, `idle is at ${x}, ${width} wide`);
}));

test("arrow keys walk, Enter zooms, Escape goes out", () => withProfile(async (shown, page) => {
	await page.locator("canvas").focus();
	await shown.press("ArrowUp");
	assert.strictEqual(await shown.ask("selected"), "main");
	await shown.press("ArrowLeft");
	assert.strictEqual(await shown.ask("selected"), "idle");
	await shown.press("ArrowRight", "ArrowUp", "ArrowRight");
	assert.strictEqual(await shown.ask("selected"), "write");
	await page.waitForFunction(() => /^write in libc/.test(document.getElementById("said").textContent));
	await shown.press("ArrowUp", "Enter");
	assert.strictEqual(await shown.ask("zoomed"), "vfs_write");
	await shown.press("Escape");
	assert.strictEqual(await shown.ask("zoomed"), "main", "write is not wider than vfs_write");
	await shown.press("Escape");
	assert.strictEqual(await shown.ask("zoomed"), "");
	await shown.press("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown");
	assert.strictEqual(await shown.ask("selected"), "", "the root is as low as it gets");
}));

test("icicles hang, flames stand", () => withProfile(async (shown) => {
	const order = async () => ((await shown.box("parse")).y < (await shown.box("main")).y ? "flame" : "icicle");
	assert.strictEqual(await order(), "flame");
	await shown.press("i");
	assert.strictEqual(await order(), "icicle");
	await shown.press("ArrowDown");
	assert.strictEqual(await shown.ask("selected"), "main", "down is inwards now");
	await shown.press("i");
	assert.strictEqual(await order(), "flame");
}));

test("the heaviest stands left when asked", () => withProfile(async (shown, page) => {
	await page.selectOption("#order", "weight");
	const idle = await shown.box("idle");
	const main = await shown.box("main");
	assert(main.x < idle.x);
	near(idle.x, main.x + main.width, 0.001, "the next starts where the first ends");
	widthsAgree(await shown.ask("boxes"), shares, (await shown.box("")).width);
}));

test("the tooltip tells self and total, library and kind", () => withProfile(async (shown, page) => {
	await page.mouse.move(...await shown.point("scan"));
	const tip = page.locator("#tip");
	await tip.waitFor();
	const text = await tip.innerText();
	for (const part of ["scan", "app", "user", "inlined", "300.0\u00a0ms", "30.00\u00a0%", "30 samples"])
		assert(text.includes(part), `${part} in ${text}`);
	await page.mouse.move(...await shown.point("main"));
	assert.match(await tip.innerText(), /self\s+50\.00\sms\s+5\.00\s%\s+5 samples/);
}));

test("a link restores view, zoom, search, order, colours and selection", () => withProfile(async (shown, page) => {
	await shown.click("parse");
	await page.fill("#search", "sc[a]n & co");
	await page.click("#regex");
	await page.selectOption("#order", "weight");
	await page.selectOption("#color", "kind");
	await page.locator("canvas").focus();
	await shown.press("i", "d", "ArrowDown");
	const said = await shown.fragment();
	const seen = await shown.ask("boxes");
	await shown.load(`#${said}`);
	assert.strictEqual(await shown.ask("state"), said);
	assert.deepStrictEqual(await shown.ask("boxes"), seen);
	assert.strictEqual(await shown.ask("selected"), "scan");
	assert.strictEqual(await page.inputValue("#search"), "sc[a]n & co");
	assert.strictEqual(await page.inputValue("#color"), "kind");
	assert(await page.evaluate(() => document.documentElement.hasAttribute("data-dark")));
}));

test("the back button leads back through zooms and views", () => withProfile(async (shown, page) => {
	const back = async (way, zoomed, view) => {
		await page.evaluate((by) => history.go(by), way);
		await page.waitForFunction(([name, id]) => window.look.view() === id &&
			(id !== "flame" || window.look.zoomed() === name), [zoomed, view]);
	};
	await shown.click("parse");
	await shown.fragment();
	await shown.press("i"); /* how it looks is no step */
	await shown.fragment();
	await shown.click("scan");
	await shown.fragment();
	await shown.press("t");
	await shown.fragment();
	await back(-1, "scan", "flame");
	await back(-1, "parse", "flame");
	await back(-1, "", "flame");
	await back(2, "scan", "flame");
}));

test("a link that says what needs no saying is no trap for the back button", () => withProfile(async (shown, page) => {
	await shown.load("#view=flame&zoom=99999");
	const steps = await page.evaluate(() => history.length);
	await page.waitForFunction(() => location.hash === "");
	assert.strictEqual(await page.evaluate(() => history.length), steps);
}));

test("a link that makes no sense shows the whole", () => withProfile(async (shown) => {
	for (const bad of ["#zoom=999999&at=-3", "#view=nothing&color=none&%", "#zoom=x&q=%E0%A4%A", "#fn=9&view=sandwich"]) {
		await shown.load(bad);
		assert.strictEqual((await shown.ask("profile")).nodes, 7);
	}
}));

test("a changed address is followed", () => withProfile(async (shown, page) => {
	await page.evaluate(() => { location.hash = "#icicle=1&q=main"; });
	await page.waitForFunction(() => document.getElementById("search").value === "main");
	assert.strictEqual(await page.inputValue("#search"), "main");
	assert.strictEqual(await shown.text("flip"), "Icicle");
}));

test("dark is what the system or the reader says", () => withProfile(async (shown, page) => {
	const dark = () => page.evaluate(() => document.documentElement.hasAttribute("data-dark"));
	assert.strictEqual(await dark(), true);
	await shown.press("d");
	assert.strictEqual(await dark(), false);
	await shown.press("d", "d");
	await page.emulateMedia({ colorScheme: "light" });
	await page.waitForFunction(() => !document.documentElement.hasAttribute("data-dark"));
}, { colorScheme: "dark" }));

test("the name is copied whole", () => withProfile(async (shown, page) => {
	await shown.click("vfs_write");
	await page.evaluate(() => document.addEventListener("copy", () => {
		window.copied = document.getElementById("clip").value;
	}));
	await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; })
		.catch(() => {});
	await shown.press("y");
	await page.waitForFunction(() => window.copied === "vfs_write");
	await page.evaluate(() => { window.copied = ""; });
	await page.click("#copy");
	await page.waitForFunction(() => window.copied === "vfs_write");
}));

test("help opens, closes, and keeps keys to itself", () => withProfile(async (shown, page) => {
	await shown.press("?");
	assert(await page.locator("#help").isVisible());
	await shown.press("i");
	assert.strictEqual(await shown.text("flip"), "Flame");
	await shown.press("Escape");
	assert(!await page.locator("#help").isVisible());
}));

test("wheel and drag move what is seen", () => withProfile(async (shown, page) => {
	const [x, y] = await shown.point("parse");
	await page.mouse.move(x, y);
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, -300);
	await page.keyboard.up("Control");
	await page.waitForFunction(() => window.look.boxes()[0].width > 1500);
	const before = (await shown.box("parse")).x;
	await page.mouse.down();
	await page.mouse.move(x - 100, y, { steps: 4 });
	await page.mouse.up();
	near((await shown.box("parse")).x, before - 100, 0.02, "moved with the pointer");
	assert.strictEqual(await shown.ask("zoomed"), "", "a drag is no click");
}));

test("notes, losses and damage are said", () => withProfile(async (shown, page) => {
	const notes = await shown.text("notes");
	assert.match(notes, /corrupt or truncated/);
	assert.match(notes, /stacks cut: 12 of 900/);
	assert.match(notes, /5 records were lost/);
	assert(await page.locator("#notes").isVisible());
}, {}, { complete: false, lost: 5, notes: ["stacks cut: 12 of 900"] }));

test("groups can be merged and kept apart", () => withStacks([
	[[{ name: "a-1", kind: 3 }, "main", "x"], 10],
	[[{ name: "b-2", kind: 3 }, "main", "y"], 30],
	[[{ name: "b-2", kind: 3 }, "main", "x"], 60],
], async (shown, page) => {
	assert.strictEqual((await shown.ask("boxes")).filter((box) => box.name === "main").length, 2);
	await page.click("#group");
	const boxes = await shown.ask("boxes");
	assert.deepStrictEqual(boxes.map((box) => box.name), ["", "main", "x", "y"]);
	widthsAgree(boxes, { main: 1, x: 0.7, y: 0.3 }, boxes[0].width);
	const said = await shown.fragment();
	await shown.load(`#${said}`);
	assert.deepStrictEqual(await shown.ask("boxes"), boxes);
	await shown.press("g");
	assert.strictEqual((await shown.ask("boxes")).length, 8);
}, {}, { by: "thread" }));

test("columns may be deflated", async () => {
	const payload = payloadOf(stacks);
	for (const name of ["frames", "tree", "counts"])
		payload[name] = zlib.deflateRawSync(Buffer.from(payload[name], "base64")).toString("base64");
	payload.deflate = ["frames", "tree", "counts"];
	await withPage(payload, async (shown) => {
		const boxes = await shown.ask("boxes");
		widthsAgree(boxes, shares, boxes[0].width);
	});
});

test("where each sample is one event, that is told once", () => withStacks([[["a"], 7, 7]], async (shown) => {
	assert.strictEqual(await shown.text("facts"), "sched:sched_switch \u00b7 7 samples");
}, {}, { event: "sched:sched_switch", unit: "events" }));

test("a small window has no line for a zoom that is none", () => withProfile(async (shown, page) => {
	assert.strictEqual(await page.locator("#crumbs").isVisible(), false);
	await shown.click("parse");
	assert(await page.locator("#crumbs").isVisible());
	assert.strictEqual((await page.locator(".head").boundingBox()).height < 60, true, "one line, at 800 pixels");
}, { width: 800, height: 500 }));
