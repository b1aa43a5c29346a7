/* Panels of histograms. */
#include "job/query/plot_build_own.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/series/percentile.h"
#include "base/auto.h"

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

int pipa_plot_add_histogram(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			    size_t n)
{
	struct pipa_plot_naming naming = pipa_plot_find_naming(b, items, n);
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
			panel, pipa_plot_name_series(b, items[i], naming, text, sizeof(text)));
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
	return pipa_plot_label_axis(&panel->x, items[0], !naming.metric,
				    pipa_plot_unit_text(items[0]->unit));
}
