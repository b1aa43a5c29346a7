#include "base/time/zone.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

void pipa_zone_done(struct pipa_zone *zone)
{
	free(zone->items);
	*zone = (struct pipa_zone){ 0 };
}

int pipa_zone_add(struct pipa_zone *zone, int64_t at_s, int offset_s)
{
	struct pipa_zone_shift *shift;

	if (zone->n && zone->items[zone->n - 1].offset_s == offset_s)
		return 0;
	shift = PIPA_VEC_ADD(zone);
	if (!shift)
		return -ENOMEM;
	*shift = (struct pipa_zone_shift){ at_s, offset_s };
	return 0;
}

int pipa_zone_offset(const struct pipa_zone *zone, int64_t utc_s)
{
	size_t low = 0, high;

	if (!zone || !zone->n)
		return 0;
	/* the last shift that is not later */
	for (high = zone->n; high - low > 1;) {
		size_t middle = low + (high - low) / 2;

		if (zone->items[middle].at_s <= utc_s)
			low = middle;
		else
			high = middle;
	}
	return zone->items[low].offset_s;
}

/* Shifts are days apart: the offsets a day before and after are the only ones that can be meant. */
int64_t pipa_zone_utc(const struct pipa_zone *zone, int64_t local_s)
{
	enum { DAY = 86400 };
	int before = pipa_zone_offset(zone, local_s - DAY);
	int after = pipa_zone_offset(zone, local_s + DAY);

	if (pipa_zone_offset(zone, local_s - before) == before)
		return local_s - before;
	if (pipa_zone_offset(zone, local_s - after) == after)
		return local_s - after;
	return local_s - before;
}

/* ---- the calendar ------------------------------------------------------------------------------- */

/* Years that begin in March put the leap day last: months then have a formula. */
static int64_t days_of(int year, int month, int day)
{
	int64_t y = year - (month <= 2);
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 + of_year - 719468;
}

int64_t pipa_date_seconds(const struct pipa_date *date)
{
	int of_day = date->hour * 3600 + date->minute * 60 + date->second;

	return days_of(date->year, date->month, date->day) * 86400 + of_day;
}

struct pipa_date pipa_date_at(int64_t seconds)
{
	int64_t days = seconds / 86400, rest = seconds % 86400, era, of_era, years, of_year, month;
	struct pipa_date date;

	if (rest < 0) {
		rest += 86400;
		days--;
	}
	days += 719468; /* since the first of March of the year 0 */
	era = days / 146097;
	of_era = days % 146097;
	years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	of_year = of_era - (365 * years + years / 4 - years / 100);
	month = (5 * of_year + 2) / 153;
	date.day = (int)(of_year - (153 * month + 2) / 5 + 1);
	date.month = (int)(month < 10 ? month + 3 : month - 9);
	date.year = (int)(years + era * 400 + (date.month <= 2));
	date.hour = (int)(rest / 3600);
	date.minute = (int)(rest / 60 % 60);
	date.second = (int)(rest % 60);
	return date;
}

static int digits(const char *text, size_t n)
{
	int value = 0;

	for (; n; n--, text++)
		value = value * 10 + (*text - '0');
	return value;
}

static bool is_day(const struct pipa_date *date)
{
	struct pipa_date back;

	if (date->year < 1 || date->month < 1 || date->month > 12 || date->day < 1)
		return false;
	/* a day that the month does not have comes back as another */
	back = pipa_date_at(days_of(date->year, date->month, date->day) * 86400);
	return back.day == date->day && back.month == date->month;
}

size_t pipa_date_parse(const char *text, struct pipa_date *ret)
{
	static const char shape[] = "dddd-dd-dd dd:dd:dd";
	struct pipa_date date;
	size_t i;

	for (i = 0; shape[i]; i++)
		if (shape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i])
			return 0;
	date = (struct pipa_date){ .year = digits(text, 4),
				   .month = digits(text + 5, 2),
				   .day = digits(text + 8, 2),
				   .hour = digits(text + 11, 2),
				   .minute = digits(text + 14, 2),
				   .second = digits(text + 17, 2) };
	if (!is_day(&date) || date.hour > 23 || date.minute > 59 || date.second > 60)
		return 0;
	*ret = date;
	return sizeof(shape) - 1;
}
