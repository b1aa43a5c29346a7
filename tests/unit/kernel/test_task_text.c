#include "kernel/process/task_text.h"

#include "base/auto.h"
#include "lib/test.h"

static const struct pipa_task_units units = { .tick_ns = 10000000, .page_bytes = 4096 };

static struct pipa_task_stat task;

static bool parse(const char *text)
{
	pipa_task_stat_clear(&task);
	return pipa_task_parse_stat(text, strlen(text), &units, &task);
}

#define NUMBERS                                                                                    \
	" 1 77 77 0 -1 4194560 11 12 13 14 150 16 17 18 20 0 3 0 4242 123456 25 "                  \
	"18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 6 0 0 7 8 9 0\n"

TEST(numbers_of_stat_are_taken_by_their_place)
{
	CHECK(parse("77 (bash) S" NUMBERS));
	CHECK_EQ(task.tid, 77);
	CHECK_EQ(task.state, 'S');
	CHECK_STR(task.comm, "bash");
	CHECK_EQ(task.fields[TASK_MINFLT], 11);
	CHECK_EQ(task.fields[TASK_MAJFLT], 13);
	CHECK_EQ(task.fields[TASK_USER_NS], 1500000000);
	CHECK_EQ(task.fields[TASK_SYSTEM_NS], 160000000);
	CHECK_EQ(task.fields[TASK_THREADS], 3);
	CHECK_EQ(task.fields[TASK_START_NS], 42420000000);
	CHECK_EQ(task.fields[TASK_VSIZE_BYTES], 123456);
	CHECK_EQ(task.fields[TASK_RSS_BYTES], 25 * 4096);
	CHECK_EQ(task.fields[TASK_CPU], 6);
	CHECK_EQ(task.fields[TASK_IO_DELAY_NS], 70000000);
	CHECK_EQ(task.fields[TASK_GUEST_NS], 80000000);
	CHECK_EQ(task.fields[TASK_UID], PIPA_RAW_MISSING);
}

TEST(a_comm_may_hold_spaces_parentheses_and_line_ends)
{
	CHECK(parse("77 (a) S 1 (b\n) c) R" NUMBERS));
	CHECK_STR(task.comm, "a) S 1 (b\n) c");
	CHECK_EQ(task.state, 'R');
	CHECK_EQ(task.fields[TASK_MINFLT], 11);
	CHECK(parse("77 () Z" NUMBERS));
	CHECK_STR(task.comm, "");
}

TEST(names_of_kernel_workers_omit_the_current_workqueue)
{
	CHECK(parse("77 (kworker/u8:0-events_unbound) I" NUMBERS));
	CHECK_STR(task.comm, "kworker/u8:0");
	CHECK(parse("77 (kworker/1:0H+kblockd) I" NUMBERS));
	CHECK_STR(task.comm, "kworker/1:0H");
	CHECK(parse("77 (kworker/R-rcu_gp) I" NUMBERS));
	CHECK_STR(task.comm, "kworker/R-rcu_g");
	CHECK(parse("77 (kworker/) I" NUMBERS));
	CHECK_STR(task.comm, "kworker/");
}

TEST(a_truncated_number_is_missing)
{
	CHECK(parse("77 (bash) S 1 77 77 0 -1 4194560 11 12 13 14 15"));
	CHECK_EQ(task.fields[TASK_MAJFLT], 13);
	CHECK_EQ(task.fields[TASK_USER_NS], PIPA_RAW_MISSING); /* 15 may be half of 150 */
	CHECK_EQ(task.fields[TASK_SYSTEM_NS], PIPA_RAW_MISSING);
}

TEST(text_without_name_or_state_is_refused_and_changes_nothing)
{
	static const char *const texts[] = { "",
					     "77",
					     "77 (",
					     "77 (bash",
					     "77 (bash)",
					     "77 (bash) S",
					     ")(",
					     "(bash) S 1 2",
					     "x (bash) S 1",
					     "99999999999 (bash) S 1 2" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(texts); i++) {
		CHECK(!parse(texts[i]));
		CHECK_EQ(task.tid, 0);
		CHECK_STR(task.comm, "");
	}
}

TEST(a_number_too_large_is_missing)
{
	CHECK(parse("77 (bash) S 1 77 77 0 -1 4194560 99999999999999999999 12 13 14 "
		    "18446744073709551615 16 17\n"));
	CHECK_EQ(task.fields[TASK_MINFLT], PIPA_RAW_MISSING);
	CHECK_EQ(task.fields[TASK_USER_NS], PIPA_RAW_MISSING); /* ticks are not whole ns */
	CHECK_EQ(task.fields[TASK_MAJFLT], 13);
}

TEST(status_gives_the_real_uid_and_switches_for_any_name)
{
	static const char text[] =
		"Name:\tUid:\\n 5\nUmask:\t0022\nUid:\t1000\t0\t0\t0\n"
		"voluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t7\n";

	pipa_task_stat_clear(&task);
	pipa_task_parse_status(text, sizeof(text) - 1, &task);
	CHECK_EQ(task.fields[TASK_UID], 1000);
	CHECK_EQ(task.fields[TASK_SWITCHES], 150);
	CHECK_EQ(task.fields[TASK_PREEMPTIONS], 7);
	pipa_task_stat_clear(&task);
	pipa_task_parse_status(text, sizeof(text) - 2, &task); /* the last line has no end */
	CHECK_EQ(task.fields[TASK_SWITCHES], 150);
	CHECK_EQ(task.fields[TASK_PREEMPTIONS], PIPA_RAW_MISSING);
}

TEST(io_gives_storage_bytes_rather_than_those_of_system_calls)
{
	static const char text[] = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\n"
				   "write_bytes: 8192\ncancelled_write_bytes: 5\n";

	pipa_task_stat_clear(&task);
	pipa_task_parse_io(text, sizeof(text) - 1, &task);
	CHECK_EQ(task.fields[TASK_READ_BYTES], 4096);
	CHECK_EQ(task.fields[TASK_WRITE_BYTES], 8192);
	CHECK_EQ(task.fields[TASK_CANCELLED_BYTES], 5);
}

TEST(schedstat_gives_the_wait)
{
	pipa_task_stat_clear(&task);
	pipa_task_parse_schedstat("172769 6121", 11, &task); /* truncated */
	CHECK_EQ(task.fields[TASK_WAIT_NS], PIPA_RAW_MISSING);
	pipa_task_parse_schedstat("172769 6121 2\n", 14, &task);
	CHECK_EQ(task.fields[TASK_WAIT_NS], 6121);
	pipa_task_stat_clear(&task);
	pipa_task_parse_schedstat("", 0, &task);
	CHECK_EQ(task.fields[TASK_WAIT_NS], PIPA_RAW_MISSING);
}
