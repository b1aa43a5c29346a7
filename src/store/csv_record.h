/*
 * Record statistics as PIPA's CSV files in a directory: sar_cpu.csv, sar_memory.csv and so on. A
 * sink that writes complete lines once per interval.
 */
#ifndef PIPA_STORE_CSV_RECORD_H
#define PIPA_STORE_CSV_RECORD_H

#include <stdbool.h>

#include "model/series.h"

struct pipa_error;
struct pipa_csv_recorder;

/* Return the file of a section (sar_cpu.csv for cpu-short), NULL if it is not recorded. */
const char *pipa_csv_recorder_file(const struct pipa_section *section);

struct pipa_csv_recorder_options {
	const char *dir;
	const char *host; /* borrowed */
	bool fractions;	  /* intervals below a second */
	bool as_sadf;	  /* only the columns that sadf -d prints by default */
};

/* Create the directory if it is missing, and replace files of an earlier recording. */
int pipa_csv_recorder_open(const struct pipa_csv_recorder_options *options,
			   struct pipa_csv_recorder **ret, struct pipa_error *err);
void pipa_csv_recorder_close(struct pipa_csv_recorder *recorder);

struct pipa_series_sink *pipa_csv_recorder_sink(struct pipa_csv_recorder *recorder);

/* Return the error of the sink. */
const struct pipa_error *pipa_csv_recorder_error(const struct pipa_csv_recorder *recorder);

#endif
