/* A chart while it is built: shared by the plot_*.c files of job/query only. */
#ifndef PIPA_JOB_QUERY_PLOT_BUILD_OWN_H
#define PIPA_JOB_QUERY_PLOT_BUILD_OWN_H

#include "analyze/series/align.h"
#include "job/query/plot_build.h"

#define PIPA_PLOT_SECOND 1000000000.0

/* ---- series (plot_series.c) ------------------------------------------------------------------ */

/* Return the index of the input of a series. */
size_t pipa_plot_input_of_series(const struct pipa_plot_build *b,
				 const struct pipa_metric_series *series);

/* Parts of the names of series: those that differ within a panel. */
struct pipa_plot_naming {
	bool metric, instance, input;
};

struct pipa_plot_naming pipa_plot_find_naming(const struct pipa_plot_build *b,
					      struct pipa_metric_series **items, size_t n);

/* Write the name of a series in the legend: "cpu.usr CPU 3 (run.tar)". Returns text. */
const char *pipa_plot_name_series(const struct pipa_plot_build *b,
				  const struct pipa_metric_series *series,
				  struct pipa_plot_naming naming, char *text, size_t size);

/*
 * Keep the series with values, and of more than `max` those with the largest means, in their order;
 * note how many are left out. Returns the number or -ENOMEM.
 */
ptrdiff_t pipa_plot_keep_largest(const struct pipa_plot_build *b, struct pipa_metric_series **items,
				 size_t n, size_t max);

/* ---- axes (plot_axes.c) ---------------------------------------------------------------------- */

const char *pipa_plot_unit_text(enum pipa_unit unit);

/* Set the label of an axis: the metric if there is one, else the kind of quantity, with the unit. */
int pipa_plot_label_axis(struct pipa_plot_axis *axis, const struct pipa_metric_series *series,
			 bool one_metric, const char *unit);

/* Return a time on the x axis: seconds since 1970, or since the start of the input. */
double pipa_plot_time_x(const struct pipa_plot_build *b, const struct pipa_metric_series *series,
			uint64_t wall_ns);

/* Set up the time axis: times of day with date and zone, or elapsed seconds. */
int pipa_plot_set_time_axis(const struct pipa_plot_build *b, struct pipa_plot_axis *axis);

/* Return the usual length of a series' intervals in seconds. */
double pipa_plot_usual_interval(const struct pipa_series_axis *axis, size_t from, size_t n);

/*
 * Make the grid of the whole window with intervals of the first series' length. If all series are
 * elapsed times of several inputs, their starts differ; the grid is that of the absolute times.
 */
struct pipa_time_grid pipa_plot_make_grid(const struct pipa_plot_build *b,
					  const struct pipa_metric_series *series, size_t max);

/* ---- panels: 0 or a negative errno, with a message if there is an `err` ---------------------- */

/* Add a panel with series that are measured on one axis. */
int pipa_plot_add_lines(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			size_t n);
int pipa_plot_add_stacked(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			  size_t n);
int pipa_plot_add_histogram(const struct pipa_plot_build *b, struct pipa_metric_series **items,
			    size_t n);

/* Draw the rows of one metric and one source; others are noted. */
int pipa_plot_build_heatmap(const struct pipa_plot_build *b, const struct pipa_metric_list *list,
			    struct pipa_error *err);

/* Draw the series of y over those of x of the same input and instance. */
int pipa_plot_build_scatter(const struct pipa_plot_build *b, const struct pipa_metric_list *x,
			    const struct pipa_metric_list *y, struct pipa_error *err);

/* Draw the counters of operations and of memory traffic of all groups. */
int pipa_plot_build_roofline(const struct pipa_plot_build *b, struct pipa_error *err);

/* Add the CPI of each CPU in the whole time as bars, if there are several. */
int pipa_plot_add_cpi_bars(const struct pipa_plot_build *b, const struct pipa_metric_list *list);

#endif
