#include "store/history_days.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "lib/test.h"

static void in_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static const char *name_at(uint64_t seconds)
{
	static char name[PIPA_HISTORY_NAME_SIZE];

	pipa_history_day_name(pipa_history_day_of(seconds * PIPA_NS_PER_SEC), name);
	return name;
}

TEST(a_day_ends_at_local_midnight)
{
	in_zone("UTC0");
	CHECK_STR(name_at(1794787199), "pipa-2026-11-15.pmh"); /* 23:59:59 */
	CHECK_STR(name_at(1794787200), "pipa-2026-11-16.pmh");
	in_zone("XXX-9"); /* nine hours east: the day is over earlier */
	CHECK_STR(name_at(1794787199 - 9 * 3600), "pipa-2026-11-15.pmh");
	CHECK_STR(name_at(1794787200 - 9 * 3600), "pipa-2026-11-16.pmh");
}

TEST(a_day_of_summer_time_is_a_day)
{
	in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	/* 2026-10-25 has 25 hours: 24.10. 22:00 UTC to 25.10. 23:00 UTC */
	CHECK_STR(name_at(1792878999), "pipa-2026-10-24.pmh");
	CHECK_STR(name_at(1792879200), "pipa-2026-10-25.pmh");
	CHECK_STR(name_at(1792879200 + 25 * 3600 - 1), "pipa-2026-10-25.pmh");
	CHECK_STR(name_at(1792879200 + 25 * 3600), "pipa-2026-10-26.pmh");
	CHECK_EQ(pipa_history_day_start(pipa_history_day_of(1792879200 * PIPA_NS_PER_SEC)),
		 1792879200 * PIPA_NS_PER_SEC);
}

TEST(only_names_of_histories_are_days)
{
	int64_t day;

	CHECK(pipa_history_day_parse("pipa-1970-01-02.pmh", &day));
	CHECK_EQ(day, 1);
	CHECK(!pipa_history_day_parse("pipa-1970-01-02.pmh.gz", &day));
	CHECK(!pipa_history_day_parse("pipa-1970-1-2.pmh", &day));
	CHECK(!pipa_history_day_parse("pipa-1970-13-02.pmh", &day));
	CHECK(!pipa_history_day_parse("1970-01-02.pmh", &day));
	CHECK(!pipa_history_day_parse("pipa-", &day));
}

TEST(a_day_is_asked_for_by_date_or_by_how_long_ago)
{
	int64_t day;

	CHECK_EQ(pipa_history_day_read("1970-02-01", 100, &day), 0);
	CHECK_EQ(day, 31);
	CHECK_EQ(pipa_history_day_read("-1", 100, &day), 0);
	CHECK_EQ(day, 99);
	CHECK_EQ(pipa_history_day_read("-0", 100, &day), 0);
	CHECK_EQ(day, 100);
	CHECK_EQ(pipa_history_day_read("1", 100, &day), -EINVAL);
	CHECK_EQ(pipa_history_day_read("-", 100, &day), -EINVAL);
	CHECK_EQ(pipa_history_day_read("1970-02-01x", 100, &day), -EINVAL);
}

TEST(files_older_than_the_kept_days_expire)
{
	struct pipa_history_day days[] = {
		{ .day = 71 }, { .day = 72 }, { .day = 100 }, { .day = 101 }
	};

	CHECK(pipa_history_days_expire(days, 4, 100, 28, 0, 0));
	CHECK(days[0].expired);
	CHECK(!days[1].expired && !days[2].expired && !days[3].expired);
}

TEST(the_oldest_expire_until_the_rest_fits)
{
	struct pipa_history_day days[] = { { .day = 100, .size = 10 },
					   { .day = 98, .size = 50 },
					   { .day = 99, .size = 50 } };

	CHECK(pipa_history_days_expire(days, 3, 100, 28, 110, 0));
	CHECK(!days[0].expired && !days[1].expired && !days[2].expired);
	CHECK(pipa_history_days_expire(days, 3, 100, 28, 110, 1));
	CHECK(!days[0].expired && days[1].expired && !days[2].expired);
}

TEST(the_file_of_today_never_expires_even_if_nothing_fits)
{
	struct pipa_history_day days[] = { { .day = 100, .size = 10 }, { .day = 99, .size = 1 } };

	CHECK(!pipa_history_days_expire(days, 2, 100, 28, 10, 1));
	CHECK(!days[0].expired && days[1].expired);
}
