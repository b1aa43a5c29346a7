#include "job/query/plot_build.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/series/align.h"
#include "analyze/series/downsample.h"
#include "analyze/series/percentile.h"
#include "analyze/series/roofline.h"
#include "base/auto.h"
#include "base/error.h"
#include "base/time/zone.h"
#include "model/counter_section.h"

#define SECOND 1000000000.0

size_t pipa_plot_input_of(const struct pipa_dataset *dataset, size_t source)
{
	const char *name = dataset->series.sources.items[source].name;
	size_t i, best = 0, longest = 0;

	for (i = 0; i < dataset->inputs.n; i++) {
		size_t len = strlen(dataset->inputs.items[i].path);

		if (len >= longest && strncmp(name, dataset->inputs.items[i].path, len) == 0) {
			best = i;
			longest = len;
		}
	}
	return best;
}

/* ---- names --------------------------------------------------------------------------------------- */

static size_t input_of(const struct pipa_plot_build *b, const struct pipa_metric_series *series)
{
	const struct pipa_series_set *set = &b->dataset->series;

	return pipa_plot_input_of(b->dataset, set->groups.items[series->a.group].source);
}

/* What distinguishes the series of a panel, and therefore is in their names. */
struct naming {
	bool metric, instance, input;
};

static struct naming find_naming(const struct pipa_plot_build *b, struct pipa_metric_series **items,
				 size_t n)
{
	struct naming naming = { 0 };
	size_t i;

	for (i = 1; i < n; i++) {
		naming.metric |= strcmp(items[i]->metric, items[0]->metric) != 0;
		naming.instance |= strcmp(items[i]->instance, items[0]->instance) != 0;
		naming.input |= input_of(b, items[i]) != input_of(b, items[0]);
	}
	return naming;
}

/* Write the name of a series in the legend: "cpu.usr CPU 3 (run.tar)". Returns text. */
static const char *name_series(const struct pipa_plot_build *b,
			       const struct pipa_metric_series *series, struct naming naming,
			       char *text, size_t size)
{
	const struct pipa_section *section =
		b->dataset->series.groups.items[series->a.group].section;
	const char *label = section->label && section != &pipa_counter_section ? section->label :
										 "CPU";
	bool number = series->instance[0] >= '0' && series->instance[0] <= '9';
	const char *path = b->dataset->inputs.items[input_of(b, series)].path;
	const char *base = strrchr(path, '/') && strrchr(path, '/')[1] ? strrchr(path, '/') + 1 :
									 path;
	int len = 0;

	naming.metric |= !naming.instance && !naming.input;
	text[0] = '\0';
	if (naming.metric)
		len = snprintf(text, size, "%s", series->metric);
	if (naming.instance && len >= 0 && (size_t)len < size)
		len += snprintf(text + len, size - (size_t)len, "%s%s%s%s", len ? " " : "",
				number ? label : "", number ? " " : "",
				*series->instance ? series->instance : "total");
	if (naming.input && len >= 0 && (size_t)len < size)
		snprintf(text + len, size - (size_t)len, len ? " (%s)" : "%s", base);
	return text;
}

/* Write "cpu.usr (%)". Returns text. */
static const char *name_metric(const struct pipa_metric_series *series, const char *unit,
			       char *text, size_t size)
{
	snprintf(text, size, *unit ? "%s (%s)" : "%s%s", series->metric, unit);
	return text;
}

static const char *unit_text(enum pipa_unit unit)
{
	return unit == PIPA_UNIT_CELSIUS    ? "\xc2\xb0"
					      "C" :
	       unit == PIPA_UNIT_PER_SECOND ? "1/s" :
					      pipa_unit_text(unit);
}

/* Set the label of an axis: the metric if there is one, else the kind of quantity, with the unit. */
static int label_axis(struct pipa_plot_axis *axis, const struct pipa_metric_series *series,
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

/* ---- time ---------------------------------------------------------------------------------------- */

/* Return a time on the x axis: seconds since 1970, or since the start of the input. */
static double time_x(const struct pipa_plot_build *b, const struct pipa_metric_series *series,
		     uint64_t wall_ns)
{
	uint64_t start = b->is_elapsed ? b->start_ns[input_of(b, series)] : 0;

	return wall_ns >= start ? (double)(wall_ns - start) / SECOND :
				  -(double)(start - wall_ns) / SECOND;
}

/* Set up the time axis: times of day with date and zone, or elapsed seconds. */
static int set_time_axis(const struct pipa_plot_build *b, struct pipa_plot_axis *axis)
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

/* Return the usual length of a series' intervals in seconds. */
static double usual_interval(const struct pipa_series_axis *axis, size_t from, size_t n)
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
		return (double)(axis->wall_ns[from + n - 1] - axis->wall_ns[from]) / SECOND /
		       (double)(n - 1);
	return 1;
}

