/*
 * A report with all sections, for tests: a saturated disk from second 60 to 90 of 120, when `flush` runs besides
 * `serve`; hostile names wherever the data has names.
 */
"use strict";

const { BEGIN, both, cpuGroup, diskGroup, memoryGroup, payloadOf, reportOf } = require("./report.js");

const HOSTILE = "<img src=x onerror=alert(1)>\u202e&\"'";

function varints(numbers) {
	const bytes = [];
	for (let n of numbers) {
		for (; n >= 128; n = Math.floor(n / 128))
			bytes.push(n % 128 + 128);
		bytes.push(n);
	}
	return Buffer.from(bytes).toString("base64");
}

const THREADS = [{ pid: 100, tid: 100, comm: "serve" }, { pid: 100, tid: 101, comm: "serve" },
	{ pid: 200, tid: 200, comm: "flush" }, { pid: 300, tid: 300, comm: HOSTILE }];

/*
 * Samples each 100 ms: serve in main;handle;parse on two threads all the time, flush in write;sync from 60 s to
 * 90 s, one sample of a thread with a hostile name.
 */
function sampleProfile() {
	const frame = (name, object = "libapp.so", kind = 0) => ({ name, object, kind });
	const paths = [["main", "handle", "parse"].map((name) => frame(name)), ["main", "handle", "send"].map((name) =>
		frame(name)), [frame("write"), frame("vfs_fsync", "[kernel]", 1)], [frame(HOSTILE, HOSTILE)]];
	const all = [];
	for (let ms = 0; ms < 120000; ms += 100) {
		all.push({ ms, thread: ms / 100 % 2, cpu: 0, path: ms / 100 % 3 ? 0 : 1 });
		if (ms >= 60000 && ms < 90000)
			all.push({ ms, thread: 2, cpu: 1, path: 2 });
		if (ms === 70000)
			all.push({ ms, thread: 3, cpu: 1, path: 3 });
	}
	const counts = paths.map((_, path) => all.filter((one) => one.path === path).length);
	/* nodes in preorder: handle's children by name, then the frames of the other paths */
	const payload = payloadOf(paths.map((stack, i) => [stack, counts[i] * 1e8, counts[i]]));
	const node = nodesOf(payload, paths);
	let before = 0;
	const numbers = all.flatMap(({ ms, thread, cpu, path }) => {
		const delta = (ms - before) * 1e6;
		before = ms;
		return [delta, thread, cpu + 1, node[path], 1e8];
	});
	payload.timeline = { rows: "cpu", start: 1000, end: 1119.9, threads: THREADS, cpus: [0, 1],
		samples: varints([all.length, ...numbers]) };
	return payload;
}

/* The node that each path ends at. */
function nodesOf(payload, paths) {
	const bytes = Buffer.from(payload.tree, "base64");
	const numbers = [];
	for (let at = 0; at < bytes.length;) {
		let value = 0;
		for (let scale = 1; ; scale *= 128) {
			value += (bytes[at] & 127) * scale;
			if (!(bytes[at++] & 128))
				break;
		}
		numbers.push(value);
	}
	const frames = Buffer.from(payload.frames, "base64"); /* all small numbers: one byte each */
	const nameOf = (frame) => payload.strings[frames[1 + 3 * frame]];
	const found = paths.map(() => -1);
	const open = [];
	for (let i = 0, depth = -1; i < numbers[0]; i++) {
		depth += 1 - numbers[1 + 3 * i];
		open[depth] = nameOf(numbers[2 + 3 * i]);
		open.length = depth + 1;
		const at = paths.findIndex((path) => path.length === open.length && path.every(({ name }, d) => name === open[d]));
		if (at >= 0)
			found[at] = i;
	}
	return found;
}

const variable = (name, value, unit, source, more = {}) => ({ name, value, unit, source, quality: 1, constant: false,
	reason: both(""), ...more });

const rule = (name, zh, parent, depth, state, more = {}) => ({ id: name.toLowerCase(), name: both(name, zh), parent, depth,
	state, expression: "", tests: [], inputs: [], fault: null, file: "rules/default.yaml", line: 10, severity: "info",
	audit: false, ...more });

