// Read a Parquet file with the npm package hyparquet and compare every value with the JSON lines of the same table.
//
//   node compare.js TABLE.parquet TABLE.json
import fs from 'fs';
import { parquetMetadata, parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

const [parquet, json] = process.argv.slice(2);
const bytes = fs.readFileSync(parquet);
const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const metadata = parquetMetadata(file);

// numbers of JSON above 2^53 would be rounded by JSON.parse: as texts
const lines = fs.readFileSync(json, 'utf8').split('\n').filter((line) => line)
	.map((line) => JSON.parse(line.replace(/(?<!\\)": (-?\d+)(?=[,}])/g, '": "$1"')));

function text(value) {
	if (value === null || value === undefined)
		return null;
	return value instanceof Date ? value : String(value);
}

// hyparquet returns times as dates of whole milliseconds
function equal(got, want) {
	if (got instanceof Date)
		return want !== null && got.getTime() === Number(BigInt(want) / 1000000n);
	return got === text(want);
}

let rows;

await parquetRead({ file, metadata, compressors, rowFormat: 'object', onComplete: (all) => { rows = all; } });
if (rows.length !== lines.length) {
	console.error(`${rows.length} rows, ${lines.length} lines`);
	process.exit(1);
}
rows.forEach((row, i) => {
	for (const key of Object.keys(lines[i])) {
		if (equal(text(row[key]), lines[i][key]))
			continue;
		console.error(`row ${i}: ${key} is ${row[key]}, expected ${lines[i][key]}`);
		process.exit(1);
	}
});
console.log(rows.length);
