#include "kernel/process/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/interrupt.h"
#include "base/thread/worker.h"

enum {
	CHUNK = 1 << 16,
	PIPE_BYTES = 1 << 20,
	/* a terminal's bytes come a little after they were written; somebody else may hold it for ever */
	QUIET_MS = 50,
};

/* One place that output goes to. */
struct channel {
	int stream; /* of the command: 1 or 2 */
	int out;    /* descriptor of ours that it is copied to */
	int from;   /* our end, -1: closed */
	int to;	    /* the command's end, -1 once it has it */
	bool is_terminal;
	bool enlarged; /* to PIPE_BYTES, because it was full */
	int failed;    /* why it could not be written */
	/* no more than this was under way when the command ended: others may write for ever */
	size_t most_left;
};

struct pipa_capture {
	struct channel channels[2];
	size_t n;
	int streams[3];
	int wake; /* the command has ended */
	int done; /* the thread has ended */
	pipa_capture_fn fn;
	void *ctx;
	struct pipa_worker thread;
	int null;		 /* input of the command if its output is hidden, else -1 */
	pthread_mutex_t closing; /* a channel's end against a change of its size */
	bool held;
	char chunk[CHUNK];
};

/* ---- channels ----------------------------------------------------------------------------------- */

/* Not one of 0 to 2, which the command's ends are put onto. */
static int lift(int fd)
{
	int high;

	if (fd > 2)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return high;
}

static int open_terminal(struct channel *c)
{
	struct termios raw;
	struct winsize size = { 0 };

	if (openpty(&c->from, &c->to, NULL, NULL, NULL) < 0)
		return -errno;
	if (ioctl(c->out, TIOCGWINSZ, &size) == 0)
		ioctl(c->from, TIOCSWINSZ, &size);
	if (tcgetattr(c->to, &raw) == 0) {
		cfmakeraw(&raw);
		tcsetattr(c->to, TCSANOW, &raw);
	}
	c->is_terminal = true;
	return 0;
}

static int open_pipe(struct channel *c)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	c->from = fds[0];
	c->to = fds[1];
	return 0;
}

static int open_channel(struct channel *c)
{
	int rc = c->out >= 0 && isatty(c->out) ? open_terminal(c) : open_pipe(c);

	if (rc < 0)
		return rc;
	c->from = lift(c->from);
	c->to = lift(c->to);
	if (c->from < 0 || c->to < 0 || fcntl(c->from, F_SETFL, O_NONBLOCK) < 0 ||
	    (c->is_terminal &&
	     (fcntl(c->from, F_SETFD, FD_CLOEXEC) < 0 || fcntl(c->to, F_SETFD, FD_CLOEXEC) < 0)))
		return -errno;
	return 0;
}

static bool is_same_place(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_rdev == b->st_rdev;
}

static int open_channels(struct pipa_capture *c, const int outputs[2])
{
	struct stat stats[3];
	int fd, rc = 0;

	for (fd = 1; !rc && fd <= 2; fd++) {
		struct channel *channel = &c->channels[c->n];
		int out = outputs[fd - 1];

		if (fstat(out, &stats[fd]) < 0 || (out == fd && fcntl(fd, F_GETFD) & FD_CLOEXEC))
			continue; /* closed for us, or at exec: closed for the command */
		if (fd == 2 && c->n && is_same_place(&stats[1], &stats[2])) {
			c->streams[2] = c->streams[1];
			continue;
		}
		channel->stream = fd;
		channel->out = out;
		c->n++;
		rc = open_channel(channel);
		c->streams[fd] = channel->to;
	}
	return rc;
}

/* Open channels that are not copied anywhere, and an empty input. */
static int open_hidden_channels(struct pipa_capture *c)
{
	int fd, rc = 0;

	c->null = lift(open("/dev/null", O_RDONLY | O_CLOEXEC));
	if (c->null < 0)
		return -errno;
	c->streams[0] = c->null;
	for (fd = 1; !rc && fd <= 2; fd++) {
		struct channel *channel = &c->channels[c->n++];

		channel->stream = fd;
		channel->out = -1;
		rc = open_channel(channel);
		c->streams[fd] = channel->to;
	}
	return rc;
}

