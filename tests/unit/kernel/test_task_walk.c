#include "kernel/process/task_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/machine/root.h"
#include "lib/test.h"

static struct pipa_root *root;
static struct pipa_task_walk *walk;
static struct pipa_task_stats processes, threads;

static void put_stat(const char *folder, int pid, const char *comm, int user, int n_threads,
		     int start)
{
	char path[64], text[400];

	snprintf(path, sizeof(path), "proc/%s/stat", folder);
	snprintf(
		text, sizeof(text),
		"%d (%s) S 1 1 1 0 -1 0 11 0 13 0 %d 0 0 0 20 0 %d 0 %d 1048576 25 0 0 0 0 0 0 0 0 0 "
		"0 0 0 0 17 1 0 0 0 0 0\n",
		pid, comm, user, n_threads, start);
	pipa_test_file(pipa_test_dir(), path, text);
}

static void put(const char *path, const char *text)
{
	pipa_test_file(pipa_test_dir(), path, text);
}

static void open_walk(unsigned int files, size_t max_open)
{
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	CHECK_EQ(pipa_task_walk_open(root, files, max_open, &walk, NULL), 0);
}

static void done(void)
{
	pipa_task_walk_close(walk);
	pipa_root_close(root);
	free(processes.items);
	free(threads.items);
}

static void read_processes(size_t n)
{
	CHECK_EQ(pipa_task_walk_read(walk, &processes, NULL), 0);
	CHECK_EQ(processes.n, n);
}

TEST(processes_come_by_number_with_their_files)
{
	put("proc/self/io", "");
	put_stat("30", 30, "late", 7, 1, 5);
	put_stat("4", 4, "early", 6, 1, 5);
	put("proc/4/status", "Uid:\t1000\t0\t0\t0\nvoluntary_ctxt_switches:\t3\n");
	put("proc/4/io", "read_bytes: 5\n");
	put("proc/uptime", "1 1\n");
	open_walk(1 << PIPA_TASK_IO | 1 << PIPA_TASK_STATUS, 10);
	read_processes(2);
	CHECK_EQ(processes.items[0].tid, 4);
	CHECK_STR(processes.items[1].comm, "late");
	CHECK_EQ(processes.items[0].fields[TASK_UID], 1000);
	CHECK_EQ(processes.items[0].fields[TASK_SWITCHES], 3);
	CHECK_EQ(processes.items[0].fields[TASK_READ_BYTES], 5);
	CHECK_EQ(processes.items[1].fields[TASK_READ_BYTES], PIPA_RAW_MISSING);
	CHECK_EQ(processes.items[1].fields[TASK_UID], PIPA_RAW_MISSING);
	done();
}

/* The same numbers with every descriptor kept, with some, and with none. */
TEST(descriptors_beyond_the_limit_are_opened_each_time)
{
	size_t limit;

	for (limit = 0; limit < 3; limit++) {
		put_stat("4", 4, "a", 6, 1, 5);
		put_stat("5", 5, "b", 6, 1, 5);
		open_walk(0, limit);
		read_processes(2);
		put_stat("4", 4, "a", 8, 1, 5);
		put_stat("5", 5, "b", 9, 1, 5);
		read_processes(2);
		CHECK_EQ(processes.items[0].fields[TASK_USER_NS], 80000000);
		CHECK_EQ(processes.items[1].fields[TASK_USER_NS], 90000000);
		done();
		processes = (struct pipa_task_stats){ 0 };
	}
}

TEST(an_ended_task_is_omitted_and_its_descriptor_closed)
{
	char path[400];

	put_stat("4", 4, "a", 6, 1, 5);
	put_stat("5", 5, "b", 6, 1, 5);
	open_walk(0, 1);
	read_processes(2);
	snprintf(path, sizeof(path), "%s/proc/4/stat", pipa_test_dir());
	CHECK_EQ(unlink(path), 0);
	*strrchr(path, '/') = '\0';
	CHECK_EQ(rmdir(path), 0);
	read_processes(1);
	CHECK_EQ(processes.items[0].tid, 5);
	read_processes(1);
	done();
}

