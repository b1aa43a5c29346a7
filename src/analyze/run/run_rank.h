/*
 * Compare several commands by one metric: the ratio of each to the best one with its standard deviation,
 * and notes on runs that differ from the others.
 */
#ifndef PIPA_ANALYZE_RUN_RUN_RANK_H
#define PIPA_ANALYZE_RUN_RUN_RANK_H

#include "analyze/count/noise.h"
#include "model/run.h"

/* One of the commands. */
struct pipa_run_candidate {
	const struct pipa_run *run;  /* of all its runs */
	const struct pipa_run *each; /* run->runs of them */
	char *const *values;	     /* of the parameters */
	size_t failed;		     /* runs with an exit status other than 0 */

	/* set by pipa_run_rank() */
	struct pipa_spread spread; /* of the metric; n is 0 if it is not known */
	double ratio, ratio_sd;	   /* NaN if not known */
	enum pipa_verdict verdict; /* is the metric significantly different from the reference's? */
};

struct pipa_run_ranking {
	struct pipa_run_candidate *items;
	size_t n;
	const char *const *parameters; /* their names */
	size_t n_parameters;
	enum pipa_run_key key;
	unsigned int warmup;
	double shell_seconds; /* that were subtracted from each elapsed time; NaN: none */

	size_t reference; /* set by pipa_run_rank(): the best candidate, or the first */
};

/* Return the metric to compare by: throughput if all have transactions, else the elapsed time. */
enum pipa_run_key pipa_run_default_metric(const struct pipa_run_candidate *items, size_t n);

/*
 * Find the best candidate and compute the ratio of each to it: how many times slower, larger or less,
 * never below 1. If neither direction of the metric is better, the first one is the reference, and the
 * ratio is that of the values. The standard deviation assumes independent errors, as hyperfine does.
 */
void pipa_run_rank(struct pipa_run_ranking *ranking);

/* Return "reference", "worse", "within noise" or "unknown"; "lower" or "higher" if neither is better. */
const char *pipa_run_rank_text(const struct pipa_run_ranking *ranking, size_t index);

/* Return how often to run a command whose first run took that long: for 3 s, 10 to 100 times. */
unsigned int pipa_run_repeats(double first_seconds);

/*
 * Note outliers and a first run that is slower than the others, by the modified Z-score of the elapsed
 * time with the threshold of hyperfine. `run` is of all of `each`. 0 or -ENOMEM.
 */
int pipa_run_note_outliers(struct pipa_run *run, const struct pipa_run *each, unsigned int warmup);

#endif
