/*
 * Go's table of functions and lines (pclntab), which its run time needs and strip does not remove.
 *
 *	u32 magic	version and byte order
 *	u8 0, 0, quantum (1, 2, 4: unit of code), size of a pointer (4, 8)
 *	words		number of functions; from 1.16 on number of files; from 1.18 on start of the
 *			code; then offsets of names, units, files, lines, functions
 *	functions	pairs (start, offset of the record), and the end of the last function
 *
 * Up to 1.15 all offsets are from the start of the table. Starts are addresses up to 1.17, then
 * 32-bit offsets from the start of the code. A record is: start, name, args, deferreturn, then the
 * tables of stack depth, file and line, more tables, unit.
 *
 * Pure, over borrowed bytes. Allocates nothing; entries that exceed the bytes are ignored.
 */
#ifndef PIPA_SYMBOL_TABLE_GO_TABLE_H
#define PIPA_SYMBOL_TABLE_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_elf;

enum pipa_go_version { PIPA_GO_1_2, PIPA_GO_1_16, PIPA_GO_1_18 /* and 1.20 */ };

struct pipa_go_table {
	enum pipa_go_version version;
	bool swapped;	 /* byte order differs from that of this machine */
	uint8_t quantum; /* unit of code addresses in a line table, in bytes */
	uint8_t word;	 /* size of a pointer */
	uint64_t text;	 /* base of function starts */
	size_t n;	 /* number of functions */
	struct pipa_span names, units, files, steps, functions;
};

struct pipa_go_function {
	uint64_t start, size;
	uint32_t name;	 /* offset into the names */
	uint32_t record; /* offset into the functions */
};

/* Parse the header of a table. False if the bytes are not a table, or its functions exceed them. */
bool pipa_go_table_init(struct pipa_go_table *ret, struct pipa_span bytes);

/*
 * Find the table of an image: by its section, else, with `search`, by its first bytes in the data
 * of images that are Go's or have no sections. False also if the start of the code is unknown: a
 * wrong name is worse than none.
 */
bool pipa_go_table_find(struct pipa_go_table *ret, const struct pipa_elf *elf, bool search);

/* Like pipa_go_table_find() with `search`, for the bytes of a file. */
bool pipa_go_table_find_in(struct pipa_go_table *ret, struct pipa_span file);

/* Return the index-th function by address; false after the last, and for a malformed one. */
bool pipa_go_table_get(const struct pipa_go_table *table, size_t index,
		       struct pipa_go_function *ret);

/*
 * Return the source line of an address, of the innermost inlined function. The file is borrowed.
 * False if unknown.
 */
bool pipa_go_table_line(const struct pipa_go_table *table, uint64_t addr, const char **ret_file,
			uint32_t *ret_line);

/*
 * Return how many bytes the stack pointer is below its value at the entry of the function (pcsp).
 * False if unknown.
 */
bool pipa_go_table_depth(const struct pipa_go_table *table, uint64_t addr,
			 struct pipa_go_function *ret, uint32_t *ret_depth);

/* Return the function's name, borrowed; "" if it does not end within the table. */
const char *pipa_go_table_name(const struct pipa_go_table *table,
			       const struct pipa_go_function *function);

#endif
