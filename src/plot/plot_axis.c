#include "plot/plot_axis.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/time/zone.h"
#include "export/text/number.h"

/* Return the smallest of 1, 2 and 5 times a power of ten that is not below the value. */
static double nice_step(double value)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double power = pow(10, floor(log10(value)));
	size_t i;

	for (i = 0; i < PIPA_COUNT(steps) - 1; i++)
		if (steps[i] * power >= value * (1 - 1e-9))
			break;
	return steps[i] * power;
}

/* Return the number of digits after the decimal point that a step needs. */
static int step_digits(double step)
{
	int digits = (int)-floor(log10(step) + 1e-9);

	return digits < 0 ? 0 : digits > 12 ? 12 : digits;
}

/* ---- ranges -------------------------------------------------------------------------------------- */

static void fit_log(struct pipa_plot_axis *axis, double low, double high)
{
	if (!(high > 0))
		high = 1;
	if (!(low > 0))
		low = high / 1000;
	if (isnan(axis->max) || axis->max <= 0)
		axis->max = pow(10, ceil(log10(high) - 1e-9));
	if (isnan(axis->min) || axis->min <= 0 || axis->min >= axis->max)
		axis->min = pow(10, floor(log10(fmin(low, axis->max / 10)) + 1e-9));
}

static void fit_linear(struct pipa_plot_axis *axis, double low, double high)
{
	const bool is_constant = low == high && high > 0;
	const double value = high;
	double step;

	if (low >= 0 && (low <= 0.75 * high || low == high))
		low = 0;
	if (high <= 0 && low == high)
		high = 0;
	if (low == high)
		high = 1;
	if (!isnan(axis->min))
		low = axis->min;
	if (!isnan(axis->max))
		high = axis->max;
	if (!(high > low))
		high = low + (fabs(low) > 0 ? fabs(low) : 1);
	step = nice_step((high - low) / 10);
	if (isnan(axis->min))
		axis->min = floor(low / step + 1e-9) * step;
	if (isnan(axis->max) || axis->max <= axis->min) {
		axis->max = ceil(high / step - 1e-9) * step;
		if (is_constant && axis->max - value < 0.01 * step && value != 100)
			axis->max += step; /* else the only grid line is on the frame */
	}
}

void pipa_plot_axis_fit(struct pipa_plot_axis *axis, double data_min, double data_max)
{
	double low = isfinite(data_min) ? data_min : 0, high = isfinite(data_max) ? data_max : low;

	if (axis->scale == PIPA_PLOT_LOG) {
		fit_log(axis, low, high);
	} else if (axis->scale == PIPA_PLOT_LINEAR) {
		fit_linear(axis, low, high);
	} else {
		if (low == high && isnan(axis->min) &&
		    isnan(axis->max)) { /* one point: in the middle */
			low -= 5;
			high += 5;
		}
		if (isnan(axis->min))
			axis->min = low;
		if (isnan(axis->max) || axis->max <= axis->min)
			axis->max = high > axis->min ? high : axis->min + 1;
	}
}

double pipa_plot_axis_at(const struct pipa_plot_axis *axis, double value)
{
	if (axis->scale == PIPA_PLOT_LOG)
		return value > 0 ? (log10(value) - log10(axis->min)) /
					   (log10(axis->max) - log10(axis->min)) :
				   NAN;
	return (value - axis->min) / (axis->max - axis->min);
}

/* ---- ticks --------------------------------------------------------------------------------------- */

/* Add a tick if it is in the range; NULL if it is not or there are enough. */
static struct pipa_plot_tick *add_tick(const struct pipa_plot_axis *axis, double value,
				       struct pipa_plot_ticks *ret)
{
	double slack = 1e-6 * (axis->max - axis->min);
	struct pipa_plot_tick *tick;

	if (value < axis->min - slack || value > axis->max + slack || ret->n == PIPA_PLOT_TICKS_MAX)
		return NULL;
	tick = &ret->items[ret->n++];
	tick->value = value;
	tick->label[0] = '\0';
	return tick;
}

const char *pipa_plot_number(double value, int digits, char *text, size_t size)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E" };
	double absolute = fabs(value);
	size_t i = 0, len;

	if (absolute >= 1e21 || (absolute > 0 && absolute < 1e-4)) {
		snprintf(text, size, "%.3g", value);
		return text;
	}
	if (absolute >= 9999.5)
		for (; absolute >= 999.95 && i < PIPA_COUNT(prefixes) - 1; i++) {
			absolute /= 1000;
			value /= 1000;
		}
	pipa_number_fixed(value, i ? 3 : digits, text, size);
	len = strlen(text);
	if (i) { /* 1.500M is 1.5M */
		while (len && text[len - 1] == '0')
			text[--len] = '\0';
		if (len && text[len - 1] == '.')
			text[--len] = '\0';
	}
	snprintf(text + len, size - len, "%s", prefixes[i]);
	return text;
}

