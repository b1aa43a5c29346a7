/*
 * From a chain of addresses to a stack of the profile.
 *
 * Most new chains share all but their innermost frames with others: the stacks of outer frames are remembered by
 * their hash. And few addresses make up most chains, so the last places of addresses are remembered too.
 */
#ifndef PIPA_INGEST_PATHS_H
#define PIPA_INGEST_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "ingest/spaces.h"
#include "model/profile.h"
#include "model/record.h"

struct pipa_paths;

struct pipa_jits;

/* The two address spaces that a chain's addresses are in, and what was made in them at run time. */
struct pipa_where {
	const struct pipa_space *user, *kernel; /* NULL where nothing is known */
	uint32_t jit;				/* PIPA_NO_JIT: nothing */
	uint64_t time;				/* that counts where memory was used again */
};

/*
 * Profile and jits are loans. max: innermost frames that are kept, 0: all. NULL without memory.
 */
struct pipa_paths *pipa_paths_new(struct pipa_profile *profile, const struct pipa_jits *jits,
				  uint32_t max);
void pipa_paths_free(struct pipa_paths *paths);

/*
 * The stack of a chain, innermost first with markers, of which the first words are in `mode`; one that
 * ends with the user's marker is cut off there. *ret is PIPA_NONE for a chain of markers alone. 0 or
 * -ENOMEM.
 */
int pipa_paths_stack(struct pipa_paths *paths, const struct pipa_where *where,
		     const uint64_t *words, size_t n, enum pipa_mode mode, uint32_t *ret);

#endif
