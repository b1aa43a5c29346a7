#include "serve/jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "lib/test.h"

enum { MANY = 500 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done, waiting;
static struct pipa_job_item items[MANY];

static void count(struct pipa_job_item *item)
{
	(void)item;
	atomic_fetch_add(&done, 1);
}

static void wait_for_gate(struct pipa_job_item *item)
{
	atomic_fetch_add(&waiting, 1);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	count(item);
}

static void until(atomic_int *value, int least)
{
	while (atomic_load(value) < least)
		usleep(1000);
}

TEST(all_items_run_before_the_stop_ends)
{
	struct pipa_jobs *jobs = pipa_jobs_new(4, MANY);
	int i;

	CHECK(jobs);
	for (i = 0; i < MANY; i++) {
		items[i].run = count;
		CHECK(pipa_jobs_put(jobs, &items[i]));
	}
	pipa_jobs_stop(jobs);
	CHECK_EQ(atomic_load(&done), MANY);
	CHECK(!pipa_jobs_put(jobs, &items[0]));
	pipa_jobs_free(jobs);
}

TEST(items_beyond_the_queue_are_refused)
{
	struct pipa_jobs *jobs = pipa_jobs_new(2, 3);
	int i;

	pthread_mutex_lock(&gate);
	for (i = 0; i < 6; i++)
		items[i].run = wait_for_gate;
	CHECK(pipa_jobs_put(jobs, &items[0]) && pipa_jobs_put(jobs, &items[1]));
	until(&waiting, 2); /* both threads */
	CHECK_EQ(pipa_jobs_waiting(jobs), 0);
	for (i = 2; i < 5; i++)
		CHECK(pipa_jobs_put(jobs, &items[i]));
	CHECK(!pipa_jobs_put(jobs, &items[5]));
	CHECK_EQ(pipa_jobs_waiting(jobs), 3);
	pthread_mutex_unlock(&gate);
	pipa_jobs_free(jobs);
	CHECK_EQ(atomic_load(&done), 5);
}

TEST(items_run_at_the_same_time_on_as_many_threads)
{
	struct pipa_jobs *jobs = pipa_jobs_new(8, 100);
	int i;

	pthread_mutex_lock(&gate);
	for (i = 0; i < 8; i++) {
		items[i].run = wait_for_gate;
		CHECK(pipa_jobs_put(jobs, &items[i]));
	}
	until(&waiting, 8);
	pthread_mutex_unlock(&gate);
	pipa_jobs_free(jobs);
}
