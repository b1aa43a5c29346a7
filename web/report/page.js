/* The report: its head, its navigation, and what all sections share (web/README.md, "The report page"). */
const IDLE_VALUES = 50e3; /* values of evidence that are decoded in advance, for printing */

const PAGE_KEYS = [["[ ]", "key.sections"], ["d", "key.theme"], ["g", "key.language"], ["l", "key.link"],
	["Esc", "key.clear"], ["?", "key.help"]];

class ReportPage {
	static sections = []; /* classes, in the order of the navigation */

	constructor(data) {
		this.data = data;
		this.loaded = new Promise((done) => {
			if (document.readyState === "loading")
				document.addEventListener("DOMContentLoaded", done);
			else
				done();
		});
		this.blocks = new Blocks(data.series, this.loaded);
		this.tip = new Tip(byId("tip"));
		this.offered = ReportPage.sections.filter((Section) => Boolean(Section.compares) === Boolean(data.compare) &&
			(!Section.offered || Section.offered(this)));
		this.defaults = { view: this.offered.length ? this.offered[0].id : "", time: "", theme: "",
			lang: data.lang === "zh" ? "zh" : "en" };
		this.opened = new Map(); /* id -> {section, element} */
		this.states = new Map(); /* id -> state of a section that was removed */
		this.current = null;
		this.range = null;
		this.listen();
		this.take(readFragment(location.hash));
		this.loaded.then(() => setTimeout(() => {
			if (this.evidence().reduce((sum, [group, at]) => sum + this.data.series[group].instances[at].n, 0) <= IDLE_VALUES)
				this.prepare();
		}, 500));
	}

