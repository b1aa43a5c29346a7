/* Search frames by text or regular expression, and sum the weight of matches. */
class Search {
	constructor(profile) {
		this.profile = profile;
		this.set("", false);
	}

	set(text, regex) {
		this.text = text;
		this.regex = regex;
		this.error = "";
		this.hits = null;
		if (!text)
			return;
		const known = this.regex ? this.byRegex() : this.byText();
		if (!known)
			return;
		const { profile } = this;
		this.hits = new Uint8Array(profile.n);
		for (let i = 0; i < profile.n; i++)
			this.hits[i] = known[profile.name[i]];
	}

	/* Return 1 for each string that contains the text. Searches all strings as one text, which is faster. */
	byText() {
		const known = new Uint8Array(this.profile.strings.length);
		const { text, starts } = this.joined(this.exact());
		const wanted = this.text;
		let n = 0;
		for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, starts[n])) {
			while (starts[n] <= at)
				n++;
			const end = n < known.length ? starts[n] - 1 : text.length;
			known[n - 1] = at + wanted.length <= end ? 1 : 0; /* not across two strings */
			if (n === known.length)
				break;
		}
		return known;
	}

	/* Return all strings joined by newlines, in lower case unless `exact`, and the start of each. */
	joined(exact) {
		const kept = exact ? "whole" : "small";
		if (!this[kept]) {
			const { strings } = this.profile;
			const lines = exact ? strings : strings.map((text) => text.toLowerCase());
			const starts = new Uint32Array(strings.length);
			for (let i = 1; i < lines.length; i++)
				starts[i] = starts[i - 1] + lines[i - 1].length + 1;
			this[kept] = { text: lines.join("\n"), starts };
		}
		return this[kept];
	}

	/* Is the search case-sensitive? It is if the text has capitals. */
	exact() {
		return this.text !== this.text.toLowerCase();
	}

	/* Does a name that is not a string of the profile match? */
	test(name) {
		if (!this.regex)
			return (this.exact() ? name : name.toLowerCase()).includes(this.text);
		return new RegExp(this.text, this.exact() ? "" : "i").test(name);
	}

	byRegex() {
		try {
			const regex = new RegExp(this.text, this.exact() ? "" : "i");
			return Uint8Array.from(this.profile.strings, (name) => (regex.test(name) ? 1 : 0));
		} catch (error) {
			this.error = error.message.replace(/^.*: /s, "");
			return null;
		}
	}
}

/* Matches of a search in a tree, and their weight without matches inside of other matches. */
class Found {
	constructor(search, tree, layout, weights) {
		this.hits = search.hits;
		this.tree = tree;
		this.layout = layout;
		this.nodes = 0;
		this.weight = 0;
		this.steps = null;
		if (!this.hits)
			return;
		this.share(weights);
	}

	share(weights) {
		const { tree, hits, layout } = this;
		const inside = new Uint8Array(tree.n);
		const met = new Uint8Array(hits.length);
		this.frames = 0;
		for (let i = 0; i < tree.n; i++) {
			const up = tree.parent[i];
			const hit = hits[tree.frame[i]];
			inside[i] = hit || (up >= 0 && inside[up]) ? 1 : 0;
			if (!hit)
				continue;
			if (!(up >= 0 && inside[up]))
				this.weight += weights.total[i];
			if (!(layout.width[i] > 0))
				continue;
			this.nodes++;
			if (!met[tree.frame[i]]) {
				met[tree.frame[i]] = 1;
				this.frames++;
			}
		}
	}

	/* Is there a match in [from, to) of the layout's rows? */
	any(from, to) {
		if (!this.hits)
			return false;
		const { rows } = this.layout;
		for (let at = from; at < to; at++) {
			if (this.hits[this.tree.frame[rows[at]]])
				return true;
		}
		return false;
	}

	has(node) {
		return this.hits !== null && this.hits[this.tree.frame[node]] === 1;
	}

	/* Return the match after (by 1) or before (-1) a node, widest first, with wrap-around; -1: none. */
	step(node, by) {
		if (!this.nodes)
			return -1;
		if (!this.steps) {
			const { layout } = this;
			this.steps = layout.rows.filter((n) => this.has(n));
			this.steps.sort((a, b) => layout.width[b] - layout.width[a] || a - b);
			this.at = by > 0 ? -1 : this.steps.length;
		} else if (this.steps[this.at] !== node) {
			const at = this.steps.indexOf(node);
			if (at >= 0)
				this.at = at;
		}
		this.at = (this.at + by + this.steps.length) % this.steps.length;
		return this.steps[this.at];
	}
}
