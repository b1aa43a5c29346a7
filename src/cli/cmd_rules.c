/* Options and help of `pipa rules`. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "cli/analyze_args.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/analyze/analysis.h"
#include "job/query/rules.h"
#include "store/output_check.h"

enum { MAX_FILES = 64 };

struct args {
	struct pipa_rules_job job;
	struct pipa_analyze_args analysis;
	const char *words[MAX_FILES + 1];
};

static int set_format(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	args->job.json = strcmp(text, "json") == 0;
	if (!args->job.json && strcmp(text, "text") != 0)
		return pipa_refuse(err, -EINVAL,
				   "--format: invalid format '%s', expected text or json", text);
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Rules"),
	{ .kind = PIPA_OPT_FIELD,
	  .name = "rules",
	  .arg = "FILE",
	  AT(analysis),
	  .set = pipa_cli_add_rules,
	  .help = "explain, next: rule file (repeatable; default: the built-in rules, also named 'default')" },
	TEXT(0, "expected-cpus", "LIST", analysis.expected_cpus,
	     "explain, next: CPUs the workload is bound to: 0-3,7 (default: affinity is not checked)"),

	TITLE("Output"),
	CALL('f', "format", "FORM", set_format, "text or json (default: text)"),
	ANALYZE_LANGUAGE_ROW(analysis),
};

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	static const char *const actions[] = { "check", "explain", "print", "next" };
	const char *const usage =
		"usage: pipa rules check FILE, pipa rules explain ARCHIVE, pipa rules next ARCHIVE, "
		"or pipa rules print";
	struct pipa_analysis_options analysis = { 0 };
	struct pipa_rules_job *job = &args->job;
	int i, rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, args, args->words,
				   PIPA_COUNT(args->words), err);

	if (rc < 0)
		return rc;
	if (!rc) {
		pipa_refuse(err, -EINVAL, "no action given");
		return pipa_hint(err, "%s", usage);
	}
	for (i = 0; i < (int)PIPA_COUNT(actions) && strcmp(actions[i], args->words[0]) != 0; i++)
		;
	if (i == (int)PIPA_COUNT(actions)) {
		pipa_refuse(err, -EINVAL, "unknown action '%s'", args->words[0]);
		return pipa_hint(err, "%s", usage);
	}
	job->action = (enum pipa_rules_action)i;
	job->paths = args->words + 1;
	job->n_paths = (size_t)rc - 1;
	rc = pipa_cli_set_analysis(&args->analysis, &analysis, err);
	if (rc < 0)
		return rc;
	job->rules = analysis.rules;
	job->n_rules = analysis.n_rules;
	job->expected_cpus = analysis.expected_cpus;
	job->language = analysis.language;
	if (job->action == PIPA_RULES_PRINT ? job->n_paths > 0 : job->n_paths == 0) {
		if (job->n_paths)
			pipa_refuse(err, -EINVAL, "unexpected argument '%s'", job->paths[0]);
		else
			pipa_refuse(err, -EINVAL, "no file given");
		return pipa_hint(err, "%s", usage);
	}
	rc = pipa_output_check(NULL, STDOUT_FILENO, job->paths, job->n_paths, err);
	return rc ? rc : pipa_output_check(NULL, STDOUT_FILENO, job->rules, job->n_rules, err);
}

static int run_rules(const struct pipa_cmd *cmd, int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error err = { 0 };
	struct args args = { 0 };
	bool valid = false;
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	args.job.log = pipa_cli_log(cmd);
	rc = pipa_rules_run(&args.job, &text, &valid, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->failure);
	rc = pipa_cli_print(cmd, &text);
	return rc ? rc : !valid;
}

const struct pipa_cmd pipa_cmd_rules = {
	.name = "rules",
	.args = "check FILE... | explain [OPTIONS] ARCHIVE... | next [OPTIONS] ARCHIVE... | print",
	.help = "check rule files, or show which rules a measurement fires and why",
	.more = "FILE is a rule file in YAML, such as PIPA's decision_tree.yaml, or 'default', the built-in\n"
		"rules. ARCHIVE is output of pipa collect or pipa run --keep, a directory, or a recording of\n"
		"statistics. next proposes commands that measure missing data. print\n"
		"writes the built-in rules.\n"
		"Exit status: 0 done, 1 problems in a rule file or failed, 2 invalid arguments.\n"
		"See pipa-rules(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_rules,
};
