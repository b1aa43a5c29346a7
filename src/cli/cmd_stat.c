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

/* What the options fill in; most of it is the job's own struct. */
struct args {
	struct pipa_stat_options job;
	struct pipa_event_args events;
	const char *separator, *color, *each_cgroup;
	uint64_t duration_ns;
	bool json, yaml, big_num;
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
	TITLE("What to count"),
	CALL('e', "event", "LIST", add_event, "events, repeatable: cycles:u,{a,b},cpu/event=0x3c/"),
	CALL(0, "filter", "EXPR", add_filter,
	     "count only those of the tracepoint before it that match"),
	TEXT('M', "metrics", "LIST", job.count.metrics,
	     "metrics, metric groups or [name=]EXPRESSION"),
	FLAG(0, "topdown", job.count.topdown, "where pipeline slots go; implies --metric-only"),
	{ .kind = PIPA_OPT_COUNT,
	  .letter = 'd',
	  .name = "detailed",
	  AT(job.count.detail),
	  .help = "more cache events; up to three times" },
	FLAG(0, "all-user", job.count.user_only,
	     "user space only, where an event does not say itself"),
	FLAG(0, "all-kernel", job.count.kernel_only, "the kernel only"),
	FLAG('n', "null", job.count.null_run, "count nothing, only measure time"),
	FLAG(0, "no-merge", job.count.no_merge, "show the instances of an uncore PMU one by one"),

	TITLE("On target"),
	TEXT('p', "pid", "PID[,...]", job.count.target.pids,
	     "processes that run already, all their threads"),
	TEXT('t', "tid", "TID[,...]", job.count.target.tids, "threads that run already"),
	FLAG('a', "all-cpus", job.count.target.system_wide, "everything on all CPUs"),
	TEXT('C', "cpu", "LIST", job.count.target.cpus, "everything on these CPUs: 0-3,7"),
	TEXT('G', "cgroup", "NAME[,...]", job.count.target.cgroups,
	     "what these cgroups do, on all CPUs"),
	TEXT(0, "for-each-cgroup", "NAME[,...]", each_cgroup,
	     "the same as --cgroup, as perf spells it"),
	FLAG('i', "no-inherit", job.count.no_inherit, "leave out children and new threads"),

	TITLE("When"),
	{ .kind = PIPA_OPT_UINT,
	  .letter = 'r',
	  .name = "repeat",
	  .arg = "N",
	  AT(job.count.repeat),
	  .help = "run the command N times: mean, spread, 95 % interval" },
	TIME('I', "interval-print", "MS", PIPA_NS_PER_MS, job.count.interval_ns,
	     "report every MS milliseconds"),
	{ .kind = PIPA_OPT_U64,
	  .name = "interval-count",
	  .arg = "N",
	  AT(job.count.intervals),
	  .help = "stop reporting after N intervals" },
	FLAG(0, "summary", job.summary, "report the whole behind the intervals"),
	TIME(0, "duration", "SEC", PIPA_NS_PER_SEC, duration_ns, "stop after SEC seconds"),
	TIME(0, "timeout", "MS", PIPA_NS_PER_MS, job.count.timeout_ns,
	     "stop after MS milliseconds"),
	TIME('D', "delay", "MS", PIPA_NS_PER_MS, job.count.delay_ns,
	     "count from MS milliseconds after the start"),

	TITLE("Summed by"),
	CALL('A', "no-aggr", NULL, set_cpu, "CPU"),
	CALL(0, "per-core", NULL, set_core, "core"),
	CALL(0, "per-die", NULL, set_die, "die"),
	CALL(0, "per-socket", NULL, set_socket, "socket"),
	CALL(0, "per-node", NULL, set_node, "NUMA node"),
	CALL(0, "per-thread", NULL, set_thread, "thread, with -p, -t or -a"),

