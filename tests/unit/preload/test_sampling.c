/* Distribution of the distances and weights: estimates are unbiased. */
#include <math.h>

#include "lib/test.h"
#include "preload/abi.h"
#include "preload/sampling.h"

static const double one = 1 << PIPA_HEAP_FRACTION;

TEST(weight_is_the_reciprocal_of_the_sampling_probability)
{
	static const uint64_t rates[] = { 2, 100, 4096, 512 << 10, PIPA_HEAP_RATE_MAX };
	uint64_t size;
	size_t i;

	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		for (size = 1; size < UINT64_C(1) << 46; size += size / 7 + 1) {
			double want = 1 / -expm1(-(double)size / (double)rates[i]);
			double got = (double)pipa_heap_weight(size, rates[i]) / one;

			CHECK_NEAR(got / want, 1, 2e-5);
		}
}

TEST(with_rates_of_0_and_1_every_allocation_counts_once)
{
	uint64_t random = 1;

	CHECK_EQ(pipa_heap_weight(0, 0), 1 << PIPA_HEAP_FRACTION);
	CHECK_EQ(pipa_heap_weight(77, 1), 1 << PIPA_HEAP_FRACTION);
	CHECK_EQ(pipa_heap_draw(&random, 0), 0);
	CHECK_EQ(pipa_heap_draw(&random, 1), 0);
	CHECK_EQ(pipa_heap_scale(77, 1 << PIPA_HEAP_FRACTION), 77);
	CHECK_EQ(pipa_heap_scale(UINT64_C(1) << 46, 1 << PIPA_HEAP_FRACTION), UINT64_C(1) << 46);
}

TEST(distances_are_exponentially_distributed)
{
	enum { N = 200000, RATE = 4096 };
	double sum = 0, squares = 0, mean, deviation;
	uint64_t random = 42, above = 0, i;

	for (i = 0; i < N; i++) {
		double d = (double)pipa_heap_draw(&random, RATE);

		sum += d;
		squares += d * d;
		above += d > RATE;
	}
	mean = sum / N;
	deviation = sqrt(squares / N - mean * mean);
	CHECK_NEAR(mean, RATE + 0.5, 3 * RATE / sqrt(N)); /* rounded up to whole bytes */
	CHECK_NEAR(deviation, RATE, 5 * RATE / sqrt(N));
	CHECK_NEAR((double)above / N, exp(-1), 3 * 0.49 / sqrt(N));
}

/* Apply the library's countdown to known allocations. */
static void estimate(uint64_t rate, const uint64_t *sizes, size_t n_sizes, uint64_t n,
		     uint64_t *random, double *ret_count, double *ret_bytes)
{
	uint64_t countdown = pipa_heap_draw(random, rate), i;

	*ret_count = *ret_bytes = 0;
	for (i = 0; i < n; i++) {
		uint64_t size = sizes[i % n_sizes], weight;

		if (size < countdown) {
			countdown -= size;
			continue;
		}
		countdown = pipa_heap_draw(random, rate);
		weight = pipa_heap_weight(size, rate);
		*ret_count += (double)weight / one;
		*ret_bytes += (double)pipa_heap_scale(size, weight);
	}
}

TEST(estimates_of_known_allocations_are_within_3_sigma)
{
	static const struct {
		uint64_t sizes[4];
		size_t n;
		uint64_t allocations;
	} patterns[] = {
		{ { 16 }, 1, 2000000 },
		{ { 1000 }, 1, 100000 },
		{ { 4096 }, 1, 30000 },
		{ { 100000 }, 1, 1000 },
		{ { 8, 24, 3000, 20000 }, 4, 80000 },
	};
	enum { RATE = 4096, ROUNDS = 20 };
	uint64_t random = 7;
	size_t p, i;

	for (p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++) {
		double true_bytes = 0, variance_count = 0, variance_bytes = 0, count = 0, bytes = 0;
		double n = (double)patterns[p].allocations / (double)patterns[p].n * ROUNDS, c, b;

		for (i = 0; i < patterns[p].n; i++) {
			double size = (double)patterns[p].sizes[i], q = -expm1(-size / RATE);

			true_bytes += n * size;
			variance_count += n * (1 - q) / q;
			variance_bytes += n * size * size * (1 - q) / q;
		}
		for (i = 0; i < ROUNDS; i++) {
			estimate(RATE, patterns[p].sizes, patterns[p].n, patterns[p].allocations,
				 &random, &c, &b);
			count += c;
			bytes += b;
		}
		CHECK_NEAR(count, n * (double)patterns[p].n, 3 * sqrt(variance_count) + 1);
		CHECK_NEAR(bytes, true_bytes, 3 * sqrt(variance_bytes) + 1);
	}
}
