/*
 * A program that is DEPTH calls deep, in frames of some 180 bytes and without frame pointers, and works as
 * much at each depth: for SECONDS.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

static __attribute__((noinline)) uint64_t work(uint64_t x)
{
	int i;

	for (i = 0; i < 500; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

static __attribute__((noinline)) uint64_t descend(int depth, uint64_t x)
{
	volatile char frame[136];

	frame[x % sizeof(frame)] = (char)x;
	x = work(x);
	if (depth > 1)
		x += descend(depth - 1, x);
	return x + (uint64_t)frame[x % sizeof(frame)];
}

int main(int argc, char **argv)
{
	time_t end;

	if (argc != 3) {
		fprintf(stderr, "usage: deep DEPTH SECONDS\n");
		return 2;
	}
	for (end = time(NULL) + atoi(argv[2]); time(NULL) < end;)
		sink += descend(atoi(argv[1]), sink);
	return 0;
}
