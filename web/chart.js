/*
 * The flame chart: stacks along time, a track for each thread or CPU, the outermost frame on top. A sample lasts
 * until the next one of its track; equal frames of successive samples are one box. Gaps that are longer than usual
 * are empty.
 */
class ChartView {
	static id = "chart";
	static label = "Chart";

	static offered(profile) {
		return Timeline.of(profile) !== null;
	}

	constructor(app, element) {
		this.app = app;
		this.timeline = Timeline.of(app.profile);
		this.by = "thread";
		this.known = {};
		this.cursor = null; /* {track, k, depth} */
		element.classList.add("chart");
		this.board = new TimeBoard(app, this.timeline, "Flame chart: stacks over time. Left and right move " +
			"from box to box, up and down along a stack, plus and minus zoom, less and greater move " +
			"in time, Enter zooms to a box, Escape shows everything.");
		this.board.left = 12;
		this.painter = new ChartPainter(this);
		this.scroll = make("div", "chart-scroll");
		this.spacer = make("div");
		this.scroll.append(this.board.canvas, this.spacer);
		this.flame = new WindowPane(app, this.timeline, "Flame graph of the window");
		this.flame.clear.addEventListener("click", () => this.board.choose(null));
		this.flame.element.hidden = true;
		element.append(this.makeTools(), this.scroll, this.flame.element);
		this.listen();
		this.setTracks("thread");
	}

	makeTools() {
		const tools = make("div", "heat-tools");
		const group = make("span", "choice");
		group.setAttribute("role", "group");
		group.setAttribute("aria-label", "Tracks");
		this.buttons = {};
		for (const [by, text] of [["thread", "Thread"], ["cpu", "CPU"]]) {
			this.buttons[by] = make("button", "", text);
			this.buttons[by].addEventListener("click", () => {
				this.setTracks(by);
				this.app.remember();
			});
			group.append(this.buttons[by]);
		}
		this.fold = make("button", "tracks-fold");
		this.fold.addEventListener("click", () => this.foldAll());
		this.sight = make("span", "soft");
		tools.append(make("span", "soft", "Tracks"), group, this.fold,
			make("span", "soft heat-hint", "drag in the strip at the top to select a window, drag tracks to " +
				"move, Ctrl and wheel to zoom"), this.sight);
		return tools;
	}

	listen() {
		const { board } = this;
		board.paint = (ctx) => this.painter.paint(ctx);
		board.pans = (x, y) => y > OVERVIEW + RULER;
		board.scrolled = (by) => { this.scroll.scrollTop += by; };
		board.hovered = (at) => this.hovered(at);
		board.clicked = (x, y) => this.clicked(x, y);
		board.chosen = () => this.chosen();
		board.moved = () => {
			const span = board.until - board.from;
			for (const track of this.tracks)
				track.fit(board.from, board.until, Math.abs(span - this.span) < 1);
			this.span = span;
			this.updateSight();
			this.resized();
			this.app.remember();
		};
		board.stretch = (drag) => this.stretch(drag);
		this.scroll.addEventListener("scroll", () => board.draw());
		new ResizeObserver(() => this.resized()).observe(this.scroll);
	}

	setTracks(by) {
		if (!this.known[by]) {
			const tracks = this.timeline.tracks(by);
			const order = by === "cpu" ? Array.from(tracks.labels.keys()) : tracks.earliest();
			this.known[by] = order.filter((track) => tracks.count[track]).map((track) =>
				new ChartTrack(this.timeline, this.app.profile.tree, tracks.labels[track],
					tracks.lists()[track], tracks.weight[track]));
		}
		this.by = by;
		this.tracks = this.known[by];
		for (const track of this.tracks)
			track.fit(this.board.from, this.board.until, false);
		this.usual = usualGap(this.tracks);
		this.cursor = null;
		for (const [name, button] of Object.entries(this.buttons))
			button.setAttribute("aria-pressed", String(name === by));
		this.updateSight();
		this.updateFold();
		this.resized();
	}

