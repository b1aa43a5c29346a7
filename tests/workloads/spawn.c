/*
 * spawn N FIFO: makes threads as fast as it can, until N of them stay; as many more end at once. When
 * all are there it waits at FIFO, then each touches PAGES pages on every CPU and the process ends.
 */
#include <pthread.h>
#include <sched.h>

#include "work.h"

enum { PAGES = 16 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void touch_everywhere(void)
{
	cpu_set_t all, one;
	int cpu;

	sched_getaffinity(0, sizeof(all), &all);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		work_touch(PAGES);
	}
}

static void *stay(void *arg)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	touch_everywhere();
	return arg;
}

static void *leave(void *arg)
{
	return arg;
}

static pthread_t make(const pthread_attr_t *attr, void *(*work)(void *))
{
	pthread_t thread;

	errno = pthread_create(&thread, attr, work, NULL);
	if (errno)
		work_fail("pthread_create");
	return thread;
}

int main(int argc, char **argv)
{
	unsigned long n, i;
	pthread_t *threads;
	pthread_attr_t small;

	if (argc != 3)
		return 2;
	n = work_number(argv[1]);
	threads = calloc(n + 1, sizeof(*threads));
	if (!threads)
		work_fail("calloc");
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_mutex_lock(&gate);
	for (i = 0; i < n; i++) {
		threads[i] = make(&small, stay);
		pthread_detach(make(&small, leave));
	}
	work_wait(argv[2]);
	pthread_mutex_unlock(&gate);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
