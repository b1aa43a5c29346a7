/*
 * Count the transactions of a workload by its output, while it runs.
 *
 * benchmarks.c has the table of well-known benchmarks; the user may give a regular expression or
 * the number. Order of preference:
 *
 * - the number of the user, then the last match of the user's expression;
 * - a final summary before a progress line;
 * - a total before a rate;
 * - of several benchmarks in one output the last; of several units of one benchmark the first in
 *   the table (transactions before events).
 *
 * If a benchmark runs twice, its last run counts. Parts that run in parallel (jobs of fio,
 * stressors of stress-ng) are summed; parts that run one after the other (tests of redis-
 * benchmark, algorithms of openssl speed) are summed and their rate is the overall one. Unknown
 * values are NaN, never zero.
 *
 * Bytes of two streams may come in any chunks and with any content. Memory is constant; only the
 * first PIPA_TX_LINE_MAX bytes of a line are read. Not thread-safe.
 */
#ifndef PIPA_IMPORT_BENCH_TRANSACTIONS_H
#define PIPA_IMPORT_BENCH_TRANSACTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"
#include "model/transactions.h"

struct pipa_error;

enum { PIPA_TX_LINE_MAX = 64 << 10 };

struct pipa_transactions;

/*
 * Create a counter. `expression` is NULL or a POSIX extended expression whose first group is the
 * number, as pipa_tx_number() reads it; then the table is not used. -EINVAL for an invalid
 * expression or one without a group, or -ENOMEM.
 */
int pipa_transactions_new(const char *expression, struct pipa_transactions **ret,
			  struct pipa_error *err);
void pipa_transactions_free(struct pipa_transactions *tx);
PIPA_DEFINE_AUTO(pipa_transactions_free, struct pipa_transactions *)

/* Set the count given by the user. */
void pipa_transactions_give(struct pipa_transactions *tx, double count);

/* Read output of the workload. */
void pipa_transactions_put(struct pipa_transactions *tx, enum pipa_tx_stream stream,
			   const char *bytes, size_t len);

/* End both streams: a last line without a newline is used too. */
void pipa_transactions_end(struct pipa_transactions *tx);

/* Return the result so far; false if there is none. */
bool pipa_transactions_get(const struct pipa_transactions *tx, struct pipa_tx *ret);

/*
 * Parse "7561946", "1,234", "41.0k", "1.5M", "2G": not negative, the complete string. 0 or -EINVAL.
 */
int pipa_tx_number(const char *text, size_t len, double *ret);

#endif