/*
 * Make the grid of the whole window with intervals of the first series' length. If all series are
 * elapsed times of several inputs, their starts differ; the grid is that of the absolute times.
 */
static struct pipa_time_grid make_grid(const struct pipa_plot_build *b,
				       const struct pipa_metric_series *series, size_t max)
{
	const struct pipa_series_axis *axis = pipa_metric_axis(&b->dataset->series, series);
	size_t from, n = pipa_series_range(axis, &b->window, &from);
	double interval = usual_interval(axis, from, n);

	return pipa_time_grid_make(b->window.from_ns, b->window.until_ns,
				   (uint64_t)llround(fmax(interval, 1e-6) * SECOND), max);
}

/* ---- lines --------------------------------------------------------------------------------------- */

/* Add the points of a series, reduced by M4; a gap of more than two and a half intervals interrupts. */
static int add_line_points(const struct pipa_plot_build *b, const struct pipa_metric_series *series,
			   struct pipa_plot_series *line)
{
	const struct pipa_series_axis *axis = pipa_metric_axis(&b->dataset->series, series);
	size_t from, n = pipa_series_range(axis, &b->window, &from), i, points;
	double gap = 2.5 * usual_interval(axis, from, n) * SECOND;
	size_t most = b->buckets * PIPA_DOWNSAMPLE_PER_BUCKET;
	PIPA_AUTO(free) double *values = malloc((n ? n : 1) * sizeof(*values));
	PIPA_AUTO(free)
	struct pipa_point *reduced = malloc(((n > most ? most : n) + 1) * sizeof(*reduced));
	int rc = values && reduced ?
			 pipa_metric_read(&b->dataset->series, series, from, n, values) :
			 -ENOMEM;

	if (rc < 0)
		return rc;
	points = pipa_downsample(axis->wall_ns + from, values, n, b->buckets, reduced);
	/* reduced points are further apart than intervals */
	gap = points < n ? fmax(gap, 2.5 * (double)(b->window.until_ns - b->window.from_ns) /
					     (double)b->buckets) :
			   gap;
	for (i = 0; !rc && i < points; i++) {
		double x = time_x(b, series, reduced[i].wall_ns);

		if (i && (double)(reduced[i].wall_ns - reduced[i - 1].wall_ns) > gap)
			rc = pipa_plot_add_point(line, x, NAN);
		if (!rc)
			rc = pipa_plot_add_point(line, x, reduced[i].value);
	}
	return rc;
}

/* ---- panels by unit ------------------------------------------------------------------------------ */

/* Are the series measured on one axis: of the same unit, or of the same metric if they have none? */
static bool same_quantity(const struct pipa_metric_series *a, const struct pipa_metric_series *b)
{
	if (a->unit != b->unit)
		return false;
	return a->unit != PIPA_UNIT_NONE || strcmp(a->metric, b->metric) == 0;
}

/* Return the mean of a series in the window, NaN without values. */
static int mean_of(const struct pipa_plot_build *b, const struct pipa_metric_series *series,
		   double *ret)
{
	const struct pipa_series_axis *axis = pipa_metric_axis(&b->dataset->series, series);
	size_t from, n = pipa_series_range(axis, &b->window, &from), i, known = 0;
	PIPA_AUTO(free) double *values = malloc((n ? n : 1) * sizeof(*values));
	int rc = values ? pipa_metric_read(&b->dataset->series, series, from, n, values) : -ENOMEM;
	double sum = 0;

	for (i = 0; !rc && i < n; i++)
		if (isfinite(values[i])) {
			sum += values[i];
			known++;
		}
	*ret = known ? sum / (double)known : NAN;
	return rc;
}

struct ranked {
	struct pipa_metric_series *series;
	size_t index;
	double mean;
};

static int by_mean(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->mean < y->mean ? 1 : x->mean > y->mean ? -1 : 0;
}

static int by_index(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

/*
 * Keep the series with values, and of more than `max` those with the largest means, in their order;
 * note how many are left out. Returns the number or -ENOMEM.
 */
static ptrdiff_t keep_largest(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			      size_t n, size_t max)
{
	PIPA_AUTO(free) struct ranked *ranked = malloc((n ? n : 1) * sizeof(*ranked));
	size_t i, kept = 0;

	if (!ranked)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		struct ranked *r = &ranked[kept];

		*r = (struct ranked){ items[i], i, NAN };
		if (mean_of(b, items[i], &r->mean) < 0)
			return -ENOMEM;
		kept += !isnan(r->mean);
	}
	if (kept > max) {
		qsort(ranked, kept, sizeof(*ranked), by_mean);
		pipa_log_put(
			&b->options->log, PIPA_LOG_WARN,
			"%s: the %zu largest of %zu series are drawn; choose others by --instances",
			ranked[0].series->metric, max, kept);
		kept = max;
		qsort(ranked, kept, sizeof(*ranked), by_index);
	}
	for (i = 0; i < kept; i++)
		items[i] = ranked[i].series;
	return (ptrdiff_t)kept;
}

