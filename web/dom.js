"use strict";

/* Elements, the theme and the clipboard: helpers that every page uses. */

const PAPER = 2; /* canvas pixels per CSS pixel when printing; Chromium scales well by powers of two */

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

/* Return the theme after this one: "" (of the system), the opposite of the system, the same as the system. */
function themeAfter(chosen) {
	const order = systemIsDark() ? ["", "light", "dark"] : ["", "dark", "light"];
	return order[(order.indexOf(chosen) + 1) % order.length];
}

/* Switch the style sheet, and return its colours for a canvas. */
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
