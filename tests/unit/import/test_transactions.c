/*
 * Outputs of real benchmarks, kept in tests/data/benchmarks, and the numbers a person reads in them; then
 * what is to hold of any output.
 */
#include "import/bench/transactions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "lib/test.h"

static struct pipa_transactions *finder(const char *expression)
{
	struct pipa_transactions *tx = NULL;

	CHECK_EQ(pipa_transactions_new(expression, &tx, NULL), 0);
	return tx;
}

static void put(struct pipa_transactions *tx, const char *text)
{
	pipa_transactions_put(tx, PIPA_TX_STDOUT, text, strlen(text));
}

/* The answer to a text; one that is to be there. */
static struct pipa_tx answer(const char *text)
{
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *tx = finder(NULL);
	struct pipa_tx ret;

	put(tx, text);
	pipa_transactions_end(tx);
	CHECK(pipa_transactions_get(tx, &ret));
	return ret;
}

static bool has_answer(const char *text)
{
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *tx = finder(NULL);
	struct pipa_tx ret;

	put(tx, text);
	pipa_transactions_end(tx);
	return pipa_transactions_get(tx, &ret);
}

/* ---- what benchmarks print -------------------------------------------------------------------- */

static void read_output(const char *name, struct pipa_buf *ret)
{
	const char *source = getenv("PIPA_SOURCE");
	char path[4096];

	if (!source)
		SKIP("PIPA_SOURCE is not set: run through ctest");
	snprintf(path, sizeof(path), "%s/tests/data/benchmarks/%s.txt", source, name);
	CHECK_EQ(pipa_file_read(path, ret, NULL), 0);
}

/* In pieces of that size, with the last line left without its end; true when there is an answer. */
static bool hear(const char *name, size_t piece, struct pipa_tx *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf output = { 0 };
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *tx = finder(NULL);
	size_t at;

	read_output(name, &output);
	while (output.len && output.data[output.len - 1] == '\n')
		output.len--;
	for (at = 0; at < output.len; at += piece)
		pipa_transactions_put(tx, PIPA_TX_STDERR, output.data + at,
				      output.len - at < piece ? output.len - at : piece);
	pipa_transactions_end(tx);
	return pipa_transactions_get(tx, ret);
}

struct expected {
	const char *file, *benchmark, *unit;
	double count, rate; /* NaN: not printed */
	const char *line;   /* a part of it */
};

#define GI (1024.0 * 1024 * 1024)

