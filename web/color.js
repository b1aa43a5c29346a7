/*
 * Colours: Okabe and Ito's palette, which colour-blind people can distinguish, lightened or darkened so
 * that text on it has a contrast of at least 4.5 (WCAG AA), and so that neighbours of one hue differ.
 */
const OKABE_ITO = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"];
const GREY = "#9aa2ad";
const STEPS = 24;

/* Sequential scale in one hue, light to dark, and diverging scale from blue over grey to red. */
const SHARE = ["#fff3d0", "#fdd58a", "#f9a03f", "#e0662a", "#a8321f"];
const CHANGE = ["#0b5fa5", "#5b9bd0", "#b4d0e7", "#e3e3e3", "#f6bfa6", "#e57a56", "#b3261e"];
const SHARE_DARK = ["#3a3320", "#6b5320", "#a8701f", "#d98a2b", "#ffc069"];
const CHANGE_DARK = ["#5aaef0", "#3b7fb8", "#2d4e6b", "#41454b", "#6e4038", "#b2513f", "#ff7a5c"];

function parts(color) {
	const n = parseInt(color.slice(1), 16);
	return [n >> 16, (n >> 8) & 255, n & 255];
}

function hex(rgb) {
	return "#" + rgb.map((c) => Math.round(c).toString(16).padStart(2, "0")).join("");
}

function mix(a, b, share) {
	const x = parts(a);
	const y = parts(b);
	return hex(x.map((c, i) => c + (y[i] - c) * share));
}

