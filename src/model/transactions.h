/* Number of transactions of a workload, and the line of its output that contains it. */
#ifndef PIPA_MODEL_TRANSACTIONS_H
#define PIPA_MODEL_TRANSACTIONS_H

#include <stdbool.h>

enum { PIPA_TX_LINE_KEPT = 256 };

enum pipa_tx_stream { PIPA_TX_STDOUT, PIPA_TX_STDERR, PIPA_TX_STREAM_NR };

struct pipa_tx {
	const char *benchmark; /* "sysbench", "given", or "expression"; static */
	const char *pattern;   /* pattern that the line matched; borrowed from the finder */
	const char *unit;      /* "requests", "events", "bits"; static */
	double count;	       /* NaN: only the rate is known */
	double rate; /* per second, as reported by the benchmark; NaN: only the count is known */
	bool final;  /* from a summary; else from a progress line */
	enum pipa_tx_stream stream;   /* that contained the line */
	char line[PIPA_TX_LINE_KEPT]; /* in ASCII, maybe truncated; "" for a given number */
};

#endif
