#include "base/thread/worker.h"

#include <signal.h>
#include <sys/prctl.h>

static void *thread_main(void *ctx)
{
	const struct pipa_worker *thread = ctx;

	prctl(PR_SET_NAME, thread->name);
	thread->fn(thread->ctx);
	return NULL;
}

int pipa_worker_start(struct pipa_worker *thread, const char *name, size_t stack_bytes,
		      void (*fn)(void *ctx), void *ctx)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int rc = pthread_attr_init(&attr);

	if (rc)
		return -rc;
	*thread = (struct pipa_worker){ .fn = fn, .ctx = ctx, .name = name };
	rc = pthread_attr_setstacksize(&attr, stack_bytes);
	if (!rc) {
		/* a new thread inherits the mask; faults of mapped files are handled where they happen */
		sigfillset(&all);
		sigdelset(&all, SIGBUS);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		rc = pthread_create(&thread->id, &attr, thread_main, thread);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	pthread_attr_destroy(&attr);
	thread->running = rc == 0;
	return -rc;
}

void pipa_worker_join(struct pipa_worker *thread)
{
	if (!thread->running)
		return;
	pthread_join(thread->id, NULL);
	thread->running = false;
}
