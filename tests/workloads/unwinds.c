/*
 * unwinds MS: for so many milliseconds of CPU time, frames of every kind that C makes: deep ones, alloca,
 * a realigned stack, tail calls, a signal handler, calls through the PLT and into the vdso. Built
 * with -O2 and without frame pointers.
 */
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "work.h"

#define APART __attribute__((noinline, noclone))

static volatile long sink;

APART static void spin(long n)
{
	long i;

	for (i = 0; i < n; i++)
		sink += i;
}

static void on_signal(int sig)
{
	spin(40000 + sig);
}

APART static long called_last(long x)
{
	spin(300);
	return x * 3;
}

APART static long calls_last(long x)
{
	sink++;
	return called_last(x + 1);
}

APART static long of_any_size(size_t n)
{
	char *room = __builtin_alloca(n);

	memset(room, (int)n, n);
	spin(200);
	return room[n / 2] + calls_last((long)n);
}

APART static long aligned(size_t n)
{
	__attribute__((aligned(64))) char room[256];

	memset(room, (int)n, sizeof(room));
	spin(100);
	return room[n % sizeof(room)] + of_any_size(n);
}

/* NOLINTNEXTLINE(misc-no-recursion): that is the point */
APART static long deep(size_t n)
{
	char room[64];

	if (!n)
		return aligned(333);
	memset(room, (int)n, sizeof(room));
	return deep(n - 1) + room[n % sizeof(room)];
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

APART static void call_libraries(void)
{
	struct timespec now;
	char text[100];
	int numbers[300], i;

	for (i = 0; i < 300; i++) {
		numbers[i] = i * 7919 % 1001;
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
	qsort(numbers, 300, sizeof(numbers[0]), compare);
	sink += snprintf(text, sizeof(text), "%f", (double)now.tv_nsec / numbers[299]);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct itimerval every = { { 0, 2000 }, { 0, 2000 } };
	clock_t end;
	size_t i;

	if (argc != 2)
		return 2;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	end = clock() + (clock_t)work_number(argv[1]) * (CLOCKS_PER_SEC / 1000);
	for (i = 0; clock() < end; i++) {
		sink += deep(i % 60);
		call_libraries();
	}
	return 0;
}
