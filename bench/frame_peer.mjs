// Write the rows of a Parquet file again with DuckDB on one thread: frame_peer.mjs MODULES FILE OUT prints the CPU time in
// nanoseconds of COPY ... TO, without reading. For frame.sh.
import { createRequire } from 'module';

const [modules, file, out] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(`${modules}/`)('@duckdb/node-api');
const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();

await connection.run(`CREATE TABLE rows AS SELECT * FROM '${file}'`);
const start = process.cpuUsage();

await connection.run(`COPY rows TO '${out}' (FORMAT parquet, COMPRESSION zstd)`);
const used = process.cpuUsage(start);

console.log((used.user + used.system) * 1000);