static void make_linear(const struct pipa_plot_axis *axis, size_t wanted,
			struct pipa_plot_ticks *ret)
{
	double step = nice_step((axis->max - axis->min) / (double)wanted);
	double first = ceil(axis->min / step - 1e-9);
	int digits = step_digits(step);
	size_t i;

	for (i = 0; ret->n < PIPA_PLOT_TICKS_MAX; i++) {
		double k = first + (double)i;
		struct pipa_plot_tick *tick = add_tick(axis, k * step, ret);

		if (!tick)
			break;
		pipa_plot_number(k == 0 ? 0 : tick->value, digits, tick->label,
				 sizeof(tick->label));
	}
}

static void make_log(const struct pipa_plot_axis *axis, size_t wanted, struct pipa_plot_ticks *ret)
{
	int first = (int)floor(log10(axis->min) + 1e-9), last = (int)ceil(log10(axis->max) - 1e-9);
	int decades = last - first + 1, every = (decades + (int)wanted - 1) / (int)wanted, e, m;
	bool few = decades <= 3 && wanted >= 6;

	every = every < 1 ? 1 : every;
	for (e = first; e <= last; e++)
		for (m = 1; m < 10; m++) {
			struct pipa_plot_tick *tick;

			if (m > 1 && decades > 7)
				break;
			tick = add_tick(axis, m * pow(10, e), ret);
			if (tick && (m == 1 ? (e - first) % every == 0 : few && (m == 2 || m == 5)))
				pipa_plot_number(tick->value, e < 0 ? -e : 0, tick->label,
						 sizeof(tick->label));
		}
}

static void put_time_label(double value, double step, const struct pipa_zone *zone, char *text,
			   size_t size)
{
	int digits = step < 1 ? step_digits(step) : 0;
	double scale = pow(10, digits), rounded = floor(value * scale + 0.5) / scale;
	int64_t utc = (int64_t)floor(rounded);
	struct pipa_date date = pipa_date_at(utc + pipa_zone_offset(zone, utc));

	if (step >= 86400 || (step >= 60 && !date.hour && !date.minute && !date.second))
		snprintf(text, size, "%02d-%02d", date.month, date.day);
	else if (step >= 60)
		snprintf(text, size, "%02d:%02d", date.hour, date.minute);
	else if (!digits)
		snprintf(text, size, "%02d:%02d:%02d", date.hour, date.minute, date.second);
	else
		snprintf(text, size, "%02d:%02d.%0*d", date.minute, date.second, digits,
			 (int)floor((rounded - (double)utc) * scale + 0.5));
}

static void make_times(const struct pipa_plot_axis *axis, size_t wanted,
		       struct pipa_plot_ticks *ret)
{
	static const double steps[] = { 1,     2,     5,     10,    15,	    30,	   60,
					120,   300,   600,   900,   1800,   3600,  7200,
					10800, 21600, 43200, 86400, 172800, 604800 };
	double least = (axis->max - axis->min) / (double)wanted, step, offset, first;
	size_t i;

	for (i = 0; i < PIPA_COUNT(steps) - 1 && steps[i] < least * (1 - 1e-9); i++)
		;
	step = least < 1 ? fmax(nice_step(least * (1 - 1e-5)), 1e-6) : steps[i];
	if (step < least * (1 - 1e-5))
		step *= ceil(least / step);
	offset = pipa_zone_offset(axis->zone, (int64_t)axis->min); /* round in local time */
	first = ceil((axis->min + offset) / step - 1e-5);
	for (i = 0; ret->n < PIPA_PLOT_TICKS_MAX; i++) {
		double value = (first + (double)i) * step - offset;
		struct pipa_plot_tick *tick = add_tick(axis, value, ret);

		if (!tick)
			break;
		put_time_label(tick->value, step, axis->zone, tick->label, sizeof(tick->label));
	}
}

void pipa_plot_axis_ticks(const struct pipa_plot_axis *axis, size_t wanted,
			  struct pipa_plot_ticks *ret)
{
	ret->n = 0;
	wanted = wanted < 1			  ? 1 :
		 wanted > PIPA_PLOT_TICKS_MAX / 4 ? PIPA_PLOT_TICKS_MAX / 4 :
						    wanted;
	switch (axis->scale) {
	case PIPA_PLOT_LINEAR: make_linear(axis, wanted, ret); break;
	case PIPA_PLOT_LOG: make_log(axis, wanted, ret); break;
	case PIPA_PLOT_TIME: make_times(axis, wanted, ret); break;
	}
}
