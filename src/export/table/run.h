/*
 * Write the report of a run as text, JSON or YAML, a ranking of commands also as Markdown or CSV. The top level has the names of PIPA's dump,
 * everything else is in maps below (docs/format/run.schema.json).
 */
#ifndef PIPA_EXPORT_TABLE_RUN_H
#define PIPA_EXPORT_TABLE_RUN_H

#include <stdbool.h>

#include "analyze/run/run_compare.h"
#include "analyze/run/run_rank.h"
#include "model/run.h"

struct pipa_buf;
struct pipa_phases;
struct pipa_quality;

enum pipa_run_form {
	PIPA_RUN_TEXT,
	PIPA_RUN_JSON,
	PIPA_RUN_YAML,
	PIPA_RUN_MARKDOWN, /* tables of a ranking only */
	PIPA_RUN_CSV,
};

struct pipa_run_format {
	enum pipa_run_form form;
	bool color;
	unsigned int width; /* columns of the terminal, 0: no terminal */
};

struct pipa_run_report {
	const struct pipa_run *run;		/* of a single run, or the mean of several */
	const struct pipa_run *each;		/* the single runs, NULL if there is one */
	const struct pipa_run_changes *changes; /* compared with the baseline, or NULL */
	const struct pipa_run_ranking *ranking; /* of commands; NULL: report the run */
	/* of the series that the metrics are computed from; NULL: measured now, or without series */
	const struct pipa_quality *quality;
	const struct pipa_phases *phases;
};

void pipa_run_export(const struct pipa_run_report *report, const struct pipa_run_format *format,
		     struct pipa_buf *out);

/* Write one kind; pipa_run_export() selects it. */
void pipa_run_text(const struct pipa_run_report *report, const struct pipa_run_format *format,
		   struct pipa_buf *out);
void pipa_run_doc(const struct pipa_run_report *report, const struct pipa_run_format *format,
		  struct pipa_buf *out);

void pipa_run_ranking_text(const struct pipa_run_ranking *ranking,
			   const struct pipa_run_format *format, struct pipa_buf *out);
void pipa_run_ranking_markdown(const struct pipa_run_ranking *ranking, struct pipa_buf *out);
void pipa_run_ranking_csv(const struct pipa_run_ranking *ranking, struct pipa_buf *out);

/* Write a line per counter for requested events. */
void pipa_run_counters_text(const struct pipa_stat *stat, struct pipa_buf *out);

#endif
