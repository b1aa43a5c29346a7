#include "job/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "job/resolver_own.h"
#include "lib/test.h"

struct done {
	atomic_uint times[PIPA_PARALLEL_MAX];
	pthread_t threads[PIPA_PARALLEL_MAX];
};

static void do_part(void *ctx, unsigned int part)
{
	struct done *done = ctx;

	atomic_fetch_add(&done->times[part], 1);
	done->threads[part] = pthread_self();
}

TEST(each_part_is_done_once_and_the_last_by_the_caller)
{
	unsigned int n, i;

	for (n = 0; n <= PIPA_PARALLEL_MAX; n++) {
		struct done done = { 0 };

		pipa_parallel(n, do_part, &done);
		for (i = 0; i < PIPA_PARALLEL_MAX; i++)
			CHECK_EQ(atomic_load(&done.times[i]), i < n);
		if (n)
			CHECK(pthread_equal(done.threads[n - 1], pthread_self()));
		if (n > 1)
			CHECK(!pthread_equal(done.threads[0], pthread_self()));
	}
}

TEST(the_width_is_one_at_least)
{
	CHECK(pipa_parallel_width() >= 1);
	CHECK(pipa_parallel_width() <= PIPA_PARALLEL_MAX);
}

static int by_address(const void *a, const void *b)
{
	const struct pipa_resolver_question *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

/* Few and many, of few bits and of all, with repeats. */
TEST(questions_are_sorted_by_address_and_repeats_stay_in_order)
{
	enum { MOST = 5000 };
	static struct pipa_resolver_question asked[MOST], want[MOST], spare[MOST];
	static const uint64_t masks[] = { 0, 0xff, 0xfffff, UINT64_MAX, 0xffff0000ffff0000 };
	static const size_t counts[] = { 0, 1, 100, 511, 512, MOST };
	uint64_t seed = 7;
	size_t m, c, i;

	for (m = 0; m < sizeof(masks) / sizeof(masks[0]); m++)
		for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
			for (i = 0; i < counts[c]; i++) {
				seed = seed * UINT64_C(6364136223846793005) + 1;
				asked[i].address = (seed ^ seed >> 31) & masks[m];
				asked[i].index = i;
				want[i] = asked[i];
			}
			qsort(want, counts[c], sizeof(want[0]), by_address);
			pipa_resolver_sort(asked, spare, counts[c]);
			for (i = 0; i < counts[c]; i++) {
				CHECK_EQ(asked[i].address, want[i].address);
				CHECK_EQ(asked[i].index, want[i].index);
			}
		}
}