static const struct expected expected[] = {
	{ "ab", "ab", "requests", 60000, 15502.31, "Complete requests:      60000" },
	/* the tests run one after the other; of old versions only the last one's rate is sure */
	{ "db_bench-rocksdb", "db_bench", "operations", 1500000, 300000, "readrandom   :" },
	{ "db_bench-rocksdb-old", "db_bench", "operations", NAN, 4000000, "readseq" },
	{ "db_bench-leveldb", "db_bench", "operations", NAN, 250000, "readrandom" },
	{ "dd", "dd", "records", 20000, 20000 / 0.0847964, "20000+0 records out" },
	{ "dd-progress", "dd", "records", 500000, 500000 / 1.51515, "500000+0 records out" },
	/* of all jobs, the last of three reports; then reads and writes */
	{ "fio", "fio", "I/Os", 72772 + 70294, 36400 + 35100, "issued rwts: total=70294,0,0,0" },
	{ "fio-rw", "fio", "I/Os", 1988 + 2236, 17600 + 19800, "issued rwts: total=1988,2236" },
	{ "fio-tty", "fio", "I/Os", 60283 + 60173, 20100 + 20100, "issued rwts: total=60283" },
	{ "fio-json", "fio", "I/Os", 994 + 1054 + 128, 103384.615385, "\"total_ios\" : 128" },
	/* 40 senders write 100 messages to each of the 20 receivers of their group */
	{ "hackbench", "hackbench", "messages", 40 * 20 * 100, 80000 / 0.130, "Each sender will" },
	{ "iperf3", "iperf3", "bits", 2.29 * GI * 8, 9.82e9, "9.82 Gbits/sec" },
	{ "iperf3-parallel", "iperf3", "bits", 2.39 * GI * 8, 10.2e9, "[SUM]   0.00-2.02" },
	{ "iperf3-udp", "iperf3", "bits", 11.9 * 1024 * 1024 * 8, 100e6, "0/382 (0%)  receiver" },
	{ "iperf3-json", "iperf3", "bits", 1369702400.0 * 8, 10946213245.797878, "1369702400" },
	{ "memtier", "memtier_benchmark", "operations", 1250000, 124997.5, "100%,  10 secs]" },
	{ "openssl-hash", "openssl speed", "operations", 486216, 486216 / 0.49,
	  "sha256's in 0.49s" },
	{ "openssl-rsa", "openssl speed", "operations", 1238 + 22358, 23596, "22358 2048 bits" },
	{ "openssl-mr", "openssl speed", "operations", 617468, NAN, "+R:617468:AES-128-GCM" },
	{ "openssl-multi", "openssl speed", "operations", 199322 + 175222, NAN, "+R:175222:" },
	{ "perf-breakpoint", "perf bench", "operations", 10, 2500, "# Created/joined 10 threads" },
	/* the sum of two threads, though the line gives their mean */
	{ "perf-epoll-ctl", "perf bench", "operations", 3 * 2 * 125088, 750528, "Averaged 125088" },
	{ "perf-epoll-wait", "perf bench", "operations", 2 * 271418, 542836, "Averaged 271418" },
	{ "perf-futex-hash", "perf bench", "operations", 2 * 1401344, 2802688, "Averaged 1401344" },
	{ "perf-futex-lock-pi", "perf bench", "operations", 2 * 7622, 15244, "Averaged 7622 op" },
	{ "perf-futex-wake", "perf bench", "threads woken", 40, 33030.5532618, "[Run 10]: Wokeup" },
	{ "perf-mem-memcpy", "perf bench", "bytes", NAN, 6480817569.3, "6.120251 GB/sec" },
	{ "perf-numa", "perf bench", "bytes", 2.457e9, 2.411e9, "data-total" },
	{ "perf-sched-pipe", "perf bench", "operations", 20000, 180146, "# Executed 20000 pipe" },
	{ "perf-syscall-basic", "perf bench", "operations", 200000, 4097940, "200000 getppid()" },
	{ "perf-new", "perf bench", "operations", 10000, 1250, "# Executed 10,000 fork() calls" },
	{ "pgbench", "pgbench", "transactions", 7368, 2459.604961, "actually processed: 7368" },
	{ "pgbench-select", "pgbench", "transactions", 100, 3787.591849, "processed: 100/100" },
	{ "pgbench-old", "pgbench", "transactions", 10000, 622.977698, "processed: 10000/10000" },
	/* equally many requests in each test: the harmonic mean of the rates */
	{ "redis", "redis-benchmark", "requests", 40000, 59970.0104, "20000 requests completed" },
	{ "redis-q", "redis-benchmark", "requests", NAN, 48134.7762, "GET: 44052.86 requests" },
	{ "redis-csv", "redis-benchmark", "requests", NAN, 63559.32202, "\"LPUSH\",\"67796.61\"" },
	{ "redis-old", "redis-benchmark", "requests", 100000, 114293.71, "100000 requests comp" },
	{ "stress-ng", "stress-ng", "bogo ops", 930 + 13812, 463.86 + 4752.35, "vm  " },
	{ "stress-ng-metrics", "stress-ng", "bogo ops", 1207, 603.24, "cpu                1207" },
	{ "sysbench-cpu", "sysbench", "events", 3051, 1009.81, "total number of events:  " },
	{ "sysbench-fileio", "sysbench", "events", 14557, 14557 / 2.0241, "number of events" },
	{ "sysbench-memory", "sysbench", "events", 2097152, 2060885.44, "number of events:" },
	{ "sysbench-threads", "sysbench", "events", 996, 996 / 1.0011, "number of events:" },
	{ "sysbench-oltp", "sysbench", "transactions", 1817, 906.42, "(906.42 per sec.)" },
	{ "sysbench-new", "sysbench", "events", 10199, 1019.8, "number of events:" },
	{ "wrk", "wrk", "requests", 69285, 34486.84, "69285 requests in 2.01s, 15.86MB read" },
	{ "wrk-errors", "wrk", "requests", 43046, 39126.93, "43046 requests in 1.10s" },
	{ "ycsb", "YCSB", "operations", 1000000, 62500, "[OVERALL], Throughput(ops/sec), 62500.0" },
};

