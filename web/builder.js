/*
 * Trees made in the page: merged groups, callers, callees. Nodes are found by (parent, frame) in a table
 * with open addressing: a Map of a million keys takes five times as long.
 */
class TreeBuilder {
	constructor() {
		this.n = 0;
		this.parent = new Int32Array(1024);
		this.frame = new Uint32Array(1024);
		this.slots = new Int32Array(4096).fill(-1);
	}

	/* Return the child of a node (-1: the root) with a frame, adding it if missing. */
	child(parent, frame) {
		const mask = this.slots.length - 1;
		let slot = (Math.imul(parent + 1, 0x9e3779b1) ^ Math.imul(frame + 1, 0x85ebca6b)) >>> 0;
		slot = (slot ^ (slot >>> 15)) & mask;
		for (;;) {
			const at = this.slots[slot];
			if (at < 0)
				break;
			if (this.parent[at] === parent && this.frame[at] === frame)
				return at;
			slot = (slot + 1) & mask;
		}
		if (this.n === this.parent.length)
			this.grow();
		this.parent[this.n] = parent;
		this.frame[this.n] = frame;
		this.slots[slot] = this.n;
		if (2 * ++this.n > this.slots.length)
			this.rehash();
		return this.n - 1;
	}

	grow() {
		const parent = new Int32Array(2 * this.n);
		const frame = new Uint32Array(2 * this.n);
		parent.set(this.parent);
		frame.set(this.frame);
		this.parent = parent;
		this.frame = frame;
	}

	rehash() {
		const n = this.n;
		this.slots = new Int32Array(2 * this.slots.length).fill(-1);
		this.n = 0;
		const { parent, frame } = this;
		for (let i = 0; i < n; i++)
			this.child(parent[i], frame[i]);
	}

	/* Return {tree, order}: the tree in preorder, siblings by frame, and the new index of each node. */
	sorted() {
		const { n } = this;
		const by = new Uint32Array(n);
		for (let i = 0; i < n; i++)
			by[i] = i;
		by.sort((a, b) => this.parent[a] - this.parent[b] || this.frame[a] - this.frame[b]);
		const first = new Int32Array(n + 2);
		for (let i = 0; i < n; i++)
			first[this.parent[i] + 2]++;
		for (let i = 1; i < first.length; i++)
			first[i] += first[i - 1];
		const tree = new Tree(n);
		const order = new Int32Array(n);
		const stack = [];
		const push = (node) => {
			for (let k = first[node + 2] - 1; k >= first[node + 1]; k--)
				stack.push(by[k]);
		};
		push(-1);
		for (let at = 0; stack.length; at++) {
			const old = stack.pop();
			order[old] = at;
			tree.frame[at] = this.frame[old];
			const up = this.parent[old];
			tree.parent[at] = up < 0 ? -1 : order[up];
			tree.depth[at] = up < 0 ? 0 : tree.depth[order[up]] + 1;
			push(old);
		}
		return { tree, order };
	}

	/*
	 * Return the tree with weights from another one: the self weight of its nodes[i] is added to node place[i] of
	 * the builder (-1: to none). by, count: the weights and sample counts to add, default self.
	 */
	finish(profile, nodes, place, weights, by = (w) => w.self, count = (w) => w.selfCounts) {
		const { tree, order } = this.sorted();
		const gather = (from) => {
			const to = new Float64Array(tree.n);
			for (let i = 0; i < nodes.length; i++) {
				if (place[i] >= 0)
					to[order[place[i]]] += from[nodes[i]];
			}
			return to;
		};
		const make = (w, base) => new Weights(profile, tree, gather(by(w)),
			w.counts ? gather(count(w)) : null, base);
		return { tree, weights: make(weights, weights.base && make(weights.base, null)) };
	}
}
