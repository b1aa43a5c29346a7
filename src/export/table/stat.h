/*
 * Write a report of counts as text, CSV, JSON or YAML to a buffer. One file per format:
 * stat_text.c, stat_csv.c, stat_doc.c.
 */
#ifndef PIPA_EXPORT_TABLE_STAT_H
#define PIPA_EXPORT_TABLE_STAT_H

#include <stdbool.h>

#include "model/stat.h"

struct pipa_buf;

enum pipa_stat_form { PIPA_STAT_TEXT, PIPA_STAT_CSV, PIPA_STAT_JSON, PIPA_STAT_YAML };

struct pipa_stat_format {
	enum pipa_stat_form form;
	const char *separator; /* of CSV columns */
	bool color;
	bool plain_numbers; /* no thousands separators */
	bool metric_only;
	bool header;	 /* print the column header: set for the first interval */
	bool verbose;	 /* text: first count and times of each event, as perf stat -v */
	bool notes_only; /* text: only the notes after the last interval */
};

void pipa_stat_export(const struct pipa_stat *stat, const struct pipa_stat_format *format,
		      struct pipa_buf *out);

/* Write one format; pipa_stat_export() selects it. */
void pipa_stat_text(const struct pipa_stat *stat, const struct pipa_stat_format *format,
		    struct pipa_buf *out);
void pipa_stat_csv(const struct pipa_stat *stat, const struct pipa_stat_format *format,
		   struct pipa_buf *out);
void pipa_stat_doc(const struct pipa_stat *stat, const struct pipa_stat_format *format,
		   struct pipa_buf *out);

#endif
