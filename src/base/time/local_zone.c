#include "base/time/local_zone.h"

#include <time.h>

#include "base/error.h"
#include "base/time/zone.h"

static int offset_at(int64_t utc_s)
{
	time_t at = (time_t)utc_s;
	struct tm tm;

	return localtime_r(&at, &tm) ? (int)tm.tm_gmtoff : 0;
}

/* The second at which the offset of `from` ends, where it has ended by `until`. */
static int64_t find_shift(int64_t from, int64_t until)
{
	int offset = offset_at(from);

	while (until - from > 1) {
		int64_t middle = from + (until - from) / 2;

		if (offset_at(middle) == offset)
			from = middle;
		else
			until = middle;
	}
	return until;
}

/* The shortest summer time, Morocco's around Ramadan, is four weeks: no step misses a shift. */
int pipa_local_zone_load(struct pipa_zone *zone, int64_t from_s, int64_t until_s,
			 struct pipa_error *err)
{
	const int64_t step = INT64_C(14) * 86400;
	int offset, rc;
	int64_t at;

	tzset(); /* localtime_r() need not look at TZ */
	offset = offset_at(from_s);
	rc = pipa_zone_add(zone, from_s, offset);
	for (at = from_s; !rc && at < until_s; at += step) {
		int next = offset_at(at + step);

		if (next != offset)
			rc = pipa_zone_add(zone, find_shift(at, at + step), next);
		offset = next;
	}
	return rc < 0 ? pipa_fail(err, rc, "read the time zone") : 0;
}
