/*
 * Build a symbol table: register the string pools, add rows in any order, finish. After a failure
 * only pipa_symbols_free() may be called.
 */
#ifndef PIPA_SYMBOL_TABLE_TABLE_BUILD_H
#define PIPA_SYMBOL_TABLE_TABLE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_symbols;

/* Terminator of a name, by the kind of its string pool. */
enum pipa_name_end {
	PIPA_NAME_NUL,	/* string tables */
	PIPA_NAME_LINE, /* the rest of a line: perf maps */
	PIPA_NAME_WORD, /* a word of a line: kallsyms */
	PIPA_NAME_END_NR
};

enum pipa_binding { PIPA_BIND_LOCAL, PIPA_BIND_WEAK, PIPA_BIND_GLOBAL, PIPA_BIND_NR };

struct pipa_symbol_row {
	uint64_t start;
	uint32_t size;	 /* 0: extends to the next symbol; limited to 4 GiB */
	uint32_t name;	 /* offset in the string pool */
	uint32_t module; /* from pipa_symbols_module(), or 0 */
	uint8_t pool;	 /* id of the string pool, from pipa_symbols_add_pool() */
	uint8_t binding; /* enum pipa_binding */
	bool resolver; /* STT_GNU_IFUNC: code that chooses an implementation, not the function itself */
};

struct pipa_symbols *pipa_symbols_new(void);

/* Allocate memory for about n rows. -ENOMEM. */
int pipa_symbols_reserve(struct pipa_symbols *symbols, size_t n);

/* Register a string pool; row.name is an offset into it. Returns its id, or -ENOSPC above 8. */
int pipa_symbols_add_pool(struct pipa_symbols *symbols, const void *bytes, size_t size,
			  enum pipa_name_end end);

int pipa_symbols_add(struct pipa_symbols *symbols, const struct pipa_symbol_row *row);

/* Add a row with a copy of `name` and `suffix`. -EFBIG if the copies exceed 64 MiB. */
int pipa_symbols_add_copy(struct pipa_symbols *symbols, const struct pipa_symbol_row *row,
			  const char *name, size_t len, const char *suffix);

/* Add a module's name, borrowed; returns its index (> 0) in *ret. */
int pipa_symbols_module(struct pipa_symbols *symbols, const char *name, size_t len, uint32_t *ret);

/* Add the end of a section: symbols without a size do not extend beyond it. */
int pipa_symbols_bound(struct pipa_symbols *symbols, uint64_t end);

/* Selection among several rows of one address. */
enum pipa_alias_rule {
	PIPA_ALIAS_BEST, /* see symbol/table/table.h */
	PIPA_ALIAS_LAST, /* the one added last */
	PIPA_ALIAS_NONE, /* rows are sorted and do not overlap: use all */
	PIPA_ALIAS_NR
};

/* Sort the rows, select among those of one address and compute missing sizes. -ENOMEM. */
int pipa_symbols_finish(struct pipa_symbols *symbols, enum pipa_alias_rule rule);

#endif
