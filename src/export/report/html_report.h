/*
 * Write an analysis as one HTML file: the page of web/report/ and its data, none of which is executed.
 * web/README.md describes the data, schema "pipa.report/1". The same analysis gives the same bytes.
 *
 * The page is passed on in pieces. The data of the summary and the script come first, so that a browser paints it
 * while it still reads the series, which are in memory only in compressed form.
 */
#ifndef PIPA_EXPORT_REPORT_HTML_REPORT_H
#define PIPA_EXPORT_REPORT_HTML_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/pieces.h"
#include "export/view/view.h"
#include "model/rules.h"

struct pipa_context;
struct pipa_cpu_loads;
struct pipa_cpus;
struct pipa_disk_loads;
struct pipa_facts;
struct pipa_findings;
struct pipa_hardware;
struct pipa_node_load;
struct pipa_phases;
struct pipa_quality;
struct pipa_run;
struct pipa_series_set;

/* A part of the input that could not be used, or not completely. */
struct pipa_html_note {
	const char *name; /* path, or path and member */
	const char *text;
};

/* Series are reduced above this number of values. */
#define PIPA_HTML_VALUES_MAX UINT64_C(2000000)

/* The contents of the page, all borrowed. Parts that are NULL are left out of the page. */
struct pipa_html_report {
	const char *title;
	const char *version;	     /* of pipa */
	enum pipa_language language; /* that the page starts with; it has all of them */
	const char *const *inputs;   /* paths */
	size_t n_inputs;
	const struct pipa_html_note *notes;
	size_t n_notes;

	const struct pipa_series_set *series; /* finished */
	uint64_t max_values;		      /* 0: PIPA_HTML_VALUES_MAX */
	const struct pipa_facts *facts;
	const struct pipa_hardware *hardware;
	const struct pipa_quality *quality;
	const struct pipa_phases *phases;
	/* given together; the context has the constants of the rules */
	const struct pipa_rules *rules;
	const struct pipa_context *context;
	const struct pipa_findings *findings;
	const struct pipa_cpu_loads *cpus;
	const struct pipa_cpus *expected; /* CPUs of the workload; NULL or empty: all */
	const struct pipa_node_load *nodes;
	size_t n_nodes;
	const struct pipa_disk_loads *disks;
	const struct pipa_run *run; /* metrics; NaN where unknown */

	/* samples, as the data of a separate view with its part "timeline" */
	const struct pipa_view *profile;
	uint64_t profile_wall_ns; /* wall clock at time zero of the view; 0: unknown */

	/* further entries of the data: "characterization", "hot", "next", "compare" */
	const struct pipa_view_part *parts;
	size_t n_parts;
	pipa_view_pack_fn *pack; /* compresses series; NULL: uncompressed */
};

/*
 * Write the page: put() receives all bytes in order. Returns 0, -ENOMEM or the first negative result of
 * put(), which ends the writing.
 */
int pipa_html_report_write(const struct pipa_html_report *page, pipa_put_fn *put, void *ctx);

#endif
