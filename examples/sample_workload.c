/*
 * Something to measure: two threads sort numbers in fresh memory and pass a token back and forth,
 * so that CPU time, page faults and context switches all show. About a quarter of a second.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NUMBERS = 1 << 20, PASSES = 2000 };

struct player {
	pthread_t thread;
	int in, out;
	uint64_t state;
	uint32_t median;
};

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void sort_numbers(struct player *player)
{
	uint32_t *numbers = malloc(NUMBERS * sizeof(*numbers));
	size_t i;

	if (!numbers)
		abort();
	for (i = 0; i < NUMBERS; i++) { /* xorshift */
		player->state ^= player->state << 13;
		player->state ^= player->state >> 7;
		player->state ^= player->state << 17;
		numbers[i] = (uint32_t)player->state;
	}
	qsort(numbers, NUMBERS, sizeof(*numbers), by_value);
	player->median = numbers[NUMBERS / 2];
	free(numbers);
}

static void *play(void *arg)
{
	struct player *player = arg;
	char token;
	int i;

	sort_numbers(player);
	for (i = 0; i < PASSES; i++)
		if (read(player->in, &token, 1) != 1 || write(player->out, &token, 1) != 1)
			abort();
	return NULL;
}

int main(void)
{
	struct player a = { .state = 88172645463325252u }, b = { .state = 2463534242u };
	int ab[2], ba[2];

	if (pipe(ab) < 0 || pipe(ba) < 0)
		return 1;
	a.out = ab[1];
	b.in = ab[0];
	b.out = ba[1];
	a.in = ba[0];
	if (write(ba[1], "!", 1) != 1 || pthread_create(&a.thread, NULL, play, &a) ||
	    pthread_create(&b.thread, NULL, play, &b))
		return 1;
	pthread_join(a.thread, NULL);
	pthread_join(b.thread, NULL);
	printf("sorted 2 x %d numbers, medians %u and %u; passed a token %d times\n", NUMBERS, a.median,
	       b.median, 2 * PASSES);
	return 0;
}
