#include "base/time/local_zone.h"

#include <stdlib.h>
#include <time.h>

#include "base/time/zone.h"
#include "lib/test.h"

/* Every three hours of six years the table and the C library agree. */
static void check_zone(const char *name)
{
	const int64_t from = 1640995200, until = from + INT64_C(6) * 365 * 86400;
	PIPA_AUTO(pipa_zone_done) struct pipa_zone zone = { 0 };
	int64_t at;

	CHECK_EQ(setenv("TZ", name, 1), 0);
	CHECK_EQ(pipa_local_zone_load(&zone, from, until, NULL), 0);
	for (at = from; at < until; at += 10800) {
		time_t utc = (time_t)at;
		struct tm tm;

		localtime_r(&utc, &tm);
		CHECK_EQ(pipa_zone_offset(&zone, at), tm.tm_gmtoff);
	}
}

TEST(utc_has_one_offset)
{
	PIPA_AUTO(pipa_zone_done) struct pipa_zone zone = { 0 };

	setenv("TZ", "UTC", 1);
	CHECK_EQ(pipa_local_zone_load(&zone, 0, 1800000000, NULL), 0);
	CHECK_EQ(zone.n, 1);
	CHECK_EQ(zone.items[0].offset_s, 0);
}

TEST(a_posix_zone_is_as_the_c_library_has_it)
{
	PIPA_AUTO(pipa_zone_done) struct pipa_zone zone = { 0 };

	check_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	check_zone("EST5EDT,M3.2.0,M11.1.0");
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	CHECK_EQ(pipa_local_zone_load(&zone, 1767225600, 1798761600, NULL), 0);
	CHECK_EQ(zone.n, 3);
	CHECK_EQ(zone.items[1].at_s, 1774746000); /* to the second */
	CHECK_EQ(zone.items[2].at_s, 1792890000);
}

TEST(zones_by_name_are_as_the_c_library_has_them)
{
	check_zone(":Europe/Berlin");
	check_zone("Africa/Casablanca");
	check_zone("Australia/Lord_Howe");
}
