/*
 * Rows of frames on a canvas. Adjacent frames that are narrower than a pixel are drawn as one pale run. Only visible
 * rows and frames are visited, so the cost is proportional to the pixels and not to the frames.
 */
const ROW = 20;
const THIN = 1;
const LABEL_FROM = 24;

/* Truncate texts to a width by the cached widths of their letters, because measuring whole texts is slow. */
class Letters {
	constructor() {
		this.widths = new Map();
	}

	width(context, letter) {
		let width = this.widths.get(letter);
		if (width === undefined) {
			width = context.measureText(letter).width;
			this.widths.set(letter, width);
		}
		return width;
	}

	/* Return the longest form of a name that fits, else the shortest one truncated. */
	fitName(context, forms, room) {
		for (const form of forms) {
			let used = 0;
			for (let i = 0; i < form.length && used <= room; i++)
				used += this.width(context, form[i]);
			if (used <= room)
				return form;
		}
		return this.fit(context, forms[forms.length - 1], room);
	}

	fit(context, text, room) {
		const dots = this.width(context, "\u2026");
		let used = 0;
		let cut = 0;
		for (let i = 0; i < text.length; i++) {
			used += this.width(context, text[i]);
			if (used + dots <= room)
				cut = i + 1;
			else if (used > room)
				return cut > 1 ? text.slice(0, cut) + "\u2026" : "";
		}
		return text;
	}
}

/*
 * Visit the frames of a row that are visible in a view: {from, to} in weight, {pixels} wide. Calls
 * sink.box(node, left, right, depth) for each frame, and sink.thin(left, right, depth, hit) for runs of narrow ones.
 */
function visitRow(layout, depth, view, found, sink) {
	const { left: starts, wide, rows } = layout;
	const scale = view.pixels / (view.to - view.from);
	const end = layout.start[depth + 1];
	let runLeft = 0;
	let runRight = -1; /* no run is open */
	let runHit = false;
	const flush = () => {
		if (runRight >= 0 && (runHit || runRight - runLeft >= 0.5))
			sink.thin(runLeft, Math.max(runRight, runLeft + 1), depth, runHit);
		runRight = -1;
	};
	for (let at = layout.reaching(depth, view.from), next; at < end; at = next) {
		const left = (starts[at] - view.from) * scale;
		if (left >= view.pixels)
			break;
		next = at + 1;
		if (wide[at] * scale >= THIN) {
			flush();
			sink.box(rows[at], left, left + wide[at] * scale, depth);
			continue;
		}
		/* skip frames that start within this pixel; only the last of them can be wide */
		next = layout.leap(next, end, view.from + (left + THIN) / scale);
		if (next > at + 1 && wide[next - 1] * scale >= THIN)
			next--;
		const hit = found ? found.any(at, next) : false;
		if (runRight >= 0 && (runHit !== hit || left - runRight > 1))
			flush();
		if (runRight < 0)
			runLeft = left;
		runRight = (starts[next - 1] + wide[next - 1] - view.from) * scale;
		runHit = hit;
	}
	flush();
}

/* The sink of visitRow() that draws. */
class Painter {
	constructor(app, context) {
		this.app = app;
		this.context = context;
		this.letters = new Letters();
		this.labels = [];
	}

	begin(pane, width, height, ratio) {
		const { context } = this;
		const { colors, theme } = this.app;
		this.pane = pane;
		this.pixels = width;
		this.fills = colors.fills;
		this.texts = colors.texts;
		this.theme = theme;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = theme.canvas;
		context.fillRect(0, 0, width, height);
		context.font = `12px ${theme.font}`;
		context.textBaseline = "middle";
		context.direction = "ltr";
	}

	/* Return the forms of a frame's name, escaped. */
	label(frame) {
		if (this.labels[frame] === undefined)
			this.labels[frame] = visibleNames(this.app.profile.nameOf(frame));
		return this.labels[frame];
	}

	box(node, left, right, depth) {
		const { pane } = this;
		const frame = pane.tree.frame[node];
		let color = this.app.colors.of(frame, node, pane.weights);
		let fill = this.fills[color];
		let text = this.texts[color];
		if (pane.found.hits) {
			const hit = pane.found.has(node);
			fill = hit ? this.theme.match : this.theme.faded;
			text = hit ? this.theme.matchText : this.theme.fadedText;
		}
		this.rect(left, right, depth, fill, text, () => this.label(frame));
	}

	thin(left, right, depth, hit) {
		this.context.fillStyle = hit ? this.theme.match : this.theme.thin;
		this.context.fillRect(left, this.pane.top(depth), right - left, ROW - 1);
	}

	/* Draw a box, with its text at the left edge of its visible part. */
	rect(left, right, depth, fill, text, label) {
		const { context } = this;
		const y = this.pane.top(depth);
		const from = Math.max(left, 0);
		const to = Math.min(right, this.pixels);
		const gap = right - left > 4 ? 1 : right - left > 2 ? 0.5 : 0;
		context.fillStyle = fill;
		context.fillRect(from, y, Math.max(to - from - gap, 0.5), ROW - 1);
		if (to - from < LABEL_FROM)
			return;
		const shown = this.letters.fitName(context, label(), to - from - 9);
		if (shown) {
			context.fillStyle = text;
			context.fillText(shown, from + 4, y + ROW / 2);
		}
	}

	outline(left, right, depth, color, line) {
		const { context } = this;
		const from = Math.max(left, -4);
		const to = Math.min(Math.max(right, left + 3), this.pixels + 4);
		context.strokeStyle = color;
		context.lineWidth = line;
		context.strokeRect(from + line / 2, this.pane.top(depth) + line / 2,
			Math.max(to - from - line - 0.5, 1), ROW - 1 - line);
	}
}
