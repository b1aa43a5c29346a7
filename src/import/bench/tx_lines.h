/*
 * Split a stream of bytes into lines: ended by \n or \r (progress lines overwrite themselves),
 * without terminal escapes and leading spaces, truncated at PIPA_TX_LINE_MAX. Only lines with a
 * digit or a colon are passed on; others are skipped at the speed of memory.
 */
#ifndef PIPA_IMPORT_BENCH_TX_LINES_H
#define PIPA_IMPORT_BENCH_TX_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* The line is valid during the call. */
typedef void pipa_tx_line_fn(void *ctx, char *line, size_t len);

/* Zeroed except for fn and buf, which has PIPA_TX_LINE_MAX + 1 bytes. */
struct pipa_tx_lines {
	pipa_tx_line_fn *fn;
	void *ctx;
	char *buf;  /* current line, or a copy of the line that is passed on */
	size_t len; /* of it */
};

void pipa_tx_lines_put(struct pipa_tx_lines *lines, const char *bytes, size_t len);
void pipa_tx_lines_end(struct pipa_tx_lines *lines);

#endif
