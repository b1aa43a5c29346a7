/* Options and help of `pipa analyze`. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/cpus.h"
#include "base/error.h"
#include "cli/analyze_args.h"
#include "cli/cmd.h"
#include "cli/open_page.h"
#include "cli/opt_rows.h"
#include "import/bench/transactions.h"
#include "job/analyze/analyze.h"
#include "job/analyze/compare.h"
#include "job/run/run.h"
#include "job/run/run_config.h"
#include "store/output_check.h"

enum { MAX_PATHS = 256 };

struct args {
	struct pipa_analyze_options job;
	struct pipa_analyze_args analysis;
	struct pipa_run_options metrics;
	struct pipa_run_config *config;
	const char *config_path, *output, *form;
	const char *other; /* to compare with; NULL: none */
	const char *paths[MAX_PATHS];
	bool open;
};

static int set_transactions(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	if (pipa_tx_number(text, strlen(text), &args->metrics.transactions) == 0)
		return 0;
	return pipa_refuse(err, -EINVAL,
			   "--transactions: invalid count '%s', expected a number such as 7561946, "
			   "41.5k or 1.2M",
			   text);
}

static const struct pipa_opt opts[] = {
	TITLE("Comparison"),
	TEXT(0, "compare", "B", other,
	     "compare with measurement B: changes with significance, series, functions"),

	TITLE("Metrics"),
	CALL(0, "transactions", "N", set_transactions, "number of transactions of the workload"),
	TEXT(0, "transactions-regex", "RE", metrics.expression,
	     "number of transactions: group 1 of regex RE in the stored output"),
	TEXT(0, "cores", "LIST", metrics.cores, "metrics of these CPUs: 0-3,7 (default: all)"),
	TEXT(0, "dev", "NAME", metrics.dev, "disk of the metrics (default: the busiest)"),
	TEXT(0, "config", "FILE", config_path,
	     "read defaults from a YAML file of the Python tool PIPA"),

	TITLE("Rules"),
	ANALYZE_RULE_ROWS(analysis),

	TITLE("Symbols"),
	KERNEL_ROWS(job.analysis.load.symbols),
	SYMFS_ROW(job.analysis.load.symbols),

	TITLE("Output"),
	TEXT('f', "format", "FORM", form,
	     "html (default), or only the metrics or the comparison as yaml or json"),
	{ .kind = PIPA_OPT_TEXT,
	  .letter = 'o',
	  .name = "output",
	  .also = "output-path",
	  .arg = "FILE",
	  AT(output),
	  .help = "write to FILE; - is standard output (default: report.html, or report_1.html...)" },
	TEXT(0, "title", "TEXT", job.title, "title of the report (default: name of the input)"),
	ANALYZE_LANGUAGE_ROW(analysis),
	FLAG(0, "open", open, "open the report in the browser ($BROWSER, xdg-open)"),
};

static int set_form(struct args *args, struct pipa_error *err)
{
	enum pipa_run_form *form = &args->metrics.format.form;

	*form = PIPA_RUN_TEXT;
	if (!args->form || strcmp(args->form, "html") == 0)
		return 0;
	if (strcmp(args->form, "json") == 0)
		*form = PIPA_RUN_JSON;
	else if (strcmp(args->form, "yaml") == 0)
		*form = PIPA_RUN_YAML;
	else
		return pipa_refuse(err, -EINVAL,
				   "-f: invalid format '%s', expected html, yaml or json",
				   args->form);
	if (args->open)
		return pipa_refuse(err, -EINVAL, "--open requires HTML output");
	return 0;
}

/* Complete the options from the configuration file, which may also name the data. */
static int apply_config(struct args *args, size_t *n_paths, struct pipa_error *err)
{
	int rc;

	if (*n_paths)
		args->metrics.from = args->paths[0];
	if (!args->config_path)
		return 0;
	rc = pipa_run_config_open(&pipa_cli_host, args->config_path, &args->metrics, &args->config,
				  err);
	if (rc < 0)
		return rc;
	args->metrics = *pipa_run_config_options(args->config);
	if (*n_paths || !args->metrics.from)
		return 0;
	if (args->metrics.from_stat || args->metrics.from_sar) {
		if (args->metrics.from_stat)
			args->paths[(*n_paths)++] = args->metrics.from_stat;
		if (args->metrics.from_sar)
			args->paths[(*n_paths)++] = args->metrics.from_sar;
	} else {
		args->paths[(*n_paths)++] = args->metrics.from;
	}
	return 0;
}

