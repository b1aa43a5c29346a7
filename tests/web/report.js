/*
 * Reports for tests, made here and not by pipa: payloads "pipa.report/1" and the blocks of their series
 * (web/README.md). A group is {section, columns, instances: [{name, values: [column][interval]}], ...}.
 */
"use strict";

const zlib = require("node:zlib");
const { embedded, fill, payloadOf } = require("./payload.js");

const BEGIN = Date.UTC(2026, 0, 15, 12, 0, 0);

const zigzag = (n) => (n < 0 ? -2 * n - 1 : 2 * n);

function varint(bytes, n) {
	while (n >= 128) {
		bytes.push(n % 128 + 128);
		n = Math.floor(n / 128);
	}
	bytes.push(n);
}

function pack(bytes) {
	return zlib.deflateRawSync(Buffer.from(bytes)).toString("base64");
}

function double(bytes, value) {
	const raw = Buffer.alloc(8);
	raw.writeDoubleLE(value);
	bytes.push(...raw);
}

/* Interval ends and lengths in ms. */
function axisOf(ends, lengths) {
	const bytes = [];
	varint(bytes, ends.length);
	ends.forEach((end, i) => varint(bytes, zigzag(end - (i ? ends[i - 1] : 0))));
	for (let i = 0; i < lengths.length;) {
		let n = 1;
		while (lengths[i + n] === lengths[i])
			n++;
		varint(bytes, lengths[i]);
		varint(bytes, n);
		i += n;
	}
	return pack(bytes);
}

/* A column in the shortest form that holds it. */
function columnOf(bytes, values, digits) {
	const known = values.filter((value) => !Number.isNaN(value));
	if (!known.length) {
		bytes.push(0);
	} else if (known.length === values.length && known.every((value) => value === known[0])) {
		bytes.push(1);
		double(bytes, known[0]);
	} else if (known.every((value) => Math.abs(value) < 1e9)) {
		bytes.push(2);
		let q = 0;
		for (const value of values) {
			if (Number.isNaN(value)) {
				varint(bytes, 0);
				continue;
			}
			const now = Math.round(value * 10 ** digits);
			varint(bytes, 1 + zigzag(now - q));
			q = now;
		}
	} else {
		bytes.push(3);
		for (const value of values)
			double(bytes, value);
	}
}

/* Values of runs of `per` intervals: [min, mean, max]. */
function reduce(values, per) {
	const parts = [[], [], []];
	for (let i = 0; i < values.length; i += per) {
		const run = values.slice(i, i + per).filter((value) => !Number.isNaN(value));
		parts[0].push(run.length ? Math.min(...run) : NaN);
		parts[1].push(run.length ? run.reduce((a, b) => a + b) / run.length : NaN);
		parts[2].push(run.length ? Math.max(...run) : NaN);
	}
	return parts;
}

/*
 * The entry of "series" and the block of a group; per: intervals that are reduced to one; extents: values of a column
 * are [min, mean, max], reduced already.
 */
function groupOf({ section, title = section, label = null, source = "archive", columns, instances, ends, step = 1000,
	per = 1, extents = false, evidence = false }) {
	let block = "";
	const put = (text) => {
		const at = [block.length, text.length];
		block += text;
		return at;
	};
	const lengths = ends.map(() => step);
	let axis = [ends, lengths];
	if (per > 1) {
		const last = ends.filter((_, i) => i % per === per - 1 || i === ends.length - 1);
		axis = [last, last.map(() => step * per)];
	}
	const entry = { section, title, label, source, n: axis[0].length, reduced_s: per > 1 || extents ? per * step / 1000 : 0,
		columns: columns.map(([id, name, unit, digits = 2, kind = "gauge", description = ""]) =>
			({ id, name, unit, digits, kind, description })),
		axis: put(axisOf(...axis)), instances: [] };
	if (evidence)
		entry.evidence = true;
	for (const { name, words = [], first = 0, values } of instances) {
		const bytes = [];
		values.forEach((column, i) => {
			if (entry.columns[i].kind === "text")
				return;
			for (const part of extents ? column : per > 1 ? reduce(column, per) : [column])
				columnOf(bytes, part, entry.columns[i].digits);
		});
		const n = extents ? ends.length : Math.ceil(values[0].length / per);
		entry.instances.push({ name, words, first, n, at: put(pack(bytes)) });
	}
	return { entry, block };
}

const both = (en, zh = en) => ({ en, zh });

/* A small random generator, so that pages are the same each time. */
function dice(seed) {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 32;
	};
}

const CPU_COLUMNS = [["cpu.usr", "%usr", "%"], ["cpu.sys", "%sys", "%"], ["cpu.iowait", "%iowait", "%"],
	["cpu.idle", "%idle", "%"]];

/* CPU statistics: `cpus` CPUs and "all", with a peak of one interval. */
function cpuGroup({ cpus = 4, seconds = 120, per = 1, begin = BEGIN, gap = null }) {
	const random = dice(7);
	const ends = [];
	for (let i = 0; i < seconds; i++) {
		if (!gap || i < gap[0] || i >= gap[1])
			ends.push(begin + (i + 1) * 1000);
	}
	const instances = [];
	const sums = CPU_COLUMNS.map(() => new Float64Array(ends.length));
	for (let cpu = 0; cpu < cpus; cpu++) {
		const values = CPU_COLUMNS.map(() => []);
		ends.forEach((end, i) => {
			const usr = Math.round(1000 * (20 + cpu % 8 * 5 + 10 * Math.sin(i / 30) + random() * 4)) / 1000;
			const peak = i === Math.floor(ends.length / 2) && cpu === 1 ? 99 - usr : 0;
			[usr + peak, 5 + random(), random(), 100 - usr - peak - 7].forEach((value, c) => {
				values[c].push(value);
				sums[c][i] += value;
			});
		});
		instances.push({ name: String(cpu), values });
	}
	instances.unshift({ name: "all", values: sums.map((sum) => [...sum].map((value) => value / cpus)) });
	return groupOf({ section: "cpu", title: "CPU utilization", label: "CPU", columns: CPU_COLUMNS, instances, ends,
		per });
}

