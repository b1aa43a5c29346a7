/*
 * The chart: stacks along time, a lane for each thread or CPU, the outermost frame on top. A sample stands
 * for the time until the next one of its lane; equal frames of samples that follow each other are one box.
 * Where no sample was for longer than usual, nothing is drawn.
 */
const LANE_HEAD = 22;
const LANE_GAP = 10;
const OVERVIEW = 46; /* the whole time, above the lanes */
const BAR = 4; /* of it, in pixels */
const RULER = 26;
const DEEPEST = 400; /* rows of a lane; what is further in is left out, and told */

class ChartLane {
	constructor(timeline, tree, label, list, weight) {
		this.timeline = timeline;
		this.tree = tree;
		this.label = label;
		this.list = list;
		this.weight = weight;
		this.closed = false;
		this.depth = this.deepest(-Infinity, Infinity);
		this.rows = Math.min(this.depth, DEEPEST);
	}

	/* Frames of the deepest stack between two times. */
	deepest(from, until) {
		let depth = 1;
		for (let k = Math.max(this.before(from), 0); k < this.list.length && this.time(k) < until; k++)
			depth = Math.max(depth, this.tree.depth[this.node(k)] + 1);
		return depth;
	}

	/* As high as what is in sight asks for; a lane that is only moved does not shrink. */
	fit(from, until, moved) {
		const rows = Math.min(this.deepest(from, until), DEEPEST);
		this.rows = moved ? Math.max(this.rows, rows) : rows;
	}

	get height() {
		return LANE_HEAD + (this.closed ? 0 : this.rows * ROW) + LANE_GAP;
	}

	time(k) {
		return this.timeline.time[this.list[k]];
	}

	node(k) {
		return this.timeline.node[this.list[k]];
	}

	/* The last sample of the lane at that time or before; -1: none. */
	before(time) {
		let low = 0, high = this.list.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.time(middle) <= time)
				low = middle + 1;
			else
				high = middle;
		}
		return low - 1;
	}

	/* Until when a sample stands: to the next one, unless that is far off. */
	end(k, usual) {
		const next = k + 1 < this.list.length ? this.time(k + 1) : Infinity;
		return next - this.time(k) <= 1.75 * usual ? next : this.time(k) + usual;
	}

	/* The node of a sample at a depth; -1: its stack is not so deep. */
	at(k, depth) {
		const { tree } = this;
		let node = this.node(k);
		if (tree.depth[node] < depth)
			return -1;
		while (tree.depth[node] > depth)
			node = tree.parent[node];
		return node;
	}

	/* How many frames each sample shares with the one before, if it follows that without a gap. */
	joined(usual) {
		const { tree, list } = this;
		if (this.same && this.sameUsual === usual)
			return this.same;
		this.same = new Uint32Array(list.length);
		this.sameUsual = usual;
		for (let k = 1; k < list.length; k++) {
			if (this.end(k - 1, usual) < this.time(k))
				continue;
			let a = this.node(k - 1), b = this.node(k);
			while (a !== b) { /* in preorder what lies deeper has the larger number */
				if (a > b)
					a = tree.parent[a];
				else
					b = tree.parent[b];
			}
			this.same[k] = a < 0 ? 0 : tree.depth[a] + 1;
		}
		return this.same;
	}

	/* From when to when a box reaches: the samples around k that follow each other with the same frames. */
	box(k, depth, usual) {
		const same = this.joined(usual);
		let first = k, last = k;
		while (same[first] > depth)
			first--;
		while (last + 1 < same.length && same[last + 1] > depth)
			last++;
		return { node: this.at(k, depth), first, last, from: this.time(first), until: this.end(last, usual) };
	}
}