static bool near(double got, double want)
{
	return isnan(want) ? isnan(got) : fabs(got - want) <= 1e-8 * want;
}

static void check_expected(const struct expected *want, size_t piece)
{
	struct pipa_tx got;

	if (!hear(want->file, piece, &got))
		pipa_test_fail(__FILE__, __LINE__, "%s: no answer", want->file);
	if (strcmp(got.benchmark, want->benchmark) != 0 || strcmp(got.unit, want->unit) != 0 ||
	    !near(got.count, want->count) || !near(got.rate, want->rate) || !got.final)
		pipa_test_fail(__FILE__, __LINE__,
			       "%s: %s, %.10g %s, %.10g/s, final %d; not %s, %.10g %s, %.10g/s",
			       want->file, got.benchmark, got.count, got.unit, got.rate, got.final,
			       want->benchmark, want->count, want->unit, want->rate);
	CHECK_HAS(got.line, want->line);
	CHECK(got.pattern[0]);
	CHECK_EQ(got.stream, PIPA_TX_STDERR);
}

TEST(outputs_of_benchmarks_are_understood)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(expected); i++)
		check_expected(&expected[i], SIZE_MAX / 2);
}

TEST(the_result_does_not_depend_on_the_chunks_of_the_output)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(expected); i++) {
		check_expected(&expected[i], 1);
		check_expected(&expected[i], 7);
		check_expected(&expected[i], 4096);
	}
}

TEST(output_without_a_count_has_no_transactions)
{
	static const char *const files[] = { "fio-terse", "perf-internals", "perf-sched-messaging",
					     "pgbench-init" };
	struct pipa_tx got;
	size_t i;

	for (i = 0; i < PIPA_COUNT(files); i++)
		if (hear(files[i], 100, &got))
			pipa_test_fail(__FILE__, __LINE__, "%s: %s, %g %s, by %s", files[i],
				       got.benchmark, got.count, got.unit, got.line);
}

TEST(output_of_other_versions_is_recognized)
{
	struct pipa_tx tx = answer("stress-ng: info:  [7] cpu 930 2.00 0.66 0.00 463.86 1398.17\n");

	CHECK_NEAR(tx.count, 930, 0);
	CHECK_NEAR(tx.rate, 463.86, 1e-9);
	tx = answer("+DTP:2048:private:rsa:1\n+R1:1238:2048:0.50\n+DTP:2048:public:rsa:1\n"
		    "+R2:22358:2048:0.50\n");
	CHECK_NEAR(tx.count, 1238 + 22358, 0);
	tx = answer(
		"Doing aes-128-gcm ops for 3s on 16 size blocks: 512 aes-128-gcm ops in 2.00s\n");
	CHECK_NEAR(tx.count, 512, 0);
	CHECK_NEAR(tx.rate, 256, 1e-9);
	tx = answer("1+1 records in\n1+1 records out\n600 bytes copied, 7.5e-05 s, 8.0 MB/s\n");
	CHECK_NEAR(tx.count, 2, 0);
	CHECK_NEAR(tx.rate, 2 / 7.5e-5, 1e-3);
	CHECK_NEAR(answer("  trim: IOPS=12.5k, BW=48.8MiB/s\n").rate, 12500, 1e-6);
}

/* ---- while it runs ---------------------------------------------------------------------------- */

/* The first part of an output, truncated after the last of `cut`. */
static struct pipa_tx so_far(const char *name, const char *cut)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf output = { 0 };
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *tx = finder(NULL);
	struct pipa_tx ret;
	const char *end;

	read_output(name, &output);
	end = strstr(pipa_buf_str(&output), cut);
	CHECK(end);
	pipa_transactions_put(tx, PIPA_TX_STDOUT, output.data,
			      (size_t)(end - output.data) + strlen(cut));
	CHECK(pipa_transactions_get(tx, &ret));
	return ret;
}

