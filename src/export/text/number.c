#include "export/text/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/visible.h"
#include "model/stat.h"

/*
 * A product has an error of at most half a unit in the last place. Unless the fraction is that
 * close to a half, the nearest integer is what printf finds with its long arithmetic, and much
 * faster; close values, signs and very large values are left to printf.
 */
char *pipa_number_fixed(double value, int digits, char *text, size_t size)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
	int known = digits >= 0 && digits < (int)PIPA_COUNT(powers);
	double scaled = known ? value * powers[digits] : INFINITY, whole = rint(scaled);
	char reversed[24];
	int i, n = 0, out = 0;
	uint64_t rest;

	if (signbit(value) || !(scaled < 1e15) || size < sizeof(reversed) ||
	    0.5 - fabs(scaled - whole) <= scaled * 0x1p-52) {
		snprintf(text, size, "%.*f", digits, value);
		return text;
	}
	rest = (uint64_t)whole;
	for (i = 0; rest || i <= digits; i++, rest /= 10) {
		if (i && i == digits)
			reversed[n++] = '.';
		reversed[n++] = (char)('0' + rest % 10);
	}
	while (n)
		text[out++] = reversed[--n];
	text[out] = '\0';
	return text;
}

const char *pipa_number_text(double value, int digits, bool plain, char *text, size_t size)
{
	char raw[64];
	size_t whole, i, out = 0;
	const char *p = raw;

	if (plain)
		return pipa_number_fixed(value, digits, text, size);
	pipa_number_fixed(value, digits, raw, sizeof(raw));
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
	pipa_number_fixed(v, derived->digits, value, value_size);
	snprintf(unit, unit_size, "%s%s", prefix, derived->unit);
}

double pipa_number_noise(const struct pipa_spread *spread)
{
	if (spread->n < 2 || spread->mean == 0)
		return 0;
	return 100 * spread->sd / sqrt((double)spread->n) / fabs(spread->mean);
}

const char *pipa_number_place(const struct pipa_stat_place *place, char *text, size_t size)
{
	char comm[64];

	text[0] = '\0';
	switch (place->by) {
	case PIPA_AGGR_CPU: snprintf(text, size, "CPU%d", place->cpu); break;
	case PIPA_AGGR_CORE:
		snprintf(text, size, "S%d-D%d-C%d", place->socket, place->die, place->core);
		break;
	case PIPA_AGGR_DIE: snprintf(text, size, "S%d-D%d", place->socket, place->die); break;
	case PIPA_AGGR_SOCKET: snprintf(text, size, "S%d", place->socket); break;
	case PIPA_AGGR_NODE: snprintf(text, size, "N%d", place->node); break;
	case PIPA_AGGR_THREAD:
		pipa_visible_copy(comm, sizeof(comm), place->comm);
		snprintf(text, size, "%s-%d", comm, place->tid);
		break;
	case PIPA_AGGR_GLOBAL:
	case PIPA_AGGR_NR: break;
	}
	return text;
}
