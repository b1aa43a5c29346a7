#include "analyze/quality/quality.h"

#include <math.h>
#include <stdio.h>

#include "base/auto.h"
#include "lib/test.h"
#include "model/counter_section.h"
#include "model/sections.h"

#define S UINT64_C(1000000000)

static struct pipa_series_set set;
static struct pipa_series_feed feed;
static struct pipa_quality quality;

static void begin(enum pipa_series_clock clock)
{
	ptrdiff_t source = pipa_series_set_add_source(&set, "test", clock);

	CHECK(source >= 0);
	pipa_series_feed_init(&feed, &set, (size_t)source);
}

static void put_load(double second, double interval_s, double load)
{
	const struct pipa_tick tick = { .wall_ns = (uint64_t)(second * 1e9),
					.interval_s = interval_s };
	const double values[PIPA_COL_LOAD_NR] = { 1, 2, load, 1, 1, 0 };

	CHECK_EQ(feed.sink.row(&feed.sink, &pipa_sections[PIPA_SECTION_LOAD], &tick, "", values),
		 0);
}

static void put_cpu(uint64_t second, const char *cpu, double user)
{
	const struct pipa_tick tick = { .wall_ns = second * S, .interval_s = 1 };
	const double values[PIPA_COL_CPU_SHORT_NR] = { user, 0, 1, 0, 0, 50 };

	CHECK_EQ(feed.sink.row(&feed.sink, &pipa_sections[PIPA_SECTION_CPU_SHORT], &tick, cpu,
			       values),
		 0);
}

static void put_count(uint64_t second, const char *event, double value, double running)
{
	const struct pipa_tick tick = { .wall_ns = second * S, .interval_s = 1 };
	const double values[PIPA_COL_COUNTER_NR] = { value, running, NAN };
	char instance[64] = { 0 };

	snprintf(instance, sizeof(instance), "%s", event);
	CHECK_EQ(feed.sink.row(&feed.sink, &pipa_counter_section, &tick, instance, values), 0);
}

static void judge(void)
{
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_quality_init(&quality, &set), 0);
}

static void end(void)
{
	pipa_quality_done(&quality);
	pipa_series_set_done(&set);
}

static const struct pipa_defect *find(enum pipa_defect_kind kind)
{
	for (size_t i = 0; i < quality.n; i++)
		if (quality.items[i].kind == kind)
			return &quality.items[i];
	return NULL;
}

TEST(clean_series_have_no_defects)
{
	begin(PIPA_CLOCK_UTC);
	for (int i = 1; i <= 100; i++)
		put_load(i + (i % 2) * 0.01, 1, 0.5);
	judge();
	CHECK_EQ(quality.n, 0);
	CHECK(pipa_quality_confidence(&quality, "load", NULL) == 1);
	end();
}

TEST(gaps_are_found_and_lower_the_confidence)
{
	const struct pipa_defect *gap;

	begin(PIPA_CLOCK_UTC);
	for (int i = 1; i <= 50; i++)
		put_load(i, 1, 0.5);
	for (int i = 101; i <= 150; i++)
		put_load(i, 1, 0.5);
	judge();
	gap = find(PIPA_DEFECT_GAP);
	CHECK(gap && quality.n == 1);
	CHECK_EQ(gap->count, 50);
	CHECK_EQ(gap->from_ns, 50 * S);
	CHECK_EQ(gap->until_ns, 101 * S);
	CHECK_STR(gap->section, "load");
	CHECK(fabs(pipa_quality_confidence(&quality, "load", NULL) - 2.0 / 3) < 1e-9);
	CHECK(pipa_quality_confidence(&quality, "cpu", NULL) == 1);
	end();
}

TEST(jumps_of_the_clock_are_found)
{
	begin(PIPA_CLOCK_UTC);
	for (int i = 1; i <= 20; i++)
		put_load(i, 1, 0.5);
	put_load(20.2, 1, 0.5);
	for (int i = 21; i <= 40; i++)
		put_load(i + 0.2, 1, 0.5);
	put_load(30, 1, 0.5);
	judge();
	CHECK(find(PIPA_DEFECT_CLOCK_JUMP) && find(PIPA_DEFECT_CLOCK_BACK));
	CHECK_EQ(find(PIPA_DEFECT_CLOCK_JUMP)->count, 1);
	CHECK_EQ(find(PIPA_DEFECT_CLOCK_BACK)->from_ns, 30 * S);
	CHECK(!find(PIPA_DEFECT_GAP));
	end();
}

TEST(repeated_rows_are_reported_as_repaired)
{
	begin(PIPA_CLOCK_UTC);
	for (uint64_t i = 1; i <= 10; i++) {
		put_cpu(i, "0", 5);
		put_cpu(i, "0", 6);
	}
	judge();
	CHECK_EQ(find(PIPA_DEFECT_DUPLICATE)->count, 10);
	CHECK(find(PIPA_DEFECT_DUPLICATE)->is_repaired);
	end();
}