TEST(progress_is_counted_while_the_benchmark_runs)
{
	struct pipa_tx tx = so_far("sysbench-cpu", "eps: 985.77 lat (ms,95%): 12.52\n");

	CHECK(!tx.final && isnan(tx.count));
	CHECK_NEAR(tx.rate, 985.77, 1e-9);
	CHECK_NEAR(so_far("sysbench-oltp", "[ 2s ] thds: 1").rate, 696.07, 1e-9);
	CHECK_NEAR(so_far("pgbench", "2495.6 tps, lat 0.795 ms stddev 1.616, 0 failed\n").rate,
		   2495.6, 1e-9);
	CHECK_NEAR(so_far("ab", "Completed 30000 requests\n").count, 30000, 0);
	CHECK_NEAR(so_far("redis", "(overall: 51836.7) avg_msec=0.645 (overall: 0.645)\r").rate,
		   51836.7, 1e-9);
	CHECK_NEAR(so_far("iperf3-parallel", "8.91 Gbits/sec    0             \n").rate, 8.91e9, 1);
	CHECK_NEAR(so_far("memtier", "20%,   2 secs]  4 threads:      250001 ops,  126545 (avg:  "
				     "125000) ops/sec, 4.93MB/sec (avg: 4.87MB/sec),  1.58 (avg:  "
				     "1.60) msec latency\r")
			   .count,
		   250001, 0);
	CHECK_NEAR(so_far("ycsb", "617310 operations; 61731 current ops/sec; est completion in 7 "
				  "seconds [READ: Count=308601, Max=2001, Min=0, Avg=1.3, 90=2, "
				  "99=3, 99.9=5, 99.99=50] [UPDATE: Count=308709, Max=1999, Min=0, "
				  "Avg=1.2, 90=2, 99=3, 99.9=5, 99.99=48] \n")
			   .count,
		   617310, 0);
	CHECK_NEAR(so_far("db_bench-rocksdb", "in (0.997,0.997) seconds\n").rate, 401234.5, 1e-6);
}

TEST(progress_lines_may_end_with_carriage_returns)
{
	struct pipa_tx tx = so_far("fio-tty", "[r=20.3k,w=20.1k IOPS][eta 00m:00s]\r");

	CHECK(!tx.final);
	CHECK_NEAR(tx.rate, 20300 + 20100, 1e-6);
	tx = so_far("dd-progress", "21909798912 bytes (22 GB, 20 GiB) copied, 1 s, 21.9 GB/s\r");
	CHECK_STR(tx.unit, "bytes");
	CHECK_NEAR(tx.count, 21909798912.0, 0);
	CHECK_NEAR(
		answer("Jobs: 1 (f=1): [w(1)][9.1%][w=80.2MiB/s][w=250 IOPS][eta 00m:10s]\r").rate,
		250, 1e-9);
	CHECK_NEAR(
		answer("Jobs: 1 (f=1): [r(1)][9.1%][r=80.2MiB/s][r=1.5M IOPS][eta 00m:10s]\r").rate,
		1.5e6, 1e-6);
}

TEST(an_incomplete_report_does_not_replace_the_last_complete_one)
{
	struct pipa_tx tx = so_far("fio", "issued rwts: total=67989,0,0,0 short=0,0,0,0 "
					  "dropped=0,0,0,0\n");

	CHECK_NEAR(tx.count, 35103 + 34506, 0);
}

TEST(a_count_that_is_announced_before_the_work_is_none_until_its_end)
{
	const char *text =
		"Running in process mode with 2 groups using 40 file descriptors each (== "
		"80 tasks)\nEach sender will pass 100 messages of 100 bytes\n";

	CHECK(!has_answer(text));
}

/* ---- which answer ----------------------------------------------------------------------------- */

TEST(a_summary_takes_precedence_over_progress)
{
	struct pipa_tx tx = answer("Completed 500 requests\nComplete requests:      10\n"
				   "Completed 600 requests\n");

	CHECK(tx.final);
	CHECK_NEAR(tx.count, 10, 0);
	CHECK_STR(answer("Requests/sec: 5\nCompleted 500 requests\n").benchmark, "wrk");
}

TEST(a_total_beats_a_rate)
{
	struct pipa_tx tx = answer("Complete requests:      10\nRequests/sec:  39126.93\n");

	CHECK_STR(tx.benchmark, "ab");
	CHECK_NEAR(tx.count, 10, 0);
}

TEST(the_last_of_two_benchmarks_is_reported)
{
	CHECK_STR(answer("Complete requests:  10\nnumber of transactions actually processed: 7\n")
			  .benchmark,
		  "pgbench");
	CHECK_STR(answer("number of transactions actually processed: 7\nComplete requests:  10\n")
			  .benchmark,
		  "ab");
}

