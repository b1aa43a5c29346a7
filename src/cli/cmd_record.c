/* Options and help of `pipa record`. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/interrupt.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/cmd.h"
#include "cli/event_args.h"
#include "cli/opt_rows.h"
#include "cli/otlp_args.h"
#include "job/exchange/record_send.h"
#include "kernel/event/host.h"
#include "measure/sample/record.h"
#include "store/output_check.h"

/* Values of the options. */
struct args {
	struct pipa_record_options job;
	struct pipa_event_args events;
	struct {
		const char **items;
		size_t n, cap;
	} argv;
	struct pipa_otlp_args otlp;
	struct pipa_record_send_options send;
	bool quiet, per_thread, timestamps;
	bool drawn; /* a progress line is on the terminal */
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

static int bad_value(const char *name, const char *text, const char *want, struct pipa_error *err)
{
	return pipa_refuse(err, -EINVAL, "%s '%s', expected %s", name, text, want);
}

static int set_rate(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	if (strcmp(text, "max") == 0)
		args->job.hz = UINT64_MAX;
	else if (pipa_str_u64(text, &args->job.hz) < 0 || !args->job.hz ||
		 args->job.hz > UINT32_MAX)
		return bad_value("-F: invalid rate", text, "samples per second or max", err);
	return 0;
}

static const char call_graphs[] =
	"auto, fp, none, dwarf or dwarf,BYTES (multiple of 8, at most 65528)";

static int set_stack_bytes(struct args *args, const char *text, struct pipa_error *err)
{
	uint64_t bytes;

	if (pipa_str_size(text + strlen("dwarf,"), 1, &bytes) < 0 || !bytes || bytes % 8 ||
	    bytes > PIPA_STACK_BYTES_MAX)
		return bad_value("--call-graph: invalid method", text, call_graphs, err);
	args->job.calls = PIPA_CALLS_DWARF;
	args->job.stack_bytes = (uint32_t)bytes;
	return 0;
}

static int set_call_graph(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	args->job.stack_bytes = 0;
	if (text && strcmp(text, "none") == 0)
		args->job.calls = PIPA_CALLS_NONE;
	else if (!text || strcmp(text, "auto") == 0)
		args->job.calls = PIPA_CALLS_AUTO;
	else if (strcmp(text, "fp") == 0)
		args->job.calls = PIPA_CALLS_FP;
	else if (strcmp(text, "dwarf") == 0)
		args->job.calls = PIPA_CALLS_DWARF;
	else if (pipa_str_starts(text, "dwarf,"))
		return set_stack_bytes(args, text, err);
	else
		return bad_value("--call-graph: invalid method", text, call_graphs, err);
	return 0;
}

/* Parse a clock by perf's names: mono, CLOCK_MONOTONIC_RAW, real, or a number. */
static int set_clock(void *values, const char *text, struct pipa_error *err)
{
	static const struct {
		const char *name, *alias;
		clockid_t id;
	} clocks[] = {
		{ "monotonic", "mono", CLOCK_MONOTONIC },
		{ "monotonic_raw", "raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", "real", CLOCK_REALTIME },
		{ "boottime", "boot", CLOCK_BOOTTIME },
		{ "tai", "tai", CLOCK_TAI },
	};
	struct pipa_record_options *job = &((struct args *)values)->job;
	const char *name = strncasecmp(text, "CLOCK_", 6) == 0 ? text + 6 : text;
	uint64_t number = UINT64_MAX;
	size_t i;

	pipa_str_u64(text, &number);
	for (i = 0; i < PIPA_COUNT(clocks); i++)
		if (strcasecmp(name, clocks[i].name) == 0 ||
		    strcasecmp(name, clocks[i].alias) == 0 || number == (uint64_t)clocks[i].id) {
			job->has_clock = true;
			job->clock = clocks[i].id;
			return 0;
		}
	return bad_value("-k: invalid clock", text,
			 "monotonic, monotonic_raw, realtime, boottime or tai", err);
}

static int set_unwind(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	if (strcmp(text, "live") != 0 && strcmp(text, "later") != 0)
		return bad_value("--unwind: invalid mode", text, "live or later", err);
	args->job.keep_stacks = strcmp(text, "later") == 0;
	return 0;
}

static int set_ring(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (pipa_str_size(text, page, &args->job.ring_bytes) < 0 || !args->job.ring_bytes ||
	    args->job.ring_bytes > UINT64_C(1) << 30)
		return bad_value("-m: invalid size", text,
				 "pages or a size of at most 1Gi: 128, 512Ki, 4M", err);
	return 0;
}

static int set_max_size(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	if (pipa_str_size(text, 1, &args->job.max_bytes) < 0 || !args->job.max_bytes)
		return bad_value("--max-size: invalid size", text,
				 "a size such as 500k, 100M or 2Gi", err);
	return 0;
}

static int set_keep(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	if (pipa_str_size(text, 1, &args->job.keep_bytes) < 0)
		return bad_value("--keep-files: invalid size", text,
				 "a size such as 0, 100M or 2Gi", err);
	return 0;
}

static int set_level(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	uint64_t level = 1;

	if (text && (pipa_str_u64(text, &level) < 0 || level < 1 || level > 22))
		return bad_value("-z: invalid level", text, "1 to 22", err);
	args->job.level = (unsigned int)level;
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Events"),
	CALL('e', "event", "LIST", add_event,
	     "events to sample (repeatable): cycles:u,{a,b}:S,sched:sched_switch"),
	CALL(0, "filter", "EXPR", add_filter, "filter expression for the preceding tracepoint"),
	CALL('F', "freq", "HZ", set_rate,
	     "samples per second (default: 997); max: highest rate permitted"),
	{ .kind = PIPA_OPT_U64,
	  .letter = 'c',
	  .name = "count",
	  .arg = "N",
	  .above_zero = true,
	  AT(job.period),
	  .help = "one sample every N events" },
	FLAG(0, "all-user", job.user_only, "user space only, for events without :u or :k"),
	FLAG(0, "all-kernel", job.kernel_only, "kernel only, for events without :u or :k"),

	TITLE("Target"),
	TEXT('p', "pid", "PID[,...]", job.target.pids, "existing processes with all their threads"),
	TEXT('t', "tid", "TID[,...]", job.target.tids, "existing threads"),
	FLAG('a', "all-cpus", job.target.system_wide, "all processes on all CPUs"),
	TEXT('C', "cpu", "LIST", job.target.cpus, "all processes on these CPUs: 0-3,7"),
	TEXT('G', "cgroup", "NAME[,...]", job.target.cgroups,
	     "processes of these cgroups on all CPUs"),
	FLAG('i', "no-inherit", job.no_inherit, "do not follow child processes and new threads"),
	FLAG(0, "per-thread", per_thread,
	     "same as --no-inherit; unlike in perf, ring buffers are per CPU"),
	FLAG(0, "exclude-self", job.exclude_self, "drop samples of pipa itself"),

	TITLE("Call graphs and sample data"),
	CALL('g', "call-chains", NULL, set_call_graph,
	     "record call chains (default); same as --call-graph auto"),
	CALL(0, "call-graph", "HOW", set_call_graph,
	     "unwind method: auto (default), fp, dwarf[,BYTES] or none"),
	CALL(0, "unwind", "WHEN", set_unwind,
	     "live (default): unwind while recording; later: store stack dumps"),
	FLAG('b', "branch-any", job.branches, "record the branch stack"),
	FLAG('d', "data", job.addresses, "record the data addresses of samples"),
	FLAG('R', "raw-samples", job.raw,
	     "record raw data of all events (default: only of tracepoints)"),
	FLAG('s', "stat", job.thread_counts,
	     "record the counts of each thread, for perf report -T"),
	FLAG('T', "timestamp", timestamps, "record timestamps (always recorded)"),
	CALL('k', "clockid", "CLOCK", set_clock,
	     "clock of timestamps: monotonic (default), monotonic_raw, realtime..."),
	FLAG(0, "buildid-mmap", job.kernel_build_ids,
	     "record build IDs in MMAP2 records; aborts a concurrent perf 6.1"),
	FLAG(0, "switch-events", job.switches, "record context switches"),

	TITLE("Limits"),
	TIME(0, "duration", "SEC", PIPA_NS_PER_SEC, job.duration_ns, "stop after SEC seconds"),
	TIME('D', "delay", "MS", PIPA_NS_PER_MS, job.delay_ns,
	     "start sampling MS milliseconds after the start"),

	TITLE("Output"),
	TEXT('o', "output", "FILE", job.output,
	     "write to FILE (default: perf.data); - is standard output"),
	{ .kind = PIPA_OPT_CALL,
	  .letter = 'z',
	  .name = "compression-level",
	  .arg = "N",
	  .optional = true,
	  .set = set_level,
	  .help = "compress records with zstd at level N (default: 1)" },
	CALL(0, "max-size", "SIZE", set_max_size, "stop sampling when the file reaches SIZE"),
	CALL(0, "keep-files", "SIZE", set_keep,
	     "store binaries not reachable by path, up to SIZE (default: 256M)"),
	CALL('m', "mmap-pages", "PAGES", set_ring, "size of each ring buffer: pages, or 512Ki, 4M"),
	FLAG(0, "print", job.print, "print samples to standard output; write a file only with -o"),
	FLAG('q', "quiet", quiet, "print only errors"),

	TITLE("Sending"),
	OTLP_URL_ROW(
		otlp,
		"send OTLP profiles (default: http://localhost:4317); write a file only with -o"),
	TIME(0, "export-interval", "TIME", PIPA_NS_PER_SEC, send.interval_ns,
	     "send a batch every TIME (default: 60s)"),
	{ .kind = PIPA_OPT_U64,
	  .name = "batch-size",
	  .arg = "N",
	  .above_zero = true,
	  AT(send.batch_profiles),
	  .help = "send a batch earlier when it has N profiles (default: 100)" },
	OTLP_ROWS(otlp, "10s"),
	OTLP_RETRY_ROW(otlp, "30s"),
	OTLP_LAYOUT_ROW(otlp),
	OTLP_TIMESTAMPS_ROW(otlp),
};

/* Check the options of --otlp. */
static int check_sending(const struct args *args, struct pipa_error *err)
{
	struct pipa_otlp_endpoint endpoint;
	int rc = pipa_cli_check_otlp(&args->otlp, err);

	if (rc < 0)
		return rc;
	if (!args->otlp.on) {
		if (args->send.interval_ns || args->send.batch_profiles ||
		    args->otlp.options.layout_1_9 || args->otlp.timestamps)
			return pipa_refuse(err, -EINVAL,
					   "--export-interval, --batch-size, --otlp-layout and "
					   "--otlp-timestamps require --otlp");
		return 0;
	}
	if (args->job.keep_stacks && !args->job.output)
		return pipa_refuse(err, -EINVAL, "--unwind later with --otlp requires -o FILE");
	/* before the command is started: invalid options are an error of usage */
	if (args->job.output)
		rc = PIPA_OUTPUT_CHECK(args->job.output, STDOUT_FILENO, err,
				       args->otlp.options.ca_file, args->otlp.options.cert_file,
				       args->otlp.options.key_file);
	if (rc < 0)
		return rc;
	rc = pipa_otlp_endpoint_init(&args->otlp.options, NULL, &endpoint, err);
	if (!rc)
		pipa_otlp_endpoint_done(&endpoint);
	return rc;
}

static int check_args(const struct args *args, struct pipa_error *err)
{
	const struct pipa_record_options *job = &args->job;

	if (job->user_only && job->kernel_only)
		return pipa_refuse(err, -EINVAL,
				   "only one of --all-user and --all-kernel can be given");
	if (job->hz && job->period)
		return pipa_refuse(err, -EINVAL, "only one of -F and -c can be given");
	if (job->print && job->output && strcmp(job->output, "-") == 0)
		return pipa_refuse(err, -EINVAL, "--print cannot be combined with -o -");
	if (job->output && !job->output[0])
		return pipa_refuse(err, -EINVAL, "-o: empty file name");
	if (job->output && strcmp(job->output, "-") == 0 && isatty(STDOUT_FILENO)) {
		pipa_refuse(err, -EINVAL, "refusing to write a recording to a terminal");
		return pipa_hint(err, "pipe it: pipa record -o - ... | pipa report -");
	}
	return check_sending(args, err);
}

/* Draw a progress line over the last one, or erase it. */
static void draw_progress(void *ctx, const struct pipa_record_progress *progress)
{
	struct pollfd terminal = { .fd = STDERR_FILENO, .events = POLLOUT };
	struct args *args = ctx;
	char line[160];
	int n;

	if (!progress) {
		if (args->drawn)
			pipa_file_write(STDERR_FILENO, "\r\033[K", 4);
		args->drawn = false;
		return;
	}
	if (poll(&terminal, 1, 0) <= 0)
		return; /* a stopped terminal must not stop the recording */
	n = snprintf(line, sizeof(line),
		     "\r[ %.1f s  %" PRIu64 " samples  %.2f MB  lost %" PRIu64 " ]\033[K",
		     (double)progress->elapsed_ns / 1e9, progress->samples,
		     (double)progress->bytes / 1e6, progress->lost);
	pipa_file_write(STDERR_FILENO, line, (size_t)n);
	args->drawn = true;
}

/*
 * Read the rings before other processes compute: on a busy machine the reader would wait longer for a CPU than
 * a ring takes to fill. Without permission the size of the rings has to suffice. The command keeps its
 * own priority.
 */
static void raise_priority(void *ctx PIPA_UNUSED)
{
	enum { READER_NICE = -10 };
	int now;

	errno = 0;
	now = getpriority(PRIO_PROCESS, 0);
	if (!errno && now > READER_NICE)
		setpriority(PRIO_PROCESS, 0, READER_NICE);
}

/* Convert the options to those of the job. */
static int finish_args(struct args *args, int argc, char **argv, struct pipa_error *err)
{
	struct pipa_record_options *job = &args->job;
	const char **slot;
	int i;

	job->events = args->events.items;
	job->n_events = args->events.n;
	job->target.verb = "record";
	job->command_signals = &pipa_cli_signals;
	job->held = raise_priority;
	if (args->per_thread && !pipa_target_spec_by_task(&job->target))
		pipa_cli_note("record", "--per-thread is ignored with -a, -C and -G");
	job->no_inherit |= args->per_thread;
	job->version = pipa_cli_version;
	if (!job->output && !job->print && !args->otlp.on)
		job->output = "perf.data";
	if (!args->quiet)
		job->log = pipa_cli_log(&pipa_cmd_record);
	/* no progress line if the command writes to the same terminal */
	if (!args->quiet && !job->print && isatty(STDERR_FILENO) &&
	    (!job->target.command || !isatty(STDOUT_FILENO))) {
		job->progress = draw_progress;
		job->progress_ctx = args;
	}
	job->out_fd = STDOUT_FILENO;
	args->send.endpoint = &args->otlp.options;
	args->send.retry_ns = args->otlp.retry_ns;
	args->send.times = args->otlp.timestamps;
	args->send.version = pipa_cli_version + strlen("pipa ");
	for (i = -1; i < argc; i++) {
		slot = PIPA_VEC_ADD(&args->argv);
		if (!slot)
			return pipa_fail(err, -ENOMEM, "parse options");
		*slot = i < 0 ? "pipa" : argv[i];
	}
	job->argv = args->argv.items;
	job->argc = args->argv.n;
	return 0;
}

static void summarize(const struct args *args, const struct pipa_record_outcome *outcome)
{
	const char *output = args->job.output;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };

