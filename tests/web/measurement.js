/* Measurements for `pipa analyze`: directories with tables as `pipa collect` writes them, made of deterministic noise. */
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const START = Date.UTC(2026, 10, 15) / 1000;

/* A random generator of [0, 1). */
function dice(seed) {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 32;
	};
}

/* "2026-11-15 03:04:05 UTC" of a second of the measurement. */
function timeOf(second) {
	return `${new Date((START + second) * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

class Measurement {
	constructor(folder, name) {
		this.folder = path.join(folder, name);
		this.session = path.join(this.folder, "attach_session_demo");
		fs.mkdirSync(this.session, { recursive: true });
	}

	/* Write a table; rowsOf(second) gives its rows: arrays of values, or texts that are written as they are. */
	table(name, columns, seconds, rowsOf) {
		const file = fs.openSync(path.join(this.session, name), "w");
		let text = `# hostname;interval;timestamp;${columns}\n`;
		for (let second = 0; second < seconds; second++) {
			const head = `box;1;${timeOf(second)};`;
			for (const row of rowsOf(second))
				text += typeof row === "string" ? row : `${head}${row.join(";")}\n`;
			if (text.length > 1 << 22) {
				fs.writeSync(file, text);
				text = "";
			}
		}
		fs.writeSync(file, text);
		fs.closeSync(file);
	}

	write(name, content) {
		fs.writeFileSync(path.join(this.session, name), content);
	}

	/* CPU time: all CPUs are busy to `load` percent with some noise; change(row, cpu, second) may alter a row. */
	cpus(cpus, seconds, load, change = () => {}) {
		const random = dice(5);
		this.table("sar_cpu.csv", "CPU;%user;%nice;%system;%iowait;%steal;%idle", seconds, (second) => {
			const rows = [];
			for (let cpu = -1; cpu < cpus; cpu++) {
				const user = load + random() * 3;
				const system = 1 + random();
				const row = [cpu, user, 0, system, 0, 0, 100 - user - system];
				change(row, cpu, second);
				rows.push(row.map((value, i) => (i ? value.toFixed(2) : value)));
			}
			return rows;
		});
	}
}

module.exports = { Measurement, START, dice };
