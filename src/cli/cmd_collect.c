#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/visible.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/collect/collect.h"

enum { COLLECT_HZ = 97, COLLECT_S = 60 };

struct args {
	struct pipa_collect_options job;
	bool background;
	bool color;
	int begun; /* where the one that waits is told, -1: nobody waits */
};

static const struct pipa_opt opts[] = {
	TITLE("What is collected"),
	TIME(0, "duration-stat", "SEC", PIPA_NS_PER_SEC, job.stat_ns,
	     "count for SEC seconds, 60 by default"),
	TIME(0, "duration-record", "SEC", PIPA_NS_PER_SEC, job.record_ns,
	     "then sample for SEC seconds, 60 by default"),
	FLAG(0, "no-stat", job.no_stat, "do not count"),
	FLAG(0, "no-record", job.no_record, "do not sample"),
	FLAG(0, "together", job.together, "both at once, for the longer of the two"),
	TIME(0, "perf-stat-interval", "MS", PIPA_NS_PER_MS, job.stat_interval_ns,
	     "read counters every MS milliseconds, 1000 by default"),
	TIME(0, "sar-interval", "SEC", PIPA_NS_PER_SEC, job.sar_interval_ns,
	     "read statistics every SEC seconds, 1 by default"),
	{ .kind = PIPA_OPT_U64,
	  .name = "perf-record-freq",
	  .arg = "HZ",
	  .above_zero = true,
	  AT(job.hz),
	  .help = "samples a second on each CPU, 97 by default" },
	TEXT(0, "perf-events", "LIST", job.events,
	     "count these events instead of the architecture's own"),
	FLAG(0, "perf-data", job.keep_stacks,
	     "keep stack dumps in perf.data, as perf makes them: large"),
	FLAG(0, "no-spec-info", job.no_spec, "no description of the machine"),
	FLAG(0, "force-spec-refresh", job.fresh_spec, "forget the description that was kept"),

	TITLE("Where and how"),
	TEXT('o', "output", "FILE", job.output,
	     "the archive; pipa-collection-DATE_TIME.tar.gz by default"),
	FLAG(0, "background", background, "go on without the terminal; pipa collect stop ends it"),
};

static void say(void *ctx, enum pipa_collect_level level, const char *text)
{
	static const char *const levels[] = { "", "warning: " };
	static const char *const colors[] = { "\033[32m", "\033[33m" };
	const struct args *args = ctx;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };

	if (level == PIPA_COLLECT_ERROR) /* it comes back, and is told then */
		return;
	pipa_buf_printf(&line, "%spipa collect:%s %s", args->color ? colors[level] : "",
			args->color ? "\033[0m" : "", levels[level]);
	pipa_visible_put(&line, text);
	pipa_buf_putc(&line, '\n');
	if (!line.status)
		pipa_file_write(STDERR_FILENO, line.data, line.len);
}

/* From here on nobody listens: the terminal may go. */
static void on_begun(void *ctx)
{
	struct args *args = ctx;
	int null;

	if (args->begun < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
	pipa_file_write(args->begun, "", 1);
	close(args->begun);
	args->begun = -1;
}

static int collect(const struct pipa_cmd *cmd, struct args *args)
{
	struct pipa_collect_outcome outcome = { 0 };
	struct pipa_error err = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	sigset_t held;
	int rc;

	/* a signal that comes behind the archive is too late to be the end of us */
	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	pipa_interrupt_watch(&held);
	sigprocmask(SIG_BLOCK, &held, NULL);
	rc = pipa_collect_run(&pipa_cli_host, &args->job, &outcome, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, outcome.interrupted ? 130 : cmd->failure);
	pipa_visible_put(&text, outcome.archive);
	pipa_buf_putc(&text, '\n');
	free(outcome.archive);
	rc = pipa_cli_print(cmd, &text);
	return outcome.interrupted ? 130 : rc;
}

/* A session of its own, in which an interrupt is one even if this one ignored them. */
static int collect_apart(const struct pipa_cmd *cmd, struct args *args, int begun)
{
	setsid();
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_IGN);
	args->begun = begun;
	args->job.unheard = true;
	return collect(cmd, args);
}

