#include "measure/follow.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/loop.h"
#include "base/vec.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "kernel/process/task.h"
#include "measure/target.h"

enum { KILL_GRACE_MS = 2000, WATCH_MS = 100 };

void pipa_follow_stop(struct pipa_follow *f)
{
	if (!f->end_ns)
		f->end_ns = pipa_clock_ns();
	pipa_loop_stop(f->loop);
}

static bool owns_process(const struct pipa_follow *f)
{
	return f->host && f->host->owns_process;
}

static void signal_command(const struct pipa_follow *f, int sig)
{
	pipa_child_signal_all(&f->child, owns_process(f), sig);
}

static int on_kill(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err PIPA_UNUSED)
{
	struct pipa_follow *f = ctx;

	if (!f->child.ended && f->child.pid > 0)
		signal_command(f, SIGKILL);
	return 0;
}

/* End the measurement at its time limit: SIGTERM to the command, SIGKILL later. */
static int on_timeout(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err)
{
	struct pipa_follow *f = ctx;

	f->end_ns = pipa_clock_ns();
	if (!f->command) {
		pipa_follow_stop(f);
		return 0;
	}
	f->timed_out = true;
	signal_command(f, SIGTERM);
	signal_command(f, SIGCONT); /* so that a stopped process handles SIGTERM */
	return pipa_loop_timer(f->loop, f->end_ns + KILL_GRACE_MS * PIPA_NS_PER_MS, 0, on_kill, f,
			       err);
}

/* Stop waiting for the command: pipa_follow_end() kills it. */
static void abandon_command(struct pipa_follow *f, int sig)
{
	f->status = 128 + sig;
	pipa_follow_stop(f);
}

static int on_signal(void *ctx, const struct signalfd_siginfo *info,
		     struct pipa_error *err PIPA_UNUSED)
{
	struct pipa_follow *f = ctx;

	if (info->ssi_signo == SIGCHLD) {
		if (f->command && pipa_child_ended(&f->child))
			pipa_follow_stop(f);
		return 0;
	}
	if (info->ssi_signo == SIGWINCH) {
		f->resized(f->ctx);
		return 0;
	}
	if (info->ssi_signo == SIGUSR1 || info->ssi_signo == SIGUSR2) {
		kill(f->child.pid, (int)info->ssi_signo); /* forward it */
		return 0;
	}
	f->stopped = (int)info->ssi_signo;
	if (!f->command) {
		f->status = 128 + (int)info->ssi_signo;
		if (info->ssi_signo ==
		    SIGINT) /* the usual way to end a measurement without a command */
			f->status = 0;
		pipa_follow_stop(f);
	} else if (info->ssi_code != SI_KERNEL && f->child.pid > 0) {
		if (f->whole_tree)
			signal_command(f, (int)info->ssi_signo);
		else /* the terminal has sent it to the command already */
			kill(f->child.pid, (int)info->ssi_signo);
		if (pipa_interrupt_count() > 1)
			abandon_command(f, (int)info->ssi_signo);
	}
	return 0;
}

static int on_target_gone(void *ctx, struct pipa_error *err PIPA_UNUSED)
{
	struct pipa_follow *f = ctx;
	size_t i;

	for (i = 0; i < f->n_pidfds; i++) {
		if (f->pidfds[i] < 0 || !pipa_task_ended(f->pidfds[i]))
			continue;
		pipa_loop_unwatch(f->loop, f->pidfds[i]);
		close(f->pidfds[i]);
		f->pidfds[i] = -1;
		f->alive--;
	}
	if (!f->alive && !f->command)
		pipa_follow_stop(f);
	return 0;
}

/* Check whether threads still exist, on kernels without pidfds for threads. */
static int on_task_check(void *ctx, uint64_t expirations PIPA_UNUSED,
			 struct pipa_error *err PIPA_UNUSED)
{
	struct pipa_follow *f = ctx;
	size_t i;

	for (i = 0; i < f->tasks->n; i++)
		if (pipa_root_has(f->host->root, PIPA_PROC, "%d", f->tasks->items[i].tid))
			return 0;
	if (!f->command)
		pipa_follow_stop(f);
	return 0;
}

int pipa_follow_tasks(struct pipa_follow *f, const struct pipa_tasks *tasks, struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	f->tasks = tasks;
	f->pidfds = calloc(tasks->n + 1, sizeof(*f->pidfds));
	if (!f->pidfds)
		return pipa_fail(err, -ENOMEM, "watch threads");
	for (i = 0; !rc && i < tasks->n; i++) {
		int fd;

		/* one pidfd of the process becomes readable when its last thread ends */
		if (tasks->items[i].pid && tasks->items[i].pid != tasks->items[i].tid)
			continue;
		fd = pipa_task_pidfd(tasks->items[i].tid);

		if (fd == -ESRCH)
			continue;
		if (fd < 0)
			return pipa_loop_timer(f->loop, pipa_clock_ns(), WATCH_MS * PIPA_NS_PER_MS,
					       on_task_check, f, err);
		f->pidfds[f->n_pidfds++] = fd;
		f->alive++;
		rc = pipa_loop_watch(f->loop, fd, on_target_gone, f, err);
	}
	if (!rc && !f->alive)
		rc = pipa_refuse(err, -ESRCH, "all target threads have exited");
	return rc;
}

