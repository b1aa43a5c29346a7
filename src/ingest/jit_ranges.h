/*
 * JIT code ranges of a process: map an address and a time to an offset in its jitdump.
 *
 * The code of a process is one index; the offsets of a second jitdump of the same process follow
 * those of the first.
 */
#ifndef PIPA_INGEST_JIT_RANGES_H
#define PIPA_INGEST_JIT_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/ingest.h"

#define PIPA_NO_JIT UINT32_MAX

struct pipa_jit {
	struct pipa_ingest_code code;
	uint32_t object; /* index that the caller assigned */
	uint32_t below;	 /* index of an earlier jitdump of the process, or PIPA_NO_JIT */
};

struct pipa_jit_ranges {
	struct pipa_jit *items;
	size_t n, cap;
};

void pipa_jit_ranges_done(struct pipa_jit_ranges *jits);

/*
 * Add a jitdump. Returns its index, that of an equal one if there is one; PIPA_NO_JIT on allocation
 * failure.
 */
uint32_t pipa_jit_ranges_add(struct pipa_jit_ranges *jits, const struct pipa_jit *jit);

/*
 * Find the object and offset of the code at an address in jitdump `number` or an earlier one of the
 * process; false if unknown.
 */
bool pipa_jit_ranges_find(const struct pipa_jit_ranges *jits, uint32_t number, uint64_t address,
			  uint64_t time, uint32_t *ret_object, uint64_t *ret_offset);

/*
 * Return a hash seed that separates reuses of an address: chains of the same addresses in different
 * code get different hashes. Costs one comparison per word where no address was reused.
 */
uint64_t pipa_jit_ranges_seed(const struct pipa_jit_ranges *jits, uint32_t number,
			      const uint64_t *words, size_t n, uint64_t time, uint64_t seed);

#endif
