/* Options and help of `pipa run`. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/interrupt.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "cli/html_report_args.h"
#include "cli/server_args.h"
#include "import/bench/transactions.h"
#include "job/analyze/run_report.h"
#include "job/remote/upload.h"
#include "job/run/run.h"
#include "job/run/run_config.h"
#include "store/output_check.h"

enum { RUN_HZ = 299 }; /* 0.3 % overhead at 10 us per sample */

struct args {
	struct pipa_run_options job;
	struct {
		struct pipa_event_arg *items;
		size_t n, cap;
	} events;
	struct {
		const char **items;
		size_t n, cap;
	} argv;
	struct {
		const char **items;
		size_t n, cap;
	} commands;
	struct {
		struct pipa_run_parameter *items;
		size_t n, cap;
	} parameters;
	struct {
		struct pipa_run_export_file *items;
		size_t n, cap;
	} exports;
	const char *form, *color, *config_path, *shell;
	struct pipa_run_config *config;
	struct pipa_html_report_args report;
	struct pipa_remote_options upload; /* without an address: nothing is uploaded */
	struct pipa_buf document;	   /* the report that is uploaded */
	bool has_calls;
};

static int add_event(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	struct pipa_event_arg *arg = PIPA_VEC_ADD(&args->events);

	if (!arg)
		return pipa_fail(err, -ENOMEM, "parse options");
	arg->text = text;
	return 0;
}

static int set_transactions(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	if (pipa_tx_number(text, strlen(text), &args->job.transactions) == 0)
		return 0;
	return pipa_refuse(err, -EINVAL,
			   "--transactions: invalid count '%s', expected a number such as 7561946, "
			   "41.5k or 1.2M",
			   text);
}

static int set_percent(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	if (pipa_str_double(text, &args->job.fail_above) == 0 && args->job.fail_above >= 0)
		return 0;
	return pipa_refuse(err, -EINVAL,
			   "--fail-on-regression: invalid percentage '%s', expected 0 or more",
			   text);
}

static int set_calls(void *values, const char *text, struct pipa_error *err)
{
	static const struct {
		const char *name;
		enum pipa_calls calls;
	} known[] = { { "none", PIPA_CALLS_NONE },
		      { "fp", PIPA_CALLS_FP },
		      { "dwarf", PIPA_CALLS_DWARF },
		      { "auto", PIPA_CALLS_AUTO } };
	struct args *args = values;
	size_t i;

	for (i = 0; i < PIPA_COUNT(known); i++)
		if (strcmp(text, known[i].name) == 0) {
			args->job.calls = known[i].calls;
			args->has_calls = true;
			return 0;
		}
	return pipa_refuse(err, -EINVAL,
			   "--call-graph: invalid method '%s', expected auto, fp, dwarf or none",
			   text);
}

static int add_command(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	const char **slot;

	if (!text[strspn(text, " \t\n")])
		return pipa_refuse(err, -EINVAL, "--command: empty command");
	slot = PIPA_VEC_ADD(&args->commands);
	if (!slot)
		return pipa_fail(err, -ENOMEM, "parse options");
	*slot = text;
	return 0;
}

static int add_parameter(struct args *args, struct pipa_run_parameter parameter,
			 struct pipa_error *err)
{
	struct pipa_run_parameter *slot = PIPA_VEC_ADD(&args->parameters);

	if (!slot)
		return pipa_fail(err, -ENOMEM, "parse options");
	*slot = parameter;
	return 0;
}

static int add_scan(void *values, char *const *texts, struct pipa_error *err)
{
	return add_parameter(values,
			     (struct pipa_run_parameter){
				     .name = texts[0], .first = texts[1], .last = texts[2] },
			     err);
}

static int add_list(void *values, char *const *texts, struct pipa_error *err)
{
	return add_parameter(
		values, (struct pipa_run_parameter){ .name = texts[0], .list = texts[1] }, err);
}

static int add_export(struct args *args, enum pipa_run_form form, const char *path,
		      struct pipa_error *err)
{
	struct pipa_run_export_file *slot = PIPA_VEC_ADD(&args->exports);

