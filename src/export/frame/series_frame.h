/*
 * Series as a data frame: a row per interval and instance (a CPU, disk, process), a column per metric. The columns
 * depend on the input, so it is read twice: once to find its sections and events, once to write the rows. Memory does
 * not grow with the number of rows.
 */
#ifndef PIPA_EXPORT_FRAME_SERIES_FRAME_H
#define PIPA_EXPORT_FRAME_SERIES_FRAME_H

#include <stdbool.h>

#include "export/frame/profile_frame.h"
#include "model/series.h"

struct pipa_counts;
struct pipa_series_frame;

/* Create an empty table; NULL on allocation failure. */
struct pipa_series_frame *pipa_series_frame_new(void);
void pipa_series_frame_free(struct pipa_series_frame *frame);

/*
 * Find the columns: pass all rows to the sink and all counts to the function. 0 or -ENOMEM; -E2BIG for more events
 * than a table can have columns.
 */
struct pipa_series_sink *pipa_series_frame_finder(struct pipa_series_frame *frame);
int pipa_series_frame_find_counts(struct pipa_series_frame *frame,
				  const struct pipa_counts *counts);

/* Have neither rows nor counts been passed? */
bool pipa_series_frame_is_empty(const struct pipa_series_frame *frame);

/*
 * Return the columns, which are borrowed: times, section and instance, then a column per metric. A metric that occurs in
 * several sections has one column. Names are valid UTF-8 and unique, also without regard to case.
 */
int pipa_series_frame_columns(struct pipa_series_frame *frame, struct pipa_frame_columns *ret);

/*
 * Write the rows that are passed to the sink, and the counts. `utc`: the times of the rows are UTC, not local time of an
 * unknown zone. Counts have one row per interval, place and cgroup; all counts of an interval are passed together.
 * Both return the writer's status.
 */
struct pipa_series_sink *pipa_series_frame_rows(struct pipa_series_frame *frame,
						struct pipa_frame_writer *writer);
void pipa_series_frame_set_utc(struct pipa_series_frame *frame, bool utc);
int pipa_series_frame_put_counts(struct pipa_series_frame *frame, const struct pipa_counts *counts);

static inline void pipa_series_frame_free_auto(struct pipa_series_frame **frame)
{
	pipa_series_frame_free(*frame);
}

#endif
