#include "kernel/process/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "lib/test.h"

/* Bytes passed to the listener, of descriptors 1 and 2. */
struct heard {
	struct pipa_buf text[3];
};

static void listen_to(void *ctx, int stream, const char *bytes, size_t len)
{
	struct heard *heard = ctx;

	pipa_buf_add(&heard->text[stream], bytes, len);
}

/* Descriptors 1 and 2 of this process while a command is captured; -1: closed. */
static int saved[3];

static void become(int out, int err)
{
	int fd, to[3] = { -1, out, err };

	for (fd = 1; fd <= 2; fd++) {
		saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
		if (to[fd] >= 0)
			dup2(to[fd], fd);
		else
			close(fd);
	}
}

static void become_again(void)
{
	int fd;

	for (fd = 1; fd <= 2; fd++) {
		dup2(saved[fd], fd);
		close(saved[fd]);
	}
}

/* The command: a shell with the streams it is to have. */
static pid_t start(const struct pipa_capture *capture, const char *script)
{
	const int *streams = pipa_capture_streams(capture);
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	for (fd = 0; fd < 3; fd++)
		if (streams[fd] >= 0)
			dup2(streams[fd], fd);
	execl("/bin/sh", "sh", "-c", script, NULL);
	_exit(127);
}

static const int standard[2] = { STDOUT_FILENO, STDERR_FILENO };

struct outcome {
	struct pipa_capture_end end;
	int status;
	int opened;
};

static struct outcome run(const char *script, int out, int err, struct heard *heard)
{
	struct outcome outcome = { 0 };
	struct pipa_capture *capture = NULL;
	pid_t pid;

	become(out, err);
	outcome.opened = pipa_capture_open(standard, &capture, NULL);
	if (!outcome.opened) {
		pid = start(capture, script);
		outcome.opened = pipa_capture_begin(capture, listen_to, heard, NULL);
		waitpid(pid, &outcome.status, 0);
		outcome.end = pipa_capture_finish(capture);
	}
	pipa_capture_close(capture);
	become_again();
	CHECK_EQ(outcome.opened, 0);
	return outcome;
}

static const char *path_of(const char *name)
{
	static char path[4][300];
	static size_t turn;
	char *at = path[turn++ % 4];

	snprintf(at, sizeof(path[0]), "%s/%s", pipa_test_dir(), name);
	return at;
}

