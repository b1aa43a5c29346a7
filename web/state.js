/*
 * The address's fragment, which restores what is looked at: name=value joined by "&". Names of the
 * page come first, then those of the view.
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
			/* a link that was cut within a letter: the rest of it still counts */
		}
	}
	return state;
}

function writeFragment(state) {
	return Object.entries(state).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/* What the browser's back button leads back to: where one was, not how it looked. */
const STEPS_OF_HISTORY = ["event", "view", "zoom", "fn", "rows", "row", "time"];

function samePlace(a, b) {
	const one = readFragment(a);
	const other = readFragment(b);
	return STEPS_OF_HISTORY.every((name) => one[name] === other[name]);
}

/* Put it there; with `step`, as a new entry in the browser's history if it is another place. */
function keepFragment(text, step) {
	const [page, before = ""] = location.href.split("#");
	if (text === before)
		return;
	try {
		const add = step && !samePlace(before, text) ? "pushState" : "replaceState";
		history[add](null, "", `${page}${text ? `#${text}` : ""}`);
	} catch {
		/* more than some hundred changes in a few seconds: the next one will do */
	}
}
