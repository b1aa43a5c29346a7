#include "screen/cells/amount.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/clock.h"

/* Return the digits after the point that make three digits of a number below 1000. */
static int digits_after_point(double value)
{
	return value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
}

void pipa_amount_size(char out[static PIPA_AMOUNT_MAX], double kb)
{
	static const char units[] = "KMGTPE";
	size_t unit = 0;

	if (isnan(kb)) {
		snprintf(out, PIPA_AMOUNT_MAX, "-");
		return;
	}
	if (fabs(kb) < 0.005) {
		snprintf(out, PIPA_AMOUNT_MAX, "0");
		return;
	}
	while (kb >= 999.5 && unit + 2 < sizeof(units)) {
		kb /= 1024;
		unit++;
	}
	snprintf(out, PIPA_AMOUNT_MAX, "%.*f%c", digits_after_point(kb), kb, units[unit]);
}

void pipa_amount_count(char out[static PIPA_AMOUNT_MAX], double count)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;

	if (isnan(count)) {
		snprintf(out, PIPA_AMOUNT_MAX, "-");
		return;
	}
	if (count < 999.5) {
		bool whole = count >= 9.95 || count < 0.05 || count == round(count);

		snprintf(out, PIPA_AMOUNT_MAX, "%.*f", whole ? 0 : 1, count);
		return;
	}
	while (count >= 999.5 && unit + 2 < sizeof(units)) {
		count /= 1000;
		unit++;
	}
	snprintf(out, PIPA_AMOUNT_MAX, "%.*f%c", digits_after_point(count), count, units[unit]);
}

void pipa_amount_percent(char out[static PIPA_AMOUNT_MAX], double percent)
{
	if (isnan(percent))
		snprintf(out, PIPA_AMOUNT_MAX, "-");
	else
		snprintf(out, PIPA_AMOUNT_MAX, "%.*f", percent >= 99.95 ? 0 : 1, percent);
}

void pipa_amount_interval(char out[static PIPA_AMOUNT_MAX], uint64_t ns)
{
	if (ns < PIPA_NS_PER_SEC)
		snprintf(out, PIPA_AMOUNT_MAX, "%gms", (double)ns / 1e6);
	else if (ns % (60 * PIPA_NS_PER_SEC) == 0)
		snprintf(out, PIPA_AMOUNT_MAX, "%gm", (double)ns / 60e9);
	else
		snprintf(out, PIPA_AMOUNT_MAX, "%gs", (double)ns / 1e9);
}

void pipa_amount_uptime(char out[static PIPA_AMOUNT_MAX], uint64_t seconds)
{
	unsigned int days = (unsigned int)(seconds / 86400), rest = (unsigned int)(seconds % 86400);

	if (days)
		snprintf(out, PIPA_AMOUNT_MAX, "%ud %02u:%02u", days, rest / 3600, rest / 60 % 60);
	else
		snprintf(out, PIPA_AMOUNT_MAX, "%02u:%02u", rest / 3600, rest / 60 % 60);
}
