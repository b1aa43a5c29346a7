/*
 * Table of the output of well-known benchmarks, used by transactions.c. To add one, add a measure,
 * the patterns of its lines, and its output to tests/data/benchmarks.
 */
#ifndef PIPA_IMPORT_BENCH_BENCHMARKS_H
#define PIPA_IMPORT_BENCH_BENCHMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A benchmark counts in a unit, maybe in several: then the first measure in the table is preferred.
 */
struct pipa_tx_measure {
	const char *benchmark, *unit;
	bool at_end; /* the count is announced before the work: valid only once the time is known */
};

extern const struct pipa_tx_measure pipa_tx_measures[];
extern const size_t pipa_tx_n_measures;

enum { PIPA_TX_MEASURES = 32, PIPA_TX_PATTERNS = 128 }; /* limits of the tables */

enum pipa_tx_how {
	PIPA_TX_LAST,  /* replaces earlier values */
	PIPA_TX_ADD,   /* a part that ran in parallel with the others */
	PIPA_TX_CHAIN, /* a part that ran after the others */
	PIPA_TX_CLOSE, /* another run of the benchmark starts */
	PIPA_TX_DONE,  /* its values are complete; later ones belong to another run */
};

/*
 * A pattern whose text is too common or too short is limited to a section: its lines are matched
 * one by one, from the line that opens the section until some lines after the last match.
 */
struct pipa_tx_pattern {
	uint8_t measure;
	uint8_t how;
	bool progress;
	uint16_t needs, opens, shuts; /* bits of sections */
	double scale;		      /* factor of counts and rates; 0: 1 */
	const char *text;	      /* tx_pattern.h */
};

extern const struct pipa_tx_pattern pipa_tx_patterns[];
extern const size_t pipa_tx_n_patterns;

#endif
