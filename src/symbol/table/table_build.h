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

/* Terminator of a name, by the kind of its bytes. */
enum pipa_name_end {
	PIPA_NAME_NUL,	/* string tables */
	PIPA_NAME_LINE, /* the rest of a line: perf maps */
	PIPA_NAME_WORD, /* a word of a line: kallsyms */
	PIPA_NAME_END_NR
};

enum pipa_binding { PIPA_BIND_LOCAL, PIPA_BIND_WEAK, PIPA_BIND_GLOBAL, PIPA_BIND_NR };

struct pipa_symbol_row {
	uint64_t start;
	uint32_t size;	 /* 0 extends to the next one; larger than 4 GiB is clamped */
	uint32_t name;	 /* offset into the lender's bytes */
	uint32_t module; /* from pipa_symbols_module(), or 0 */
	uint8_t lender;	 /* from pipa_symbols_lend() */
	uint8_t binding; /* enum pipa_binding */
	bool resolver; /* STT_GNU_IFUNC: the code chooses the function of that name, it is not that function */
};

struct pipa_symbols *pipa_symbols_new(void);

/* Make room, where a good guess is known. -ENOMEM. */
int pipa_symbols_reserve(struct pipa_symbols *symbols, size_t n);

/* Names will be offsets into these bytes. Returns the lender's number, or -ENOSPC past 8. */
int pipa_symbols_lend(struct pipa_symbols *symbols, const void *bytes, size_t size,
		      enum pipa_name_end end);

int pipa_symbols_add(struct pipa_symbols *symbols, const struct pipa_symbol_row *row);

/* A row whose name exists nowhere else: text and suffix are copied. -EFBIG past 64 MiB in all. */
int pipa_symbols_add_copy(struct pipa_symbols *symbols, const struct pipa_symbol_row *row,
			  const char *name, size_t len, const char *suffix);

/* Add a module's name, borrowed; returns its index (> 0) in *ret. */
int pipa_symbols_module(struct pipa_symbols *symbols, const char *name, size_t len, uint32_t *ret);

/* Symbols without a size do not reach over this address: the end of a section. */
int pipa_symbols_bound(struct pipa_symbols *symbols, uint64_t end);

/* Which of several rows at one address stays. */
enum pipa_alias_rule {
	PIPA_ALIAS_BEST, /* see symbol/table/table.h */
	PIPA_ALIAS_LAST, /* the one added last */
	PIPA_ALIAS_NONE, /* rows are in order and do not overlap: all stay as they are */
	PIPA_ALIAS_NR
};

/* Sort, choose among those at one address, give sizes to those without. -ENOMEM. */
int pipa_symbols_finish(struct pipa_symbols *symbols, enum pipa_alias_rule rule);

#endif
