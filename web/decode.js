/*
 * The payload "pipa.view/1" (src/export/view.h) as arrays of numbers.
 *
 * Trees are in preorder, siblings by name, without their root. Weights may exceed 2^53: doubles are exact enough
 * for display.
 */

const KIND = { user: 0, kernel: 1, jit: 2, group: 3, nameless: 4 };
const INLINED = 8;

function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text);
	const bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Return a promise of the decompressed bytes of a column, or of null. */
async function columnOf(from, name) {
	if (typeof from[name] !== "string")
		return null;
	const bytes = bytesOfBase64(from[name]);
	return (from.deflate || []).includes(name) ? inflate(bytes) : bytes;
}

/* Decode all numbers of a column: unsigned LEB128. */
function numbersOf(bytes) {
	const numbers = new Float64Array(bytes.length);
	let n = 0;
	for (let at = 0; at < bytes.length; n++) {
		let byte = bytes[at++];
		let value = byte & 127;
		for (let scale = 128; byte & 128; scale *= 128) {
			if (at === bytes.length)
				throw new Error("the data of this page is truncated");
			byte = bytes[at++];
			value += (byte & 127) * scale;
		}
		numbers[n] = value;
	}
	return numbers.subarray(0, n);
}

/* Decode rows of `width` numbers, preceded by their count. */
function rowsOf(bytes, width) {
	const numbers = numbersOf(bytes);
	if (!numbers.length || numbers[0] * width !== numbers.length - 1)
		throw new Error("the data of this page is truncated");
	return numbers.subarray(1);
}

class Tree {
	constructor(n) {
		this.n = n;
		this.parent = new Int32Array(n);
		this.frame = new Uint32Array(n);
		this.depth = new Uint32Array(n);
	}

	/* Return the nodes from the outermost one to this node. */
	path(node) {
		const path = [];
		for (let at = node; at >= 0; at = this.parent[at])
			path.push(at);
		return path.reverse();
	}

	/* Return the first node after the subtree of this one. */
	after(node) {
		let at = node + 1;
		while (at < this.n && this.depth[at] > this.depth[node])
			at++;
		return at;
	}
}

/*
 * Self and total weight of each node of a tree. counts: number of samples of self; null if it is the weight divided
 * by the period of the profile. base: Weights of the baseline.
 */
class Weights {
	constructor(profile, tree, self, counts, base) {
		this.self = self;
		this.total = Weights.sums(tree, self);
		this.all = Weights.sum(tree, this.total);
		this.period = counts ? 0 : profile.period;
		this.average = profile.samples ? this.all / profile.samples : 0; /* of a sample */
		this.counts = counts ? Weights.sums(tree, counts) : null;
		this.selfCounts = counts;
		this.base = base || null;
		this.compare(false);
	}

	/*
	 * Set the factor of the base's weights: for shares both totals become equal, for absolute values it is 1. slack
	 * makes changes of a few samples pale.
	 */
	compare(absolute) {
		const { base } = this;
		this.absolute = absolute;
		this.scale = 1;
		this.slack = 0;
		if (!base)
			return;
		if (!absolute && this.all > 0 && base.all > 0)
			this.scale = this.all / base.all;
		this.slack = this.average ? 4 * this.average : 0;
	}

	/* Return the change of a node, from -1 (gone) to 1 (new). */
	change(node) {
		const now = this.total[node];
		const then = this.base.total[node] * this.scale;
		return now || then ? (now - then) / (now + then + this.slack) : 0;
	}

	/* Return the widths of nodes: the weights, in a comparison of one side or the mean ("both"). */
	widths(mode) {
		const { base, total, scale } = this;
		if (!base || mode === "now")
			return total;
		if (mode === "base")
			return base.total;
		return total.map((now, node) => (now + base.total[node] * scale) / 2);
	}

	static sums(tree, self) {
		const total = Float64Array.from(self);
		for (let i = tree.n - 1; i >= 0; i--) {
			if (tree.parent[i] >= 0)
				total[tree.parent[i]] += total[i];
		}
		return total;
	}

