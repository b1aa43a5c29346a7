/*
 * Decide whether a difference is significant, for stat -r, run --repeat and diff. A single run has
 * no spread: its verdict is "unknown".
 */
#ifndef PIPA_ANALYZE_COUNT_NOISE_H
#define PIPA_ANALYZE_COUNT_NOISE_H

#include "model/stat.h"

/* Describe a sample; sorts the values. */
void pipa_spread_of(double *values, size_t n, struct pipa_spread *ret);

enum pipa_verdict {
	PIPA_VERDICT_UNKNOWN, /* too few runs on one side */
	PIPA_VERDICT_SAME,    /* within noise */
	PIPA_VERDICT_LOWER,
	PIPA_VERDICT_HIGHER,
};

/* Compare the means by Welch's test at 95 %. */
enum pipa_verdict pipa_spread_compare(const struct pipa_spread *a, const struct pipa_spread *b);

/*
 * Compare one run with several: is it within the 95 % prediction interval? Unknown with fewer than
 * two of them.
 */
enum pipa_verdict pipa_spread_place(const struct pipa_spread *runs, double value);

const char *pipa_verdict_text(enum pipa_verdict verdict);

/* Return the two-sided 95 % point of Student's t. */
double pipa_student_t95(double degrees);

#endif