static int file(const char *name)
{
	int fd = open(path_of(name), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	return fd;
}

static const char *content(int fd)
{
	static char text[1000];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	CHECK(n >= 0);
	text[n] = '\0';
	return text;
}

static int count_fds(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 200; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

TEST(both_streams_are_passed_on_and_given_to_the_listener)
{
	static struct heard heard;
	int out = file("out"), err = file("err"), before = count_fds();
	struct outcome outcome = run("echo one; echo two >&2; exit 3", out, err, &heard);

	CHECK_STR(content(out), "one\n");
	CHECK_STR(content(err), "two\n");
	CHECK_STR(pipa_buf_str(&heard.text[1]), "one\n");
	CHECK_STR(pipa_buf_str(&heard.text[2]), "two\n");
	CHECK_EQ(WEXITSTATUS(outcome.status), 3);
	CHECK(!outcome.end.held);
	CHECK_EQ(outcome.end.failed[1], 0);
	CHECK_EQ(outcome.end.failed[2], 0);
	CHECK_EQ(count_fds(), before);
}

TEST(streams_to_the_same_file_share_a_channel_and_keep_the_order)
{
	static struct heard heard;
	int both = file("both");

	run("echo 1; echo 2 >&2; echo 3; echo 4 >&2", both, both, &heard);
	CHECK_STR(content(both), "1\n2\n3\n4\n");
	CHECK_STR(pipa_buf_str(&heard.text[1]), "1\n2\n3\n4\n");
	CHECK_EQ(heard.text[2].len, 0);
}

TEST(closed_standard_streams_stay_closed)
{
	static struct heard heard;
	int err = file("err"), out = file("out");

	run("test -e /proc/$$/fd/1 && echo open >&2 || echo closed >&2", -1, err, &heard);
	CHECK_STR(content(err), "closed\n");
	run("test -e /proc/$$/fd/2 && echo open || echo closed", out, -1, &heard);
	CHECK_STR(content(out), "closed\n");
}

/* pipa itself keeps such placeholders for descriptors that were closed. */
TEST(close_on_exec_descriptors_are_not_captured)
{
	struct pipa_capture *capture = NULL;
	int streams[3], out = open("/dev/null", O_RDONLY | O_CLOEXEC);

	become(out, out);
	fcntl(1, F_SETFD, FD_CLOEXEC);
	streams[1] = pipa_capture_open(standard, &capture, NULL) ? -2 :
								   pipa_capture_streams(capture)[1];
	streams[2] = capture ? pipa_capture_streams(capture)[2] : -2;
	pipa_capture_close(capture);
	become_again();
	CHECK_EQ(streams[1], -1);
	CHECK(streams[2] > 2);
}

TEST(a_failed_write_is_reported_and_the_command_gets_sigpipe)
{
	static struct heard heard;
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC), err = file("err");
	struct outcome outcome;

	if (full < 0)
		SKIP("no /dev/full");
	outcome = run("while echo word; do :; done; exit 5", full, err, &heard);
	CHECK_EQ(outcome.end.failed[1], -ENOSPC);
	CHECK_EQ(outcome.end.failed[2], 0);
	CHECK(WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGPIPE);
}

TEST(a_closed_reader_is_a_broken_pipe_only_for_the_command)
{
	static struct heard heard;
	int fds[2], err = file("err");
	struct outcome outcome;

	CHECK_EQ(pipe2(fds, O_CLOEXEC), 0);
	close(fds[0]);
	outcome = run("while echo word; do :; done", fds[1], err, &heard);
	CHECK_EQ(outcome.end.failed[1], -EPIPE);
	CHECK(WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGPIPE);
}

TEST(background_processes_of_the_command_are_not_waited_for)
{
	static struct heard heard;
	int out = file("out"), err = file("err"), hold[2];
	struct outcome outcome;
	char script[100];

	CHECK_EQ(pipe(hold), 0); /* the one in the background waits for its end */
	snprintf(script, sizeof(script), "echo begun; (exec %d>&-; read x <&%d) &", hold[1],
		 hold[0]);
	outcome = run(script, out, err, &heard);
	CHECK(outcome.end.held);
	CHECK_STR(content(out), "begun\n");
	close(hold[1]);
	close(hold[0]);
}

TEST(a_megabyte_before_the_end_is_not_lost)
{
	static struct heard heard;
	struct stat st;
	int out = file("out"), err = file("err");

	run("head -c 3000000 /dev/zero", out, err, &heard);
	CHECK_EQ(fstat(out, &st), 0);
	CHECK_EQ(st.st_size, 3000000);
	CHECK_EQ(heard.text[1].len, 3000000);
}

/* The pipe is full and nothing reads it: waited for until a signal comes, and one second longer. */
TEST(output_that_blocks_is_given_up_after_a_signal)
{
	static struct heard heard;
	struct pipa_capture *capture = NULL;
	struct pipa_capture_end end;
	char command[64];
	int fds[2], status;
	sigset_t set, old;
	pid_t pid;

	CHECK_EQ(pipe2(fds, O_CLOEXEC), 0);
	/* one page more than fits: the rest is in the capture's pipe, whose size a limit per user can reduce */
	snprintf(command, sizeof(command), "head -c %d /dev/zero",
		 fcntl(fds[1], F_GETPIPE_SZ) + 4096);
	become(fds[1], fds[1]);
	close(fds[1]);
	if (pipa_capture_open(standard, &capture, NULL) < 0)
		_exit(1);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pipa_interrupt_enable();
	pipa_interrupt_watch(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	pid = start(capture, command);
	pipa_capture_begin(capture, listen_to, &heard, NULL);
	waitpid(pid, &status, 0);
	raise(SIGTERM);
	end = pipa_capture_finish(capture);
	pipa_capture_close(capture);
	become_again();
	CHECK_EQ(end.failed[1], -PIPA_EGIVEN_UP);
	CHECK_EQ(pipa_interrupt_count(), 1);
	CHECK(pipa_interrupt_gave_up());
	CHECK_EQ(sigtimedwait(&set, NULL, &(struct timespec){ 0 }), SIGTERM); /* queued again */
	close(fds[0]);
}

/* ---- terminals ------------------------------------------------------------------------------------- */

static int terminal(int *ret_master, unsigned short rows, unsigned short columns)
{
	const struct winsize size = { .ws_row = rows, .ws_col = columns };
	struct termios raw;
	int to;

	if (openpty(ret_master, &to, NULL, NULL, &size) < 0)
		SKIP("no pseudo terminal can be had");
	CHECK_EQ(tcgetattr(to, &raw), 0);
	cfmakeraw(&raw);
	CHECK_EQ(tcsetattr(to, TCSANOW, &raw), 0);
	return to;
}

/* Output to the terminal; bytes may come in pieces, so a number of them is waited for. */
static const char *shown(int master, size_t len)
{
	static char text[1000];
	size_t at = 0;
	ssize_t n;

	while (at < len && poll(&(struct pollfd){ .fd = master, .events = POLLIN }, 1, 5000) > 0 &&
	       (n = read(master, text + at, sizeof(text) - 1 - at)) > 0)
		at += (size_t)n;
	text[at] = '\0';
	return text;
}

TEST(a_terminal_stays_one_of_the_same_size_and_changes_no_byte)
{
	static struct heard heard;
	int master, to = terminal(&master, 17, 59);
	struct outcome outcome = run(
		"test -t 1 && test -t 2 && stty size <&1; printf 'a\\nb\\tc\\r'", to, to, &heard);

	CHECK_EQ(outcome.status, 0);
	CHECK_STR(pipa_buf_str(&heard.text[1]), "17 59\na\nb\tc\r");
	CHECK_STR(shown(master, heard.text[1].len), "17 59\na\nb\tc\r");
}

TEST(only_a_stream_that_was_a_terminal_is_replaced_by_one)
{
	static struct heard heard;
	int master, to = terminal(&master, 17, 59), err = file("err");
	struct outcome outcome = run("test -t 1 && ! test -t 2", to, err, &heard);

	CHECK_EQ(outcome.status, 0);
}

TEST(a_new_size_reaches_the_command)
{
	static struct heard heard;
	struct pipa_capture *capture = NULL;
	const struct winsize size = { .ws_row = 20, .ws_col = 70 };
	struct winsize got = { 0 };
	int master, to = terminal(&master, 17, 59), mine = -1;

	setpgid(0, 0); /* the signal is for the group */
	become(to, to);
	if (pipa_capture_open(standard, &capture, NULL) < 0)
		_exit(1);
	mine = dup(pipa_capture_streams(capture)[1]);
	pipa_capture_begin(capture, listen_to, &heard, NULL);
	ioctl(to, TIOCSWINSZ, &size);
	pipa_capture_resize(capture);
	ioctl(mine, TIOCGWINSZ, &got);
	close(mine);
	pipa_capture_finish(capture);
	pipa_capture_resize(capture); /* closed by now: nothing happens */
	pipa_capture_close(capture);
	become_again();
	CHECK_EQ(got.ws_row, 20);
	CHECK_EQ(got.ws_col, 70);
}
