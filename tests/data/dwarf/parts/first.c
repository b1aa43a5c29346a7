/* A unit in front of the one that is asked for, so that nothing of that one lies at offset 0. */
#include "inner.h"

__attribute__((noinline)) int first(volatile int *p)
{
	return inner(*p) + inner(p[1]);
}

__attribute__((noinline, cold)) int seldom(volatile int *p)
{
	return inner(*p);
}