	if (args->quiet || !output)
		return;
	pipa_buf_printf(&line,
			"[ pipa record: %" PRIu64 " samples, %.2f MB in %s; lost %" PRIu64 " ]",
			outcome->samples, (double)outcome->bytes / 1e6,
			strcmp(output, "-") == 0 ? "a pipe" : output, outcome->lost);
	pipa_cli_line(&line);
}

static void summarize_sent(const struct args *args, const struct pipa_record_outcome *outcome,
			   const struct pipa_record_sent *sent)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };

	if (args->quiet || !sent->is_recorded)
		return;
	pipa_buf_printf(&line,
			"[ pipa record: %" PRIu64 " samples sent in %" PRIu64
			" request%s, %.2f MB, to %s; lost %" PRIu64 ", not delivered %" PRIu64 " ]",
			sent->samples, sent->requests, sent->requests == 1 ? "" : "s",
			(double)sent->wire_bytes / 1e6, sent->url, outcome->lost,
			sent->undelivered);
	pipa_cli_line(&line);
}

static int exit_status(const struct pipa_cmd *cmd, const struct pipa_record_outcome *outcome,
		       const struct pipa_error *err)
{
	if (err->code == -EPIPE)
		return outcome->status ? outcome->status : 128 + SIGPIPE;
	if (err->code == -EINTR && pipa_interrupt_count())
		return 128 + pipa_interrupt_signal(); /* sampling has not started */
	if (!outcome->exec_failed)
		return pipa_cli_fail(cmd, err, cmd->failure);
	return pipa_cli_fail(cmd, err, err->code == -ENOENT ? 127 : 126);
}

