/* Names that want to be code, sizes that want to break things, data that is damaged. */
"use strict";

const assert = require("node:assert");
const { fileOf, near, test, withFile, withPage, withStacks } = require("./lib.js");
const { pageOf, payloadOf } = require("./payload.js");

const names = [
	"<script>window.hurt = 1</script>",
	"</script><script>window.hurt = 1</script>",
	"<img src=x onerror=\"window.hurt = 1\">",
	"\"'`>${window.hurt = 1}",
	"]]><!-- --> &lt;&amp;",
	"\u202egnp.exe\u2066",
	"line\u2028break\u2029\u0000\u0007\u001b[31m",
	"\ud800 alone \ufeff\u200b",
	"__proto__",
	"constructor",
	"\u05d0\u05d1\u05d2 right to left",
	"javascript:window.hurt=1",
];

test("hostile names are shown and do nothing", () => withStacks(names.map((name, i) =>
	[[{ name: "main", object: name }, { name, object: name }], 10 + i]), async (shown, page) => {
	for (let i = 0; i < names.length; i++)
		await shown.press(i ? "ArrowRight" : "ArrowUp", i ? "ArrowRight" : "ArrowUp");
	for (const x of [100, 300, 500, 700, 900])
		await page.mouse.move(x, 440);
	await page.fill("#search", names[0]);
	assert.match(await shown.text("found"), /%/);
	await shown.press("Escape", "t", "Enter", "ArrowDown", "Enter", "f");
	assert.strictEqual(await page.evaluate(() => window.hurt), undefined);
	assert.strictEqual(await page.title(), names[0]);
	assert.strictEqual(await page.locator("script").count(), 2);
	assert.strictEqual(await page.locator("img").count(), 0);
}, {}, { title: names[0], event: names[2], notes: [names[1]], base: undefined }));

test("what cannot be seen is drawn as its number", () => withStacks([[[names[5]], 1]], async (shown, page) => {
	await shown.press("ArrowUp");
	assert.strictEqual(await shown.text("detail-name"), "\u27e8202E\u27e9gnp.exe\u27e82066\u27e9");
	assert.strictEqual(await shown.ask("selected"), names[5], "and is copied as it is");
	await page.mouse.move(...await shown.point(names[5]));
	assert(!(await page.locator("#tip").innerText()).includes("\u202e"));
}));

test("the policy allows this script and no other", () => withStacks([[["a"], 1]], async (shown, page) => {
	await page.evaluate(() => {
		const script = document.createElement("script");
		script.textContent = "window.hurt = 1";
		document.body.append(script);
		const image = document.createElement("img");
		image.setAttribute("onerror", "window.hurt = 1");
		image.src = "data:,";
		document.body.append(image);
	});
	await page.waitForTimeout(50);
	assert.strictEqual(await page.evaluate(() => window.hurt), undefined);
	assert(shown.troubles.length > 0, "the browser tells that it refused");
	shown.troubles.length = 0;
}));

test("no samples: a line says so", () => withPage(payloadOf([]), async (shown, page) => {
	assert(await page.locator("text=There are no samples in this profile").isVisible());
	await shown.press("ArrowUp", "Enter", "n", "r", "i", "o", "c", "t", "Enter", "s", "f", "Escape", "y");
	assert.strictEqual((await shown.ask("profile")).nodes, 0);
}));

test("samples that weigh nothing: a line says so", () => withStacks([[["a", "b"], 0, 3]], async (shown, page) => {
	assert(await page.locator("text=have weight 0").isVisible());
	await shown.press("ArrowUp", "Enter", "t", "f");
}));

test("one sample", () => withStacks([[["only"], 1]], async (shown) => {
	near((await shown.box("only")).width, (await shown.box("")).width, 0.001, "only");
}));

test("a stack forty thousand deep can be walked to its end", () => {
	const deep = Array.from({ length: 40000 }, (_, i) => `f${i}`);
	return withStacks([[deep, 5], [["side"], 5]], async (shown, page) => {
		await page.fill("#search", "f39999");
		await shown.press("Enter");
		assert.strictEqual(await shown.ask("selected"), "f39999");
		const box = await shown.box("f39999");
		assert(box && box.y > -1 && box.y < 600, "it is in sight");
		await shown.press("Escape", "Enter");
		assert.strictEqual(await shown.ask("zoomed"), "f39999");
		assert.match(await shown.text("crumbs"), /39,995 frames/);
		const said = await shown.fragment();
		await shown.load(`#${said}`);
		assert(await shown.box("f39999"), "a link leads there");
		await shown.press("s");
		assert((await shown.ask("boxes", 0)).length > 3, "and it has callers");
	});
});

test("a name of a megabyte is cut where it is shown, not where it is sought", () => {
	const long = `${"x".repeat(1 << 20)}end`;
	return withStacks([[[long], 1], [["b"], 1]], async (shown, page) => {
		await page.mouse.move(...await shown.point(long));
		assert((await page.locator("#tip").innerText()).length < 1000);
		await page.fill("#search", "xend");
		assert.match(await shown.text("found"), /^50\.00/);
	});
});

test("numbers beyond 2^53 are drawn", () => withStacks([[["a"], 2 ** 60, 1], [["b"], 2 ** 60, 1]], async (shown) => {
	near((await shown.box("a")).width, (await shown.box("")).width / 2, 0.001, "a");
}));

test("data that is damaged gives a line, not a blank page", async () => {
	const good = payloadOf([[["a", "b"], 1], [["a", "c"], 2]]);
	const bad = [
		{ ...good, schema: "pipa.view/9" },
		{ ...good, tree: good.tree.slice(0, 4) },
		{ ...good, tree: "!" },
		{ ...good, frames: "/////w8=" },
		{ ...good, counts: "AQ==" },
		{ ...good, strings: [""] },
	];
	for (const payload of bad) {
		await withFile(fileOf(pageOf(payload)), async (shown, page) => {
			assert(await shown.ask("failed"));
			assert.match(await shown.text("views"), /^This page cannot show its data: /);
			shown.troubles.length = 0;
			await page.keyboard.press("i");
		});
	}
});

test("a window of 600 pixels shows everything that a wide one does", () => withStacks([[["a", "b"], 3], [["c"], 2]],
	async (shown, page) => {
		for (const width of [600, 320, 3000]) {
			await page.setViewportSize({ width, height: 500 });
			await page.waitForFunction((w) => document.querySelector("canvas").clientWidth <= w, width);
			const over = await page.evaluate(() =>
				document.documentElement.scrollWidth - document.documentElement.clientWidth);
			assert(over <= 0, `${over} pixels too wide at ${width}`);
			assert((await shown.ask("boxes")).length === 4);
			for (const id of ["search", "color", "order", "flip", "reset", "theme", "help-open"])
				assert(await page.locator(`#${id}`).isVisible(), id);
		}
	}));
module.exports = { names };
