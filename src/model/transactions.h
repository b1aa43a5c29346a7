/* Number of transactions of a workload, and the line of its output that contains it. */
#ifndef PIPA_MODEL_TRANSACTIONS_H
#define PIPA_MODEL_TRANSACTIONS_H

#include <stdbool.h>

enum { PIPA_TX_LINE_KEPT = 256 };

enum pipa_tx_stream { PIPA_TX_STDOUT, PIPA_TX_STDERR, PIPA_TX_STREAM_NR };

struct pipa_tx {
	const char *benchmark; /* "sysbench", "given", or "expression"; static */
	const char *pattern;   /* what the line matched; borrowed from the finder */
	const char *unit;      /* of what: "requests", "events", "bits"; static */
	double count;	       /* NaN when only the rate is known */
	double rate;	       /* per second as the benchmark says; NaN when only the count is */
	bool final;	       /* of a summary; else so far, of a line of progress */
	enum pipa_tx_stream stream;   /* that the line came from */
	char line[PIPA_TX_LINE_KEPT]; /* in plain ASCII, maybe cut; "" for a given number */
};

#endif
