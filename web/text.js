/* Escape names, and format numbers. */

/*
 * Characters that are invisible or change the text direction: controls, bidi marks, zero-width and format
 * characters, line separators, unpaired surrogates. They are shown as their code, so that different names look
 * different.
 */
const UNSEEN = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f" +
	"\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]|" +
	"[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]", "g");

const NAME_SHOWN = 400;

function visible(name, most = NAME_SHOWN) {
	let text = name;
	if (text.length > most)
		text = text.slice(0, most - 1) + "\u2026";
	return text.replace(UNSEEN, (c) =>
		`\u27e8${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`);
}

function visibleNames(name) {
	return shorterNames(name).map((form) => visible(form, 200));
}

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

function countText(n) {
	return grouped.format(n);
}

function plural(n, one, many) {
	return `${countText(n)} ${local(n === 1 ? one : many)}`;
}

/* Format with four digits and a prefix: "1.234 G". */
function scaled(value, step, prefixes) {
	let at = 0;
	let n = Math.abs(value);
	while (n >= step && at < prefixes.length - 1) {
		n /= step;
		at++;
	}
	const digits = n >= 100 ? 1 : n >= 10 ? 2 : 3;
	const text = at ? n.toFixed(digits) : String(Math.round(n * 1000) / 1000);
	return `${value < 0 ? "\u2212" : ""}${text}\u00a0${prefixes[at]}`;
}

function timeText(ns) {
	if (Math.abs(ns) >= 60e9)
		return `${ns < 0 ? "\u2212" : ""}${(Math.abs(ns) / 1e9).toFixed(1)}\u00a0s`;
	return scaled(ns, 1000, ["ns", "\u00b5s", "ms", "s"]);
}

function weightText(value, unit) {
	if (unit === "ns")
		return timeText(value);
	if (unit === "bytes")
		return scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);
	if (Math.abs(value) < 1e7)
		return countText(Math.round(value)).replace("-", "\u2212");
	return scaled(value, 1000, ["", "k", "M", "G", "T", "P"]);
}

function percentText(part, whole) {
	if (!whole)
		return "0\u00a0%";
	const percent = part / whole * 100;
	if (percent > 0 && percent < 0.005)
		return "<\u00a00.01\u00a0%";
	return `${percent.toFixed(2)}\u00a0%`;
}

function signed(value, text) {
	return value > 0 ? `+${text}` : value < 0 ? `\u2212${text.replace(/^\u2212/, "")}` : text;
}

/* Format a difference of two shares in percentage points. */
function pointsText(points) {
	const text = Math.abs(points).toFixed(2);
	return text === "0.00" ? "0.00" : signed(points, text);
}

/* Return the class of a change in a table. */
function toneOf(change) {
	return change > 0 ? "more" : change < 0 ? "less" : "pale";
}