static int start_background(const struct pipa_cmd *cmd, struct args *args)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error err = { 0 };
	int begun[2];
	pid_t pid;
	char byte;

	if (pipe2(begun, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		pipa_fail(&err, -errno, "go into the background");
		return pipa_cli_fail(cmd, &err, cmd->failure);
	}
	if (pid == 0) {
		close(begun[0]);
		_exit(collect_apart(cmd, args, begun[1]));
	}
	close(begun[1]);
	if (read(begun[0], &byte, 1) != 1) /* it has said why */
		return cmd->failure;
	pipa_buf_printf(&text, "%d\n", (int)pid);
	return pipa_cli_print(cmd, &text);
}

static int stop(const struct pipa_cmd *cmd, const char *run_dir)
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
		pipa_buf_printf(&text, "no collection runs with %s\n", run_dir);
	pipa_buf_puts(&why, "the last collection in the background failed: ");
	if (pipa_collect_failure(run_dir, &why))
		pipa_cli_note("collect", pipa_buf_str(&why));
	return pipa_cli_print(cmd, &text);
}

static int check_args(const struct args *args, int argc, char **argv, int rest,
		      struct pipa_error *err)
{
	if (rest < argc) {
		pipa_refuse(err, -EINVAL, "unexpected argument '%s'", argv[rest]);
		return pipa_hint(err, "it collects from the whole machine; pipa run -- COMMAND "
				      "measures a command");
	}
	if (args->job.no_stat && args->job.no_record)
		return pipa_refuse(err, -EINVAL,
				   "--no-stat and --no-record together leave nothing to do");
	if (args->job.stat_interval_ns < PIPA_NS_PER_MS)
		return pipa_refuse(err, -EINVAL, "--perf-stat-interval is below 1 ms");
	if (args->job.sar_interval_ns < 10 * PIPA_NS_PER_MS)
		return pipa_refuse(err, -EINVAL, "--sar-interval is below 10 ms");
	if (args->job.output && !args->job.output[0])
		return pipa_refuse(err, -EINVAL, "-o: the name is empty");
	return 0;
}

static const char *setting(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

static int run_collect(const struct pipa_cmd *cmd, int argc, char **argv)
{
	const char *data_dir = setting("PIPA_TREE_DATA_DIR", "./data");
	PIPA_AUTO(pipa_buf_done) struct pipa_buf run_dir = { 0 };
	struct pipa_error err = { 0 };
	struct args args = { .job = { .stat_ns = COLLECT_S * PIPA_NS_PER_SEC,
				      .record_ns = COLLECT_S * PIPA_NS_PER_SEC,
				      .stat_interval_ns = PIPA_NS_PER_SEC,
				      .sar_interval_ns = PIPA_NS_PER_SEC,
				      .hz = COLLECT_HZ,
				      .data_dir = data_dir,
				      .version = pipa_cli_version + strlen("pipa "),
				      .log = say,
				      .begun = on_begun },
			     .begun = -1 };
	int rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &args, &err);

	if (rc == -ECANCELED)
		return pipa_cli_help(cmd);
	pipa_buf_printf(&run_dir, "%s/run", data_dir);
	args.job.run_dir = setting("PIPA_TREE_RUN_DIR", pipa_buf_str(&run_dir));
	if (rc >= 0 && rc == argc - 1 && strcmp(argv[rc], "help") == 0)
		return pipa_cli_help(cmd);
	if (rc >= 0 && rc == argc - 1 && strcmp(argv[rc], "stop") == 0)
		return stop(cmd, args.job.run_dir);
	if (rc >= 0)
		rc = check_args(&args, argc, argv, rc, &err);
	if (rc >= 0)
		rc = pipa_cli_color(NULL, STDERR_FILENO, &args.color, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->usage);
	args.job.ctx = &args;
	return args.background ? start_background(cmd, &args) : collect(cmd, &args);
}

const struct pipa_cmd pipa_cmd_collect = {
	.name = "collect",
	.args = "[OPTIONS] | stop",
	.help = "collect what the machine does into one archive",
	.more = "`pipa collect stop` ends the collection that runs with the same folder, which is ./data or\n"
		"$PIPA_TREE_DATA_DIR. Exit status: 0 done, 130 interrupted with what was collected until\n"
		"then in the archive, 1 failed. More in pipa-collect(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 1,
	.run = run_collect,
};