TEST(a_benchmark_that_runs_twice_counts_with_its_last_run)
{
	struct pipa_tx tx = answer("stress-ng: info:  [1] dispatching hogs: 1 cpu\n"
				   "stress-ng: metrc: [1] cpu 5 2.0 1.0 0.0 2.5 5.0\n"
				   "stress-ng: info:  [2] dispatching hogs: 1 cpu\n"
				   "stress-ng: metrc: [2] cpu 7 2.0 1.0 0.0 3.5 7.0\n");

	CHECK_NEAR(tx.count, 7, 0);
	tx = answer("sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n"
		    "    transactions:          1817   (906.42 per sec.)\n"
		    "    total number of events:              1817\n"
		    "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n"
		    "    total number of events:              5\n");
	CHECK_STR(tx.unit, "events");
	CHECK_NEAR(tx.count, 5, 0);
}

TEST(lines_of_stdout_and_stderr_are_separate)
{
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *tx = finder(NULL);
	struct pipa_tx got;

	pipa_transactions_put(tx, PIPA_TX_STDOUT, "Complete requ", 13);
	pipa_transactions_put(tx, PIPA_TX_STDERR, "noise 17\n", 9);
	pipa_transactions_put(tx, PIPA_TX_STDOUT, "ests: 12\n", 9);
	CHECK(pipa_transactions_get(tx, &got));
	CHECK_NEAR(got.count, 12, 0);
	CHECK_EQ(got.stream, PIPA_TX_STDOUT);
}

TEST(missing_output_is_not_a_count_and_a_printed_zero_is_zero)
{
	CHECK(!has_answer(""));
	CHECK(!has_answer("y\ny\n"));
	CHECK(!has_answer("Complete requests: many\n"));
	CHECK(!has_answer("Complete requests: -5\n"));
	CHECK(!has_answer("SET: rps=-nan (overall: -nan) avg_msec=-nan (overall: -nan)\r"));
	CHECK(!has_answer("     180146 ops/sec\n")); /* without a name */
	CHECK_NEAR(answer("Complete requests: 0\n").count, 0, 0);
}

/* ---- any output ------------------------------------------------------------------------------- */

TEST(terminal_escapes_are_not_part_of_a_line)
{
	struct pipa_tx tx = answer(
		"\033[1mComplete \033[32;1mrequests:\033[0m \033]0;t\a 4\033[K2\n");

	CHECK_NEAR(tx.count, 42, 0);
	CHECK_STR(tx.line, "Complete requests:  42");
	CHECK_NEAR(answer("Complete requests: 7\033").count, 7, 0);
	CHECK_NEAR(answer("\033]0;title\033\\Complete requests: 8").count, 8, 0);
}

TEST(a_line_that_is_shown_is_plain_text)
{
	CHECK_STR(answer("Requests per second:\t5 [#/sec]\001\377 \n").line,
		  "Requests per second: 5 [#/sec]??");
}

TEST(a_number_is_found_after_any_length_of_other_output)
{
	static const char line[] = "\ntps = 5 (without initial connection time)\n";
	char text[400];
	size_t n;

	for (n = 0; n < 200; n++) {
		memset(text, 'y', n);
		memcpy(text + n, line, sizeof(line));
		CHECK_NEAR(answer(text).rate, 5, 0);
	}
}

TEST(numbers_in_a_list_are_not_thousands)
{
	CHECK_NEAR(answer("     issued rwts: total=994,105,0,0 short=0,0,0,0\n").count, 1099, 0);
}

TEST(only_the_start_of_an_overlong_line_is_read)
{
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *tx = finder(NULL);
	char zeros[1000] = { 0 }, nines[1000];
	struct pipa_tx got;
	int i;

	memset(nines, '9', sizeof(nines));
	put(tx, "tps = 5 (without initial connection time) ");
	for (i = 0; i < 1000; i++)
		pipa_transactions_put(tx, PIPA_TX_STDOUT, i % 2 ? zeros : nines, sizeof(zeros));
	CHECK(!pipa_transactions_get(tx, &got));
	put(tx, "\nnumber of transactions actually processed: 6");
	CHECK(pipa_transactions_get(tx, &got));
	CHECK_NEAR(got.rate, 5, 0);
	CHECK(isnan(got.count));
	pipa_transactions_end(tx);
	CHECK(pipa_transactions_get(tx, &got));
	CHECK_NEAR(got.count, 6, 0);
}

