/* Options and help of `pipa collect`. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/interrupt.h"
#include "base/visible.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "cli/progress.h"
#include "cli/html_report_args.h"
#include "job/analyze/analyze.h"
#include "job/collect/collect.h"
#include "job/collect/collect_config.h"
#include "job/run/run.h"
#include "store/output_check.h"

enum { COLLECT_HZ = 97, COLLECT_S = 60 };

struct args {
	struct pipa_collect_options job;
	const char *config_path;
	struct pipa_collect_config *config;
	struct pipa_html_report_args report;
	bool background;
	bool color;
	int started; /* pipe to the waiting parent, -1 if none */
};

static const struct pipa_opt opts[] = {
	TITLE("Phases"),
	TIME(0, "duration-stat", "SEC", PIPA_NS_PER_SEC, job.stat_ns,
	     "count events for SEC seconds (default: 60)"),
	TIME(0, "duration-record", "SEC", PIPA_NS_PER_SEC, job.record_ns,
	     "sample for SEC seconds after counting (default: 60)"),
	FLAG(0, "no-stat", job.no_stat, "skip the counting phase"),
	FLAG(0, "no-record", job.no_record, "skip the sampling phase"),
	FLAG(0, "together", job.together,
	     "count and sample at the same time, for the longer duration"),

	TITLE("Events"),
	TIME(0, "perf-stat-interval", "MS", PIPA_NS_PER_MS, job.stat_interval_ns,
	     "read counters every MS milliseconds (default: 1000)"),
	TIME(0, "sar-interval", "SEC", PIPA_NS_PER_SEC, job.sar_interval_ns,
	     "read system statistics every SEC seconds (default: 1)"),
	{ .kind = PIPA_OPT_U64,
	  .name = "perf-record-freq",
	  .arg = "HZ",
	  .above_zero = true,
	  AT(job.hz),
	  .help = "samples per second and CPU (default: 97)" },
	TEXT(0, "perf-events", "LIST", job.events,
	     "count these events (default: a list per architecture)"),
	TEXT(0, "perf-record-events", "LIST", job.record_events,
	     "sample these events (default: cpu-clock, also where they cannot be sampled)"),
	TEXT(0, "config", "FILE", config_path,
	     "read defaults from a YAML file of the Python tool PIPA"),
	FLAG(0, "perf-data", job.keep_stacks,
	     "store stack dumps in perf.data instead of unwinding live"),
	FLAG(0, "no-spec-info", job.no_spec, "omit the description of the machine"),
	FLAG(0, "force-spec-refresh", job.fresh_spec,
	     "ignore the cached description of the machine"),

	TITLE("Output"),
	TEXT('o', "output", "FILE", job.output,
	     "archive to write (default: pipa-collection-DATE_TIME.tar.gz)"),
	HTML_REPORT_ROW(report),
	FLAG(0, "background", background, "detach from the terminal; pipa collect stop ends it"),
};

static void log_line(void *ctx, enum pipa_log_level level, const char *text)
{
	static const char *const levels[] = { "", "warning: " };
	static const char *const colors[] = { "\033[32m", "\033[33m" };
	const struct args *args = ctx;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };

	if (level == PIPA_LOG_ERROR) /* returned by pipa_collect_run() and printed then */
		return;
	pipa_buf_printf(&line, "%spipa collect:%s %s", args->color ? colors[level] : "",
			args->color ? "\033[0m" : "", levels[level]);
	pipa_visible_put(&line, text);
	pipa_buf_putc(&line, '\n');
	pipa_cli_progress_clear();
	if (!line.status)
		pipa_file_write(STDERR_FILENO, line.data, line.len);
}

static void show_progress(void *ctx PIPA_UNUSED, const char *what, uint64_t done, uint64_t total)
{
	pipa_cli_progress((void *)&pipa_cmd_collect, what, done, total);
}

