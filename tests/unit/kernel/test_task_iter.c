#include "kernel/bpf/task_iter.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/machine/root.h"
#include "kernel/process/task_walk.h"
#include "lib/test.h"

static void check_time(struct pipa_cputime time, uint64_t user, uint64_t system)
{
	CHECK_EQ(time.user_ns, user);
	CHECK_EQ(time.system_ns, system);
}

TEST(cpu_times_are_tick_samples_scaled_to_the_run_time)
{
	const struct pipa_cputime none = { 0 };

	check_time(pipa_cputime_scale((struct pipa_cputime){ 30, 10 }, 80, none), 60, 20);
	check_time(pipa_cputime_scale((struct pipa_cputime){ 0, 10 }, 80, none), 0, 80);
	check_time(pipa_cputime_scale((struct pipa_cputime){ 10, 0 }, 80, none), 80, 0);
	check_time(pipa_cputime_scale(none, 80, none), 80, 0); /* the tick saw nothing */
	check_time(pipa_cputime_scale((struct pipa_cputime){ UINT64_MAX / 4, UINT64_MAX / 4 },
				      UINT64_MAX / 2, none),
		   UINT64_MAX / 2 - UINT64_MAX / 4, UINT64_MAX / 4);
}

TEST(cpu_times_never_fall_below_reported_ones)
{
	const struct pipa_cputime seen = { 30, 10 };

	check_time(pipa_cputime_scale(seen, 80, (struct pipa_cputime){ 70, 5 }), 70, 10);
	check_time(pipa_cputime_scale(seen, 80, (struct pipa_cputime){ 10, 40 }), 40, 40);
	check_time(pipa_cputime_scale(seen, 80, (struct pipa_cputime){ 60, 30 }), 60, 30);
}

TEST(states_have_the_letters_of_proc)
{
	CHECK_EQ(pipa_task_state(0, 0), 'R');
	CHECK_EQ(pipa_task_state(1, 0), 'S');
	CHECK_EQ(pipa_task_state(2, 0), 'D');
	CHECK_EQ(pipa_task_state(4, 0), 'T');
	CHECK_EQ(pipa_task_state(8, 0), 't');
	CHECK_EQ(pipa_task_state(0x402, 0), 'I');
	CHECK_EQ(pipa_task_state(0x80, 0x20), 'Z');
	CHECK_EQ(pipa_task_state(0x2001, 0), 'S'); /* with a bit that is not shown */
}

/* ---- the iterator beside /proc: a process that holds still has the same numbers in both ----------- */

/* A child that has run, written and faulted, and pauses; some threads' worth of switches too. */
static pid_t start_child(void)
{
	enum { PAGES = 300 };
	int ready[2];
	pid_t child;
	char byte;

	CHECK_EQ(pipe(ready), 0);
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		volatile unsigned long turns;
		char *at = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "still) (life");
		for (turns = 0; turns < 50000000; turns++)
			;
		for (turns = 0; turns < PAGES && at != MAP_FAILED; turns++)
			at[turns * 4096] = 1;
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	CHECK_EQ(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static const struct pipa_task_stat *find(const struct pipa_task_stats *list, pid_t tid)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->items[i].tid == tid)
			return &list->items[i];
	pipa_test_fail(__FILE__, __LINE__, "task %d is not listed", tid);
}

static void check_ascending(const struct pipa_task_stats *list)
{
	size_t i;

	for (i = 1; i < list->n; i++)
		CHECK(list->items[i - 1].tid < list->items[i].tid);
}

static void check_equal(const struct pipa_task_stat *a, const struct pipa_task_stat *b)
{
	enum { TICK_NS = 10000000 };
	size_t i;

	CHECK_STR(a->comm, b->comm);
	CHECK_EQ(a->tgid, b->tgid);
	CHECK_EQ(a->state, b->state);
	for (i = 0; i < TASK_FIELDS; i++) {
		bool in_ticks = i == TASK_START_NS || i == TASK_USER_NS || i == TASK_SYSTEM_NS ||
				i == TASK_GUEST_NS || i == TASK_IO_DELAY_NS;
		uint64_t off = a->fields[i] - b->fields[i];

		if (b->fields[i] == PIPA_RAW_MISSING) /* /proc has less: no scheduler statistics */
			continue;
		if (in_ticks ? off >= TICK_NS : off != 0)
			pipa_test_fail(__FILE__, __LINE__, "field %zu: %llu by BPF, %llu by text",
				       i, (unsigned long long)a->fields[i],
				       (unsigned long long)b->fields[i]);
	}
}

TEST(the_bpf_iterator_and_proc_give_equal_statistics)
{
	const unsigned int files = 1 << PIPA_TASK_IO | 1 << PIPA_TASK_STATUS;
	struct pipa_task_stats by_bpf = { 0 }, by_text = { 0 }, threads = { 0 };
	struct pipa_task_iter *iter;
	struct pipa_task_walk *walk;
	struct pipa_root *root;
	pid_t child;
	int rc;

	CHECK_EQ(pipa_root_open(NULL, &root, NULL), 0);
	rc = pipa_task_iter_open(root, &iter);
	CHECK(rc != -EACCES && rc != -EINVAL); /* the program itself was refused */
	if (rc < 0)
		SKIP("no BPF task iterator here: %s", strerror(-rc));
	CHECK_EQ(pipa_task_walk_open(root, files, 10, &walk, NULL), 0);
	child = start_child();
	while (waitpid(child, NULL, WNOHANG) == 0) { /* until it pauses */
		CHECK_EQ(pipa_task_walk_read(walk, &by_text, NULL), 0);
		if (find(&by_text, child)->state == 'S')
			break;
		usleep(1000);
	}
	CHECK_EQ(pipa_task_iter_read(iter, &by_bpf, &threads), 0);
	check_ascending(&by_bpf);
	check_ascending(&by_text);
	check_ascending(&threads);
	CHECK(find(&by_bpf, child)->fields[TASK_USER_NS] > 0);
	CHECK(find(&by_bpf, child)->fields[TASK_MINFLT] >= 300);
	CHECK_STR(find(&by_bpf, child)->comm, "still) (life");
	check_equal(find(&by_bpf, child), find(&by_text, child));
	CHECK_EQ(pipa_task_walk_read(walk, NULL, &by_text), 0);
	check_equal(find(&threads, child), find(&by_text, child));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	pipa_task_iter_close(iter);
	pipa_task_walk_close(walk);
	pipa_root_close(root);
	free(by_bpf.items);
	free(by_text.items);
	free(threads.items);
}

TEST(the_iterator_is_not_supported_for_another_root)
{
	struct pipa_task_iter *iter = NULL;
	struct pipa_root *root;

	pipa_test_file(pipa_test_dir(), "proc/nothing", "");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	CHECK_EQ(pipa_task_iter_open(root, &iter), -EOPNOTSUPP);
	CHECK(!iter);
	pipa_root_close(root);
}
