/* Which frames match a text or a regular expression, and how much of a profile they are. */
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
		const test = this.tester();
		if (!test)
			return;
		const { profile } = this;
		const known = new Uint8Array(profile.strings.length); /* 2: it does, 1: it does not */
		this.hits = new Uint8Array(profile.n);
		for (let i = 0; i < profile.n; i++) {
			const name = profile.name[i];
			if (!known[name])
				known[name] = test(profile.strings[name]) ? 2 : 1;
			this.hits[i] = known[name] - 1;
		}
	}

	/* Capitals matter when the text has some. */
	tester() {
		const exact = this.text !== this.text.toLowerCase();
		if (!this.regex) {
			const text = this.text;
			return exact ? (name) => name.includes(text)
				: (name) => name.toLowerCase().includes(text);
		}
		try {
			const regex = new RegExp(this.text, exact ? "" : "i");
			return (name) => regex.test(name);
		} catch (error) {
			this.error = error.message.replace(/^.*: /s, "");
			return null;
		}
	}
}

/* What a search found in one tree: nodes, and the share of those that are below no other match. */
class Found {
	constructor(search, tree, layout, weights) {
		this.hits = search.hits;
		this.tree = tree;
		this.layout = layout;
		this.nodes = 0;
		this.weight = 0;
		this.before = null;
		this.steps = null;
		if (!this.hits)
			return;
		this.share(weights);
		/* before[place]: matches in rows ahead of it, so that a stretch is asked in one step */
		const { rows } = layout;
		this.before = new Uint32Array(rows.length + 1);
		for (let i = 0; i < rows.length; i++)
			this.before[i + 1] = this.before[i] + this.hits[tree.frame[rows[i]]];
		this.nodes = this.before[rows.length];
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
			if (hit && !(up >= 0 && inside[up]))
				this.weight += weights.total[i];
			if (hit && !met[tree.frame[i]] && layout.width[i] > 0) {
				met[tree.frame[i]] = 1;
				this.frames++;
			}
		}
	}

	any(from, to) {
		return this.before !== null && this.before[to] > this.before[from];
	}

	has(node) {
		return this.hits !== null && this.hits[this.tree.frame[node]] === 1;
	}

	/* The match after (by 1) or before (by -1) a node, widest first, round and round; -1: none. */
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
