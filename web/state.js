/*
 * The fragment of the address, which restores the state: name=value joined by "&". Names of the page come first,
 * then those of the view.
 */
function readFragment(text) {
	const state = {};
	for (const part of text.replace(/^#/, "").split("&")) {
		const at = part.indexOf("=");
		if (at < 1)
			continue;
		try {
			state[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
		} catch {
			/* skip an invalid value, for example in a truncated link */
		}
	}
	return state;
}

function writeFragment(state) {
	return Object.entries(state).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/* State whose changes are steps of the browser's history: places, not appearance. */
const STEPS_OF_HISTORY = ["event", "view", "zoom", "fn", "rows", "row", "time"];

function samePlace(a, b) {
	const one = readFragment(a);
	const other = readFragment(b);
	return STEPS_OF_HISTORY.every((name) => one[name] === other[name]);
}

/* Write the fragment; with `step` as a new entry of the browser's history if it is another place. */
function keepFragment(text, step) {
	const [page, before = ""] = location.href.split("#");
	if (text === before)
		return;
	try {
		const add = step && !samePlace(before, text) ? "pushState" : "replaceState";
		history[add](null, "", `${page}${text ? `#${text}` : ""}`);
	} catch {
		/* browsers limit the rate of changes: a later one has the state */
	}
}