/*
 * Divide large sizes in kB, which sysstat counts as 1024 bytes, so that labels are short. Returns the
 * unit after it.
 */
static const char *scale_sizes(struct pipa_plot_panel *panel, enum pipa_unit unit)
{
	static const char *const units[2][3] = { { "kB", "MiB", "GiB" },
						 { "kB/s", "MiB/s", "GiB/s" } };
	double largest = 0;
	size_t i, k, step = 0;

	if (unit != PIPA_UNIT_KB && unit != PIPA_UNIT_KB_PER_SECOND)
		return unit_text(unit);
	for (i = 0; i < panel->series.n; i++)
		for (k = 0; k < panel->series.items[i].n; k++)
			if (panel->series.items[i].points[k].y > largest)
				largest = panel->series.items[i].points[k].y;
	while (step < 2 && largest >= 4096) {
		largest /= 1024;
		step++;
	}
	for (i = 0; step && i < panel->series.n; i++)
		for (k = 0; k < panel->series.items[i].n; k++)
			panel->series.items[i].points[k].y /= step == 1 ? 1024.0 : 1048576.0;
	return units[unit == PIPA_UNIT_KB_PER_SECOND][step];
}

/* Percentages start at 0 and end at 100 if they are more than half of it. */
static void set_percent_range(struct pipa_plot_panel *panel)
{
	double largest = 0;
	size_t i, k;

	for (i = 0; i < panel->series.n; i++)
		for (k = 0; k < panel->series.items[i].n; k++)
			if (panel->series.items[i].points[k].y > largest)
				largest = panel->series.items[i].points[k].y;
	if (panel->y.scale == PIPA_PLOT_LOG)
		return;
	panel->y.min = 0;
	if (largest > 50 && largest <= 101)
		panel->y.max = 100;
}

static int add_lines_panel(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			   size_t n)
{
	struct naming naming = find_naming(b, items, n);
	struct pipa_plot_panel *panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_LINES);
	char text[300];
	size_t i;
	int rc = panel ? set_time_axis(b, &panel->x) : -ENOMEM;

	for (i = 0; !rc && i < n; i++) {
		struct pipa_plot_series *line = pipa_plot_add_series(
			panel, name_series(b, items[i], naming, text, sizeof(text)));

		rc = line ? add_line_points(b, items[i], line) : -ENOMEM;
	}
	if (rc < 0)
		return rc;
	panel->y.scale = b->options->is_log ? PIPA_PLOT_LOG : PIPA_PLOT_LINEAR;
	if (items[0]->unit == PIPA_UNIT_PERCENT)
		set_percent_range(panel);
	return label_axis(&panel->y, items[0], !naming.metric, scale_sizes(panel, items[0]->unit));
}

static int add_stacked_panel(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			     size_t n)
{
	struct naming naming = find_naming(b, items, n);
	struct pipa_time_grid grid = make_grid(b, items[0], b->buckets);
	struct pipa_plot_panel *panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_STACKED);
	PIPA_AUTO(free) double *values = malloc((grid.n ? grid.n : 1) * sizeof(*values));
	double largest = 0;
	char text[300];
	size_t i, k;
	int rc = panel && values ? set_time_axis(b, &panel->x) : -ENOMEM;

	for (i = 0; !rc && i < n; i++) {
		struct pipa_plot_series *area = pipa_plot_add_series(
			panel, name_series(b, items[i], naming, text, sizeof(text)));

		rc = area ? pipa_metric_align(&b->dataset->series, items[i], &grid, values) :
			    -ENOMEM;
		for (k = 0; !rc && k < grid.n; k++)
			rc = pipa_plot_add_point(area,
						 time_x(b, items[0],
							grid.from_ns + grid.interval_ns * (k + 1)),
						 values[k]);
	}
	if (rc < 0)
		return rc;
	for (k = 0; k < grid.n; k++) {
		double sum = 0;

		for (i = 0; i < n; i++)
			sum += fmax(panel->series.items[i].points[k].y, 0);
		largest = fmax(largest, sum);
	}
	panel->y.min = 0;
	if (items[0]->unit == PIPA_UNIT_PERCENT && largest > 50 && largest <= 101)
		panel->y.max = 100;
	return label_axis(&panel->y, items[0], !naming.metric, scale_sizes(panel, items[0]->unit));
}

/* ---- histogram ----------------------------------------------------------------------------------- */

