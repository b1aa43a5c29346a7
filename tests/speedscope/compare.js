/*
 * Compare the functions that speedscope's page shows with those of a report:
 *
 *   node compare.js PAGE REPORT
 *
 * PAGE is the output of page.js, REPORT that of `pipa report --sort symbol --csv`. Every file must have all functions with the
 * same shares, rounded as the page rounds them. Prints the number of functions compared.
 */
"use strict";

const fs = require("node:fs");

const percent = (cell) => {
	const found = /\((<?[0-9.]+)%\)/.exec(cell);
	return found ? (found[1][0] === "<" ? 0 : Number(found[1])) : NaN;
};

/* rows of a report: symbol to its children and self percentages */
function reportOf(text) {
	const [head, ...lines] = text.trim().split("\n");
	const names = head.split(",");
	const rows = new Map();

	for (const line of lines) {
		const cells = line.split(",");
		const cell = (name) => cells[names.indexOf(name)];
		/* the symbol is the last column; quotes are doubled inside quotes */
		const last = cells.slice(names.indexOf("symbol")).join(",").replace(/^"(.*)"$/, "$1").replace(/""/g, '"');
		rows.set(last, { total: Number(cell("children_percent")), self: Number(cell("self_percent")) });
	}
	return rows;
}

const report = reportOf(fs.readFileSync(process.argv[3], "utf8"));
let compared = 0, failed = 0;

for (const line of fs.readFileSync(process.argv[2], "utf8").trim().split("\n")) {
	const { file, rows } = JSON.parse(line);
	const shown = new Map(rows.filter((row) => /%\)$/.test(row[0])).map((row) => [row[2], row]));

	for (const [name, want] of report) {
		const row = shown.get(name);
		const got = row && { total: percent(row[0]), self: percent(row[1]) };

		if (!got || Math.abs(got.total - want.total) > 0.51 || Math.abs(got.self - want.self) > 0.51) {
			console.error(`${file}: ${name}: report ${JSON.stringify(want)}, page ${JSON.stringify(row)}`);
			failed++;
		}
		compared++;
	}
}
if (!compared || failed)
	process.exit(1);
console.log(compared);
