#include "measure/sample/process_tree.h"

#include <linux/perf_event.h>
#include <string.h>

#include "lib/test.h"

enum { COMMAND = 100, EXEC_NS = 1000 };

static struct {
	uint32_t type[16], pid[16];
	size_t n;
	int rc;
} seen;

static struct pipa_process_tree *tree;

static int on_record(void *ctx, const struct pipa_perf_raw *raw)
{
	CHECK(ctx == &seen);
	CHECK(seen.n < 16);
	seen.type[seen.n] = raw->type;
	memcpy(&seen.pid[seen.n++], raw->body + (raw->type == PERF_RECORD_SAMPLE ? 16 : 0), 4);
	return seen.rc;
}

static void put(uint32_t type, uint16_t misc, const uint64_t *words, size_t n)
{
	struct pipa_perf_raw raw = {
		.type = type, .misc = misc, .body = (const uint8_t *)words, .len = n * 8
	};

	CHECK_EQ(pipa_process_tree_put(tree, &raw), 0);
}

/* Two numbers of 32 bits as memory has them. */
static uint64_t pair(uint32_t first, uint32_t second)
{
	uint32_t both[2] = { first, second };
	uint64_t word;

	memcpy(&word, both, sizeof(word));
	return word;
}

static void put_fork(uint32_t pid, uint32_t parent, uint64_t ns)
{
	put(PERF_RECORD_FORK, 0,
	    (uint64_t[]){ pair(pid, parent), pair(pid, parent), ns, pair(parent, parent), ns, 0,
			  7 },
	    7);
}

static void put_exec(uint32_t pid, uint64_t ns)
{
	put(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC,
	    (uint64_t[]){ pair(pid, pid), 0x6c, pair(pid, pid), ns, 0, 7 }, 6);
}

static void put_sample(uint32_t pid, uint64_t ns)
{
	put(PERF_RECORD_SAMPLE, 0, (uint64_t[]){ 7, 0x1234, pair(pid, pid), ns, 0, 1 }, 6);
}

static void begin(void)
{
	CHECK_EQ(pipa_process_tree_new(COMMAND, on_record, &seen, &tree), 0);
}

static void begin_executed(void)
{
	begin();
	put_exec(COMMAND, EXEC_NS);
	CHECK_EQ(pipa_process_tree_end(tree), 0);
	CHECK_EQ(seen.n, 1);
	seen.n = 0;
}

static void check_seen(size_t n, const uint32_t *pids)
{
	size_t i;

	CHECK_EQ(seen.n, n);
	for (i = 0; i < n; i++)
		CHECK_EQ(seen.pid[i], pids[i]);
	seen.n = 0;
}

TEST(samples_of_others_are_left_out)
{
	begin_executed();
	put_sample(COMMAND, 2000);
	put_sample(50, 2000);
	put_sample(0, 2000);
	put_sample(UINT32_MAX, 2000);
	check_seen(1, (uint32_t[]){ COMMAND });
	CHECK_EQ(pipa_process_tree_left_out(tree), 3);
	pipa_process_tree_free(tree);
}

TEST(a_command_that_is_still_held_is_not_sampled)
{
	begin();
	put_sample(COMMAND, 500);
	put_exec(50, 600); /* of another process */
	put_sample(COMMAND, 700);
	CHECK_EQ(seen.n, 0);
	put_exec(COMMAND, EXEC_NS);
	put_sample(COMMAND, EXEC_NS - 1);
	put_sample(COMMAND, EXEC_NS);
	check_seen(2, (uint32_t[]){ COMMAND, COMMAND });
	CHECK_EQ(pipa_process_tree_left_out(tree), 3);
	put_exec(COMMAND, 9000); /* once is enough */
	put_sample(COMMAND, 8000);
	check_seen(2, (uint32_t[]){ COMMAND, COMMAND });
	pipa_process_tree_free(tree);
}

TEST(children_and_theirs_belong_to_the_command)
{
	begin_executed();
	put_fork(101, COMMAND, 1100);
	put_fork(102, 101, 1200);
	put_fork(60, 50, 1300);
	put_sample(102, 1400);
	check_seen(3, (uint32_t[]){ 101, 102, 102 });
	put_sample(60, 1400);
	put_sample(101, 1400);
	check_seen(1, (uint32_t[]){ 101 });
	pipa_process_tree_free(tree);
}

/* One CPU's records come before another's, whatever was first. */
TEST(fork_records_of_a_child_may_precede_those_of_its_parent)
{
	begin_executed();
	put_fork(103, 102, 1300);
	put_exec(103, 1400);
	put_fork(102, 101, 1200);
	put_fork(101, COMMAND, 1100);
	CHECK_EQ(seen.n, 0);
	put_sample(103, 1500);
	check_seen(5, (uint32_t[]){ 103, 103, 102, 101, 103 });
	pipa_process_tree_free(tree);
}

TEST(a_reused_pid_belongs_to_another_process)
{
	begin_executed();
	put_fork(101, COMMAND, 1100);
	put_sample(101, 1150);
	check_seen(2, (uint32_t[]){ 101, 101 });
	put_fork(101, 50, 2000);
	put_sample(101, 2100);
	CHECK_EQ(seen.n, 0);
	put_fork(101, COMMAND, 3000);
	put_sample(101, 3100);
	check_seen(2, (uint32_t[]){ 101, 101 });
	pipa_process_tree_free(tree);
}

TEST(records_of_no_single_process_are_passed_on)
{
	begin_executed();
	put(PERF_RECORD_LOST, 0, (uint64_t[]){ 7, 3, 0, 0, 0, 7 }, 6);
	put(PERF_RECORD_KSYMBOL, 0, (uint64_t[]){ 0x50, 0, 0, 0, 0, 0, 7 }, 7);
	put(PERF_RECORD_MMAP2, 0, (uint64_t[]){ pair(50, 50), 0, 0, 0, 0, 0, 0 }, 7);
	CHECK_EQ(pipa_process_tree_end(tree), 0);
	CHECK_EQ(seen.n, 2);
	CHECK_EQ(seen.type[0], PERF_RECORD_LOST);
	CHECK_EQ(seen.type[1], PERF_RECORD_KSYMBOL);
	pipa_process_tree_free(tree);
}

TEST(an_error_of_the_record_callback_is_returned)
{
	struct pipa_perf_raw none = { .type = PERF_RECORD_SAMPLE };

	begin();
	put_exec(COMMAND, EXEC_NS);
	seen.rc = -28;
	CHECK_EQ(pipa_process_tree_end(tree), -28);
	CHECK_EQ(pipa_process_tree_put(tree, &none), 0); /* has no pid: of no process */
	CHECK_EQ(pipa_process_tree_left_out(tree), 1);
	pipa_process_tree_free(tree);
}