/* Read the finite values of a series. Returns their number or -ENOMEM; *ret is owned. */
static ptrdiff_t read_values(const struct pipa_plot_build *b,
			     const struct pipa_metric_series *series, double **ret)
{
	const struct pipa_series_axis *axis = pipa_metric_axis(&b->dataset->series, series);
	size_t from, n = pipa_series_range(axis, &b->window, &from);

	*ret = malloc((n ? n : 1) * sizeof(**ret));
	if (!*ret || pipa_metric_read(&b->dataset->series, series, from, n, *ret) < 0) {
		free(*ret);
		*ret = NULL;
		return -ENOMEM;
	}
	return (ptrdiff_t)pipa_drop_missing(*ret, n);
}

/* Round a width of bins up to 1, 2, 2.5 or 5 times a power of ten. */
static double round_bin(double width)
{
	static const double steps[] = { 1, 2, 2.5, 5, 10 };
	double power = pow(10, floor(log10(width)));
	size_t i;

	for (i = 0; i < PIPA_COUNT(steps) - 1 && steps[i] * power < width * (1 - 1e-9); i++)
		;
	return steps[i] * power;
}

/* Range and recommended bin of the values of several series. */
struct bins {
	double low, high, width;
	size_t n;
};

/* Choose bins by the rule of Freedman and Diaconis: at least 8, of many values 25, at most 80. */
static struct bins choose_bins(double low, double high, double quartiles, size_t count)
{
	struct bins bins = { .low = low, .high = high };
	double range = high - low;

	if (!(range > 0))
		range = fabs(high) > 0 ? fabs(high) / 10 : 1;
	bins.width = count ? 2 * quartiles / cbrt((double)count) : 0;
	bins.width = round_bin(
		fmin(fmax(bins.width, range / 80), range / fmin(fmax(sqrt((double)count), 8), 25)));
	bins.low = floor(low / bins.width + 1e-9) * bins.width;
	bins.n = (size_t)fmax(ceil((high - bins.low) / bins.width + 1e-9), 1);
	return bins;
}

static int add_histogram_panel(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			       size_t n)
{
	struct naming naming = find_naming(b, items, n);
	struct pipa_plot_panel *panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_HISTOGRAM);
	double low = NAN, high = NAN, quartiles = INFINITY;
	size_t i, k, most = 0;
	struct bins bins;
	char text[300];
	int rc = panel ? pipa_plot_set_text(&panel->y.label, "intervals") : -ENOMEM;

	for (i = 0; !rc && i < n; i++) {
		PIPA_AUTO(free) double *values = NULL;
		ptrdiff_t count = read_values(b, items[i], &values);

		for (k = 0; count > 0 && k < (size_t)count; k++) {
			low = isnan(low) ? values[k] : fmin(low, values[k]);
			high = isnan(high) ? values[k] : fmax(high, values[k]);
		}
		if (count > 0) {
			double range = pipa_percentile(values, (size_t)count, 75);

			range -= pipa_percentile(values, (size_t)count, 25);
			quartiles = range > 0 ? fmin(quartiles, range) : quartiles;
			most = (size_t)count > most ? (size_t)count : most;
		}
		rc = count < 0 ? -ENOMEM : 0;
	}
	if (rc < 0)
		return rc;
	bins = choose_bins(low, high, isfinite(quartiles) ? quartiles : 0, most);
	panel->bin = bins.width;
	for (i = 0; !rc && i < n; i++) {
		struct pipa_plot_series *steps = pipa_plot_add_series(
			panel, name_series(b, items[i], naming, text, sizeof(text)));
		PIPA_AUTO(free) double *values = NULL;
		ptrdiff_t count = steps ? read_values(b, items[i], &values) : -ENOMEM;

		rc = count < 0 ? -ENOMEM : 0;
		for (k = 0; !rc && k < bins.n; k++)
			rc = pipa_plot_add_point(steps, bins.low + (double)k * bins.width, 0);
		for (k = 0; !rc && k < (size_t)count; k++) {
			size_t bin = (size_t)fmax((values[k] - bins.low) / bins.width, 0);

			steps->points[bin < bins.n ? bin : bins.n - 1].y++;
		}
	}
	if (rc < 0)
		return rc;
	panel->y.scale = b->options->is_log ? PIPA_PLOT_LOG : PIPA_PLOT_LINEAR;
	if (b->options->is_log)
		panel->y.min = 0.5;
	return label_axis(&panel->x, items[0], !naming.metric, unit_text(items[0]->unit));
}

/* ---- several panels ------------------------------------------------------------------------------ */

typedef int (*panel_builder)(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			     size_t n);

