/* Options and help of `pipa stat`. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/cmd.h"
#include "cli/event_args.h"
#include "cli/opt_rows.h"
#include "job/stat.h"
#include "store/output_check.h"

/* Values of the options. */
struct args {
	struct pipa_stat_options job;
	struct pipa_event_args events;
	const char *separator, *color, *each_cgroup;
	uint64_t duration_ns;
	bool json, yaml, big_num, no_summary;
	unsigned int log_fd;
};

static int add_event(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	return pipa_event_args_add(&args->events, text, err);
}

static int add_filter(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	return pipa_event_args_filter(&args->events, text, err);
}

static int set_aggr(struct args *args, enum pipa_aggr by, struct pipa_error *err)
{
	if (args->job.count.by != PIPA_AGGR_GLOBAL && args->job.count.by != by)
		return pipa_refuse(err, -EINVAL,
				   "only one of -A and the --per-... options can be given");
	args->job.count.by = by;
	return 0;
}

#define AGGR_SETTER(name, by)                                                                      \
	static int set_##name(void *values, const char *text PIPA_UNUSED, struct pipa_error *err)  \
	{                                                                                          \
		return set_aggr(values, by, err);                                                  \
	}

AGGR_SETTER(cpu, PIPA_AGGR_CPU)
AGGR_SETTER(core, PIPA_AGGR_CORE)
AGGR_SETTER(die, PIPA_AGGR_DIE)
AGGR_SETTER(socket, PIPA_AGGR_SOCKET)
AGGR_SETTER(node, PIPA_AGGR_NODE)
AGGR_SETTER(thread, PIPA_AGGR_THREAD)

