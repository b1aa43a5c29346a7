#include "base/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "lib/test.h"

/* State of the callbacks below: the loop, and their calls. */
struct seen {
	struct pipa_loop *loop;
	int calls;
	int stop_after; /* calls, 0: never */
	int fail;	/* return this */
	int fd;
	int signals[8];
	uint64_t ticks;
	uint64_t at_ns;
};

static int count_call(struct seen *seen)
{
	seen->calls++;
	seen->at_ns = pipa_clock_ns();
	if (seen->stop_after && seen->calls >= seen->stop_after)
		pipa_loop_stop(seen->loop);
	return seen->fail;
}

static int on_timer(void *ctx, uint64_t expirations, struct pipa_error *err PIPA_UNUSED)
{
	struct seen *seen = ctx;

	seen->ticks += expirations;
	return count_call(seen);
}

static int on_signal(void *ctx, const struct signalfd_siginfo *info,
		     struct pipa_error *err PIPA_UNUSED)
{
	struct seen *seen = ctx;

	seen->signals[seen->calls % 8] = (int)info->ssi_signo;
	return count_call(seen);
}

static int on_fd(void *ctx, struct pipa_error *err PIPA_UNUSED)
{
	struct seen *seen = ctx;
	char byte;

	CHECK(read(seen->fd, &byte, 1) >= 0);
	return count_call(seen);
}

static struct pipa_loop *new_loop(void)
{
	struct pipa_loop *loop = NULL;

	CHECK_EQ(pipa_loop_new(&loop, NULL), 0);
	return loop;
}

TEST(timer_fires_once_at_its_time)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen seen = { .loop = loop, .stop_after = 1 };
	uint64_t when = pipa_clock_ns() + 5 * PIPA_NS_PER_MS;

	CHECK_EQ(pipa_loop_timer(loop, when, 0, on_timer, &seen, NULL), 0);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(seen.calls, 1);
	CHECK_EQ(seen.ticks, 1);
	CHECK(seen.at_ns >= when);
}

TEST(timer_in_the_past_fires_at_once)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen seen = { .loop = loop, .stop_after = 1 };

	CHECK_EQ(pipa_loop_timer(loop, 0, 0, on_timer, &seen, NULL), 0);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(seen.calls, 1);
}

TEST(periodic_timer_counts_from_its_first_tick)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen seen = { .loop = loop, .stop_after = 3 };
	uint64_t first = pipa_clock_ns() + PIPA_NS_PER_MS, every = 2 * PIPA_NS_PER_MS;

	CHECK_EQ(pipa_loop_timer(loop, first, every, on_timer, &seen, NULL), 0);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(seen.calls, 3);
	CHECK(seen.ticks >= 3);
	CHECK(seen.at_ns >= first + (seen.ticks - 1) * every);
}

TEST(missed_ticks_of_a_timer_are_reported_in_one_call)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen seen = { .loop = loop, .stop_after = 1 };
	uint64_t first = pipa_clock_ns() - 50 * PIPA_NS_PER_MS;

	CHECK_EQ(pipa_loop_timer(loop, first, 10 * PIPA_NS_PER_MS, on_timer, &seen, NULL), 0);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(seen.calls, 1);
	CHECK(seen.ticks >= 6);
}

TEST(blocked_signals_are_delivered_to_the_callback)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen seen = { .loop = loop, .stop_after = 2 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	CHECK_EQ(pipa_loop_signals(loop, &set, on_signal, &seen, NULL), 0);
	kill(getpid(), SIGINT); /* would end us if it were not blocked */
	kill(getpid(), SIGTERM);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(seen.calls, 2);
	CHECK_EQ(seen.signals[0] + seen.signals[1], SIGINT + SIGTERM);
}

TEST(end_of_a_child_is_a_signal)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen seen = { .loop = loop, .stop_after = 1 };
	sigset_t set;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	CHECK_EQ(pipa_loop_signals(loop, &set, on_signal, &seen, NULL), 0);
	pid = fork();
	if (pid == 0)
		_exit(0);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(seen.signals[0], SIGCHLD);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
}

