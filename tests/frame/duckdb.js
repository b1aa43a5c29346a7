// Compare Parquet tables with the report by DuckDB, which checks types, encodings and joins: duckdb.js DIRECTORY REPORT
// reads samples, stacks, locations and functions .parquet, and a report of `pipa report --json -s symbol --no-children`.
import fs from 'fs';
import { DuckDBInstance } from '@duckdb/node-api';

const [directory, report] = process.argv.slice(2);
const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();

// rows of a query; 64-bit numbers are strings
async function rows(sql) {
	const text = sql.replace(/\$(\w+)/g, (_, table) => `'${directory}/${table}.parquet'`);

	return (await connection.runAndReadAll(text)).getRowsJson();
}

const want = JSON.parse(fs.readFileSync(report, 'utf8'));
const event = want.events[0];
const [[count, period]] = await rows('SELECT sum("count"), sum(period) FROM $samples');
const sums = new Map((await rows(`SELECT name, sum(period) FROM $samples JOIN $stacks USING (stack)
	JOIN $locations USING (location) LEFT JOIN $functions USING (function)
	WHERE frame = 0 AND inlined = 0 GROUP BY name`)).map(([name, sum]) => [name, sum]));
let failed = 0;

function check(what, got, expected) {
	if (String(got) === String(expected))
		return;
	console.error(`${what}: DuckDB has ${got}, the report ${expected}`);
	failed++;
}

if (count !== null) // folded stacks have only weights
	check('samples', count, event.samples);
check('period', period, event.weight);
const times = new Map();
let compared = 0;

for (const row of want.rows)
	times.set(row.symbol, (times.get(row.symbol) ?? 0) + 1);
for (const row of want.rows) {
	const name = row.symbol;

	if (!sums.has(name) || times.get(name) > 1) // functions of several files have one row each
		continue;
	check(name, sums.get(name), row.events[0].self);
	compared++;
}
if (!compared) {
	console.error('no function of the report was compared');
	failed++;
}
console.log(compared);
process.exit(failed ? 1 : 0);
