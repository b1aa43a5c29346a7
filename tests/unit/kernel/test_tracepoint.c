#include "kernel/event/tracepoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/machine/root.h"
#include "lib/test.h"

static struct pipa_root *machine(void)
{
	struct pipa_root *root = NULL;

	pipa_test_file(pipa_test_dir(), "trace/events/sched/sched_switch/id", "314\n");
	pipa_test_file(pipa_test_dir(), "trace/events/sched/sched_wakeup/id", "316\n");
	pipa_test_file(pipa_test_dir(), "trace/events/sched/enable", "0\n");
	pipa_test_file(pipa_test_dir(), "trace/events/syscalls/sys_enter_read/id", "700\n");
	pipa_test_file(pipa_test_dir(), "trace/events/irq/irq_handler_entry/id", "x\n");
	pipa_test_file(pipa_test_dir(), "trace/events/header_page", "\n");
	pipa_test_file(pipa_test_dir(), "trace/secret/deep/id", "1\n");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	return root;
}

TEST(tracepoint_has_a_number)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	uint64_t id = 0;

	CHECK_EQ(pipa_tracepoint_id(root, "sched", "sched_switch", &id), 0);
	CHECK_EQ(id, 314);
	CHECK_EQ(pipa_tracepoint_id(root, "syscalls", "sys_enter_read", &id), 0);
	CHECK_EQ(id, 700);
}

TEST(misspelled_and_invalid_tracepoints_are_refused)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	uint64_t id = 77;

	CHECK_EQ(pipa_tracepoint_id(root, "sched", "sched_swich", &id), -ENOENT);
	CHECK_EQ(pipa_tracepoint_id(root, "shed", "sched_switch", &id), -ENOENT);
	CHECK_EQ(pipa_tracepoint_id(root, "irq", "irq_handler_entry", &id), -EINVAL);
	CHECK_EQ(id, 77);
}

TEST(names_cannot_climb_out_of_the_events)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	uint64_t id = 77;

	CHECK_EQ(pipa_tracepoint_id(root, "../secret", "deep", &id), -ENOENT);
	CHECK_EQ(pipa_tracepoint_id(root, "..", "deep", &id), -ENOENT);
	CHECK_EQ(pipa_tracepoint_id(root, "sched", "../../secret/deep", &id), -ENOENT);
	CHECK_EQ(pipa_tracepoint_id(root, "sched", ".", &id), -ENOENT);
	pipa_test_file(pipa_test_dir(), "trace/events/a/b/c/id", "2\n");
	CHECK_EQ(pipa_tracepoint_id(root, "a/b", "c", &id), -ENOENT); /* nor deeper into them */
	CHECK_EQ(pipa_tracepoint_id(root, "a", "b/c", &id), -ENOENT);
	CHECK_EQ(id, 77);
}

struct names {
	char text[300];
	int n, stop_after;
};

static int note_name(void *ctx, const char *system, const char *name)
{
	struct names *names = ctx;
	size_t len = strlen(names->text);

	snprintf(names->text + len, sizeof(names->text) - len, "%s:%s ", system, name);
	return ++names->n == names->stop_after ? 7 : 0;
}

static const char *each(struct pipa_root *root, const char *system, const char *name)
{
	static struct names names;

	names = (struct names){ 0 };
	CHECK_EQ(pipa_tracepoint_each(root, system, name, note_name, &names), 0);
	return names.text;
}

TEST(globs_choose_systems_and_names_in_order)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();

	CHECK_STR(each(root, "*", "*"),
		  "irq:irq_handler_entry sched:sched_switch sched:sched_wakeup "
		  "syscalls:sys_enter_read ");
	CHECK_STR(each(root, "sched", "*w*"), "sched:sched_switch sched:sched_wakeup ");
	CHECK_STR(each(root, "s*", "*_[rs]*"), "sched:sched_switch syscalls:sys_enter_read ");
	CHECK_STR(each(root, "none", "*"), "");
	CHECK_STR(each(root, "*", "none"), "");
}

TEST(walk_stops_if_its_callback_returns_nonzero)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	struct names names = { .stop_after = 2 };

	CHECK_EQ(pipa_tracepoint_each(root, "*", "*", note_name, &names), 7);
	CHECK_EQ(names.n, 2);
}

TEST(machine_without_tracefs_is_an_error)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	struct names names = { 0 };
	uint64_t id;

	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	CHECK_EQ(pipa_tracepoint_each(root, "*", "*", note_name, &names), -ENOENT);
	CHECK_EQ(pipa_tracepoint_id(root, "sched", "sched_switch", &id), -ENOENT);
}
