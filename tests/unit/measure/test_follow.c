/* Targets that are followed: a command, running processes, a time limit, signals. */
#include "measure/follow.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/loop.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "lib/test.h"
#include "measure/target.h"

static struct pipa_follow follow_of(char *const *command)
{
	return (struct pipa_follow){ .command = (char **)(uintptr_t)command,
				     .child = { .go = -1, .failed = -1 } };
}

static int run(struct pipa_follow *f, struct pipa_error *err)
{
	bool exec_failed = false;
	int rc = pipa_follow_release(f, &exec_failed, err);

	CHECK(!exec_failed);
	if (!rc)
		rc = pipa_loop_run(f->loop, err);
	pipa_follow_finish(f);
	return rc;
}

TEST(the_status_of_a_command_is_that_of_the_session)
{
	static char *const exits[] = { "/bin/sh", "-c", "exit 7", NULL };
	static char *const dies[] = { "/bin/sh", "-c", "kill -KILL $$", NULL };
	struct pipa_error err = { 0 };
	struct pipa_follow f = follow_of(exits);

	CHECK_EQ(pipa_follow_begin(&f, &err), 0);
	CHECK_EQ(run(&f, &err), 0);
	CHECK_EQ(f.status, 7);
	CHECK(f.end_ns && !f.stopped);
	pipa_follow_end(&f);
	pipa_follow_end(&f); /* harmless */

	f = follow_of(dies);
	CHECK_EQ(pipa_follow_begin(&f, &err), 0);
	CHECK_EQ(run(&f, &err), 0);
	CHECK_EQ(f.status, 128 + SIGKILL);
	pipa_follow_end(&f);
}

TEST(a_command_that_was_not_released_is_killed)
{
	static char *const command[] = { "/bin/sleep", "1000", NULL };
	struct pipa_error err = { 0 };
	struct pipa_follow f = follow_of(command);
	pid_t pid;

	CHECK_EQ(pipa_follow_begin(&f, &err), 0);
	pid = f.child.pid;
	CHECK_EQ(kill(pid, 0), 0);
	pipa_follow_end(&f);
	CHECK(kill(pid, 0) < 0 && errno == ESRCH);
}

TEST(the_command_becomes_the_task_of_targets_that_are_by_command)
{
	static char *const command[] = { "/bin/true", NULL };
	struct pipa_target_list by_command = { .by_command = true }, other = { 0 };
	struct pipa_error err = { 0 };
	struct pipa_follow f = follow_of(command);

	CHECK_EQ(pipa_follow_begin(&f, &err), 0);
	CHECK_EQ(pipa_follow_aim(&f, &by_command, &err), 0);
	CHECK_EQ(pipa_follow_aim(&f, &by_command, &err), 0); /* once, however often it is opened */
	CHECK_EQ(by_command.tasks.n, 1);
	CHECK_EQ(by_command.tasks.items[0].tid, f.child.pid);
	CHECK_EQ(pipa_follow_aim(&f, &other, &err), 0);
	CHECK_EQ(other.tasks.n, 0);
	pipa_target_list_done(&by_command);
	pipa_follow_end(&f);
}

TEST(a_command_out_of_time_is_terminated)
{
	static char *const command[] = { "/bin/sleep", "1000", NULL };
	struct pipa_error err = { 0 };
	struct pipa_follow f = follow_of(command);

	f.limited = true;
	CHECK_EQ(pipa_follow_begin(&f, &err), 0);
	CHECK_EQ(pipa_follow_limit(&f, pipa_clock_ns() + 20 * PIPA_NS_PER_MS, &err), 0);
	CHECK_EQ(run(&f, &err), 0);
	CHECK(f.timed_out);
	CHECK_EQ(f.status, 128 + SIGTERM);
	pipa_follow_end(&f);
}

TEST(without_a_command_a_signal_ends_it)
{
	static const struct {
		int signal, status;
	} rows[] = { { SIGINT, 0 }, { SIGTERM, 128 + SIGTERM }, { SIGHUP, 128 + SIGHUP } };
	struct pipa_error err = { 0 };
	size_t i;

	pipa_interrupt_enable();
	for (i = 0; i < PIPA_COUNT(rows); i++) {
		const struct pipa_host host = { .owns_process = true };
		struct pipa_follow f = follow_of(NULL);

		f.host = &host;
		CHECK_EQ(pipa_follow_begin(&f, &err), 0);
		raise(rows[i].signal);
		CHECK_EQ(pipa_loop_run(f.loop, &err), 0);
		CHECK(f.stopped);
		CHECK_EQ(f.status, rows[i].status);
		pipa_follow_end(&f);
	}
}

TEST(following_ends_with_the_last_task)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	struct pipa_tasks list;
	struct pipa_host host = { 0 };
	struct pipa_error err = { 0 };
	struct pipa_follow f = follow_of(NULL);
	struct pipa_task tasks[2] = { 0 };
	int i;

	CHECK_EQ(pipa_root_open(NULL, &root, NULL), 0);
	for (i = 0; i < 2; i++) {
		tasks[i].tid = tasks[i].pid = fork();
		if (tasks[i].tid == 0) {
			usleep(20000 * (unsigned int)(i + 1));
			_exit(0);
		}
	}
	list = (struct pipa_tasks){ tasks, 2, 2 };
	host.root = root;
	f.host = &host;
	CHECK_EQ(pipa_follow_begin(&f, &err), 0);
	CHECK_EQ(pipa_follow_tasks(&f, &list, &err), 0);
	CHECK_EQ(pipa_loop_run(f.loop, &err), 0);
	CHECK(!f.stopped);
	CHECK_EQ(f.status, 0);
	pipa_follow_end(&f);
	for (i = 0; i < 2; i++)
		CHECK_EQ(waitpid(tasks[i].tid, NULL, WNOHANG), tasks[i].tid);
	CHECK_EQ(pipa_follow_begin(&f, &err), 0);
	CHECK_EQ(pipa_follow_tasks(&f, &list, &err), -ESRCH); /* they have been reaped */
	pipa_follow_end(&f);
}

static int stop_loop(void *ctx, uint64_t expirations PIPA_UNUSED,
		     struct pipa_error *err PIPA_UNUSED)
{
	pipa_loop_stop(ctx);
	return 0;
}

TEST(a_loop_of_the_caller_is_used_and_left)
{
	static char *const command[] = { "/bin/true", NULL };
	struct pipa_error err = { 0 };
	struct pipa_follow f = follow_of(command);
	struct pipa_loop *loop = NULL;
	bool exec_failed = true;

	CHECK_EQ(pipa_loop_new(&loop, &err), 0);
	f.shared_loop = loop;
	CHECK_EQ(pipa_follow_begin(&f, &err), 0);
	CHECK(f.loop == loop);
	CHECK_EQ(pipa_follow_release(&f, &exec_failed, &err), 0);
	CHECK(!exec_failed);
	pipa_follow_end(&f);
	CHECK(!f.loop);
	CHECK_EQ(pipa_loop_timer(loop, pipa_clock_ns(), 0, stop_loop, loop, &err), 0);
	CHECK_EQ(pipa_loop_run(loop, &err), 0);
	pipa_loop_free(loop);
}
