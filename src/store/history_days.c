#include "store/history_days.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"

/* Convert a calendar date to a day number with timegm(). */
static int64_t to_day(const struct tm *date)
{
	struct tm tm = { .tm_year = date->tm_year,
			 .tm_mon = date->tm_mon,
			 .tm_mday = date->tm_mday };

	return timegm(&tm) / 86400;
}

static struct tm from_day(int64_t day)
{
	time_t seconds = (time_t)day * 86400;
	struct tm tm;

	gmtime_r(&seconds, &tm);
	return tm;
}

int64_t pipa_history_day_of(uint64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / PIPA_NS_PER_SEC);
	struct tm tm;

	localtime_r(&seconds, &tm);
	return to_day(&tm);
}

uint64_t pipa_history_day_start(int64_t day)
{
	struct tm date = from_day(day);
	struct tm tm = { .tm_year = date.tm_year,
			 .tm_mon = date.tm_mon,
			 .tm_mday = date.tm_mday,
			 .tm_isdst = -1 };
	time_t seconds = mktime(&tm);

	return seconds > 0 ? (uint64_t)seconds * PIPA_NS_PER_SEC : 0;
}

void pipa_history_day_name(int64_t day, char name[static PIPA_HISTORY_NAME_SIZE])
{
	struct tm tm = from_day(day);

	strftime(name, PIPA_HISTORY_NAME_SIZE, "pipa-%Y-%m-%d.pmh", &tm);
}

/* Parse a date. Returns the position after it, NULL if there is none. */
static const char *read_date(const char *text, int64_t *ret)
{
	struct tm tm = { 0 };
	const char *end = strlen(text) >= 10 ? strptime(text, "%Y-%m-%d", &tm) : NULL;

	if (!end || end != text + 10)
		return NULL;
	*ret = to_day(&tm);
	return end;
}

bool pipa_history_day_parse(const char *name, int64_t *ret)
{
	const char *end = pipa_str_starts(name, "pipa-") ? read_date(name + 5, ret) : NULL;

	return end && strcmp(end, ".pmh") == 0;
}

int pipa_history_day_read(const char *text, int64_t today, int64_t *ret)
{
	const char *end = read_date(text, ret);
	uint64_t back;

	if (end)
		return *end ? -EINVAL : 0;
	if (text[0] != '-' || pipa_str_u64(text + 1, &back) < 0 || back > 100000)
		return -EINVAL;
	*ret = today - (int64_t)back;
	return 0;
}

/* Return the oldest file that is not marked, except for today's; NULL if there is none. */
static struct pipa_history_day *oldest_day(struct pipa_history_day *days, size_t n, int64_t today)
{
	struct pipa_history_day *found = NULL;
	size_t i;

	for (i = 0; i < n; i++)
		if (!days[i].expired && days[i].day != today &&
		    (!found || days[i].day < found->day))
			found = &days[i];
	return found;
}

bool pipa_history_days_expire(struct pipa_history_day *days, size_t n, int64_t today,
			      uint64_t keep_days, uint64_t max_size, uint64_t more)
{
	struct pipa_history_day *next;
	uint64_t total = more;
	size_t i;

	for (i = 0; i < n; i++) {
		days[i].expired = days[i].day < today &&
				  (uint64_t)(today - days[i].day) > keep_days;
		total += days[i].expired ? 0 : days[i].size;
	}
	while (max_size && total > max_size && (next = oldest_day(days, n, today))) {
		next->expired = true;
		total -= next->size;
	}
	return !max_size || total <= max_size;
}