/* Give all panels, which have one time axis, the same range. */
static void share_time_range(struct pipa_plot *plot, bool from_zero)
{
	double min = NAN, max = NAN;
	size_t i, k, p;

	for (p = 0; p < plot->panels.n; p++) {
		const struct pipa_plot_panel *panel = &plot->panels.items[p];

		for (i = 0; i < panel->series.n; i++)
			for (k = 0; k < panel->series.items[i].n; k++) {
				double x = panel->series.items[i].points[k].x;

				min = isnan(min) ? x : fmin(min, x);
				max = isnan(max) ? x : fmax(max, x);
			}
	}
	if (from_zero && min > 0)
		min = 0;
	for (p = 0; p < plot->panels.n && max > min; p++) {
		plot->panels.items[p].x.min = min;
		plot->panels.items[p].x.max = max;
	}
}

static bool starts_at_zero(const struct pipa_plot_build *b)
{
	return b->is_elapsed && !(b->options->from && *b->options->from);
}

/* Build a panel per unit. */
static int build_by_unit(const struct pipa_plot_build *b, const struct pipa_metric_list *list,
			 panel_builder add_panel, struct pipa_error *err)
{
	PIPA_AUTO(free)
	struct pipa_metric_series **items = malloc((list->n + 1) *
						   sizeof(struct pipa_metric_series *));
	PIPA_AUTO(free) bool *used = calloc(list->n + 1, sizeof(*used));
	size_t i, k, panels = 0;

	if (!items || !used)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	for (i = 0; i < list->n; i++) {
		ptrdiff_t kept;
		size_t n = 0;

		if (used[i])
			continue;
		for (k = i; k < list->n; k++)
			if (!used[k] && same_quantity(&list->items[i], &list->items[k])) {
				items[n++] = &list->items[k];
				used[k] = true;
			}
		kept = keep_largest(b, items, n, PIPA_PLOT_SERIES_MAX);
		if (kept == 0)
			continue;
		if (panels++ == PIPA_PLOT_PANELS_MAX) {
			pipa_refuse(err, -EINVAL, "cannot draw metrics of more than %d units",
				    PIPA_PLOT_PANELS_MAX);
			return pipa_hint(err, "choose fewer metrics");
		}
		if (kept < 0 || add_panel(b, items, (size_t)kept) < 0)
			return pipa_fail(err, -ENOMEM, "draw the chart");
	}
	return 0;
}

/* ---- heat map ------------------------------------------------------------------------------------ */

/*
 * Return the grid of the cells, within the intervals of the series: other series of the input may start or end a
 * fraction of an interval earlier or later, which would be a column of its own.
 */
static struct pipa_time_grid make_cell_grid(const struct pipa_plot_build *b,
					    const struct pipa_metric_series *series)
{
	const struct pipa_series_axis *axis = pipa_metric_axis(&b->dataset->series, series);
	size_t from, n = pipa_series_range(axis, &b->window, &from);
	struct pipa_plot_build own = *b;
	uint64_t length;

	if (n) {
		length = (uint64_t)llround(fmax((double)axis->interval_s[from], 0) * SECOND);
		if (axis->wall_ns[from] - b->window.from_ns > length)
			own.window.from_ns = axis->wall_ns[from] - length;
		own.window.until_ns = axis->wall_ns[from + n - 1];
	}
	return make_grid(&own, series, b->buckets / 2 + 1);
}

static int build_cells(const struct pipa_plot_build *b, const struct pipa_metric_list *list)
{
	struct pipa_time_grid grid = make_cell_grid(b, &list->items[0]);
	struct pipa_plot_panel *panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_CELLS);
	const struct pipa_section *section =
		b->dataset->series.groups.items[list->items[0].a.group].section;
	const char *label = section == &pipa_counter_section ? "CPU" : section->label;
	size_t i;
	int rc = panel ? set_time_axis(b, &panel->x) : -ENOMEM;

	if (!rc)
		panel->cells = malloc((list->n * grid.n + 1) * sizeof(*panel->cells));
	if (!rc && !panel->cells)
		rc = -ENOMEM;
	for (i = 0; !rc && i < list->n; i++) {
		rc = pipa_plot_add_label(panel, list->items[i].instance);
		if (!rc)
			rc = pipa_metric_align(&b->dataset->series, &list->items[i], &grid,
					       panel->cells + i * grid.n);
	}
	if (rc < 0)
		return rc;
	panel->columns = grid.n;
	panel->x.min = time_x(b, &list->items[0], grid.from_ns);
	panel->x.max = time_x(b, &list->items[0], grid.from_ns + grid.interval_ns * grid.n);
	if (list->items[0].unit == PIPA_UNIT_PERCENT) {
		panel->color.min = 0;
		panel->color.max = 100;
	}
	panel->color.scale = b->options->is_log ? PIPA_PLOT_LOG : PIPA_PLOT_LINEAR;
	rc = label_axis(&panel->color, &list->items[0], true, unit_text(list->items[0].unit));
	return rc ? rc : pipa_plot_set_text(&panel->y.label, label ? label : "");
}

