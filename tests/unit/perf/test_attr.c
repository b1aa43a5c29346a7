#include "perf/attr.h"

#include "lib/test.h"
#include "model/profile.h"

static struct pipa_event_type type_of(const struct perf_event_attr *attr)
{
	static char buf[64];
	struct pipa_perf_event event = { .attr = *attr };
	struct pipa_event_type type;

	pipa_perf_event_type(&event, buf, &type);
	return type;
}

TEST(clocks_are_in_nanoseconds_and_have_the_period_of_their_frequency)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.freq = 1,
					.sample_freq = 4000 };
	struct pipa_event_type type = type_of(&attr);

	CHECK_STR(type.name, "task-clock");
	CHECK_STR(type.unit, PIPA_VALUE_NS);
	CHECK_EQ(type.period, 250000);
	CHECK_EQ(type.frequency, 4000);
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.freq = 0;
	attr.sample_period = 77;
	type = type_of(&attr);
	CHECK_STR(type.unit, PIPA_VALUE_NS);
	CHECK_EQ(type.period, 77);
	CHECK_EQ(type.frequency, 0);
	attr.freq = 1;
	attr.sample_freq = 0;
	CHECK_EQ(type_of(&attr).period, 0);
}

TEST(counters_have_a_period_only_where_it_is_fixed)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_INSTRUCTIONS, /* as task-clock's */
					.freq = 1,
					.sample_freq = 99 };
	struct pipa_event_type type = type_of(&attr);

	CHECK_STR(type.unit, PIPA_VALUE_COUNT);
	CHECK_STR(type.count_unit, PIPA_VALUE_COUNT);
	CHECK_EQ(type.period, 0);
	CHECK_EQ(type.frequency, 99);
	attr.freq = 0;
	attr.sample_period = 100003;
	CHECK_EQ(type_of(&attr).period, 100003);
}
