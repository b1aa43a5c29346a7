#include "cli/filter_args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/time/local_zone.h"
#include "base/time/zone.h"

#define TWO_DAYS_S INT64_C(172800)

/* Parse "30d" or "2w" before now; minutes and smaller units are those of durations. */
static int parse_age(const char *text, uint64_t *ret_us)
{
	size_t len = strlen(text);
	uint64_t n, ns, unit_s = 0, now_us = pipa_clock_wall_ns() / 1000;
	char number[24];

	if (len > 1 && len < sizeof(number) && (text[len - 1] == 'd' || text[len - 1] == 'w')) {
		unit_s = text[len - 1] == 'd' ? 86400 : 7 * 86400;
		snprintf(number, sizeof(number), "%.*s", (int)len - 1, text);
		if (pipa_str_u64(number, &n) < 0 || n > 1000000)
			return -EINVAL;
		ns = n * unit_s;
		*ret_us = ns * 1000000 < now_us ? now_us - ns * 1000000 : 1;
		return 0;
	}
	if (!text[strspn(text, "0123456789")] || pipa_str_duration(text, 0, &ns) < 0)
		return -EINVAL;
	*ret_us = ns / 1000 < now_us ? now_us - ns / 1000 : 1;
	return 0;
}

/* Parse a date, with or without a time of the day, in the local time zone. */
static int parse_date(const char *text, uint64_t *ret_us)
{
	PIPA_AUTO(pipa_zone_done) struct pipa_zone zone = { 0 };
	struct pipa_date date;
	char whole[32];
	int64_t local, utc;

	if (strlen(text) == 10)
		snprintf(whole, sizeof(whole), "%s 00:00:00", text);
	else if (strlen(text) == 19)
		snprintf(whole, sizeof(whole), "%.10s %.8s", text, text + 11);
	else
		return -EINVAL;
	if (pipa_date_parse(whole, &date) != 19 || (text[10] && !strchr(" T", text[10])))
		return -EINVAL;
	local = pipa_date_seconds(&date);
	if (pipa_local_zone_load(&zone, local - TWO_DAYS_S, local + TWO_DAYS_S, NULL) < 0)
		return -ENOMEM;
	utc = pipa_zone_utc(&zone, local);
	*ret_us = utc > 0 ? (uint64_t)utc * 1000000 : 1;
	return 0;
}

static int parse_time(const char *option, const char *text, uint64_t *ret_us,
		      struct pipa_error *err)
{
	if (parse_age(text, ret_us) == 0 || parse_date(text, ret_us) == 0)
		return 0;
	return pipa_refuse(err, -EINVAL,
			   "%s: invalid time '%.60s', expected 30d, 12h, 2026-11-18 or "
			   "'2026-11-18 10:00:00'",
			   option, text);
}

int pipa_cli_set_since(void *field, const char *text, struct pipa_error *err)
{
	return parse_time("--since", text, &((struct pipa_remote_filter *)field)->since_us, err);
}

int pipa_cli_set_until(void *field, const char *text, struct pipa_error *err)
{
	return parse_time("--until", text, &((struct pipa_remote_filter *)field)->until_us, err);
}

int pipa_cli_add_filter_label(void *field, const char *text, struct pipa_error *err)
{
	struct pipa_remote_filter *filter = field;

	if (!text[0] || text[0] == '=')
		return pipa_refuse(err, -EINVAL,
				   "--label: invalid label '%.100s', expected KEY or KEY=VALUE",
				   text);
	if (filter->n_labels == PIPA_REMOTE_LABELS_MAX)
		return pipa_refuse(err, -EINVAL, "--label: more than %d labels",
				   PIPA_REMOTE_LABELS_MAX);
	filter->labels[filter->n_labels++] = text;
	return 0;
}
