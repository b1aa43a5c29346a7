/*
 * How many transactions did the workload do? Read from what it prints, while it prints it.
 *
 * The table of benchmarks.c knows what well-known benchmarks say; the user may give an expression or
 * the number itself. Which answer is given when several are to be had:
 *
 *  1. the number the user gave, then what the user's expression found last;
 *  2. a final summary beats a line of progress;
 *  3. a total beats a mere rate;
 *  4. of several benchmarks in one output, the one that spoke last; of one benchmark's several
 *     units the first in the table (transactions before events).
 *
 * A benchmark that runs twice counts with its last run. Parts that it runs side by side (the jobs of
 * fio, the stressors of stress-ng) are added up; parts that it runs one after the other (the tests of
 * redis-benchmark, the algorithms of openssl speed) are added up and their rate is that of all of them
 * together. What nobody has said is NaN, never zero.
 *
 * Bytes may come in any pieces, of two streams, and may be anything. Memory is constant; of a line the
 * first PIPA_TX_LINE_MAX bytes are read. Not thread-safe.
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
 * expression is NULL or a POSIX extended expression whose first group is the number, as pipa_tx_number()
 * reads it; then the table is not asked. -EINVAL for an expression that is none or has no group.
 */
int pipa_transactions_new(const char *expression, struct pipa_transactions **ret,
			  struct pipa_error *err);
void pipa_transactions_free(struct pipa_transactions *tx);
PIPA_DEFINE_AUTO(pipa_transactions_free, struct pipa_transactions *)

/* From now on the answer is this. */
void pipa_transactions_give(struct pipa_transactions *tx, double count);

/* Output as it comes. */
void pipa_transactions_put(struct pipa_transactions *tx, enum pipa_tx_stream stream,
			   const char *bytes, size_t len);

/* The streams are at their end: a last line without its newline counts too. */
void pipa_transactions_end(struct pipa_transactions *tx);

/* The answer so far; false when there is none. */
bool pipa_transactions_get(const struct pipa_transactions *tx, struct pipa_tx *ret);

/* "7561946", "1,234", "41.0k", "1.5M", "2G": not negative, the whole text. 0 or -EINVAL. */
int pipa_tx_number(const char *text, size_t len, double *ret);

#endif