/* How far apart samples of a lane are, mostly: of all of them, the one in the middle. */
function usualGap(lanes) {
	const gaps = [];
	for (const lane of lanes) {
		const step = Math.max(1, Math.floor(lane.list.length / 2000));
		for (let k = 1; k < lane.list.length; k += step)
			gaps.push(lane.time(k) - lane.time(k - 1));
	}
	gaps.sort((a, b) => a - b);
	return Math.max(gaps[gaps.length >> 1] || 1e6, 1);
}

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
		this.cursor = null; /* {lane, k, depth} */
		this.boxes = null; /* what is painted, when tests ask */
		element.classList.add("chart");
		this.board = new TimeBoard(app, this.timeline, "Chart of stacks along time. Left and right move " +
			"from box to box, up and down along a stack, plus and minus look closer, less and greater " +
			"move, Enter shows a box whole, Escape all.");
		this.board.left = 12;
		this.scroll = make("div", "chart-scroll");
		this.spacer = make("div");
		this.scroll.append(this.board.canvas, this.spacer);
		this.flame = new WindowPane(app, this.timeline, "Flame graph of the window");
		this.flame.clear.addEventListener("click", () => this.board.choose(null));
		this.flame.element.hidden = true;
		element.append(this.makeTools(), this.scroll, this.flame.element);
		this.listen();
		this.setLanes("thread");
	}

	makeTools() {
		const tools = make("div", "heat-tools");
		const group = make("span", "choice");
		group.setAttribute("role", "group");
		group.setAttribute("aria-label", "Lanes");
		this.buttons = {};
		for (const [by, text] of [["thread", "Thread"], ["cpu", "CPU"]]) {
			this.buttons[by] = make("button", "", text);
			this.buttons[by].addEventListener("click", () => {
				this.setLanes(by);
				this.app.remember();
			});
			group.append(this.buttons[by]);
		}
		this.sight = make("span", "soft");
		tools.append(make("span", "soft", "Lanes"), group,
			make("span", "soft heat-hint", "drag the strip on top to choose a window, the lanes to move, " +
				"Ctrl and wheel to look closer"), this.sight);
		return tools;
	}

	listen() {
		const { board } = this;
		board.paint = (ctx) => this.paint(ctx);
		board.pans = (x, y) => y > OVERVIEW + RULER;
		board.scrolled = (by) => { this.scroll.scrollTop += by; };
		board.hovered = (at) => this.hovered(at);
		board.clicked = (x, y) => this.clicked(x, y);
		board.chosen = () => this.chosen();
		board.moved = () => {
			const span = board.until - board.from;
			for (const lane of this.lanes)
				lane.fit(board.from, board.until, Math.abs(span - this.span) < 1);
			this.span = span;
			this.tellSight();
			this.resized();
			this.app.remember();
		};
		board.stretch = (drag) => this.stretch(drag);
		this.scroll.addEventListener("scroll", () => board.draw());
		new ResizeObserver(() => this.resized()).observe(this.scroll);
	}

	setLanes(by) {
		if (!this.known[by]) {
			const lanes = this.timeline.lanes(by);
			const order = by === "cpu" ? Array.from(lanes.labels.keys()) : lanes.heaviest();
			this.known[by] = order.filter((lane) => lanes.count[lane]).map((lane) =>
				new ChartLane(this.timeline, this.app.profile.tree, lanes.labels[lane],
					lanes.lists()[lane], lanes.weight[lane]));
		}
		this.by = by;
		this.lanes = this.known[by];
		for (const lane of this.lanes)
			lane.fit(this.board.from, this.board.until, false);
		this.usual = usualGap(this.lanes);
		this.cursor = null;
		for (const [name, button] of Object.entries(this.buttons))
			button.setAttribute("aria-pressed", String(name === by));
		this.tellSight();
		this.resized();
	}

	tellSight() {
		const { board } = this;
		this.sight.textContent = board.whole() ? `${momentText(board.end, 1e6)} in all` :
			stretchText(board.from, board.until);
	}

	resized() {
		const height = this.scroll.clientHeight;
		if (!height)
			return;
		const content = this.lanes.reduce((sum, lane) => sum + lane.height, OVERVIEW + RULER);
		this.board.canvas.style.height = `${height}px`;
		this.spacer.style.height = `${Math.max(0, content - height)}px`;
		this.board.draw();
	}

	/* ---- drawing ---- */

	paint(ctx) {
		const { board } = this;
		const ink = board.ink();
		const head = OVERVIEW + RULER;
		if (this.boxes)
			this.boxes.length = 0;
		ctx.fillStyle = ink.ground;
		ctx.fillRect(0, 0, board.width, board.height);
		let y = head - this.scroll.scrollTop;
		for (const lane of this.lanes) {
			if (y < board.height && y + lane.height > head)
				this.paintLane(ctx, ink, lane, y);
			y += lane.height;
		}
		board.paintWindow(ctx, head, board.height);
		this.paintCursor(ctx, ink);
		ctx.fillStyle = ink.ground;
		ctx.fillRect(0, 0, board.width, head);
		this.paintOverview(ctx, ink);
		board.paintAxis(ctx, OVERVIEW + 2);
	}

	/* How much there was over the whole time, and which part of it is in sight. */
	paintOverview(ctx, ink) {
		const { board, timeline } = this;
		const width = Math.round(board.plotWidth());
		const bars = Math.ceil(width / BAR);
		if (!this.strip || this.strip.length !== bars) {
			this.strip = new Float64Array(bars);
			for (let i = 0; i < timeline.n; i++)
				this.strip[Math.min(Math.floor(timeline.time[i] / board.end * bars), bars - 1)] +=
					timeline.weight[i];
		}
		const most = this.strip.reduce((a, b) => Math.max(a, b), 0) || 1;
		const high = OVERVIEW - 8;
		ctx.fillStyle = ink.empty;
		ctx.fillRect(board.left, 4, width, high);
		ctx.fillStyle = ink.soft;
		for (let i = 0; i < bars; i++) {
			const tall = this.strip[i] / most * high;
			ctx.fillRect(board.left + i * width / bars, 4 + high - tall, width / bars - 1, tall);
		}
		const mark = (from, until, color) => {
			const a = board.left + from / board.end * width, b = board.left + until / board.end * width;
			ctx.strokeStyle = color;
			ctx.lineWidth = 2;
			ctx.strokeRect(a + 1, 3, Math.max(b - a - 2, 1), high + 2);
		};
		if (!board.whole()) {
			ctx.globalAlpha = 0.6;
			ctx.fillStyle = ink.ground;
			ctx.fillRect(board.left, 4, board.from / board.end * width, high);
			const right = board.until / board.end * width;
			ctx.fillRect(board.left + right, 4, width - right, high);
			ctx.globalAlpha = 1;
			mark(board.from, board.until, ink.text);
		}
		const shown = board.dragged() || board.window;
		if (shown)
			mark(shown.from, shown.until, ink.mark);
	}

	paintLane(ctx, ink, lane, y) {
		const { board } = this;
		ctx.textAlign = "left";
		ctx.fillStyle = ink.text;
		const share = percentText(lane.weight, this.app.profile.weights.all);
		ctx.fillText(`${lane.closed ? "\u25b8" : "\u25be"} ${visible(lane.label, 80)}`, board.left,
			y + LANE_HEAD / 2);
		const used = ctx.measureText(`\u25be ${visible(lane.label, 80)}`).width;
		ctx.fillStyle = ink.soft;
		ctx.fillText(`${share}, ${plural(lane.list.length, "sample", "samples")}` +
			(lane.depth > DEEPEST ? `, ${lane.depth - DEEPEST} innermost frames are left out` : ""),
		board.left + used + 12, y + LANE_HEAD / 2);
		if (!lane.closed)
			this.paintStacks(ctx, lane, y + LANE_HEAD);
	}

	/*
	 * Pixel by pixel from the left: which sample stands there, and where its stack differs from that of
	 * the pixel before. Boxes end where it does, so a picture costs as much as it has pixels.
	 */
	paintStacks(ctx, lane, top) {
		const { board, usual } = this;
		const tree = lane.tree;
		const width = Math.ceil(board.plotWidth());
		const open = []; /* by depth: [node, x, sample] */
		this.thin = new Map(); /* by depth: boxes of a pixel or two beside each other, of one colour */
		const ended = (depth, x) => {
			while (open.length > depth) {
				const [node, from, k] = open.pop();
				this.paintBox(ctx, lane, node, k, board.left + from, board.left + x, top);
			}
		};
		let k = lane.before(board.from);
		for (let x = 0; x < width; x++) {
			const time = board.timeAt(board.left + x + 1);
			const began = k;
			while (k + 1 < lane.list.length && lane.time(k + 1) < time)
				k++;
			/* a sample that ended within the pixel is still seen in it */
			const here = k >= 0 && (k > began || lane.end(k, usual) > board.timeAt(board.left + x));
			if (!here) {
				ended(0, x);
				continue;
			}
			if (k === began && open.length)
				continue;
			const path = this.path(tree, lane.node(k), lane.rows);
			let same = 0;
			while (same < open.length && same < path.length && open[same][0] === path[same])
				same++;
			ended(same, x);
			for (let depth = same; depth < path.length; depth++)
				open.push([path[depth], x, k]);
		}
		ended(0, width);
		for (const run of this.thin.values())
			this.paintThin(ctx, run);
	}

	paintThin(ctx, { left, right, y, fill }) {
		ctx.fillStyle = fill;
		ctx.fillRect(left, y, right - left, ROW - 1);
	}

	path(tree, node, rows) {
		let at = node;
		while (tree.depth[at] >= rows)
			at = tree.parent[at];
		const path = new Array(tree.depth[at] + 1);
		for (; at >= 0; at = tree.parent[at])
			path[tree.depth[at]] = at;
		return path;
	}

	paintBox(ctx, lane, node, k, left, right, top) {
		const { app, board } = this;
		const { colors, profile, theme } = app;
		const depth = lane.tree.depth[node];
		const y = top + depth * ROW;
		if (y + ROW < OVERVIEW + RULER || y > board.height)
			return;
		const frame = lane.tree.frame[node];
		const color = colors.of(frame, node, profile.weights);
		let fill = colors.fills[color], text = colors.texts[color];
		if (app.search.hits) {
			const hit = app.search.hits[frame];
			fill = hit ? theme.match : theme.faded;
			text = hit ? theme.matchText : theme.fadedText;
		}
		if (this.boxes)
			this.boxes.push({ lane, node, k, depth, left, right, y });
		if (right - left <= 2) {
			const run = this.thin.get(depth);
			if (run && run.fill === fill && run.right === left) {
				run.right = right;
				return;
			}
			if (run)
				this.paintThin(ctx, run);
			this.thin.set(depth, { left, right, y, fill });
			return;
		}
		ctx.fillStyle = fill;
		ctx.fillRect(left, y, right - left - (right - left > 4 ? 1 : 0), ROW - 1);
		if (right - left < LABEL_FROM)
			return;
		const shown = board.letters.fit(ctx, visible(profile.nameOf(frame), 200), right - left - 9);
		ctx.fillStyle = text;
		ctx.textAlign = "left";
		if (shown)
			ctx.fillText(shown, left + 4, y + ROW / 2);
	}

	paintCursor(ctx, ink) {
		const { board, cursor } = this;
		if (!cursor)
			return;
		const box = cursor.lane.box(cursor.k, cursor.depth, this.usual);
		const y = this.topOf(cursor.lane) + LANE_HEAD + cursor.depth * ROW;
		const a = Math.max(board.xOf(box.from), board.left - 2);
		const b = Math.min(board.xOf(box.until), board.width - board.right + 2);
		if (b <= a)
			return;
		ctx.strokeStyle = ink.text;
		ctx.lineWidth = 2;
		ctx.strokeRect(a + 1, y, Math.max(b - a - 2, 2), ROW - 1);
	}

	/* Where a lane begins on the canvas. */
	topOf(wanted) {
		let y = OVERVIEW + RULER - this.scroll.scrollTop;
		for (const lane of this.lanes) {
			if (lane === wanted)
				return y;
			y += lane.height;
		}
		return y;
	}

	/* ---- pointer ---- */

	/* On the strip a window is drawn in the whole time, below it in what is in sight. */
	stretch(drag) {
		const { board } = this;
		const time = (x) => (drag.y <= OVERVIEW ?
			Math.min(Math.max((x - board.left) / board.plotWidth(), 0), 1) * board.end : board.timeAt(x));
		const a = time(drag.x), b = time(drag.at);
		return board.snap(Math.min(a, b), Math.max(a, b));
	}

	/* What was painted at a point: {lane, k, depth}; null: nothing. */
	boxAt(x, y) {
		const { board } = this;
		const lane = this.lanes.find((each) => y >= this.topOf(each) && y < this.topOf(each) + each.height);
		if (!lane || lane.closed || y <= OVERVIEW + RULER || x < board.left || x > board.width - board.right)
			return null;
		const depth = Math.floor((y - this.topOf(lane) - LANE_HEAD) / ROW);
		const pixel = board.left + Math.floor(x - board.left);
		let k = lane.before(board.timeAt(pixel + 1));
		if (k >= 0 && lane.time(k) === board.timeAt(pixel + 1) && pixel + 1 < board.width - board.right)
			k--; /* it begins with the next one */
		if (depth < 0 || depth >= lane.rows || k < 0 ||
		    Math.max(lane.end(k, this.usual), lane.time(k) + 1) <= board.timeAt(pixel))
			return null;
		return lane.at(k, depth) < 0 ? null : { lane, k, depth };
	}

	hovered(at) {
		const box = at && this.boxAt(...at);
		const { app, board } = this;
		if (!box) {
			app.tip.hide();
			return;
		}
		const whole = box.lane.box(box.k, box.depth, this.usual);
		const frame = box.lane.tree.frame[whole.node];
		const place = board.canvas.getBoundingClientRect();
		app.tip.show(visible(app.profile.nameOf(frame)), placeText(app.profile, frame), [
			["when", stretchText(whole.from, whole.until)],
			["how long", timeText(whole.until - whole.from)],
			["samples", countText(whole.last - whole.first + 1)],
			["lane", visible(box.lane.label, 80)],
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
		const lane = this.lanes.find((each) => {
			const top = this.topOf(each);
			return y >= top && y < top + LANE_HEAD && y > OVERVIEW + RULER;
		});
		if (lane) {
			lane.closed = !lane.closed;
			this.resized();
		}
		board.draw();
	}

	/* The chosen box in its whole width. */
	closer() {
		const { board, cursor } = this;
		const box = cursor.lane.box(cursor.k, cursor.depth, this.usual);
		board.look(box.from, box.until);
		this.tell(box);
	}

	tell(box) {
		const { app } = this;
		const frame = app.profile.tree.frame[box.node];
		app.say(`${visible(app.profile.nameOf(frame), 200)}, ${stretchText(box.from, box.until)}, ` +
			plural(box.last - box.first + 1, "sample", "samples"));
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
		if (event.ctrlKey || event.altKey || event.metaKey || !this.lanes.length)
			return false;
		if (steps[event.key]) {
			this.step(...steps[event.key]);
		} else if (event.key === "Enter" && this.cursor) {
			this.closer();
		} else if (event.key === "Escape" && !(board.whole() && !board.window)) {
			if (board.whole())
				board.choose(null);
			else
				board.look(0, board.end);
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
			const lane = this.lanes[0];
			this.cursor = { lane, k: Math.max(lane.before(board.from), 0), depth: 0 };
		} else if (along) {
			const { lane, k, depth } = this.cursor;
			const box = lane.box(k, depth, this.usual);
			let to = along > 0 ? box.last + 1 : box.first - 1;
			while (to >= 0 && to < lane.list.length && lane.at(to, depth) < 0)
				to += along;
			if (to >= 0 && to < lane.list.length)
				this.cursor = { lane, k: to, depth };
		} else {
			this.stepInwards(inwards);
		}
		this.reveal();
	}

	/* To the next sample that has a match, whichever lane it is in: its outermost one. */
	match(by) {
		const { hits } = this.app.search;
		const { tree } = this.app.profile;
		if (!hits)
			return;
		const inside = this.insideOf(hits);
		const now = this.cursor ? this.cursor.lane.list[this.cursor.k] : by > 0 ? -1 : this.timeline.n;
		for (let i = now + by; i >= 0 && i < this.timeline.n; i += by) {
			let node = this.timeline.node[i];
			if (!inside[node])
				continue;
			while (tree.parent[node] >= 0 && inside[tree.parent[node]])
				node = tree.parent[node];
			const lane = this.lanes.find((each) => each.list[each.before(this.timeline.time[i])] === i);
			if (!lane || tree.depth[node] >= lane.rows)
				continue;
			this.cursor = { lane, k: lane.before(this.timeline.time[i]), depth: tree.depth[node] };
			this.reveal();
			return;
		}
	}

	/* Nodes that match or are called by what does. */
	insideOf(hits) {
		const { tree } = this.app.profile;
		const inside = new Uint8Array(tree.n);
		for (let i = 0; i < tree.n; i++)
			inside[i] = hits[tree.frame[i]] || (tree.parent[i] >= 0 && inside[tree.parent[i]]) ? 1 : 0;
		return inside;
	}

	/* Past the ends of a stack lies the next lane. */
	stepInwards(by) {
		const { lane, k, depth } = this.cursor;
		const to = depth + by;
		if (to >= 0 && to < lane.rows && lane.at(k, to) >= 0) {
			this.cursor = { lane, k, depth: to };
			return;
		}
		const next = this.lanes[this.lanes.indexOf(lane) + by];
		if (!next)
			return;
		const at = Math.max(next.before(lane.time(k)), 0);
		const deepest = Math.min(next.tree.depth[next.node(at)], next.rows - 1);
		this.cursor = { lane: next, k: at, depth: by > 0 ? 0 : deepest };
	}

	reveal() {
		const { board, cursor } = this;
		const box = cursor.lane.box(cursor.k, cursor.depth, this.usual);
		const span = board.until - board.from;
		if (box.until <= board.from || box.from >= board.until)
			board.look(box.from - span / 2, box.from + span / 2);
		const y = this.topOf(cursor.lane) + LANE_HEAD + cursor.depth * ROW;
		if (y < OVERVIEW + RULER)
			this.scroll.scrollTop += y - OVERVIEW - RULER - LANE_HEAD;
		else if (y + ROW > board.height)
			this.scroll.scrollTop += y + 2 * ROW - board.height;
		this.tell(box);
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
		this.app.detail(this.app.profile, this.cursor ? this.cursor.lane.at(this.cursor.k, this.cursor.depth) : -1);
	}

	reset() {
		const { board } = this;
		this.cursor = null;
		board.look(0, board.end);
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
		this.setLanes(state.rows === "cpu" ? "cpu" : "thread");
		board.look(sight ? sight.from : 0, sight ? sight.until : board.end);
		board.choose(this.timeline.stretch(state.time));
		if (board.window)
			this.flame.pane.restore(state);
	}

	/* For tests: web/README.md. */
	told() {
		const { board, flame, timeline } = this;
		this.boxes = [];
		board.settle();
		const { boxes } = this;
		this.boxes = null;
		const text = (from, until) => `${timeline.clock(Math.round(from))},${timeline.clock(Math.round(until))}`;
		return { rows: this.by, time: board.window ? text(board.window.from, board.window.until) : "",
			sight: text(board.from, board.until), total: flame.total, samples: flame.samples,
			lanes: this.lanes.map((lane) => ({ label: lane.label, samples: lane.list.length, weight: lane.weight })),
			boxes: boxes.map(({ lane, node, k, depth, left, right, y }) => {
				const whole = lane.box(k, depth, this.usual);
				return { name: this.app.profile.nameOf(lane.tree.frame[node]), lane: lane.label, depth,
					x: left, y, width: right - left, from: whole.from, until: whole.until };
			}) };
	}

	changed(what) {
		if (this.board.window)
			this.flame.changed(what);
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
