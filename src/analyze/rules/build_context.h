/*
 * Compute the variables of rules (analyze/rules/variables.h) from series and the description of the machine.
 * A variable whose data does not exist is absent, with the statistics that it needs as its source.
 */
#ifndef PIPA_ANALYZE_RULES_BUILD_CONTEXT_H
#define PIPA_ANALYZE_RULES_BUILD_CONTEXT_H

#include <stddef.h>

#include "analyze/series/series_summary.h"
#include "base/cpus.h"

struct pipa_context;
struct pipa_hardware;
struct pipa_rules;
struct pipa_run;
struct pipa_section;

struct pipa_context_input {
	const struct pipa_series_set *series; /* finished; counters are in its section "counters" */
	struct pipa_time_window window;	      /* intervals to use; zero: all */
	/* Loads of the CPUs in the window, which are classified by the thresholds of the rules; NULL: compute them */
	struct pipa_cpu_loads *cpus;
	const struct pipa_hardware *hardware; /* of the measured machine; NULL: unknown */
	double mhz_max;			      /* maximum frequency of its CPUs; NaN or 0: unknown */
	const struct pipa_cpus *expected;     /* CPUs of the workload; NULL or empty: all */
	const char *expected_text;	      /* as given by the user; NULL: none */
	const struct pipa_rules *rules;	      /* thresholds of classes; NULL: PIPA's */
	/* metrics of a run, used where the series have none; NULL: none */
	const struct pipa_run *run;
	/* return the quality of a section, 0 to 1; NULL: 1 */
	double (*quality)(void *ctx, const struct pipa_section *section);
	void *ctx;
};

/* Set all variables of the table. 0 or -ENOMEM. */
int pipa_context_build(const struct pipa_context_input *input, struct pipa_context *ret);

#endif
