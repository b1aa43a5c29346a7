/*
 * The call graph: zoomed and moved with wheel, drag, pinch or keys. A click focuses on a function: all but its
 * callers and callees fade, and these are listed beside the graph.
 */
const GRAPH_CLOSEST = 4;
const GRAPH_READABLE = 0.9; /* smallest scale of a focused function, if it fits */

class GraphView {
	static id = "graph";
	static label = "Call graph";

	static offered(profile) {
		return Boolean(profile.payload.graph);
	}

	constructor(app, element) {
		this.app = app;
		this.graph = new CallGraph(app.profile.payload.graph);
		this.painter = new GraphPainter(this);
		this.camera = { x: 0, y: 0, scale: 1 };
		this.moved = false; /* by the user; else it is fitted to the window */
		this.focus = this.cursor = this.hover = this.shown = this.hits = null;
		this.matches = [];
		this.pointers = new Map();
		element.classList.add("graph");
		this.canvas = make("canvas", "graph-canvas");
		this.canvas.tabIndex = 0;
		this.canvas.setAttribute("role", "application");
		this.canvas.setAttribute("aria-label", "Call graph. Up and down follow the heaviest call, left and right " +
			"go to the function beside, Enter focuses on one, Escape shows all, plus and minus zoom.");
		this.field = make("div", "graph-field");
		this.buttons = make("div", "graph-buttons");
		for (const [text, title, run] of [["+", "Zoom in (+)", () => this.zoom(1.4)],
			["\u2212", "Zoom out (\u2212)", () => this.zoom(1 / 1.4)], ["Fit", "Whole graph (0)", () => this.fit()]]) {
			const button = make("button", "", text);
			button.title = title;
			button.addEventListener("click", run);
			this.buttons.append(button);
		}
		this.facts = make("p", "graph-facts soft", this.graph.facts.slice(1)
			.filter((fact) => !/ samples lost$| stacks truncated:/.test(fact)).join(" \u00b7 ")); /* shown as notes */
		this.facts.title = this.facts.textContent;
		this.facts.hidden = !this.facts.textContent;
		this.field.append(this.canvas, this.buttons);
		this.side = make("aside", "graph-side");
		this.side.hidden = true;
		const row = make("div", "graph-row");
		row.append(this.field, this.side);
		element.append(this.facts, row);
		this.listen();
	}

	listen() {
		const { canvas } = this;
		canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		canvas.addEventListener("pointerdown", (event) => this.down(event));
		canvas.addEventListener("pointermove", (event) => this.move(event));
		canvas.addEventListener("pointerup", (event) => this.up(event));
		canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
		canvas.addEventListener("pointerleave", () => this.point(null));
		new ResizeObserver(() => this.resized()).observe(this.field);
	}

	/* ---- drawing ---- */

	draw() {
		if (!this.frame)
			this.frame = requestAnimationFrame(() => this.drawNow());
	}

	drawNow() {
		const { clientWidth: width, clientHeight: height } = this.field;
		const ratio = this.app.ratio;
		cancelAnimationFrame(this.frame);
		this.frame = 0;
		if (!width || !height)
			return;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		const ctx = this.canvas.getContext("2d");
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.painter.paint(ctx, width, height);
	}

	resized() {
		if (!this.moved)
			this.fit();
		this.draw();
	}

	/* ---- visible part ---- */

	/* Return the camera that centres a rectangle of the graph in the window, scaled by at most `closest`. */
	cameraOf({ left, top, right, bottom }, closest) {
		const { clientWidth: width, clientHeight: height } = this.field;
		const scale = Math.min(closest, width / Math.max(right - left, 1), height / Math.max(bottom - top, 1));
		return { scale, x: (left + right - width / scale) / 2, y: (top + bottom - height / scale) / 2 };
	}

	whole() {
		return { left: -12, top: -12, right: this.graph.width + 12, bottom: this.graph.height + 12 };
	}

	fit() {
		if (!this.field.clientWidth)
			return;
		this.camera = this.cameraOf(this.whole(), 1.5);
		this.moved = false;
		this.draw();
		this.app.remember();
	}