	/* Open all tracks if all are closed, else close all, so that the heads of many tracks fit. */
	foldAll() {
		const closed = this.tracks.some((track) => !track.closed);
		for (const track of this.tracks)
			track.closed = closed;
		this.cursor = null;
		this.scroll.scrollTop = 0;
		this.updateFold();
		this.resized();
	}

	updateFold() {
		this.fold.hidden = this.tracks.length < 2;
		this.fold.textContent = this.tracks.some((track) => !track.closed) ? "Close all" : "Open all";
	}

	updateSight() {
		const { board } = this;
		this.sight.textContent = board.whole() ? `${momentText(board.end, 1e6)} in all` :
			stretchText(board.from, board.until);
	}

	resized() {
		const height = this.scroll.clientHeight;
		if (!height)
			return;
		const content = this.tracks.reduce((sum, track) => sum + track.height, OVERVIEW + RULER);
		this.board.canvas.style.height = `${height}px`;
		this.spacer.style.height = `${Math.max(0, content - height)}px`;
		this.board.draw();
	}

	/* ---- pointer ---- */

	/* Return the upper edge of a track on the canvas. */
	topOf(wanted) {
		let y = OVERVIEW + RULER - this.scroll.scrollTop;
		for (const track of this.tracks) {
			if (track === wanted)
				return y;
			y += track.height;
		}
		return y;
	}

	/* Return the window of a drag: on the strip within the whole time, below it within the visible time. */
	stretch(drag) {
		const { board } = this;
		const time = (x) => (drag.y <= OVERVIEW ?
			Math.min(Math.max((x - board.left) / board.plotWidth(), 0), 1) * board.end : board.timeAt(x));
		const a = time(drag.x), b = time(drag.at);
		return board.snap(Math.min(a, b), Math.max(a, b));
	}

	/* Return the box at a point, {track, k, depth}, or null. */
	boxAt(x, y) {
		const { board } = this;
		const track = this.tracks.find((each) => y >= this.topOf(each) && y < this.topOf(each) + each.height);
		if (!track || track.closed || y <= OVERVIEW + RULER || x < board.left || x > board.width - board.right)
			return null;
		const depth = Math.floor((y - this.topOf(track) - TRACK_HEAD) / ROW);
		const pixel = board.left + Math.floor(x - board.left);
		let k = track.before(board.timeAt(pixel + 1));
		if (k >= 0 && track.time(k) === board.timeAt(pixel + 1) && pixel + 1 < board.width - board.right)
			k--; /* it begins at the next pixel */
		if (depth < 0 || depth >= track.rows || k < 0 ||
		    Math.max(track.end(k, this.usual), track.time(k) + 1) <= board.timeAt(pixel))
			return null;
		return track.at(k, depth) < 0 ? null : { track, k, depth };
	}

	hovered(at) {
		const box = at && this.boxAt(...at);
		const { app, board } = this;
		if (!box) {
			app.tip.hide();
			return;
		}
		const whole = box.track.box(box.k, box.depth, this.usual);
		const frame = box.track.tree.frame[whole.node];
		const place = board.canvas.getBoundingClientRect();
		app.tip.show(visible(app.profile.nameOf(frame)), placeText(app.profile, frame), [
			["when", stretchText(whole.from, whole.until)],
			["duration", timeText(whole.until - whole.from)],
			["samples", countText(box.track.samples(whole.first, whole.last))],
			["track", visible(box.track.label, 80)],
		], place.left + at[0], place.top + at[1]);
	}

	clicked(x, y) {
		const { board } = this;
		const box = this.boxAt(x, y);
		if (box) {
			this.cursor = box;
			this.closer();
			return;
		}
		const track = this.tracks.find((each) => {
			const top = this.topOf(each);
			return y >= top && y < top + TRACK_HEAD && y > OVERVIEW + RULER;
		});
		if (track) {
			track.closed = !track.closed;
			this.updateFold();
			this.resized();
		}
		board.draw();
	}

