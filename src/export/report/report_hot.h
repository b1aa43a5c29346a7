/*
 * Write hot functions as the part "hot" of a report's data: a list of {"symbol", "object", "scope", "self", "total",
 * "samples", "note", "lines": [[file, line, percent, text]...], "instructions": [[address, percent, text]...]}. Shares
 * of a function are of all samples, those of its lines and instructions of the samples in its code.
 */
#ifndef PIPA_EXPORT_REPORT_REPORT_HOT_H
#define PIPA_EXPORT_REPORT_REPORT_HOT_H

#include <stddef.h>
#include <stdint.h>

struct pipa_buf;
struct pipa_listing;

struct pipa_report_hot {
	const char *symbol, *object;
	const char *scope;		    /* User, Kernel, JIT */
	double self, total;		    /* percent of all samples */
	uint64_t samples;		    /* of self */
	const struct pipa_listing *listing; /* NULL: none */
	/* Return a line of a source file without its end, borrowed, or NULL. */
	const char *(*line)(void *ctx, const char *file, uint32_t number, size_t *ret_len);
	void *ctx;
};

/* Write a function as an entry of the list. 0 or -ENOMEM. */
int pipa_report_put_hot(const struct pipa_report_hot *hot, struct pipa_buf *out);

#endif
