#include "job/analyze/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/rules/build_context.h"
#include "base/error.h"
#include "base/str.h"
#include "job/analyze/rule_files.h"
#include "model/facts.h"

void pipa_analysis_close(struct pipa_analysis *a)
{
	pipa_loaded_done(&a->loaded);
	pipa_run_done(&a->run);
	pipa_disk_loads_done(&a->disks);
	free(a->nodes);
	pipa_cpu_loads_done(&a->cpus);
	pipa_findings_done(&a->findings);
	pipa_context_done(&a->context);
	pipa_rules_done(&a->rules);
	pipa_cpus_done(&a->expected);
	pipa_quality_done(&a->quality);
	pipa_dataset_done(&a->dataset);
	*a = (struct pipa_analysis){ 0 };
}

static int read_rules(const struct pipa_analysis_options *o, struct pipa_rules *rules,
		      struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	if (!o->n_rules)
		return pipa_rules_read(PIPA_RULES_DEFAULT, rules, err);
	for (i = 0; !rc && i < o->n_rules; i++)
		rc = pipa_rules_read(o->rules[i], rules, err);
	return rc;
}

/* Read the measurements and note the parts that could not be used. */
static int load_measurements(const struct pipa_analysis_options *o, struct pipa_dataset *dataset,
			     struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < o->n_paths; i++)
		rc = pipa_dataset_add(dataset, o->paths[i], err);
	if (!rc)
		rc = pipa_dataset_finish(dataset, err);
	for (i = 0; i < dataset->notes.n; i++)
		pipa_log_put(&o->log, PIPA_LOG_WARN, "%s: %s", dataset->notes.items[i].name,
			     dataset->notes.items[i].text);
	return rc;
}

/* ---- variables and loads ------------------------------------------------------------------------- */

/* Return the maximum frequency of the description, NaN if it is unknown. */
static double max_frequency(const struct pipa_dataset *dataset)
{
	const struct pipa_fact *cpu = pipa_fact_find(&dataset->facts.top, "cpu_info");
	const struct pipa_fact *mhz = cpu ? pipa_fact_find(cpu, "CPU MHz (max)") : NULL;
	double number;

	if (mhz && mhz->kind == PIPA_FACT_NUMBER)
		return (double)mhz->number;
	return mhz && mhz->kind == PIPA_FACT_TEXT && pipa_str_double(mhz->text, &number) == 0 ?
		       number :
		       NAN;
}

static double section_quality(void *ctx, const struct pipa_section *section)
{
	return pipa_quality_confidence(ctx, section->name, NULL);
}

/* Compute the variables in the steady phase. 0 or -ENOMEM. */
static int build_context(const struct pipa_analysis_options *o, struct pipa_analysis *a)
{
	const struct pipa_context_input input = { .series = &a->dataset.series,
						  .window = a->phases.steady,
						  .hardware = &a->dataset.hardware,
						  .mhz_max = max_frequency(&a->dataset),
						  .expected = &a->expected,
						  .expected_text = o->expected_cpus,
						  .rules = &a->rules,
						  .quality = section_quality,
						  .ctx = &a->quality };
	int rc = pipa_context_build(&input, &a->context);

	return rc ? rc : pipa_rules_set_constants(&a->rules, &a->context);
}

/* Compute the loads of CPUs, NUMA nodes and disks in the steady phase. 0 or -ENOMEM. */
static int compute_loads(struct pipa_analysis *a)
{
	const struct pipa_hardware *hardware = &a->dataset.hardware;
	const struct pipa_series_set *series = &a->dataset.series;
	int rc = pipa_cpu_loads_init(&a->cpus, series, &a->phases.steady, NULL);

	if (!rc)
		rc = pipa_disk_loads_init(&a->disks, series, hardware, &a->phases.steady);
	if (rc || !hardware->nodes.n)
		return rc;
	a->nodes = calloc(hardware->nodes.n, sizeof(*a->nodes));
	if (!a->nodes)
		return -ENOMEM;
	a->n_nodes = pipa_node_loads(&a->cpus, hardware, a->nodes, hardware->nodes.n,
				     &a->node_difference);
	return 0;
}

static int analyze_series(const struct pipa_analysis_options *o, struct pipa_analysis *a,
			  struct pipa_error *err)
{
	int rc = o->expected_cpus ? pipa_cpus_parse(o->expected_cpus, &a->expected, NULL) : 0;

	if (!rc)
		rc = pipa_quality_init(&a->quality, &a->dataset.series);
	if (!rc)
		rc = pipa_phases_find(&a->dataset.series, &a->phases);
	if (!rc && a->phases.reason == PIPA_PHASES_FOUND)
		pipa_log_put(&o->log, PIPA_LOG_WARN, "%s: %s", o->paths[0],
			     pipa_phases_text(a->phases.reason));
	if (!rc)
		rc = build_context(o, a);
	if (!rc)
		rc = compute_loads(a);
	return rc < 0 ? pipa_fail(err, rc, "analyze %s", o->paths[0]) : 0;
}

int pipa_analysis_open(const struct pipa_analysis_options *o, struct pipa_analysis *ret,
		       struct pipa_error *err)
{
	struct pipa_analysis *a = ret;
	int rc;

	*a = (struct pipa_analysis){ 0 };
	pipa_run_init(&a->run);
	rc = read_rules(o, &a->rules, err);
	if (!rc)
		rc = load_measurements(o, &a->dataset, err);
	if (!rc)
		rc = analyze_series(o, a, err);
	if (rc < 0)
		return rc;
	rc = pipa_rules_check(&a->rules);
	if (!rc)
		rc = pipa_rules_evaluate(&a->rules, &a->context, &a->findings);
	return rc < 0 ? pipa_fail(err, rc, "evaluate the rules") : 0;
}