TEST(freed_loop_gives_the_signal_mask_back)
{
	struct pipa_loop *loop = new_loop();
	sigset_t set, before, during, after;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_SETMASK, NULL, &before);
	CHECK(!sigismember(&before, SIGUSR1));
	CHECK_EQ(pipa_loop_signals(loop, &set, on_signal, NULL, NULL), 0);
	sigprocmask(SIG_SETMASK, NULL, &during);
	CHECK(sigismember(&during, SIGUSR1));
	pipa_loop_free(loop);
	sigprocmask(SIG_SETMASK, NULL, &after);
	CHECK(!sigismember(&after, SIGUSR1));
	pipa_loop_free(NULL);
}

static int count_descriptors(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

TEST(freed_loop_leaves_no_descriptor_but_the_callers)
{
	int ends[2], before;
	struct pipa_loop *loop;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK_EQ(pipe(ends), 0);
	before = count_descriptors(); /* the test's parent may have left some open */
	loop = new_loop();
	CHECK_EQ(pipa_loop_signals(loop, &set, on_signal, NULL, NULL), 0);
	CHECK_EQ(pipa_loop_timer(loop, 0, 0, on_timer, NULL, NULL), 0);
	CHECK_EQ(pipa_loop_watch(loop, ends[0], on_fd, NULL, NULL), 0);
	pipa_loop_free(loop);
	CHECK_EQ(count_descriptors(), before);
	CHECK_EQ(fcntl(ends[0], F_GETFD), 0);
	close(ends[0]);
	close(ends[1]);
}

TEST(callback_that_fails_ends_the_loop_with_its_code)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen seen = { .loop = loop, .fail = -EDOM };

	CHECK_EQ(pipa_loop_timer(loop, 0, PIPA_NS_PER_MS, on_timer, &seen, NULL), 0);
	CHECK_EQ(pipa_loop_run(loop, NULL), -EDOM);
	CHECK_EQ(seen.calls, 1);
}

TEST(stopped_loop_can_run_again)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen seen = { .loop = loop, .stop_after = 1 };

	CHECK_EQ(pipa_loop_timer(loop, 0, PIPA_NS_PER_MS, on_timer, &seen, NULL), 0);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(seen.calls, 2);
}

TEST(watched_descriptor_calls_when_readable_and_when_hung_up)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen seen = { .loop = loop, .stop_after = 2 };
	int ends[2];

	CHECK_EQ(pipe(ends), 0);
	seen.fd = ends[0];
	CHECK_EQ(pipa_loop_watch(loop, ends[0], on_fd, &seen, NULL), 0);
	CHECK_EQ(write(ends[1], "x", 1), 1);
	close(ends[1]);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(seen.calls, 2);
	close(ends[0]);
}

/* Two descriptors become readable together; the first to be called unwatches the other. */
struct pair {
	struct seen seen;
	int other;
};

static int unwatch_other(void *ctx, struct pipa_error *err)
{
	struct pair *pair = ctx;

	pipa_loop_unwatch(pair->seen.loop, pair->other);
	return on_fd(&pair->seen, err);
}

TEST(unwatched_descriptor_is_not_called_even_if_already_reported)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct pair pairs[2] = { { .seen = { .loop = loop, .stop_after = 1 } },
				 { .seen = { .loop = loop, .stop_after = 1 } } };
	struct seen tick = { .loop = loop, .stop_after = 1 };
	int ends[2][2], i;

	for (i = 0; i < 2; i++) {
		CHECK_EQ(pipe(ends[i]), 0);
		CHECK_EQ(write(ends[i][1], "x", 1), 1);
	}
	for (i = 0; i < 2; i++) {
		pairs[i].seen.fd = ends[i][0];
		pairs[i].other = ends[1 - i][0];
		CHECK_EQ(pipa_loop_watch(loop, ends[i][0], unwatch_other, &pairs[i], NULL), 0);
	}
	pairs[0].seen.stop_after = pairs[1].seen.stop_after = 0;
	CHECK_EQ(pipa_loop_timer(loop, pipa_clock_ns() + 5 * PIPA_NS_PER_MS, 0, on_timer, &tick,
				 NULL),
		 0);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(pairs[0].seen.calls + pairs[1].seen.calls, 1);
	pipa_loop_unwatch(loop, 1000); /* not watched: nothing happens */
	for (i = 0; i < 4; i++)
		close(ends[i / 2][i % 2]);
}

