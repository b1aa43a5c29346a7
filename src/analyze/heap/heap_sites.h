/*
 * Allocation sites: stacks of a heap profile with equal functions and source lines, their amounts, and
 * the blocks that are still allocated, with their ages.
 */
#ifndef PIPA_ANALYZE_HEAP_HEAP_SITES_H
#define PIPA_ANALYZE_HEAP_HEAP_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "model/heaps.h"

struct pipa_frames;

/* When the blocks of a site that are still allocated were allocated. */
enum pipa_heap_growth {
	PIPA_HEAP_GROWTH_UNKNOWN,   /* fewer than PIPA_HEAP_GROWTH_BLOCKS sampled blocks */
	PIPA_HEAP_GROWTH_STEADY,    /* in each quarter of the run: memory grows */
	PIPA_HEAP_GROWTH_START,	    /* nearly all in the first quarter */
	PIPA_HEAP_GROWTH_END,	    /* nearly all in the last quarter */
	PIPA_HEAP_GROWTH_IRREGULAR, /* none of these */
	PIPA_HEAP_GROWTH_NR,
};

enum { PIPA_HEAP_GROWTH_BLOCKS = 8 };

struct pipa_heap_site {
	uint32_t stack;	  /* of the profile; PIPA_NONE: not recorded */
	uint32_t process; /* index of its process; PIPA_NONE: all processes */
	uint64_t samples;
	struct pipa_heaps_amount alloc, inuse, peak, temporary;
	uint64_t allocator_ns;
	bool is_mapping;

	/* of the sampled blocks that are still allocated; not of processes that were replaced by exec */
	uint64_t blocks;
	struct pipa_heaps_amount live[PIPA_HEAPS_REACH_NR];
	uint64_t oldest_ns, newest_ns; /* ages at the end of their process */
	uint64_t quarters[4]; /* bytes by the quarter of the run in which they were allocated */
	enum pipa_heap_growth growth;
	bool has_pages;
	uint64_t resident, swapped, untouched; /* scaled as the amounts are */
};

struct pipa_heap_sites {
	struct pipa_heap_site *items;
	size_t n, cap;
	struct pipa_index index;
	uint32_t *of_stack; /* [stack of the heaps] its site */
};

/*
 * Make the sites. `stacks` has the profile's stack of each stack of the model (heap_profile.h), `frames` are those of
 * the profile, with source lines. With `by_process` sites of different processes differ. 0 or -ENOMEM.
 */
int pipa_heap_sites_make(const struct pipa_heaps *heaps, const uint32_t *stacks,
			 const struct pipa_frames *frames, bool by_process,
			 struct pipa_heap_sites *ret);
void pipa_heap_sites_done(struct pipa_heap_sites *sites);

/* Order of sites. */
enum pipa_heap_order {
	PIPA_HEAP_BY_INUSE,
	PIPA_HEAP_BY_PEAK,
	PIPA_HEAP_BY_ALLOC,
	PIPA_HEAP_BY_OBJECTS,	/* allocated */
	PIPA_HEAP_BY_TEMPORARY, /* objects */
	PIPA_HEAP_BY_TIME,	/* in the allocator */
	PIPA_HEAP_BY_LOST,	/* bytes of lost blocks, then possibly lost, then alive */
	PIPA_HEAP_ORDER_NR,
};

/* Return the value that an order compares, in the site's unit. */
uint64_t pipa_heap_site_value(const struct pipa_heap_site *site, enum pipa_heap_order order);

/* Return the indexes of the sites whose value is not 0, largest first, *ret_n of them; free() it. NULL on allocation failure. */
uint32_t *pipa_heap_sites_sort(const struct pipa_heap_sites *sites, enum pipa_heap_order order,
			       size_t *ret_n);

/* Return the identifier of a verdict in documents, "steady", and its text. */
const char *pipa_heap_growth_id(enum pipa_heap_growth growth);
const char *pipa_heap_growth_text(enum pipa_heap_growth growth);

/* Return the identifier of a finding in documents, "lost". */
const char *pipa_heaps_reach_id(enum pipa_heaps_reach reach);

static inline void pipa_heap_sites_done_auto(struct pipa_heap_sites *sites)
{
	pipa_heap_sites_done(sites);
}

#endif
