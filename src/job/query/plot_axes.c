/* Axes of a chart: labels with units, the axis of time and its intervals. */
#include "job/query/plot_build_own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/time/zone.h"

/* Write "cpu.usr (%)". Returns text. */
static const char *name_metric(const struct pipa_metric_series *series, const char *unit,
			       char *text, size_t size)
{
	snprintf(text, size, *unit ? "%s (%s)" : "%s%s", series->metric, unit);
	return text;
}

const char *pipa_plot_unit_text(enum pipa_unit unit)
{
	return unit == PIPA_UNIT_CELSIUS    ? "\xc2\xb0"
					      "C" :
	       unit == PIPA_UNIT_PER_SECOND ? "1/s" :
					      pipa_unit_text(unit);
}

int pipa_plot_label_axis(struct pipa_plot_axis *axis, const struct pipa_metric_series *series,
			 bool one_metric, const char *unit)
{
	static const char *const quantities[PIPA_UNIT_NR] = {
		[PIPA_UNIT_PERCENT] = "share", [PIPA_UNIT_PER_SECOND] = "rate",
		[PIPA_UNIT_KB] = "size",       [PIPA_UNIT_KB_PER_SECOND] = "throughput",
		[PIPA_UNIT_MB] = "size",       [PIPA_UNIT_MS] = "time",
		[PIPA_UNIT_MHZ] = "frequency", [PIPA_UNIT_CELSIUS] = "temperature",
	};
	struct pipa_metric_series named = *series;
	char text[200];

	if (!one_metric)
		named.metric = quantities[series->unit] ? quantities[series->unit] : "value";
	return pipa_plot_set_text(&axis->label, name_metric(&named, unit, text, sizeof(text)));
}

double pipa_plot_time_x(const struct pipa_plot_build *b, const struct pipa_metric_series *series,
			uint64_t wall_ns)
{
	uint64_t start = b->is_elapsed ? b->start_ns[pipa_plot_input_of_series(b, series)] : 0;

	return wall_ns >= start ? (double)(wall_ns - start) / PIPA_PLOT_SECOND :
				  -(double)(start - wall_ns) / PIPA_PLOT_SECOND;
}

int pipa_plot_set_time_axis(const struct pipa_plot_build *b, struct pipa_plot_axis *axis)
{
	int64_t first = (int64_t)(b->window.from_ns / 1000000000);
	int offset = pipa_zone_offset(b->zone, first);
	struct pipa_date date = pipa_date_at(first + offset);
	char text[100], zone[20] = "UTC";

	if (b->is_elapsed)
		return pipa_plot_set_text(&axis->label, "elapsed time (s)");
	if (offset)
		snprintf(zone, sizeof(zone), "UTC%c%02d:%02d", offset < 0 ? '-' : '+',
			 abs(offset) / 3600, abs(offset) / 60 % 60);
	snprintf(text, sizeof(text), "time (%s), %04d-%02d-%02d", zone, date.year, date.month,
		 date.day);
	axis->scale = PIPA_PLOT_TIME;
	axis->zone = b->zone;
	return pipa_plot_set_text(&axis->label, text);
}

double pipa_plot_usual_interval(const struct pipa_series_axis *axis, size_t from, size_t n)
{
	double sum = 0;
	size_t i, known = 0;

	for (i = from; i < from + n; i++)
		if (axis->interval_s[i] > 0) {
			sum += (double)axis->interval_s[i];
			known++;
		}
	if (known)
		return sum / (double)known;
	if (n > 1)
		return (double)(axis->wall_ns[from + n - 1] - axis->wall_ns[from]) /
		       PIPA_PLOT_SECOND / (double)(n - 1);
	return 1;
}

struct pipa_time_grid pipa_plot_make_grid(const struct pipa_plot_build *b,
					  const struct pipa_metric_series *series, size_t max)
{
	const struct pipa_series_axis *axis = pipa_metric_axis(&b->dataset->series, series);
	size_t from, n = pipa_series_range(axis, &b->window, &from);
	double interval = pipa_plot_usual_interval(axis, from, n);

	return pipa_time_grid_make(b->window.from_ns, b->window.until_ns,
				   (uint64_t)llround(fmax(interval, 1e-6) * PIPA_PLOT_SECOND), max);
}