	/* Show the function with its callers and callees; if they are far apart, only it in a readable size. */
	lookAt(node) {
		const around = [node, ...node.callers.map((edge) => edge.from), ...node.callees.map((edge) => edge.to)];
		const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
		for (const { x, y, width, height } of around) {
			box.left = Math.min(box.left, x - 20);
			box.top = Math.min(box.top, y - 20);
			box.right = Math.max(box.right, x + width + 20);
			box.bottom = Math.max(box.bottom, y + height + 20);
		}
		let camera = this.cameraOf(box, 1.2);
		if (camera.scale < GRAPH_READABLE) {
			const { clientWidth: width, clientHeight: height } = this.field;
			const scale = Math.max(camera.scale, Math.min(GRAPH_READABLE, width / (node.width + 40)));
			camera = { scale, x: node.x + (node.width - width / scale) / 2,
				y: node.y + (node.height - height / scale) / 2 };
		}
		this.camera = camera;
		this.moved = true;
		this.draw();
	}

	/* Zoom around a point of the window, which keeps its position. */
	zoom(factor, x = this.field.clientWidth / 2, y = this.field.clientHeight / 2) {
		const { camera } = this;
		const least = Math.min(this.cameraOf(this.whole(), 1).scale, 1) / 2;
		const scale = Math.min(Math.max(camera.scale * factor, least), GRAPH_CLOSEST);
		this.camera = { scale, x: camera.x + x / camera.scale - x / scale,
			y: camera.y + y / camera.scale - y / scale };
		this.moved = true;
		this.draw();
		this.app.remember();
	}

	pan(dx, dy) {
		this.camera.x += dx / this.camera.scale;
		this.camera.y += dy / this.camera.scale;
		this.moved = true;
		this.draw();
		this.app.remember();
	}

	/* ---- pointer ---- */

	at(x, y) {
		const { camera, graph } = this;
		const gx = camera.x + x / camera.scale, gy = camera.y + y / camera.scale;
		return graph.nodes.find((node) => gx >= node.x && gx <= node.x + node.width &&
			gy >= node.y && gy <= node.y + node.height) || null;
	}

	wheel(event) {
		event.preventDefault();
		if (event.shiftKey)
			this.pan(event.deltaY || event.deltaX, 0);
		else
			this.zoom(Math.exp(-Math.min(Math.max(event.deltaY, -200), 200) / 300), event.offsetX, event.offsetY);
	}

	down(event) {
		if (event.button !== 0)
			return;
		this.canvas.setPointerCapture(event.pointerId);
		this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
		this.dragged = this.pointers.size > 1;
	}

	move(event) {
		const { pointers } = this;
		const last = pointers.get(event.pointerId);
		const { offsetX: x, offsetY: y } = event;
		if (!last) {
			this.point(this.at(x, y), event);
			return;
		}
		if (!this.dragged && Math.hypot(x - last.x, y - last.y) < 4)
			return;
		this.dragged = true;
		this.point(null);
		if (pointers.size === 2) {
			const other = [...pointers.values()].find((one) => one !== last);
			const before = Math.hypot(last.x - other.x, last.y - other.y);
			if (before > 10)
				this.zoom(Math.hypot(x - other.x, y - other.y) / before, (x + other.x) / 2, (y + other.y) / 2);
		} else {
			this.pan(last.x - x, last.y - y);
		}
		last.x = x;
		last.y = y;
	}

	up(event) {
		const known = this.pointers.delete(event.pointerId);
		if (!known || this.dragged)
			return;
		this.choose(this.at(event.offsetX, event.offsetY));
	}

	point(node, event) {
		const { app } = this;
		if (node)
			app.tip.show(node.name, visible(this.graph.libraries[node.library] || ""), this.rows(node),
				event.clientX, event.clientY);
		else
			app.tip.hide();
		if (node !== this.hover) {
			this.hover = node;
			this.canvas.classList.toggle("link", Boolean(node));
			this.draw();
		}
	}

	/* ---- focus ---- */

	rows(node) {
		const { unit } = this.app.profile;
		const row = (what, weight, samples) => [what, weightText(weight, unit),
			percentText(weight, this.graph.all), plural(samples, "sample", "samples")];
		return [row("total", node.total, node.samples), row("self", node.self, node.selfSamples)];
	}

