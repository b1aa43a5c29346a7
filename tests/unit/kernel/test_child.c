#include "kernel/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/error.h"
#include "lib/test.h"

static sigset_t no_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	return set;
}

static struct pipa_child start(char *const argv[])
{
	struct pipa_child child = { 0 };
	const struct pipa_child_signals signals = { .mask = no_signals() };
	struct pipa_error err = { 0 };

	if (pipa_child_start(argv, &signals, NULL, NULL, &child, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	return child;
}

static struct pipa_child start_shell(char *script)
{
	char *argv[] = { "sh", "-c", script, NULL };

	return start(argv);
}

static void wait_for(struct pipa_child *child)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	while (!pipa_child_ended(child))
		nanosleep(&pause, NULL);
}

/* Start, release, wait; the status as of wait(2). */
static int run_shell(char *script)
{
	struct pipa_child child = start_shell(script);
	int status;

	CHECK_EQ(pipa_child_release(&child, "sh", NULL), 0);
	wait_for(&child);
	status = child.status;
	pipa_child_done(&child);
	return status;
}

TEST(command_runs_when_released_and_its_status_is_kept)
{
	int status = run_shell("exit 7");

	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 7);
	status = run_shell("kill -9 $$");
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGKILL);
}

TEST(command_waits_until_it_is_released)
{
	struct timespec pause = { .tv_nsec = 30000000 };
	char script[200];
	struct pipa_child child;

	snprintf(script, sizeof(script), "> %s/ran", pipa_test_dir());
	child = start_shell(script);
	nanosleep(&pause, NULL);
	CHECK(!pipa_child_ended(&child));
	CHECK_EQ(chdir(pipa_test_dir()), 0);
	CHECK_EQ(access("ran", F_OK), -1);
	CHECK_EQ(pipa_child_release(&child, "sh", NULL), 0);
	wait_for(&child);
	CHECK_EQ(access("ran", F_OK), 0);
	pipa_child_done(&child);
}

TEST(a_command_that_is_pinned_runs_there_and_we_do_not)
{
	struct pipa_cpus cpus = { 0 };
	cpu_set_t before, after;
	struct pipa_child child;
	char script[128];
	int cpu = 0;

	CHECK_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
	while (!CPU_ISSET((size_t)cpu, &before))
		cpu++;
	CHECK_EQ(pipa_cpus_add(&cpus, cpu), 0);
	snprintf(script, sizeof(script),
		 "grep -q '^Cpus_allowed_list:[[:space:]]*%d$' /proc/self/status", cpu);
	child = start_shell(script);
	CHECK_EQ(pipa_child_pin(&child, &cpus, NULL), 0);
	CHECK_EQ(pipa_child_release(&child, "sh", NULL), 0);
	wait_for(&child);
	CHECK_EQ(child.status, 0);
	CHECK_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
	CHECK(CPU_EQUAL(&before, &after));
	pipa_cpus_done(&cpus);
}

TEST(pinning_to_cpus_that_no_machine_has_is_refused)
{
	struct pipa_child child = start_shell("true");
	struct pipa_cpus cpus = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_cpus_add(&cpus, PIPA_CPU_MAX - 1), 0);
	CHECK_EQ(pipa_child_pin(&child, &cpus, &err), -EINVAL);
	CHECK_HAS(err.what, "CPUs");
	pipa_child_done(&child);
	pipa_cpus_done(&cpus);
}

TEST(release_returns_when_exec_has_happened)
{
	struct pipa_child child = start_shell("kill -STOP $$"); /* a shell, and it stays one */
	char path[64], comm[32] = "";
	FILE *file;

	CHECK_EQ(pipa_child_release(&child, "sh", NULL), 0);
	snprintf(path, sizeof(path), "/proc/%d/comm", child.pid);
	file = fopen(path, "re");
	CHECK(file && fgets(comm, sizeof(comm), file));
	fclose(file);
	CHECK_STR(comm, "sh\n");
	pipa_child_done(&child);
}

