/*
 * From an address to the FDE that holds it.
 *
 * .eh_frame_hdr is such an index, made by the linker and used where it lies: nothing is read or
 * built when a file is opened, be it a browser's with half a million FDEs. Where there is none
 * (.debug_frame, static programs of some linkers), the section is walked once and sorted: 16 bytes an FDE.
 */
#ifndef PIPA_UNWIND_INDEX_H
#define PIPA_UNWIND_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "unwind/cfi.h"

struct pipa_fde_place {
	uint64_t start; /* address as linked */
	uint64_t at;	/* offset in the section */
};

struct pipa_fde_index {
	size_t n;
	const uint8_t *pairs; /* the linker's, or NULL: */
	uint64_t pairs_base;
	bool swapped;
	struct pipa_fde_place *places; /* our own */
};

/*
 * Open an index over .eh_frame_hdr at the address `addr`. False if it has no table or one of an
 * unusual encoding. *ret_frame is the address of .eh_frame, set whenever the header can be read,
 * else 0.
 */
bool pipa_fde_index_linked(struct pipa_fde_index *index, struct pipa_span hdr, uint64_t addr,
			   bool is64, bool swapped, uint64_t *ret_frame);

/* By a walk over the section. 0 or -ENOMEM. */
int pipa_fde_index_build(struct pipa_fde_index *index, const struct pipa_cfi *cfi);

void pipa_fde_index_done(struct pipa_fde_index *index);

/* Return the i-th entry; its `at` may be outside the section if the linker's table is corrupt. */
struct pipa_fde_place pipa_fde_index_get(const struct pipa_fde_index *index, size_t i,
					 const struct pipa_cfi *cfi);

/* The FDE that holds the address; false when none does. */
bool pipa_fde_index_find(const struct pipa_fde_index *index, const struct pipa_cfi *cfi,
			 uint64_t addr, struct pipa_fde *ret);

#endif