/* Relative luminance and contrast as defined by WCAG 2. */
function luminance(color) {
	const [r, g, b] = parts(color).map((c) => {
		c /= 255;
		return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
	const x = luminance(a);
	const y = luminance(b);
	return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/* Return the colour of text on a fill: black or white, whichever has more contrast. */
function textOn(fill) {
	return ["#101418", "#ffffff", "#000000"].find((text) => contrast(fill, text) >= 4.5);
}

function along(scale, at) {
	const place = Math.min(Math.max(at, 0), 1) * (scale.length - 1);
	const low = Math.min(Math.floor(place), scale.length - 2);
	return mix(scale[low], scale[low + 1], place - low);
}

function hashOf(text) {
	let h = 0x811c9dc5;
	for (let i = 0; i < Math.min(text.length, 200); i++)
		h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	return (h ^ (h >>> 13)) >>> 0;
}

/* Colours of frames: color i has the fill `fills[i]` and the text colour `texts[i]`. */
class Colors {
	constructor(profile) {
		this.profile = profile;
		this.ranks = null;
		this.hashes = null;
		this.made = {}; /* by mode: the fill of each frame */
	}

	set(mode, dark) {
		this.mode = mode;
		this.dark = dark;
		this.build();
	}

	/* Return a small hash of a frame's name, so that the shades of neighbours differ. */
	hash(frame) {
		if (!this.hashes) {
			const { profile } = this;
			this.hashes = new Uint8Array(profile.n);
			for (let i = 0; i < profile.n; i++)
				this.hashes[i] = hashOf(profile.nameOf(i)) % 9;
		}
		return this.hashes[frame];
	}

	/* Return the objects by descending self weight: [[object, weight]...]. */
	libraries() {
		if (this.ranks)
			return this.ranks;
		const { profile } = this;
		const { base } = profile.weights;
		const cost = new Float64Array(profile.strings.length).fill(-1);
		for (let i = 0; i < profile.n; i++) {
			if (profile.kind[i] !== KIND.group)
				cost[profile.object[i]] = 0;
		}
		for (let i = 0; i < profile.tree.n; i++)
			cost[profile.object[profile.tree.frame[i]]] += profile.self[i] + (base ? base.self[i] : 0);
		this.ranks = [];
		for (let object = 0; object < cost.length; object++) {
			if (cost[object] >= 0)
				this.ranks.push([object, cost[object]]);
		}
		this.ranks.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
		return this.ranks;
	}

	build() {
		const hues = [...OKABE_ITO, GREY];
		this.fills = [];
		for (const hue of hues)
			this.fills.push(...this.shades(hue));
		this.scale = this.fills.length;
		const scale = this.mode === "change" ? (this.dark ? CHANGE_DARK : CHANGE)
			: this.dark ? SHARE_DARK : SHARE;
		for (let i = 0; i <= STEPS; i++)
			this.fills.push(along(scale, i / STEPS));
		this.texts = this.fills.map(textOn);
		const by = this.mode === "kind" ? "kind" : "library";
		if (!this.made[by])
			this.made[by] = by === "kind" ? this.byKind() : this.byLibrary();
		this.ofFrame = this.made[by];
	}

	/* Return three shades of a hue, with enough contrast to the text of the theme. */
	shades(hue) {
		const [toward, text, least] = this.dark ? ["#14171c", "#ffffff", 5] : ["#ffffff", "#101418", 7];
		let share = 0.2;
		while (contrast(mix(hue, toward, share), text) < least)
			share += 0.02;
		return [0, 0.1, 0.2].map((more) => mix(hue, toward, share + more * (1 - share)));
	}

	hueOfObject() {
		const hue = new Map();
		let next = 0;
		for (const [object] of this.libraries()) {
			const known = this.profile.strings[object] !== "";
			hue.set(object, known && next < OKABE_ITO.length ? next++ : OKABE_ITO.length);
		}
		/* no objects, as in folded stacks: hues by name, or all would be grey */
		return next ? hue : null;
	}

	byLibrary() {
		const { profile } = this;
		const hues = this.hueOfObject();
		const other = 3 * OKABE_ITO.length;
		const fills = new Uint8Array(profile.n).fill(other);
		for (let i = 0; i < profile.n; i++) {
			if (profile.kind[i] === KIND.group)
				continue;
			const h = this.hash(i);
			if (hues)
				fills[i] = 3 * hues.get(profile.object[i]) + h % 3;
			else
				fills[i] = 3 * [5, 0, 3][h / 3 | 0] + h % 3;
		}
		return fills;
	}

	byKind() {
		const { profile } = this;
		const hue = [1, 0, 2, 7, 7];
		const fills = new Uint8Array(profile.n);
		for (let i = 0; i < profile.n; i++)
			fills[i] = 3 * (profile.inlined[i] ? 6 : hue[profile.kind[i]]) + this.hash(i) % 3;
		return fills;
	}

	/* Return the colour index of a node. */
	of(frame, node, weights) {
		if (this.mode === "self") {
			const total = weights.total[node];
			return this.scale + (total ? Math.round(weights.self[node] / total * STEPS) : 0);
		}
		if (this.mode === "change" && weights.base)
			return this.scale + Math.round((weights.change(node) + 1) / 2 * STEPS);
		return this.ofFrame[frame];
	}

	/* Return the legend: [[fill, text]...], or a scale {from, to, fills}. */
	legend() {
		const { profile } = this;
		if (this.mode === "self")
			return { fills: this.fills.slice(this.scale), from: local("0 % self"), to: local("100 % self") };
		if (this.mode === "change")
			return { fills: this.fills.slice(this.scale), from: local("gone, less"), to: local("more, new") };
		if (this.mode === "kind") {
			const has = (kind) => profile.kind.includes(kind);
			return [[1, "user", has(KIND.user)], [0, "kernel", has(KIND.kernel)],
				[2, "JIT", has(KIND.jit)], [6, "inlined", profile.inlined.includes(1)],
				[7, "unresolved", has(KIND.nameless)]]
				.filter((row) => row[2]).map(([hue, text]) => [this.fills[3 * hue], local(text)]);
		}
		const hues = this.hueOfObject();
		if (!hues)
			return [];
		const rows = this.libraries().filter(([object]) => profile.strings[object] !== "");
		const shown = rows.slice(0, OKABE_ITO.length).map(([object]) =>
			[this.fills[3 * hues.get(object)], visible(profile.strings[object], 40)]);
		if (rows.length > shown.length || rows.length < this.libraries().length)
			shown.push([this.fills[3 * OKABE_ITO.length], local("others")]);
		return shown;
	}
}