TEST(other_descriptors_stay_watched)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen first = { .loop = loop }, second = { .loop = loop, .stop_after = 1 };
	int ends[2][2], i;

	CHECK_EQ(pipe(ends[0]) || pipe(ends[1]), 0);
	second.fd = ends[1][0];
	CHECK_EQ(pipa_loop_watch(loop, ends[0][0], on_fd, &first, NULL), 0);
	CHECK_EQ(pipa_loop_watch(loop, ends[1][0], on_fd, &second, NULL), 0);
	pipa_loop_unwatch(loop, ends[0][0]);
	for (i = 0; i < 2; i++)
		CHECK_EQ(write(ends[i][1], "x", 1), 1);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(first.calls, 0);
	CHECK_EQ(second.calls, 1);
	for (i = 0; i < 4; i++)
		close(ends[i / 2][i % 2]);
}

TEST(descriptor_can_be_watched_again)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen first = { .loop = loop }, second = { .loop = loop, .stop_after = 1 };
	int ends[2];

	CHECK_EQ(pipe(ends), 0);
	second.fd = ends[0];
	CHECK_EQ(pipa_loop_watch(loop, ends[0], on_fd, &first, NULL), 0);
	pipa_loop_unwatch(loop, ends[0]);
	CHECK_EQ(pipa_loop_watch(loop, ends[0], on_fd, &second, NULL), 0);
	CHECK_EQ(write(ends[1], "x", 1), 1);
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(first.calls, 0);
	CHECK_EQ(second.calls, 1);
	close(ends[0]);
	close(ends[1]);
}

TEST(descriptors_that_epoll_cannot_watch_are_refused)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct pipa_error err = { 0 };
	int fd;

	pipa_test_file(pipa_test_dir(), "plain", "text");
	fd = open(pipa_test_dir(), O_RDONLY | O_DIRECTORY);
	CHECK_EQ(pipa_loop_watch(loop, fd, on_fd, NULL, &err), -EPERM);
	CHECK_HAS(err.what, "watch descriptor");
	close(fd);
	CHECK_EQ(pipa_loop_watch(loop, fd, on_fd, NULL, &err), -EBADF);
}

TEST(without_descriptors_nothing_can_be_watched)
{
	struct pipa_loop *loop = new_loop(), *none = NULL;
	struct pipa_error err = { 0 };
	int first = dup(STDIN_FILENO), last = first, fd;
	sigset_t set, after;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	while ((fd = dup(STDIN_FILENO)) >= 0)
		last = fd;
	CHECK_EQ(pipa_loop_new(&none, &err), -EMFILE);
	CHECK_HAS(err.what, "cannot make event loop: Too many open files");
	CHECK_EQ(pipa_loop_timer(loop, 0, 0, on_timer, NULL, &err), -EMFILE);
	CHECK_HAS(err.what, "make timer");
	CHECK_EQ(pipa_loop_signals(loop, &set, on_signal, NULL, &err), -EMFILE);
	CHECK_HAS(err.what, "watch signals");
	sigprocmask(SIG_SETMASK, NULL, &after);
	CHECK(!sigismember(&after, SIGUSR1)); /* not blocked: no signalfd would read it */
	CHECK(!none);
	for (fd = first; fd <= last; fd++)
		close(fd);
	pipa_loop_free(loop);
}

static int ignored;

static void on_alarm(int sig)
{
	ignored = sig;
}

TEST(signal_handler_elsewhere_does_not_end_the_loop)
{
	PIPA_AUTO(pipa_loop_free) struct pipa_loop *loop = new_loop();
	struct seen seen = { .loop = loop, .stop_after = 1 };
	/* epoll_wait is interrupted all the same, waitpid below is not */
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct timespec pause = { .tv_nsec = 3000000 };
	pid_t parent = getpid(), pid;

	sigaction(SIGUSR2, &action, NULL);
	CHECK_EQ(pipa_loop_timer(loop, pipa_clock_ns() + 30 * PIPA_NS_PER_MS, 0, on_timer, &seen,
				 NULL),
		 0);
	pid = fork();
	if (pid == 0) {
		nanosleep(&pause, NULL);
		kill(parent, SIGUSR2);
		_exit(0);
	}
	CHECK_EQ(pipa_loop_run(loop, NULL), 0);
	CHECK_EQ(seen.calls, 1);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK_EQ(ignored, SIGUSR2);
}