	/* Zoom to the selected box. */
	closer() {
		const { board, cursor } = this;
		const box = cursor.track.box(cursor.k, cursor.depth, this.usual);
		board.showRange(box.from, box.until);
		this.describe(box, cursor.track);
	}

	describe(box, track) {
		const { app } = this;
		const frame = app.profile.tree.frame[box.node];
		app.say(`${visible(app.profile.nameOf(frame), 200)}, ${stretchText(box.from, box.until)}, ` +
			plural(track.samples(box.first, box.last), "sample", "samples"));
		app.detail(app.profile, box.node);
		app.remember();
	}

	/* ---- keys ---- */

	key(event) {
		if (this.flame.box.contains(document.activeElement))
			return this.flame.pane.key(event);
		if (event.target && event.target.tagName === "BUTTON" && ["Enter", " "].includes(event.key))
			return false;
		return this.walk(event) || this.board.key(event);
	}

	walk(event) {
		const { board } = this;
		const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
		if (event.ctrlKey || event.altKey || event.metaKey || !this.tracks.length)
			return false;
		if (steps[event.key]) {
			this.step(...steps[event.key]);
		} else if (event.key === "Enter" && this.cursor) {
			this.closer();
		} else if (event.key === "Escape" && !(board.whole() && !board.window)) {
			if (board.whole())
				board.choose(null);
			else
				board.showRange(0, board.end);
		} else if (event.key === "n" || event.key === "N") {
			this.match(event.key === "n" ? 1 : -1);
		} else if (event.key === "w") {
			board.choose({ from: Math.floor(board.from), until: Math.ceil(board.until) });
		} else {
			return false;
		}
		return true;
	}

	step(along, inwards) {
		const { board } = this;
		if (!this.cursor) {
			const track = this.tracks[0];
			this.cursor = { track, k: Math.max(track.before(board.from), 0), depth: 0 };
		} else if (along) {
			const { track, k, depth } = this.cursor;
			const box = track.box(k, depth, this.usual);
			let to = along > 0 ? box.last + 1 : box.first - 1;
			while (to >= 0 && to < track.list.length && track.at(to, depth) < 0)
				to += along;
			if (to >= 0 && to < track.list.length)
				this.cursor = { track, k: to, depth };
		} else {
			this.stepInwards(inwards);
		}
		this.reveal();
	}

	/* Select the outermost match of the next sample (of any track) with a match. */
	match(by) {
		const { hits } = this.app.search;
		const { tree } = this.app.profile;
		if (!hits)
			return;
		const inside = this.insideOf(hits);
		const now = this.cursor ? this.cursor.track.list[this.cursor.k] : by > 0 ? -1 : this.timeline.n;
		for (let i = now + by; i >= 0 && i < this.timeline.n; i += by) {
			let node = this.timeline.node[i];
			if (!inside[node])
				continue;
			while (tree.parent[node] >= 0 && inside[tree.parent[node]])
				node = tree.parent[node];
			const track = this.tracks.find((each) => each.list[each.before(this.timeline.time[i])] === i);
			if (!track || tree.depth[node] >= track.rows)
				continue;
			this.cursor = { track, k: track.before(this.timeline.time[i]), depth: tree.depth[node] };
			this.reveal();
			return;
		}
	}

	/* Mark the nodes that match, and their callees. */
	insideOf(hits) {
		const { tree } = this.app.profile;
		const inside = new Uint8Array(tree.n);
		for (let i = 0; i < tree.n; i++)
			inside[i] = hits[tree.frame[i]] || (tree.parent[i] >= 0 && inside[tree.parent[i]]) ? 1 : 0;
		return inside;
	}

	/* Move along the stack, past its ends to the next track. */
	stepInwards(by) {
		const { track, k, depth } = this.cursor;
		const to = depth + by;
		if (to >= 0 && to < track.rows && track.at(k, to) >= 0) {
			this.cursor = { track, k, depth: to };
			return;
		}
		const next = this.tracks[this.tracks.indexOf(track) + by];
		if (!next)
			return;
		const at = Math.max(next.before(track.time(k)), 0);
		const deepest = Math.min(next.tree.depth[next.node(at)], next.rows - 1);
		this.cursor = { track: next, k: at, depth: by > 0 ? 0 : deepest };
	}

