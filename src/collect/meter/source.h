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

/* An open source; whoever implements one puts it first in a struct of its own. */
struct pipa_source {
	const struct pipa_source_kind *kind;
};

struct pipa_source_kind {
	/* Does the source emit the rows of this section of model/sections.h? */
	bool (*has)(const struct pipa_section *section);

	/* Open the files of these sections, all of which it has, each once; columns of absent files are missing. */
	int (*open)(struct pipa_root *root, const struct pipa_section *const *sections, size_t n,
		    struct pipa_source **ret, struct pipa_error *err);
	void (*close)(struct pipa_source *self);

	/* After the first time nothing is allocated unless something new appears. */
	int (*read)(struct pipa_source *self, struct pipa_error *err);

	/*
	 * Hand out what happened between the last two readings or, `whole`, since the first: growth
	 * over all of it, means of what does not grow. tick->interval_s is how long that was. Does
	 * not end the tick: other sources may follow.
	 */
	int (*emit)(struct pipa_source *self, const struct pipa_tick *tick, bool whole,
		    struct pipa_series_sink *sink);

	/* The path of something that was wanted and is not there; false behind the last. */
	bool (*missing)(struct pipa_source *self, size_t index, char *path, size_t size);
};

#endif
