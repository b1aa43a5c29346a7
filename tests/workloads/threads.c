/*
 * threads T N [FIFO]: T threads touch N pages each. With a FIFO the threads exist from the start
 * and wait, blocked, until it is opened for writing and closed.
 */
#include <pthread.h>

#include "work.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static unsigned long pages;

static void *work(void *arg)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	work_touch(pages);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t *threads;
	unsigned long n, i;

	if (argc < 3 || argc > 4)
		return 2;
	n = work_number(argv[1]);
	pages = work_number(argv[2]);
	threads = calloc(n + 1, sizeof(*threads));
	if (!threads)
		work_fail("calloc");
	pthread_mutex_lock(&gate);
	for (i = 0; i < n; i++) {
		errno = pthread_create(&threads[i], NULL, work, NULL);
		if (errno)
			work_fail("pthread_create");
	}
	if (argc == 4)
		work_wait(argv[3]);
	pthread_mutex_unlock(&gate);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
