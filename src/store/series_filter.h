/* Select rows of the statistics by instance and time: a sink that passes them to another sink. */
#ifndef PIPA_STORE_SERIES_FILTER_H
#define PIPA_STORE_SERIES_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"
#include "model/series.h"

struct pipa_error;
struct pipa_zone;

struct pipa_series_select {
	const struct pipa_section *const *sections;
	size_t n_sections;
	const char *cpus;	      /* "ALL", a CPU list, or NULL: only the sum of all CPUs */
	const char *disks;	      /* comma-separated names, globs allowed; NULL: all */
	const char *ifaces;	      /* network interfaces, like disks */
	const char *filesystems;      /* file systems by device, like disks */
	bool idle;		      /* also idle processes and threads */
	int from_s, until_s;	      /* time of day in seconds; -1: no limit */
	const char *day;	      /* "2026-11-15" or "-1" for yesterday; NULL: any */
	const struct pipa_zone *zone; /* time zone of the times of day; NULL: UTC */
};

struct pipa_series_filter {
	struct pipa_series_sink sink;
	struct pipa_series_sink *next;
	const struct pipa_series_select *select;
	struct pipa_cpus cpus;
	int64_t day;   /* number of select->day */
	size_t passed; /* number of rows */
};

/* Is the section selected? */
bool pipa_series_selects(const struct pipa_series_select *select,
			 const struct pipa_section *section);

/* Is the end of an interval on the selected day and between the selected times of day? */
bool pipa_series_filter_in_range(const struct pipa_series_filter *filter,
				 const struct pipa_tick *tick);

/* Initialize a filter. `select` is borrowed until done. -EINVAL for an invalid day or CPU list. */
int pipa_series_filter_init(struct pipa_series_filter *filter,
			    const struct pipa_series_select *select, struct pipa_error *err);
void pipa_series_filter_done(struct pipa_series_filter *filter);

#endif