	if (!slot)
		return pipa_fail(err, -ENOMEM, "parse options");
	*slot = (struct pipa_run_export_file){ form, path };
	return 0;
}

static int export_csv(void *values, const char *path, struct pipa_error *err)
{
	return add_export(values, PIPA_RUN_CSV, path, err);
}

static int export_json(void *values, const char *path, struct pipa_error *err)
{
	return add_export(values, PIPA_RUN_JSON, path, err);
}

static int export_markdown(void *values, const char *path, struct pipa_error *err)
{
	return add_export(values, PIPA_RUN_MARKDOWN, path, err);
}

static const struct pipa_opt opts[] = {
	TITLE("Workload"),
	CALL(0, "command", "CMD", add_command,
	     "run CMD with sh; repeat the option to compare commands"),
	TEXT('S', "shell", "SHELL", shell,
	     "shell for commands given as one string: sh (default) or none"),
	TEXT(0, "setup", "CMD", job.hooks[PIPA_RUN_SETUP],
	     "run CMD with sh once before the runs of each command"),
	TEXT(0, "prepare", "CMD", job.hooks[PIPA_RUN_PREPARE], "run CMD with sh before each run"),
	TEXT(0, "cleanup", "CMD", job.hooks[PIPA_RUN_CLEANUP],
	     "run CMD with sh once after the runs of each command"),
	FLAG(0, "ignore-failure", job.ignore_failure,
	     "continue if a command fails, and exit with 0"),
	FLAG(0, "show-output", job.show_output, "show the output of commands that are compared"),
	TEXT(0, "from", "PATH", job.from, "report on existing data in PATH, do not run a command"),
	CALL(0, "transactions", "N", set_transactions, "number of transactions of the workload"),
	TEXT(0, "transactions-regex", "RE", job.expression,
	     "number of transactions: group 1 of regex RE in the output"),
	FLAG(0, "no-capture", job.no_capture,
	     "do not capture the output; transactions are not detected"),

	TITLE("Target and events"),
	TEXT(0, "cores", "LIST", job.cores,
	     "report counters and utilization of these CPUs: 0-3,7; does not pin"),
	TEXT(0, "config", "FILE", config_path,
	     "read defaults from a YAML file of the Python tool PIPA"),
	TEXT(0, "dev", "NAME", job.dev, "disk to report (default: the busiest)"),
	TEXT(0, "workload", "NAME", job.workload, "name of the workload in the report"),
	CALL('e', "event", "LIST", add_event, "count these events instead of the default set"),
	{ .kind = PIPA_OPT_COUNT,
	  .letter = 'd',
	  .name = "detailed",
	  AT(job.detail),
	  .help = "add cache events; repeat up to three times for more" },
	TIME(0, "interval", "SEC", PIPA_NS_PER_SEC, job.interval_ns,
	     "read counters and statistics every SEC seconds (default: 1)"),

	TITLE("Sampling"),
	FLAG(0, "record", job.record,
	     "sample to find hot functions (default, but not in comparisons)"),
	FLAG(0, "no-record", job.no_record, "do not sample"),
	{ .kind = PIPA_OPT_U64,
	  .letter = 'F',
	  .name = "freq",
	  .arg = "HZ",
	  .above_zero = true,
	  AT(job.hz),
	  .help = "samples per second (default: 299)" },
	CALL(0, "call-graph", "HOW", set_calls,
	     "unwind method for sampling: auto, fp, dwarf or none"),

	TITLE("Repetition and comparison"),
	{ .kind = PIPA_OPT_UINT,
	  .letter = 'r',
	  .name = "repeat",
	  .arg = "N",
	  .above_zero = true,
	  AT(job.repeat),
	  .help = "run N times and report mean, spread and outliers" },
	{ .kind = PIPA_OPT_UINT,
	  .letter = 'w',
	  .name = "warmup",
	  .arg = "N",
	  AT(job.warmup),
	  .help = "run each command N times before the measured runs" },
	{ .kind = PIPA_OPT_LIST,
	  .letter = 'P',
	  .name = "parameter-scan",
	  .arg = "NAME MIN MAX",
	  .n_values = 3,
	  .set_list = add_scan,
	  .help = "replace {NAME} in the commands by MIN to MAX and compare" },
	TEXT(0, "parameter-step-size", "STEP", job.step, "step of --parameter-scan (default: 1)"),
	{ .kind = PIPA_OPT_LIST,
	  .letter = 'L',
	  .name = "parameter-list",
	  .arg = "NAME VALUES",
	  .n_values = 2,
	  .set_list = add_list,
	  .help = "replace {NAME} by each of VALUES (comma-separated) and compare" },
	TEXT(0, "metric", "NAME", job.metric,
	     "compare by metric NAME (default: throughput if known, else run_time)"),
	TEXT(0, "baseline", "FILE", job.baseline, "compare with an earlier -f json report"),
	CALL(0, "fail-on-regression", "PERCENT", set_percent,
	     "exit 3 if a metric regressed significantly by more than PERCENT"),

	TITLE("Output"),
	TEXT('f', "format", "FORM", form, "text (default), yaml, json, markdown or csv"),
	CALL(0, "export-markdown", "FILE", export_markdown, "also write a Markdown table to FILE"),
	CALL(0, "export-csv", "FILE", export_csv, "also write the comparison as CSV to FILE"),
	CALL(0, "export-json", "FILE", export_json, "also write the report as JSON to FILE"),
	TEXT('o', "output", "FILE", job.output,
	     "write the report to FILE (default: standard output)"),
	HTML_REPORT_ROW(report),
	TEXT(0, "keep", "DIR", job.keep, "store the raw data in DIR"),
	TEXT(0, "color", "WHEN", color, "colour output: auto (default), always or never"),

	TITLE("Upload"),
	TEXT(0, "upload", "HOST:PORT", upload.address,
	     "store the result at a pipad server, with the recording of --keep"),
	SERVER_ROWS("upload-", "upload-timeout", upload),
};

