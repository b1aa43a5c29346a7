#include "measure/sample/record_account.h"

#include "base/clock.h"
#include "lib/test.h"

static const struct perf_event_attr each_time = {
	.type = PERF_TYPE_TRACEPOINT,
	.sample_period = 1,
	.sample_type = PERF_SAMPLE_PERIOD,
};

static const struct perf_event_attr clock_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.freq = 1,
	.sample_freq = 1000,
	.sample_type = PERF_SAMPLE_PERIOD,
};

static uint64_t missing(const struct perf_event_attr *attr, uint64_t count, uint64_t lost,
			uint64_t samples, uint64_t weight)
{
	const struct pipa_record_balance balance = {
		.counted = { .count = count, .lost = lost },
		.seen = { .samples = samples, .weight = weight },
	};

	return pipa_record_missing(attr, &balance);
}

TEST(each_event_that_was_counted_is_a_sample_or_missing)
{
	CHECK_EQ(missing(&each_time, 1000, 0, 1000, 1000), 0);
	CHECK_EQ(missing(&each_time, 1000, 0, 999, 999), 1);
	CHECK_EQ(missing(&each_time, 1000, 300, 600, 600), 400);
	CHECK_EQ(missing(&each_time, 0, 0, 0, 0), 0);
	CHECK_EQ(missing(&each_time, 7, 0, 0, 0), 7);
}

TEST(a_tracepoint_that_counts_nanoseconds_is_balanced_by_its_periods)
{
	CHECK_EQ(missing(&each_time, 5000000, 0, 10, 5000000), 0);
	CHECK_EQ(missing(&each_time, 5000000, 3, 7, 4000000), 3);
	CHECK_EQ(missing(&each_time, 5000000, 0, 7, 4000000), 1); /* not reported by the kernel */
}

TEST(of_a_clock_one_period_may_have_begun)
{
	CHECK_EQ(missing(&clock_attr, PIPA_NS_PER_SEC, 0, 1000, 0), 0);
	CHECK_EQ(missing(&clock_attr, PIPA_NS_PER_SEC, 0, 999, 0), 0);
	CHECK_EQ(missing(&clock_attr, PIPA_NS_PER_SEC, 0, 998, 0), 2);
	CHECK_EQ(missing(&clock_attr, PIPA_NS_PER_SEC, 5, 995, 0), 5);
	CHECK_EQ(missing(&clock_attr, PIPA_NS_PER_SEC, 5, 900, 0), 100);
	CHECK_EQ(missing(&clock_attr, PIPA_NS_PER_SEC, 0, 1001, 0), 0);
}

TEST(a_clock_event_without_a_mode_has_only_reported_losses)
{
	struct perf_event_attr attr = clock_attr;

	attr.exclude_kernel = 1;
	CHECK_EQ(missing(&attr, PIPA_NS_PER_SEC, 4, 10, 0), 4);
}

TEST(each_nth_event_may_leave_a_rest)
{
	struct perf_event_attr attr = each_time;

	attr.sample_period = 10;
	attr.sample_type = 0;
	CHECK_EQ(missing(&attr, 1009, 0, 100, 0), 0);
	CHECK_EQ(missing(&attr, 1009, 0, 90, 0), 10);
}

TEST(pmu_events_have_only_the_losses_reported_by_the_kernel)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .sample_period = 1000 };

	CHECK_EQ(missing(&attr, 1000000, 12, 900, 0), 12);
	attr.freq = 1;
	CHECK_EQ(missing(&attr, 1000000, 12, 900, 0), 12);
}
