#include "base/thread/worker.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "lib/test.h"

struct seen {
	sigset_t mask;
	char name[16];
	size_t stack_bytes;
	int calls;
};

static void look(void *ctx)
{
	struct seen *seen = ctx;
	pthread_attr_t attr;

	seen->calls++;
	pthread_sigmask(SIG_SETMASK, NULL, &seen->mask);
	prctl(PR_GET_NAME, seen->name);
	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstacksize(&attr, &seen->stack_bytes);
		pthread_attr_destroy(&attr);
	}
}

TEST(a_thread_has_its_name_and_stack_and_receives_no_signals)
{
	struct pipa_worker thread = { 0 };
	struct seen seen = { 0 };
	sigset_t before, after;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	CHECK_EQ(pipa_worker_start(&thread, "pipa-test", PIPA_WORKER_STACK_IO, look, &seen), 0);
	CHECK(thread.running);
	pipa_worker_join(&thread);
	CHECK(!thread.running);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	CHECK_EQ(seen.calls, 1);
	CHECK_STR(seen.name, "pipa-test");
	CHECK(seen.stack_bytes >= PIPA_WORKER_STACK_IO);
#ifndef __SANITIZE_THREAD__ /* which adds its own thread-local storage to the stack */
	CHECK(seen.stack_bytes < 2 * PIPA_WORKER_STACK_IO);
#endif
	CHECK_EQ(sigismember(&seen.mask, SIGTERM), 1);
	CHECK_EQ(sigismember(&seen.mask, SIGPIPE), 1);
	CHECK_EQ(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
}

TEST(a_thread_that_cannot_be_started_is_not_joined)
{
	struct pipa_worker thread = { 0 };
	struct seen seen = { 0 };

	CHECK_EQ(pipa_worker_start(&thread, "pipa-test", 1, look, &seen), -EINVAL);
	CHECK(!thread.running);
	pipa_worker_join(&thread);
	CHECK_EQ(seen.calls, 0);
}
