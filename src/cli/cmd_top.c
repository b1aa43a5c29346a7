/* Options and help of `pipa top`. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/event_args.h"
#include "cli/opt_rows.h"
#include "job/top_print.h"
#include "screen/report/top.h"

struct args {
	struct pipa_live_print_options job;
	struct pipa_event_args events;
	bool hide_kernel, hide_user, batch, stdio;
	bool calls; /* -g or --call-graph was given */
	bool zero, total;
	uint32_t uid;
	int status; /* of the command */
};

static int add_event(void *values, const char *text, struct pipa_error *err)
{
	return pipa_event_args_add(&((struct args *)values)->events, text, err);
}

static int set_rate(void *values, const char *text, struct pipa_error *err)
{
	uint64_t *hz = &((struct args *)values)->job.live.record.hz;

	if (strcmp(text, "max") == 0)
		*hz = UINT64_MAX;
	else if (pipa_str_u64(text, hz) < 0 || !*hz || *hz > UINT32_MAX) {
		return pipa_refuse(err, -EINVAL,
				   "-F: invalid rate '%s', expected samples per second or max",
				   text);
	}
	return 0;
}

static int set_call_graph(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	enum pipa_calls *calls = &args->job.live.record.calls;

	args->calls = true;
	if (!text || strcmp(text, "fp") == 0)
		*calls = PIPA_CALLS_FP;
	else if (strcmp(text, "none") == 0)
		*calls = PIPA_CALLS_NONE;
	else if (strcmp(text, "dwarf") == 0)
		*calls = PIPA_CALLS_DWARF;
	else
		return pipa_refuse(err, -EINVAL,
				   "--call-graph: invalid method '%s', expected fp, dwarf or none",
				   text);
	return 0;
}

static int set_sort(void *values, const char *text, struct pipa_error *err)
{
	struct pipa_top_options *top = &((struct args *)values)->job.top;

	top->n_keys = 0;
	do {
		size_t len = strcspn(text, ",");
		enum pipa_key key = pipa_key_find(text, len);

		if (key >= PIPA_KEY_SRCLINE || top->n_keys == PIPA_KEY_NR) {
			return pipa_refuse(err, -EINVAL,
					   "--sort: invalid key '%.*s', expected comm, pid, tid, "
					   "dso, symbol, cpu or event",
					   (int)len, text);
		}
		top->keys[top->n_keys++] = key;
		text += len + (text[len] == ',');
	} while (*text);
	return 0;
}

static int set_limit(void *values, const char *text, struct pipa_error *err)
{
	double *limit = &((struct args *)values)->job.percent_limit;

	if (pipa_str_double(text, limit) < 0 || !(*limit >= 0 && *limit <= 100))
		return pipa_refuse(err, -EINVAL,
				   "--percent-limit: invalid percentage '%s', expected 0 to 100",
				   text);
	return 0;
}

static int set_uid(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	uint64_t uid;

	if (pipa_str_u64(text, &uid) < 0 || uid >= UINT32_MAX) {
		pipa_refuse(err, -EINVAL, "-u: invalid user ID '%s', expected a number", text);
		return pipa_hint(err, "id -u NAME prints it");
	}
	args->uid = (uint32_t)uid;
	args->job.live.uid = &args->uid;
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Events"),
	CALL('e', "event", "LIST", add_event,
	     "events to sample (repeatable): cycles:u,page-faults"),
	CALL('F', "freq", "HZ", set_rate,
	     "samples per second (default: 997); max: highest rate permitted"),
	{ .kind = PIPA_OPT_U64,
	  .letter = 'c',
	  .name = "count",
	  .arg = "N",
	  .above_zero = true,
	  AT(job.live.record.period),
	  .help = "one sample every N events" },
	FLAG('K', "hide-kernel", hide_kernel, "do not sample the kernel"),
	FLAG('U', "hide-user", hide_user, "do not sample user space"),
	CALL('g', "call-chains", NULL, set_call_graph, "add the children column to --batch output"),
	CALL(0, "call-graph", "HOW", set_call_graph, "unwind method: fp (default), dwarf or none"),

	TITLE("Target"),
	FLAG('a', "all-cpus", job.live.record.target.system_wide,
	     "all processes on all CPUs (default)"),
	TEXT('p', "pid", "PID[,...]", job.live.record.target.pids,
	     "existing processes with all their threads"),
	TEXT('t', "tid", "TID[,...]", job.live.record.target.tids, "existing threads"),
	CALL('u', "uid", "UID", set_uid, "existing processes of user UID"),
	TEXT('C', "cpu", "LIST", job.live.record.target.cpus, "all processes on these CPUs: 0-3,7"),

	TITLE("Output"),
	TIME('d', "delay", "SEC", PIPA_NS_PER_SEC, job.interval_ns,
	     "refresh every SEC seconds (default: 2)"),
	FLAG('z', "zero", zero, "show only samples of the last interval"),
	FLAG(0, "total", total, "show all samples since the start (default: 10 s half-life)"),
	CALL('s', "sort", "KEYS", set_sort,
	     "sort keys (default: comm,dso,symbol); also pid,tid,cpu,event"),
	CALL(0, "percent-limit", "P", set_limit, "omit rows below P percent (default: 0)"),
	FLAG('b', "batch", batch, "print tables, do not start the TUI"),
	FLAG(0, "stdio", stdio, "alias for --batch"),
	{ .kind = PIPA_OPT_U64,
	  .letter = 'n',
	  .name = "iterations",
	  .arg = "N",
	  .above_zero = true,
	  AT(job.count),
	  .help = "stop after N refreshes (default: until interrupted)" },

	TITLE("Symbols"),
	VMLINUX_ROW(job.live.symbols),
	MANGLED_ROW(job.live.symbols),
};

