/*
 * The tables of PIPA's `pipa-perf-sqlite`, which are those of perf's export-to-sqlite script: events, machines, threads,
 * comms, DSOs, symbols and call paths of a profile. Rows refer to each other by id; 0 is the row of unknown things.
 */
#ifndef PIPA_EXPORT_FRAME_PERF_TABLES_H
#define PIPA_EXPORT_FRAME_PERF_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "export/frame/profile_frame.h"

/* Id in the table `threads` of each thread of a profile: threads with several names are several in a profile. */
struct pipa_perf_threads {
	uint32_t *ids;
	size_t n;
};

int pipa_perf_threads_init(struct pipa_perf_threads *threads, const struct pipa_profile *profile);
void pipa_perf_threads_done(struct pipa_perf_threads *threads);

struct pipa_perf_table {
	const char *name;
	const struct pipa_frame_column *columns;
	size_t n_columns;
	/* Writes the rows; returns the writer's status. */
	int (*put)(struct pipa_frame_writer *w, const struct pipa_profile *profile,
		   const struct pipa_perf_threads *threads);
};

enum { PIPA_PERF_TABLES = 9 };
extern const struct pipa_perf_table pipa_perf_tables[PIPA_PERF_TABLES];

/* Statements for the views, which need the tables above and `samples`. */
extern const char pipa_perf_views[];

/* Statements for the context switches, a table that perf drops if it is empty; need `records` and `threads`. */
extern const char pipa_perf_context_switches[];

/* Statements for the indexes of the other tables: samples, records, stacks, locations and functions. */
extern const char pipa_frame_indexes[];

#endif
