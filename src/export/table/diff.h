/* Write the rows of a comparison as text, CSV or JSON. */
#ifndef PIPA_EXPORT_TABLE_DIFF_H
#define PIPA_EXPORT_TABLE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/diff.h"

struct pipa_buf;

enum pipa_diff_form { PIPA_DIFF_TEXT, PIPA_DIFF_CSV, PIPA_DIFF_JSON };

/* Description of a run beside its weight. */
struct pipa_diff_file {
	const char *path;
	uint64_t lost; /* samples and records */
	bool complete;
};

struct pipa_diff_report {
	const struct pipa_diff *diff;	    /* finished */
	const char *basis;		    /* of the verdicts, and why: "percentages: ..." */
	const struct pipa_diff_file *files; /* one per run */
	const char *event;		    /* "": unknown */
	const char *unit;		    /* of the weights: "ns", "events", "samples" */
	double percent_limit;		    /* omit rows below it in all runs */
	size_t limit;			    /* maximum rows, 0: all */
	bool color;
	size_t columns;	 /* of the terminal, 0: there is none */
	bool full_names; /* do not shorten symbols */
};

/* Write n reports, one per event, of the same files. n is at least 1. */
void pipa_diff_write(const struct pipa_diff_report *reports, size_t n, enum pipa_diff_form form,
		     struct pipa_buf *out);

/* Write only the JSON list of rows, without spaces. */
void pipa_diff_write_rows(const struct pipa_diff_report *report, struct pipa_buf *out);

/*
 * Iterate over the shown rows in order: the one after *at, PIPA_NONE after the last. Start with at
 * = 0.
 */
uint32_t pipa_diff_next_row(const struct pipa_diff_report *report, size_t *at);

/* Append the name of a row for use in a sentence: "f (libx.so)". */
void pipa_diff_put_name(const struct pipa_diff *diff, uint32_t row, struct pipa_buf *out);

#endif
