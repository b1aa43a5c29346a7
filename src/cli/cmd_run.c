#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "import/bench/transactions.h"
#include "job/run/run.h"
#include "job/run/run_config.h"
#include "store/output_check.h"

enum { RUN_HZ = 299 }; /* a third of a percent, where a sample takes ten microseconds */

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
	const char *form, *color, *config_path;
	struct pipa_run_config *config;
	bool record; /* asked for in so many words */
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
	pipa_refuse(err, -EINVAL, "--transactions: '%s' is no count", text);
	return pipa_hint(err, "it takes 7561946, 41.5k or 1.2M");
}

static int set_percent(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	if (pipa_str_double(text, &args->job.fail_above) == 0 && args->job.fail_above >= 0)
		return 0;
	return pipa_refuse(err, -EINVAL, "--fail-on-regression: '%s' is no percentage", text);
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
	pipa_refuse(err, -EINVAL, "--call-graph: '%s' is not valid", text);
	return pipa_hint(err, "it takes fp, auto, dwarf or none");
}

static const struct pipa_opt opts[] = {
	TITLE("What was done"),
	TEXT(0, "from", "PATH", job.from,
	     "run nothing: the report of what lies in a folder or archive"),
	CALL(0, "transactions", "N", set_transactions, "the workload does N transactions"),
	TEXT(0, "transactions-regex", "RE", job.expression,
	     "the first group of RE in a line of output is their number: 12, 1,234, 41.5k"),
	FLAG(0, "no-capture", job.no_capture,
	     "leave the output alone; nothing is recognised in it then"),

	TITLE("What is looked at"),
	TEXT(0, "cores", "LIST", job.cores, "the CPUs that the workload is meant to use: 0-3,7"),
	TEXT(0, "config", "FILE", config_path,
	     "what no option says is in this file: the original's YAML, either of its two"),
	TEXT(0, "dev", "NAME", job.dev, "the disk it uses; the busiest without it"),
	TEXT(0, "workload", "NAME", job.workload, "what it is called in the report"),
	CALL('e', "event", "LIST", add_event, "count these events instead of the usual ones"),
	{ .kind = PIPA_OPT_COUNT,
	  .letter = 'd',
	  .name = "detailed",
	  AT(job.detail),
	  .help = "more cache events; up to three times" },
	TIME(0, "interval", "MS", PIPA_NS_PER_MS, job.interval_ns,
	     "read statistics every MS milliseconds, 1000 by default"),

	TITLE("Samples"),
	FLAG(0, "record", record, "take samples for hot functions, as without it"),
	FLAG(0, "no-record", job.no_record, "take none"),
	{ .kind = PIPA_OPT_U64,
	  .letter = 'F',
	  .name = "freq",
	  .arg = "HZ",
	  .above_zero = true,
	  AT(job.hz),
	  .help = "samples a second, 299 by default" },
	CALL(0, "call-graph", "HOW", set_calls, "callers in perf.data: fp, auto, dwarf or none"),

	TITLE("Several runs"),
	{ .kind = PIPA_OPT_UINT,
	  .letter = 'r',
	  .name = "repeat",
	  .arg = "N",
	  .above_zero = true,
	  AT(job.repeat),
	  .help = "run it N times: means, spread, outliers" },
	TEXT(0, "baseline", "FILE", job.baseline,
	     "compare with an earlier -f json report, with a verdict on noise"),
	CALL(0, "fail-on-regression", "PERCENT", set_percent,
	     "exit with 3 when it has become worse by more than that"),

	TITLE("Output"),
	TEXT('f', "format", "FORM", form, "text, yaml or json"),
	TEXT('o', "output", "FILE", job.output, "the report into FILE instead of standard output"),
	TEXT(0, "keep", "DIR", job.keep, "keep the raw recordings in DIR"),
	TEXT(0, "color", "WHEN", color, "auto, always or never"),
};

static int set_form(struct args *args, struct pipa_error *err)
{
	static const char *const forms[] = {
		[PIPA_RUN_TEXT] = "text", [PIPA_RUN_JSON] = "json", [PIPA_RUN_YAML] = "yaml"
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(forms); i++)
		if (!args->form || strcmp(args->form, forms[i]) == 0) {
			args->job.look.form = (enum pipa_run_form)i;
			return 0;
		}
	pipa_refuse(err, -EINVAL, "-f: '%s' is not valid", args->form);
	return pipa_hint(err, "it takes text, yaml or json");
}

