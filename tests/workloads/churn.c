/*
 * churn MS: for MS milliseconds threads come and go, four at a time. Each touches pages, computes a
 * little and hands its CPU on; every eighth forks a child that does the same and ends.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>

#include "work.h"

enum { AT_ONCE = 4, PAGES = 20, SPIN = 20000 };

static void work(void)
{
	volatile unsigned long sum = 0;
	unsigned long i;

	work_touch(PAGES);
	for (i = 0; i < SPIN; i++)
		sum += i;
	sched_yield();
}

static void *run(void *arg)
{
	pid_t pid;

	work();
	if ((uintptr_t)arg % 8)
		return NULL;
	pid = fork();
	if (pid == 0) {
		work();
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return NULL;
}

static unsigned long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long)t.tv_sec * 1000 + (unsigned long)t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	pthread_t threads[AT_ONCE];
	unsigned long end, n = 0, i;

	if (argc != 2)
		return 2;
	end = now_ms() + work_number(argv[1]);
	while (now_ms() < end) {
		for (i = 0; i < AT_ONCE; i++) {
			errno = pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)n++);
			if (errno)
				work_fail("pthread_create");
		}
		for (i = 0; i < AT_ONCE; i++)
			pthread_join(threads[i], NULL);
	}
	return 0;
}
