#include "analyze/count/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "lib/test.h"

#define NOWHERE .cpu = -1, .core = -1, .die = -1, .socket = -1, .node = -1, .tid = -1

static struct pipa_stat_place everywhere = { NOWHERE };

static struct pipa_base_row base_row(char *name, const struct pipa_stat_place *place, size_t n,
				     double mean, double sd)
{
	static char where[8][300];
	static int turn;
	char *text = where[turn++ % 8];

	pipa_stat_where(NULL, place, text, sizeof(where[0]));
	return (struct pipa_base_row){ name, text, { .n = n, .mean = mean, .sd = sd } };
}

static struct pipa_stat_row row(const char *name, size_t n, double mean, double sd)
{
	return (struct pipa_stat_row){ .name = name,
				       .unit = "",
				       .scale = 1,
				       .value = mean,
				       .spread = { .n = n, .mean = mean, .sd = sd } };
}

TEST(change_has_its_percent_and_verdict)
{
	struct pipa_base_row before[] = { base_row("cycles", &everywhere, 5, 200, 1),
					  base_row("cs", &everywhere, 5, 10, 4) };
	struct pipa_stat_row rows[] = { row("cycles", 5, 150, 1), row("cs", 5, 11, 4) };
	struct pipa_base base = { before, 2, 2 };
	struct pipa_stat stat = { .places = &everywhere, .n_places = 1, .rows = rows, .n_rows = 2 };
	PIPA_AUTO(free) struct pipa_change *changes = NULL;
	size_t n = 0;

	rows[0].unit = "u";
	rows[0].scale = 0.5;
	CHECK_EQ(pipa_stat_compare(&stat, &base, &changes, &n), 0);
	CHECK_EQ(n, 2);
	CHECK_STR(changes[0].name, "cycles");
	CHECK_STR(changes[0].unit, "u");
	CHECK_NEAR(changes[0].scale, 0.5, 0);
	CHECK_NEAR(changes[0].before, 200, 0);
	CHECK_NEAR(changes[0].after, 150, 0);
	CHECK_NEAR(changes[0].percent, -25, 1e-12);
	CHECK_STR(changes[0].verdict, "lower");
	CHECK_NEAR(changes[1].percent, 10, 1e-12);
	CHECK_STR(changes[1].verdict, "within noise");
}

TEST(rows_are_matched_by_name_and_place)
{
	struct pipa_stat_place places[] = { { NOWHERE }, { NOWHERE } };
	struct pipa_base_row before[2];
	struct pipa_stat_row rows[] = { row("cycles", 1, 10, NAN), row("cycles", 1, 20, NAN),
					row("other", 1, 30, NAN) };
	struct pipa_base base = { before, 2, 2 };
	struct pipa_stat stat = { .places = places, .n_places = 2, .rows = rows, .n_rows = 3 };
	PIPA_AUTO(free) struct pipa_change *changes = NULL;
	size_t n = 0;

	places[0].cpu = 0;
	places[1].cpu = 1;
	rows[1].place = 1;
	before[0] = base_row("cycles", &places[1], 1, 5, NAN); /* in another order */
	before[1] = base_row("cycles", &places[0], 1, 40, NAN);
	CHECK_EQ(pipa_stat_compare(&stat, &base, &changes, &n), 0);
	CHECK_EQ(n, 2);
	CHECK_NEAR(changes[0].before, 40, 0);
	CHECK_NEAR(changes[1].before, 5, 0);
	CHECK_NEAR(changes[1].percent, 300, 1e-12);
	CHECK_STR(changes[0].verdict, "unknown"); /* one run has no spread */
}

