#include "job/query/rules.h"

#include <errno.h>

#include "analyze/rules/evaluate.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "export/report/report_next.h"
#include "export/table/rules.h"
#include "export/view/web.h"
#include "job/analyze/analysis.h"
#include "job/analyze/next_steps.h"
#include "job/analyze/rule_files.h"

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
		pipa_rule_problems_write_text(&rules, job->language, out);
	*ret_valid = !rules.n_problems;
	return 0;
}

static int explain(const struct pipa_rules_job *job, struct pipa_buf *out, struct pipa_error *err)
{
	const struct pipa_analysis_options options = { .paths = job->paths,
						       .n_paths = job->n_paths,
						       .rules = job->rules,
						       .n_rules = job->n_rules,
						       .expected_cpus = job->expected_cpus,
						       .no_profile = true,
						       .language = job->language,
						       .log = job->log };
	PIPA_AUTO(pipa_analysis_close) struct pipa_analysis analysis = { 0 };
	const struct pipa_rules_report report = { .input = job->paths[0],
						  .rules = &analysis.rules,
						  .context = &analysis.context,
						  .findings = &analysis.findings,
						  .language = job->language };
	int rc = pipa_analysis_open(&options, &analysis, err);

	if (rc < 0)
		return rc;
	if (job->json)
		pipa_rules_report_write_json(&report, out);
	else
		pipa_rules_report_write_text(&report, out);
	return 0;
}

/* Propose what to measure next, as text or as a list of JSON. */
static int propose_next(const struct pipa_rules_job *job, struct pipa_buf *out,
			struct pipa_error *err)
{
	const struct pipa_analysis_options options = { .paths = job->paths,
						       .n_paths = job->n_paths,
						       .rules = job->rules,
						       .n_rules = job->n_rules,
						       .expected_cpus = job->expected_cpus,
						       .language = job->language,
						       .log = job->log };
	PIPA_AUTO(pipa_analysis_close) struct pipa_analysis analysis = { 0 };
	PIPA_AUTO(pipa_next_steps_done) struct pipa_next_steps steps = { 0 };
	int rc = pipa_analysis_open(&options, &analysis, err);

	if (rc < 0)
		return rc;
	rc = pipa_next_steps_of(&analysis, &steps);
	if (rc < 0)
		return pipa_fail(err, rc, "propose the next measurement");
	if (job->json) {
		pipa_report_put_next(&steps, out);
		pipa_buf_putc(out, '\n');
	} else {
		pipa_report_put_next_text(&steps, job->language, out);
	}
	return 0;
}

int pipa_rules_run(const struct pipa_rules_job *job, struct pipa_buf *out, bool *ret_valid,
		   struct pipa_error *err)
{
	*ret_valid = true;
	switch (job->action) {
	case PIPA_RULES_CHECK: return check_files(job, out, ret_valid, err);
	case PIPA_RULES_EXPLAIN: return explain(job, out, err);
	case PIPA_RULES_NEXT: return propose_next(job, out, err);
	case PIPA_RULES_PRINT:
		pipa_buf_add(out, pipa_rules_default.bytes, pipa_rules_default.len);
		return 0;
	}
	return -EINVAL;
}
