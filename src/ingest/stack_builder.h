/*
 * Interns call chains: from a chain of addresses to a stack of the profile.
 *
 * Most new chains share all but their innermost frames with earlier ones. The stack of each chain of outer
 * frames is cached by the hash of those frames, so that only frames that differ are looked up. Few addresses
 * make up most chains, so the locations of the last addresses are cached too.
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
	uint64_t time;				/* that counts where memory was used again */
};

/*
 * Profile and jits are borrowed. max: innermost frames that are kept, 0: all. NULL on allocation failure.
 */
struct pipa_stack_builder *pipa_stack_builder_new(struct pipa_profile *profile,
						  const struct pipa_jit_ranges *jits, uint32_t max);
void pipa_stack_builder_free(struct pipa_stack_builder *builder);

/*
 * Return the stack of a chain: addresses innermost first with context markers among them, of which the first
 * are in `mode`. One that ends with markers for user space is truncated there. *ret is PIPA_NONE for a chain
 * of markers only. 0 or -ENOMEM.
 */
int pipa_stack_builder_get(struct pipa_stack_builder *builder, const struct pipa_where *where,
			   const uint64_t *words, size_t n, enum pipa_mode mode, uint32_t *ret);

/*
 * The same in two steps, so that other work can be done while memory is fetched: hash the outer frames, of
 * which there are at most n, and prefetch the cached stack. false: get() is to be called without hashes.
 */
bool pipa_stack_builder_prefetch(const struct pipa_stack_builder *builder,
				 const struct pipa_where *where, const uint64_t *words, size_t n,
				 enum pipa_mode mode, uint64_t *hashes);
/* A step between them, once the cached stack has come: prefetch where its innermost frame would be found. */
void pipa_stack_builder_prefetch_stack(const struct pipa_stack_builder *builder,
				       const struct pipa_where *where, const uint64_t *words,
				       size_t n, enum pipa_mode mode, const uint64_t *hashes);
int pipa_stack_builder_get_hashed(struct pipa_stack_builder *builder,
				  const struct pipa_where *where, const uint64_t *words, size_t n,
				  enum pipa_mode mode, const uint64_t *hashes, uint32_t *ret);

#endif