static const struct pipa_opt opts[] = {
	TITLE("Events"),
	CALL('e', "event", "LIST", add_event,
	     "events to count (repeatable): cycles:u,{a,b},cpu/event=0x3c/"),
	CALL(0, "filter", "EXPR", add_filter, "filter expression for the preceding tracepoint"),
	TEXT('M', "metrics", "LIST", job.count.metrics,
	     "metrics, metric groups or expressions [NAME=]EXPR"),
	FLAG(0, "topdown", job.count.topdown,
	     "top-down analysis of pipeline slots; implies --metric-only"),
	{ .kind = PIPA_OPT_COUNT,
	  .letter = 'd',
	  .name = "detailed",
	  AT(job.count.detail),
	  .help = "add cache events; repeat up to three times for more" },
	FLAG(0, "all-user", job.count.user_only, "user space only, for events without :u or :k"),
	FLAG(0, "all-kernel", job.count.kernel_only, "kernel only, for events without :u or :k"),
	FLAG('n', "null", job.count.null_run, "count no events, measure only elapsed time"),
	FLAG(0, "no-merge", job.count.no_merge, "do not sum the instances of an uncore PMU"),

	TITLE("Target"),
	TEXT('p', "pid", "PID[,...]", job.count.target.pids,
	     "existing processes with all their threads"),
	TEXT('t', "tid", "TID[,...]", job.count.target.tids, "existing threads"),
	FLAG('a', "all-cpus", job.count.target.system_wide, "all processes on all CPUs"),
	TEXT('C', "cpu", "LIST", job.count.target.cpus, "all processes on these CPUs: 0-3,7"),
	TEXT('G', "cgroup", "NAME[,...]", job.count.target.cgroups,
	     "processes of these cgroups on all CPUs"),
	TEXT(0, "for-each-cgroup", "NAME[,...]", each_cgroup, "alias for --cgroup"),
	FLAG('i', "no-inherit", job.count.no_inherit,
	     "do not count child processes and new threads"),

	TITLE("Repetition and limits"),
	{ .kind = PIPA_OPT_UINT,
	  .letter = 'r',
	  .name = "repeat",
	  .arg = "N",
	  .above_zero = true,
	  AT(job.count.repeat),
	  .help = "run the command N times and report mean and spread" },
	TIME('I', "interval-print", "MS", PIPA_NS_PER_MS, job.count.interval_ns,
	     "print counts every MS milliseconds"),
	{ .kind = PIPA_OPT_U64,
	  .name = "interval-count",
	  .arg = "N",
	  AT(job.count.intervals),
	  .help = "stop printing after N intervals" },
	FLAG(0, "summary", job.summary, "print the totals after the last interval"),
	FLAG(0, "no-summary", no_summary, "do not print the totals (default)"),
	TIME(0, "duration", "SEC", PIPA_NS_PER_SEC, duration_ns, "stop after SEC seconds"),
	TIME(0, "timeout", "MS", PIPA_NS_PER_MS, job.count.timeout_ns,
	     "stop after MS milliseconds"),
	TIME('D', "delay", "MS", PIPA_NS_PER_MS, job.count.delay_ns,
	     "start counting MS milliseconds after the start"),

	TITLE("Aggregation"),
	CALL('A', "no-aggr", NULL, set_cpu, "one line per CPU"),
	CALL(0, "per-core", NULL, set_core, "one line per core"),
	CALL(0, "per-die", NULL, set_die, "one line per die"),
	CALL(0, "per-socket", NULL, set_socket, "one line per socket"),
	CALL(0, "per-node", NULL, set_node, "one line per NUMA node"),
	CALL(0, "per-thread", NULL, set_thread, "one line per thread, with -p, -t or -a"),

	TITLE("Output"),
	TEXT('x', "field-separator", "SEP", separator, "print CSV in the format of perf stat -x"),
	FLAG('j', "json", json, "print one JSON document; with -I one object per line"),
	FLAG(0, "yaml", yaml, "print YAML"),
	TEXT('o', "output", "FILE", job.output, "write to FILE (default: standard error)"),
	FLAG(0, "append", job.append, "with -o: append to FILE"),
	{ .kind = PIPA_OPT_UINT,
	  .name = "log-fd",
	  .arg = "FD",
	  AT(log_fd),
	  .help = "write to file descriptor FD (default: 2)" },
	FLAG('v', "verbose", job.format.verbose,
	     "first print count, enabled and running time of each event"),
	FLAG(0, "metric-only", job.format.metric_only, "print only derived metrics"),
	FLAG('B', "big-num", big_num, "print thousands separators (default)"),
	FLAG(0, "no-big-num", job.format.plain_numbers, "do not print thousands separators"),
	TEXT(0, "baseline", "FILE", job.compare, "compare with an earlier --json report"),
	TEXT(0, "color", "WHEN", color, "colour output: auto (default), always or never"),
};

static int check_args(const struct args *args, struct pipa_error *err)
{
	const struct pipa_stat_options *job = &args->job;

	if (job->count.user_only && job->count.kernel_only)
		return pipa_refuse(err, -EINVAL,
				   "only one of --all-user and --all-kernel can be given");
	if (args->json + args->yaml + (args->separator != NULL) > 1)
		return pipa_refuse(err, -EINVAL, "only one of -x, --json and --yaml can be given");
	if (args->separator && !args->separator[0])
		return pipa_refuse(err, -EINVAL, "-x: empty separator");
	if (job->count.repeat > 1 && !job->count.target.command)
		return pipa_refuse(err, -EINVAL, "-r requires a command");
	if (job->count.repeat > 1 && job->count.interval_ns)
		return pipa_refuse(err, -EINVAL, "-r cannot be combined with -I");
	if (job->compare && (job->count.interval_ns || args->separator))
		return pipa_refuse(err, -EINVAL, "--baseline cannot be combined with -I or -x");
	if ((job->count.intervals || job->summary) && !job->count.interval_ns)
		return pipa_refuse(err, -EINVAL, "--interval-count and --summary require -I");
	if (job->count.interval_ns && job->count.interval_ns < PIPA_NS_PER_MS) {
		pipa_refuse(err, -EINVAL, "-I: invalid interval, expected 1 ms or more");
		return pipa_hint(err, "a number without a unit is in milliseconds: -I 100");
	}
	if (job->append && !job->output)
		return pipa_refuse(err, -EINVAL, "--append requires -o FILE");
	if (args->log_fd && job->output)
		return pipa_refuse(err, -EINVAL, "only one of -o and --log-fd can be given");
	if (args->log_fd && fcntl((int)args->log_fd, F_GETFD) < 0) {
		pipa_refuse(err, -errno, "--log-fd: invalid file descriptor '%u': %s", args->log_fd,
			    strerror(errno));
		return pipa_hint(err, "open it in the shell: --log-fd %u %u> FILE", args->log_fd,
				 args->log_fd);
	}
	return 0;
}