static int set_form(struct args *args, struct pipa_error *err)
{
	static const char *const forms[] = {
		[PIPA_RUN_TEXT] = "text", [PIPA_RUN_JSON] = "json",
		[PIPA_RUN_YAML] = "yaml", [PIPA_RUN_MARKDOWN] = "markdown",
		[PIPA_RUN_CSV] = "csv",
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(forms); i++)
		if (!args->form || strcmp(args->form, forms[i]) == 0) {
			args->job.format.form = (enum pipa_run_form)i;
			return 0;
		}
	return pipa_refuse(err, -EINVAL,
			   "-f: invalid format '%s', expected text, yaml, json, markdown or csv",
			   args->form);
}

static int set_shell(struct args *args, struct pipa_error *err)
{
	if (!args->shell)
		return 0;
	if (strcmp(args->shell, "sh") == 0)
		args->job.shell = PIPA_RUN_SHELL_SH;
	else if (strcmp(args->shell, "none") == 0)
		args->job.shell = PIPA_RUN_SHELL_NONE;
	else
		return pipa_refuse(err, -EINVAL, "--shell: invalid shell '%s', expected sh or none",
				   args->shell);
	return 0;
}

/* Refuse options that only a command has a use for. */
static int check_from(const struct pipa_run_options *job, struct pipa_error *err)
{
	if (job->command || job->n_commands || job->repeat || job->keep || job->no_capture)
		return pipa_refuse(err, -EINVAL,
				   "--from cannot be combined with a command, --repeat, --keep "
				   "or --no-capture");
	if (job->warmup || job->hooks[PIPA_RUN_SETUP] || job->hooks[PIPA_RUN_PREPARE] ||
	    job->hooks[PIPA_RUN_CLEANUP] || job->n_parameters || job->metric || job->n_exports ||
	    job->format.form > PIPA_RUN_YAML)
		return pipa_refuse(err, -EINVAL,
				   "--from cannot be combined with options of repeated runs");
	return 0;
}

