#include "analyze/run/run_name.h"

#include <stdlib.h>

#include "base/auto.h"
#include "lib/test.h"

#define CHECK_NAME(benchmark, name, ...)                                                           \
	do {                                                                                       \
		char *command[] = { __VA_ARGS__, NULL };                                           \
		PIPA_AUTO(free) char *got_name = pipa_run_name(command, benchmark);                \
		CHECK_STR(got_name, name);                                                         \
	} while (0)

TEST(a_workload_is_called_like_its_program)
{
	CHECK_NAME(NULL, "true", "/bin/true");
	CHECK_NAME(NULL, "make", "make", "check");
	CHECK_NAME(NULL, "/", "/");
}

TEST(a_recognised_benchmark_gives_the_name)
{
	CHECK_NAME("sysbench", "sysbench", "sh", "-c", "sysbench cpu run");
	CHECK_NAME("perf bench", "perf bench", "env", "A=b", "perf", "bench", "mem", "all");
	CHECK_NAME("perf bench", "perf bench", "perf");
}

TEST(plain_words_after_the_benchmark_are_part_of_its_name)
{
	CHECK_NAME("perf bench", "perf bench futex hash", "/usr/bin/perf", "bench", "futex", "hash",
		   "-r", "2");
	CHECK_NAME("openssl speed", "openssl speed sha256", "openssl", "speed", "sha256");
	CHECK_NAME("fio", "fio", "fio", "job.fio");
	CHECK_NAME("dd", "dd", "dd", "if=/dev/zero", "count=5");
	CHECK_NAME("wrk", "wrk", "wrk", "-t2", "http://localhost/");
	CHECK_NAME("x", "x a b c", "x", "a", "b", "c", "d");
}
