/* Open, read and emit all sources of the selected sections. */
#ifndef PIPA_COLLECT_METER_SOURCES_H
#define PIPA_COLLECT_METER_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/series.h"

struct pipa_error;
struct pipa_sources;
struct pipa_root;

/* Open the sources of these sections of model/sections.h. */
int pipa_sources_open(struct pipa_root *root, const struct pipa_section *const *sections, size_t n,
		      struct pipa_sources **ret, struct pipa_error *err);
void pipa_sources_close(struct pipa_sources *sources);

/* Read all open sources. */
int pipa_sources_read(struct pipa_sources *sources, struct pipa_error *err);

/* Emit rows of the last interval or, `whole`, since the first reading. */
int pipa_sources_emit(struct pipa_sources *sources, const struct pipa_tick *tick, bool whole,
		      struct pipa_series_sink *sink);

/* Return the path of a missing file that was needed; false after the last. */
bool pipa_sources_missing(struct pipa_sources *sources, size_t index, char *path, size_t size);

#endif
