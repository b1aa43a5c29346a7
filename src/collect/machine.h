/*
 * The machine's own statistics, all sources together: every number that sar shows, and more. Only the
 * sources that the wanted sections need are opened.
 */
#ifndef PIPA_COLLECT_MACHINE_H
#define PIPA_COLLECT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/series.h"

struct pipa_error;
struct pipa_machine;
struct pipa_root;

/* Section number `index` of all there are, in sar's order; NULL behind the last. */
const struct pipa_section *pipa_machine_section(size_t index);

int pipa_machine_open(struct pipa_root *root, const struct pipa_section *const *sections, size_t n,
		      struct pipa_machine **ret, struct pipa_error *err);
void pipa_machine_close(struct pipa_machine *machine);

/* One reading of everything. */
int pipa_machine_read(struct pipa_machine *machine, struct pipa_error *err);

/* Hand out what happened between the last two readings or, `whole`, since the first. */
int pipa_machine_emit(struct pipa_machine *machine, const struct pipa_tick *tick, bool whole,
		      struct pipa_series_sink *sink);

/* The path of something that was wanted and is not there; false behind the last. */
bool pipa_machine_missing(struct pipa_machine *machine, size_t index, char *path, size_t size);

#endif
