#include "export/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/stat.h"

const char *pipa_number_text(double value, int digits, bool plain, char *text, size_t size)
{
	char raw[64];
	size_t whole, i, out = 0;
	const char *p = raw;

	snprintf(raw, sizeof(raw), "%.*f", digits, value);
	if (plain || fabs(value) < 1000) {
		snprintf(text, size, "%s", raw);
		return text;
	}
	if (*p == '-')
		text[out++] = *p++;
	whole = strcspn(p, ".");
	for (i = 0; p[i] && out + 2 < size; i++) {
		if (i && i < whole && (whole - i) % 3 == 0)
			text[out++] = ',';
		text[out++] = p[i];
	}
	text[out] = '\0';
	return text;
}

double pipa_number_rate(double value, const char **ret_prefix)
{
	static const char *const prefixes[] = { "", "K", "M", "G" };
	size_t i = 0;

	while (value > 1000 && i < 3) {
		value /= 1000;
		i++;
	}
	*ret_prefix = prefixes[i];
	return value;
}

void pipa_number_derived(const struct pipa_derived *derived, char *value, size_t value_size,
			 char *unit, size_t unit_size)
{
	const char *prefix = "";
	double v = derived->value;

	if (derived->style == PIPA_STYLE_RATE)
		v = pipa_number_rate(v, &prefix);
	snprintf(value, value_size, "%.*f", derived->digits, v);
	snprintf(unit, unit_size, "%s%s", prefix, derived->unit);
}

double pipa_number_noise(const struct pipa_spread *spread)
{
	if (spread->n < 2 || spread->mean == 0)
		return 0;
	return 100 * spread->sd / sqrt((double)spread->n) / fabs(spread->mean);
}
