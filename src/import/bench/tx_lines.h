/*
 * Lines out of a stream of bytes that comes in pieces: ended by \n or \r (progress is often written over
 * itself), without terminal escapes and leading blanks, cut at PIPA_TX_LINE_MAX. Only lines with a digit
 * or a colon are handed out, as no other can say a number: what a workload prints besides is passed over
 * at the speed of memory.
 */
#ifndef PIPA_IMPORT_BENCH_TX_LINES_H
#define PIPA_IMPORT_BENCH_TX_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* The line is a loan for the call. */
typedef void pipa_tx_line_fn(void *ctx, char *line, size_t len);

/* Zeroed but for buf, which has room for PIPA_TX_LINE_MAX + 1 bytes, and fn. */
struct pipa_tx_lines {
	pipa_tx_line_fn *fn;
	void *ctx;
	char *buf;  /* the line that has begun; of the others while they are handed out, a copy */
	size_t len; /* of it */
};

void pipa_tx_lines_put(struct pipa_tx_lines *lines, const char *bytes, size_t len);
void pipa_tx_lines_end(struct pipa_tx_lines *lines);

#endif
