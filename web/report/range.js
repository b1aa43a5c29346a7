/*
 * The profile of a time range against the rest of the time: processes, threads and functions by their share
 * inside and outside, and a flame graph of the samples inside, coloured by the difference.
 */

/* Samples inside and outside of a range, given in ms of the wall clock. */
class RangeProfile {
	constructor(profile, wallMs, { from, until }) {
		const timeline = Timeline.of(profile);
		const inside = { self: new Float64Array(timeline.nodes), counts: new Float64Array(timeline.nodes) };
		const outside = { self: new Float64Array(timeline.nodes), counts: new Float64Array(timeline.nodes) };
		const threads = { inside: new Float64Array(timeline.threads.length),
			outside: new Float64Array(timeline.threads.length) };
		this.profile = profile;
		this.timeline = timeline;
		this.first = timeline.first((from - wallMs) * 1e6);
		this.last = timeline.first((until - wallMs) * 1e6); /* the end is exclusive */
		this.samples = this.total = this.restSamples = this.rest = 0;
		for (let i = 0; i < timeline.n; i++) {
			const node = timeline.node[i];
			const weight = timeline.weight[i];
			const is = i >= this.first && i < this.last;
			const to = is ? inside : outside;
			to.self[node] += weight;
			to.counts[node] += timeline.count[i];
			threads[is ? "inside" : "outside"][timeline.thread[i]] += weight;
			if (is) {
				this.total += weight;
				this.samples += timeline.count[i];
			} else {
				this.rest += weight;
				this.restSamples += timeline.count[i];
			}
		}
		this.byThread = threads;
		this.weights = new Weights(profile, profile.tree, inside.self, inside.counts,
			new Weights(profile, profile.tree, outside.self, outside.counts));
	}

	row(name, detail, inside, outside) {
		const share = this.total ? inside / this.total : 0;
		const rest = this.rest ? outside / this.rest : 0;
		return { name, detail, inside, outside, share, rest, change: share - rest };
	}

	/* Rows of processes or threads; a thread that changed its name is one. */
	groups(keyOf, nameOf) {
		const sums = new Map();
		this.timeline.threads.forEach((thread, at) => {
			const key = keyOf(thread);
			const known = sums.get(key) || { thread, names: new Set(), inside: 0, outside: 0 };
			known.names.add(thread.comm);
			known.inside += this.byThread.inside[at];
			known.outside += this.byThread.outside[at];
			sums.set(key, known);
		});
		return [...sums.values()].filter(({ inside, outside }) => inside + outside > 0)
			.map(({ thread, names, inside, outside }) => this.row(...nameOf(thread, names), inside, outside));
	}

	processes() {
		return this.groups(({ pid, tid, comm }) => (pid < 0 ? `${tid}/${comm}` : String(pid)), ({ pid }, names) =>
			[[...names].map((name) => visible(name, 60)).slice(0, 3).join(", "), pid < 0 ? NO_VALUE : String(pid)]);
	}

	threads() {
		return this.groups(({ pid, tid }) => `${pid}/${tid}`, ({ pid, tid }, names) =>
			[[...names].map((name) => visible(name, 60)).join(" \u2192 "), pid < 0 ? String(tid) : `${pid}/${tid}`]);
	}

	/* By self weight; total: with callees. */
	functions() {
		const { profile } = this;
		const functions = new Functions(profile, profile.tree, this.weights);
		const { sums, baseSums } = functions;
		return functions.rows().map((at) => {
			const frame = functions.frame[at];
			const row = this.row(visible(profile.nameOf(frame), 200), visible(profile.objectOf(frame), 120),
				sums.self[at], baseSums.self[at]);
			row.total = this.total ? sums.total[at] / this.total : 0;
			row.restTotal = this.rest ? baseSums.total[at] / this.rest : 0;
			return row;
		});
	}
}

class RangeSection {
	static id = "range";
	static label = "range.title";

	static offered({ data }) {
		return Boolean(data.profile);
	}

	constructor(page, element) {
		this.page = page;
		this.element = element;
		this.kind = "functions";
		this.waits = 0;
		this.head = make("div", "range-head");
		this.body = make("div", "range-body");
		this.overview = Overview.of(page, element);
		element.append(this.head, this.body);
	}

	/* Ranges to choose from: of findings, and the steady phase. */
	offers() {
		const { page } = this;
		const { findings = [] } = page.data;
		const steady = steadyPhase(page);
		const list = make("div", "range-offers screen");
		const seen = new Set();
		const add = (text, from, until) => {
			if (!(from < until) || seen.has(`${text}${from},${until}`))
				return;
			seen.add(`${text}${from},${until}`);
			list.append(action(text, () => page.setRange({ from, until })));
		};
		if (steady)
			add(page.text("range.steady"), steady.from, steady.until);
		for (const finding of findings) {
			if (finding.range_ms && seen.size < 9)
				add(findingName(page, finding), ...finding.range_ms);
		}
		return list;
	}

