/* Profiles of intervals from records, as the encoding thread of `pipa record --otlp` makes them. */
#include <linux/perf_event.h>

#include "base/error.h"
#include "lib/test.h"
#include "measure/live/live_stream.h"
#include "model/profile.h"
#include "model/timeline.h"
#include "perf/attr.h"

static struct pipa_perf_events events;
static struct pipa_live_stream *stream;
static struct pipa_live_interval interval;
static struct pipa_error err;

static void start(const struct pipa_live_stream_options *options)
{
	struct pipa_live_stream_options o = *options;
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
					.sample_id_all = 1 };

	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 7, 0), 0);
	attr.config = PERF_COUNT_SW_DUMMY;
	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 8, 1), 0);
	o.events = &events;
	CHECK_EQ(pipa_live_stream_new(&o, &stream, &err), 0);
}

static void finish(void)
{
	pipa_live_stream_free(stream);
	pipa_perf_events_done(&events);
}

/* Put a sample of a process at an address. */
static void put_sample(uint32_t pid, uint64_t ip, uint64_t time)
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
		     pid,
		     pid,
		     time,
		     0,
		     0,
		     100 };

	CHECK_EQ(pipa_live_stream_put(stream, (struct pipa_span){ (const uint8_t *)&record,
								  sizeof(record) }),
		 0);
}

static void take(void)
{
	CHECK_EQ(pipa_live_stream_take(stream, &interval, &err), 0);
}

TEST(interval_has_only_its_own_samples)
{
	start(&(struct pipa_live_stream_options){ 0 });
	put_sample(10, 0x1000, 1);
	put_sample(10, 0x1000, 2);
	put_sample(11, 0x2000, 3);
	CHECK_EQ(pipa_live_stream_pairs(stream), 2);
	take();
	CHECK_EQ(interval.samples, 3);
	CHECK_EQ(interval.profile->samples.n, 2);
	CHECK(interval.profile->start_ns);
	CHECK(!interval.times);
	CHECK_EQ(pipa_live_stream_pairs(stream), 0);
	put_sample(11, 0x2000, 4);
	CHECK_EQ(pipa_live_stream_pairs(stream), 1);
	take();
	CHECK_EQ(interval.samples, 1);
	CHECK_EQ(interval.profile->samples.n, 1);
	CHECK_EQ(interval.profile->samples.items[0].weight, 100);
	take();
	CHECK_EQ(interval.samples, 0);
	finish();
}

TEST(times_belong_to_the_samples_of_the_interval)
{
	start(&(struct pipa_live_stream_options){ .times = true });
	put_sample(10, 0x1000, 5);
	put_sample(11, 0x2000, 6);
	take();
	CHECK_EQ(interval.times->n, 2);
	put_sample(11, 0x2000, 9);
	put_sample(11, 0x2000, 8);
	take();
	CHECK_EQ(interval.profile->samples.n, 1);
	CHECK_EQ(interval.times->n, 2);
	CHECK_EQ(interval.times->items[0].time, 8);
	CHECK_EQ(interval.times->items[0].sample, 0);
	CHECK_EQ(interval.times->items[1].time, 9);
	CHECK_EQ(interval.times->items[1].sample, 0);
	finish();
}

TEST(full_tables_are_emptied_and_no_sample_is_lost)
{
	int i;

	start(&(struct pipa_live_stream_options){ .max_entries = 1, .times = true });
	for (i = 0; i < 3; i++) {
		put_sample(10, 0x1000 + (uint64_t)i, 10 + (uint64_t)i);
		put_sample(11, 0x2000, 20 + (uint64_t)i);
		take();
		CHECK(pipa_live_stream_is_full(stream));
		CHECK_EQ(interval.samples, 2);
		CHECK_EQ(interval.times->n, 2);
		CHECK_EQ(interval.profile->samples.n, 2);
	}
	finish();
}
