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

/* Put it there without a new entry in the browser's history. */
function keepFragment(text) {
	const address = `${location.href.split("#")[0]}${text ? `#${text}` : ""}`;
	if (address === location.href)
		return;
	try {
		history.replaceState(null, "", address);
	} catch {
		/* more than some hundred changes in a few seconds: the next one will do */
	}
}