TEST(time_of_the_command_is_collected)
{
	struct pipa_child child = start_shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
	struct timeval used;

	CHECK_EQ(pipa_child_release(&child, "sh", NULL), 0);
	wait_for(&child);
	CHECK(child.ended);
	timeradd(&child.usage.ru_utime, &child.usage.ru_stime, &used);
	CHECK(timerisset(&used));
	CHECK(child.usage.ru_maxrss > 0);
	pipa_child_done(&child);
	CHECK_EQ(child.pid, 0);
}

TEST(command_that_does_not_exist_is_reported)
{
	char *argv[] = { "pipa-no-such-command", NULL };
	struct pipa_error err = { 0 };
	struct pipa_child child;

	setenv("PATH", "/usr/bin:/bin", 1); /* an unreadable directory would be EACCES */
	child = start(argv);
	CHECK_EQ(pipa_child_release(&child, argv[0], &err), -ENOENT);
	CHECK_STR(err.what, "cannot run pipa-no-such-command: No such file or directory");
	CHECK_HAS(err.hint, "PATH");
	pipa_child_done(&child);
	CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
	CHECK_EQ(errno, ECHILD);
}

TEST(command_that_is_not_executable_is_reported)
{
	char path[200], *argv[] = { path, NULL };
	struct pipa_error err = { 0 };
	struct pipa_child child;

	pipa_test_file(pipa_test_dir(), "plain", "exit 0\n");
	snprintf(path, sizeof(path), "%s/plain", pipa_test_dir());
	child = start(argv);
	CHECK_EQ(pipa_child_release(&child, "plain", &err), -EACCES);
	CHECK_STR(err.what, "cannot run plain: Permission denied");
	CHECK_HAS(err.hint, "chmod +x");
	pipa_child_done(&child);
	CHECK_EQ(chmod(path, 0755), 0); /* and a script without #! is the shell's, as in a shell */
	child = start(argv);
	CHECK_EQ(pipa_child_release(&child, "plain", NULL), 0);
	pipa_child_done(&child);
}

/* Spawn a script of sh with the signal mask; return its status as of wait(2). */
static int spawn_shell(char *script, const int *streams, sigset_t mask)
{
	char *argv[] = { "sh", "-c", script, NULL };
	const struct pipa_child_signals signals = { .mask = mask };
	struct pipa_child child = { 0 };
	struct pipa_error err = { 0 };

	if (pipa_child_spawn(argv, &signals, streams, NULL, &child, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	wait_for(&child);
	pipa_child_done(&child);
	return child.status;
}

TEST(spawned_command_has_its_streams_and_its_status_is_kept)
{
	int fds[2], streams[3] = { -1, -1, -1 };
	char text[16] = "";
	int status;

	CHECK_EQ(pipe(fds), 0);
	streams[1] = fds[1];
	status = spawn_shell("echo hello; exit 7", streams, no_signals());
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 7);
	CHECK_EQ(read(fds[0], text, sizeof(text) - 1), 6);
	CHECK_STR(text, "hello\n");
	close(fds[0]);
	close(fds[1]);
}

TEST(spawned_command_has_the_given_signal_mask_and_ours_is_unchanged)
{
	/* sigprocmask(2) sets only the bytes of a mask that the kernel has */
	sigset_t mask = no_signals(), before = no_signals(), after = no_signals();
	int status;

	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_SETMASK, NULL, &before);
	status = spawn_shell("kill -TERM $$; exit 3", NULL, mask);
	sigprocmask(SIG_SETMASK, NULL, &after);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 3);
	CHECK_EQ(memcmp(&before, &after, sizeof(before)), 0);
	status = spawn_shell("kill -TERM $$; exit 3", NULL, no_signals());
	CHECK(WIFSIGNALED(status));
}