	show() {
		this.fill();
	}

	changed(what) {
		if (this.overview)
			this.overview.draw();
		if (what === "range" && this.page.current === this)
			this.fill();
		else if (this.diff && what !== "range")
			this.diff.changed(what);
	}

	async fill() {
		const { page } = this;
		const key = JSON.stringify(page.range);
		if (this.shown === key)
			return;
		this.shown = key;
		this.head.replaceChildren();
		this.diff = this.found = null;
		this.body.replaceChildren(make("p", "hint", page.text("range.reading")));
		this.waits++;
		try {
			const profile = await page.profile();
			if (this.shown === key)
				this.present(profile);
		} catch (error) {
			this.body.replaceChildren();
			page.failed(this.body, error);
		}
		this.waits--;
	}

	present(profile) {
		const { page } = this;
		const { range } = page;
		const wall = page.data.profile.wall_ms;
		this.body.replaceChildren();
		if (!profile || !Timeline.of(profile) || typeof wall !== "number") {
			this.body.append(make("p", "notice", page.text(profile && Timeline.of(profile)
				? "range.no_clock" : "range.no_times")));
			return;
		}
		const end = wall + Timeline.of(profile).span / 1e6;
		this.head.append(make("p", "hint", page.text("range.samples_from", page.moment(wall), page.moment(end))));
		const offers = this.offers();
		if (offers.hasChildNodes())
			this.head.append(offers);
		if (!range) {
			this.body.append(make("p", "card", page.text("range.pick")));
			return;
		}
		this.found = new RangeProfile(profile, wall, range);
		this.head.append(make("p", "range-what", page.text("range.what", page.moment(range.from),
			page.moment(range.until), countText(this.found.samples),
			percentText(this.found.total, this.found.total + this.found.rest))));
		if (!this.found.samples) {
			this.body.append(make("p", "notice", page.text("range.none")));
			return;
		}
		this.body.append(this.choice(), this.tableBox = make("div"), make("h3", "", page.text("range.flame")),
			...this.flame(profile));
		this.table();
	}

	choice() {
		const box = make("div", "choice screen");
		this.buttons = ["processes", "threads", "functions"].map((kind) => {
			const button = action(this.page.text(`range.${kind}`), () => {
				this.kind = kind;
				this.table();
				this.page.remember();
			});
			button.dataset.kind = kind;
			return button;
		});
		box.append(...this.buttons);
		return box;
	}

	table() {
		const { page, kind } = this;
		const rows = this.found[kind]();
		const share = (key, column, bar) => ({ label: page.text(key), number: true, value: (row) => row[column],
			text: (row) => percentText(row[column], 1), ...(bar ? { bar: (row) => row[column] } : {}) });
		const columns = [
			{ label: page.text(`col.${kind}`), value: (row) => row.name, text: (row) => row.name || NO_VALUE },
			{ label: page.text(kind === "functions" ? "col.object" : "col.id"), value: (row) => row.detail,
				text: (row) => row.detail || NO_VALUE },
			share("col.inside", "share", true), share("col.outside", "rest", true),
			{ label: page.text("col.change"), number: true, value: (row) => row.change, node: (row) =>
				make("span", toneOf(row.change), `${pointsText(row.change * 100)}`) },
		];
		if (kind === "functions")
			columns.push(share("col.inside_total", "total"), share("col.outside_total", "restTotal"));
		for (const button of this.buttons)
			button.setAttribute("aria-pressed", String(button.dataset.kind === kind));
		this.tableBox.replaceChildren(new RowTable(page, columns, rows,
			{ label: page.text(`range.${kind}`), sort: 4, most: 20 }).element);
	}

	flame(profile) {
		const { page } = this;
		const box = make("div");
		const modes = make("div", "choice screen");
		this.diff = new DiffFlame(page, box, profile, this.found.weights, { label: page.text("range.flame"),
			all: page.text("range.all", countText(this.found.samples)), frame: "range.frame", less: "range.less" });
		for (const mode of ["change", "library"]) {
			const button = action(page.text(`range.color.${mode}`), () => {
				this.diff.color(mode);
				for (const other of modes.children)
					other.setAttribute("aria-pressed", String(other === button));
			});
			button.setAttribute("aria-pressed", String(mode === "change"));
			modes.append(button);
		}
		return [modes, box];
	}

	key(event) {
		return Boolean(this.diff && this.diff.key(event));
	}

	restore({ by }) {
		if (["processes", "threads", "functions"].includes(by))
			this.kind = by;
		if (this.found && this.found.samples)
			this.table();
	}

	state() {
		return this.kind === "functions" ? {} : { by: this.kind };
	}

	busy() {
		return this.waits > 0 || Boolean(this.overview && this.overview.waits);
	}

	told() {
		return this.found ? { samples: this.found.samples, total: this.found.total, rest: this.found.rest,
			processes: this.found.processes(), threads: this.found.threads(), functions: this.found.functions() } : null;
	}
}

ReportPage.sections.push(RangeSection);
