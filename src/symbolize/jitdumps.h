/*
 * Find and read the jitdumps of a recording's mappings, each once. Ingest gets the code ranges,
 * symbolization the names.
 */
#ifndef PIPA_SYMBOLIZE_JITDUMPS_H
#define PIPA_SYMBOLIZE_JITDUMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/ingest.h"
#include "locate/files.h"

struct pipa_jitdump;

struct pipa_jitdumps {
	bool growing; /* runtimes still write them: pipa_jitdumps_read_on() will be called */
	struct {
		struct pipa_jitdumps_row *row; /* stays where it is: ingest/ points to it */
	} * items;
	size_t n, cap;
};

void pipa_jitdumps_done(struct pipa_jitdumps *dumps);

/*
 * The code of the dump that is mapped, if it can be had. `monotonic`: the recording's clock is
 * CLOCK_MONOTONIC, as the dump's is; else times cannot be compared and the last code at an address
 * represents all.
 */
bool pipa_jitdumps_open(struct pipa_jitdumps *dumps, const struct pipa_locate_options *locate,
			bool monotonic, const struct pipa_rec_map *map,
			struct pipa_ingest_code *ret);

/* What was written since, and those that could not be had before. */
void pipa_jitdumps_read_on(struct pipa_jitdumps *dumps, const struct pipa_locate_options *locate);

/* One that was opened, or NULL. */
const struct pipa_jitdump *pipa_jitdumps_find(const struct pipa_jitdumps *dumps, const char *path,
					      uint32_t pid);

#endif
