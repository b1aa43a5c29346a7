#include <stdlib.h>

#include "analyze/profile/live_spans.h"
#include "lib/test.h"

static const uint64_t half_life = PIPA_LIVE_HALF_LIFE_S * UINT64_C(1000000000);

static struct pipa_profile profile;
static struct pipa_live_spans spans;

static void start(void)
{
	CHECK_EQ(pipa_profile_event(&profile, "cycles"), 0);
	profile.samples.items = calloc(2000, sizeof(*profile.samples.items));
	CHECK(profile.samples.items);
	profile.samples.cap = 2000;
}

static void finish(void)
{
	pipa_live_spans_done(&spans);
	pipa_profile_done(&profile);
}

/* Sample number i has so much more. */
static void add(size_t i, uint64_t weight, uint64_t count)
{
	if (profile.samples.n <= i)
		profile.samples.n = i + 1;
	profile.samples.items[i].weight += weight;
	profile.samples.items[i].count += count;
}

static void look(uint64_t ns)
{
	CHECK_EQ(pipa_live_spans_make(&spans, &profile, ns), 0);
}

static uint64_t faded_weight(size_t i)
{
	CHECK(i < spans.faded.samples.n);
	return spans.faded.samples.items[i].weight;
}

TEST(samples_one_half_life_old_have_half_the_weight)
{
	start();
	add(0, 1000, 10);
	look(half_life);
	CHECK_EQ(faded_weight(0), 1000); /* it came since the look before */
	add(1, 1000, 10);
	look(half_life);
	CHECK_EQ(faded_weight(0), 500);
	CHECK_EQ(faded_weight(1), 1000);
	CHECK_EQ(spans.faded.events.items[0].weight, 1500);
	CHECK_EQ(spans.faded.events.items[0].count, 15);
	CHECK_EQ(spans.last.samples.n, 1);
	CHECK_EQ(spans.last.events.items[0].weight, 1000);
	finish();
}

TEST(updates_in_between_change_nothing)
{
	int i;

	start();
	add(0, 1 << 20, 1024);
	look(0);
	for (i = 0; i < 8; i++) {
		add(1, 1, 1);
		look(half_life / 8);
	}
	CHECK_EQ(faded_weight(0), 1 << 19);
	finish();
}

TEST(nothing_fades_while_nothing_comes)
{
	start();
	add(0, 1000, 10);
	look(0);
	look(100 * half_life);
	CHECK_EQ(faded_weight(0), 1000);
	CHECK_EQ(spans.last.samples.n, 0);
	finish();
}

TEST(samples_of_many_half_lives_are_dropped)
{
	start();
	add(0, 1000, 1);
	look(0);
	add(1, 1, 1);
	look(4 * half_life);
	CHECK_EQ(spans.faded.samples.n, 2);
	add(1, 1, 1);
	look(2 * half_life);
	CHECK_EQ(spans.faded.samples.n, 1);
	CHECK_EQ(profile.samples.n, 2);
	finish();
}

TEST(parts_of_many_samples_add_up_to_whole_ones)
{
	size_t i;

	start();
	for (i = 0; i < 1000; i++)
		add(i, 8, 1);
	look(0);
	add(1000, 8, 1);
	look(3 * half_life);
	CHECK_EQ(spans.faded.samples.n, 1001);
	CHECK_EQ(spans.faded.events.items[0].count, 126);
	CHECK_EQ(spans.faded.events.items[0].weight, 1008);
	finish();
}

TEST(a_look_that_is_left_out_keeps_both_parts)
{
	start();
	CHECK(!pipa_live_spans_keep(&spans, &profile));
	add(0, 1000, 10);
	look(0);
	add(0, 5, 1);
	CHECK(pipa_live_spans_keep(&spans, &profile));
	CHECK_EQ(faded_weight(0), 1000);
	CHECK_EQ(spans.last.events.items[0].weight, 1000);
	finish();
}