	reveal() {
		const { board, cursor } = this;
		const box = cursor.track.box(cursor.k, cursor.depth, this.usual);
		const span = board.until - board.from;
		if (box.until <= board.from || box.from >= board.until)
			board.showRange(box.from - span / 2, box.from + span / 2);
		const y = this.topOf(cursor.track) + TRACK_HEAD + cursor.depth * ROW;
		if (y < OVERVIEW + RULER)
			this.scroll.scrollTop += y - OVERVIEW - RULER - TRACK_HEAD;
		else if (y + ROW > board.height)
			this.scroll.scrollTop += y + 2 * ROW - board.height;
		this.describe(box, cursor.track);
		board.draw();
	}

	/* ---- the rest of a view ---- */

	chosen() {
		const { board, flame } = this;
		flame.element.hidden = !board.window;
		if (board.window) {
			flame.set(board.window, null, -1, "");
			this.app.say(flame.what.textContent);
		}
		this.resized();
		this.app.remember();
	}

	show() {
		this.resized();
		this.app.zoomChanged(this.pane());
		this.app.detail(this.app.profile, this.cursor ? this.cursor.track.at(this.cursor.k, this.cursor.depth) : -1);
	}

	reset() {
		const { board } = this;
		this.cursor = null;
		board.showRange(0, board.end);
		board.choose(null);
		this.app.detail(this.app.profile, -1);
	}

	hide() {
		this.app.tip.hide();
	}

	state() {
		const { board, timeline } = this;
		const text = (a, b) => `${timeline.clock(Math.round(a))},${timeline.clock(Math.round(b))}`;
		const state = board.window ? this.flame.pane.state() : {};
		if (this.by !== "thread")
			state.rows = this.by;
		if (board.window)
			state.time = text(board.window.from, board.window.until);
		if (!board.whole())
			state.sight = text(board.from, board.until);
		return state;
	}

	restore(state) {
		const { board } = this;
		const sight = this.timeline.stretch(state.sight, board.end);
		this.setTracks(state.rows === "cpu" ? "cpu" : "thread");
		board.showRange(sight ? sight.from : 0, sight ? sight.until : board.end);
		board.choose(this.timeline.stretch(state.time));
		if (board.window)
			this.flame.pane.restore(state);
	}

	/* For tests: web/README.md. */
	told() {
		const { board, flame, timeline } = this;
		this.painter.boxes = [];
		board.drawAtOnce();
		const { boxes } = this.painter;
		this.painter.boxes = null;
		const text = (from, until) => `${timeline.clock(Math.round(from))},${timeline.clock(Math.round(until))}`;
		return { rows: this.by, time: board.window ? text(board.window.from, board.window.until) : "",
			sight: text(board.from, board.until), total: flame.total, samples: flame.samples,
			tracks: this.tracks.map((track) => ({ label: track.label, samples: track.samples(), weight: track.weight })),
			boxes: boxes.map(({ track, node, k, depth, left, right, y }) => {
				const whole = track.box(k, depth, this.usual);
				return { name: this.app.profile.nameOf(track.tree.frame[node]), track: track.label, depth,
					x: left, y, width: right - left, from: whole.from, until: whole.until };
			}) };
	}

	changed(what) {
		if (this.board.window)
			this.flame.changed(what);
		if (what === "print")
			this.board.drawAtOnce();
		else
			this.board.draw();
	}

	status() {
		const { profile, search } = this.app;
		if (this.board.window)
			return foundText(this.app, this.flame.pane);
		if (!search.hits)
			return "";
		const inside = this.insideOf(search.hits);
		const share = profile.self.reduce((sum, weight, node) => sum + (inside[node] ? weight : 0), 0);
		return share ? percentText(share, profile.weights.all) : "no match";
	}

	pane() {
		return this.board.window ? this.flame.pane : null;
	}
}

App.views.push(ChartView);