TEST(rows_of_another_group_are_other_rows)
{
	struct pipa_base_row before[] = { base_row("cs", &everywhere, 1, 1, NAN) };
	struct pipa_stat_row rows[] = { row("cs", 1, 2, NAN) };
	struct pipa_base base = { before, 1, 1 };
	struct pipa_stat stat = { .places = &everywhere, .n_places = 1, .rows = rows, .n_rows = 1 };
	PIPA_AUTO(free) struct pipa_change *changes = NULL;
	size_t n = 1;

	rows[0].cgroup = "my.slice";
	CHECK_EQ(pipa_stat_compare(&stat, &base, &changes, &n), 0);
	CHECK_EQ(n, 0);
}

TEST(rows_not_counted_are_not_compared)
{
	struct pipa_base_row before[] = { base_row("cycles", &everywhere, 1, 1, NAN) };
	struct pipa_stat_row rows[] = { row("cycles", 0, 0, NAN) };
	struct pipa_base base = { before, 1, 1 };
	struct pipa_stat stat = { .places = &everywhere, .n_places = 1, .rows = rows, .n_rows = 1 };
	PIPA_AUTO(free) struct pipa_change *changes = NULL;
	size_t n = 1;

	rows[0].state = PIPA_NOT_SUPPORTED;
	CHECK_EQ(pipa_stat_compare(&stat, &base, &changes, &n), 0);
	CHECK_EQ(n, 0);
}

TEST(change_from_nothing_has_no_percent)
{
	struct pipa_base_row before[] = { base_row("cs", &everywhere, 3, 0, 0),
					  base_row("temp", &everywhere, 3, -10, 0) };
	struct pipa_stat_row rows[] = { row("cs", 3, 4, 0), row("temp", 3, -5, 0) };
	struct pipa_base base = { before, 2, 2 };
	struct pipa_stat stat = { .places = &everywhere, .n_places = 1, .rows = rows, .n_rows = 2 };
	PIPA_AUTO(free) struct pipa_change *changes = NULL;
	size_t n = 0;

	CHECK_EQ(pipa_stat_compare(&stat, &base, &changes, &n), 0);
	CHECK(isnan(changes[0].percent));
	CHECK_STR(changes[0].verdict, "higher");
	CHECK_NEAR(changes[1].percent, 50, 1e-12); /* up is up, below zero too */
}

TEST(elapsed_time_is_compared_last)
{
	struct pipa_base_row before[] = {
		{ "elapsed", "", { .n = 5, .mean = 2, .sd = 0.01 } },
		base_row("cs", &everywhere, 1, 1, NAN),
	};
	struct pipa_stat_row rows[] = { row("cs", 1, 2, NAN) };
	struct pipa_base base = { before, 2, 2 };
	struct pipa_stat stat = { .places = &everywhere,
				  .n_places = 1,
				  .rows = rows,
				  .n_rows = 1,
				  .elapsed_s = 1,
				  .elapsed = { .n = 5, .mean = 1, .sd = 0.01 } };
	PIPA_AUTO(free) struct pipa_change *changes = NULL;
	size_t n = 0;

	CHECK_EQ(pipa_stat_compare(&stat, &base, &changes, &n), 0);
	CHECK_EQ(n, 2);
	CHECK_STR(changes[1].name, "elapsed");
	CHECK_STR(changes[1].unit, "s");
	CHECK_NEAR(changes[1].percent, -50, 1e-12);
	CHECK_STR(changes[1].verdict, "lower");
}

TEST(run_without_repeats_has_no_verdict)
{
	struct pipa_base_row before[] = { base_row("cs", &everywhere, 5, 1, 0.1) };
	struct pipa_stat_row rows[] = { row("cs", 0, 100, 0) };
	struct pipa_base base = { before, 1, 1 };
	struct pipa_stat stat = { .places = &everywhere, .n_places = 1, .rows = rows, .n_rows = 1 };
	PIPA_AUTO(free) struct pipa_change *changes = NULL;
	size_t n = 0;

	CHECK_EQ(pipa_stat_compare(&stat, &base, &changes, &n), 0);
	CHECK_NEAR(changes[0].after, 100, 0);
	CHECK_STR(changes[0].verdict, "unknown");
}