TEST(spawned_command_that_cannot_be_executed_is_an_error)
{
	char *argv[] = { "pipa-no-such-command", NULL };
	const struct pipa_child_signals signals = { .mask = no_signals() };
	struct pipa_child child = { 0 };
	struct pipa_error err = { 0 };

	NEED_REAL_KERNEL("the emulator forks: memory is not shared");
	setenv("PATH", "/usr/bin:/bin", 1);
	CHECK_EQ(pipa_child_spawn(argv, &signals, NULL, NULL, &child, &err), -ENOENT);
	CHECK_STR(err.what, "cannot run pipa-no-such-command: No such file or directory");
	pipa_child_done(&child);
	CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
	CHECK_EQ(errno, ECHILD);
}

/* sh reads a file without #!, which needs room for the arguments on the stack of the child. */
TEST(spawned_script_without_interpreter_line_gets_many_arguments)
{
	enum { ARGUMENTS = 5000 };
	char path[200], word[] = "x", *argv[ARGUMENTS + 2] = { path };
	const struct pipa_child_signals signals = { .mask = no_signals() };
	struct pipa_child child = { 0 };
	size_t i;

	pipa_test_file(pipa_test_dir(), "plain", "test $# -eq 5000 || exit 1\nexit 42\n");
	snprintf(path, sizeof(path), "%s/plain", pipa_test_dir());
	CHECK_EQ(chmod(path, 0755), 0);
	for (i = 1; i <= ARGUMENTS; i++)
		argv[i] = word;
	CHECK_EQ(pipa_child_spawn(argv, &signals, NULL, NULL, &child, NULL), 0);
	wait_for(&child);
	CHECK_EQ(WEXITSTATUS(child.status), 42);
	pipa_child_done(&child);
}

TEST(command_gets_the_environment_that_is_given)
{
	char *argv[] = { "sh", "-c", "test \"$PIPA_GIVEN\" = yes && test -z \"$PIPA_OURS\"", NULL };
	char given[] = "PIPA_GIVEN=yes", *environment[] = { given, NULL };
	const struct pipa_child_signals signals = { .mask = no_signals() };
	struct pipa_child child = { 0 };

	setenv("PIPA_OURS", "1", 1);
	CHECK_EQ(pipa_child_spawn(argv, &signals, NULL, environment, &child, NULL), 0);
	wait_for(&child);
	CHECK_EQ(WEXITSTATUS(child.status), 0);
	pipa_child_done(&child);
	CHECK_EQ(pipa_child_start(argv, &signals, NULL, environment, &child, NULL), 0);
	CHECK_EQ(pipa_child_release(&child, argv[0], NULL), 0);
	wait_for(&child);
	CHECK_EQ(WEXITSTATUS(child.status), 0);
	pipa_child_done(&child);
}

TEST(script_with_a_missing_interpreter_is_reported)
{
	char path[200], *argv[] = { path, NULL };
	struct pipa_error err = { 0 };
	struct pipa_child child;

	pipa_test_file(pipa_test_dir(), "script", "#!/no/such/interpreter\n");
	snprintf(path, sizeof(path), "%s/script", pipa_test_dir());
	CHECK_EQ(chmod(path, 0755), 0);
	child = start(argv);
	CHECK_EQ(pipa_child_release(&child, path, &err), -ENOENT);
	CHECK_HAS(err.hint, "interpreter");
	pipa_child_done(&child);
}

TEST(command_ignores_sigchld_if_pipa_was_started_so)
{
	char *argv[] = { "grep", "-q", "^SigIgn:.*[13579bdf]....$", "/proc/self/status", NULL };
	struct pipa_child_signals signals = { .mask = no_signals() };
	struct pipa_child child = { 0 };
	int ignored;

	for (ignored = 0; ignored < 2; ignored++) {
		signals.ignore_sigchld = ignored;
		CHECK_EQ(pipa_child_start(argv, &signals, NULL, NULL, &child, NULL), 0);
		CHECK_EQ(pipa_child_release(&child, "sh", NULL), 0);
		wait_for(&child);
		CHECK_EQ(WEXITSTATUS(child.status), !ignored);
		pipa_child_done(&child);
	}
}