/* Detach from the terminal and let the parent exit. */
static void on_started(void *ctx)
{
	struct args *args = ctx;
	int null;

	if (args->started < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
	pipa_file_write(args->started, "", 1);
	close(args->started);
	args->started = -1;
}

/* Analyze the archive, write the report and append its path to `text`. */
static int write_report(const struct args *args, const char *archive, struct pipa_buf *text,
			struct pipa_error *err)
{
	const struct pipa_run_options metrics = {
		.transactions = NAN, .fail_above = NAN, .mhz = NAN, .username = pipa_cli_user()
	};
	PIPA_AUTO(free) char *path = pipa_cli_report_path(&args->report);
	const struct pipa_analyze_options options = {
		.analysis = { .paths = &archive,
			      .n_paths = 1,
			      .metrics = &metrics,
			      .load.symbols.lines = PIPA_LINES_STACKS },
		.version = pipa_cli_version,
		.output = path,
	};
	int rc;

	if (!path)
		return pipa_fail(err, -ENOMEM, "choose the name of the report");
	rc = pipa_analyze_run(&options, err);
	if (!rc) {
		pipa_visible_put(text, path);
		pipa_buf_putc(text, '\n');
	}
	return rc;
}

static int collect(const struct pipa_cmd *cmd, struct args *args)
{
	struct pipa_collect_outcome outcome = { 0 };
	struct pipa_error err = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	sigset_t held, old;
	int rc;

	/* signals after the archive is written must not change the exit status */
	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	pipa_interrupt_block(&held, &old);
	rc = pipa_collect_run(&pipa_cli_host, &args->job, &outcome, &err);
	while (sigtimedwait(&held, NULL, &(struct timespec){ 0 }) > 0)
		; /* discard: the collection has ended for them */
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, outcome.interrupted ? 130 : cmd->failure);
	pipa_visible_put(&text, outcome.archive);
	pipa_buf_putc(&text, '\n');
	if (args->report.on)
		rc = write_report(args, outcome.archive, &text, &err);
	free(outcome.archive);
	if (rc < 0) /* the archive is complete */
		pipa_cli_fail(cmd, &err, cmd->failure);
	rc = pipa_cli_print(cmd, &text) || rc < 0 ? cmd->failure : 0;
	return outcome.interrupted ? 130 : rc;
}

/* Run in a new session with default signal actions, even if the shell ignored SIGINT. */
static int collect_apart(const struct pipa_cmd *cmd, struct args *args, int started)
{
	setsid();
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_IGN);
	args->started = started;
	args->job.is_detached = true;
	return collect(cmd, args);
}

static int start_background(const struct pipa_cmd *cmd, struct args *args)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error err = { 0 };
	int started[2];
	pid_t pid;
	char byte;

	if (pipe2(started, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		pipa_fail(&err, -errno, "start in the background");
		return pipa_cli_fail(cmd, &err, cmd->failure);
	}
	if (pid == 0) {
		close(started[0]);
		_exit(collect_apart(cmd, args, started[1]));
	}
	close(started[1]);
	if (read(started[0], &byte, 1) != 1) /* the child has printed the error */
		return cmd->failure;
	pipa_buf_printf(&text, "%d\n", (int)pid);
	return pipa_cli_print(cmd, &text);
}

static int stop_collection(const struct pipa_cmd *cmd, const char *run_dir)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf why = { 0 };
	struct pipa_error err = { 0 };
	pid_t pid;

	if (pipa_collect_stop(run_dir, &pid, &err) < 0)
		return pipa_cli_fail(cmd, &err, cmd->failure);
	if (pid)
		pipa_buf_printf(&text, "collection of process %d has ended\n", (int)pid);
	else
		pipa_buf_printf(&text, "no collection is running in %s\n", run_dir);
	pipa_buf_puts(&why, "the last background collection failed: ");
	if (pipa_collect_failure(run_dir, &why))
		pipa_cli_note("collect", pipa_buf_str(&why));
	return pipa_cli_print(cmd, &text);
}

static int check_words(int argc, char **argv, int rest, struct pipa_error *err)
{
	if (rest == argc)
		return 0;
	pipa_refuse(err, -EINVAL, "unexpected argument '%s'", argv[rest]);
	return pipa_hint(err, "collect measures the whole machine; use pipa run -- COMMAND "
			      "to measure a command");
}

