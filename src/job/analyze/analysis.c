#include "job/analyze/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/rules/build_context.h"
#include "base/error.h"
#include "base/str.h"
#include "job/analyze/rule_files.h"
#include "job/run/run.h"
#include "job/run/run_config.h"
#include "model/facts.h"
#include "store/archive.h"
#include "store/input.h"

void pipa_analysis_close(struct pipa_analysis *a)
{
	pipa_loaded_done(&a->loaded);
	pipa_input_close(a->input);
	pipa_run_done(&a->run);
	pipa_run_dataset_close(&a->run_counts);
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

/*
 * Read the measurements and note the parts that could not be used; one of several paths that cannot be opened
 * is such a part.
 */
static int load_measurements(const struct pipa_analysis_options *o, struct pipa_dataset *dataset,
			     struct pipa_error *err)
{
	struct pipa_error first = { 0 };
	size_t i;
	int rc = 0;

	dataset->name = o->source;
	for (i = 0; !rc && i < o->n_paths; i++) {
		struct pipa_error own = { 0 };

		rc = pipa_dataset_add(dataset, o->paths[i], &own);
		if (rc < 0 && !first.code)
			first = own;
		if (rc < 0 && rc != -ENOMEM)
			rc = pipa_dataset_note_unusable(dataset, o->paths[i], own.what);
	}
	if (!rc)
		rc = pipa_dataset_finish(dataset, err);
	if (rc < 0 && first.code && err)
		*err = first;
	return rc < 0 && first.code ? first.code : rc;
}

/* Log the notes, except the one that is the error message. */
static void log_notes(const struct pipa_analysis_options *o, const struct pipa_dataset *dataset,
		      const struct pipa_error *err)
{
	size_t i;

	for (i = 0; i < dataset->notes.n; i++)
		if (!err || strcmp(dataset->notes.items[i].text, err->what) != 0)
			pipa_log_put(&o->log, PIPA_LOG_WARN, "%s: %s", dataset->notes.items[i].name,
				     dataset->notes.items[i].text);
}

/* ---- samples ------------------------------------------------------------------------------------- */

/* Load a recording of the dataset. */
static int load_recording(const struct pipa_analysis_options *o, size_t index,
			  struct pipa_analysis *a, struct pipa_error *err)
{
	const struct pipa_dataset_recording *recording = &a->dataset.recordings.items[index];
	const struct pipa_dataset_input *input = &a->dataset.inputs.items[recording->input];
	struct pipa_load_options load = o->load;
	int rc;

	load.timeline = true;
	load.timeline_max = PIPA_ANALYSIS_SAMPLES_MAX;
	load.drop_frames = true;
	load.log = o->log;
	load.path = recording->path;
	a->profile_path = o->source ? o->source : recording->path ? recording->path : input->path;
	if (recording->path)
		return pipa_load(&load, &a->loaded, err);
	rc = pipa_archive_open_recording(input->archive, &a->input, err);
	if (!rc)
		rc = pipa_load_input(&load, a->input, &a->loaded, err);
	if (rc < 0) {
		pipa_input_close(a->input);
		a->input = NULL;
	}
	return rc;
}

/*
 * Load the first recording with samples and add its losses to the quality. Recordings that cannot be read are
 * noted. 0 or -ENOMEM.
 */
static int load_profile(const struct pipa_analysis_options *o, struct pipa_analysis *a)
{
	struct pipa_sample_losses losses = { 0 };
	size_t i, k;
	int rc = 0;

	for (i = 0; !o->no_profile && !rc && !a->has_profile && i < a->dataset.recordings.n; i++) {
		struct pipa_error own = { 0 };

		rc = load_recording(o, i, a, &own);
		a->has_profile = !rc && a->loaded.profile.samples.n;
		if (a->has_profile || rc == -ENOMEM)
			break;
		rc = pipa_dataset_note_unusable(&a->dataset, a->profile_path,
						rc < 0 ? own.what : "no samples");
		pipa_loaded_done(&a->loaded);
		a->loaded = (struct pipa_loaded){ 0 };
		pipa_input_close(a->input);
		a->input = NULL;
	}
	if (rc || !a->has_profile)
		return rc;
	losses.name = a->profile_path;
	losses.lost = a->loaded.profile.losses.lost_samples;
	losses.throttled = a->loaded.profile.losses.throttled;
	for (k = 0; k < a->loaded.profile.samples.n; k++)
		losses.samples += a->loaded.profile.samples.items[k].count;
	return pipa_quality_add_samples(&a->quality, &losses);
}

/* Compute the metrics of `pipa run`, and the hot functions from the profile. */
static int compute_metrics(const struct pipa_analysis_options *o, struct pipa_analysis *a,
			   struct pipa_error *err)
{
	struct pipa_run_options metrics;
	int rc = 0;

	if (!o->metrics)
		return 0;
	metrics = *o->metrics;
	metrics.from = o->paths[0];
	if (metrics.cores)
		rc = pipa_cpus_parse(metrics.cores, &a->run.cores, err);
	if (!rc && pipa_run_describe(&metrics, &a->run) < 0)
		rc = pipa_fail(err, -ENOMEM, "read %s", metrics.from);
	if (!rc)
		rc = pipa_run_dataset_open(&a->dataset, &a->phases.steady, &metrics, &a->run,
					   &a->run_counts, err);
	if (!rc && a->has_profile && pipa_run_set_hot(&a->run, &a->loaded.profile) < 0)
		rc = pipa_fail(err, -ENOMEM, "find hot functions");
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
						  .cpus = &a->cpus,
						  .hardware = &a->dataset.hardware,
						  .mhz_max = max_frequency(&a->dataset),
						  .expected = &a->expected,
						  .expected_text = o->expected_cpus,
						  .rules = &a->rules,
						  .run = o->metrics ? &a->run : NULL,
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

/* Find defects and phases, and compute everything that depends on the steady phase. */
static int analyze_data(const struct pipa_analysis_options *o, struct pipa_analysis *a,
			struct pipa_error *err)
{
	int rc = o->expected_cpus ? pipa_cpus_parse(o->expected_cpus, &a->expected, NULL) : 0;

	if (!rc)
		rc = pipa_quality_init(&a->quality, &a->dataset.series);
	if (!rc)
		rc = pipa_phases_find(&a->dataset.series, &a->phases);
	if (!rc)
		rc = load_profile(o, a);
	if (!rc)
		rc = compute_loads(a);
	if (rc < 0)
		return pipa_fail(err, rc, "analyze %s", o->paths[0]);
	rc = compute_metrics(o, a, err);
	if (rc < 0)
		return rc;
	rc = build_context(o, a);
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
		rc = analyze_data(o, a, err);
	log_notes(o, &a->dataset, rc < 0 ? err : NULL);
	if (rc < 0)
		return rc;
	if (!o->no_profile && !a->dataset.series.values && !a->has_profile) {
		pipa_refuse(err, -ENODATA, "%s holds nothing that can be analyzed", o->paths[0]);
		return pipa_hint(err, "%s: %s", a->dataset.notes.items[0].name,
				 a->dataset.notes.items[0].text);
	}
	if (a->phases.reason == PIPA_PHASES_FOUND)
		pipa_log_put(&o->log, PIPA_LOG_WARN, "%s: %s", o->paths[0],
			     pipa_phases_text(a->phases.reason));
	rc = pipa_rules_check(&a->rules);
	if (!rc)
		rc = pipa_rules_evaluate(&a->rules, &a->context, &a->findings);
	return rc < 0 ? pipa_fail(err, rc, "evaluate the rules") : 0;
}
