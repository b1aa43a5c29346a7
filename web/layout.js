/*
 * The position of each frame: it starts at x[node] and is width[node] wide, in units of weight. `rows` has the nodes
 * of each depth from left to right, without those of weight 0, for binary search of the visible ones; left and wide
 * are x and width in that order, because drawing reads neighbours.
 */
class Layout {
	constructor(tree, width, order) {
		this.tree = tree;
		this.width = width;
		this.x = new Float64Array(tree.n);
		this.all = Weights.sum(tree, width);
		if (order === "weight")
			this.byWeight();
		else
			this.byName();
		this.depths = this.start.length - 1;
		this.left = new Float64Array(this.rows.length);
		this.wide = new Float64Array(this.rows.length);
		for (let at = 0; at < this.rows.length; at++) {
			this.left[at] = this.x[this.rows[at]];
			this.wide[at] = width[this.rows[at]];
		}
	}

	/* Place frames by name: the order of the tree. */
	byName() {
		const { tree, width, x } = this;
		const next = new Float64Array(tree.n + 1);
		const counts = [];
		for (let i = 0; i < tree.n; i++) {
			const up = tree.parent[i] + 1;
			x[i] = next[i + 1] = next[up];
			next[up] += width[i];
			if (width[i] > 0)
				counts[tree.depth[i]] = (counts[tree.depth[i]] || 0) + 1;
		}
		this.makeRows(counts);
		const fill = this.start.slice();
		for (let i = 0; i < tree.n; i++) {
			if (width[i] > 0)
				this.rows[fill[tree.depth[i]]++] = i;
		}
	}

	makeRows(counts) {
		this.start = new Uint32Array(counts.length + 1);
		for (let d = 0; d < counts.length; d++)
			this.start[d + 1] = this.start[d] + counts[d];
		this.rows = new Uint32Array(this.start[counts.length]);
	}

	/* Place frames row by row, the heaviest child of each frame first. */
	byWeight() {
		const { tree, width, x } = this;
		const { first, kids } = Layout.families(tree);
		const rows = [];
		const counts = [];
		const add = (parent, from) => {
			const family = kids.subarray(first[parent + 1], first[parent + 2]);
			if (family.length > 1)
				family.sort((a, b) => width[b] - width[a] || a - b);
			for (const kid of family) {
				if (!(width[kid] > 0))
					break;
				x[kid] = from;
				from += width[kid];
				rows.push(kid);
			}
		};
		add(-1, 0);
		for (let at = 0; at < rows.length;) {
			const end = rows.length;
			counts.push(end - at);
			for (; at < end; at++)
				add(rows[at], x[rows[at]]);
		}
		this.makeRows(counts);
		this.rows.set(rows);
	}

	/* Return the children of each node (-1: the root) as slices of one array. */
	static families(tree) {
		const first = new Uint32Array(tree.n + 2);
		for (let i = 0; i < tree.n; i++)
			first[tree.parent[i] + 2]++;
		for (let i = 1; i < first.length; i++)
			first[i] += first[i - 1];
		const fill = first.slice();
		const kids = new Uint32Array(tree.n);
		for (let i = 0; i < tree.n; i++)
			kids[fill[tree.parent[i] + 1]++] = i;
		return { first, kids };
	}

	/* Return the first index in [place, end) of `rows` whose node starts at x or right of it, by binary search. */
	startingAt(place, end, x) {
		while (place < end) {
			const middle = (place + end) >>> 1;
			if (this.left[middle] < x)
				place = middle + 1;
			else
				end = middle;
		}
		return place;
	}

	/* As startingAt(), by exponential search, for an x that is near. */
	leap(place, end, x) {
		const { left } = this;
		for (const near = Math.min(place + 8, end); place < near; place++) {
			if (left[place] >= x)
				return place;
		}
		for (let step = 8; place + step < end; step *= 2) {
			if (left[place + step] >= x)
				return this.startingAt(place, place + step, x);
			place += step;
		}
		return this.startingAt(place, end, x);
	}

	/* Return the first index of a row whose node ends right of x. */
	reaching(depth, x) {
		const end = this.start[depth + 1];
		const at = this.startingAt(this.start[depth], end, x);
		return at > this.start[depth] && this.left[at - 1] + this.wide[at - 1] > x ? at - 1 : at;
	}

	/* Return the node of a depth at x, -1 if there is none. */
	find(depth, x) {
		if (!(depth >= 0 && depth < this.depths))
			return -1;
		const at = this.reaching(depth, x);
		if (at === this.start[depth + 1])
			return -1;
		const node = this.rows[at];
		return this.x[node] <= x ? node : -1;
	}

	/* Return the index of a node in `rows`. */
	placeOf(node) {
		const depth = this.tree.depth[node];
		let at = this.startingAt(this.start[depth], this.start[depth + 1], this.x[node]);
		while (this.rows[at] !== node && at < this.start[depth + 1])
			at++;
		return at;
	}

	/* Return the next (by = 1) or previous (-1) node of the row, -1 if there is none. */
	beside(node, by) {
		const depth = this.tree.depth[node];
		const at = this.placeOf(node) + by;
		return at >= this.start[depth] && at < this.start[depth + 1] ? this.rows[at] : -1;
	}

	/* Return the widest child, -1 if there is none. */
	widest(node) {
		const depth = node < 0 ? 0 : this.tree.depth[node] + 1;
		if (depth >= this.depths)
			return -1;
		const from = node < 0 ? 0 : this.x[node];
		const to = node < 0 ? this.all : from + this.width[node];
		let best = -1;
		for (let at = this.startingAt(this.start[depth], this.start[depth + 1], from);
			at < this.start[depth + 1]; at++) {
			const kid = this.rows[at];
			if (this.x[kid] >= to)
				break;
			if (this.tree.parent[kid] === node && (best < 0 || this.width[kid] > this.width[best]))
				best = kid;
		}
		return best;
	}
}
