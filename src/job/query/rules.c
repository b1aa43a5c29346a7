#include "job/query/rules.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/quality/quality.h"
#include "analyze/rules/build_context.h"
#include "analyze/rules/evaluate.h"
#include "analyze/series/phases.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "export/table/rules.h"
#include "export/view/web.h"
#include "import/rules.h"
#include "load/dataset.h"
#include "model/facts.h"

int pipa_rules_read(const char *path, struct pipa_rules *rules, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = PIPA_RULES_BYTES + 1 };
	bool standard = strcmp(path, "-") == 0;
	const char *name = standard ? "standard input" : path;
	int rc;

	if (strcmp(path, PIPA_RULES_DEFAULT) == 0)
		return pipa_rules_decode(pipa_rules_default.bytes, pipa_rules_default.len, path,
					 rules, err);
	rc = standard ? pipa_file_read_fd(STDIN_FILENO, &text) : pipa_file_read(path, &text, err);
	if (rc == -EFBIG)
		return pipa_refuse(err, rc, "cannot read %s: it is too large for a rule file",
				   name);
	if (rc < 0)
		return standard ? pipa_fail(err, rc, "read standard input") : rc;
	return pipa_rules_decode(pipa_buf_str(&text), text.len, name, rules, err);
}

static int check_files(const struct pipa_rules_job *job, struct pipa_buf *out, bool *ret_valid,
		       struct pipa_error *err)
{
	PIPA_AUTO(pipa_rules_done) struct pipa_rules rules = { 0 };
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < job->n_paths; i++)
		rc = pipa_rules_read(job->paths[i], &rules, err);
	if (rc < 0)
		return rc;
	rc = pipa_rules_check(&rules);
	if (rc < 0)
		return pipa_fail(err, rc, "check %s", job->paths[0]);
	if (job->json)
		pipa_rule_problems_write_json(&rules, out);
	else
		pipa_rule_problems_write_text(&rules, out);
	*ret_valid = !rules.n_problems;
	return 0;
}

/* ---- explain ------------------------------------------------------------------------------------- */

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

/* Read the measurements and note the parts that could not be used. */
static int load_measurements(const struct pipa_rules_job *job, struct pipa_dataset *dataset,
			     struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < job->n_paths; i++)
		rc = pipa_dataset_add(dataset, job->paths[i], err);
	if (!rc)
		rc = pipa_dataset_finish(dataset, err);
	for (i = 0; i < dataset->notes.n; i++)
		pipa_log_put(&job->log, PIPA_LOG_WARN, "%s: %s", dataset->notes.items[i].name,
			     dataset->notes.items[i].text);
	return rc;
}

/* Compute the variables in the steady phase. */
static int build_context(const struct pipa_rules_job *job, const struct pipa_rules *rules,
			 const struct pipa_dataset *dataset, struct pipa_context *ret,
			 struct pipa_error *err)
{
	PIPA_AUTO(pipa_quality_done) struct pipa_quality quality = { 0 };
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus expected = { 0 };
	struct pipa_phases phases = { 0 };
	struct pipa_context_input input = { .series = &dataset->series,
					    .hardware = &dataset->hardware,
					    .mhz_max = max_frequency(dataset),
					    .expected = &expected,
					    .expected_text = job->expected_cpus,
					    .rules = rules,
					    .quality = section_quality,
					    .ctx = &quality };
	int rc = job->expected_cpus ? pipa_cpus_parse(job->expected_cpus, &expected, NULL) : 0;

	if (!rc)
		rc = pipa_quality_init(&quality, &dataset->series);
	if (!rc)
		rc = pipa_phases_find(&dataset->series, &phases);
	if (!rc) {
		input.window = phases.steady;
		if (phases.reason == PIPA_PHASES_FOUND)
			pipa_log_put(&job->log, PIPA_LOG_WARN, "%s: %s", job->paths[0],
				     pipa_phases_text(phases.reason));
		rc = pipa_context_build(&input, ret);
	}
	if (!rc)
		rc = pipa_rules_set_constants(rules, ret);
	return rc < 0 ? pipa_fail(err, rc, "analyze %s", job->paths[0]) : 0;
}

static int explain(const struct pipa_rules_job *job, struct pipa_buf *out, struct pipa_error *err)
{
	static const char *const built_in[] = { PIPA_RULES_DEFAULT };
	PIPA_AUTO(pipa_dataset_done) struct pipa_dataset dataset = { 0 };
	PIPA_AUTO(pipa_rules_done) struct pipa_rules rules = { 0 };
	PIPA_AUTO(pipa_context_done) struct pipa_context context = { 0 };
	PIPA_AUTO(pipa_findings_done) struct pipa_findings findings = { 0 };
	const struct pipa_rules_report report = { .input = job->paths[0],
						  .rules = &rules,
						  .context = &context,
						  .findings = &findings,
						  .language = job->language };
	const char *const *files = job->n_rules ? job->rules : built_in;
	size_t i, n = job->n_rules ? job->n_rules : 1;
	int rc = 0;

	for (i = 0; !rc && i < n; i++)
		rc = pipa_rules_read(files[i], &rules, err);
	if (!rc)
		rc = load_measurements(job, &dataset, err);
	if (!rc)
		rc = build_context(job, &rules, &dataset, &context, err);
	if (rc < 0)
		return rc;
	rc = pipa_rules_check(&rules);
	if (!rc)
		rc = pipa_rules_evaluate(&rules, &context, &findings);
	if (rc < 0)
		return pipa_fail(err, rc, "evaluate the rules");
	if (job->json)
		pipa_rules_report_write_json(&report, out);
	else
		pipa_rules_report_write_text(&report, out);
	return 0;
}

int pipa_rules_run(const struct pipa_rules_job *job, struct pipa_buf *out, bool *ret_valid,
		   struct pipa_error *err)
{
	*ret_valid = true;
	switch (job->action) {
	case PIPA_RULES_CHECK: return check_files(job, out, ret_valid, err);
	case PIPA_RULES_EXPLAIN: return explain(job, out, err);
	case PIPA_RULES_PRINT:
		pipa_buf_add(out, pipa_rules_default.bytes, pipa_rules_default.len);
		return 0;
	}
	return -EINVAL;
}
