/*
 * Work on stacks of growing and shrinking depth whose outermost caller changes: outer HOW LAPS.
 *
 * Each lap goes down 200 calls of some 180 bytes each and back, working at each depth, below
 * via_a() or via_b(), which look alike. The innermost function depends on it: spin_a() or
 * spin_b(). HOW is
 *
 *	stable	all laps by via_a()
 *	stamped	by turns, and each lap leaves its own number in its frames
 *	same	by turns, and frames hold the same bytes in each lap
 *	fast	as same, but a lap takes some 10 us
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 200, SLOW = 200000, FAST = 10 };

static volatile int by_b, iterations = SLOW;
static volatile unsigned char stamp;
static volatile unsigned long sink;

#define SPIN(name)                                                                                 \
	__attribute__((noinline, noclone)) static void name(void)                                  \
	{                                                                                          \
		int i;                                                                             \
                                                                                                   \
		for (i = 0; i < iterations; i++)                                                   \
			sink = sink * 5 + 1;                                                       \
		__asm__ volatile("" ::"r"(#name[5]));                                              \
	}

SPIN(spin_a)
SPIN(spin_b)

__attribute__((noinline, noclone)) static void descend(int depth)
{
	volatile unsigned char frame[136];

	memset((unsigned char *)frame, stamp, sizeof(frame));
	if (by_b)
		spin_b();
	else
		spin_a();
	if (depth > 1)
		descend(depth - 1);
	if (by_b)
		spin_b();
	else
		spin_a();
	sink += frame[0];
}

#define VIA(name)                                                                                  \
	__attribute__((noinline, noclone)) static void name(void)                                  \
	{                                                                                          \
		descend(DEPTH);                                                                    \
		__asm__ volatile("" ::"r"(#name[4]));                                              \
	}

VIA(via_a)
VIA(via_b)

int main(int argc, char **argv)
{
	int lap, laps = argc == 3 ? atoi(argv[2]) : 0;

	if (!laps) {
		fprintf(stderr, "usage: outer stable|stamped|same|fast LAPS\n");
		return 2;
	}
	if (strcmp(argv[1], "fast") == 0) {
		iterations = FAST;
		laps *= SLOW / FAST;
	}
	for (lap = 0; lap < laps; lap++) {
		by_b = strcmp(argv[1], "stable") != 0 && lap % 2;
		stamp = strcmp(argv[1], "stamped") == 0 ? (unsigned char)lap : 0;
		if (by_b)
			via_b();
		else
			via_a();
	}
	return 0;
}