TEST(a_too_large_number_is_ignored)
{
	char line[300] = "Complete requests: ";

	memset(line + 19, '9', 200);
	line[219] = '\0';
	CHECK(!has_answer(line));
	CHECK(!has_answer("Complete requests: 1e999\n"));
	CHECK(!has_answer("number of transactions actually processed: 1e308G\n"));
}

TEST(a_section_ends_with_the_first_other_line)
{
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *tx = finder(NULL);
	struct pipa_tx got;
	int i;

	put(tx, "# Running 'sched/pipe' benchmark:\n");
	for (i = 0; i < 5000; i++)
		put(tx, "line 17\n");
	put(tx, "     180146 ops/sec\n");
	CHECK(!pipa_transactions_get(tx, &got));
	put(tx, "# Running 'sched/pipe' benchmark:\n     180146 ops/sec\n");
	CHECK(pipa_transactions_get(tx, &got));
}

/* ---- options of the user --------------------------------------------------------------------- */

TEST(the_users_expression_finds_the_last_number_and_no_table_is_asked)
{
	PIPA_AUTO(pipa_transactions_free)
	struct pipa_transactions *tx = finder("did ([0-9.,kMG]+) (jobs|tasks)");
	struct pipa_tx got;

	put(tx, "Complete requests: 5\ndid no jobs\n");
	CHECK(!pipa_transactions_get(tx, &got));
	put(tx, "we did 1,234 jobs\nthey did 1.5k tasks\ndid 1..2 jobs\n");
	CHECK(pipa_transactions_get(tx, &got));
	CHECK_STR(got.benchmark, "expression");
	CHECK_STR(got.pattern, "did ([0-9.,kMG]+) (jobs|tasks)");
	CHECK_STR(got.line, "they did 1.5k tasks");
	CHECK_NEAR(got.count, 1500, 0);
	CHECK(isnan(got.rate) && got.final);
	pipa_transactions_put(tx, PIPA_TX_STDOUT, "a\0b did 7 jobs\n", 15);
	CHECK(pipa_transactions_get(tx, &got));
	CHECK_NEAR(got.count, 7, 0);
}

TEST(an_invalid_expression_is_refused_with_a_reason)
{
	struct pipa_transactions *tx = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_transactions_new("([0-9]+", &tx, &err), -EINVAL);
	CHECK_HAS(err.what, "'([0-9]+'");
	CHECK(err.hint[0]);
	CHECK_EQ(pipa_transactions_new("[0-9]+", &tx, &err), -EINVAL);
	CHECK_HAS(err.what, "has no group");
	CHECK_HAS(err.hint, "in parentheses");
	CHECK(!tx);
}

TEST(a_number_that_is_given_beats_all)
{
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *tx = finder(NULL);
	struct pipa_tx got;

	put(tx, "Complete requests: 5\n");
	pipa_transactions_give(tx, 7561946);
	put(tx, "Complete requests: 6\n");
	CHECK(pipa_transactions_get(tx, &got));
	CHECK_STR(got.benchmark, "given");
	CHECK_STR(got.line, "");
	CHECK_NEAR(got.count, 7561946, 0);
}

TEST(numbers_are_read_as_people_write_them)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{ "7561946", 7561946 },	     { "1,234", 1234 },	  { "12,345,678.5", 12345678.5 },
		{ "41.0k", 41000 },	     { " 1.5M ", 1.5e6 }, { "2G", 2e9 },
		{ "1.2345678E7", 12345678 }, { "3K", 3000 },	  { "0", 0 }
	};
	static const char *const bad[] = { "",	  "k",	  "-1",	      "1,23", "12,34,567", "1kk",
					   "1 k", "0x10", "1234,567", "inf",  "nan",	   "5%" };
	double value;
	size_t i;

	for (i = 0; i < PIPA_COUNT(good); i++) {
		CHECK_EQ(pipa_tx_number(good[i].text, strlen(good[i].text), &value), 0);
		CHECK_NEAR(value, good[i].value, 0);
	}
	for (i = 0; i < PIPA_COUNT(bad); i++)
		if (pipa_tx_number(bad[i], strlen(bad[i]), &value) != -EINVAL)
			pipa_test_fail(__FILE__, __LINE__, "'%s' is %g", bad[i], value);
}
