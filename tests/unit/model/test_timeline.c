#include "model/timeline.h"

#include "base/auto.h"
#include "lib/test.h"

static void add(struct pipa_timeline *timeline, uint64_t time, uint32_t sample)
{
	const struct pipa_timed_sample moment = { time, 10 * time, sample, (uint16_t)(sample % 2),
						  0 };

	CHECK_EQ(pipa_timeline_add(timeline, &moment), 0);
}

TEST(samples_without_a_time_are_counted_and_not_kept)
{
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline timeline = { 0 };

	add(&timeline, 5, 0);
	add(&timeline, PIPA_UNKNOWN, 0);
	CHECK_EQ(timeline.n, 1);
	CHECK_EQ(timeline.untimed, 1);
}

TEST(an_empty_timeline_is_sorted)
{
	struct pipa_timeline timeline = { 0 };

	CHECK_EQ(pipa_timeline_sort(&timeline), 0);
	CHECK_EQ(timeline.n, 0);
}

TEST(entries_of_equal_time_keep_their_order)
{
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline timeline = { 0 };
	static const uint64_t times[] = { 9, 3, 3, 4, 1, 3, 9, 1 };
	static const uint32_t order[] = { 4, 7, 1, 2, 5, 3, 0, 6 };
	uint32_t i;

	for (i = 0; i < 8; i++)
		add(&timeline, times[i], i);
	CHECK_EQ(pipa_timeline_sort(&timeline), 0);
	CHECK_EQ(timeline.n, 8);
	for (i = 0; i < 8; i++) {
		CHECK_EQ(timeline.items[i].sample, order[i]);
		CHECK_EQ(timeline.items[i].time, times[order[i]]);
		CHECK_EQ(timeline.items[i].weight, 10 * times[order[i]]);
		CHECK_EQ(timeline.items[i].cpu, order[i] % 2);
	}
	add(&timeline, 2, 8); /* and more may follow */
	CHECK_EQ(pipa_timeline_sort(&timeline), 0);
	CHECK_EQ(timeline.items[2].sample, 8);
}

/* As many as take more than one large page, from the last to the first and in short runs. */
TEST(many_runs_become_one)
{
	enum { N = 100003 };
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline timeline = { 0 };
	uint32_t i;

	for (i = 0; i < N; i++)
		add(&timeline, (uint64_t)i * 48271 % N, i);
	CHECK_EQ(pipa_timeline_sort(&timeline), 0);
	CHECK_EQ(timeline.n, N);
	for (i = 0; i < N; i++)
		CHECK_EQ(timeline.items[i].time, i);
}

TEST(moments_of_another_profile_get_the_numbers_that_their_samples_have_now)
{
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline a = { 0 }, b = { 0 };
	struct pipa_profile p = { 0 }, q = { 0 };
	struct pipa_sample sample = { .cpu = PIPA_NONE, .count = 1, .weight = 1 };
	uint32_t numbers[2];

	pipa_profile_event(&p, "cycles");
	pipa_profile_event(&q, "cycles");
	CHECK_EQ(pipa_profile_thread(&p, &(struct pipa_thread){ .pid = 1, .tid = 1 }), 0);
	CHECK_EQ(pipa_profile_thread(&q, &(struct pipa_thread){ .pid = 2, .tid = 2 }), 0);
	CHECK_EQ(pipa_profile_thread(&q, &(struct pipa_thread){ .pid = 1, .tid = 1 }), 1);
	sample.stack = PIPA_NONE;
	CHECK_EQ(pipa_profile_sample(&p, &sample), 0);
	CHECK_EQ(pipa_profile_sample(&q, &sample), 0);
	sample.thread = 1;
	CHECK_EQ(pipa_profile_sample(&q, &sample), 1);
	add(&a, 4, 0);
	add(&b, 3, 0);
	add(&b, 5, 1);
	add(&b, PIPA_UNKNOWN, 1);
	CHECK_EQ(pipa_profile_merge_numbered(&p, &q, numbers), 0);
	CHECK_EQ(pipa_timeline_merge(&a, &b, numbers), 0);
	CHECK_EQ(pipa_timeline_sort(&a), 0);
	CHECK_EQ(a.n, 3);
	CHECK_EQ(a.untimed, 1);
	CHECK_EQ(a.items[0].sample, 1); /* the thread that p did not have */
	CHECK_EQ(a.items[1].sample, 0);
	CHECK_EQ(a.items[2].sample, 0);
	pipa_profile_done(&p);
	pipa_profile_done(&q);
}