/* Two commands in one process: signals for the tree of one do not reach the other. */
TEST(signals_reach_the_descendants_of_one_command)
{
	struct pipa_child first = start_shell("sleep 60 & wait"), other = start_shell("sleep 60");

	CHECK_EQ(pipa_child_release(&first, "sh", NULL), 0);
	CHECK_EQ(pipa_child_release(&other, "sh", NULL), 0);
	pipa_child_signal_all(&first, false, SIGTERM);
	wait_for(&first);
	CHECK(!pipa_child_ended(&other));
	pipa_child_signal_all(&first, false, SIGKILL); /* it has ended: its PID may be another's */
	CHECK(!pipa_child_ended(&other));
	pipa_child_signal_all(&other, true, SIGTERM); /* all descendants of this process */
	wait_for(&other);
	CHECK_EQ(WTERMSIG(other.status), SIGTERM);
	pipa_child_done(&first);
	pipa_child_done(&other);
}

TEST(command_killed_before_exec_has_its_signal_as_status)
{
	struct pipa_child child = start_shell("exit 0");
	struct pipa_error err = { 0 };

	signal(SIGPIPE, SIG_IGN);
	kill(child.pid, SIGINT); /* its mask is the one it shall have: Ctrl-C reaches it */
	CHECK_EQ(waitid(P_PID, (id_t)child.pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	CHECK_EQ(pipa_child_release(&child, "sh", &err), 0);
	CHECK(pipa_child_ended(&child));
	CHECK_EQ(WTERMSIG(child.status), SIGINT);
	pipa_child_done(&child);
}

TEST(command_has_the_signal_mask_it_was_given)
{
	char *argv[] = { "sh", "-c", "kill -TERM $$; exit 3", NULL };
	struct pipa_child_signals signals = { .mask = no_signals() };
	sigset_t block_all;
	struct pipa_child child = { 0 };

	sigfillset(&block_all); /* ours is another */
	sigprocmask(SIG_SETMASK, &block_all, NULL);
	CHECK_EQ(pipa_child_start(argv, &signals, NULL, NULL, &child, NULL), 0);
	CHECK_EQ(pipa_child_release(&child, "sh", NULL), 0);
	wait_for(&child);
	CHECK(WIFSIGNALED(child.status));
	CHECK_EQ(WTERMSIG(child.status), SIGTERM);
	pipa_child_done(&child);

	sigaddset(&signals.mask, SIGTERM);
	CHECK_EQ(pipa_child_start(argv, &signals, NULL, NULL, &child, NULL), 0);
	CHECK_EQ(pipa_child_release(&child, "sh", NULL), 0);
	wait_for(&child);
	CHECK_EQ(WEXITSTATUS(child.status), 3);
	pipa_child_done(&child);
}

TEST(command_inherits_our_descriptors_and_none_of_its_holding)
{
	/* the shell lists those of 3 to 39 that are open in it */
	char *script = "i=3; while [ $i -lt 40 ]; do [ -e /proc/$$/fd/$i ] && echo $i; "
		       "i=$((i+1)); done";
	char want[300] = "", got[300] = "";
	size_t len = 0;
	struct pipa_child child;
	int out[2], fd, stdout_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 50);

	CHECK_EQ(pipe2(out, O_CLOEXEC), 0);
	CHECK(fcntl(out[1], F_DUPFD, 20) >= 20); /* one that it shall see */
	for (fd = 3; fd < 40; fd++)
		if (fcntl(fd, F_GETFD) == 0)
			len += (size_t)snprintf(want + len, sizeof(want) - len, "%d\n", fd);
	dup2(out[1], STDOUT_FILENO);
	child = start_shell(script);
	dup2(stdout_fd, STDOUT_FILENO);
	CHECK_EQ(pipa_child_release(&child, "sh", NULL), 0);
	wait_for(&child);
	CHECK(read(out[0], got, sizeof(got) - 1) > 0);
	CHECK_STR(got, want);
	pipa_child_done(&child);
}

TEST(command_keeps_our_process_group)
{
	struct pipa_child child = start_shell("exec sleep 60");

	CHECK_EQ(getpgid(child.pid), getpgrp());
	pipa_child_done(&child);
}

TEST(held_command_exits_unrun_when_we_die)
{
	char script[200];
	int status = 0;
	pid_t middle;

	snprintf(script, sizeof(script), "> %s/ran", pipa_test_dir());
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		SKIP("no subreaper: %s", strerror(errno));
	middle = fork();
	if (middle == 0) {
		struct pipa_child child = start_shell(script);

		kill(getpid(), SIGKILL); /* no chance to clean up */
		_exit(child.pid != 0);
	}
	CHECK_EQ(waitpid(middle, &status, 0), middle);
	CHECK_EQ(WTERMSIG(status), SIGKILL);
	CHECK(wait(&status) > 0); /* the held one became ours */
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 125);
	CHECK_EQ(chdir(pipa_test_dir()), 0);
	CHECK_EQ(access("ran", F_OK), -1);
}

