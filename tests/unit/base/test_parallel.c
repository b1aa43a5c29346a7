#include "base/thread/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

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
