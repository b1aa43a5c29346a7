/*
 * Read the output of `pipa monitor --json` (docs/format/monitor.schema.json) to rows: an object per
 * interval, each on its line.
 */
#ifndef PIPA_IMPORT_MONITOR_JSON_H
#define PIPA_IMPORT_MONITOR_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_series_sink;

/* Is it the start of such a file? */
bool pipa_monitor_json_is(const char *text, size_t len);

/*
 * Pass the rows of one line to the sink. Columns are found by name; unknown ones and unknown sections
 * are skipped, and so is the object of averages at the end. -EBADMSG if it is not an interval, else
 * the result of the sink.
 */
int pipa_monitor_json_decode(const char *line, size_t len, struct pipa_series_sink *sink);

#endif