/* Draw the rows of one metric and one source; others are noted. */
static int build_heatmap(const struct pipa_plot_build *b, const struct pipa_metric_list *list,
			 struct pipa_error *err)
{
	struct pipa_metric_list first = { .items = list->items };
	size_t i;

	for (i = 0; i < list->n && list->items[i].a.group == list->items[0].a.group &&
		    strcmp(list->items[i].metric, list->items[0].metric) == 0;
	     i++)
		first.n++;
	if (first.n < list->n)
		pipa_log_put(&b->options->log, PIPA_LOG_WARN,
			     "a heat map has one metric of one input: only %s of %s is drawn",
			     list->items[0].metric,
			     b->dataset->inputs.items[input_of(b, &list->items[0])].path);
	return build_cells(b, &first) < 0 ? pipa_fail(err, -ENOMEM, "draw the chart") : 0;
}

/* ---- scatter plot -------------------------------------------------------------------------------- */

/* Return the series of x that belongs to one of y: of its input, and of its instance if x has several. */
static const struct pipa_metric_series *find_partner(const struct pipa_plot_build *b,
						     const struct pipa_metric_list *x,
						     const struct pipa_metric_series *y)
{
	const struct pipa_metric_series *only = NULL;
	size_t i, n = 0;

	for (i = 0; i < x->n; i++) {
		if (input_of(b, &x->items[i]) != input_of(b, y))
			continue;
		if (strcmp(x->items[i].instance, y->instance) == 0)
			return &x->items[i];
		only = &x->items[i];
		n++;
	}
	return n == 1 ? only : NULL;
}

static int add_pairs(const struct pipa_plot_build *b, const struct pipa_metric_series *x,
		     const struct pipa_metric_series *y, struct pipa_plot_series *points)
{
	enum { MAX_POINTS = 5000 };
	struct pipa_time_grid grid = make_grid(b, y, MAX_POINTS);
	PIPA_AUTO(free) double *xs = malloc((grid.n + 1) * sizeof(*xs));
	PIPA_AUTO(free) double *ys = malloc((grid.n + 1) * sizeof(*ys));
	size_t i;
	int rc = xs && ys ? pipa_metric_align(&b->dataset->series, x, &grid, xs) : -ENOMEM;

	if (!rc)
		rc = pipa_metric_align(&b->dataset->series, y, &grid, ys);
	for (i = 0; !rc && i < grid.n; i++)
		if (isfinite(xs[i]) && isfinite(ys[i]))
			rc = pipa_plot_add_point(points, xs[i], ys[i]);
	return rc;
}

static int build_scatter(const struct pipa_plot_build *b, const struct pipa_metric_list *x,
			 const struct pipa_metric_list *y, struct pipa_error *err)
{
	PIPA_AUTO(free)
	struct pipa_metric_series **items = malloc((y->n + 1) *
						   sizeof(struct pipa_metric_series *));
	struct pipa_plot_panel *panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_POINTS);
	struct naming naming;
	size_t i, n = 0, pairs = 0;
	ptrdiff_t kept;
	char text[300];
	int rc;

	if (!items || !panel)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	for (i = 0; i < y->n; i++)
		if (find_partner(b, x, &y->items[i]))
			items[n++] = &y->items[i];
	if (!n) {
		pipa_refuse(err, -ENODATA, "no instance has both %s and %s", x->items[0].metric,
			    y->items[0].metric);
		return pipa_hint(err, "choose one instance of %s by --instances",
				 x->items[0].metric);
	}
	kept = keep_largest(b, items, n, PIPA_PLOT_SERIES_MAX);
	if (kept < 0)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	naming = find_naming(b, items, (size_t)kept);
	rc = label_axis(&panel->x, &x->items[0], true, unit_text(x->items[0].unit));
	if (!rc)
		rc = label_axis(&panel->y, &y->items[0], !naming.metric,
				unit_text(y->items[0].unit));
	for (i = 0; !rc && i < (size_t)kept; i++) {
		struct pipa_plot_series *points = pipa_plot_add_series(
			panel, name_series(b, items[i], naming, text, sizeof(text)));

		rc = points ? add_pairs(b, find_partner(b, x, items[i]), items[i], points) :
			      -ENOMEM;
		pairs += points ? points->n : 0;
	}
	if (rc < 0)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	if (b->options->is_log && b->options->kind == PIPA_PLOT_SCATTER)
		panel->x.scale = panel->y.scale = PIPA_PLOT_LOG;
	return pairs ? 0 :
		       pipa_refuse(err, -ENODATA, "%s and %s have no values at the same time",
				   x->items[0].metric, y->items[0].metric);
}

