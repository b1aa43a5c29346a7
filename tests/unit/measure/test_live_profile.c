#include <linux/perf_event.h>
#include <stdlib.h>

#include "base/error.h"
#include "lib/test.h"
#include "measure/live/live_own.h"

static struct pipa_perf_events events;
static struct pipa_live_profile sum;
static struct pipa_error err;

static void start(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
					.sample_id_all = 1 };
	struct pipa_symbolize_options symbols = { .kallsyms = "/dev/null" };

	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 7, 0), 0);
	CHECK_EQ(pipa_live_profile_init(&sum,
					&(struct pipa_live_profile_options){
						.events = &events,
						.symbols = &symbols,
						.by_cpu = true,
					}),
		 0);
}

static void finish(void)
{
	pipa_live_profile_done(&sum);
	pipa_perf_events_done(&events);
}

/* A sample of process 10 at an address. */
static void sample(uint64_t ip, uint64_t period, bool drop)
{
	struct {
		struct perf_event_header header;
		uint64_t id, ip;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t period;
	} record = { { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(record) },
		     7,
		     ip,
		     10,
		     10,
		     1000,
		     0,
		     0,
		     period };

	CHECK_EQ(pipa_live_profile_put(&sum, &record, sizeof(record), drop), 0);
}

static uint64_t weight(const struct pipa_profile *p)
{
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < p->samples.n; i++)
		all += p->samples.items[i].weight;
	if (p->events.n)
		CHECK_EQ(all, p->events.items[0].weight);
	return all;
}

static void settle(bool drop)
{
	CHECK_EQ(pipa_live_profile_flush(&sum, 0, drop, &err), 0);
}

TEST(the_last_span_has_the_samples_since_the_last_update)
{
	start();
	sample(0x1000, 5, false);
	sample(0x2000, 1, false);
	settle(false);
	CHECK_EQ(weight(&sum.profile), 6);
	CHECK_EQ(weight(&sum.spans.last), 6);
	sample(0x2000, 10, false);
	sample(0x3000, 100, false);
	settle(false);
	CHECK_EQ(weight(&sum.profile), 116);
	CHECK_EQ(weight(&sum.spans.last), 110);
	CHECK_EQ(sum.spans.last.samples.n, 2);
	settle(false);
	CHECK_EQ(weight(&sum.spans.last), 0);
	finish();
}

TEST(samples_while_paused_are_not_counted)
{
	start();
	sample(0x1000, 5, false);
	settle(false);
	sample(0x1000, 7, true);
	settle(true);
	CHECK_EQ(weight(&sum.profile), 5);
	CHECK_EQ(weight(&sum.spans.last), 5); /* as it was */
	sample(0x1000, 2, false);
	settle(false);
	CHECK_EQ(weight(&sum.profile), 7);
	CHECK_EQ(weight(&sum.spans.last), 2);
	finish();
}

TEST(a_reset_live_profile_has_no_earlier_samples)
{
	start();
	sample(0x1000, 5, false);
	settle(false);
	CHECK(pipa_live_profile_size(&sum) > 0);
	CHECK_EQ(pipa_live_profile_restart(&sum), 0);
	CHECK_EQ(sum.profile.samples.n, 0);
	sample(0x2000, 3, false);
	settle(false);
	CHECK_EQ(weight(&sum.profile), 3);
	CHECK_EQ(weight(&sum.spans.last), 3);
	finish();
}

TEST(a_truncated_record_ends_the_input)
{
	struct perf_event_header header = { PERF_RECORD_SAMPLE, 0, 4000 };

	start();
	CHECK_EQ(pipa_live_profile_put(&sum, &header, sizeof(header), false), 0);
	header.size = 4;
	CHECK_EQ(pipa_live_profile_put(&sum, &header, sizeof(header), false), 0);
	settle(false);
	CHECK_EQ(weight(&sum.profile), 0);
	finish();
}