	/* Focus on a function; null: on none. */
	choose(node, quiet) {
		this.focus = this.cursor = node;
		this.hover = null;
		this.shown = node ? this.graph.related(node) : null;
		this.app.tip.hide();
		this.fillSide();
		this.describe(node);
		if (node && !quiet)
			this.lookAt(node);
		this.draw();
		this.app.remember();
	}

	describe(node) {
		const { app } = this;
		app.copied = node ? node.name : "";
		app.frame = node ? this.frameOf(node) : -1;
		byId("copy").disabled = !node;
		byId("detail-name").textContent = node ? node.name : "Click a function to focus on its callers and callees";
		byId("detail-name").classList.toggle("hint", !node);
		const facts = node ? this.rows(node).map(([what, amount, share, samples]) =>
			`${what} ${share} (${amount}, ${samples})`) : [];
		byId("detail-facts").textContent = facts.join(" \u00b7 ");
		if (node)
			app.say(`${node.name}, ${facts.join(", ")}, ${plural(node.callers.length, "caller", "callers")}, ` +
				plural(node.callees.length, "callee", "callees"));
	}

	/* Return the frame of the function in the profile, -1 if there is none. */
	frameOf(node) {
		const { profile } = this.app;
		const library = this.graph.libraries[node.library];
		for (let frame = 0; frame < profile.n; frame++) {
			if (profile.nameOf(frame) === node.name && (profile.objectOf(frame) || "[unknown]") === library)
				return frame;
		}
		return -1;
	}

	fillSide() {
		const { focus: node, side } = this;
		const changed = side.hidden !== !node;
		side.hidden = !node;
		if (node) {
			const head = make("div", "graph-side-head");
			const close = make("button", "", "\u00d7");
			close.title = "Show all (Esc)";
			close.setAttribute("aria-label", "Show all");
			close.addEventListener("click", () => this.leave());
			head.append(make("strong", "", node.name), close);
			side.replaceChildren(head, ...this.list("Callers", node.callers, "from"),
				...this.list("Callees", node.callees, "to"));
			side.scrollTop = 0;
		}
		if (changed)
			this.resized();
	}

	list(title, edges, end) {
		const list = make("ul");
		for (const edge of edges.slice().sort((a, b) => b.weight - a.weight)) {
			const item = make("li");
			const button = make("button");
			button.append(make("span", "graph-share", percentText(edge.weight, this.graph.all)),
				make("span", "graph-name", `${edge[end].name}${edge.direct ? "" : " (via others)"}`));
			button.title = edge[end].name;
			button.addEventListener("click", () => this.choose(edge[end]));
			item.append(button);
			list.append(item);
		}
		const head = make("h2", "", `${title} (${edges.length})`);
		return edges.length ? [head, list] : [head, make("p", "soft", "none shown")];
	}

	leave() {
		this.choose(null);
		this.fit();
		this.canvas.focus();
	}

	/* ---- keys ---- */

