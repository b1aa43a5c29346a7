/*
 * Code without a symbol, named by the stretch that its unwind information makes of it:
 * "libfoo.so!fn@0x1a40", the address as linked. So it adds up and can be looked at, as a function would.
 */
#ifndef PIPA_SYMBOLIZE_FDE_RANGES_H
#define PIPA_SYMBOLIZE_FDE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_located;
struct pipa_unwind_table;

struct pipa_ranges {
	struct pipa_unwind_table *table; /* NULL: nothing was asked yet, or nothing is known */
	bool asked;
};

enum { PIPA_RANGE_NAME = 300 }; /* bytes that any name fits into */

/*
 * Find the range of the file that holds an address as linked: 1, or 0 where there is none, or -ENOMEM.
 * The file must outlive the ranges.
 */
int pipa_ranges_find(struct pipa_ranges *ranges, const struct pipa_located *file, uint64_t addr,
		     uint64_t *ret_start, uint64_t *ret_end);
void pipa_ranges_done(struct pipa_ranges *ranges);

/* Its name, for a file's name without folders. Returns its length. */
size_t pipa_range_name(const char *object, uint64_t start, char name[static PIPA_RANGE_NAME]);

#endif
