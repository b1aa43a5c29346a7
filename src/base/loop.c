#include "base/loop.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"

enum source_kind { SOURCE_FD, SOURCE_TIMER, SOURCE_SIGNAL };

struct source {
	struct source *next;
	enum source_kind kind;
	int fd; /* -1 once unwatched; the node stays until the loop is freed */
	void *ctx;
	union {
		pipa_loop_fd_fn fd_fn;
		pipa_loop_timer_fn timer_fn;
		pipa_loop_signal_fn signal_fn;
	};
};

struct pipa_loop {
	int epoll;
	bool stopped;
	bool masked;
	sigset_t old_mask;
	struct source *sources;
};

int pipa_loop_new(struct pipa_loop **ret, struct pipa_error *err)
{
	struct pipa_loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return pipa_fail(err, -ENOMEM, "make event loop");
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0) {
		free(loop);
		return pipa_fail(err, -errno, "make event loop");
	}
	*ret = loop;
	return 0;
}

void pipa_loop_free(struct pipa_loop *loop)
{
	struct source *s, *next;

	if (!loop)
		return;
	for (s = loop->sources; s; s = next) {
		next = s->next;
		if (s->kind != SOURCE_FD)
			pipa_fd_close(s->fd);
		free(s);
	}
	if (loop->masked)
		pthread_sigmask(SIG_SETMASK, &loop->old_mask, NULL);
	close(loop->epoll);
	free(loop);
}

/* Takes ownership of fd for timers and signals: it is closed if the source cannot be added. */
static int add_source(struct pipa_loop *loop, enum source_kind kind, int fd, void *ctx,
		      struct source **ret, struct pipa_error *err)
{
	struct source *s = calloc(1, sizeof(*s));
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = s };

	if (!s || epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &ev) < 0) {
		int code = s ? -errno : -ENOMEM;

		free(s);
		if (kind != SOURCE_FD)
			close(fd);
		return pipa_fail(err, code, "watch descriptor %d", fd);
	}
	s->kind = kind;
	s->fd = fd;
	s->ctx = ctx;
	s->next = loop->sources;
	loop->sources = s;
	*ret = s;
	return 0;
}

int pipa_loop_signals(struct pipa_loop *loop, const sigset_t *set, pipa_loop_signal_fn fn,
		      void *ctx, struct pipa_error *err)
{
	int fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
	struct source *s;
	int rc;

	if (fd < 0)
		return pipa_fail(err, -errno, "watch signals");
	rc = add_source(loop, SOURCE_SIGNAL, fd, ctx, &s, err);
	if (rc < 0)
		return rc;
	s->signal_fn = fn;
	pipa_interrupt_block(set, &loop->old_mask);
	loop->masked = true;
	return 0;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / PIPA_NS_PER_SEC),
				  .tv_nsec = (long)(ns % PIPA_NS_PER_SEC) };
}

int pipa_loop_timer(struct pipa_loop *loop, uint64_t first_ns, uint64_t every_ns,
		    pipa_loop_timer_fn fn, void *ctx, struct pipa_error *err)
{
	struct itimerspec when = { .it_value = to_timespec(first_ns ? first_ns : 1),
				   .it_interval = to_timespec(every_ns) };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	struct source *s;
	int rc;

	if (fd < 0)
		return pipa_fail(err, -errno, "make timer");
	if (timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL) < 0) {
		rc = pipa_fail(err, -errno, "set timer");
		close(fd);
		return rc;
	}
	rc = add_source(loop, SOURCE_TIMER, fd, ctx, &s, err);
	if (rc == 0)
		s->timer_fn = fn;
	return rc;
}

/* The node stays until the loop is freed: an event of this round may still point to it. */
static void forget_source(struct pipa_loop *loop, struct source *s)
{
	epoll_ctl(loop->epoll, EPOLL_CTL_DEL, s->fd, NULL);
	if (s->kind != SOURCE_FD)
		close(s->fd);
	s->fd = -1;
}

void pipa_loop_drop_timer(struct pipa_loop *loop, pipa_loop_timer_fn fn, void *ctx)
{
	struct source *s;

	for (s = loop->sources; s; s = s->next)
		if (s->kind == SOURCE_TIMER && s->fd >= 0 && s->timer_fn == fn && s->ctx == ctx)
			forget_source(loop, s);
}

int pipa_loop_watch(struct pipa_loop *loop, int fd, pipa_loop_fd_fn fn, void *ctx,
		    struct pipa_error *err)
{
	struct source *s;
	int rc = add_source(loop, SOURCE_FD, fd, ctx, &s, err);

	if (rc == 0)
		s->fd_fn = fn;
	return rc;
}

void pipa_loop_unwatch(struct pipa_loop *loop, int fd)
{
	struct source *s;

	for (s = loop->sources; s; s = s->next)
		if (s->kind == SOURCE_FD && s->fd == fd) {
			forget_source(loop, s);
			return;
		}
}

static int run_signals(struct source *s, struct pipa_error *err)
{
	struct signalfd_siginfo info;
	int rc = 0;

	while (!rc && read(s->fd, &info, sizeof(info)) == sizeof(info)) {
		pipa_interrupt_note(&info);
		rc = s->signal_fn(s->ctx, &info, err);
	}
	return rc;
}

static int run_source(struct source *s, struct pipa_error *err)
{
	uint64_t expirations;

	if (s->fd < 0)
		return 0;
	switch (s->kind) {
	case SOURCE_FD: return s->fd_fn(s->ctx, err);
	case SOURCE_SIGNAL: return run_signals(s, err);
	case SOURCE_TIMER:
		if (read(s->fd, &expirations, sizeof(expirations)) != sizeof(expirations))
			return 0;
		return s->timer_fn(s->ctx, expirations, err);
	}
	return 0;
}

int pipa_loop_run(struct pipa_loop *loop, struct pipa_error *err)
{
	struct epoll_event events[16];
	int rc = 0, n, i;

	loop->stopped = false;
	while (!rc && !loop->stopped) {
		n = epoll_wait(loop->epoll, events, PIPA_COUNT(events), -1);
		if (n < 0 && errno != EINTR)
			return pipa_fail(err, -errno, "wait for events");
		for (i = 0; i < n && !rc && !loop->stopped; i++)
			rc = run_source(events[i].data.ptr, err);
	}
	return rc;
}

void pipa_loop_stop(struct pipa_loop *loop)
{
	loop->stopped = true;
}
