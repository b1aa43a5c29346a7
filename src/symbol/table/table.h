/*
 * Sorted table from addresses to symbol names; every symbol source ends as one.
 *
 * 24 bytes per symbol, built once (symbol/table/table_build.h), then read-only: any number of
 * threads may search it. Names are borrowed from the bytes they were found in (a mapped file, the
 * text of kallsyms), which must outlive the table. They are mangled and in general not NUL-
 * terminated.
 *
 * One name per address. Of several in a file, in this order: sized over unsized; not an IFUNC,
 * whose code is the resolver; not of an old version (cfree@GLIBC_2.2.5); fewer leading underscores;
 * global, then local, then weak; shorter; first in the table. So poll is not called __GI___poll,
 * open not open64, strchr not index. perf puts the binding before the underscores and takes the
 * longest. The default version is not part of a name: __libc_start_main@@GLIBC_2.34 is
 * __libc_start_main.
 *
 * Symbols without a size extend to the next one, but not beyond their section or module. A symbol
 * inside another one wins in its range.
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

/* Return the index-th symbol by address. index must be less than the count. */
struct pipa_symbol pipa_symbols_get(const struct pipa_symbols *symbols, uint32_t index);

/* Return the index of the symbol at the address, or PIPA_SYMBOL_NONE. */
uint32_t pipa_symbols_find(const struct pipa_symbols *symbols, uint64_t addr);

/* Find n ascending addresses in one pass. Equal symbols follow each other in out. */
void pipa_symbols_resolve(const struct pipa_symbols *symbols, const uint64_t *addrs, size_t n,
			  uint32_t *out);

/*
 * Return the range between the symbols around an address that has none: from the end of those before it to the
 * start of the next; 0 and UINT64_MAX where there is none.
 */
void pipa_symbols_gap(const struct pipa_symbols *symbols, uint64_t addr, uint64_t *ret_start,
		      uint64_t *ret_end);

#endif
