/*
 * Payloads and pages for tests, made here and not by pipa: what the page shows is compared with what
 * these stacks say. A stack is [[frame, ...], weight, samples, base weight], outermost first; a frame is a
 * name or {name, object, kind, inlined}.
 */
"use strict";

const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");

const source = path.resolve(__dirname, "../..");

function varints(numbers) {
	const bytes = [];
	for (let n of numbers) {
		while (n >= 128) {
			bytes.push(n % 128 + 128);
			n = Math.floor(n / 128);
		}
		bytes.push(n);
	}
	return Buffer.from(bytes);
}

function column(numbers) {
	return varints(numbers).toString("base64");
}

class Texts {
	constructor() {
		this.list = [""];
		this.known = new Map([["", 0]]);
	}

	of(text) {
		if (!this.known.has(text)) {
			this.known.set(text, this.list.length);
			this.list.push(text);
		}
		return this.known.get(text);
	}
}

const full = (frame) => ({ object: "", kind: 0, inlined: false,
	...(typeof frame === "string" ? { name: frame } : frame) });
const keyOf = (frame) => JSON.stringify([frame.name, frame.object, frame.kind, frame.inlined]);

/* The frames of all stacks, by name and object. */
function framesOf(stacks) {
	const frames = new Map();
	for (const [stack] of stacks) {
		for (const frame of stack.map(full))
			frames.set(keyOf(frame), frame);
	}
	const bytes = (text) => Buffer.from(text);
	return [...frames].sort(([, a], [, b]) => Buffer.compare(bytes(a.name), bytes(b.name)) ||
		Buffer.compare(bytes(a.object), bytes(b.object)) || a.kind - b.kind || a.inlined - b.inlined);
}

/* {depth, frame, self, count, base} in preorder, siblings by frame. */
function treeOf(stacks, number) {
	const root = { kids: new Map() };
	for (const [stack, weight, samples = weight, base = 0] of stacks) {
		let at = root;
		for (const frame of stack.map(full)) {
			const id = number.get(keyOf(frame));
			if (!at.kids.has(id))
				at.kids.set(id, { frame: id, self: 0, count: 0, base: 0, kids: new Map() });
			at = at.kids.get(id);
		}
		at.self += weight;
		at.count += samples;
		at.base += base;
	}
	const nodes = [];
	const open = [{ node: root, depth: -1 }];
	while (open.length) {
		const { node, depth } = open.pop();
		if (depth >= 0)
			nodes.push({ ...node, depth });
		const kids = [...node.kids.values()].sort((a, b) => b.frame - a.frame);
		open.push(...kids.map((kid) => ({ node: kid, depth: depth + 1 })));
	}
	return nodes;
}

function payloadOf(stacks, more = {}) {
	const texts = new Texts();
	const frames = framesOf(stacks);
	const number = new Map(frames.map(([key], i) => [key, i]));
	const nodes = treeOf(stacks, number);
	const sum = (of) => nodes.reduce((all, node) => all + of(node), 0);
	let depth = -1;
	const tree = nodes.flatMap((node) => {
		const up = depth + 1 - node.depth;
		depth = node.depth;
		return [up, node.frame, node.self];
	});
	const payload = {
		schema: "pipa.view/1", view: "flame", title: "fixture", event: "cpu-clock", unit: "ns",
		by: "", total: sum((n) => n.self), samples: sum((n) => n.count), lost: 0, complete: true, notes: [],
		frames: column([frames.length, ...frames.flatMap(([, frame]) => [texts.of(frame.name),
			texts.of(frame.object), frame.kind + (frame.inlined ? 8 : 0)])]),
		tree: column([nodes.length, ...tree]),
		counts: column(nodes.map((node) => node.count)),
		strings: texts.list,
		...more,
	};
	if (more.view === "diff") {
		payload.base = { title: "base", total: sum((n) => n.base), samples: sum((n) => n.base) };
		payload.base_self = column(nodes.map((node) => node.base));
	}
	return payload;
}

/* Script and style as src/CMakeLists.txt puts them together. */
function script() {
	return together("script");
}

/* `extra` is put before the last file. */
function together(what, extra = "") {
	const lists = fs.readFileSync(path.join(source, "src/CMakeLists.txt"), "utf8");
	const files = new RegExp(`pipa_embed\\(pipa_export pipa_web_${what}([^)]*)\\)`).exec(lists)[1];
	const texts = files.trim().split(/\s+/).map((file) => fs.readFileSync(path.join(source, file), "utf8"));
	return [...texts.slice(0, -1), extra, texts[texts.length - 1]].join("");
}

/* JSON that does not end its element. */
function embedded(value) {
	return JSON.stringify(value).replace(/</g, "\\u003c").replace(/\u2028/g, "\\u2028")
		.replace(/\u2029/g, "\\u2029");
}

/* A page of a file of web/ with its style, script and data; `extra`: script before the start. */
function fill(file, prefix, { title, data }, extra = "", more = {}) {
	const hash = (text) => crypto.createHash("sha256").update(text).digest("base64");
	const style = together(`${prefix}style`);
	const code = together(`${prefix}script`, extra);
	const values = { "style-hash": hash(style), "script-hash": hash(code), style, script: code, data: embedded(data),
		title: title.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`), ...more };
	const text = fs.readFileSync(path.join(source, "web", file), "utf8");
	return text.replace(/\{\{([a-z-]+)\}\}/g, (_, name) => values[name]);
}

/* A page as src/export/view.c writes it. */
function pageOf(payload) {
	return fill("page.html", "", { title: payload.title, data: payload });
}

/* Stacks of folded text: "a;b;c 12" a line. */
function stacksOf(folded) {
	return folded.trim().split("\n").map((line) => {
		const at = line.lastIndexOf(" ");
		return [line.slice(0, at).split(";"), Number(line.slice(at + 1))];
	});
}

module.exports = { embedded, fill, payloadOf, pageOf, script, stacksOf };