static int check_args(struct args *args, struct pipa_error *err)
{
	const struct pipa_run_options *metrics = &args->metrics;
	const struct pipa_symbolize_options *symbols = &args->job.analysis.load.symbols;
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus cpus = { 0 };
	int rc = 0;

	if (!isnan(metrics->transactions) && metrics->expression && !metrics->given_by)
		return pipa_refuse(
			err, -EINVAL,
			"only one of --transactions and --transactions-regex can be given");
	if (metrics->cores && pipa_cpus_parse(metrics->cores, &cpus, NULL) < 0)
		return pipa_refuse(err, -EINVAL,
				   "--cores: invalid CPUs '%.80s', expected a list like 0-3,7",
				   metrics->cores);
	if (args->other && !args->other[0])
		return pipa_refuse(err, -EINVAL, "--compare: empty file name");
	if (args->output && !args->output[0])
		return pipa_refuse(err, -EINVAL, "-o: empty file name");
	if (args->open && args->output && strcmp(args->output, "-") == 0)
		return pipa_refuse(err, -EINVAL, "--open cannot be combined with -o -");
	if (args->job.analysis.n_paths == 0) {
		pipa_refuse(err, -EINVAL, "no file given");
		return pipa_hint(err, "usage: pipa analyze [OPTIONS] ARCHIVE|DIR|FILE...");
	}
	rc = pipa_output_check(args->output, STDOUT_FILENO, args->paths, args->job.analysis.n_paths,
			       err);
	if (!rc && args->other)
		rc = PIPA_OUTPUT_CHECK(args->output, STDOUT_FILENO, err, args->other);
	if (!rc)
		rc = pipa_output_check(args->output, STDOUT_FILENO, args->job.analysis.rules,
				       args->job.analysis.n_rules, err);
	return rc ? rc :
		    PIPA_OUTPUT_CHECK(args->output, STDOUT_FILENO, err, args->config_path,
				      symbols->vmlinux, symbols->kallsyms);
}

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	struct pipa_analysis_options *analysis = &args->job.analysis;
	int rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, args, args->paths, MAX_PATHS,
				err);
	size_t n = rc < 0 ? 0 : (size_t)rc;

	if (rc >= 0)
		rc = set_form(args, err);
	if (!rc)
		rc = apply_config(args, &n, err);
	if (!rc)
		rc = pipa_cli_set_analysis(&args->analysis, analysis, err);
	if (rc < 0)
		return rc;
	analysis->paths = args->paths;
	analysis->n_paths = n;
	analysis->metrics = &args->metrics;
	analysis->load.symbols.lines = PIPA_LINES_STACKS;
	return check_args(args, err);
}

/* Write only the metrics, as `pipa run --from` does, or only the comparison. */
static int write_metrics(struct args *args, struct pipa_error *err)
{
	struct pipa_run_outcome outcome = { 0 };
	struct pipa_run_options *metrics = &args->metrics;

	if (args->other)
		return pipa_compare_run(&args->job, args->other,
					metrics->format.form == PIPA_RUN_JSON ? PIPA_COMPARE_JSON :
										PIPA_COMPARE_YAML,
					err);
	metrics->from = args->paths[0];
	metrics->from_more = args->paths + 1;
	metrics->n_from_more = args->job.analysis.n_paths - 1;
	if (metrics->from_stat || metrics->from_sar)
		metrics->n_from_more = 0; /* the run reads both files */
	metrics->output = args->job.output;
	metrics->out_fd = STDOUT_FILENO;
	metrics->log = args->job.analysis.log;
	metrics->version = pipa_cli_version;
	return pipa_run_run(&pipa_cli_host, metrics, &outcome, err);
}

/*
 * Write the page, to a name that is free unless one was given, and print its path. Returns the exit status if that
 * fails.
 */
static int write_page(const struct pipa_cmd *cmd, struct args *args, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };
	PIPA_AUTO(free) char *path = NULL;
	int rc;

	if (!args->output) {
		path = pipa_analyze_free_path();
		if (!path)
			return pipa_fail(err, -ENOMEM, "choose the name of the report");
		args->job.output = path;
	}
	rc = args->other ? pipa_compare_run(&args->job, args->other, PIPA_COMPARE_HTML, err) :
			   pipa_analyze_run(&args->job, err);
	if (args->open)
		pipa_cli_open_page(cmd, rc, args->job.output, NULL);
	else if (!rc && args->job.output) {
		pipa_buf_printf(&line, "%s\n", args->job.output);
		rc = pipa_cli_print(cmd, &line);
	}
	return rc;
}

static int run_analyze(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct pipa_error err = { 0 };
	struct args args = {
		.job = { .out_fd = STDOUT_FILENO,
			 .version = pipa_cli_version,
			 .analysis.log = pipa_cli_log(cmd) },
		.metrics = { .transactions = NAN,
			     .fail_above = NAN,
			     .mhz = NAN,
			     .username = pipa_cli_user() },
	};
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0) {
		pipa_run_config_close(args.config);
		return pipa_cli_usage(cmd, rc, &err);
	}
	if (args.output && strcmp(args.output, "-") != 0)
		args.job.output = args.output;
	rc = args.metrics.format.form == PIPA_RUN_TEXT ? write_page(cmd, &args, &err) :
							 write_metrics(&args, &err);
	pipa_run_config_close(args.config);
	return rc > 0 ? rc : pipa_cli_end(cmd, rc, &err); /* above 0: status of a failed print */
}

const struct pipa_cmd pipa_cmd_analyze = {
	.name = "analyze",
	.args = "[OPTIONS] ARCHIVE|DIR|FILE...",
	.help = "analyze measurements and write an HTML report with findings and evidence",
	.more = "ARCHIVE is output of pipa collect or of the Python tool PIPA, DIR a directory of pipa run\n"
		"--keep or with perf-stat.csv and sar.txt, FILE a perf.data file or a recording of pipa\n"
		"monitor, pipa stat, sar or perf stat. Several paths are one measurement. The path of the\n"
		"report is printed.\n"
		"Exit status: 0 done, 1 nothing usable or failed, 2 invalid arguments.\n"
		"See pipa-analyze(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_analyze,
};
