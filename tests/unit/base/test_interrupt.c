#include "base/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/file.h"
#include "lib/test.h"

static sigset_t stops;

static void watch(void)
{
	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	pipa_interrupt_enable();
	pipa_interrupt_watch(&stops);
	sigprocmask(SIG_BLOCK, &stops, NULL);
}

/* A pipe with no room left. */
static void full_pipe(int fds[2])
{
	static const char page[4096];

	CHECK_EQ(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	while (write(fds[1], page, sizeof(page)) > 0)
		;
	CHECK_EQ(fcntl(fds[1], F_SETFL, O_WRONLY), 0);
}

/* Run fn in a process of its own: its exit status, or minus the signal that ended it. */
static int apart(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(fn());
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int write_after_a_signal(void)
{
	int fds[2];

	full_pipe(fds);
	watch();
	raise(SIGTERM);
	if (pipa_file_write(fds[1], "x", 1) != -PIPA_EGIVEN_UP)
		return 1;
	if (pipa_interrupt_count() != 1 || pipa_interrupt_signal() != SIGTERM)
		return 2;
	if (!pipa_interrupt_gave_up())
		return 3;
	if (!pipa_interrupt_expired())
		return 4;
	pipa_interrupt_progress(); /* of a file, after which a further line would wait for a second again */
	return pipa_interrupt_expired() ? 0 : 5;
}

TEST(a_write_that_blocks_is_given_up_after_a_signal)
{
	NEED_REAL_KERNEL("it sets si_errno to 0");
	CHECK_EQ(apart(write_after_a_signal), 0);
}

static int signal_is_queued_again(void)
{
	struct signalfd_siginfo info;
	int fds[2], fd;

	full_pipe(fds);
	watch();
	fd = signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK);
	raise(SIGINT);
	if (pipa_file_write(fds[1], "x", 1) != -PIPA_EGIVEN_UP)
		return 1;
	if (read(fd, &info, sizeof(info)) != sizeof(info) || info.ssi_signo != SIGINT)
		return 2;
	pipa_interrupt_note(&info); /* it was counted already */
	if (pipa_interrupt_count() != 1)
		return 3;
	return read(fd, &info, sizeof(info)) < 0 ? 0 : 4;
}

TEST(a_signal_that_interrupts_a_write_reaches_the_signalfd)
{
	NEED_REAL_KERNEL("it sets si_errno to 0");
	CHECK_EQ(apart(signal_is_queued_again), 0);
}

static int room_is_made(void)
{
	static char page[65536];
	int fds[2], go[2];
	pid_t pid;

	full_pipe(fds);
	watch();
	if (pipe2(go, O_CLOEXEC) < 0)
		return 1;
	pid = fork();
	if (pid == 0) { /* read only after the writer was interrupted */
		fcntl(fds[0], F_SETFL, O_RDONLY);
		close(fds[1]);
		kill(getppid(), SIGINT);
		while (read(fds[0], page, sizeof(page)) > 0)
			;
		_exit(0);
	}
	if (pipa_file_write(fds[1], page, sizeof(page)) != 0)
		return 2;
	close(fds[1]);
	waitpid(pid, NULL, 0);
	return pipa_interrupt_gave_up() ? 3 : 0;
}

TEST(a_reader_that_goes_on_reading_gets_everything)
{
	CHECK_EQ(apart(room_is_made), 0);
}

static int second_signal(void)
{
	int fds[2];

	full_pipe(fds);
	watch();
	raise(SIGINT);
	pipa_file_write(fds[1], "x", 1);
	raise(SIGTERM); /* more than a second later: another request */
	if (pipa_file_write(fds[1], "x", 1) != -PIPA_EGIVEN_UP)
		return 1;
	return pipa_interrupt_count() == 2 && pipa_interrupt_signal() == SIGINT ? 0 : 2;
}

TEST(the_second_signal_is_counted)
{
	NEED_REAL_KERNEL("it sets si_errno to 0");
	CHECK_EQ(apart(second_signal), 0);
}

static int both_at_once(void)
{
	int fds[2];

	full_pipe(fds);
	watch();
	raise(SIGTERM);
	raise(SIGINT);
	pipa_file_write(fds[1], "x", 1);
	return (int)pipa_interrupt_count();
}

TEST(two_different_signals_at_once_are_one_request)
{
	NEED_REAL_KERNEL("it sets si_errno to 0");
	CHECK_EQ(apart(both_at_once), 1);
}

static int ignored(void)
{
	signal(SIGINT, SIG_IGN);
	watch();
	sigprocmask(SIG_UNBLOCK, &stops, NULL);
	raise(SIGINT);
	return (int)pipa_interrupt_count();
}

TEST(an_ignored_signal_stays_ignored)
{
	CHECK_EQ(apart(ignored), 0);
}

static int third_is_deadly(void)
{
	watch();
	sigprocmask(SIG_UNBLOCK, &stops, NULL);
	raise(SIGTERM);
	raise(SIGTERM);
	if (pipa_interrupt_count() != 2)
		return 1;
	raise(SIGTERM);
	return 2;
}

TEST(the_third_signal_outside_of_a_loop_has_its_default_action)
{
	CHECK_EQ(apart(third_is_deadly), -SIGTERM);
}

static int reset(void)
{
	watch();
	pipa_interrupt_reset();
	sigprocmask(SIG_UNBLOCK, &stops, NULL);
	raise(SIGTERM);
	return 1;
}

TEST(a_forked_child_has_the_default_action_again)
{
	CHECK_EQ(apart(reset), -SIGTERM);
}

static int nonblocking(void)
{
	static char page[65536];
	int fds[2];
	pid_t pid;

	full_pipe(fds);
	fcntl(fds[1], F_SETFL, O_WRONLY | O_NONBLOCK); /* by another process that shares it */
	pid = fork();
	if (pid == 0) {
		fcntl(fds[0], F_SETFL, O_RDONLY);
		close(fds[1]);
		while (read(fds[0], page, sizeof(page)) > 0)
			;
		_exit(0);
	}
	if (pipa_file_write(fds[1], page, sizeof(page)) != 0)
		return 1;
	close(fds[1]);
	waitpid(pid, NULL, 0);
	return 0;
}

TEST(a_descriptor_that_another_process_made_nonblocking_is_waited_for)
{
	CHECK_EQ(apart(nonblocking), 0);
}

TEST(abandoned_output_has_an_error_text)
{
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_fail(&err, -PIPA_EGIVEN_UP, "write standard output"), -PIPA_EGIVEN_UP);
	CHECK_STR(err.what, "cannot write standard output: blocked after a signal, gave up");
}