	key(event) {
		const steps = { ArrowUp: () => this.along("callers", "from"), ArrowDown: () => this.along("callees", "to"),
			ArrowLeft: () => this.beside(-1), ArrowRight: () => this.beside(1),
			Enter: () => this.choose(this.cursor), Escape: () => this.leave(), 0: () => this.leave(),
			"+": () => this.zoom(1.4), "=": () => this.zoom(1.4), "-": () => this.zoom(1 / 1.4),
			n: () => this.match(1), N: () => this.match(-1) };
		if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(steps, event.key))
			return false;
		if (event.key === "Enter" && event.target.tagName === "BUTTON")
			return false;
		steps[event.key]();
		return true;
	}

	go(node) {
		this.cursor = node;
		this.describe(node);
		const { camera, field } = this;
		const x = (node.x - camera.x) * camera.scale, y = (node.y - camera.y) * camera.scale;
		if (x < 0 || y < 0 || x + node.width * camera.scale > field.clientWidth ||
		    y + node.height * camera.scale > field.clientHeight) {
			camera.x = node.x + node.width / 2 - field.clientWidth / camera.scale / 2;
			camera.y = node.y + node.height / 2 - field.clientHeight / camera.scale / 2;
			this.moved = true;
		}
		this.draw();
	}

	along(edges, end) {
		const from = this.cursor || this.graph.nodes[0];
		if (!from)
			return;
		const next = from[edges].filter((edge) => !edge.loop).sort((a, b) => b.weight - a.weight)[0];
		this.go(!this.cursor || !next ? from : next[end]);
	}

	beside(by) {
		const from = this.cursor || this.graph.nodes[0];
		if (!from)
			return;
		const row = this.graph.nodes.filter((node) => Math.abs(node.y + node.height / 2 - from.y - from.height / 2) < 8)
			.sort((a, b) => a.x - b.x);
		this.go(row[row.indexOf(from) + by] || from);
	}

	match(by) {
		const { matches } = this;
		if (!matches.length)
			return;
		const at = matches.indexOf(this.cursor);
		const next = matches[(at < 0 && by < 0 ? matches.length - 1 : at + by + matches.length) % matches.length];
		if (this.camera.scale < 0.5)
			this.camera.scale = 0.8;
		this.camera.x = next.x + next.width / 2 - this.field.clientWidth / this.camera.scale / 2;
		this.camera.y = next.y + next.height / 2 - this.field.clientHeight / this.camera.scale / 2;
		this.moved = true;
		this.go(next);
	}

	/* ---- the rest of a view ---- */

	updateMatches() {
		const { search } = this.app;
		this.matches = search.text && !search.error
			? this.graph.nodes.filter((node) => search.test(node.name)).sort((a, b) => b.total - a.total) : [];
		this.hits = search.text && !search.error ? new Set(this.matches) : null;
		this.draw();
	}

	show() {
		this.app.zoomChanged(null);
		this.updateMatches();
		this.describe(this.cursor);
		this.resized();
	}

	hide() {
		this.app.tip.hide();
	}

	reset() {
		this.leave();
	}

	state() {
		const { camera } = this;
		const state = {};
		if (this.focus)
			state.fn = this.focus.name;
		if (this.moved)
			state.at = [camera.x, camera.y, camera.scale * 1000].map(Math.round).join(",");
		return state;
	}

	restore(state) {
		const node = this.graph.nodes.find((one) => one.name === state.fn) || null;
		const at = /^(-?\d{1,7}),(-?\d{1,7}),(\d{1,4})$/.exec(state.at || "");
		this.choose(node, Boolean(at) || !node);
		if (at && Number(at[3])) {
			this.camera = { x: Number(at[1]), y: Number(at[2]), scale: Number(at[3]) / 1000 };
			this.moved = true;
		} else if (!node) {
			this.fit();
		}
		this.draw();
	}

	changed(what) {
		if (what === "search")
			this.updateMatches();
		else if (what === "print")
			this.drawNow();
		else
			this.draw();
	}

	status() {
		if (!this.hits)
			return "";
		const self = this.matches.reduce((sum, node) => sum + node.self, 0);
		return this.matches.length ? `${percentText(self, this.graph.all)} self in ` +
			plural(this.matches.length, "function", "functions") : "no match";
	}

	pane() {
		return null;
	}

	panes() {
		return [];
	}

	legend() {
		const { graph, painter } = this;
		const entries = graph.libraries.length > 1 ? graph.libraries.slice(0, OKABE_ITO.length).map((name, library) =>
			[painter.stripe({ library }), visible(name, 40)]) : [];
		return [...entries, [along(this.app.dark ? SHARE_DARK : SHARE, 0.6), "warmer: more self"]];
	}

	/* For tests: web/README.md. */
	told() {
		this.drawNow();
		const { camera, graph } = this;
		return { focus: this.focus ? this.focus.name : "", scale: camera.scale, cursor: this.cursor ? this.cursor.name : "",
			matches: this.matches.map((node) => node.name),
			nodes: graph.nodes.map((node) => ({ name: node.name, self: node.self, total: node.total,
				shown: !this.shown || this.shown.has(node), x: (node.x - camera.x) * camera.scale,
				y: (node.y - camera.y) * camera.scale, width: node.width * camera.scale,
				height: node.height * camera.scale })),
			edges: graph.edges.map((edge) => [edge.from.name, edge.to.name, edge.weight]) };
	}
}

App.views.unshift(GraphView);
