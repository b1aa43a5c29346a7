/*
 * Interns call chains: converts a chain of addresses to a stack of the profile.
 *
 * Most new chains share all but their innermost frames with earlier ones. The stack of each chain
 * of outer frames is cached by the hash of those frames, so that only frames that differ are looked
 * up. The locations of recent addresses are cached too, because few addresses make up most chains.
 */
#ifndef PIPA_INGEST_STACK_BUILDER_H
#define PIPA_INGEST_STACK_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/spaces.h"
#include "model/profile.h"
#include "model/record.h"

struct pipa_jit_ranges;
struct pipa_stack_builder;

/* The user and kernel address spaces of a chain, and their JIT code. */
struct pipa_where {
	const struct pipa_space *user, *kernel; /* NULL if unknown */
	uint32_t jit;				/* PIPA_NO_JIT: none */
	uint64_t time; /* of the sample: selects the JIT code where addresses were reused */
};

/*
 * Create a builder. Profile and jits are borrowed. `max` limits the number of innermost frames, 0:
 * no limit. NULL on allocation failure.
 */
struct pipa_stack_builder *pipa_stack_builder_new(struct pipa_profile *profile,
						  const struct pipa_jit_ranges *jits, uint32_t max);
void pipa_stack_builder_free(struct pipa_stack_builder *builder);

/*
 * Return the stack of a chain: addresses innermost first with context markers among them. The words
 * before the first marker are in `mode`. A chain that ends with markers for user space is
 * truncated. *ret is PIPA_NONE for a chain of markers only. Returns 0 or -ENOMEM.
 */
int pipa_stack_builder_get(struct pipa_stack_builder *builder, const struct pipa_where *where,
			   const uint64_t *words, size_t n, enum pipa_mode mode, uint32_t *ret);

/*
 * Do the first half of pipa_stack_builder_get(), so that other work can be done while memory is
 * fetched: hash the outer frames into hashes[n] and prefetch the cached stack. False: call
 * pipa_stack_builder_get() instead of _get_hashed().
 */
bool pipa_stack_builder_prefetch(const struct pipa_stack_builder *builder,
				 const struct pipa_where *where, const uint64_t *words, size_t n,
				 enum pipa_mode mode, uint64_t *hashes);
/*
 * Prefetch the entry of the innermost frame. To be called between the two halves, when the cached
 * stack has been fetched.
 */
void pipa_stack_builder_prefetch_stack(const struct pipa_stack_builder *builder,
				       const struct pipa_where *where, const uint64_t *words,
				       size_t n, enum pipa_mode mode, const uint64_t *hashes);
int pipa_stack_builder_get_hashed(struct pipa_stack_builder *builder,
				  const struct pipa_where *where, const uint64_t *words, size_t n,
				  enum pipa_mode mode, const uint64_t *hashes, uint32_t *ret);

#endif
