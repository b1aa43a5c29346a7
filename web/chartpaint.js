/* Draws the chart: a strip of the whole time, a ruler, and the visible stacks of each track. */
class ChartPainter {
	constructor(view) {
		this.view = view;
		this.boxes = null; /* painted boxes, for tests */
	}

	paint(ctx) {
		const { board, tracks, scroll } = this.view;
		const ink = board.ink();
		const head = OVERVIEW + RULER;
		if (this.boxes)
			this.boxes.length = 0;
		ctx.fillStyle = ink.ground;
		ctx.fillRect(0, 0, board.width, board.height);
		let y = head - scroll.scrollTop;
		for (const track of tracks) {
			if (y < board.height && y + track.height > head)
				this.paintTrack(ctx, ink, track, y);
			y += track.height;
		}
		board.paintWindow(ctx, head, board.height);
		this.paintCursor(ctx, ink);
		ctx.fillStyle = ink.ground;
		ctx.fillRect(0, 0, board.width, head);
		this.paintOverview(ctx, ink);
		board.paintAxis(ctx, OVERVIEW + 2);
	}

	/* Draw the weight over the whole time, and mark its visible part. */
	paintOverview(ctx, ink) {
		const { board, timeline } = this.view;
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

	paintTrack(ctx, ink, track, y) {
		const { app, board } = this.view;
		ctx.textAlign = "left";
		ctx.fillStyle = ink.text;
		const share = percentText(track.weight, app.profile.weights.all);
		ctx.fillText(`${track.closed ? "\u25b8" : "\u25be"} ${visible(track.label, 80)}`, board.left,
			y + TRACK_HEAD / 2);
		const used = ctx.measureText(`\u25be ${visible(track.label, 80)}`).width;
		ctx.fillStyle = ink.soft;
		ctx.fillText(`${share}, ${plural(track.samples(), "sample", "samples")}` +
			(track.depth > DEEPEST ? `, ${track.depth - DEEPEST} innermost frames omitted` : ""),
		board.left + used + 12, y + TRACK_HEAD / 2);
		if (track.closed)
			this.paintBusy(ctx, ink, track, y + TRACK_HEAD);
		else
			this.paintStacks(ctx, track, y + TRACK_HEAD);
	}

	/* Draw when a closed track had samples. */
	paintBusy(ctx, ink, track, top) {
		const { board, usual } = this.view;
		const right = board.left + board.plotWidth();
		const first = Math.max(track.before(board.from), 0);
		let painted = board.left; /* painted up to here */
		ctx.fillStyle = ink.line;
		ctx.fillRect(board.left, top + TRACK_BUSY - 1, right - board.left, 1);
		ctx.fillStyle = ink.soft;
		for (let k = first; k < track.list.length && track.time(k) < board.until; k++) {
			const from = Math.max(Math.floor(board.xOf(track.time(k))), painted);
			const until = Math.min(Math.max(Math.ceil(board.xOf(track.end(k, usual))), from + 1), right);
			if (until <= painted || track.end(k, usual) <= board.from)
				continue;
			ctx.fillRect(from, top, until - from, TRACK_BUSY);
			painted = until;
		}
	}

	/*
	 * Find the sample of each pixel, from left to right, and end boxes where its stack differs from that of the
	 * pixel before. The cost is proportional to the pixels.
	 */
	paintStacks(ctx, track, top) {
		const { board, usual } = this.view;
		const tree = track.tree;
		const width = Math.ceil(board.plotWidth());
		const open = []; /* by depth: [node, x, sample] */
		this.thin = new Map(); /* by depth: adjacent boxes of one or two pixels with one colour */
		const ended = (depth, x) => {
			while (open.length > depth) {
				const [node, from, k] = open.pop();
				this.paintBox(ctx, track, node, k, board.left + from, board.left + x, top);
			}
		};
		let k = track.before(board.from);
		for (let x = 0; x < width; x++) {
			const time = board.timeAt(board.left + x + 1);
			const began = k;
			while (k + 1 < track.list.length && track.time(k + 1) < time)
				k++;
			/* a sample that ended within the pixel is drawn in it */
			const here = k >= 0 && (k > began || track.end(k, usual) > board.timeAt(board.left + x));
			if (!here) {
				ended(0, x);
				continue;
			}
			if (k === began && open.length)
				continue;
			const path = this.path(tree, track.node(k), track.rows);
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

	paintBox(ctx, track, node, k, left, right, top) {
		const { app, board } = this.view;
		const { colors, profile, theme } = app;
		const depth = track.tree.depth[node];
		const y = top + depth * ROW;
		if (y + ROW < OVERVIEW + RULER || y > board.height)
			return;
		const frame = track.tree.frame[node];
		const color = colors.of(frame, node, profile.weights);
		let fill = colors.fills[color], text = colors.texts[color];
		if (app.search.hits) {
			const hit = app.search.hits[frame];
			fill = hit ? theme.match : theme.faded;
			text = hit ? theme.matchText : theme.fadedText;
		}
		if (this.boxes)
			this.boxes.push({ track, node, k, depth, left, right, y });
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
		const shown = board.letters.fitName(ctx, visibleNames(profile.nameOf(frame)), right - left - 9);
		ctx.fillStyle = text;
		ctx.textAlign = "left";
		if (shown)
			ctx.fillText(shown, left + 4, y + ROW / 2);
	}

	paintCursor(ctx, ink) {
		const { board, cursor, usual } = this.view;
		if (!cursor)
			return;
		const box = cursor.track.box(cursor.k, cursor.depth, usual);
		const y = this.view.topOf(cursor.track) + TRACK_HEAD + cursor.depth * ROW;
		const a = Math.max(board.xOf(box.from), board.left - 2);
		const b = Math.min(board.xOf(box.until), board.width - board.right + 2);
		if (b <= a)
			return;
		ctx.strokeStyle = ink.text;
		ctx.lineWidth = 2;
		ctx.strokeRect(a + 1, y, Math.max(b - a - 2, 2), ROW - 1);
	}
}
