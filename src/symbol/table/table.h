/*
 * A sorted table from addresses to names: what every kind of symbol source ends as.
 *
 * 24 bytes a symbol, built once (symbol/table/table_build.h), then only read: any number of threads may
 * ask. Names are a loan from the bytes they were found in (a mapped file, the text of kallsyms),
 * which must outlive the table: of 100,000 names a profile shows a few hundred, and whoever keeps
 * one copies it. They are not NUL-terminated in general and are as they stand there, mangled.
 *
 * One name per address. Of several in a file, the one perf takes: a size over none, not weak, global, fewer
 * leading underscores, the longer name, and the first in the table. Symbols without a size reach to
 * the next one, but not past the section or module they are in. A symbol within another one wins
 * where it lies.
 */
#ifndef PIPA_SYMBOL_TABLE_TABLE_H
#define PIPA_SYMBOL_TABLE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"

struct pipa_symbols;

#define PIPA_SYMBOL_NONE UINT32_MAX

struct pipa_symbol {
	uint64_t start;
	uint64_t size;
	const char *name;
	size_t name_len;
	const char *module; /* kernel modules: "ext4"; else NULL */
	size_t module_len;
};

void pipa_symbols_free(struct pipa_symbols *symbols);
PIPA_DEFINE_AUTO(pipa_symbols_free, struct pipa_symbols *)

size_t pipa_symbols_count(const struct pipa_symbols *symbols);

/* The index-th symbol by address. index must be less than the count. */
struct pipa_symbol pipa_symbols_get(const struct pipa_symbols *symbols, uint32_t index);

/* The symbol at the address, or PIPA_SYMBOL_NONE. */
uint32_t pipa_symbols_find(const struct pipa_symbols *symbols, uint64_t addr);

/* The same for n addresses in rising order, in one walk. Equal symbols follow each other in out. */
void pipa_symbols_resolve(const struct pipa_symbols *symbols, const uint64_t *addrs, size_t n,
			  uint32_t *out);

#endif
