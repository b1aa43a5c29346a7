/* Sort the rows of a symbol table by address. */
#ifndef PIPA_SYMBOL_TABLE_SORT_H
#define PIPA_SYMBOL_TABLE_SORT_H

#include <stddef.h>

struct pipa_symbol_row;

/*
 * Sort by start, rows of one start in the order they came: a radix sort, since comparing costs three
 * times as much for 100,000 rows. -ENOMEM.
 */
int pipa_symbol_rows_sort(struct pipa_symbol_row *rows, size_t n);

#endif
