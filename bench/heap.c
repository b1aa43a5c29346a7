/*
 * Allocates, and prints the CPU time of the process in nanoseconds per operation, for heap.sh.
 *
 *	heap pair N		malloc and free of 100 bytes: N pairs
 *	heap alloc N		malloc of 64 bytes, nothing is freed until the end
 *	heap threads N		on 2 threads: blocks of many sizes from several stacks, written to and freed
 *				later, N operations each
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void pairs(uint64_t n)
{
	while (n--) {
		void *block = malloc(100);

		__asm__ volatile("" : : "r"(block) : "memory");
		free(block);
	}
}

static void allocations(uint64_t n)
{
	while (n--) {
		void *block = malloc(64);

		__asm__ volatile("" : : "r"(block) : "memory");
	}
}

enum { KEPT = 1024 };

static __attribute__((noinline)) void *allocate(size_t size)
{
	char *block = malloc(size);

	memset(block, 1, size);
	return block;
}

/* Stacks of different depth and callers. */
static __attribute__((noinline)) void *descend(unsigned int way, unsigned int depth, size_t size)
{
	void *block;

	if (!depth)
		return allocate(size);
	block = way & 1 ? descend(way >> 1, depth - 1, size) :
			  descend(way >> 1, depth - 1, size + 1);
	__asm__ volatile("" : "+r"(block));
	return block;
}

static void *work(void *arg)
{
	uint64_t n = *(const uint64_t *)arg, random = (uint64_t)(uintptr_t)&n | 1, sum = 0;
	void **kept = calloc(KEPT, sizeof(*kept));
	size_t i, at;

	while (n--) {
		random = random * 6364136223846793005 + 1442695040888963407;
		at = random >> 33 & (KEPT - 1);
		free(kept[at]);
		kept[at] = descend(random >> 45 & 7, 3 + (random >> 50 & 3),
				   16 + (random >> 52 & 511));
		sum += *(unsigned char *)kept[at];
	}
	for (i = 0; i < KEPT; i++)
		free(kept[i]);
	free(kept);
	return (void *)(uintptr_t)sum;
}

static void threads(uint64_t n)
{
	pthread_t ids[2];
	int i;

	for (i = 0; i < 2; i++)
		if (pthread_create(&ids[i], NULL, work, &n))
			exit(1);
	for (i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, start;
	const char *mode = argc > 2 ? argv[1] : "";
	void (*run)(uint64_t) = !strcmp(mode, "pair")	 ? pairs :
				!strcmp(mode, "alloc")	 ? allocations :
				!strcmp(mode, "threads") ? threads :
							   NULL;

	if (!run || !n)
		return 2;
	start = cpu_ns();
	run(n);
	printf("%.3f\n", (double)(cpu_ns() - start) / (double)n);
	return 0;
}
