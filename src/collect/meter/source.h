/*
 * Interface of a live source of sections: read at each interval, emit rows.
 * collect/meter/sources.c lists the sources.
 */
#ifndef PIPA_COLLECT_METER_SOURCE_H
#define PIPA_COLLECT_METER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/series.h"

struct pipa_error;
struct pipa_root;

/* An open source: first member of the struct of each implementation. */
struct pipa_source {
	const struct pipa_source_kind *kind;
};

struct pipa_source_kind {
	/* Does the source emit the rows of this section of model/sections.h? */
	bool (*has)(const struct pipa_section *section);

	/*
	 * Open the files of these sections, for which has() is true. Values of files that do not
	 * exist are missing.
	 */
	int (*open)(struct pipa_root *root, const struct pipa_section *const *sections, size_t n,
		    struct pipa_source **ret, struct pipa_error *err);
	void (*close)(struct pipa_source *self);

	/* Read the files. Allocates only at the first reading and for new instances. */
	int (*read)(struct pipa_source *self, struct pipa_error *err);

	/*
	 * Emit rows of the last interval or, `whole`, since the first reading: deltas of counters,
	 * means of gauges. tick->interval_s is the length of the interval. Does not end the
	 * interval: other sources may follow.
	 */
	int (*emit)(struct pipa_source *self, const struct pipa_tick *tick, bool whole,
		    struct pipa_series_sink *sink);

	/* Return the path of a missing file that was needed; false after the last. */
	bool (*missing)(struct pipa_source *self, size_t index, char *path, size_t size);
};

#endif
