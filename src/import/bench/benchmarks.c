#include "import/bench/benchmarks.h"

#include "base/auto.h"

enum measure {
	SYSBENCH_SQL,
	SYSBENCH,
	PGBENCH,
	REDIS,
	REDIS_CSV,
	WRK,
	AB,
	FIO,
	FIO_JSON,
	PERF_OPS,
	PERF_THREADS,
	PERF_WOKEN,
	PERF_BYTES,
	OPENSSL,
	STRESS_NG,
	IPERF3,
	IPERF3_JSON,
	DD,
	DD_BYTES,
	DB_BENCH,
	YCSB,
	MEMTIER,
	HACKBENCH,
	MEASURE_NR
};

const struct pipa_tx_measure pipa_tx_measures[MEASURE_NR] = {
	[SYSBENCH_SQL] = { "sysbench", "transactions" },
	[SYSBENCH] = { "sysbench", "events" },
	[PGBENCH] = { "pgbench", "transactions" },
	[REDIS] = { "redis-benchmark", "requests" },
	[REDIS_CSV] = { "redis-benchmark", "requests" },
	[WRK] = { "wrk", "requests" },
	[AB] = { "ab", "requests" },
	[FIO] = { "fio", "I/Os" },
	[FIO_JSON] = { "fio", "I/Os" },
	[PERF_OPS] = { "perf bench", "operations" },
	[PERF_THREADS] = { "perf bench", "operations" },
	[PERF_WOKEN] = { "perf bench", "threads woken" },
	[PERF_BYTES] = { "perf bench", "bytes" },
	[OPENSSL] = { "openssl speed", "operations" },
	[STRESS_NG] = { "stress-ng", "bogo ops" },
	[IPERF3] = { "iperf3", "bits" },
	[IPERF3_JSON] = { "iperf3", "bits" },
	[DD] = { "dd", "records" },
	[DD_BYTES] = { "dd", "bytes" },
	[DB_BENCH] = { "db_bench", "operations" },
	[YCSB] = { "YCSB", "operations" },
	[MEMTIER] = { "memtier_benchmark", "operations" },
	[HACKBENCH] = { "hackbench", "messages", .at_end = true },
};

const size_t pipa_tx_n_measures = MEASURE_NR;
_Static_assert((int)MEASURE_NR <= (int)PIPA_TX_MEASURES, "the ceiling is to be raised");

enum section {
	S_SYSBENCH = 1 << 0,
	S_REDIS_CSV = 1 << 1,
	S_FIO_JSON = 1 << 2,
	S_FIO_IO = 1 << 3, /* I/O of a job, without its syncs */
	S_PERF = 1 << 4,
	S_OPENSSL = 1 << 5,
	S_IPERF3_SUM = 1 << 6,
	S_MEMTIER = 1 << 7,
	S_HACKBENCH = 1 << 8,
};

