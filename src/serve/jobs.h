/* Threads for calls that wait for the disk: queries, downloads, recordings. */
#ifndef PIPA_SERVE_JOBS_H
#define PIPA_SERVE_JOBS_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_jobs;

/* Embedded in a struct of the caller. */
struct pipa_job_item {
	struct pipa_job_item *next, **link;	 /* link: NULL unless it waits */
	void (*run)(struct pipa_job_item *item); /* on one of the threads */
};

/* At most `threads` threads, started when needed, and `queued` items that wait. NULL on failure. */
struct pipa_jobs *pipa_jobs_new(unsigned int threads, size_t queued);

/* Take no more items, and wait until all have run. */
void pipa_jobs_stop(struct pipa_jobs *jobs);
void pipa_jobs_free(struct pipa_jobs *jobs);

/* Queue an item. False: the queue is full. Any thread. */
bool pipa_jobs_put(struct pipa_jobs *jobs, struct pipa_job_item *item);

/* Remove an item that was queued. False: it has been taken by a thread. Any thread, while the item exists. */
bool pipa_jobs_remove(struct pipa_jobs *jobs, struct pipa_job_item *item);

/* Number of items that wait. */
size_t pipa_jobs_waiting(struct pipa_jobs *jobs);

#endif