function sampleTree() {
	return [
		rule("CPU", "CPU", -1, 0, "fired"),
		rule("CPUs are saturated", "CPU 饱和", 0, 1, "not_fired", { expression: "cpu_busy > CPU_SATURATED",
			tests: [["cpu_busy > CPU_SATURATED", "false"]], inputs: ["cpu_busy", "CPU_SATURATED"] }),
		rule("Much kernel time", "内核时间过多", 1, 2, "not_reached", { expression: "cpu_system > 30",
			tests: [["cpu_system > 30", "false"]] }),
		rule("Low IPC", "IPC 偏低", 0, 1, "unknown", { expression: "ipc < 0.7", tests: [["ipc < 0.7", "unknown"]],
			inputs: ["ipc"] }),
		rule("Disk", "磁盘", -1, 0, "fired"),
		rule("A disk is saturated", "磁盘饱和", 4, 1, "fired", { severity: "critical",
			expression: "p95_disk_util > IO_UTIL_HIGH_THRESHOLD and psi_io > 20",
			tests: [["p95_disk_util > IO_UTIL_HIGH_THRESHOLD", "true"], ["psi_io > 20", "true"]],
			inputs: ["p95_disk_util", "IO_UTIL_HIGH_THRESHOLD", "psi_io"] }),
		rule("Small requests", "小请求", 5, 2, "fired", { severity: "warning", expression: "avg_avgrq_sz_kb < 16",
			tests: [["avg_avgrq_sz_kb < 16", "true"]], inputs: ["avg_avgrq_sz_kb"] }),
		rule(HOSTILE, HOSTILE, -1, 0, "invalid", { expression: `${HOSTILE} <`, fault: HOSTILE, file: HOSTILE }),
		rule("Swap is configured", "已配置交换区", -1, 0, "fired", { severity: "notice", audit: true }),
	];
}

