/* Worker threads: they receive no signals, which the main thread handles. */
#ifndef PIPA_BASE_THREAD_WORKER_H
#define PIPA_BASE_THREAD_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Stack sizes. They do not depend on RLIMIT_STACK, which pthread_create(3) takes otherwise. */
enum {
	PIPA_WORKER_STACK_IO = 256 << 10,  /* read, write and poll */
	PIPA_WORKER_STACK_PARSE = 8 << 20, /* decoders and the demangler, which recurse */
};

/* A thread; zeroed: none runs. It must not be moved between start and join. */
struct pipa_worker {
	pthread_t id;
	bool running; /* started and not joined */
	void (*fn)(void *ctx);
	void *ctx;
	const char *name;
};

/*
 * Call fn(ctx) on a new thread with all signals blocked. The name, of up to 15 bytes and static, is the
 * thread's comm in proc(5). Returns 0 or a negative errno, and then the caller does the work itself.
 */
int pipa_worker_start(struct pipa_worker *thread, const char *name, size_t stack_bytes,
		      void (*fn)(void *ctx), void *ctx);

/*
 * Start a thread that is never joined; `ctx` has to live as long as the thread. For calls that cannot be interrupted
 * and whose result may not be needed any more.
 */
int pipa_worker_detach(const char *name, size_t stack_bytes, void (*fn)(void *ctx), void *ctx);

/* Wait until the thread ends. Does nothing if none runs. */
void pipa_worker_join(struct pipa_worker *thread);

#endif