int pipa_capture_open(const int outputs[2], struct pipa_capture **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_capture_close) struct pipa_capture *c = malloc(sizeof(*c));
	size_t i;
	int rc;

	if (!c)
		return pipa_fail(err, -ENOMEM, "capture the output");
	memset(c, 0, offsetof(struct pipa_capture, chunk)); /* which is large */
	for (i = 0; i < 3; i++)
		c->streams[i] = -1;
	for (i = 0; i < 2; i++)
		c->channels[i] = (struct channel){ .from = -1, .to = -1, .most_left = PIPE_BYTES };
	pthread_mutex_init(&c->closing, NULL);
	c->null = -1;
	c->wake = outputs ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1; /* of the thread */
	c->done = outputs ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
	if (!outputs)
		rc = open_hidden_channels(c);
	else
		rc = c->wake < 0 || c->done < 0 ? -errno : open_channels(c, outputs);
	if (rc < 0) {
		pipa_fail(err, rc, "capture the output");
		return pipa_hint(err, "use --no-capture to leave the output as it is");
	}
	*ret = PIPA_TAKE(c);
	return 0;
}

const int *pipa_capture_streams(const struct pipa_capture *c)
{
	return c->streams;
}

/* ---- the thread --------------------------------------------------------------------------------- */

/* The command notices as it would have without us: nobody reads any more. */
static void hang_up(struct pipa_capture *c, struct channel *channel)
{
	pthread_mutex_lock(&c->closing);
	pipa_fd_close(channel->from);
	channel->from = -1;
	pthread_mutex_unlock(&c->closing);
}

static void pass(struct pipa_capture *c, struct channel *channel, bool ended)
{
	ssize_t n = read(channel->from, c->chunk, sizeof(c->chunk));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) { /* all ends are closed, which a pseudo terminal tells by EIO */
		hang_up(c, channel);
		return;
	}
	if (!channel->enlarged && n == sizeof(c->chunk)) { /* fewer wakeups; may be refused */
		fcntl(channel->from, F_SETPIPE_SZ, PIPE_BYTES);
		channel->enlarged = true;
	}
	c->fn(c->ctx, channel->stream, c->chunk, (size_t)n);
	if (channel->out >= 0)
		channel->failed = pipa_file_write(channel->out, c->chunk, (size_t)n);
	if (channel->failed)
		hang_up(c, channel);
	if (ended)
		channel->most_left -= (size_t)n < channel->most_left ? (size_t)n :
								       channel->most_left;
}

/* The channels that may still say something, and the descriptor that tells of the end: how many. */
static size_t list(const struct pipa_capture *c, struct pollfd *fds)
{
	size_t i, n = 0;

	for (i = 0; i < c->n; i++) {
		const struct channel *channel = &c->channels[i];
		bool listens = channel->from >= 0 && channel->most_left > 0;

		fds[i] = (struct pollfd){ .fd = listens ? channel->from : -1, .events = POLLIN };
		n += listens;
	}
	fds[c->n] = (struct pollfd){ .fd = c->wake, .events = POLLIN };
	return n;
}