	TITLE("Output"),
	TEXT('x', "field-separator", "SEP", separator, "CSV as perf stat -x writes it"),
	FLAG('j', "json", json, "JSON; with -I one object a line"),
	FLAG(0, "yaml", yaml, "YAML"),
	TEXT('o', "output", "FILE", job.output, "into FILE instead of standard error"),
	FLAG(0, "append", job.append, "add to FILE"),
	{ .kind = PIPA_OPT_UINT,
	  .name = "log-fd",
	  .arg = "FD",
	  AT(log_fd),
	  .help = "to this descriptor instead of standard error" },
	FLAG(0, "metric-only", job.look.metric_only, "only what is derived"),
	FLAG('B', "big-num", big_num, "thousands separators, as without it"),
	FLAG(0, "no-big-num", job.look.plain_numbers, "no thousands separators"),
	TEXT(0, "compare", "FILE", job.compare,
	     "against an earlier --json report, with a verdict on noise"),
	TEXT(0, "color", "WHEN", color, "auto, always or never"),
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
		return pipa_refuse(err, -EINVAL, "-x: the separator is empty");
	if (!job->count.repeat)
		return pipa_refuse(err, -EINVAL, "-r: a command runs at least once");
	if (job->count.repeat > 1 && !job->count.target.command)
		return pipa_refuse(err, -EINVAL, "-r needs a command to repeat");
	if (job->count.repeat > 1 && job->count.interval_ns)
		return pipa_refuse(err, -EINVAL, "-r and -I cannot go together");
	if (job->compare && (job->count.interval_ns || args->separator))
		return pipa_refuse(err, -EINVAL, "--compare goes with neither -I nor -x");
	if ((job->count.intervals || job->summary) && !job->count.interval_ns)
		return pipa_refuse(err, -EINVAL, "--interval-count and --summary need -I");
	if (job->count.interval_ns && job->count.interval_ns < PIPA_NS_PER_MS) {
		pipa_refuse(err, -EINVAL, "the interval is below 1 ms");
		return pipa_hint(err, "a bare number counts milliseconds: -I 100");
	}
	if (job->append && !job->output)
		return pipa_refuse(err, -EINVAL, "--append needs -o FILE");
	if (args->log_fd && job->output)
		return pipa_refuse(err, -EINVAL, "only one of -o and --log-fd can be given");
	if (args->log_fd && fcntl((int)args->log_fd, F_GETFD) < 0) {
		pipa_fail(err, -errno, "--log-fd %u", args->log_fd);
		return pipa_hint(err, "open it for us: --log-fd %u %u> FILE", args->log_fd,
				 args->log_fd);
	}
	return 0;
}

/* From what was written to what the job takes. */
static int finish_args(struct args *args, struct pipa_error *err)
{
	struct pipa_stat_options *job = &args->job;

	job->count.events = args->events.items;
	job->count.n_events = args->events.n;
	if (args->each_cgroup)
		job->count.target.cgroups = args->each_cgroup;
	if (args->duration_ns)
		job->count.timeout_ns = args->duration_ns;
	job->look.form = args->separator ? PIPA_STAT_CSV :
			 args->json	 ? PIPA_STAT_JSON :
			 args->yaml	 ? PIPA_STAT_YAML :
					   PIPA_STAT_TEXT;
	job->look.separator = args->separator && strcmp(args->separator, "\\t") == 0 ?
				      "\t" :
				      args->separator;
	job->look.metric_only |= job->count.topdown;
	job->look.header = true;
	job->out_fd = args->log_fd ? (int)args->log_fd : STDERR_FILENO;
	job->command_mask = &pipa_cli_mask;
	if (job->compare && PIPA_OUTPUT_CHECK(job->output, job->out_fd, err, job->compare) < 0)
		return -EINVAL;
	return pipa_cli_color(args->color, job->output ? -1 : job->out_fd, &job->look.color, err);
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
	.help = "count events while a command runs, or on running processes and CPUs",
	.more = "Exit status: the command's own (128+n when signal n ended it), 125 when pipa failed,\n"
		"126 when the command cannot be executed, 127 when it was not found.\n"
		"More in pipa-stat(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 125,
	.usage = 125,
	.run = run_stat,
};