/* ---- CPI ----------------------------------------------------------------------------------------- */

/* Return the CPI of the whole window: the sum of cycles by the sum of instructions. */
static int total_ratio(const struct pipa_plot_build *b, const struct pipa_metric_series *series,
		       double *ret)
{
	const struct pipa_series_axis *axis = pipa_metric_axis(&b->dataset->series, series);
	size_t from, n = pipa_series_range(axis, &b->window, &from), i;
	PIPA_AUTO(free) double *a = malloc((n ? n : 1) * sizeof(*a));
	PIPA_AUTO(free) double *c = malloc((n ? n : 1) * sizeof(*c));
	double above = 0, below = 0;

	if (!a || !c)
		return -ENOMEM;
	pipa_series_read(&b->dataset->series, series->a, from, n, a);
	pipa_series_read(&b->dataset->series, series->b, from, n, c);
	for (i = 0; i < n; i++)
		if (isfinite(a[i]) && isfinite(c[i])) {
			above += a[i];
			below += c[i];
		}
	*ret = below > 0 ? above / below : NAN;
	return 0;
}

/* Add the CPI of each CPU in the whole time as bars, if there are several. */
static int add_cpi_bars(const struct pipa_plot_build *b, const struct pipa_metric_list *list)
{
	struct pipa_plot_panel *panel;
	struct pipa_plot_series *bars;
	size_t i, cpus = 0;
	int rc;

	for (i = 0; i < list->n; i++)
		cpus += list->items[i].instance[0] != '\0' &&
			input_of(b, &list->items[i]) == input_of(b, &list->items[0]);
	if (cpus < 2)
		return 0;
	panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_BARS);
	bars = panel ? pipa_plot_add_series(panel, "cpi") : NULL;
	rc = bars ? pipa_plot_set_text(&panel->x.label, "CPU") : -ENOMEM;
	if (!rc)
		rc = pipa_plot_set_text(&panel->y.label, "cpi");
	for (i = 0; !rc && i < list->n; i++) {
		double value;

		if (!list->items[i].instance[0] ||
		    input_of(b, &list->items[i]) != input_of(b, &list->items[0]))
			continue;
		rc = total_ratio(b, &list->items[i], &value);
		if (!rc)
			rc = pipa_plot_add_point(bars, (double)panel->labels.n, value);
		if (!rc)
			rc = pipa_plot_add_label(panel, list->items[i].instance);
	}
	return rc;
}

static int build_cpi(const struct pipa_plot_build *b, const struct pipa_metric_list *list,
		     struct pipa_error *err)
{
	int rc = build_by_unit(b, list, add_lines_panel, err);

	if (rc < 0)
		return rc;
	share_time_range(b->plot, starts_at_zero(b));
	return add_cpi_bars(b, list) < 0 ? pipa_fail(err, -ENOMEM, "draw the chart") : 0;
}

/* ---- roofline ------------------------------------------------------------------------------------ */

/* Add the points of a group of counters: its intervals, and their sum as a larger one. */
static int add_roofline_points(const struct pipa_plot_build *b, size_t group,
			       struct pipa_plot_panel *panel,
			       struct pipa_roofline_events *ret_events)
{
	const struct pipa_series_set *set = &b->dataset->series;
	const struct pipa_series_axis *axis = pipa_series_axis_of(set, &set->groups.items[group]);
	size_t from, n = pipa_series_range(axis, &b->window, &from), i, color = panel->series.n / 2;
	PIPA_AUTO(free) double *flops = malloc((n ? n : 1) * sizeof(*flops));
	PIPA_AUTO(free) double *bytes = malloc((n ? n : 1) * sizeof(*bytes));
	const char *path =
		b->dataset->inputs
			.items[pipa_plot_input_of(b->dataset, set->groups.items[group].source)]
			.path;
	const char *base = strrchr(path, '/') && strrchr(path, '/')[1] ? strrchr(path, '/') + 1 :
									 path;
	double sum_flops = 0, sum_bytes = 0, seconds = 0;
	struct pipa_plot_series *points;
	char text[300];
	int rc = flops && bytes ?
			 pipa_roofline_read(set, group, from, n, flops, bytes, ret_events) :
			 -ENOMEM;

