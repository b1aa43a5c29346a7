/*
 * A workload with a known call chain: main, outer, middle, inner, and leaf, which spins.
 *
 *	chain N   call leaf often enough to loop N times in all
 *
 * Nothing of it is inlined, and no call is the last thing that a function does.
 */

#include <stdlib.h>

#define APART __attribute__((noinline, noclone))

enum { ROUNDS = 10000 };

static volatile unsigned long sum;

APART void leaf(unsigned long rounds)
{
	__asm__ volatile("1: subs %0, %0, 1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
}

APART void inner(unsigned long rounds)
{
	leaf(rounds);
	sum++;
}

APART void middle(unsigned long rounds)
{
	inner(rounds);
	sum++;
}

APART void outer(unsigned long rounds)
{
	middle(rounds);
	sum++;
}

int main(int argc, char **argv)
{
	unsigned long left = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	for (; left >= ROUNDS; left -= ROUNDS)
		outer(ROUNDS);
	return sum == 1;
}
