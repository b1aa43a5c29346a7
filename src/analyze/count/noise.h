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
 * Return the two-sided p-value of Welch's test; NaN with fewer than two values on one side. Exact counts
 * (no spread at all) have 1 if they are equal, else 0.
 */
double pipa_spread_p(const struct pipa_spread *a, const struct pipa_spread *b);

/* One of many tests: its p-value and the index of the tested item. */
struct pipa_p_value {
	double p;
	size_t item;
};

/*
 * Correct many tests by Holm's procedure: sort them, smallest p-value first, each against 5 % divided by
 * the number of remaining tests. Returns how many of the first are significant. No p-value may be NaN.
 */
size_t pipa_holm(struct pipa_p_value *tests, size_t n);

/*
 * Compare one run with several: is it within the 95 % prediction interval? Unknown with fewer than
 * two of them.
 */
enum pipa_verdict pipa_spread_place(const struct pipa_spread *runs, double value);

const char *pipa_verdict_text(enum pipa_verdict verdict);

/* Return the two-sided 95 % point of Student's t. */
double pipa_student_t95(double degrees);

/* Return the probability that |t| is at least this large; NaN for fewer than one degree of freedom. */
double pipa_student_p(double t, double degrees);

#endif
