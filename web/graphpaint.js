/*
 * A call graph on a canvas: boxes of functions and curves of calls, in the layout of src/export/graph. Only the
 * visible part is painted.
 */
const GRAPH_STRIPE = 5; /* width of the stripe in the library's colour */

/* The rows of the payload as objects with their geometry. */
class CallGraph {
	constructor(data) {
		this.width = data.width;
		this.height = data.height;
		this.all = data.all;
		this.facts = data.facts;
		this.libraries = data.libraries;
		this.nodes = data.nodes.map(([name, label, library, x, y, width, height, self, selfSamples, total,
			samples], id) => ({ id, name, label, library, x: x - width / 2, y: y - height / 2, width, height,
			self, selfSamples, total, samples, callers: [], callees: [] }));
		this.hottest = this.nodes.reduce((most, node) => Math.max(most, node.self), 0);
		this.edges = data.edges.map(([from, to, weight, samples, direct, ...points]) =>
			this.edge({ from: this.nodes[from], to: this.nodes[to], weight, samples, direct, points }));
	}

	share(weight) {
		return this.all ? weight / this.all : 0;
	}

	edge(edge) {
		const { from, to, points } = edge;
		if (!from || !to)
			throw new Error("the data of this page is corrupt");
		edge.line = 0.9 + 6 * this.share(edge.weight);
		edge.loop = from === to;
		edge.up = edge.loop || points[points.length - 1] < points[1];
		from.callees.push(edge);
		to.callers.push(edge);
		if (edge.loop)
			this.loopPath(edge);
		else
			this.curvePath(edge);
		return edge;
	}

	/* Make the path of an edge: straight within a layer, curved between layers, with an arrow head. */
	curvePath(edge) {
		const { points } = edge;
		const n = points.length;
		const head = 5 + 1.4 * edge.line;
		const way = edge.up ? -1 : 1;
		const xs = points.filter((_, i) => i % 2 === 0);
		const ys = points.filter((_, i) => i % 2 === 1);
		const path = edge.path = new Path2D();
		path.moveTo(xs[0], ys[0]);
		for (let i = 1; i < n / 2; i++) {
			const y = i === n / 2 - 1 ? ys[i] - way * head : ys[i];
			const middle = (ys[i - 1] + ys[i]) / 2;
			if (i % 2)
				path.lineTo(xs[i], y);
			else
				path.bezierCurveTo(xs[i - 1], middle, xs[i], middle, xs[i], ys[i]);
		}
		const x = xs[xs.length - 1], y = ys[ys.length - 1];
		edge.arrow = new Path2D();
		edge.arrow.moveTo(x, y);
		edge.arrow.lineTo(x - head * 0.42, y - way * head);
		edge.arrow.lineTo(x + head * 0.42, y - way * head);
		edge.arrow.closePath();
		const at = Math.min(2, xs.length - 1);
		edge.label = { x: (xs[at - 1] + xs[at]) / 2, y: (ys[at - 1] + ys[at]) / 2 };
		edge.box = { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
	}

	/* Make the path of a recursive call, at the right side of its box. */
	loopPath(edge) {
		const { x: left, y: top, width, height } = edge.from;
		const x = left + width, y = top + height / 2;
		edge.line = Math.min(edge.line, 3);
		edge.path = new Path2D();
		edge.path.moveTo(x, y - 9);
		edge.path.bezierCurveTo(x + 24, y - 20, x + 24, y + 16, x + 8, y + 9);
		edge.arrow = new Path2D(`M${x} ${y + 9}l9-4v8z`);
		edge.label = { x: x + 22, y };
		edge.box = { left: x, right: x + 26, top: y - 20, bottom: y + 20 };
	}

	/* Return the function with its direct and indirect callers and callees. */
	related(node) {
		const found = new Set([node]);
		for (const [edges, end] of [["callers", "from"], ["callees", "to"]]) {
			const open = [node];
			const met = new Set(open);
			while (open.length) {
				for (const edge of open.pop()[edges]) {
					if (!met.has(edge[end])) {
						met.add(edge[end]);
						found.add(edge[end]);
						open.push(edge[end]);
					}
				}
			}
		}
		return found;
	}
}

class GraphPainter {
	constructor(view) {
		this.view = view;
	}

	/* Return fill and text colour of a box: warmer for more self. */
	colors(node) {
		const { app, graph } = this.view;
		const warm = node.self && graph.hottest ? Math.sqrt(node.self / graph.hottest) : -1;
		const scale = app.dark ? SHARE_DARK : SHARE;
		const fill = warm < 0 ? app.theme.faded : along(scale, warm * 0.8);
		return [fill, textOn(fill)];
	}

	stripe(node) {
		return OKABE_ITO[(node.library + 4) % OKABE_ITO.length];
	}

	paint(ctx, width, height) {
		const { view } = this;
		const { graph, camera, app } = view;
		const style = getComputedStyle(document.documentElement);
		this.ink = { text: style.getPropertyValue("--text").trim(), soft: style.getPropertyValue("--soft").trim(),
			line: style.getPropertyValue("--line").trim(), up: style.getPropertyValue("--more").trim() };
		this.sight = { left: camera.x, top: camera.y, right: camera.x + width / camera.scale,
			bottom: camera.y + height / camera.scale };
		ctx.fillStyle = app.theme.canvas;
		ctx.fillRect(0, 0, width, height);
		ctx.save();
		ctx.scale(camera.scale, camera.scale);
		ctx.translate(-camera.x, -camera.y);
		for (let i = graph.edges.length - 1; i >= 0; i--)
			this.edge(ctx, graph.edges[i]);
		for (const node of graph.nodes)
			this.node(ctx, node);
		this.labels = [];
		for (const edge of graph.edges) /* heaviest first: labels must not overlap */
			this.label(ctx, edge);
		ctx.restore();
	}

