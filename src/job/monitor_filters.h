/* Find filters of statistics that match no row, and name them with the nearest names. */
#ifndef PIPA_JOB_MONITOR_FILTERS_H
#define PIPA_JOB_MONITOR_FILTERS_H

#include <stdbool.h>

#include "model/series.h"

struct pipa_error;
struct pipa_log;
struct pipa_monitor_filters;
struct pipa_root;
struct pipa_series_filter;

struct pipa_monitor_filters_options {
	const struct pipa_series_filter *filter; /* borrowed until free */
	struct pipa_series_sink *next;		 /* gets all rows; NULL: none */
	struct pipa_root *root;			 /* of the machine; NULL: rows are of a recording */
	const char *recording;			 /* its name; NULL: rows are of the machine */
};

/* Make a sink that compares the names of all rows with those of the filter. NULL on allocation failure. */
struct pipa_monitor_filters *pipa_monitor_filters_new(
	const struct pipa_monitor_filters_options *options);
void pipa_monitor_filters_free(struct pipa_monitor_filters *filters);

/* Return the sink for the rows: `next` itself if no filter is set. */
struct pipa_series_sink *pipa_monitor_filters_sink(struct pipa_monitor_filters *filters);

/*
 * Name the filters that matched no row so far: the first one in `err`, the others in the log; all in the log if
 * `err` is NULL. Filters of sections that are not selected are left out. Returns whether there is one.
 */
bool pipa_monitor_filters_report(struct pipa_monitor_filters *filters, const struct pipa_log *log,
				 struct pipa_error *err);

static inline void pipa_monitor_filters_free_auto(struct pipa_monitor_filters **filters)
{
	pipa_monitor_filters_free(*filters);
}

#endif
