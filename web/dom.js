"use strict";

/* Elements, the theme and the clipboard: helpers that every page uses. */

const PAPER = 2; /* pixels of a canvas for one of the page, when it is printed; Chromium scales well by powers of two */

function byId(id) {
	return document.getElementById(id);
}

function make(tag, className, text) {
	const element = document.createElement(tag);
	if (className)
		element.className = className;
	if (text !== undefined)
		element.textContent = text;
	return element;
}

function systemIsDark() {
	return matchMedia("(prefers-color-scheme: dark)").matches;
}

/* The choice after this one: "" follows the system, then the opposite of the system, then the same as it. */
function themeAfter(chosen) {
	const order = systemIsDark() ? ["", "light", "dark"] : ["", "dark", "light"];
	return order[(order.indexOf(chosen) + 1) % order.length];
}

/* Switch the style sheet, and return the colours of a canvas, which are those of the style sheet. */
function applyTheme(dark) {
	const root = document.documentElement;
	root.toggleAttribute("data-dark", dark);
	const style = getComputedStyle(root);
	const read = (name) => style.getPropertyValue(`--${name}`).trim();
	const theme = { font: getComputedStyle(document.body).fontFamily };
	for (const name of ["canvas", "thin", "faded", "match", "root", "hover", "outline"])
		theme[name] = read(name);
	theme.fadedText = read("faded-text");
	theme.matchText = read("match-text");
	theme.rootText = read("root-text");
	return theme;
}

async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		/* not from a file, or not permitted: copy from a selected field */
		const back = document.activeElement;
		byId("clip").value = text;
		byId("clip").select();
		document.execCommand("copy");
		if (back)
			back.focus();
	}
}