/* Is the signal ignored (nohup)? A blocked signal would be read from the signalfd even so. */
static bool is_ignored(int sig)
{
	struct sigaction action;

	return sig != SIGCHLD && sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* Read the signals of the process, if this session owns it. */
static int watch_signals(struct pipa_follow *f, struct pipa_error *err)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	sigset_t set;
	size_t i;

	if (!owns_process(f))
		return 0;
	sigemptyset(&set);
	for (i = 0; i < PIPA_COUNT(signals); i++)
		if (!is_ignored(signals[i]))
			sigaddset(&set, signals[i]);
	if (f->command) {
		sigaddset(&set, SIGUSR1);
		sigaddset(&set, SIGUSR2);
	}
	if (f->resized)
		sigaddset(&set, SIGWINCH);
	return pipa_loop_signals(f->loop, &set, on_signal, f, err);
}

int pipa_follow_aim(struct pipa_follow *f, struct pipa_target_list *targets, struct pipa_error *err)
{
	struct pipa_task *task;

	if (!targets->by_command)
		return 0;
	targets->tasks.n = 0;
	task = PIPA_VEC_ADD(
		&targets->tasks); /* until its exec the command's name is pipa's: no need to read it */
	if (!task)
		return pipa_fail(err, -ENOMEM, "start %s", f->command[0]);
	task->tid = f->child.pid;
	return 0;
}

/* Check for the end of the command. SIGCHLD is per process: another job may have read it. */
static int on_command_end(void *ctx, struct pipa_error *err PIPA_UNUSED)
{
	struct pipa_follow *f = ctx;

	if (!pipa_child_ended(&f->child))
		return 0;
	pipa_loop_unwatch(f->loop, f->command_fd);
	pipa_follow_stop(f);
	return 0;
}

static int on_command_poll(void *ctx, uint64_t expirations PIPA_UNUSED,
			   struct pipa_error *err PIPA_UNUSED)
{
	struct pipa_follow *f = ctx;

	if (pipa_child_ended(&f->child))
		pipa_follow_stop(f);
	return 0;
}

/*
 * Watch for the end of the command. Linux before 5.3 has no pidfds: SIGCHLD reports it to the owner of the
 * process, others poll.
 */
static int watch_command(struct pipa_follow *f, struct pipa_error *err)
{
	int fd = pipa_task_pidfd(f->child.pid);

	if (fd < 0 && owns_process(f))
		return 0;
	if (fd < 0)
		return pipa_loop_timer(f->loop, pipa_clock_ns(), WATCH_MS * PIPA_NS_PER_MS,
				       on_command_poll, f, err);
	f->command_fd = fd;
	f->command_watched = true;
	return pipa_loop_watch(f->loop, fd, on_command_end, f, err);
}

/* Start the command, blocked before its exec or spawned, and watch for its end. */
static int start_command(struct pipa_follow *f, struct pipa_error *err)
{
	const struct pipa_child_signals *signals = f->command_signals ? f->command_signals :
									&f->own_signals;
	int rc = f->spawn ? pipa_child_spawn(f->command, signals, f->streams, f->environment,
					     &f->child, err) :
			    pipa_child_start(f->command, signals, f->streams, f->environment,
					     &f->child, err);

	if (!rc && !f->shared_loop) /* the owner of a shared loop decides what ends it */
		rc = watch_command(f, err);
	return rc;
}

int pipa_follow_begin(struct pipa_follow *f, struct pipa_error *err)
{
	int rc = f->shared_loop ? 0 : pipa_loop_new(&f->loop, err);

	if (f->shared_loop)
		f->loop = f->shared_loop;
	f->end_ns = 0;
	f->timed_out = false;
	f->alive = 0;
	if ((f->limited || f->whole_tree) && f->command && owns_process(f))
		pipa_child_adopt_orphans();
	f->own_signals.ignore_sigchld = false;
	pthread_sigmask(SIG_BLOCK, NULL, &f->own_signals.mask);
	if (!rc && !f->shared_loop)
		rc = watch_signals(f, err);
	if (!rc && f->command && !f->spawn)
		rc = start_command(f, err);
	return rc;
}

int pipa_follow_limit(struct pipa_follow *f, uint64_t at_ns, struct pipa_error *err)
{
	return pipa_loop_timer(f->loop, at_ns, 0, on_timeout, f, err);
}

int pipa_follow_release(struct pipa_follow *f, bool *ret_exec_failed, struct pipa_error *err)
{
	int rc = f->spawn ? start_command(f, err) :
			    pipa_child_release(&f->child, f->command[0], err);

	*ret_exec_failed = rc < 0 && f->child.pid > 0;
	return rc;
}

void pipa_follow_finish(struct pipa_follow *f)
{
	if (f->child.ended)
		f->status = WIFSIGNALED(f->child.status) ? 128 + WTERMSIG(f->child.status) :
							   WEXITSTATUS(f->child.status);
	if (f->timed_out) /* SIGKILL its remaining processes, which had SIGTERM too */
		signal_command(f, SIGKILL);
}

void pipa_follow_end(struct pipa_follow *f)
{
	size_t i;

	if (f->command_watched)
		pipa_fd_close(f->command_fd);
	f->command_watched = false;
	pipa_child_done(&f->child);
	for (i = 0; i < f->n_pidfds; i++)
		pipa_fd_close(f->pidfds[i]);
	free(f->pidfds);
	f->pidfds = NULL;
	f->n_pidfds = 0;
	if (!f->shared_loop)
		pipa_loop_free(f->loop);
	f->loop = NULL;
}