static int finish_args(struct args *args, struct pipa_error *err)
{
	struct pipa_record_options *record = &args->job.live.record;

	if (args->hide_kernel && args->hide_user)
		return pipa_refuse(err, -EINVAL, "-K cannot be combined with -U");
	if (record->hz && record->period)
		return pipa_refuse(err, -EINVAL, "only one of -F and -c can be given");
	if (!args->job.top.n_keys)
		return pipa_refuse(err, -EINVAL, "--sort: empty list of keys");
	if (args->job.interval_ns < 100 * PIPA_NS_PER_MS) {
		pipa_refuse(err, -EINVAL, "-d: invalid interval, expected 100 ms or more");
		return pipa_hint(err, "a number without a unit is in seconds: -d 0.5, -d 500ms");
	}
	if (args->zero && args->total)
		return pipa_refuse(err, -EINVAL, "only one of -z and --total can be given");
	if (args->job.live.uid &&
	    (record->target.pids || record->target.tids || record->target.cpus ||
	     record->target.system_wide || record->target.command))
		return pipa_refuse(err, -EINVAL,
				   "-u cannot be combined with -p, -t, -C, -a or a command");
	args->job.span = args->zero ? PIPA_LIVE_LAST : args->total ? PIPA_LIVE_ALL : PIPA_LIVE_NOW;
	args->job.live.status = &args->status;
	record->command_signals = &pipa_cli_signals;
	record->events = args->events.items;
	record->n_events = args->events.n;
	record->user_only = args->hide_kernel;
	record->kernel_only = args->hide_user;
	record->target.verb = "sample";
	record->version = pipa_cli_version;
	args->job.top.children = args->calls && record->calls != PIPA_CALLS_NONE;
	return 0;
}

/* Start the TUI, or print tables, with a note if the terminal does not support the TUI. */
static int watch(struct args *args, struct pipa_error *err)
{
	char text[sizeof(err->what) + 40];
	bool screen = !args->batch && !args->stdio && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	int rc = screen ? pipa_screen_top_run(&pipa_cli_host, &args->job, err) : -ENODEV;

	if (rc != -ENODEV)
		return rc;
	if (screen) {
		snprintf(text, sizeof(text), "%s; printing tables instead", err->what);
		pipa_cli_note("top", text);
		*err = (struct pipa_error){ 0 };
	}
	args->job.live.record.log = pipa_cli_log(&pipa_cmd_top);
	return pipa_live_print_run(&pipa_cli_host, &args->job, err);
}

static int run_top(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct pipa_error err = { 0 };
	struct args args = {
		.job = { .top = { .keys = { PIPA_KEY_COMM, PIPA_KEY_OBJECT, PIPA_KEY_SYMBOL },
				  .n_keys = 3 },
			 .interval_ns = 2 * PIPA_NS_PER_SEC,
			 .out_fd = STDOUT_FILENO,
			 .live.record.calls = PIPA_CALLS_FP },
	};
	int rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &args, &err);

	if (rc == -ECANCELED) {
		free(args.events.items);
		return pipa_cli_help(cmd);
	}
	if (rc >= 0 && rc < argc)
		args.job.live.record.target.command = argv + rc;
	if (rc >= 0)
		rc = finish_args(&args, &err);
	if (rc < 0) {
		free(args.events.items);
		return pipa_cli_fail(cmd, &err, cmd->usage);
	}
	rc = watch(&args, &err);
	free(args.events.items);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, args.status ? args.status : cmd->failure);
	return rc ? rc : args.status;
}

const struct pipa_cmd pipa_cmd_top = {
	.name = "top",
	.args = "[OPTIONS] [--] [COMMAND [ARGS]]",
	.help = "show the hottest functions of the machine, a process or a command, live",
	.more = "Exit status: that of the command if one is given. See pipa-top(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_top,
};
