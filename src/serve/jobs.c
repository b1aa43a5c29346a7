#include "serve/jobs.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/thread/worker.h"

struct pipa_jobs {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct pipa_job_item *first, **end;
	size_t waiting, max_waiting;
	unsigned int idle, started, max_threads;
	bool closing;
	struct pipa_worker threads[];
};

/* Remove an item from the queue, under the lock. */
static void unlink_item(struct pipa_jobs *jobs, struct pipa_job_item *item)
{
	*item->link = item->next;
	if (item->next)
		item->next->link = item->link;
	else
		jobs->end = item->link;
	item->link = NULL;
	jobs->waiting--;
}

static void run_thread(void *ctx)
{
	struct pipa_jobs *jobs = ctx;
	struct pipa_job_item *item;

	pthread_mutex_lock(&jobs->lock);
	for (;;) {
		jobs->idle++;
		while (!jobs->first && !jobs->closing)
			pthread_cond_wait(&jobs->more, &jobs->lock);
		jobs->idle--;
		item = jobs->first;
		if (!item)
			break;
		unlink_item(jobs, item);
		pthread_mutex_unlock(&jobs->lock);
		item->run(item);
		pthread_mutex_lock(&jobs->lock);
	}
	pthread_mutex_unlock(&jobs->lock);
}

struct pipa_jobs *pipa_jobs_new(unsigned int threads, size_t queued)
{
	struct pipa_jobs *jobs = calloc(1, sizeof(*jobs) + threads * sizeof(jobs->threads[0]));

	if (!jobs)
		return NULL;
	pthread_mutex_init(&jobs->lock, NULL);
	pthread_cond_init(&jobs->more, NULL);
	jobs->end = &jobs->first;
	jobs->max_threads = threads;
	jobs->max_waiting = queued;
	return jobs;
}

bool pipa_jobs_put(struct pipa_jobs *jobs, struct pipa_job_item *item)
{
	struct pipa_worker *thread;
	bool taken;

	pthread_mutex_lock(&jobs->lock);
	taken = jobs->waiting < jobs->max_waiting && !jobs->closing;
	if (taken && jobs->idle <= jobs->waiting && jobs->started < jobs->max_threads) {
		thread = &jobs->threads[jobs->started];
		if (pipa_worker_start(thread, "pipad-job", PIPA_WORKER_STACK_PARSE, run_thread,
				      jobs) == 0)
			jobs->started++;
	}
	taken = taken && jobs->started;
	if (taken) {
		item->next = NULL;
		item->link = jobs->end;
		*jobs->end = item;
		jobs->end = &item->next;
		jobs->waiting++;
		pthread_cond_signal(&jobs->more);
	}
	pthread_mutex_unlock(&jobs->lock);
	return taken;
}

bool pipa_jobs_remove(struct pipa_jobs *jobs, struct pipa_job_item *item)
{
	bool waits;

	pthread_mutex_lock(&jobs->lock);
	waits = item->link != NULL;
	if (waits)
		unlink_item(jobs, item);
	pthread_mutex_unlock(&jobs->lock);
	return waits;
}

size_t pipa_jobs_waiting(struct pipa_jobs *jobs)
{
	size_t n;

	pthread_mutex_lock(&jobs->lock);
	n = jobs->waiting;
	pthread_mutex_unlock(&jobs->lock);
	return n;
}

void pipa_jobs_stop(struct pipa_jobs *jobs)
{
	unsigned int i;

	pthread_mutex_lock(&jobs->lock);
	jobs->closing = true;
	pthread_cond_broadcast(&jobs->more);
	pthread_mutex_unlock(&jobs->lock);
	for (i = 0; i < jobs->started; i++)
		pipa_worker_join(&jobs->threads[i]);
	jobs->started = 0;
}

void pipa_jobs_free(struct pipa_jobs *jobs)
{
	if (!jobs)
		return;
	pipa_jobs_stop(jobs);
	pthread_cond_destroy(&jobs->more);
	pthread_mutex_destroy(&jobs->lock);
	free(jobs);
}
