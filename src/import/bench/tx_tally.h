/* Accumulate the values of a measure line by line, and compute its count and rate. */
#ifndef PIPA_IMPORT_BENCH_TX_TALLY_H
#define PIPA_IMPORT_BENCH_TX_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/bench/transactions.h"

struct pipa_tx_pattern;
struct pipa_tx_said;

/* Absent values are NaN. */
struct pipa_tx_tally {
	double count, rate, secs;
	double times;	 /* counts and rates are of one of this many parts */
	double slowness; /* of a chain of rates: the sum of their inverses, */
	double links;	 /* and how many they are */
	bool final;
	uint64_t when; /* order of arrival, counted by the caller; 0: never */
	const char *pattern;
	enum pipa_tx_stream stream;
	char line[PIPA_TX_LINE_KEPT]; /* that the count is from, else the rate */
};

extern const struct pipa_tx_tally pipa_tx_tally_none;

/* The numbers of a line that matched the pattern. */
void pipa_tx_tally_add(struct pipa_tx_tally *tally, const struct pipa_tx_pattern *pattern,
		       const struct pipa_tx_said *said);

/* The line to be shown. */
void pipa_tx_tally_show(struct pipa_tx_tally *tally, const char *pattern,
			enum pipa_tx_stream stream, const char *line, size_t len);

/* NaN if they do not follow from the values so far. */
double pipa_tx_tally_count(const struct pipa_tx_tally *tally);
double pipa_tx_tally_rate(const struct pipa_tx_tally *tally);

#endif