static void args_done(struct args *args)
{
	free(args->events.items);
	free(args->argv.items);
}

static int run_record(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct pipa_record_outcome outcome = { 0 };
	struct pipa_record_sent sent = { 0 };
	struct pipa_error err = { 0 };
	struct args args = { .job.calls = PIPA_CALLS_AUTO, .job.keep_bytes = PIPA_KEEP_BYTES };
	int rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &args, &err);

	if (rc == -ECANCELED) {
		args_done(&args);
		return pipa_cli_help(cmd);
	}
	if (rc >= 0 && rc < argc)
		args.job.target.command = argv + rc;
	if (rc >= 0)
		rc = check_args(&args, &err);
	if (rc >= 0)
		rc = finish_args(&args, argc, argv, &err);
	if (rc < 0) {
		args_done(&args);
		return pipa_cli_fail(cmd, &err, cmd->usage);
	}
	rc = args.otlp.on ? pipa_record_send_run(&pipa_cli_host, &args.job, &args.send, &outcome,
						 &sent, &err) :
			    pipa_record_run(&pipa_cli_host, &args.job, &outcome, &err);
	if (rc >= 0 || sent.is_recorded)
		summarize(&args, &outcome);
	summarize_sent(&args, &outcome, &sent);
	args_done(&args);
	if (rc >= 0) {
		rc = outcome.status;
	} else if (!sent.is_recorded) {
		rc = exit_status(cmd, &outcome, &err);
	} else {
		rc = pipa_cli_fail(cmd, &err, cmd->failure);
		if (outcome.status) /* a failure of the command keeps its status */
			rc = outcome.status;
	}
	if (sent.is_abandoned)
		_exit(rc);
	return rc;
}

const struct pipa_cmd pipa_cmd_record = {
	.name = "record",
	.args = "[OPTIONS] [--] [COMMAND [ARGS]]",
	.help = "sample a command, existing processes or CPUs into a perf.data file",
	.more = "Exit status: that of the command (128+n if signal n killed it), 125 if pipa failed or, with\n"
		"--otlp, if samples were not delivered, 126 if the command cannot be executed, 127 if it was\n"
		"not found.\n"
		"See pipa-record(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 125,
	.usage = 125,
	.run = run_record,
};