/* Convert the options to those of the job. */
static int finish_args(struct args *args, struct pipa_error *err)
{
	struct pipa_stat_options *job = &args->job;

	job->count.events = args->events.items;
	job->count.n_events = args->events.n;
	if (args->each_cgroup)
		job->count.target.cgroups = args->each_cgroup;
	if (args->duration_ns)
		job->count.timeout_ns = args->duration_ns;
	job->format.form = args->separator ? PIPA_STAT_CSV :
			   args->json	   ? PIPA_STAT_JSON :
			   args->yaml	   ? PIPA_STAT_YAML :
					     PIPA_STAT_TEXT;
	job->format.separator = args->separator && strcmp(args->separator, "\\t") == 0 ?
					"\t" :
					args->separator;
	job->summary &= !args->no_summary;
	job->format.metric_only |= job->count.topdown;
	job->format.header = true;
	job->out_fd = args->log_fd ? (int)args->log_fd : STDERR_FILENO;
	job->command_signals = &pipa_cli_signals;
	if (job->compare && PIPA_OUTPUT_CHECK(job->output, job->out_fd, err, job->compare) < 0)
		return -EINVAL;
	return pipa_cli_color(args->color, job->output ? -1 : job->out_fd, &job->format.color, err);
}

static int exit_status(const struct pipa_cmd *cmd, const struct pipa_stat_outcome *outcome,
		       const struct pipa_error *err)
{
	if (err->code == -EPIPE)
		return outcome->status ? outcome->status : 128 + SIGPIPE;
	if (!outcome->exec_failed)
		return pipa_cli_fail(cmd, err, cmd->failure);
	return pipa_cli_fail(cmd, err, err->code == -ENOENT ? 127 : 126);
}

static int run_stat(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct pipa_stat_outcome outcome = { 0 };
	struct pipa_error err = { 0 };
	struct args args = { .job.count.repeat = 1 };
	int rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &args, &err);

	if (rc == -ECANCELED) {
		free(args.events.items);
		return pipa_cli_help(cmd);
	}
	if (rc >= 0 && rc < argc)
		args.job.count.target.command = argv + rc;
	if (rc >= 0)
		rc = check_args(&args, &err);
	if (rc >= 0)
		rc = finish_args(&args, &err);
	if (rc < 0) {
		free(args.events.items);
		return pipa_cli_fail(cmd, &err, cmd->usage);
	}
	rc = pipa_stat_run(&pipa_cli_host, &args.job, &outcome, &err);
	free(args.events.items);
	return rc < 0 ? exit_status(cmd, &outcome, &err) : outcome.status;
}

const struct pipa_cmd pipa_cmd_stat = {
	.name = "stat",
	.args = "[OPTIONS] [--] COMMAND [ARGS]",
	.help = "count events of a command, of existing processes or of CPUs",
	.more = "Exit status: that of the command (128+n if signal n killed it), 125 if pipa failed,\n"
		"126 if the command cannot be executed, 127 if it was not found.\n"
		"See pipa-stat(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 125,
	.usage = 125,
	.run = run_stat,
};
