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
	const char *text; /* the instruction; NULL: not known */
	const char *file; /* NULL: not known */
	uint32_t line;	  /* 0: not known */
};

struct pipa_listing {
	const char *name, *object;
	const char
		*problem; /* why code, lines or source text are missing; NULL: nothing is missing */
	uint64_t weight, count;
	struct {
		struct pipa_listing_row *items; /* by rising address */
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

/* The lines that instructions are of, by file in the order they are met, then by number; free(). */
int pipa_listing_lines(const struct pipa_listing *listing, struct pipa_listing_line **ret,
		       size_t *ret_n);

#endif
