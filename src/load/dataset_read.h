/*
 * Read one file of an input into a dataset, by its format. What is malformed is skipped and noted, also a file that
 * cannot be read: the rest of the input stays usable. Negative returns are -ENOMEM only.
 */
#ifndef PIPA_LOAD_DATASET_READ_H
#define PIPA_LOAD_DATASET_READ_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "load/dataset.h"

struct pipa_archive;
struct pipa_archive_member;
struct pipa_series_feed;

/* All borrowed. */
struct pipa_dataset_file {
	const struct pipa_archive *archive;
	const struct pipa_archive_member *member; /* NULL: the only file of the input */
	const char *name;			  /* for notes */
};

/* Add a note; beyond a limit they are only counted. */
PIPA_PRINTF(4, 5)
int pipa_dataset_note(struct pipa_dataset *d, const char *name, enum pipa_dataset_problem problem,
		      const char *fmt, ...);

/* The CSV of sadf -d. Its host is that of the source, unless it has one. */
int pipa_dataset_read_sadf(struct pipa_dataset *d, const struct pipa_dataset_file *file,
			   size_t source);
int pipa_dataset_read_history(struct pipa_dataset *d, const struct pipa_dataset_file *file,
			      struct pipa_series_feed *feed);

/* sar's text. Its averages are not series. */
int pipa_dataset_read_sar(struct pipa_dataset *d, const struct pipa_dataset_file *file,
			  struct pipa_series_feed *feed);

/* Lines of pipa monitor --json. */
int pipa_dataset_read_monitor_json(struct pipa_dataset *d, const struct pipa_dataset_file *file,
				   struct pipa_series_feed *feed);

/* Counters of perf stat -x or pipa stat -x; base_ns is the wall time of their time 0. */
int pipa_dataset_read_counts(struct pipa_dataset *d, const struct pipa_dataset_file *file,
			     struct pipa_series_feed *feed, uint64_t base_ns);

/* Reports of pipa stat --json; with -I each interval is one. */
int pipa_dataset_read_counts_json(struct pipa_dataset *d, const struct pipa_dataset_file *file,
				  struct pipa_series_feed *feed, uint64_t base_ns);

/* The description of the machine: spec_info.yaml. */
int pipa_dataset_read_facts(struct pipa_dataset *d, const struct pipa_dataset_file *file);

#endif