/* Return the n-th output file and its option; NULL if it was not given. */
static const char *output_file(const struct args *args, size_t n, const char **ret_option)
{
	static const char *const exports[PIPA_RUN_CSV + 1] = {
		[PIPA_RUN_JSON] = "--export-json",
		[PIPA_RUN_MARKDOWN] = "--export-markdown",
		[PIPA_RUN_CSV] = "--export-csv",
	};

	*ret_option = n ? "--report" : "-o";
	if (n < 2)
		return n ? args->report.path : args->job.output;
	*ret_option = exports[args->exports.items[n - 2].form];
	return args->exports.items[n - 2].path;
}

/* Refuse outputs that are inputs, and two outputs to one file. */
static int check_outputs(const struct args *args, struct pipa_error *err)
{
	const struct pipa_run_options *job = &args->job;
	size_t n = 2 + args->exports.n, i, k;
	const char *option, *before;
	int rc = 0;

	for (i = 0; !rc && i < n; i++) {
		const char *path = output_file(args, i, &option);

		if (path && !path[0])
			return pipa_refuse(err, -EINVAL, "%s: empty file name", option);
		for (k = 0; path && k < i; k++) {
			const char *other = output_file(args, k, &before);

			if (other && pipa_output_is_same(other, path))
				return pipa_refuse(err, -EINVAL, "%s and %s name the same file",
						   before, option);
		}
		if (path || !i) /* -o: standard output may be a file */
			rc = PIPA_OUTPUT_CHECK(path, i ? -1 : STDOUT_FILENO, err, job->from,
					       job->from_stat, job->from_sar, job->baseline,
					       args->config_path);
	}
	return rc;
}

static int check_args(const struct args *args, struct pipa_error *err)
{
	const struct pipa_run_options *job = &args->job;

	if (job->from && check_from(job, err) < 0)
		return -EINVAL;
	if (job->command && job->n_commands)
		return pipa_refuse(err, -EINVAL,
				   "--command cannot be combined with a command after the options");
	if (job->step && !job->n_parameters)
		return pipa_refuse(err, -EINVAL, "--parameter-step-size requires --parameter-scan");
	if (!job->command && !job->n_commands && !job->from) {
		pipa_refuse(err, -EINVAL, "missing command");
		return pipa_hint(err, "usage: pipa run [OPTIONS] -- COMMAND");
	}
	if (job->record && job->no_record)
		return pipa_refuse(err, -EINVAL,
				   "only one of --record and --no-record can be given");
	if (!isnan(job->transactions) && job->expression)
		return pipa_refuse(
			err, -EINVAL,
			"only one of --transactions and --transactions-regex can be given");
	if (job->expression && job->no_capture)
		return pipa_refuse(err, -EINVAL,
				   "--transactions-regex cannot be combined with --no-capture");
	if (!isnan(job->fail_above) && !job->baseline) {
		return pipa_refuse(err, -EINVAL, "--fail-on-regression requires --baseline FILE");
	}
	if (args->report.on &&
	    (job->repeat > 1 || job->n_commands + !!job->command > 1 || job->n_parameters ||
	     job->format.form == PIPA_RUN_MARKDOWN || job->format.form == PIPA_RUN_CSV)) {
		pipa_refuse(err, -EINVAL, "--report requires one run of one command");
		return pipa_hint(err,
				 "pipa analyze A --compare B compares runs that --keep stored");
	}
	return check_outputs(args, err);
}

static unsigned int terminal_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int finish_args(struct args *args, int argc, char **argv, struct pipa_error *err)
{
	struct pipa_run_options *job = &args->job;
	const char **slot;
	int i, rc = 0;

	if (job->output && strcmp(job->output, "-") == 0)
		job->output = NULL;
	if (!rc)
		rc = pipa_cli_color(args->color, job->output ? -1 : STDOUT_FILENO,
				    &job->format.color, err);
	for (i = -1; !rc && i < argc; i++) {
		slot = PIPA_VEC_ADD(&args->argv);
		if (!slot)
			return pipa_fail(err, -ENOMEM, "parse options");
		*slot = i < 0 ? "pipa" : argv[i];
	}
	job->argv = args->argv.items;
	job->argc = args->argv.n;
	job->command_signals = &pipa_cli_signals;
	job->version = pipa_cli_version;
	job->username = pipa_cli_user();
	job->log = pipa_cli_log(&pipa_cmd_run);
	job->out_fd = STDOUT_FILENO;
	job->command_outputs[0] = STDOUT_FILENO;
	job->command_outputs[1] = STDERR_FILENO;
	job->format.width = job->output ? 0 : terminal_width();
	return rc;
}