/* A day of `cpus` CPUs, reduced to minutes. */
function dayGroup({ cpus = 256, begin = BEGIN }) {
	const random = dice(3);
	const ends = Array.from({ length: 1440 }, (_, i) => begin + (i + 1) * 60e3);
	const instances = ["all", ...Array.from({ length: cpus }, (_, cpu) => String(cpu))].map((name, k) => ({ name,
		values: CPU_COLUMNS.map((_, c) => {
			const mean = ends.map((_end, i) => Math.round(100 * (10 + c * 20 + 8 * Math.sin(i / 90 + k) + random() * 3)) / 100);
			return [mean.map((value) => value - 4), mean, mean.map((value) => value + 5)];
		}) }));
	return groupOf({ section: "cpu", title: "CPU time", label: "CPU", columns: CPU_COLUMNS, instances, ends, step: 60e3,
		extents: true });
}

function memoryGroup({ seconds = 120, per = 1, begin = BEGIN }) {
	const ends = Array.from({ length: seconds }, (_, i) => begin + (i + 1) * 1000);
	const free = ends.map((_, i) => 8e6 - i * 1000);
	return groupOf({ section: "mem", title: "Memory", columns: [["mem.free", "kbmemfree", "kB", 0],
		["mem.used", "kbmemused", "kB", 0], ["mem.used_share", "%memused", "%"]], ends, per,
	instances: [{ name: "", values: [free, free.map((v) => 16e6 - v), free.map((v) => (16e6 - v) / 16e4)] }] });
}

function diskGroup({ names = ["sda", "sdb", "nvme0n1"], seconds = 120, per = 1, begin = BEGIN }) {
	const random = dice(11);
	const ends = Array.from({ length: seconds }, (_, i) => begin + (i + 1) * 1000);
	return groupOf({ section: "disk", title: "Block devices", label: "DEV", columns: [["disk.tps", "tps", "/s"],
		["disk.read", "rkB/s", "kB/s"], ["disk.await", "await", "ms"], ["disk.util", "%util", "%"]], ends, per,
	instances: names.map((name, d) => ({ name, values: [0, 1, 2, 3].map((c) => ends.map((_, i) =>
		(i % 17 === 5 && d === 0 ? NaN : Math.round(100 * random() * (10 ** (c % 3)) * (d + 1)) / 100))) })) });
}

/* A payload and its blocks. */
function reportOf(groups, more = {}, { seconds = 120, begin = BEGIN } = {}) {
	const data = {
		schema: "pipa.report/1", pipa: "1.0", title: "sample", lang: "en", inputs: ["/srv/sample.tar.gz"],
		time: { begin_ms: begin, end_ms: begin + seconds * 1000, clock: "utc" },
		phases: { reason: "found", text: both("steady after 20 s", "20 秒后稳定"), from_ms: begin + 20e3,
			until_ms: begin + (seconds - 10) * 1000, level: 30, tolerance: 10 },
		verdict: { severity: "warning", text: both(["CPU ", ["b", "saturated"]], ["CPU ", ["b", "饱和"]]), finding: 0 },
		characterization: [], findings: [{ rule: 0, severity: "warning", confidence: 0.8,
			text: both(["CPU ", ["b", "saturated"]], ["CPU ", ["b", "饱和"]]), next: both(["profile it"], ["采样"]),
			audit: false, evidence: [{ variable: "cpu_user", value: 42, unit: "%", source: "sar", quality: 1,
				series: [[0, 0, 0]] }], range_ms: [begin + 50e3, begin + 70e3] }],
		tree: [], variables: [],
		cpus: { items: [0, 1, 2, 3].map((cpu) => ({ cpu, user: 30, system: 5, iowait: 0, idle: 65, total: 35,
			p95_user: 40, p95_system: 6, class: 0, group: 0, node: cpu >> 1, expected: cpu < 2 })),
		groups: [{ low: 30, high: 40, cpus: 4 }], thresholds: { idle: 10, busy: 40 } },
		nodes: [{ node: 0, cpus: 2, total: 30 }, { node: 1, cpus: 2, total: 40 }], disks: [], filesystems: [],
		quality: [], unusable: [], series: groups.map(({ entry }) => entry), metrics: [], hot: [], system: {}, next: [],
		...more,
	};
	return { data, blocks: groups.map(({ block }) => block), profile: null };
}

/* The page of a report; `extra`: script before the start, for sections of a test. */
function reportPageOf({ data, blocks, profile }, extra = "") {
	const element = (type, id, text) => `<script type="${type}" id="${id}">${text}</script>\n`;
	return fill("report/report.html", "report_", { title: data.title, data }, extra, { lang: data.lang,
		blocks: blocks.map((block, i) => element("text/plain", `block-${i}`, block)).join(""),
		profile: profile ? element("application/json", "pipa-profile", embedded(profile)) : "" });
}

module.exports = { BEGIN, both, cpuGroup, dayGroup, diskGroup, groupOf, memoryGroup, payloadOf, reportOf, reportPageOf };
