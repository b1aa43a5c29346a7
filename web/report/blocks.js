/*
 * The series of the page, decoded when they are shown. The payload has the position of each instance's segment in
 * the text of its group's element (web/README.md). Decoded segments are cached up to a number of values.
 */
const VALUES_KEPT = 24e6;
const SHORT_DATA = "the data of this page is truncated";

/* Reads numbers from the bytes of a segment. */
class SegmentReader {
	constructor(bytes) {
		this.bytes = bytes;
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		this.at = 0;
	}

	byte() {
		if (this.at >= this.bytes.length)
			throw new Error(SHORT_DATA);
		return this.bytes[this.at++];
	}

	/* Read an unsigned LEB128 number, which may exceed the 32 bits of shifts. */
	varint() {
		let byte = this.byte();
		let value = byte & 127;
		for (let scale = 128; byte & 128; scale *= 128) {
			byte = this.byte();
			value += (byte & 127) * scale;
		}
		return value;
	}

	zigzag() {
		return SegmentReader.signed(this.varint());
	}

	static signed(n) {
		return n % 2 ? -(n + 1) / 2 : n / 2;
	}

	double() {
		if (this.at + 8 > this.bytes.length)
			throw new Error(SHORT_DATA);
		this.at += 8;
		return this.view.getFloat64(this.at - 8, true);
	}

	/* Read a column of n values; NaN: missing. */
	column(n, digits) {
		const values = new Float64Array(n);
		const mode = this.byte();
		if (mode === 0) {
			values.fill(NaN);
		} else if (mode === 1) {
			values.fill(this.double());
		} else if (mode === 2 || mode === 4) {
			const scale = 10 ** (mode === 4 ? this.byte() : digits);
			let q = 0;
			for (let i = 0; i < n; i++) {
				const coded = this.varint();
				q += coded ? SegmentReader.signed(coded - 1) : 0;
				values[i] = coded ? q / scale : NaN;
			}
		} else if (mode === 3) {
			for (let i = 0; i < n; i++)
				values[i] = this.double();
		} else {
			throw new Error("a column of this page has an unknown form");
		}
		return values;
	}
}

class Blocks {
	constructor(series, loaded) {
		this.series = series || [];
		this.loaded = loaded; /* promise: the whole page has been read */
		this.axes = new Map();
		this.kept = new Map(); /* "group/instance" -> promise of columns, oldest use first */
		this.values = 0;
	}

	/* Return a promise of the bytes of a segment [offset, length] of a group's block. */
	async segment(group, [offset, length]) {
		let element = byId(`block-${group}`);
		if (!element || !element.nextSibling) {
			await this.loaded;
			element = byId(`block-${group}`);
		}
		if (!element)
			throw new Error(`there is no block ${group}`);
		const { firstChild } = element;
		const text = element.childNodes.length === 1 ? firstChild.data : element.textContent;
		if (offset + length > text.length)
			throw new Error(SHORT_DATA);
		return inflate(bytesOfBase64(text.slice(offset, offset + length)));
	}

	/* Return a promise of the intervals of a group, {n, end, length} in ms. */
	axis(group) {
		if (!this.axes.has(group))
			this.axes.set(group, this.readAxis(group));
		return this.axes.get(group);
	}

	async readAxis(group) {
		const from = new SegmentReader(await this.segment(group, this.series[group].axis));
		const n = from.varint();
		if (n > from.bytes.length)
			throw new Error(SHORT_DATA);
		const end = new Float64Array(n);
		const length = new Float64Array(n);
		for (let i = 0, at = 0; i < n; i++)
			end[i] = at += from.zigzag();
		for (let i = 0; i < n;) {
			const ms = from.varint();
			const count = Math.min(from.varint(), n - i);
			if (!count)
				throw new Error(SHORT_DATA);
			length.fill(ms, i, i += count);
		}
		return { n, end, length };
	}

	/*
	 * A promise of the columns of an instance, as many as the group has: null (words) or {mean, min, max},
	 * with n values each from interval `first` of the axis on. Without reduction all three are the same.
	 */
	instance(group, at) {
		const key = `${group}/${at}`;
		const { n } = this.series[group].instances[at];
		const found = this.kept.get(key) || this.readInstance(group, at);
		if (!this.kept.delete(key))
			this.values += n * this.series[group].columns.length;
		this.kept.set(key, found);
		for (const [old] of this.kept) {
			if (this.values <= VALUES_KEPT || old === key)
				break;
			const [g, i] = old.split("/").map(Number);
			this.values -= this.series[g].instances[i].n * this.series[g].columns.length;
			this.kept.delete(old);
		}
		return found;
	}

	async readInstance(group, at) {
		const { columns, instances, reduced_s: reduced } = this.series[group];
		const from = new SegmentReader(await this.segment(group, instances[at].at));
		const { n } = instances[at];
		return columns.map(({ kind, digits }) => {
			if (kind === "text")
				return null;
			const first = from.column(n, digits);
			return reduced ? { min: first, mean: from.column(n, digits), max: from.column(n, digits) }
				: { min: first, mean: first, max: first };
		});
	}
}