	if (rc < 0 || !ret_events->flops || !ret_events->bytes)
		return rc;
	snprintf(text, sizeof(text), "%s, per interval", base);
	points = pipa_plot_add_series(panel, text);
	if (!points)
		return -ENOMEM;
	points->color = color;
	points->is_faint = true;
	for (i = 0; !rc && i < n; i++) {
		double length = (double)axis->interval_s[from + i];

		if (!(flops[i] > 0) || !(bytes[i] > 0) || !(length > 0))
			continue;
		sum_flops += flops[i];
		sum_bytes += bytes[i];
		seconds += length;
		if (n > 1)
			rc = pipa_plot_add_point(points, flops[i] / bytes[i],
						 flops[i] / length / 1e9);
	}
	if (rc < 0 || !(seconds > 0))
		return rc;
	snprintf(text, sizeof(text), "%s, whole time", base);
	points = pipa_plot_add_series(panel, text);
	if (!points)
		return -ENOMEM;
	points->color = color;
	points->is_marked = true;
	return pipa_plot_add_point(points, sum_flops / sum_bytes, sum_flops / seconds / 1e9);
}

static int refuse_roofline(bool any_counters, const struct pipa_roofline_events *seen,
			   const char *path, struct pipa_error *err)
{
	if (!any_counters) {
		pipa_refuse(err, -ENODATA, "cannot draw a roofline: %s has no counters", path);
		return pipa_hint(err,
				 "record them with pipa stat -I 1000 --json -o FILE -e EVENTS");
	}
	if (!seen->flops) {
		pipa_refuse(err, -ENODATA,
			    "cannot draw a roofline: no event of floating-point operations in %s",
			    path);
		return pipa_hint(err, "count one of %s", pipa_roofline_flop_events());
	}
	if (!seen->bytes) {
		pipa_refuse(err, -ENODATA,
			    "cannot draw a roofline: no event of memory traffic in %s", path);
		return pipa_hint(err, "count one of %s", pipa_roofline_byte_events());
	}
	pipa_refuse(err, -ENODATA, "cannot draw a roofline: no interval of known length in %s",
		    path);
	return pipa_hint(err, "count in intervals: pipa stat -I 1000");
}

static int build_roofline(const struct pipa_plot_build *b, struct pipa_error *err)
{
	const struct pipa_series_set *set = &b->dataset->series;
	struct pipa_plot_panel *panel = pipa_plot_add_panel(b->plot, PIPA_PANEL_ROOFLINE);
	struct pipa_roofline_events seen = { 0 };
	bool any_counters = false;
	size_t g, i, n = 0;
	int rc = panel ? 0 : -ENOMEM;

	for (g = 0; !rc && g < set->groups.n; g++) {
		struct pipa_roofline_events events = { 0 };

		if (set->groups.items[g].section != &pipa_counter_section)
			continue;
		any_counters = true;
		rc = add_roofline_points(b, g, panel, &events);
		seen.flops += events.flops;
		seen.bytes += events.bytes;
	}
	if (rc < 0)
		return pipa_fail(err, -ENOMEM, "draw the chart");
	for (i = 0; i < panel->series.n; i++)
		n += panel->series.items[i].n;
	if (!n)
		return refuse_roofline(any_counters, &seen, b->options->paths[0], err);
	panel->peak_y = b->options->peak_flops / 1e9;
	panel->peak_slope = b->options->peak_bandwidth / 1e9;
	panel->x.scale = panel->y.scale = PIPA_PLOT_LOG;
	rc = pipa_plot_set_text(&panel->x.label, "arithmetic intensity (operations per byte)");
	if (!rc)
		rc = pipa_plot_set_text(&panel->y.label, "performance (Gop/s)");
	return rc < 0 ? pipa_fail(err, -ENOMEM, "draw the chart") : 0;
}

int pipa_plot_build_panels(struct pipa_plot_build *b, const struct pipa_metric_list *list,
			   const struct pipa_metric_list *x, const struct pipa_metric_list *y,
			   struct pipa_error *err)
{
	int rc = -EINVAL;

	switch (b->options->kind) {
	case PIPA_PLOT_LINES:
		rc = build_by_unit(b, list, add_lines_panel, err);
		share_time_range(b->plot, starts_at_zero(b));
		break;
	case PIPA_PLOT_STACKED:
		rc = build_by_unit(b, list, add_stacked_panel, err);
		share_time_range(b->plot, starts_at_zero(b));
		break;
	case PIPA_PLOT_HISTOGRAM: rc = build_by_unit(b, list, add_histogram_panel, err); break;
	case PIPA_PLOT_SCATTER: rc = build_scatter(b, x, y, err); break;
	case PIPA_PLOT_HEATMAP: rc = build_heatmap(b, list, err); break;
	case PIPA_PLOT_ROOFLINE: rc = build_roofline(b, err); break;
	case PIPA_PLOT_CPI:
		rc = x->n ? build_scatter(b, x, y, err) : build_cpi(b, list, err);
		break;
	case PIPA_PLOT_KIND_NR: break;
	}
	if (!rc && !b->plot->panels.n)
		return pipa_refuse(err, -ENODATA, "no values to draw in the time range");
	return rc;
}
