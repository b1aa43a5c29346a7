/*
 * Map addresses to values of ranges that may nest or overlap: the shortest range wins, of equal
 * ones the last added. Built once as disjoint ranges, then searched by bisection.
 */
#ifndef PIPA_SYMBOL_DWARF_INTERVALS_H
#define PIPA_SYMBOL_DWARF_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#define PIPA_NO_INTERVAL UINT32_MAX

struct pipa_interval {
	uint64_t low, high; /* high is the first address after */
	uint32_t id;
	uint32_t turn; /* the how-manyeth it was added */
};

struct pipa_intervals {
	struct pipa_interval *items; /* while it is built; gone when finished */
	size_t n, cap;
	uint64_t *starts; /* of the pieces, each up to the next */
	uint32_t *ids;	  /* PIPA_NO_INTERVAL: a gap */
	size_t n_pieces;
	struct pipa_interval *room; /* to sort in, while it is built */
	size_t made;		    /* capacity for ranges, also of `room` */
};

void pipa_intervals_done(struct pipa_intervals *map);

/* Empty ranges are left out. -ENOMEM, -EFBIG past 2^31. */
int pipa_intervals_add(struct pipa_intervals *map, uint64_t low, uint64_t high, uint32_t id);

/* -ENOMEM. */
int pipa_intervals_finish(struct pipa_intervals *map);

/*
 * The same with all memory kept, for callers that build many maps one after the other and copy the
 * ranges.
 */
int pipa_intervals_make(struct pipa_intervals *map);

/*
 * The id at the address, or PIPA_NO_INTERVAL. *hint is the piece of the last answer, 0 at first:
 * questions in rising order are answered from there.
 */
uint32_t pipa_intervals_find(const struct pipa_intervals *map, uint64_t addr, size_t *hint);

#endif
