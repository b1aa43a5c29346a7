/* Targets of options: tasks and CPUs of an invented machine. */
#include "measure/target.h"

#include <errno.h>
#include <stdio.h>

#include "base/auto.h"
#include "base/error.h"
#include "kernel/machine/root.h"
#include "lib/test.h"

static void add_thread(int pid, int tid, const char *comm)
{
	char path[100];

	snprintf(path, sizeof(path), "proc/%d/task/%d/comm", pid, tid);
	pipa_test_file(pipa_test_dir(), path, comm);
	snprintf(path, sizeof(path), "proc/%d/comm",
		 tid); /* /proc has directories of threads, too */
	pipa_test_file(pipa_test_dir(), path, comm);
	snprintf(path, sizeof(path), "proc/%d/stat", tid);
	pipa_test_file(pipa_test_dir(), path, "1 (x) S 1 1\n");
}

/* A server of two threads, a single process, a zombie; CPUs 0 to 3 and 6. */
static struct pipa_root *open_machine(void)
{
	struct pipa_root *root = NULL;

	add_thread(100, 100, "server\n");
	add_thread(100, 101, "worker\n");
	add_thread(200, 200, "other\n");
	add_thread(300, 300, "dead\n");
	pipa_test_file(pipa_test_dir(), "proc/300/stat", "300 (dead) Z 1 300\n");
	pipa_test_file(pipa_test_dir(), "sys/devices/system/cpu/online", "0-3,6\n");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	return root;
}

static void done(struct pipa_target_list *targets)
{
	pipa_target_list_done(targets);
	*targets = (struct pipa_target_list){ 0 };
}

TEST(options_that_name_nothing_or_two_kinds_are_refused)
{
	static char *command[] = { "sleep", "1", NULL };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_target_spec_check(&(struct pipa_target_spec){ .verb = "count" }, &err),
		 -EINVAL);
	CHECK_HAS(err.what, "count");
	CHECK_EQ(pipa_target_spec_check(&(struct pipa_target_spec){ .pids = "1", .cpus = "0" },
					&err),
		 -EINVAL);
	CHECK_EQ(pipa_target_spec_check(
			 &(struct pipa_target_spec){ .tids = "1", .system_wide = true }, &err),
		 -EINVAL);
	CHECK_EQ(pipa_target_spec_check(&(struct pipa_target_spec){ .command = command }, NULL), 0);
	CHECK_EQ(pipa_target_spec_check(&(struct pipa_target_spec){ .command = command,
								    .system_wide = true },
					NULL),
		 0);
}

TEST(processes_are_all_their_threads_each_of_them_once)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_machine();
	const struct pipa_target_spec spec = { .pids = "100,200,100", .tids = "101" };
	struct pipa_target_list targets = { 0 };

	CHECK_EQ(pipa_target_list_make(&spec, root, &targets, NULL), 0);
	CHECK(targets.by_task && !targets.by_command);
	CHECK_EQ(targets.tasks.n, 3);
	CHECK_EQ(targets.tasks.items[2].tid, 200);
	CHECK_STR(targets.text, "process id '100,200,100'");
	done(&targets);
}

TEST(ids_that_are_invalid_missing_or_of_a_zombie_are_refused)
{
	static const struct {
		const char *pids;
		int rc;
		const char *what;
	} rows[] = {
		{ "100,x", -EINVAL, "'x'" }, { "0", -EINVAL, "'0'" },	   { "", -EINVAL, "''" },
		{ "4711", -ESRCH, "4711" },  { "100,300", -ESRCH, "300" },
	};
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_machine();
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++) {
		const struct pipa_target_spec spec = { .pids = rows[i].pids };
		struct pipa_target_list targets = { 0 };
		struct pipa_error err = { 0 };

		CHECK_EQ(pipa_target_list_make(&spec, root, &targets, &err), rows[i].rc);
		CHECK_HAS(err.what, rows[i].what);
		done(&targets);
	}
}

TEST(a_command_is_the_target_unless_another_one_is_named)
{
	static char *command[] = { "sleep", "1", NULL };
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_machine();
	struct pipa_target_list targets = { 0 };

	CHECK_EQ(pipa_target_list_make(&(struct pipa_target_spec){ .command = command }, root,
				       &targets, NULL),
		 0);
	CHECK(targets.by_task && targets.by_command);
	CHECK_EQ(targets.tasks.n, 0);
	CHECK_STR(targets.text, "'sleep 1'");
	done(&targets);
	CHECK_EQ(pipa_target_list_make(&(struct pipa_target_spec){ .command = command,
								   .pids = "200" },
				       root, &targets, NULL),
		 0);
	CHECK(targets.by_task && !targets.by_command);
	done(&targets);
	CHECK_EQ(pipa_target_list_make(&(struct pipa_target_spec){ .command = command,
								   .system_wide = true },
				       root, &targets, NULL),
		 0);
	CHECK(!targets.by_task && !targets.by_command);
	CHECK_STR(targets.text, "'system wide'");
	done(&targets);
}

TEST(threads_made_since_are_added_and_ended_ones_are_kept_otherwise)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_machine();
	const struct pipa_target_spec spec = { .pids = "100,4711" };
	const struct pipa_target_spec listed = { .pids = "100,200" };
	struct pipa_target_list targets = { 0 };

	CHECK_EQ(pipa_target_list_make(&listed, root, &targets, NULL), 0);
	CHECK_EQ(pipa_target_list_add_new_threads(&spec, root, &targets, NULL),
		 0); /* 200 is gone */
	CHECK_EQ(targets.tasks.n, 3);
	add_thread(100, 102, "new\n");
	CHECK_EQ(pipa_target_list_add_new_threads(&spec, root, &targets, NULL), 1);
	CHECK_EQ(targets.tasks.n, 3);
	CHECK_EQ(pipa_target_list_add_new_threads(&spec, root, &targets, NULL), 0);
	CHECK_EQ(pipa_target_list_relist(&(struct pipa_target_spec){ .tids = "102,4711" }, root,
					 &targets, NULL),
		 0);
	CHECK_EQ(targets.tasks.n, 1);
	done(&targets);
}

TEST(cpus_are_those_that_are_online)
{
	static const struct {
		const char *cpus;
		int rc;
		size_t n;
	} rows[] = { { NULL, 0, 5 },
		     { "1-2,6", 0, 3 },
		     { "3-4", -ENODEV, 0 },
		     { "", -EINVAL, 0 },
		     { "x", -EINVAL, 0 } };
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_machine();
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++) {
		const struct pipa_target_spec spec = { .cpus = rows[i].cpus, .system_wide = true };
		struct pipa_target_list targets = { 0 };
		struct pipa_error err = { 0 };

		CHECK_EQ(pipa_target_list_cpus(&spec, root, &targets, &err), rows[i].rc);
		if (!rows[i].rc)
			CHECK_EQ(targets.cpus.n, rows[i].n);
		else
			CHECK(err.what[0]);
		done(&targets);
	}
}
