/*
 * The machine's own statistics: every number that sar shows, and more, from /proc and /sys. A row per
 * metric in meters.c says what it is called, in which unit, and how it is computed; a row per file in
 * kernel/proc_text.c where its raw numbers come from. Each file is opened once and read once a tick.
 *
 * The meaning of each column is that of sysstat 12's column of that name.
 */
#ifndef PIPA_COLLECT_METERS_H
#define PIPA_COLLECT_METERS_H

#include "model/series.h"

struct pipa_error;
struct pipa_meters;
struct pipa_root;

/* All sections there are, in sar's order. */
const struct pipa_section *const *pipa_meter_sections(size_t *ret_n);

/* Open what the sections need; a file that this kernel lacks leaves its columns missing. */
int pipa_meters_open(struct pipa_root *root, const struct pipa_section *const *sections, size_t n,
		     struct pipa_meters **ret, struct pipa_error *err);
void pipa_meters_close(struct pipa_meters *meters);

/* Read all files. After the first time nothing is allocated unless something new appears. */
int pipa_meters_read(struct pipa_meters *meters, struct pipa_error *err);

/* Hand out what happened between the last two readings. */
int pipa_meters_emit(struct pipa_meters *meters, const struct pipa_tick *tick,
		     struct pipa_series_sink *sink);

/*
 * Hand out the whole time since the first reading: growth over all of it, means of what does not
 * grow. tick->interval_s is how long that was.
 */
int pipa_meters_emit_average(struct pipa_meters *meters, const struct pipa_tick *tick,
			     struct pipa_series_sink *sink);

/* A file that was wanted and is not there, or NULL: call until NULL to name them once. */
const char *pipa_meters_missing(struct pipa_meters *meters, size_t index);

static inline void pipa_meters_close_auto(struct pipa_meters **meters)
{
	pipa_meters_close(*meters);
}

#endif