TEST(a_load_of_one_interval_is_less_certain_than_one_that_lasts)
{
	const struct pipa_defect *few;
	double before = 0;

	for (int n = 1; n <= 5; n++) {
		begin(PIPA_CLOCK_UTC);
		for (int i = 1; i <= n; i++) {
			put_load(i, 1, 0.5);
			put_count((uint64_t)i, "cycles", 1e9, 100);
		}
		judge();
		few = find(PIPA_DEFECT_FEW_INTERVALS);
		CHECK_EQ(quality.n, n < 5); /* counts of a whole run have one interval */
		CHECK(!few || (few->count == (uint64_t)n && !*few->section));
		CHECK(pipa_quality_confidence(&quality, "load", NULL) > before);
		before = pipa_quality_confidence(&quality, "load", NULL);
		CHECK(pipa_quality_confidence(&quality, "counters", NULL) == 1);
		end();
	}
	CHECK(before == 1);
}

TEST(impossible_values_are_tagged_with_their_instance)
{
	const struct pipa_defect *over;

	begin(PIPA_CLOCK_UTC);
	for (uint64_t i = 1; i <= 1000; i++) {
		put_cpu(i, "0", i == 700 ? 130 : 50);
		put_cpu(i, "1", i == 3 ? -1 : i == 4 ? 1e19 : 50);
	}
	judge();
	over = find(PIPA_DEFECT_OVER_100);
	CHECK_EQ(quality.n, 3);
	CHECK_STR(over->instance, "0");
	CHECK_STR(over->column, "cpu.user");
	CHECK_EQ(over->from_ns, 700 * S);
	CHECK_EQ(over->count, 1);
	CHECK_STR(find(PIPA_DEFECT_NEGATIVE)->instance, "1");
	CHECK(pipa_quality_confidence(&quality, "cpu-short", "0") <
	      pipa_quality_confidence(&quality, "cpu-short", NULL) + 0.01);
	CHECK(pipa_quality_confidence(&quality, "cpu-short", "7") == 1);
	end();
}

TEST(multiplexed_and_missing_counts_are_found_per_event)
{
	begin(PIPA_CLOCK_ASSUMED);
	for (uint64_t i = 1; i <= 10; i++) {
		put_count(i, "cycles", 1000, 100);
		put_count(i, "LLC-loads", i > 8 ? NAN : 10, 25);
	}
	judge();
	CHECK_STR(find(PIPA_DEFECT_MULTIPLEXED)->instance, "LLC-loads");
	CHECK(fabs(find(PIPA_DEFECT_MULTIPLEXED)->share - 0.75) < 1e-9);
	CHECK_EQ(find(PIPA_DEFECT_NOT_COUNTED)->count, 2);
	CHECK(find(PIPA_DEFECT_NO_CLOCK)->is_repaired);
	CHECK(pipa_quality_confidence(&quality, "counters", "cycles") == 1);
	CHECK(pipa_quality_confidence(&quality, "counters", "LLC-loads") < 0.4);
	end();
}

TEST(a_counter_that_never_counted_is_not_supported_and_no_defect)
{
	begin(PIPA_CLOCK_ASSUMED);
	for (uint64_t i = 1; i <= 10; i++) {
		put_count(i, "cycles", NAN, NAN);
		put_count(i, "page-faults", 5, 100);
	}
	judge();
	CHECK(!find(PIPA_DEFECT_NOT_COUNTED));
	end();
}

TEST(lost_and_throttled_samples_count)
{
	const struct pipa_sample_losses losses = { 900, 100, 9, "perf.data" };

	CHECK_EQ(pipa_quality_add_samples(&quality, &losses), 0);
	CHECK(find(PIPA_DEFECT_LOST_SAMPLES)->share == 0.1);
	CHECK_EQ(find(PIPA_DEFECT_THROTTLED)->count, 9);
	CHECK(pipa_quality_confidence(&quality, "samples", NULL) < 0.9);
	end();
}

TEST(restarts_are_listed_with_their_time)
{
	const struct pipa_restart restart = { .wall_ns = 4 * S };
	const struct pipa_tick tick = { .wall_ns = 5 * S, .interval_s = 1, .restart = &restart };
	const double values[PIPA_COL_LOAD_NR] = { 1, 2, 1, 1, 1, 0 };

	begin(PIPA_CLOCK_UTC);
	put_load(1, 1, 1);
	put_load(2, 1, 1);
	CHECK_EQ(feed.sink.row(&feed.sink, &pipa_sections[PIPA_SECTION_LOAD], &tick, "", values),
		 0);
	judge();
	CHECK_EQ(find(PIPA_DEFECT_RESTART)->from_ns, 4 * S);
	end();
}

TEST(every_defect_has_a_name_and_an_effect_in_all_languages)
{
	for (int kind = 0; kind < PIPA_DEFECT_NR; kind++)
		CHECK(*pipa_defect_name((enum pipa_defect_kind)kind) &&
		      *pipa_defect_effect((enum pipa_defect_kind)kind, PIPA_LANGUAGE_EN) &&
		      *pipa_defect_effect((enum pipa_defect_kind)kind, PIPA_LANGUAGE_ZH));
}

TEST(series_without_a_clock_cannot_be_aligned)
{
	begin(PIPA_CLOCK_ELAPSED);
	put_count(1, "cycles", 1000, 100);
	judge();
	CHECK(!find(PIPA_DEFECT_NO_CLOCK)->is_repaired);
	CHECK(pipa_quality_confidence(&quality, "counters", "cycles") == 0.8);
	end();
}
