/* Threads and their names (comm) over time. */
#ifndef PIPA_INGEST_THREADS_H
#define PIPA_INGEST_THREADS_H

#include <stddef.h>
#include <stdint.h>

struct pipa_order_span;
struct pipa_threads;

struct pipa_threads *pipa_threads_new(void); /* NULL on allocation failure */
void pipa_threads_free(struct pipa_threads *threads);

/*
 * Set the name of a thread from `order` on. `name` is an index that the caller assigned. Returns 0
 * or -ENOMEM.
 */
int pipa_threads_name(struct pipa_threads *threads, uint32_t pid, uint32_t tid, uint64_t order,
		      uint32_t name);

/* Return the number of threads and names, also of ended threads. */
size_t pipa_threads_size(const struct pipa_threads *threads);

/* Give a new thread the name of its parent. Returns 0 or -ENOMEM. */
int pipa_threads_fork(struct pipa_threads *threads, uint32_t parent_pid, uint32_t parent_tid,
		      uint32_t pid, uint32_t tid, uint64_t order);

#define PIPA_NO_NAME UINT32_MAX

/* Return the name of a thread at that time: its own, that of its process, or PIPA_NO_NAME. */
uint32_t pipa_threads_find(const struct pipa_threads *threads, uint32_t pid, uint32_t tid,
			   uint64_t order);

/* Like pipa_threads_find(), and narrow *span to the orders for which the result is the same. */
uint32_t pipa_threads_find_span(const struct pipa_threads *threads, uint32_t pid, uint32_t tid,
				uint64_t order, struct pipa_order_span *span);

#endif
