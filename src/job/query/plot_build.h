/* Build the panels of a chart from selected series. */
#ifndef PIPA_JOB_QUERY_PLOT_BUILD_H
#define PIPA_JOB_QUERY_PLOT_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/series/metric_select.h"
#include "analyze/series/series_summary.h"
#include "job/query/plot.h"
#include "load/dataset.h"

/* State while a chart is built. */
struct pipa_plot_build {
	const struct pipa_plot_options *options;
	const struct pipa_dataset *dataset;
	struct pipa_time_window window;
	const struct pipa_zone *zone; /* of the time axis */
	uint64_t *start_ns;	      /* [inputs.n] earliest time of each input */
	bool is_elapsed;
	size_t buckets; /* points along x that the image can show */
	struct pipa_plot *plot;
};

/* Draw at most this many series in a panel. */
enum { PIPA_PLOT_SERIES_MAX = 12, PIPA_PLOT_PANELS_MAX = 8 };

/*
 * Build the panels of the kind. `list` has the series of the metrics; x and y those of a scatter plot.
 * 0, -ENOMEM, or -ENODATA with a message.
 */
int pipa_plot_build_panels(struct pipa_plot_build *build, const struct pipa_metric_list *list,
			   const struct pipa_metric_list *x, const struct pipa_metric_list *y,
			   struct pipa_error *err);

/* Return the index of the input that a source was read from. */
size_t pipa_plot_input_of(const struct pipa_dataset *dataset, size_t source);

#endif
