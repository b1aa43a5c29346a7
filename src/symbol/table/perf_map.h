/*
 * /tmp/perf-PID.map, where runtimes list their JIT code:
 *
 *	7f3a5c0010a0 1c0 Interpreter frame with spaces
 *	0x7f3a5c001260 0x80 LazyCompile:~fib /srv/fib.js:3
 *
 * Entries are appended while the program runs: of overlapping entries the later wins; the rest of
 * an earlier one stays as an entry of its own.
 */
#ifndef PIPA_SYMBOL_TABLE_PERF_MAP_H
#define PIPA_SYMBOL_TABLE_PERF_MAP_H

#include <stddef.h>

struct pipa_symbols;

/*
 * Parse the text, which must outlive the symbols. The caller frees the symbols. Malformed lines are
 * counted in *ret_skipped (may be NULL). -ENOMEM, or -EFBIG above 4 GiB.
 */
int pipa_perf_map_decode(const char *text, size_t len, struct pipa_symbols **ret,
			 size_t *ret_skipped);

#endif