TEST(stat_of_a_sleeping_task_is_read_only_now_and_then)
{
	size_t i, changed = 0;

	put("proc/self/schedstat", "1 1 1\n");
	put_stat("4", 4, "a", 6, 1, 5);
	put("proc/4/schedstat", "100 200 3\n");
	open_walk(0, 10);
	read_processes(1);
	CHECK_EQ(processes.items[0].fields[TASK_WAIT_NS], 200);
	put_stat("4", 4, "a", 8, 1, 5);
	for (i = 0; i < 16; i++) { /* now and then it is looked at all the same */
		read_processes(1);
		changed += processes.items[0].fields[TASK_USER_NS] == 80000000;
		if (changed)
			break;
	}
	CHECK(i > 0 && changed);
	put_stat("4", 4, "a", 9, 1, 5);
	put("proc/4/schedstat", "101 200 4\n");
	read_processes(1);
	CHECK_EQ(processes.items[0].fields[TASK_USER_NS], 90000000);
	done();
}

TEST(schedstat_is_not_used_for_processes_with_threads)
{
	put("proc/self/schedstat", "1 1 1\n");
	put_stat("4", 4, "a", 6, 2, 5);
	put("proc/4/schedstat", "100 200 3\n");
	open_walk(0, 10);
	read_processes(1);
	put_stat("4", 4, "a", 8, 2, 5);
	read_processes(1);
	CHECK_EQ(processes.items[0].fields[TASK_USER_NS], 80000000);
	done();
}

TEST(threads_are_those_of_every_process)
{
	put_stat("4", 4, "a", 6, 2, 5);
	put_stat("4/task/4", 4, "a", 6, 2, 5);
	put_stat("4/task/900", 900, "worker", 6, 2, 5);
	put_stat("30", 30, "b", 6, 1, 5);
	put_stat("30/task/30", 30, "b", 6, 1, 5);
	open_walk(0, 10);
	CHECK_EQ(pipa_task_walk_read(walk, NULL, &threads), 0);
	CHECK_EQ(threads.n, 3);
	CHECK_EQ(threads.items[1].tid, 30);
	CHECK_EQ(threads.items[2].tid, 900);
	CHECK_EQ(threads.items[2].tgid, 4);
	CHECK_STR(threads.items[2].comm, "worker");
	done();
}

TEST(a_file_that_is_not_ours_to_read_is_counted_and_the_rest_goes_on)
{
	bool was_root = geteuid() == 0;
	char path[400];

	if (was_root)
		CHECK_EQ(seteuid(65534), 0);
	put("proc/self/io", "");
	put_stat("4", 4, "a", 6, 1, 5);
	put("proc/4/io", "read_bytes: 5\n");
	snprintf(path, sizeof(path), "%s/proc/4/io", pipa_test_dir());
	CHECK_EQ(chmod(path, 0), 0);
	open_walk(1 << PIPA_TASK_IO, 10);
	read_processes(1);
	CHECK_EQ(processes.items[0].fields[TASK_READ_BYTES], PIPA_RAW_MISSING);
	CHECK_EQ(processes.items[0].fields[TASK_USER_NS], 60000000);
	CHECK_EQ(pipa_task_walk_refused(walk, PIPA_TASK_IO), 1);
	CHECK_EQ(pipa_task_walk_refused(walk, PIPA_TASK_STAT), 0);
	read_processes(1);
	CHECK_EQ(pipa_task_walk_refused(walk, PIPA_TASK_IO), 1);
	if (was_root) {
		CHECK_EQ(seteuid(0), 0);
		prctl(PR_SET_DUMPABLE, 1); /* the leak checker looks into this process */
	}
	done();
}

TEST(a_file_that_the_kernel_does_not_have_is_not_looked_for)
{
	put_stat("4", 4, "a", 6, 1, 5);
	open_walk(1 << PIPA_TASK_IO, 10);
	read_processes(1);
	CHECK(pipa_task_walk_refused(walk, PIPA_TASK_IO) == SIZE_MAX);
	done();
}

TEST(the_walk_can_be_limited_to_processes_missing_elsewhere)
{
	struct pipa_task_stat shown[] = { { .tid = 4 }, { .tid = 30 } };
	const struct pipa_task_stats other = { .items = shown, .n = 2 };
	char path[400];

	put_stat("4", 4, "shown", 6, 1, 5);
	put_stat("7", 7, "hidden", 6, 1, 5);
	put_stat("8", 8, "ended", 6, 1, 5);
	put_stat("30", 30, "shown", 6, 1, 5);
	open_walk(0, 10);
	CHECK_EQ(pipa_task_walk_list(walk), 0);
	snprintf(path, sizeof(path), "%s/proc/8/stat", pipa_test_dir());
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(pipa_task_walk_keep_hidden(walk, &other), 1);
	read_processes(1);
	CHECK_EQ(processes.items[0].tid, 7);
	done();
}
