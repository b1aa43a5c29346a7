/*
 * Analysis of earlier measurements: the data, its quality and phases, the variables and findings of rules, the
 * loads of CPUs, NUMA nodes and disks, the metrics of `pipa run`, and the samples of a recording. Used by
 * `pipa analyze` and `pipa rules explain`.
 */
#ifndef PIPA_JOB_ANALYZE_ANALYSIS_H
#define PIPA_JOB_ANALYZE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/quality/quality.h"
#include "analyze/rules/evaluate.h"
#include "analyze/series/cpu_load.h"
#include "analyze/series/disk_load.h"
#include "analyze/series/phases.h"
#include "base/cpus.h"
#include "base/log.h"
#include "job/run/run_dataset.h"
#include "load/dataset.h"
#include "load/load.h"
#include "model/context.h"
#include "model/rules.h"
#include "model/run.h"

struct pipa_error;
struct pipa_input;
struct pipa_run_options;

/* Samples in the timeline of a profile; more are merged, so that the report stays small. */
enum { PIPA_ANALYSIS_SAMPLES_MAX = 1 << 18 };

struct pipa_analysis_options {
	const char *const *paths; /* archives, directories and files; at least one */
	size_t n_paths;
	const char *source;	  /* shown instead of the paths if these are temporary; or NULL */
	const char *const *rules; /* rule files; none: the built-in file */
	size_t n_rules;
	const char *expected_cpus; /* "0-3,7"; NULL: not given */

	/*
	 * Options of the metrics as for `run --from`: transactions, expression, cores, dev, description. Its
	 * path is set by the analysis. NULL: metrics are not computed.
	 */
	const struct pipa_run_options *metrics;

	struct pipa_load_options load; /* of samples; path and log are set by the analysis */
	bool no_profile;	       /* do not load a recording */

	enum pipa_language language;
	struct pipa_log log; /* receives notes on parts that could not be used */
};

/* All results. Its parts refer to each other: it must not move. */
struct pipa_analysis {
	struct pipa_dataset dataset;
	struct pipa_quality quality;
	struct pipa_phases phases;
	struct pipa_cpus expected; /* CPUs of expected_cpus; empty: not given */
	struct pipa_rules rules;
	struct pipa_context context;
	struct pipa_findings findings;
	struct pipa_cpu_loads cpus;
	struct pipa_node_load *nodes; /* NULL: no nodes */
	size_t n_nodes;
	double node_difference; /* of the loads of nodes, in percentage points */
	struct pipa_disk_loads disks;
	/* metrics: averages of the steady phase, counts of the whole measurement; NaN where unknown */
	struct pipa_run run;
	struct pipa_run_dataset run_counts; /* counters of the run */
	struct pipa_loaded loaded;	    /* the first recording with stacks, if has_profile */
	struct pipa_input *input;	    /* of a recording in an archive */
	bool has_profile;
	const char
		*profile_path; /* of that recording, or of its archive; borrowed from the dataset */
};

/*
 * Analyze measurements. Parts that cannot be used are notes of the dataset. Fails if a rule file
 * cannot be read, or if nothing is usable. `ret` must be freed also after a failure.
 */
int pipa_analysis_open(const struct pipa_analysis_options *options, struct pipa_analysis *ret,
		       struct pipa_error *err);
void pipa_analysis_close(struct pipa_analysis *analysis);

static inline void pipa_analysis_close_auto(struct pipa_analysis *analysis)
{
	pipa_analysis_close(analysis);
}

#endif