	static sum(tree, total) {
		let all = 0;
		for (let i = 0; i < tree.n; i++) {
			if (tree.parent[i] < 0)
				all += total[i];
		}
		return all;
	}

	/* Return the samples of a node, -1 if unknown. */
	samples(node) {
		if (this.counts)
			return this.counts[node];
		return this.period ? Math.round(this.total[node] / this.period) : -1;
	}

	selfSamples(node) {
		if (this.counts)
			return this.selfCounts[node];
		return this.period ? Math.round(this.self[node] / this.period) : -1;
	}
}

class Profile {
	/* Decode a payload. Returns a promise of the profile. */
	static async of(payload) {
		if (payload.schema !== "pipa.view/1")
			throw new Error(`unknown schema ${payload.schema}`);
		const columns = {};
		for (const name of ["frames", "tree", "counts", "base_self", "base_counts"])
			columns[name] = await columnOf(payload, name);
		if (payload.timeline)
			columns.times = await columnOf(payload.timeline, "samples");
		return new Profile(payload, columns);
	}

	constructor(payload, columns) {
		this.payload = payload;
		this.times = columns.times; /* bytes, see Timeline */
		this.strings = payload.strings;
		this.unit = payload.unit || "";
		this.period = payload.period || 0;
		this.samples = payload.samples;
		this.readFrames(rowsOf(columns.frames, 3));
		this.readTree(rowsOf(columns.tree, 3));

		const counts = columns.counts ? this.column(columns.counts) : null;
		let base = null;
		if (columns.base_self) {
			base = new Weights(this, this.tree, this.column(columns.base_self),
				columns.base_counts ? this.column(columns.base_counts) : null);
		}
		if (base && !columns.base_counts)
			base.period = 0;
		this.weights = new Weights(this, this.tree, this.self, counts, base);
	}

	readFrames(rows) {
		const n = this.n = rows.length / 3;
		const texts = this.strings.length;
		this.name = new Uint32Array(n);
		this.object = new Uint32Array(n);
		this.kind = new Uint8Array(n);
		this.inlined = new Uint8Array(n);
		for (let i = 0, at = 0; i < n; i++, at += 3) {
			if (rows[at] >= texts || rows[at + 1] >= texts)
				throw new Error("the data of this page is corrupt");
			this.name[i] = rows[at];
			this.object[i] = rows[at + 1];
			this.kind[i] = rows[at + 2] & (INLINED - 1);
			this.inlined[i] = rows[at + 2] & INLINED ? 1 : 0;
		}
	}

	readTree(rows) {
		const n = rows.length / 3;
		const tree = this.tree = new Tree(n);
		const self = this.self = new Float64Array(n);
		const path = [];
		let depth = -1;
		for (let i = 0, at = 0; i < n; i++, at += 3) {
			depth += 1 - rows[at];
			if (!(depth >= 0 && rows[at + 1] < this.n))
				throw new Error("the data of this page is corrupt");
			tree.frame[i] = rows[at + 1];
			self[i] = rows[at + 2];
			tree.depth[i] = depth;
			tree.parent[i] = depth ? path[depth - 1] : -1;
			path[depth] = i;
		}
	}

	/* Decode a column with a number per node. */
	column(bytes) {
		const numbers = numbersOf(bytes);
		if (numbers.length !== this.tree.n)
			throw new Error("the data of this page is corrupt");
		return numbers;
	}

	nameOf(frame) {
		return this.strings[this.name[frame]];
	}

	objectOf(frame) {
		return this.strings[this.object[frame]];
	}

	/* Return tree and weights without the frames of groups, whose children are merged. */
	merged() {
		const build = new TreeBuilder();
		const { tree } = this;
		const place = new Int32Array(tree.n);
		const all = new Uint32Array(tree.n);
		for (let i = 0; i < tree.n; i++) {
			const above = tree.parent[i] < 0 ? -1 : place[tree.parent[i]];
			const group = this.kind[tree.frame[i]] === KIND.group;
			place[i] = group ? above : build.child(above, tree.frame[i]);
			all[i] = i;
		}
		return build.finish(this, all, place, this.weights);
	}
}