/* Set the options that were not given: from the configuration file, then the defaults. */
static int complete_options(struct args *args, struct pipa_error *err)
{
	struct pipa_collect_options *job = &args->job;
	int rc = 0;

	if (args->config_path && job->output)
		rc = PIPA_OUTPUT_CHECK(job->output, STDOUT_FILENO, err, args->config_path);
	if (!rc && args->config_path)
		rc = pipa_collect_config_open(&pipa_cli_host, args->config_path, job, &args->config,
					      err);
	if (!job->stat_ns)
		job->stat_ns = COLLECT_S * PIPA_NS_PER_SEC;
	if (!job->record_ns)
		job->record_ns = COLLECT_S * PIPA_NS_PER_SEC;
	if (!job->stat_interval_ns)
		job->stat_interval_ns = PIPA_NS_PER_SEC;
	if (!job->sar_interval_ns)
		job->sar_interval_ns = PIPA_NS_PER_SEC;
	if (!job->hz)
		job->hz = COLLECT_HZ;
	return rc;
}

static int check_args(const struct args *args, struct pipa_error *err)
{
	if (args->job.no_stat && args->job.no_record)
		return pipa_refuse(err, -EINVAL, "--no-stat cannot be combined with --no-record");
	if (args->job.stat_interval_ns < PIPA_NS_PER_MS)
		return pipa_refuse(err, -EINVAL,
				   "--perf-stat-interval: invalid interval, expected 1 ms or more");
	if (args->job.sar_interval_ns < 10 * PIPA_NS_PER_MS)
		return pipa_refuse(err, -EINVAL,
				   "--sar-interval: invalid interval, expected 10 ms or more");
	if (args->job.output && !args->job.output[0])
		return pipa_refuse(err, -EINVAL, "-o: empty file name");
	if (args->report.path &&
	    PIPA_OUTPUT_CHECK(args->report.path, -1, err, args->config_path, args->job.output) < 0)
		return -EINVAL;
	return args->job.output ?
		       PIPA_OUTPUT_CHECK(args->job.output, STDOUT_FILENO, err, args->config_path) :
		       0;
}

static const char *env_or_default(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

static int run_collect(const struct pipa_cmd *cmd, int argc, char **argv)
{
	const char *data_dir = env_or_default("PIPA_TREE_DATA_DIR", "./data");
	PIPA_AUTO(pipa_buf_done) struct pipa_buf run_dir = { 0 };
	struct pipa_error err = { 0 };
	struct args args = { .job = { .data_dir = data_dir,
				      .version = pipa_cli_version + strlen("pipa "),
				      .log = { .write = log_line, .progress = show_progress },
				      .begun = on_started },
			     .started = -1 };
	int rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &args, &err);

	if (rc == -ECANCELED)
		return pipa_cli_help(cmd);
	pipa_buf_printf(&run_dir, "%s/run", data_dir);
	args.job.run_dir = env_or_default("PIPA_TREE_RUN_DIR", pipa_buf_str(&run_dir));
	if (rc >= 0 && rc == argc - 1 && strcmp(argv[rc], "help") == 0)
		return pipa_cli_help(cmd);
	if (rc >= 0 && rc == argc - 1 && strcmp(argv[rc], "stop") == 0)
		return stop_collection(cmd, args.job.run_dir);
	if (rc >= 0)
		rc = check_words(argc, argv, rc, &err);
	if (rc >= 0)
		rc = complete_options(&args, &err);
	if (rc >= 0)
		rc = check_args(&args, &err);
	if (rc >= 0)
		rc = pipa_cli_color(NULL, STDERR_FILENO, &args.color, &err);
	args.job.ctx = args.job.log.ctx = &args;
	if (rc < 0)
		rc = pipa_cli_fail(cmd, &err, cmd->usage);
	else
		rc = args.background ? start_background(cmd, &args) : collect(cmd, &args);
	pipa_collect_config_close(args.config);
	return rc;
}

const struct pipa_cmd pipa_cmd_collect = {
	.name = "collect",
	.args = "[OPTIONS] | stop",
	.help = "collect counters, statistics and samples of the machine into one archive",
	.more = "`pipa collect stop` ends the collection that uses the same data directory\n"
		"($PIPA_TREE_DATA_DIR, default: ./data).\n"
		"Exit status: 0 archive complete, 130 interrupted and archive partial, 1 failed.\n"
		"See pipa-collect(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 1,
	.run = run_collect,
};
