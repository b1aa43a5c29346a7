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
	uint64_t low, high; /* high is exclusive */
	uint32_t id;
	uint32_t turn; /* position in the order of additions */
};

struct pipa_intervals {
	struct pipa_interval *items; /* input ranges; freed when finished */
	size_t n, cap;
	uint64_t *starts; /* of the disjoint ranges, each up to the next one */
	uint32_t *ids;	  /* PIPA_NO_INTERVAL: a gap */
	size_t n_pieces;
	struct pipa_interval *room; /* for sorting the input */
	size_t made;		    /* capacity of the disjoint ranges, and of `room` */
};

void pipa_intervals_done(struct pipa_intervals *map);

/* Add a range; empty ones are ignored. -ENOMEM, or -EFBIG above 2^31 ranges. */
int pipa_intervals_add(struct pipa_intervals *map, uint64_t low, uint64_t high, uint32_t id);

/* Compute the disjoint ranges and free the input. -ENOMEM. */
int pipa_intervals_finish(struct pipa_intervals *map);

/*
 * Like pipa_intervals_finish(), but free nothing, for callers that build many maps one after the
 * other and copy the ranges.
 */
int pipa_intervals_make(struct pipa_intervals *map);

/*
 * Return the id at the address, or PIPA_NO_INTERVAL. *hint is the range of the last result,
 * initially 0: lookups in ascending order start there.
 */
uint32_t pipa_intervals_find(const struct pipa_intervals *map, uint64_t addr, size_t *hint);

#endif
