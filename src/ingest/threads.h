/* Threads and their names (comm) over time. */
#ifndef PIPA_INGEST_THREADS_H
#define PIPA_INGEST_THREADS_H

#include <stddef.h>
#include <stdint.h>

struct pipa_order_span;
struct pipa_threads;

struct pipa_threads *pipa_threads_new(void); /* NULL on allocation failure */
void pipa_threads_free(struct pipa_threads *threads);

/* From then on the thread has that name, whatever number the caller gives names. 0 or -ENOMEM. */
int pipa_threads_name(struct pipa_threads *threads, uint32_t pid, uint32_t tid, uint64_t order,
		      uint32_t name);

/* A new thread is called like the one that made it. 0 or -ENOMEM. */
int pipa_threads_fork(struct pipa_threads *threads, uint32_t parent_pid, uint32_t parent_tid,
		      uint32_t pid, uint32_t tid, uint64_t order);

#define PIPA_NO_NAME UINT32_MAX

/* Its name at that time: its own, its process's, or PIPA_NO_NAME. */
uint32_t pipa_threads_find(const struct pipa_threads *threads, uint32_t pid, uint32_t tid,
			   uint64_t order);

/* The same, and narrow the span to where the answer holds until the next change. */
uint32_t pipa_threads_find_span(const struct pipa_threads *threads, uint32_t pid, uint32_t tid,
				uint64_t order, struct pipa_order_span *span);

#endif
