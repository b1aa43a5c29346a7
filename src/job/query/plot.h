/* Draw static charts of measurements: `pipa plot`. */
#ifndef PIPA_JOB_QUERY_PLOT_H
#define PIPA_JOB_QUERY_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"
#include "plot/plot.h"

struct pipa_error;

enum pipa_plot_kind {
	PIPA_PLOT_LINES,
	PIPA_PLOT_STACKED,
	PIPA_PLOT_SCATTER,
	PIPA_PLOT_HISTOGRAM,
	PIPA_PLOT_HEATMAP,
	PIPA_PLOT_ROOFLINE,
	PIPA_PLOT_CPI,
	PIPA_PLOT_KIND_NR,
};

/* Return the name of a kind: "lines". */
const char *pipa_plot_kind_name(enum pipa_plot_kind kind);

struct pipa_plot_options {
	const char *const *paths; /* measurements */
	size_t n_paths;
	const char *const *metrics;
	size_t n_metrics;
	const char *instances;	  /* list of analyze/series/instance_filter.h; NULL: by the kind */
	const char *x, *y;	  /* metrics of a scatter plot; x of a CPI plot */
	const char *from, *until; /* as pipa_plot_check_time(); NULL or "": no bound */
	const char *title;	  /* NULL: none */
	enum pipa_plot_kind kind;
	enum pipa_plot_format format;
	double width, height; /* PDF: millimetres, else pixels; 0: the default of the format */
	double peak_flops,
		peak_bandwidth; /* roofline: per second, bytes per second; 0: not given */
	bool is_log;		/* logarithmic y axis, of a scatter plot both */
	bool is_elapsed;	/* time axis: seconds since the start of each input */
	bool lists_metrics;	/* print the metrics of the inputs instead of a chart */
	const char *output;	/* NULL: standard output */
	int out_fd;
	struct pipa_log log;
};

/*
 * Check the syntax of a time: seconds since the start of the data ("12.5"), a time of day ("10:00" or
 * "10:00:30"), or a date and time ("2026-11-15 10:00:30").
 */
bool pipa_plot_check_time(const char *text);

/*
 * Draw the chart and write it. -ENOENT if a metric is unknown, -ENODATA if there is nothing to draw,
 * both with a message.
 */
int pipa_plot_run(const struct pipa_plot_options *options, struct pipa_error *err);

#endif