	seen({ left, right, top, bottom }) {
		const { sight } = this;
		return right >= sight.left && left <= sight.right && bottom >= sight.top && top <= sight.bottom;
	}

	/* Is it an edge of the function under the pointer, else of the focused one? */
	strong(edge) {
		const { hover, focus } = this.view;
		const of = hover || focus;
		return of && (edge.from === of || edge.to === of);
	}

	alpha(edge) {
		const { view } = this;
		if (view.shown && !(view.shown.has(edge.from) && view.shown.has(edge.to)))
			return 0.05;
		if (view.hover || view.focus)
			return this.strong(edge) ? 1 : 0.18;
		return 0.45 + 0.55 * Math.sqrt(Math.min(1, view.graph.share(edge.weight)));
	}

	edge(ctx, edge) {
		if (!this.seen(edge.box))
			return;
		ctx.globalAlpha = this.alpha(edge);
		ctx.strokeStyle = ctx.fillStyle = edge.up ? this.ink.up : this.ink.soft;
		ctx.lineWidth = Math.max(edge.line, 0.8 / this.view.camera.scale);
		ctx.setLineDash(edge.direct ? [] : [6, 4]);
		ctx.stroke(edge.path);
		ctx.setLineDash([]);
		ctx.fill(edge.arrow);
		ctx.globalAlpha = 1;
	}

	node(ctx, node) {
		const { view } = this;
		const { x, y, width, height } = node;
		const { app, graph } = view;
		if (!this.seen({ left: x, right: x + width, top: y, bottom: y + height }))
			return;
		const hit = view.hits && view.hits.has(node);
		const [fill, text] = hit ? [app.theme.match, app.theme.matchText] : this.colors(node);
		ctx.globalAlpha = (view.shown && !view.shown.has(node)) || (view.hits && !hit) ? 0.22 : 1;
		ctx.fillStyle = app.theme.canvas;
		ctx.beginPath();
		ctx.roundRect(x, y, width, height, 5);
		ctx.fill();
		ctx.fillStyle = fill;
		ctx.fill();
		const chosen = node === view.focus || node === view.cursor || node === view.hover;
		ctx.strokeStyle = chosen ? app.theme.outline : this.ink.soft;
		ctx.lineWidth = (chosen ? 2.5 : 1) / Math.min(view.camera.scale, 1);
		ctx.stroke();
		if (graph.libraries.length > 1) {
			ctx.fillStyle = this.stripe(node);
			ctx.beginPath();
			ctx.roundRect(x, y, GRAPH_STRIPE, height, [5, 0, 0, 5]);
			ctx.fill();
		}
		this.texts(ctx, node, text);
		ctx.globalAlpha = 1;
	}

	texts(ctx, node, fill) {
		const { app, graph, camera } = this.view;
		const size = Math.round(12 + 7 * Math.sqrt(graph.share(node.total)));
		const middle = node.x + (node.width + GRAPH_STRIPE) / 2;
		const most = node.width - 2 * GRAPH_STRIPE;
		if (size * camera.scale < 3.5)
			return;
		ctx.fillStyle = fill;
		ctx.textAlign = "center";
		ctx.textBaseline = "alphabetic";
		ctx.font = `600 ${size}px ${app.theme.font}`;
		ctx.fillText(node.label, middle, node.y + 5.5 + size, most);
		if (11 * camera.scale < 4)
			return;
		const tall = node.height > size * 1.25 + 30;
		ctx.font = `11px ${app.theme.font}`;
		if (tall)
			ctx.fillText(visible(graph.libraries[node.library] || "", 38), middle, node.y + 20.5 + size, most);
		const self = node.self ? `${percentText(node.self, graph.all)} self \u00b7 ` : "";
		ctx.fillText(`${self}${percentText(node.total, graph.all)} total`, middle,
			node.y + (tall ? 35.5 : 20.5) + size, most);
	}

	/* Draw the share of a call: for calls of the focused function, and for heavy ones where it fits. */
	label(ctx, edge) {
		const { graph, camera, app, hover, focus } = this.view;
		const strong = this.strong(edge);
		if (!this.seen(edge.box) || camera.scale < 0.35 || (hover || focus ? !strong
			: graph.share(edge.weight) < 0.02 || camera.scale < 0.55))
			return;
		ctx.font = `${strong ? 12 : 10}px ${app.theme.font}`;
		ctx.textAlign = "center";
		ctx.textBaseline = "middle";
		ctx.lineWidth = 3;
		ctx.strokeStyle = app.theme.canvas;
		ctx.fillStyle = this.ink.text;
		const text = percentText(edge.weight, graph.all);
		const half = ctx.measureText(text).width / 2 + 2;
		if (this.labels.some(([x, y, other]) => Math.abs(y - edge.label.y) < 13 &&
			Math.abs(x - edge.label.x) < half + other))
			return;
		this.labels.push([edge.label.x, edge.label.y, half]);
		ctx.strokeText(text, edge.label.x, edge.label.y);
		ctx.fillText(text, edge.label.x, edge.label.y);
	}
}
