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

struct pipa_jit_code;
struct pipa_jitdump;

struct pipa_jitdumps {
	bool growing; /* still being written: pipa_jitdumps_read_on() will be called */
	struct {
		struct pipa_jitdumps_row *row; /* never moves: ingest/ points to it */
	} * items;
	size_t n, cap;
};

void pipa_jitdumps_done(struct pipa_jitdumps *dumps);

/*
 * Open the jitdump of a mapping; false if it is not available. `monotonic`: the recording uses
 * CLOCK_MONOTONIC, like the dump; else times cannot be compared, and the last code at an address is
 * used for all times.
 */
bool pipa_jitdumps_open(struct pipa_jitdumps *dumps, const struct pipa_locate_options *locate,
			bool monotonic, const struct pipa_rec_map *map,
			struct pipa_ingest_code *ret);

/* Read records that were appended since, and dumps that were not available before. */
void pipa_jitdumps_read_on(struct pipa_jitdumps *dumps, const struct pipa_locate_options *locate);

/* Return a jitdump that was opened, or NULL. */
const struct pipa_jitdump *pipa_jitdumps_find(const struct pipa_jitdumps *dumps, const char *path,
					      uint32_t pid);

/*
 * Return the code of a process at an address; NULL if it is unknown or if the address was reused, so that the code
 * depends on the time.
 */
const struct pipa_jit_code *pipa_jitdumps_code(const struct pipa_jitdumps *dumps, uint32_t pid,
					       uint64_t addr);

#endif