/* Samples of an hour into a thousand entries: fewer times, and nothing of their weight or number is lost. */
TEST(many_samples_are_merged_by_time_stack_and_cpu)
{
	enum { N = 200000, STACKS = 7 };
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline timeline = { .max = 1000 };
	uint64_t weight = 0, count = 0, before = 0;
	uint32_t i;

	for (i = 0; i < N; i++) {
		const struct pipa_timed_sample moment = { 18000000ull * i, i, i % STACKS,
							  (uint16_t)(i / STACKS % 3), 0 };

		CHECK_EQ(pipa_timeline_add(&timeline, &moment), 0);
		CHECK(timeline.n <= 1000);
	}
	CHECK_EQ(pipa_timeline_sort(&timeline), 0);
	/* 21 stacks and CPUs: no coarser than room for half of the entries asks for */
	CHECK(timeline.resolution_ns > 18000000 && timeline.resolution_ns < 400000000000);
	CHECK(timeline.n > 100);
	for (i = 0; i < timeline.n; i++) {
		CHECK(timeline.items[i].time >= before);
		before = timeline.items[i].time;
		weight += timeline.items[i].weight;
		count += timeline.items[i].more + 1u;
	}
	CHECK_EQ(weight, (uint64_t)N * (N - 1) / 2);
	CHECK_EQ(count, N);
}

TEST(stacks_that_all_differ_are_never_merged)
{
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline timeline = { .max = 16 };
	uint32_t i;

	for (i = 0; i < 1000; i++)
		add(&timeline, i, i);
	CHECK_EQ(timeline.n, 1000);
}

TEST(merged_entries_do_not_overflow_their_sample_count)
{
	enum { N = 300000 };
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline timeline = { .max = 64 };
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < N; i++)
		add(&timeline, 1, 3);
	for (i = 0; i < timeline.n; i++)
		count += timeline.items[i].more + 1u;
	CHECK_EQ(count, N);
	CHECK(timeline.n <= 64);
}

static const struct pipa_trace_link spans[] = { { { 1 }, { 2 } }, { { 1 }, { 3 } } };

static void add_linked(struct pipa_timeline *timeline, uint64_t time, uint32_t sample, size_t span)
{
	const struct pipa_timed_sample moment = { time, 1, sample, 0, 0 };

	CHECK_EQ(pipa_timeline_add_linked(timeline, &moment,
					  pipa_timeline_link(timeline, &spans[span])),
		 0);
}

TEST(links_stay_with_their_samples_when_they_are_sorted)
{
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline timeline = { 0 };
	const struct pipa_timed_sample plain = { 30, 1, 0, 0, 0 };

	CHECK_EQ(pipa_timeline_add(&timeline, &plain), 0);
	CHECK(!timeline.links); /* no memory is taken before there is a link */
	add_linked(&timeline, 40, 1, 1);
	add_linked(&timeline, 10, 2, 0);
	add_linked(&timeline, 20, 3, 1);
	CHECK_EQ(pipa_timeline_sort(&timeline), 0);
	CHECK_EQ(timeline.items[0].sample, 2);
	CHECK_EQ(pipa_timeline_link_of(&timeline, 0)->span_id[0], 2);
	CHECK_EQ(pipa_timeline_link_of(&timeline, 1)->span_id[0], 3);
	CHECK(!pipa_timeline_link_of(&timeline, 2));
	CHECK_EQ(pipa_timeline_link_of(&timeline, 3)->span_id[0], 3);
	CHECK_EQ(timeline.link_table.n, 3);
	CHECK_EQ(pipa_timeline_add(&timeline, &plain), 0);
	CHECK(!pipa_timeline_link_of(&timeline, 4));
}

TEST(links_are_merged_with_their_timelines)
{
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline one = { 0 }, other = { 0 };
	const uint32_t samples[] = { 5, 6 };

	add_linked(&one, 1, 0, 1);
	add_linked(&other, 2, 0, 0);
	add_linked(&other, 3, 1, 1);
	CHECK_EQ(pipa_timeline_merge(&one, &other, samples), 0);
	CHECK_EQ(one.link_table.n, 3);
	CHECK_EQ(pipa_timeline_link_of(&one, 1)->span_id[0], 2);
	CHECK_EQ(pipa_timeline_link_of(&one, 2)->span_id[0], 3);
}

TEST(entries_that_become_one_lose_links_that_differ_and_count_them)
{
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline timeline = { .max = 4 };

	add_linked(&timeline, 1, 0, 0);
	add_linked(&timeline, 2, 0, 1);
	add_linked(&timeline, 3, 1, 1);
	add_linked(&timeline, 4, 1, 1);
	add_linked(&timeline, UINT64_C(1) << 40, 2, 0);
	CHECK_EQ(timeline.n, 3);
	CHECK(!pipa_timeline_link_of(&timeline, 0));
	CHECK_EQ(pipa_timeline_link_of(&timeline, 1)->span_id[0], 3);
	CHECK_EQ(pipa_timeline_link_of(&timeline, 2)->span_id[0], 2);
	CHECK_EQ(timeline.links_lost, 2);
}