TEST(giving_up_ends_a_held_and_a_running_command)
{
	struct pipa_child held = start_shell("exec sleep 60"),
			  running = start_shell("exec sleep 60");

	CHECK_EQ(pipa_child_release(&running, "sh", NULL), 0);
	pipa_child_done(&held);
	pipa_child_done(&running);
	CHECK_EQ(WTERMSIG(running.status), SIGKILL);
	CHECK_EQ(held.pid, 0);
	CHECK_EQ(running.pid, 0);
	CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
	CHECK_EQ(errno, ECHILD);
	pipa_child_done(&held); /* twice is harmless */
	CHECK(!pipa_child_ended(&held));
}

TEST(nothing_started_is_nothing_to_end)
{
	struct pipa_child child = { 0 };

	CHECK(!pipa_child_ended(&child));
	pipa_child_done(&child);
}

TEST(without_descriptors_nothing_is_started)
{
	char *argv[] = { "true", NULL };
	struct pipa_child child = { .pid = 42 };
	struct pipa_error err = { 0 };
	const struct pipa_child_signals signals = { .mask = no_signals() };
	int first = dup(STDIN_FILENO), last = first, fd, room;

	while ((fd = dup(STDIN_FILENO)) >= 0)
		last = fd;
	for (room = 0; room < 4; room += 2) { /* for no pipe, then for one of the two */
		CHECK_EQ(pipa_child_start(argv, &signals, NULL, NULL, &child, &err), -EMFILE);
		CHECK_STR(err.what, "cannot start true: Too many open files");
		CHECK_EQ(child.pid, 42);
		close(first++);
		close(first++);
	}
	for (fd = first; fd <= last; fd++)
		close(fd);
}

/* It is a fork of us until it execs: with our memory, which the kernel keeps as its highest. */
TEST(resource_usage_before_exec_is_recorded_separately)
{
	enum { BYTES = 64 << 20, PAGE = 4096 };
	volatile char *ours = malloc(BYTES);
	struct pipa_child child;
	size_t i;

	CHECK(ours);
	for (i = 0; i < BYTES; i += PAGE)
		ours[i] = 1;
	child = start_shell(":");
	free((void *)ours);
	CHECK_EQ(pipa_child_release(&child, "sh", NULL), 0);
	wait_for(&child);
	CHECK(child.before.ru_maxrss >= BYTES / 1024);
	CHECK(child.usage.ru_maxrss >= child.before.ru_maxrss);
	CHECK(child.before.ru_minflt > 0);
	CHECK(child.usage.ru_minflt > child.before.ru_minflt);
	pipa_child_done(&child);
}
