#include "base/thread/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

static void *thread_main(void *ctx)
{
	const struct pipa_worker *thread = ctx;

	prctl(PR_SET_NAME, thread->name);
	thread->fn(thread->ctx);
	return NULL;
}

/* Create a thread that runs start(ctx) with all signals blocked. 0 or a negative errno. */
static int create_thread(pthread_t *ret, size_t stack_bytes, int detach_state,
			 void *(*start)(void *), void *ctx)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int rc = pthread_attr_init(&attr);

	if (rc)
		return -rc;
	pthread_attr_setdetachstate(&attr, detach_state);
	rc = pthread_attr_setstacksize(&attr, stack_bytes);
	if (!rc) {
		/* a new thread inherits the mask; faults of mapped files are handled where they happen */
		sigfillset(&all);
		sigdelset(&all, SIGBUS);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		rc = pthread_create(ret, &attr, start, ctx);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	pthread_attr_destroy(&attr);
	return -rc;
}

int pipa_worker_start(struct pipa_worker *thread, const char *name, size_t stack_bytes,
		      void (*fn)(void *ctx), void *ctx)
{
	int rc;

	*thread = (struct pipa_worker){ .fn = fn, .ctx = ctx, .name = name };
	rc = create_thread(&thread->id, stack_bytes, PTHREAD_CREATE_JOINABLE, thread_main, thread);
	thread->running = rc == 0;
	return rc;
}

static void *detached_main(void *ctx)
{
	struct pipa_worker thread = *(struct pipa_worker *)ctx;

	free(ctx);
	return thread_main(&thread);
}

int pipa_worker_detach(const char *name, size_t stack_bytes, void (*fn)(void *ctx), void *ctx)
{
	struct pipa_worker *thread = malloc(sizeof(*thread));
	pthread_t id;
	int rc;

	if (!thread)
		return -ENOMEM;
	*thread = (struct pipa_worker){ .fn = fn, .ctx = ctx, .name = name };
	rc = create_thread(&id, stack_bytes, PTHREAD_CREATE_DETACHED, detached_main, thread);
	if (rc < 0)
		free(thread);
	return rc;
}

void pipa_worker_join(struct pipa_worker *thread)
{
	if (!thread->running)
		return;
	pthread_join(thread->id, NULL);
	thread->running = false;
}
