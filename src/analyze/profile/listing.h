/*
 * Instructions of a function with their weights, and the same by source line. Strings are borrowed
 * from the caller.
 */
#ifndef PIPA_ANALYZE_PROFILE_LISTING_H
#define PIPA_ANALYZE_PROFILE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_listing_row {
	uint64_t addr;
	uint64_t weight, count;
	const char *text; /* the instruction; NULL: unknown */
	const char *file; /* NULL: unknown */
	uint32_t line;	  /* 0: unknown */
};

struct pipa_listing {
	const char *name, *object;
	/* why code, lines or source text are missing; NULL: nothing is missing */
	const char *problem;
	uint64_t weight, count;
	struct {
		struct pipa_listing_row *items; /* by ascending address */
		size_t n, cap;
	} rows;
};

void pipa_listing_done(struct pipa_listing *listing);

/*
 * Add the weight of an address to the instruction that contains it: the last one that starts at or
 * before it. False if there is none.
 */
bool pipa_listing_add_weight(struct pipa_listing *listing, uint64_t addr, uint64_t weight,
			     uint64_t count);

struct pipa_listing_line {
	const char *file;
	uint32_t line;
	uint64_t weight, count;
};

/*
 * Return the source lines of the instructions, by file in order of occurrence, then by line; the
 * caller frees them.
 */
int pipa_listing_lines(const struct pipa_listing *listing, struct pipa_listing_line **ret,
		       size_t *ret_n);

#endif