static void args_done(struct args *args)
{
	free(args->events.items);
	pipa_run_config_close(args->config);
	free(args->argv.items);
	free(args->commands.items);
	free(args->parameters.items);
	free(args->exports.items);
	pipa_buf_done(&args->document);
}

/* Apply the configuration file to options that were not given, then the defaults. */
static int apply_config(struct args *args, struct pipa_error *err)
{
	struct pipa_run_options *job = &args->job;
	int rc = 0;

	job->events = args->events.items;
	job->n_events = args->events.n;
	job->commands = args->commands.items;
	job->n_commands = args->commands.n;
	job->parameters = args->parameters.items;
	job->n_parameters = args->parameters.n;
	job->exports = args->exports.items;
	job->n_exports = args->exports.n;
	rc = set_form(args, err);
	if (!rc)
		rc = set_shell(args, err);
	if (rc)
		return rc;
	if (args->config_path)
		rc = pipa_run_config_open(&pipa_cli_host, args->config_path, job, &args->config,
					  err);
	if (args->config)
		*job = *pipa_run_config_options(args->config);
	if (!job->hz)
		job->hz = RUN_HZ;
	if (!job->interval_ns)
		job->interval_ns = PIPA_NS_PER_SEC;
	if (!args->has_calls) /* only a stored perf.data and the HTML report have a call graph */
		job->calls = job->keep || args->report.on ? PIPA_CALLS_AUTO : PIPA_CALLS_NONE;
	return rc;
}

/* Return the exit status: a failure of the command takes precedence over a regression. */
static int exit_status(const struct pipa_cmd *cmd, const struct pipa_run_outcome *outcome, int rc,
		       const struct pipa_error *err)
{
	if (rc < 0 && outcome->exec_failed)
		return pipa_cli_fail(cmd, err, err->code == -ENOENT ? 127 : 126);
	if (rc == -EPIPE)
		return outcome->status ? outcome->status : 128 + SIGPIPE;
	if (rc < 0)
		return pipa_cli_fail(cmd, err, outcome->status ? outcome->status : cmd->failure);
	if (outcome->status)
		return outcome->status;
	return outcome->regressed ? 3 : 0;
}

/*
 * Run with stop signals blocked: they are passed on to the command while one runs, and end the series of runs
 * otherwise, with its report. One that comes before the first run ends pipa; reading earlier measurements may be
 * interrupted at any time.
 */
static int run_blocked(const struct pipa_run_options *job, const char *report,
		       struct pipa_run_outcome *outcome, struct pipa_error *err)
{
	sigset_t set, old;
	int rc;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	if (job->from)
		sigprocmask(SIG_BLOCK, NULL, &old);
	else
		pipa_interrupt_block(&set, &old);
	rc = report ? pipa_run_report(&pipa_cli_host, job, report, outcome, err) :
		      pipa_run_run(&pipa_cli_host, job, outcome, err);
	if (outcome->interrupted)
		pipa_interrupt_reset(); /* so that it is delivered with its default action */
	sigprocmask(SIG_SETMASK, &old, NULL);
	return rc;
}

/* ---- upload ---------------------------------------------------------------------------------------------- */

/* Refuse an invalid address or token before the command runs. */
static int check_upload(const struct args *args, struct pipa_error *err)
{
	PIPA_AUTO(pipa_remote_close) struct pipa_remote *server = NULL;
	const struct pipa_remote_options *o = &args->upload;

	if (o->address)
		return pipa_remote_open(o, pipa_cli_version, &server, err);
	if (o->tls || o->ca_file || o->cert_file || o->key_file || o->token_file || o->insecure ||
	    o->timeout_ns)
		return pipa_refuse(err, -EINVAL, "--upload-* options require --upload");
	return 0;
}

