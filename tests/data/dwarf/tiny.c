/* What the images of this folder are made of (make.sh): two levels of inlined functions. */
#include "parts/inner.h"

struct shape {
	int sides, colour;
	struct shape *next;
};

static inline __attribute__((always_inline)) int middle(int a)
{
	if (a & 1)
		a = inner(a) ^ 5;
	return inner(a + 7);
}

__attribute__((noinline)) int outer(volatile struct shape *s)
{
	int sum = 0;

	for (int i = 0; i < s->sides; i++)
		sum += middle(s->colour + i);
	return sum;
}

__attribute__((noinline, cold)) int rare(volatile struct shape *s)
{
	return inner(s->sides);
}

int main(int argc, char **argv)
{
	struct shape s = { argc, argv != 0, 0 };

	if (argc > 9)
		return rare(&s);
	return outer(&s) + middle(argc);
}
