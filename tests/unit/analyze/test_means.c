#include "analyze/series/means.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/test.h"

static const struct pipa_column columns[] = { { .name = "a" }, { .name = "b" } };
static const struct pipa_section one = { "one", "DEV", "one", columns, 2 };
static const struct pipa_section two = { "two", NULL, "two", columns, 1 };

static char said[1024];
static bool with_word;

static int say(struct pipa_series_sink *self, const struct pipa_section *section,
	       const struct pipa_tick *tick, const char *instance, const double *values)
{
	size_t n = strlen(said);

	(void)self;
	snprintf(said + n, sizeof(said) - n, "%s %s %g: %g%s%s\n", section->name, instance,
		 tick->interval_s, values[0], with_word ? " " : "",
		 with_word ? pipa_instance_next(instance) : "");
	return 0;
}

static void add(struct pipa_means *means, const struct pipa_section *section, double seconds,
		const char *instance, double a)
{
	const struct pipa_tick tick = { .wall_ns = 1, .interval_s = seconds };
	const double values[] = { a, 0 };

	CHECK_EQ(pipa_means_add(means, section, &tick, instance, values), 0);
}

static const char *emit(const struct pipa_means *means)
{
	struct pipa_series_sink sink = { .row = say };

	said[0] = '\0';
	CHECK_EQ(pipa_means_emit(means, &sink), 0);
	return said;
}

TEST(long_ticks_weigh_more)
{
	struct pipa_means *means = pipa_means_new();

	add(means, &two, 1, "", 10);
	add(means, &two, 3, "", 2);
	CHECK_STR(emit(means), "two  4: 4\n");
	pipa_means_free(means);
}

TEST(ticks_without_a_value_do_not_count)
{
	struct pipa_means *means = pipa_means_new();

	add(means, &two, 1, "", 10);
	add(means, &two, 1, "", NAN);
	CHECK_STR(emit(means), "two  2: 10\n");
	pipa_means_free(means);
}

TEST(a_column_that_never_had_a_value_is_missing)
{
	struct pipa_means *means = pipa_means_new();

	add(means, &two, 1, "", NAN);
	CHECK_STR(emit(means), "two  1: nan\n");
	pipa_means_free(means);
}

TEST(rows_come_section_by_section_whenever_they_were_first_seen)
{
	struct pipa_means *means = pipa_means_new();

	add(means, &one, 1, "sda", 1);
	add(means, &two, 1, "", 5);
	add(means, &one, 1, "sdb", 3);
	add(means, &one, 1, "sda", 3);
	CHECK_STR(emit(means), "one sda 2: 2\none sdb 1: 3\ntwo  1: 5\n");
	pipa_means_free(means);
}

TEST(words_are_those_of_the_last_row)
{
	static const struct pipa_column worded[] = { { .name = "a" },
						     { .name = "S", .unit = PIPA_UNIT_WORD } };
	static const struct pipa_section tasks = { "tasks", "PID", "tasks", worded, 2 };
	struct pipa_means *means = pipa_means_new();

	add(means, &tasks, 1, "12\0R", 4);
	add(means, &tasks, 1, "13\0S", 1);
	add(means, &tasks, 1, "12\0S", 2);
	with_word = true;
	CHECK_STR(emit(means), "tasks 12 2: 3 S\ntasks 13 1: 1 S\n");
	pipa_means_free(means);
}
