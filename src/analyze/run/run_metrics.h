/*
 * Compute the metrics of a run from counters, transactions and time. The formulas are those of
 * PIPA with two errors corrected: CPI uses only the selected CPUs, and the run time omits no
 * interval.
 */
#ifndef PIPA_ANALYZE_RUN_RUN_METRICS_H
#define PIPA_ANALYZE_RUN_RUN_METRICS_H

#include "model/run.h"
#include "model/stat.h"
#include "model/transactions.h"

/*
 * Set the counter metrics from a report: sums over rows by event, in any spelling (cycles, cpu-
 * cycles, cpu_core/cycles/u). False if neither cycles nor instructions were counted.
 */
bool pipa_run_take_counts(struct pipa_run *run, const struct pipa_stat *stat);

/* Copy the top-down metrics (percentages of pipeline slots) from a report to the run. */
void pipa_run_take_slots(struct pipa_run *run, const struct pipa_stat *stat);

/* Was kernel mode excluded from an event for lack of permission? */
bool pipa_run_is_user_only(const struct pipa_stat *stat);

/* Return the sum of an event's rows by its plain name; NaN if it was not counted. */
double pipa_run_count(const struct pipa_stat *stat, const char *event);

/*
 * Store the transaction count or rate and its source: `option`, the name of the option that gave
 * the count, or the pattern that matched, with N for numbers, and the matching line. 0 or -ENOMEM.
 */
int pipa_run_take_transactions(struct pipa_run *run, const struct pipa_tx *tx, const char *option);

/* Compute all metrics whose operands are known; others stay unknown. */
void pipa_run_derive(struct pipa_run *run);

/*
 * Merge several runs: means, spreads, hot functions of all, strings of the first. `ret` is
 * initialized; runs keep their data. 0 or -ENOMEM.
 */
int pipa_run_merge(const struct pipa_run *runs, size_t n, struct pipa_run *ret);

/*
 * Is a run an outlier of a key: more than 1.5 interquartile ranges outside the quartiles? Needs
 * four runs.
 */
bool pipa_run_is_outlier(const struct pipa_run *runs, size_t n, enum pipa_run_key key, size_t run);

#endif
