#include "perf/split.h"

#include <stdlib.h>
#include <string.h>

#include "lib/test.h"

struct record {
	struct perf_event_header header;
	uint64_t words[4];
};

static const struct record records[] = {
	{ { PERF_RECORD_SAMPLE, 0, 40 }, { 11, 0x1000, 7, 500 } }, /* id, ip, task, time */
	{ { PERF_RECORD_LOST, 0, 40 }, { 12, 6, 0, 12 } },	   /* id, lost */
	{ { PERF_RECORD_LOST_SAMPLES, 0, 40 }, { 3, 0, 0, 11 } },  /* lost ... id */
	{ { PERF_RECORD_THROTTLE, 0, 40 }, { 400, 11, 0, 11 } },   /* time, id */
	{ { PERF_RECORD_SAMPLE, 0, 40 }, { 11, 0x1000, 7, 300 } },
	{ { PERF_RECORD_COMM, 0, 40 }, { 1, 2, 3, 11 } },
};

static struct pipa_perf_events two_events(void)
{
	const struct perf_event_attr attr = { .size = sizeof(attr),
					      .sample_type = PERF_SAMPLE_IDENTIFIER |
							     PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							     PERF_SAMPLE_TIME };
	struct pipa_perf_events events = { 0 };

	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 11, 0), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 12, 1), 0);
	return events;
}

static int count_record(void *ctx, const struct pipa_perf_raw *raw)
{
	CHECK_EQ(raw->len, 32);
	CHECK_EQ((uintptr_t)raw->body % 8, 0);
	++*(size_t *)ctx;
	return 0;
}

TEST(records_are_counted_wherever_a_piece_ends)
{
	const uint8_t *bytes = (const uint8_t *)records;
	size_t cut;

	for (cut = 0; cut <= sizeof(records); cut += 8) {
		struct pipa_perf_events events = two_events();
		struct pipa_perf_splitter *tally;
		size_t seen = 0;

		CHECK_EQ(pipa_perf_splitter_new(&events, 2, &tally), 0);
		tally->fn = count_record;
		tally->ctx = &seen;
		CHECK_EQ(pipa_perf_splitter_add(tally, 1, bytes, cut), 0);
		CHECK_EQ(tally->held, cut % 40);
		CHECK_EQ(pipa_perf_splitter_add(tally, 1, bytes + cut, sizeof(records) - cut), 0);
		CHECK_EQ(tally->held, 0);
		CHECK_EQ(seen, 6);
		CHECK_EQ(tally->all.samples, 2);
		CHECK_EQ(tally->all.lost, 9);
		CHECK_EQ(tally->all.throttled, 1);
		CHECK_EQ(tally->first_ns, 300);
		CHECK_EQ(tally->last_ns, 500);
		CHECK_EQ(pipa_perf_splitter_of(tally, 0, 1).samples, 2);
		CHECK_EQ(pipa_perf_splitter_of(tally, 0, -1).lost, 3);
		CHECK_EQ(pipa_perf_splitter_of(tally, 1, 1).lost, 6);
		CHECK_EQ(pipa_perf_splitter_of(tally, 1, 0).lost, 0);
		pipa_perf_splitter_free(tally);
		pipa_perf_events_done(&events);
	}
}

TEST(complete_records_end_before_a_truncated_one)
{
	const uint8_t *bytes = (const uint8_t *)records;

	CHECK_EQ(pipa_perf_whole(bytes, 0), 0);
	CHECK_EQ(pipa_perf_whole(bytes, 39), 0);
	CHECK_EQ(pipa_perf_whole(bytes, 40), 40);
	CHECK_EQ(pipa_perf_whole(bytes, 47), 40);
	CHECK_EQ(pipa_perf_whole(bytes, sizeof(records)), sizeof(records));
}

TEST(periods_throttled_intervals_and_forks_are_summed)
{
	static const struct record some[] = {
		{ { PERF_RECORD_THROTTLE, 0, 40 }, { 400, 11, 0, 11 } }, /* time, id */
		{ { PERF_RECORD_SAMPLE, 0, 40 }, { 11, 500, 2, 70 } },	 /* id, time, CPU, period */
		{ { PERF_RECORD_UNTHROTTLE, 0, 40 }, { 450, 11, 0, 11 } },
		{ { PERF_RECORD_SAMPLE, 0, 40 }, { 11, 510, 2, 30 } },
		{ { PERF_RECORD_FORK, 0, 40 }, { 1, 2, 3, 11 } },
		{ { PERF_RECORD_THROTTLE, 0, 40 }, { 600, 11, 0, 11 } },
	};
	const struct perf_event_attr attr = { .size = sizeof(attr),
					      .sample_type = PERF_SAMPLE_IDENTIFIER |
							     PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
							     PERF_SAMPLE_PERIOD };
	struct pipa_perf_events events = { 0 };
	struct pipa_perf_splitter *tally;

	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 11, 0), 0);
	CHECK_EQ(pipa_perf_splitter_new(&events, 2, &tally), 0);
	CHECK_EQ(pipa_perf_splitter_add(tally, 1, (const uint8_t *)some, sizeof(some)), 0);
	CHECK_EQ(pipa_perf_splitter_of(tally, 0, 1).weight, 100);
	CHECK_EQ(pipa_perf_splitter_of(tally, 0, 1).throttled, 2);
	CHECK_EQ(pipa_perf_splitter_of(tally, 0, 1).throttled_ns, 50);
	CHECK_EQ(tally->forks, 1);
	CHECK_EQ(tally->n_throttles, 2);
	CHECK_EQ(tally->throttles[0].from_ns, 400);
	CHECK_EQ(tally->throttles[0].to_ns, 450);
	CHECK_EQ(tally->throttles[1].from_ns, 600);
	CHECK_EQ(tally->throttles[1].to_ns, 0);
	pipa_perf_splitter_free(tally);
	pipa_perf_events_done(&events);
}