/* cpus: number of CPUs. */
function sampleReport({ cpus = 8, more = {} } = {}) {
	const items = Array.from({ length: cpus }, (_, cpu) => {
		const kind = cpu % 4 === 0 ? 1 : cpu % 4 === 3 ? 99 : 0;
		const user = kind === 1 ? 62 + cpu % 7 : kind === 99 ? 1 + cpu % 3 : 20 + cpu % 9;
		const system = kind === 1 ? 14 + cpu % 5 : kind === 99 ? 0.4 : 6 + cpu % 4;
		return { cpu, user, system, iowait: cpu % 4, idle: 100 - user - system - cpu % 4, total: user + system,
			p95_user: user + 6, p95_system: system + 2, class: kind, group: kind === 1 ? 2 : kind === 99 ? 0 : 1,
			expected: cpu < cpus / 2 };
	});
	const totals = (group) => items.filter((item) => item.group === group).map(({ total }) => total);
	const series = [cpuGroup({ cpus: 4 }), diskGroup({}), memoryGroup({})];
	const finding = (ruleAt, severity, confidence, en, zh, evidence, range, audit = false) => ({ rule: ruleAt, severity,
		confidence, text: both(en, zh), next: audit ? both([], []) : both(["Use ", ["b", "larger requests"], "."],
			["使用", ["b", "更大的请求"], "。"]), audit, evidence, range_ms: range });
	const from = BEGIN + 60000;
	const until = BEGIN + 90000;
	const report = reportOf(series, {
		title: `sample ${HOSTILE}`,
		verdict: { severity: "critical", finding: 0, text: both(["Disk ", ["b", HOSTILE], " is saturated: 99 % busy (p95)."],
			["磁盘 ", ["b", HOSTILE], " 饱和：忙碌 99%（p95）。"]) },
		characterization: [
			{ id: "bound", text: both("Disk sda limits the workload: it was busy 99 % of the time (p95).",
				"磁盘 sda 限制了该负载：其忙碌时间占 99%（p95）。"), values: [["p95_disk_util", 99.2, "%"], ["psi_io", 40, "%"]] },
			{ id: "time", text: both("CPU time of the machine: 30.0 % in user mode, 8.0 % in the kernel.",
				"整机 CPU 时间：用户态 30.0%，内核态 8.0%。"), values: [["cpu_user", 30, "%"], ["cpu_system", 8, "%"]] },
			{ id: "io", text: both(`Disks: 12 MB per second read. Requests of ${HOSTILE} are small.`, "磁盘：每秒读 12 MB。"),
				values: [["rkB/s", 12288, "kB/s"]] },
		],
		findings: [
			finding(5, "critical", 0.9, ["Disk ", ["b", "sda"], " is saturated: 99 % busy (p95)."],
				["磁盘 ", ["b", "sda"], " 饱和：忙碌 99%（p95）。"], [
					{ variable: "p95_disk_util", value: 99.2, unit: "%", source: "disk: sda %util, p95", quality: 0.95,
						series: [[1, 0, 3]] },
					{ variable: "psi_io", value: 40, unit: "%", source: "psi-io: %sio, mean", quality: 1, series: [] },
				], [from, until]),
			finding(6, "warning", 0.6, ["Requests are small."], ["请求较小。"], [
				{ variable: "avg_avgrq_sz_kb", value: 4.5, unit: "kB", source: HOSTILE, quality: 1, series: [[1, 0, 1], [0, 1, 0]] },
			], [from, until]),
			finding(8, "notice", 0.8, ["Swap is configured."], ["已配置交换区。"], [], null, true),
		],
		tree: sampleTree(),
		variables: [variable("cpu_busy", 38, "%", "cpu: all, mean"), variable("cpu_user", 30, "%", "cpu: all, mean"),
			variable("p95_disk_util", 99.2, "%", "disk: sda %util, p95", { quality: 0.95 }),
			variable("psi_io", 40, "%", "psi-io: %sio, mean"), variable("avg_avgrq_sz_kb", 4.5, "kB", "disk: sda areq-sz, mean"),
			variable("ipc", null, "", "counters cycles and instructions"), variable("is_cpu_imbalanced", true, "", "cpu"),
			variable("CPU_SATURATED", 90, "%", "", { constant: true, reason: both("above it, tasks wait", "超过后任务需要等待") }),
			variable("IO_UTIL_HIGH_THRESHOLD", 75, "%", "", { constant: true, reason: both("PIPA's limit", "PIPA 的阈值") })],
		cpus: { items, thresholds: { idle: 10, busy: 40 }, groups: [0, 1, 2].map((group) => ({
			low: Math.min(...totals(group)), high: Math.max(...totals(group)), cpus: totals(group).length })) },
		nodes: [{ node: 0, cpus: cpus / 2, total: 61 }, { node: 1, cpus: cpus / 2, total: 18 }],
		disks: [
			{ name: "sda", medium: "SATA_SSD", util: 81.4, p95_util: 99.2, await: 6.5, p95_await: 14.2, await_limit: 5,
				queue: 9.1, request_kb: 4.5, read_kb: 12288, written_kb: 512, tps: 2844, saturated: true },
			{ name: HOSTILE, medium: "Unknown", util: 2, p95_util: 6, await: 0.4, p95_await: 0.9, await_limit: null,
				queue: 0.1, request_kb: 64, read_kb: 0, written_kb: 80, tps: 3, saturated: false },
		],
		filesystems: [{ device: "sda1", mount: "/", size_bytes: 1e11, used_bytes: 4e10, percent: 40, capacity: "ok" },
			{ device: "sda2", mount: HOSTILE, size_bytes: 5e11, used_bytes: 4.7e11, percent: 94, capacity: "critical" }],
		quality: [
			{ kind: "gap", section: "disk", instance: "sda", column: "", from_ms: from, until_ms: from + 5000, count: 5,
				share: 0.05, repaired: false, effect: both("Intervals are missing.", "缺少若干时间间隔。") },
			{ kind: HOSTILE, section: HOSTILE, instance: HOSTILE, column: "", from_ms: 0, until_ms: 0, count: 1,
				share: 0.3, repaired: true, effect: both("Unknown.", "未知。") }],
		unusable: [{ name: HOSTILE, text: "not a known format" }],
		metrics: [{ key: "run_time", title: "elapsed time", unit: "s", group: "work", value: 120 },
			{ key: "%usr", title: "user", unit: "%", group: "cpu", value: 30.1 },
			{ key: "kbmemused", title: "used", unit: "kB", group: "memory", value: 8123456 },
			{ key: "rkB/s", title: "read", unit: "kB/s", group: "disk", value: 12288.25 }],
		hot: [
			{ symbol: "parse", object: "libapp.so", scope: "User", self: 44.4, total: 60.1, samples: 800,
				lines: [["src/parse.c", 120, 30.5, "while (*p++ != '<')"], [HOSTILE, 12, 3, HOSTILE]],
				instructions: [["0x1234", 22.5, "cmp $0x3c,%al"], ["0x1238", 4, HOSTILE]] },
			{ symbol: HOSTILE, object: HOSTILE, scope: "Kernel", self: 12, total: 13, samples: 200, lines: [],
				instructions: [] }],
		profile: { event: "cpu-clock", samples: 1501, lost: 3, wall_ms: BEGIN },
		system: { kernel: { release: "6.1.0", command_line: `quiet ${HOSTILE}` }, cpu: { model: "AMD EPYC", count: cpus,
			flags: ["avx2", "sse4_2"], caches: [{ name: "L1d", size: "32K" }, { name: "L2", size: "512K" }] },
		[HOSTILE]: HOSTILE },
		next: [{ why: both("Requests are small: collect I/O per process.", "请求较小：按进程采集 I/O。"),
			command: "pipa collect --io -o next.tar.gz", config: "interval: 1\nio: true\n" }],
		...more,
	});
	report.profile = sampleProfile();
	return report;
}

module.exports = { HOSTILE, sampleReport };
