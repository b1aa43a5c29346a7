/*
 * The program that was stopped again and again for the fixtures beside it (make-fixtures): frames of
 * every kind that C makes. Linked statically, at fixed addresses, without frame pointers and, on aarch64,
 * with signed return addresses.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone, used))

volatile long sink;
static char other_stack[16384] __attribute__((aligned(64)));

APART void leaf(long n)
{
	sink += n;
}

APART void handler(int sig)
{
	leaf(sig);
	sink++;
}

APART long called_last(long x)
{
	leaf(x);
	return sink;
}

APART long calls_last(long x)
{
	leaf(1);
	return called_last(x + 1);
}

APART long of_any_size(size_t n)
{
	char *room = __builtin_alloca(n);

	memset(room, (int)n, n);
	leaf(2);
	return room[n / 2] + calls_last((long)n);
}

APART long aligned(size_t n)
{
	__attribute__((aligned(64))) char room[128];

	memset(room, (int)n, sizeof(room));
	leaf(3);
	return room[n % sizeof(room)] + of_any_size(n);
}

APART long deep(size_t n)
{
	volatile char room[24];

	if (!n)
		return aligned(90);
	room[n % 24] = (char)n;
	return deep(n - 1) + room[n % 24];
}

APART int compare(const void *a, const void *b)
{
	leaf(4);
	return *(const int *)a - *(const int *)b;
}

/* Many callee-saved registers. */
APART long wide(long a, long b, long c, long d)
{
	long e = a * b, f = b * c, g = c * d, h = d * a;

	leaf(a);
	leaf(b + e);
	leaf(c + f);
	leaf(d + g);
	leaf(a + b + c + d + e + f + g + h);
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

APART long bounce(int sig)
{
	raise(sig);
	return sink;
}

int main(void)
{
	stack_t alt = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	struct sigaction action = { .sa_handler = handler };
	int numbers[] = { 5, 3, 4, 1 };

	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	sigaltstack(&alt, NULL);
	sink += deep(20);
	sink += wide(1, 2, 3, 4);
	qsort(numbers, 4, sizeof(numbers[0]), compare);
	sink += bounce(SIGUSR1);
	sink += bounce(SIGUSR2);
	return 0;
}