/* The report may be on standard output, so lines of the upload are notes. */
static int note_line(void *ctx PIPA_UNUSED, const char *line)
{
	pipa_cli_note("run", line);
	return 0;
}

/* Upload the report, and the recording that --keep stored. */
static int upload_result(struct args *args, const struct pipa_run_outcome *outcome,
			 struct pipa_error *err)
{
	PIPA_AUTO(free) char *kept = NULL, *recording = NULL, *from = NULL;
	struct pipa_upload_options o = {
		.server = args->upload,
		.username = pipa_cli_user(),
		.version = pipa_cli_version,
		.print = note_line,
		.log = pipa_cli_log(&pipa_cmd_run),
	};
	struct pipa_upload_report report = { .name = "the result", .document = &args->document };

	if (outcome->status && !args->job.ignore_failure) {
		pipa_cli_note("run", "the result is not uploaded because the command failed");
		return 0;
	}
	o.server.log = o.log;
	report.measured_here = !args->job.from;
	if (args->job.from)
		from = realpath(args->job.from, NULL);
	else if (args->job.keep)
		kept = realpath(args->job.keep, NULL);
	report.data_location = from ? from : kept;
	if (kept && asprintf(&recording, "%s/perf.data", kept) >= 0 && access(recording, R_OK) == 0)
		report.recording = recording;
	return pipa_upload_report(&pipa_cli_host, &o, &report, err);
}

static int run_run(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct pipa_run_outcome outcome = { 0 };
	struct pipa_error err = { 0 };
	struct args args = { .job = { .transactions = NAN, .fail_above = NAN, .mhz = NAN },
			     .upload = PIPA_REMOTE_ARGS_DEFAULT };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf note = { 0 };
	PIPA_AUTO(free) char *report = NULL;
	int rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &args, &err);

	if (rc == -ECANCELED) {
		args_done(&args);
		return pipa_cli_help(cmd);
	}
	if (rc >= 0 && rc < argc)
		args.job.command = argv + rc;
	if (rc >= 0)
		rc = apply_config(&args, &err);
	if (rc >= 0)
		rc = check_args(&args, &err);
	if (rc >= 0)
		rc = check_upload(&args, &err);
	if (rc >= 0)
		rc = finish_args(&args, argc, argv, &err);
	if (rc < 0) {
		args_done(&args);
		return pipa_cli_fail(cmd, &err, cmd->usage);
	}
	if (args.report.on) {
		report = pipa_cli_report_path(&args.report);
		if (!report) {
			args_done(&args);
			pipa_fail(&err, -ENOMEM, "choose the name of the report");
			return pipa_cli_fail(cmd, &err, cmd->failure);
		}
	}
	if (args.upload.address)
		args.job.document = &args.document;
	rc = run_blocked(&args.job, report, &outcome, &err);
	if (report && !rc && !outcome.interrupted) {
		pipa_buf_printf(&note, "report: %s", report);
		pipa_cli_note("run", pipa_buf_str(&note));
	}
	if (args.upload.address && !rc && !outcome.interrupted && args.document.len)
		rc = upload_result(&args, &outcome, &err);
	args_done(&args);
	return exit_status(cmd, &outcome, rc, &err);
}

const struct pipa_cmd pipa_cmd_run = {
	.name = "run",
	.args = "[OPTIONS] [--] COMMAND [ARGS]\n"
		"       pipa run [OPTIONS] [--] 'COMMAND LINE'...\n"
		"       pipa run [OPTIONS] --from PATH",
	.help = "run a workload and report its performance, resource use and hot functions",
	.more = "Exit status: that of the command (128+n if signal n killed it), 3 if the command succeeded\n"
		"but regressed (--fail-on-regression), 125 if pipa failed, 126 if the command cannot be\n"
		"executed, 127 if it was not found. See pipa-run(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 125,
	.usage = 125,
	.run = run_run,
};
