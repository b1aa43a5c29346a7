#include "base/time/zone.h"

#include "lib/test.h"

/* Two shifts as in central Europe's 2026: 29 March and 25 October, 01:00 UTC. */
static struct pipa_zone_shift shifts[] = {
	{ 0, 3600 },
	{ 1774746000, 7200 },
	{ 1792890000, 3600 },
};
static const struct pipa_zone berlin = { .items = shifts, .n = 3 };

static int64_t at(int year, int month, int day, int hour, int minute)
{
	const struct pipa_date date = { year, month, day, hour, minute, 0 };

	return pipa_date_seconds(&date);
}

TEST(no_zone_is_utc)
{
	static const struct pipa_zone empty;

	CHECK_EQ(pipa_zone_offset(NULL, 1792890000), 0);
	CHECK_EQ(pipa_zone_offset(&empty, 1792890000), 0);
	CHECK_EQ(pipa_zone_utc(NULL, 1792890000), 1792890000);
}

TEST(an_offset_holds_from_its_shift_on)
{
	CHECK_EQ(at(2026, 3, 29, 1, 0), 1774746000);
	CHECK_EQ(pipa_zone_offset(&berlin, 1774745999), 3600);
	CHECK_EQ(pipa_zone_offset(&berlin, 1774746000), 7200);
	CHECK_EQ(pipa_zone_offset(&berlin, 1792889999), 7200);
	CHECK_EQ(pipa_zone_offset(&berlin, 1792890000), 3600);
	CHECK_EQ(pipa_zone_offset(&berlin, -5), 3600);
	CHECK_EQ(pipa_zone_offset(&berlin, INT64_C(1) << 40), 3600);
}

TEST(local_time_comes_back_as_utc)
{
	CHECK_EQ(pipa_zone_utc(&berlin, at(2026, 1, 10, 12, 0)), at(2026, 1, 10, 11, 0));
	CHECK_EQ(pipa_zone_utc(&berlin, at(2026, 7, 10, 12, 0)), at(2026, 7, 10, 10, 0));
	CHECK_EQ(pipa_zone_utc(&berlin, at(2026, 3, 29, 1, 59)), at(2026, 3, 29, 0, 59));
	CHECK_EQ(pipa_zone_utc(&berlin, at(2026, 3, 29, 3, 0)), at(2026, 3, 29, 1, 0));
}

TEST(an_hour_that_happens_twice_means_its_first_time)
{
	CHECK_EQ(pipa_zone_utc(&berlin, at(2026, 10, 25, 2, 30)), at(2026, 10, 25, 0, 30));
	CHECK_EQ(pipa_zone_utc(&berlin, at(2026, 10, 25, 3, 0)), at(2026, 10, 25, 2, 0));
}

TEST(an_hour_that_is_skipped_counts_on_from_before)
{
	CHECK_EQ(pipa_zone_utc(&berlin, at(2026, 3, 29, 2, 30)), at(2026, 3, 29, 1, 30));
}

TEST(a_shift_that_changes_nothing_is_left_out)
{
	PIPA_AUTO(pipa_zone_done) struct pipa_zone zone = { 0 };

	CHECK_EQ(pipa_zone_add(&zone, 0, 3600), 0);
	CHECK_EQ(pipa_zone_add(&zone, 10, 3600), 0);
	CHECK_EQ(pipa_zone_add(&zone, 20, 0), 0);
	CHECK_EQ(zone.n, 2);
	CHECK_EQ(zone.items[1].at_s, 20);
}

TEST(every_day_of_five_centuries_comes_back)
{
	int64_t day;

	for (day = at(1899, 12, 31, 0, 0) / 86400; day < at(2401, 1, 2, 0, 0) / 86400; day++) {
		struct pipa_date date = pipa_date_at(day * 86400 + 86399);

		CHECK_EQ(pipa_date_seconds(&date), day * 86400 + 86399);
	}
}

TEST(dates_are_those_of_the_calendar)
{
	struct pipa_date date = pipa_date_at(1709251199); /* the last second of a leap day */

	CHECK_EQ(date.year, 2024);
	CHECK_EQ(date.month, 2);
	CHECK_EQ(date.day, 29);
	CHECK_EQ(date.hour, 23);
	CHECK_EQ(date.second, 59);
	date = pipa_date_at(-1);
	CHECK_EQ(date.year, 1969);
	CHECK_EQ(date.day, 31);
	CHECK_EQ(at(1970, 1, 1, 0, 0), 0);
	CHECK_EQ(at(2000, 3, 1, 0, 0), 951868800);
	CHECK_EQ(at(2100, 3, 1, 0, 0), 4107542400);
}

TEST(only_whole_dates_are_taken)
{
	struct pipa_date date = { .year = 7 };

	CHECK_EQ(pipa_date_parse("2026-11-15 03:03:18 UTC", &date), 19);
	CHECK_EQ(pipa_date_seconds(&date), 1794711798);
	date.year = 7;
	CHECK_EQ(pipa_date_parse("2026-02-29 03:03:18", &date), 0);
	CHECK_EQ(pipa_date_parse("2026-13-01 03:03:18", &date), 0);
	CHECK_EQ(pipa_date_parse("2026-11-00 03:03:18", &date), 0);
	CHECK_EQ(pipa_date_parse("2026-11-15 24:03:18", &date), 0);
	CHECK_EQ(pipa_date_parse("2026-11-15 03:60:18", &date), 0);
	CHECK_EQ(pipa_date_parse("2026-11-15", &date), 0);
	CHECK_EQ(pipa_date_parse("2026-11-15T03:03:18", &date), 0);
	CHECK_EQ(pipa_date_parse("", &date), 0);
	CHECK_EQ(date.year, 7);
}