static int check_args(const struct args *args, struct pipa_error *err)
{
	const struct pipa_run_options *job = &args->job;

	if (job->from && (job->command || job->repeat || job->keep || job->no_capture))
		return pipa_refuse(err, -EINVAL,
				   "--from runs nothing: it goes with neither a command, "
				   "--repeat, --keep nor --no-capture");
	if (!job->command && !job->from) {
		pipa_refuse(err, -EINVAL, "no command is given");
		return pipa_hint(err, "put it behind the options: pipa run -- COMMAND");
	}
	if (args->record && job->no_record)
		return pipa_refuse(err, -EINVAL,
				   "only one of --record and --no-record can be given");
	if (!isnan(job->transactions) && job->expression)
		return pipa_refuse(
			err, -EINVAL,
			"only one of --transactions and --transactions-regex can be given");
	if (job->expression && job->no_capture)
		return pipa_refuse(err, -EINVAL,
				   "--transactions-regex needs the output that "
				   "--no-capture leaves alone");
	if (!isnan(job->fail_above) && !job->baseline) {
		pipa_refuse(err, -EINVAL, "--fail-on-regression needs something to compare with");
		return pipa_hint(err, "add --baseline FILE");
	}
	if (job->output && !job->output[0])
		return pipa_refuse(err, -EINVAL, "-o: the name is empty");
	return PIPA_OUTPUT_CHECK(job->output, STDOUT_FILENO, err, job->from, job->from_stat,
				 job->from_sar, job->baseline, args->config_path);
}

/* Who runs it, without asking a name service, which a static program cannot. */
static const char *user_name(void)
{
	const char *name = getenv("LOGNAME");

	return name && *name ? name : getenv("USER");
}

static unsigned int terminal_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static void say(void *ctx PIPA_UNUSED, const char *line)
{
	pipa_cli_note("run", line);
}

static int finish_args(struct args *args, int argc, char **argv, struct pipa_error *err)
{
	struct pipa_run_options *job = &args->job;
	const char **slot;
	int i, rc = set_form(args, err);

	if (job->output && strcmp(job->output, "-") == 0)
		job->output = NULL;
	if (!rc)
		rc = pipa_cli_color(args->color, job->output ? -1 : STDOUT_FILENO, &job->look.color,
				    err);
	for (i = -1; !rc && i < argc; i++) {
		slot = PIPA_VEC_ADD(&args->argv);
		if (!slot)
			return pipa_fail(err, -ENOMEM, "parse options");
		*slot = i < 0 ? "pipa" : argv[i];
	}
	job->argv = args->argv.items;
	job->argc = args->argv.n;
	job->command_mask = &pipa_cli_mask;
	job->version = pipa_cli_version;
	job->username = user_name();
	job->say = say;
	job->look.width = job->output ? 0 : terminal_width();
	return rc;
}

static void args_done(struct args *args)
{
	free(args->events.items);
	pipa_run_config_close(args->config);
	free(args->argv.items);
}

/* Options, then the configuration, then what is usual. */
static int take_config(struct args *args, struct pipa_error *err)
{
	struct pipa_run_options *job = &args->job;
	int rc = 0;

	job->events = args->events.items;
	job->n_events = args->events.n;
	if (args->config_path)
		rc = pipa_run_config_open(&pipa_cli_host, args->config_path, job, &args->config,
					  err);
	if (!job->hz)
		job->hz = RUN_HZ;
	if (!job->interval_ns)
		job->interval_ns = PIPA_NS_PER_SEC;
	if (!args->has_calls) /* the report has no callers: they are for who looks into perf.data */
		job->calls = job->keep ? PIPA_CALLS_AUTO : PIPA_CALLS_NONE;
	return rc;
}

/* The command's own status comes first: a threshold is looked at where it did well. */
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

static int run_run(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct pipa_run_outcome outcome = { 0 };
	struct pipa_error err = { 0 };
	struct args args = { .job = { .transactions = NAN, .fail_above = NAN, .mhz = NAN } };
	int rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &args, &err);

	if (rc == -ECANCELED) {
		args_done(&args);
		return pipa_cli_help(cmd);
	}
	if (rc >= 0 && rc < argc)
		args.job.command = argv + rc;
	if (rc >= 0)
		rc = take_config(&args, &err);
	if (rc >= 0)
		rc = check_args(&args, &err);
	if (rc >= 0)
		rc = finish_args(&args, argc, argv, &err);
	if (rc < 0) {
		args_done(&args);
		return pipa_cli_fail(cmd, &err, cmd->usage);
	}
	rc = pipa_run_run(&pipa_cli_host, &args.job, &outcome, &err);
	args_done(&args);
	return exit_status(cmd, &outcome, rc, &err);
}

const struct pipa_cmd pipa_cmd_run = {
	.name = "run",
	.args = "[OPTIONS] [--] COMMAND [ARGS] | --from PATH [OPTIONS]",
	.help = "run a workload once and report everything about it",
	.more = "Exit status: the command's own (128+n when signal n ended it), 3 when it did well but has\n"
		"become worse (--fail-on-regression), 125 when pipa failed, 126 when the command cannot be\n"
		"executed, 127 when it was not found. More in pipa-run(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 125,
	.usage = 125,
	.run = run_run,
};
