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
	uint64_t count; /* ticks, 0: until stopped */
	struct pipa_series_select select;
	struct pipa_series_format look; /* its zone NULL: the machine's */
	int out_fd;

	const char *record; /* a directory to record into instead of showing, or NULL */
	bool as_sadf;	    /* in CSV: no columns but those that sadf -d gives by itself */
	bool history;	    /* as history files, a service's way, rather than as CSV */
	uint64_t keep_days; /* of a history; older files are deleted */
	uint64_t max_size;  /* of all its files together in bytes, 0: no limit */
	bool may_lack;	    /* missing sources are not worth a message */
	const char *replay; /* a recording to show instead of the machine: a directory or a file */

	struct pipa_log log;
};

/* Is there a limit on our control group's CPU or memory that the machine's numbers hide? */
bool pipa_monitor_is_limited(const struct pipa_host *host);

int pipa_monitor_run(const struct pipa_host *host, const struct pipa_monitor_options *options,
		     struct pipa_error *err);

#endif
