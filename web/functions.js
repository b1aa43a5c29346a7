/*
 * Self and total weight of each function, and its callers. A function is a name in a library, inlined or not.
 * Recursion counts once: only the outermost frame of a function on a stack is used.
 */
class Functions {
	constructor(profile, tree, weights) {
		this.profile = profile;
		this.tree = tree;
		this.weights = weights;
		this.number();
		this.outer = this.outermost();
		this.sums = this.add(weights);
		this.baseSums = weights.base ? this.add(weights.base) : null;
	}

	/* Number the functions: of[frame] is its function, frame[function] a frame of it, if possible not inlined. */
	number() {
		const { profile } = this;
		const known = new Map();
		this.of = new Uint32Array(profile.n);
		this.frame = [];
		for (let i = 0; i < profile.n; i++) {
			const key = profile.name[i] * profile.strings.length + profile.object[i];
			let at = known.get(key);
			if (at === undefined) {
				at = this.frame.length;
				known.set(key, at);
				this.frame.push(i);
			} else if (profile.inlined[this.frame[at]]) {
				this.frame[at] = i;
			}
			this.of[i] = at;
		}
		this.n = this.frame.length;
	}

	/* Return 1 for each node whose function is not among its callers. */
	outermost() {
		const { tree, of } = this;
		const open = new Uint32Array(this.n);
		const path = [];
		const outer = new Uint8Array(tree.n);
		for (let i = 0; i < tree.n; i++) {
			while (path.length > tree.depth[i])
				open[path.pop()]--;
			const at = of[tree.frame[i]];
			outer[i] = open[at] ? 0 : 1;
			open[at]++;
			path.push(at);
		}
		return outer;
	}

	add(weights) {
		const { tree, of, outer } = this;
		const self = new Float64Array(this.n);
		const total = new Float64Array(this.n);
		for (let i = 0; i < tree.n; i++) {
			const at = of[tree.frame[i]];
			self[at] += weights.self[i];
			if (outer[i])
				total[at] += weights.total[i];
		}
		return { self, total };
	}

	/* Return the functions with a weight, without groups. */
	rows() {
		const { profile, sums, baseSums } = this;
		const rows = [];
		for (let at = 0; at < this.n; at++) {
			const weight = sums.total[at] + (baseSums ? baseSums.total[at] : 0);
			if (weight > 0 && profile.kind[this.frame[at]] !== KIND.group)
				rows.push(at);
		}
		return rows;
	}

	places(fn) {
		const { tree, of, outer } = this;
		const nodes = [];
		for (let i = 0; i < tree.n; i++) {
			if (outer[i] && of[tree.frame[i]] === fn)
				nodes.push(i);
		}
		return nodes;
	}

	/* Return the tree of callers: the function is the root, its callers are its children. */
	callers(fn) {
		const { tree } = this;
		const build = new TreeBuilder();
		const nodes = this.places(fn);
		const place = nodes.map((node) => {
			let at = build.child(-1, this.frame[fn]);
			for (let up = tree.parent[node]; up >= 0; up = tree.parent[up])
				at = build.child(at, tree.frame[up]);
			return at;
		});
		return build.finish(this.profile, nodes, place, this.weights, (w) => w.total, (w) => w.counts);
	}

	callees(fn) {
		const { tree } = this;
		const build = new TreeBuilder();
		const nodes = [];
		const place = [];
		const path = []; /* node of the builder at each depth */
		for (const node of this.places(fn)) {
			const end = tree.after(node);
			for (let i = node; i < end; i++) {
				const depth = tree.depth[i];
				path[depth] = i === node ? build.child(-1, this.frame[fn])
					: build.child(path[depth - 1], tree.frame[i]);
				nodes.push(i);
				place.push(path[depth]);
			}
		}
		return build.finish(this.profile, nodes, place, this.weights);
	}
}
