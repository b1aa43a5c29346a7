/* Accumulate the values of a measure line by line, and compute its count and rate. */
#ifndef PIPA_IMPORT_BENCH_TX_TALLY_H
#define PIPA_IMPORT_BENCH_TX_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/bench/transactions.h"

struct pipa_tx_pattern;
struct pipa_tx_values;

/* Absent values are NaN. */
struct pipa_tx_tally {
	double count, rate, secs;
	double times;	 /* number of parts: counts and rates are of one of them */
	double slowness; /* sum of the inverse rates of a chain, */
	double links;	 /* and number of its parts */
	bool final;
	uint64_t when; /* order of arrival, counted by the caller; 0: never */
	const char *pattern;
	enum pipa_tx_stream stream;
	char line[PIPA_TX_LINE_KEPT]; /* source of the count, else of the rate */
};

extern const struct pipa_tx_tally pipa_tx_tally_none;

/* Add the values of a line that matched a pattern. */
void pipa_tx_tally_add(struct pipa_tx_tally *tally, const struct pipa_tx_pattern *pattern,
		       const struct pipa_tx_values *values);

/* Set the line to show. */
void pipa_tx_tally_show(struct pipa_tx_tally *tally, const char *pattern,
			enum pipa_tx_stream stream, const char *line, size_t len);

/* Return count or rate; NaN if the values so far do not determine it. */
double pipa_tx_tally_count(const struct pipa_tx_tally *tally);
double pipa_tx_tally_rate(const struct pipa_tx_tally *tally);

#endif