/* clang-format off: one line each */
const struct pipa_tx_pattern pipa_tx_patterns[] = {
	{ SYSBENCH_SQL, .text = "transactions:{count}{gap}({rate} per sec.)" },
	{ SYSBENCH_SQL, .progress = true, .text = "[{skip}s ] thds:{skip} tps:{rate} qps:" },
	{ SYSBENCH, .progress = true, .text = "[{skip}s ] thds:{skip} eps:{rate} lat" },
	{ SYSBENCH, .text = "events per second:{rate}{end}" },
	{ SYSBENCH, .text = "events/s (eps):{rate}{end}" },
	{ SYSBENCH, .text = "Total operations:{count} ({rate} per second)" },
	{ SYSBENCH, PIPA_TX_CLOSE, .opens = S_SYSBENCH, .text = "sysbench {skip}" },
	{ SYSBENCH, .needs = S_SYSBENCH, .text = "total number of events:{count}{end}" },
	{ SYSBENCH, .needs = S_SYSBENCH, .text = "total time:{secs}s{end}" },

	{ PGBENCH, .progress = true, .text = "progress: {skip} s, {rate} tps, lat" },
	{ PGBENCH, .text = "number of transactions actually processed: {count}" },
	/* before version 14: with and then without the time to connect */
	{ PGBENCH, .text = "tps = {rate} (without initial connection time)" },
	{ PGBENCH, .text = "tps = {rate} (including connections establishing)" },
	{ PGBENCH, .text = "tps = {rate} (excluding connections establishing)" },

	{ REDIS, .progress = true, .text = "{any}: rps={rate} (overall: " },
	{ REDIS, PIPA_TX_CHAIN, .text = "{count} requests completed in {skip} seconds" },
	/* the time has two decimals: the rate is more exact, and the only value with -q */
	{ REDIS, PIPA_TX_CHAIN, .text = "{any}: {rate} requests per second" },
	{ REDIS, PIPA_TX_CHAIN, .text = "{rate} requests per second{end}" },
	{ REDIS_CSV, PIPA_TX_CLOSE, .opens = S_REDIS_CSV, .text = "\"test\",\"rps\",\"" },
	{ REDIS_CSV, PIPA_TX_CHAIN, .needs = S_REDIS_CSV, .text = "\"{any}\",\"{rate}\"" },

	{ WRK, .text = "{count} requests in " },
	{ WRK, .text = "Requests/sec:{rate}{end}" },

	{ AB, .progress = true, .text = "Completed {count} requests{end}" },
	{ AB, .text = "Complete requests:{count}{end}" },
	{ AB, .text = "Time taken for tests:{secs} seconds" },
	{ AB, .text = "Requests per second:{rate} [#/sec]" },

	{ FIO, .progress = true, .text = "Jobs: {skip} (f={last}[r={rate},w={rate} IOPS]" },
	{ FIO, .progress = true, .text = "Jobs: {skip} (f={last}[r={rate} IOPS]" },
	{ FIO, .progress = true, .text = "Jobs: {skip} (f={last}[w={rate} IOPS]" },
	{ FIO, PIPA_TX_ADD, .text = "read: IOPS={rate}, " },
	{ FIO, PIPA_TX_ADD, .text = "write: IOPS={rate}, " },
	{ FIO, PIPA_TX_ADD, .text = "trim: IOPS={rate}, " },
	{ FIO, PIPA_TX_ADD, .text = "issued rwts: total={plain},{plain},{plain}," },
	{ FIO, PIPA_TX_DONE, .text = "Run status group {skip} (all jobs):" },
	{ FIO_JSON, PIPA_TX_CLOSE, .opens = S_FIO_JSON, .text = "\"fio version\" : " },
	{ FIO_JSON, PIPA_TX_ADD, .needs = S_FIO_JSON, .opens = S_FIO_IO, .text = "\"read\" : " },
	{ FIO_JSON, PIPA_TX_ADD, .needs = S_FIO_JSON, .shuts = S_FIO_IO, .text = "\"sync\" : " },
	{ FIO_JSON, PIPA_TX_ADD, .needs = S_FIO_IO, .text = "\"iops\" : {rate}" },
	{ FIO_JSON, PIPA_TX_ADD, .needs = S_FIO_IO, .text = "\"total_ios\" : {count}" },
	{ FIO_JSON, PIPA_TX_DONE, .needs = S_FIO_JSON, .text = "\"disk_util\" : " },

	{ PERF_OPS, PIPA_TX_CLOSE, .opens = S_PERF, .text = "# Running '{any}' benchmark:" },
	{ PERF_OPS, .needs = S_PERF, .text = "# Executed {count} " },
	{ PERF_OPS, .needs = S_PERF, .text = "# Created/joined {count} threads" },
	{ PERF_OPS, .needs = S_PERF, .text = "# Enabled/Disabled breakpoint {count} time" },
	{ PERF_OPS, .needs = S_PERF, .text = "Total time:{secs} [sec]" },
	{ PERF_OPS, .needs = S_PERF, .text = "{rate} ops/sec{end}" },
	/* mean over threads, multiplied by their number */
	{ PERF_THREADS, .needs = S_PERF,
	  .text = "Run summary [PID {skip}]:{times} threads{any} for {secs} secs" },
	{ PERF_THREADS, .needs = S_PERF, .text = "Averaged {rate} operations/sec (+-" },
	{ PERF_THREADS, PIPA_TX_ADD, .needs = S_PERF, .text = "Averaged {count} ADD operations" },
	{ PERF_THREADS, PIPA_TX_ADD, .needs = S_PERF, .text = "Averaged {count} MOD operations" },
	{ PERF_THREADS, PIPA_TX_ADD, .needs = S_PERF, .text = "Averaged {count} DEL operations" },
	{ PERF_WOKEN, PIPA_TX_CHAIN, .needs = S_PERF,
	  .text = "[Run {skip}]: Wokeup {count} of {skip} threads in {ms} ms" },
	{ PERF_WOKEN, PIPA_TX_CHAIN, .needs = S_PERF,
	  .text = "[Run {skip}]: Requeued {count} of {skip} threads in {ms} ms" },
	{ PERF_BYTES, PIPA_TX_CHAIN, .needs = S_PERF, .text = "{rate} {Ki}B/sec{end}" },
	{ PERF_BYTES, .needs = S_PERF, .scale = 1e9, .text = "{word}{count}, GB,{gap}data-total" },
	{ PERF_BYTES, .needs = S_PERF, .scale = 1e9,
	  .text = "{word}{rate}, GB/sec,{gap}total-speed" },

	/* seconds of CPU time, as in its tables */
	{ OPENSSL, PIPA_TX_CHAIN, .text = "Doing {any} for {any}: {count} {last} in {secs}s{end}" },
	/* -mr, and output of the processes of -multi, which run in parallel */
	{ OPENSSL, PIPA_TX_ADD, .opens = S_OPENSSL, .text = "+DT:" },
	{ OPENSSL, PIPA_TX_ADD, .opens = S_OPENSSL, .text = "+DTP:" },
	{ OPENSSL, PIPA_TX_ADD, .needs = S_OPENSSL, .text = "+R:{count}:" },
	{ OPENSSL, PIPA_TX_ADD, .needs = S_OPENSSL, .text = "+R{skip}:{count}:" },

	{ STRESS_NG, PIPA_TX_CLOSE, .text = "stress-ng: info:  [{skip}] dispatching hogs:" },
	{ STRESS_NG, PIPA_TX_ADD,
	  .text = "stress-ng: metrc: [{skip}]{word}{count}{skip}{skip}{skip}{rate}{skip}" },
	{ STRESS_NG, PIPA_TX_ADD, /* before version 0.15 */
	  .text = "stress-ng: info:  [{skip}]{word}{count}{skip}{skip}{skip}{rate}{skip}" },

	/* received data; with several streams the sum is the last line */
	{ IPERF3, .progress = true,
	  .text = "[{any}]{skip}-{skip}{gap}sec{skip} {Ki}Bytes{rate} {k}bits/sec" },
	{ IPERF3, .scale = 8,
	  .text = "[{any}]{skip}-{skip}{gap}sec{count} {Ki}Bytes{any}bits/sec{any}receiver{end}" },
	{ IPERF3,
	  .text = "[{any}]{skip}-{skip}{gap}sec{skip} {Ki}Bytes{rate} {k}bits/sec{any}receiver{end}" },
	{ IPERF3_JSON, .opens = S_IPERF3_SUM, .text = "\"sum_received\":" },
	{ IPERF3_JSON, .needs = S_IPERF3_SUM, .scale = 8, .text = "\"bytes\":{count}" },
	{ IPERF3_JSON, .needs = S_IPERF3_SUM, .text = "\"bits_per_second\":{rate}" },
	{ IPERF3_JSON, .shuts = S_IPERF3_SUM, .text = "\"cpu_utilization_percent\":" },

	{ DD, .text = "{count}+{plain} records out{end}" },
	{ DD, .text = "{skip} bytes ({any}) copied, {secs} s" },
	{ DD, .text = "{skip} bytes copied, {secs} s" }, /* less than a kilobyte */
	{ DD_BYTES, .progress = true, .text = "{count} bytes ({any}) copied, {secs} s" },

	/* RocksDB; older versions and LevelDB print no count: the rate of the last test */
	{ DB_BENCH, PIPA_TX_CHAIN,
	  .text = "{word}{gap}:{skip} micros/op {rate} ops/sec {skip} seconds {count} operations" },
	{ DB_BENCH, .text = "{word}{gap}:{skip} micros/op {rate} ops/sec;" },
	{ DB_BENCH, .text = "{word}{gap}:{us_each} micros/op;" },
	{ DB_BENCH, .progress = true,
	  .text = "{any} thread {skip}: ({skip},{plain}) ops and ({skip},{rate}) ops/second in " },

	{ YCSB, .progress = true, .text = "{any} sec: {count} operations; {rate} current ops/sec" },
	{ YCSB, .text = "[OVERALL], RunTime(ms), {ms}" },
	{ YCSB, .text = "[OVERALL], Throughput(ops/sec), {rate}" },

	{ MEMTIER, .progress = true,
	  .text = "[RUN #{skip}{skip}%,{skip} secs]{skip} threads:{count} ops,"
		  "{skip} (avg:{rate}) ops/sec" },
	{ MEMTIER, .text = "[RUN #{skip} 100%,{secs} secs]{skip} threads:{count} ops," },
	{ MEMTIER, .opens = S_MEMTIER, .text = "{skip}{gap}Connections per thread{end}" },
	{ MEMTIER, .needs = S_MEMTIER, .text = "Totals{rate} " },

	/* each sender of a group writes to each receiver: half of the tasks, half of the files */
	{ HACKBENCH, PIPA_TX_CLOSE, .text = "Running in {word} mode with {skip} groups using " },
	{ HACKBENCH, .opens = S_HACKBENCH,
	  .text = "Running in {word} mode with {skip} groups using {times} file descriptors each "
		  "(== {times} tasks)" },
	{ HACKBENCH, .needs = S_HACKBENCH, .scale = 0.25,
	  .text = "Each sender will pass {count} messages of " },
	{ HACKBENCH, .needs = S_HACKBENCH, .text = "Time:{secs}{end}" },
};
/* clang-format on */

const size_t pipa_tx_n_patterns = PIPA_COUNT(pipa_tx_patterns);
_Static_assert(PIPA_COUNT(pipa_tx_patterns) <= PIPA_TX_PATTERNS, "the ceiling is to be raised");