	listen() {
		const click = (id, run) => byId(id).addEventListener("click", run);
		click("theme", () => this.nextTheme());
		click("lang", () => this.setLanguage(this.lang === "en" ? "zh" : "en"));
		click("link", () => this.copyLink());
		click("help-open", () => byId("help").showModal());
		click("range-clear", () => this.setRange(null));
		click("range-chart", () => this.open("metrics").zoomTo(this.range));
		click("range-profile", () => this.open("range"));
		byId("tabs").addEventListener("keydown", (event) => this.tabKey(event));
		document.addEventListener("keydown", (event) => this.pressed(event));
		addEventListener("popstate", () => this.forget());
		addEventListener("hashchange", () => {
			if (location.hash.slice(1) !== this.written)
				this.take(readFragment(location.hash));
		});
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paintTheme());
		addEventListener("beforeprint", () => this.print(true));
		addEventListener("afterprint", () => this.print(false));
	}

	/* Show what a fragment describes. */
	take(state) {
		const settings = { ...this.defaults, ...state };
		this.lang = settings.lang === "zh" ? "zh" : "en";
		this.chosenTheme = ["dark", "light"].includes(settings.theme) ? settings.theme : "";
		this.range = ReportPage.readRange(settings.time);
		this.words();
		this.paintTheme();
		this.drop();
		if (this.offered.length)
			this.open(settings.view, state);
		else
			byId("views").replaceChildren(make("p", "empty", this.text("page.nothing")));
		this.write(false);
	}

	/* "from,until" in ms; null: not a range */
	static readRange(text) {
		const [from, until] = text.split(",").map(Number);
		return text && from < until ? { from, until } : null;
	}

	/* ---- texts ---- */

	/* A text of lang.js with its arguments; one with a number as its argument `of` has a singular, `one`. */
	text(key, ...args) {
		const row = Object.hasOwn(LANG, key) ? LANG[key] : null;
		const isOne = row && row.one && this.lang === "en" && String(args[row.of || 0]) === "1";
		const text = row ? isOne ? row.one : row[this.lang] : key;
		return text.replace(/\{(\d)\}/g, (_, n) => String(args[n]));
	}

	/* A text of the data: a string, or {en, zh}. */
	in(text) {
		if (text === null || text === undefined)
			return "";
		const chosen = typeof text === "string" ? text : text[this.lang] ?? text.en ?? "";
		return typeof chosen === "string" ? visible(chosen, 4000)
			: chosen.map((run) => (typeof run === "string" ? run : run[0] === "br" ? "\n" : run[1])).join("");
	}

	/* Append the runs of a rule's text: plain, ["b", text], ["br"]. */
	runs(element, text) {
		const chosen = text && !Array.isArray(text) && typeof text === "object" ? text[this.lang] ?? text.en : text;
		for (const run of typeof chosen === "string" ? [chosen] : chosen || []) {
			if (typeof run === "string")
				element.append(visible(run, 4000));
			else if (run[0] === "br")
				element.append(make("br"));
			else
				element.append(make(run[0] === "b" ? "b" : "span", "", visible(String(run[1]), 4000)));
		}
		return element;
	}

	/* A moment on the report's clock: "12:03:10", with the date where the report has several days. */
	moment(ms, fine = false) {
		const { begin_ms: begin, end_ms: end, clock } = this.data.time;
		if (clock === "elapsed")
			return this.span(ms - begin);
		const dayOf = (at) => new Date(at).toISOString().slice(0, 10);
		const text = new Date(ms).toISOString();
		const time = text.slice(11, fine ? 23 : 19);
		return dayOf(begin) !== dayOf(end) || dayOf(ms) !== dayOf(end) ? `${text.slice(5, 10)} ${time}` : time;
	}

	/* A length of time in at most two units: "1 d 2 h", "1 min". */
	span(ms) {
		const sign = ms < 0 ? "\u2212" : "";
		const s = Math.abs(ms) / 1000;
		for (const [unit, size, smaller, part] of [["d", 86400, "h", 3600], ["h", 3600, "min", 60], ["min", 60, "s", 1]]) {
			if (s < size)
				continue;
			const rest = Math.floor(s % size / part);
			const text = this.text(`unit.${unit}`, Math.floor(s / size));
			return sign + (rest ? `${text} ${this.text(`unit.${smaller}`, rest)}` : text);
		}
		return sign + (s >= 1 || s === 0 ? this.text("unit.s", Math.round(s * 100) / 100)
			: this.text("unit.ms", Math.round(s * 1e5) / 100));
	}

	/* Texts around the sections. */
	words() {
		const { data } = this;
		document.documentElement.lang = this.lang === "zh" ? "zh-CN" : "en";
		const title = data.title || "pipa";
		byId("title").textContent = byId("title").title = visible(title, 200);
		const { time } = data;
		const facts = [];
		if (time && time.end_ms > time.begin_ms) {
			if (time.clock !== "elapsed")
				facts.push(new Date(time.begin_ms).toISOString().slice(0, 19).replace("T", " "));
			facts.push(this.span(time.end_ms - time.begin_ms), this.text(`page.clock.${time.clock}`));
		}
		facts.push(this.text("page.made", visible((data.pipa || "").replace(/^pipa /, ""), 40)));
		byId("facts").textContent = byId("facts").title = facts.join(" \u00b7 ");
		for (const [id, key] of [["link", "page.link"], ["lang", "page.language"], ["help-title", "page.help"],
			["help-close", "page.close"], ["range-chart", "page.range.chart"],
			["range-profile", "page.range.profile"], ["range-clear", "page.range.clear"]])
			byId(id).textContent = this.text(key);
		for (const [id, key] of [["link", "page.link.title"], ["lang", "page.language.title"],
			["theme", "page.theme.title"], ["help-open", "page.help.title"]])
			byId(id).title = this.text(key);
		byId("help-open").setAttribute("aria-label", this.text("page.help"));
		byId("tabs").setAttribute("aria-label", this.text("page.sections"));
		byId("range-profile").hidden = !this.offered.some(({ id }) => id === "range");
		byId("range-chart").hidden = !this.offered.some(({ id }) => id === "metrics");
		this.help();
		this.tabs();
		this.rangeWords();
	}

	help() {
		const rows = [...this.offered.flatMap((Section) => Section.keys || []), ...PAGE_KEYS];
		byId("help-keys").replaceChildren(...rows.flatMap(([keys, key]) => {
			const term = make("dt");
			keys.split(" ").forEach((name, i) => term.append(i ? " " : "", make("kbd", "", name)));
			return [term, make("dd", "", this.text(key))];
		}));
	}

	rangeWords() {
		const { range } = this;
		byId("range").hidden = !range;
		if (range)
			byId("range-text").textContent = this.text("page.range", this.moment(range.from),
				this.moment(range.until), this.span(range.until - range.from));
	}

	say(text) {
		clearTimeout(this.saying);
		this.saying = setTimeout(() => { byId("said").textContent = text; }, 120);
	}

	/* ---- theme, paper and language ---- */

	get dark() {
		if (this.printing)
			return false;
		return this.chosenTheme ? this.chosenTheme === "dark" : systemIsDark();
	}

	get ratio() {
		return Math.max(window.devicePixelRatio || 1, this.printing ? PAPER : 1);
	}

	nextTheme() {
		this.chosenTheme = themeAfter(this.chosenTheme);
		this.paintTheme();
		this.remember();
	}

	paintTheme() {
		this.theme = applyTheme(this.dark);
		byId("theme").textContent = this.text(`page.theme.${this.chosenTheme}`);
		this.notify("theme");
	}

	/* Switch the language: sections are made again, with their state. */
	setLanguage(lang) {
		this.lang = lang;
		const { id } = this.current ? this.current.constructor : { id: "" };
		this.drop();
		this.words();
		this.paintTheme();
		if (id)
			this.open(id);
		this.remember();
	}

	/* On paper all sections that ask for it appear one after the other, light and without tools. */
	print(on) {
		this.printing = on;
		if (on) {
			for (const Section of this.offered) {
				if (Section.printed)
					this.build(Section);
			}
		}
		for (const [id, { section, element }] of this.opened) {
			const paper = on && section.constructor.printed !== false;
			element.hidden = section !== this.current && !paper;
			byId("views").append(element);
			if (section !== this.current && paper && section.show)
				section.show();
			element.id = `view-${id}`;
		}
		if (on) /* in the order of the navigation */
			byId("views").append(...this.offered.filter(({ id }) => this.opened.has(id))
				.map(({ id }) => this.opened.get(id).element));
		this.paintTheme();
		this.notify(on ? "print" : "screen");
	}

	/* The instances that findings refer to, as [group, instance], each once. */
	evidence() {
		const found = new Map();
		for (const { evidence } of this.data.findings || []) {
			for (const [group, at] of (evidence || []).flatMap(({ series }) => series || [])) {
				const { instances = [] } = (this.data.series || [])[group] || {};
				if (instances[at])
					found.set(`${group}/${at}`, [group, at]);
			}
		}
		return [...found.values()];
	}

	/* Decode the evidence: a page that is printed cannot wait for it. A corrupt block is reported where it is shown. */
	prepare() {
		this.prepared = this.prepared || Promise.allSettled(this.evidence().flatMap(([group, at]) =>
			[this.blocks.axis(group), this.blocks.instance(group, at)]));
		return this.prepared;
	}

	/* ---- sections ---- */

	tabs() {
		const held = byId("tabs").contains(document.activeElement);
		const now = this.current ? this.current.constructor.id : "";
		byId("tabs").replaceChildren(...this.offered.map((Section) => {
			const tab = make("button", "", this.text(Section.label));
			const chosen = Section.id === now;
			tab.setAttribute("role", "tab");
			tab.setAttribute("aria-selected", String(chosen));
			tab.tabIndex = chosen ? 0 : -1;
			tab.dataset.section = Section.id;
			tab.addEventListener("click", () => this.open(Section.id));
			const count = Section.count ? Section.count(this) : 0;
			if (count)
				tab.append(make("span", "badge", String(count)));
			return tab;
		}));
		const chosen = byId("tabs").querySelector("[aria-selected=true]");
		if (chosen) {
			const bar = byId("tabs");
			if (held)
				chosen.focus();
			if (bar.scrollWidth > bar.clientWidth)
				bar.scrollLeft = chosen.offsetLeft - bar.offsetLeft - 40;
		}
	}

	/* Open the section before (-1) or after (1) the current one. */
	step(by) {
		const { offered } = this;
		const at = offered.findIndex((Section) => Section === this.current.constructor);
		this.open(offered[(at + by + offered.length) % offered.length].id);
	}

	tabKey(event) {
		const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
		if (!by || event.ctrlKey || event.metaKey || event.altKey)
			return;
		event.preventDefault();
		event.stopPropagation();
		this.step(by);
	}

	/* Make a section's element if it has none. */
	build(Section) {
		if (!this.opened.has(Section.id)) {
			const element = make("section", "section");
			element.id = `view-${Section.id}`;
			element.hidden = true;
			element.setAttribute("role", "tabpanel");
			element.setAttribute("aria-label", this.text(Section.label));
			element.append(make("h2", "section-title", this.text(Section.label)));
			byId("views").append(element);
			const section = this.guard(element, () => new Section(this, element)) || { constructor: Section };
			this.opened.set(Section.id, { section, element });
			const state = this.states.get(Section.id);
			if (state && section.restore)
				this.guard(element, () => section.restore(state));
		}
		return this.opened.get(Section.id);
	}

	/* Run a function of a section; a failure is shown in the section and does not affect others. */
	guard(element, run) {
		try {
			return run();
		} catch (error) {
			this.failed(element, error);
			return null;
		}
	}

	/* Show in an element that its data cannot be read. */
	failed(element, error) {
		element.append(make("p", "notice", this.text("page.failed", error.message)));
		console.error(error);
	}

	/* Open a section and return it; `state`: what its link has. */
	open(id, state) {
		const Section = this.offered.find((one) => one.id === id) || this.offered[0];
		for (const { section, element } of this.opened.values()) {
			if (section.constructor !== Section && !element.hidden) {
				element.hidden = true;
				if (section.hide)
					section.hide();
			}
		}
		const { section, element } = this.build(Section);
		element.hidden = false;
		this.tip.hide();
		this.current = section;
		document.body.dataset.section = Section.id;
		if (state && section.restore)
			this.guard(element, () => section.restore(state));
		if (section.show)
			this.guard(element, () => section.show());
		this.tabs();
		this.remember();
		return section;
	}

	/* Remove all sections, keeping their state. */
	drop() {
		for (const [id, { section, element }] of this.opened) {
			this.states.set(id, section.state ? section.state() : {});
			if (section.hide)
				section.hide();
			element.remove();
		}
		this.opened.clear();
		this.current = null;
	}

	/* Tell all sections that something changed. */
	notify(what) {
		for (const { section, element } of this.opened.values()) {
			if (section.changed)
				this.guard(element, () => section.changed(what));
		}
	}

	/* The time range that charts and profiles share: {from, until} in ms, or null. */
	setRange(range) {
		this.range = range && range.from < range.until ? { from: range.from, until: range.until } : null;
		this.rangeWords();
		this.notify("range");
		document.dispatchEvent(new CustomEvent("pipa-range", { detail: this.range }));
		this.remember();
	}

	/* Show series [[group, instance, column]...] in the charts, and a range, as evidence of a finding. */
	reveal(series, range) {
		const metrics = this.open("metrics");
		if (range)
			this.setRange({ from: range[0], until: range[1] });
		if (metrics.reveal)
			metrics.reveal(series);
	}

	/* ---- the profile ---- */

	/* A promise of the embedded profile (Profile of decode.js), null if there is none. */
	profile() {
		this.profiled = this.profiled || this.readProfile();
		return this.profiled;
	}

	async readProfile() {
		await this.loaded;
		const element = byId("pipa-profile");
		const text = element ? element.textContent.trim() : "";
		if (!text)
			return null;
		const payload = JSON.parse(text);
		return Profile.of({ ...payload, events: [payload.event] });
	}

	/* ---- keys ---- */

	pressed(event) {
		const { target } = event;
		if ((event.ctrlKey || event.metaKey) && event.key === "p" && !this.prepared) {
			event.preventDefault();
			this.prepare().then(() => window.print());
			return;
		}
		if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open)
			return;
		if (target.matches("input:not([type=checkbox]), textarea, select")) {
			if (event.key === "Escape") {
				target.blur();
				event.preventDefault();
			}
			return;
		}
		if (target.matches("button, summary, a, [type=checkbox]") && [" ", "Enter"].includes(event.key))
			return;
		const keys = { "[": () => this.step(-1), "]": () => this.step(1), "d": () => this.nextTheme(),
			"g": () => this.setLanguage(this.lang === "en" ? "zh" : "en"), "l": () => this.copyLink(),
			"?": () => byId("help").showModal(), "Escape": () => this.range && this.setRange(null) };
		if (this.current && this.current.key && this.current.key(event))
			event.preventDefault();
		else if (Object.hasOwn(keys, event.key)) {
			keys[event.key]();
			event.preventDefault();
		}
	}

	/* ---- the link ---- */

	async copyLink() {
		this.write(false);
		await copyText(location.href);
		this.say(this.text("page.link.copied"));
	}

	remember() {
		if (!this.writing)
			this.writing = setTimeout(() => this.write(true), 100);
	}

	forget() {
		clearTimeout(this.writing);
		this.writing = 0;
	}

	write(step) {
		this.forget();
		this.written = this.fragment();
		keepFragment(this.written, step);
	}

	fragment() {
		const { range, current } = this;
		const settings = { view: current ? current.constructor.id : "", lang: this.lang, theme: this.chosenTheme,
			time: range ? `${Math.round(range.from)},${Math.round(range.until)}` : "" };
		const said = {};
		for (const [name, value] of Object.entries(settings)) {
			if (value !== this.defaults[name])
				said[name] = value;
		}
		return writeFragment({ ...said, ...(current && current.state ? current.state() : {}) });
	}
}
