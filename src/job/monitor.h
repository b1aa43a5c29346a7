/*
 * Read the statistics of the system at every interval and write them as tables, CSV, JSON or
 * histories.
 */
#ifndef PIPA_JOB_MONITOR_H
#define PIPA_JOB_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "export/table/series.h"
#include "model/series.h"
#include "store/series_filter.h"

struct pipa_error;
struct pipa_host;

struct pipa_monitor_options {
	uint64_t interval_ns;
	uint64_t count; /* intervals, 0: until stopped */
	struct pipa_series_select select;
	struct pipa_series_format format; /* a NULL zone: the machine's */
	int out_fd;

	const char *record; /* directory to record into instead of printing, or NULL */
	bool as_sadf;	    /* in CSV: only the columns that sadf -d prints by default */
	bool history;	    /* record as history files instead of CSV */
	uint64_t keep_days; /* delete older files of a history */
	uint64_t max_size;  /* maximum bytes of all its files, 0: no limit */
	bool may_lack;	    /* do not note missing sources */
	const char *replay; /* a recording to show instead of the machine: a directory or a file */

	struct pipa_log log;
};

/* Does our cgroup have a CPU or memory limit that the machine's numbers do not show? */
bool pipa_monitor_is_limited(const struct pipa_host *host);

int pipa_monitor_run(const struct pipa_host *host, const struct pipa_monitor_options *options,
		     struct pipa_error *err);

#endif