static void wake(int fd)
{
	const uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* Copy until all ends of the channels are closed, or are quiet after the command has ended. */
static void pass_on(struct pipa_capture *c, bool ended)
{
	struct pollfd fds[3];
	size_t i;

	while (list(c, fds) > 0) {
		int n;

		if (ended)
			fds[c->n].fd = -1;
		n = poll(fds, c->n + 1, ended ? QUIET_MS : -1);
		if (n < 0 && errno != EINTR)
			break;
		if (ended && n == 0)
			break;
		for (i = 0; n > 0 && i < c->n; i++)
			if (fds[i].revents)
				pass(c, &c->channels[i], ended);
		if (n > 0 && fds[c->n].revents)
			ended = true;
	}
	for (i = 0; i < c->n; i++)
		c->held |= c->channels[i].from >= 0;
}

static void run_thread(void *ctx)
{
	struct pipa_capture *c = ctx;

	pass_on(c, false);
	wake(c->done);
}

static bool is_hidden(const struct pipa_capture *c)
{
	return c->null >= 0;
}

int pipa_capture_fd(const struct pipa_capture *c, int stream)
{
	return c->channels[stream - 1].from;
}

bool pipa_capture_read(struct pipa_capture *c, int stream)
{
	pass(c, &c->channels[stream - 1], false);
	return c->channels[stream - 1].from >= 0;
}

int pipa_capture_begin(struct pipa_capture *c, pipa_capture_fn fn, void *ctx,
		       struct pipa_error *err)
{
	int rc;

	c->fn = fn;
	c->ctx = ctx;
	if (is_hidden(c))
		return 0;
	/* SIGPIPE is blocked in the thread: write(2) returns EPIPE */
	rc = pipa_worker_start(&c->thread, "pipa-output", PIPA_WORKER_STACK_IO, run_thread, c);
	return rc ? pipa_fail(err, rc, "capture the output") : 0;
}

/* ---- from outside -------------------------------------------------------------------------------- */

/* Give a channel our terminal's size: has it changed? */
static bool adopt_size(const struct channel *channel)
{
	struct winsize now, size;

	if (!channel->is_terminal || channel->from < 0 ||
	    ioctl(channel->out, TIOCGWINSZ, &size) < 0 ||
	    ioctl(channel->from, TIOCGWINSZ, &now) < 0)
		return false;
	return memcmp(&size, &now, sizeof(size)) != 0 &&
	       ioctl(channel->from, TIOCSWINSZ, &size) == 0;
}

void pipa_capture_resize(struct pipa_capture *c)
{
	bool changed = false;
	size_t i;

	pthread_mutex_lock(&c->closing);
	for (i = 0; i < c->n; i++)
		changed |= adopt_size(&c->channels[i]);
	pthread_mutex_unlock(&c->closing);
	if (changed) /* again: they may have looked before us; so do we, and find nothing new */
		kill(0, SIGWINCH);
}

/* Stop signals are noticed here, and the timer that they start interrupts the thread's write(2). */
static void stop(struct pipa_capture *c)
{
	struct pollfd done = { .fd = c->done, .events = POLLIN };
	sigset_t old;

	if (!c->thread.running)
		return;
	wake(c->wake);
	pipa_interrupt_enter_wait(&old);
	while (poll(&done, 1, -1) <= 0)
		;
	pipa_interrupt_leave(&old);
	pipa_worker_join(&c->thread);
}

struct pipa_capture_end pipa_capture_finish(struct pipa_capture *c)
{
	struct pipa_capture_end end = { .held = false };
	size_t i;

	for (i = 0; i < c->n; i++) { /* the last end, unless a process of the command has another */
		pipa_fd_close(c->channels[i].to);
		c->channels[i].to = -1;
	}
	if (is_hidden(c) && c->fn)
		pass_on(c, true);
	stop(c);
	end.held = c->held;
	for (i = 0; i < c->n; i++)
		end.failed[c->channels[i].stream] = c->channels[i].failed;
	return end;
}

void pipa_capture_close(struct pipa_capture *c)
{
	size_t i;

	if (!c)
		return;
	stop(c);
	for (i = 0; i < c->n; i++) {
		pipa_fd_close(c->channels[i].from);
		pipa_fd_close(c->channels[i].to);
	}
	pipa_fd_close(c->null);
	pipa_fd_close(c->wake);
	pipa_fd_close(c->done);
	pthread_mutex_destroy(&c->closing);
	free(c);
}
