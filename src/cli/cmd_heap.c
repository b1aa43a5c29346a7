/* Options and help of `pipa heap`. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/interrupt.h"
#include "base/file/outfile.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/heap/heap.h"
#include "job/heap/heap_chart.h"
#include "measure/heap/heap_control.h"
#include "measure/heap/heap_library.h"
#include "store/output_check.h"

enum { DEFAULT_RATE = 512 << 10, DEFAULT_ROWS = 5, STATUS_LEAK = 3 };

struct args {
	struct pipa_heap_options job;
	const char *pid, *report, *format, *value;
	bool fail_on_leaks, off, no_report, not_inlined;
	unsigned int rows;
};

static int set_size(const char *option, const char *text, uint64_t most, uint64_t *ret,
		    struct pipa_error *err)
{
	if (pipa_str_size(text, 1, ret) < 0 || *ret > most)
		return pipa_refuse(
			err, -EINVAL,
			"%s: invalid size '%s', expected bytes such as 4096, 512Ki or 1M", option,
			text);
	return 0;
}

static int set_rate(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	int rc = set_size("--rate", text, UINT64_C(1) << 40, &args->job.record.rate, err);

	if (!rc && !args->job.record.rate)
		return pipa_refuse(
			err, -EINVAL,
			"--rate: invalid size '0', expected 1 for every allocation, or more");
	return rc;
}

static int set_min_size(void *values, const char *text, struct pipa_error *err)
{
	return set_size("--min-size", text, UINT64_C(1) << 40,
			&((struct args *)values)->job.record.min_size, err);
}

static int set_leaks(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	if (text && strcmp(text, "fail") != 0)
		return pipa_refuse(err, -EINVAL, "--leaks: invalid value '%s', expected fail",
				   text);
	args->job.record.leaks = true;
	args->fail_on_leaks |= text != NULL;
	return 0;
}

static int set_sort(void *values, const char *text, struct pipa_error *err)
{
	if (strcmp(text, "pid") != 0)
		return pipa_refuse(err, -EINVAL, "--sort: invalid key '%s', expected pid", text);
	((struct args *)values)->job.by_process = true;
	return 0;
}

static int set_format(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	if (strcmp(text, "text") != 0 && strcmp(text, "json") != 0)
		return pipa_refuse(err, -EINVAL, "-f: invalid format '%s', expected text or json",
				   text);
	args->job.json = strcmp(text, "json") == 0;
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Sampling"),
	CALL(0, "rate", "SIZE", set_rate,
	     "mean number of bytes per sample (default: 512Ki); 1: every allocation"),
	CALL(0, "min-size", "SIZE", set_min_size, "omit allocations of fewer bytes (default: 0)"),
	FLAG(0, "no-frees", job.record.no_frees, "do not follow frees: report only allocations"),
	FLAG(0, "mmap", job.record.mappings, "also record mmap, munmap, mremap and brk"),
	FLAG(0, "off", off, "start switched off: switch it on with pipa heap on -p PID"),
	TIME(0, "snapshot", "TIME", PIPA_NS_PER_SEC, job.record.snapshot_ns,
	     "record the memory in use every TIME (seconds)"),

	TITLE("Report"),
	{ .kind = PIPA_OPT_CALL,
	  .name = "leaks",
	  .arg = "fail",
	  .optional = true,
	  .set = set_leaks,
	  .help = "search for leaked blocks at the exit; fail: exit with status 3 if there are any" },
	FLAG(0, "resident", job.record.pages,
	     "report which bytes of blocks are resident, swapped or untouched at the exit"),
	CALL(0, "sort", "KEYS", set_sort, "pid: report the call stacks of each process separately"),
	{ .kind = PIPA_OPT_UINT,
	  .letter = 'n',
	  .name = "rows",
	  .arg = "N",
	  AT(rows),
	  .above_zero = true,
	  .help = "print at most N rows in each table (default: 5)" },
	CALL('f', "format", "FORM", set_format, "format of the report: text (default) or json"),
	FLAG('q', "quiet", no_report, "print no report to standard error"),

	TITLE("Output"),
	TEXT('o', "output", "FILE", job.output,
	     "write the profile for pprof, pipa report and others: heap.pb.gz"),
	TEXT(0, "report-to", "FILE", report, "write the report to FILE (default: standard error)"),
	TEXT(0, "growth", "FILE", job.chart,
	     "draw memory in use over the snapshots: a .svg, .pdf or .png file"),
	TEXT(0, "value", "NAME", value,
	     "with chart: value column of the profiles (default: inuse_space)"),
	TEXT('p', "pid", "PID", pid, "with on, off and snapshot: the process"),

	TITLE("Symbols"),
	SYMFS_ROW(job.symbols),
	NO_INLINE_ROW(not_inlined),
	MANGLED_ROW(job.symbols),
};

static void init_args(struct args *args)
{
	*args = (struct args){ .rows = DEFAULT_ROWS };
	args->job.record.rate = DEFAULT_RATE;
	args->job.symbols.lines = PIPA_LINES_INLINED;
}

/* Refuse outputs without a name, standard output, which is the command's, and two outputs to one file. */
static int check_names(const struct args *args, struct pipa_error *err)
{
	const struct {
		const char *option, *path, *example;
	} outputs[] = {
		{ "-o", args->job.output, "heap.pb.gz" },
		{ "--report-to", args->report, "heap.txt" },
		{ "--growth", args->job.chart, "growth.svg" },
	};
	size_t i, k;

	for (i = 0; i < PIPA_COUNT(outputs); i++) {
		if (!outputs[i].path)
			continue;
		if (!outputs[i].path[0])
			return pipa_refuse(err, -EINVAL, "%s: empty file name", outputs[i].option);
		if (strcmp(outputs[i].path, "-") == 0) {
			pipa_refuse(err, -EINVAL, "%s: standard output is the command's",
				    outputs[i].option);
			return pipa_hint(err, "write to a file: %s %s", outputs[i].option,
					 outputs[i].example);
		}
		for (k = 0; k < i; k++)
			if (outputs[k].path &&
			    pipa_output_is_same(outputs[k].path, outputs[i].path))
				return pipa_refuse(err, -EINVAL, "%s and %s name the same file",
						   outputs[k].option, outputs[i].option);
	}
	return args->job.chart ? pipa_heap_chart_check("--growth", args->job.chart, err) : 0;
}

static int finish_args(struct args *args, struct pipa_error *err)
{
	struct pipa_heap_options *job = &args->job;
	int rc = check_names(args, err);

	if (rc < 0)
		return rc;
	if (job->record.no_frees && (job->record.leaks || job->record.pages || job->chart))
		return pipa_refuse(err, -EINVAL, "--no-frees cannot be combined with %s",
				   job->record.leaks ? "--leaks" :
				   job->record.pages ? "--resident" :
						       "--growth");
	job->max_rows = args->rows;
	if (args->not_inlined)
		job->symbols.lines = PIPA_LINES_PLAIN;
	job->record.off = args->off;
	job->log = job->record.log = pipa_cli_log(&pipa_cmd_heap);
	job->command_signals = &pipa_cli_signals;
	return 0;
}

/* Write the report to its file, or to standard error. */
static int write_report(const struct args *args, const struct pipa_buf *report, int fd,
			struct pipa_error *err)
{
	int rc;

	if (report->status)
		return pipa_fail(err, report->status, "report the heap");
	if (args->report)
		return pipa_outfile_write(args->report, -1, pipa_buf_str(report), report->len, err);
	if (args->no_report)
		return 0;
	rc = pipa_file_write(fd, pipa_buf_str(report), report->len);
	return rc < 0 && rc != -EPIPE ? pipa_fail(err, rc, "write the report") : 0;
}

/* ---- commands ------------------------------------------------------------------------------------- */

/* Return why leaks can exist although none was found; NULL if they cannot. */
static const char *leak_doubt(const struct args *args, const struct pipa_heap_outcome *outcome)
{
	bool all = args->job.record.rate <= 1 && !args->off;

	if (outcome->unsearched)
		return "--leaks=fail: not all processes could be searched for leaks";
	if (!outcome->complete)
		return "--leaks=fail: the recording is incomplete, and leaks may be missing";
	if (!outcome->processes || (!outcome->samples && !all))
		return "--leaks=fail: no allocation was recorded";
	return NULL;
}

/* Return the exit status after the command has ended without a failure of ours. */
static int status_of(const struct pipa_cmd *cmd, const struct args *args,
		     const struct pipa_heap_outcome *outcome)
{
	const char *doubt;
	char line[160];

	if (!outcome->status && !outcome->processes && (args->job.output || args->job.chart))
		return cmd->failure; /* the recorder has noted why */
	if (outcome->status || !args->fail_on_leaks)
		return outcome->status;
	if (outcome->lost_objects) {
		snprintf(line, sizeof(line), "leaks: %llu blocks, %llu bytes",
			 (unsigned long long)outcome->lost_objects,
			 (unsigned long long)outcome->lost_bytes);
		pipa_cli_note(cmd->name, line);
		return STATUS_LEAK;
	}
	doubt = leak_doubt(args, outcome);
	if (doubt)
		pipa_cli_note(cmd->name, doubt);
	else if (args->no_report && args->job.record.rate > 1)
		pipa_cli_note(cmd->name, "--leaks=fail: only sampled blocks were searched for; "
					 "--rate 1 finds all leaks");
	return doubt ? cmd->failure : 0;
}

/* Can the outputs be written? Else the recording would be made in vain. */
static int check_outputs(const struct args *args, struct pipa_error *err)
{
	const char *const paths[] = { args->job.output, args->job.chart, args->report };
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < PIPA_COUNT(paths); i++)
		if (paths[i])
			rc = pipa_outfile_check(paths[i], err);
	return rc;
}

static int run_command(const struct pipa_cmd *cmd, struct args *args, char **command)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf report = { 0 };
	struct pipa_heap_outcome outcome = { 0 };
	struct pipa_error err = { 0 }, later = { 0 };
	int rc, written;

	if (check_outputs(args, &err) < 0)
		return pipa_cli_fail(cmd, &err, cmd->failure);
	args->job.record.command = command;
	rc = pipa_heap_run(&pipa_cli_host, &args->job, &report, &outcome, &err);
	written = report.len ? write_report(args, &report, STDERR_FILENO, &later) : 0;
	if (rc < 0 && outcome.exec_failed)
		return pipa_cli_fail(cmd, &err, err.code == -ENOENT ? 127 : 126);
	if (rc == -EINTR && pipa_interrupt_count())
		return 128 + pipa_interrupt_signal();
	if (rc < 0 || written < 0) {
		int status = pipa_cli_fail(cmd, rc < 0 ? &err : &later, cmd->failure);

		return outcome.ended && outcome.status ? outcome.status : status;
	}
	return status_of(cmd, args, &outcome);
}

/* Parse -p of a verb. */
static int get_pid(const struct args *args, const char *verb, uint32_t *ret, struct pipa_error *err)
{
	uint64_t pid;

	if (!args->pid)
		return pipa_refuse(err, -EINVAL, "%s requires -p PID", verb);
	if (pipa_str_u64(args->pid, &pid) < 0 || !pid || pid > INT32_MAX)
		return pipa_refuse(err, -EINVAL, "-p: invalid PID '%s', expected one number",
				   args->pid);
	*ret = (uint32_t)pid;
	return 0;
}

static int run_switch(const struct pipa_cmd *cmd, const struct args *args, bool on)
{
	struct pipa_error err = { 0 };
	uint32_t pid;
	int fd, rc = get_pid(args, on ? "on" : "off", &pid, &err);

	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->usage);
	fd = pipa_heap_control_open(pid, &err);
	rc = fd < 0 ? fd : pipa_heap_control_switch(fd, on, &err);
	pipa_fd_close(fd);
	return rc < 0 ? pipa_cli_fail(cmd, &err, 1) : 0;
}

static int run_snapshot(const struct pipa_cmd *cmd, struct args *args)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf report = { 0 };
	struct pipa_error err = { 0 };
	uint32_t pid;
	int rc = get_pid(args, "snapshot", &pid, &err);

	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->usage);
	rc = pipa_heap_snapshot(pid, &args->job, &report, &err);
	if (!rc)
		rc = write_report(args, &report, STDOUT_FILENO, &err);
	return rc < 0 ? pipa_cli_fail(cmd, &err, 1) : 0;
}

static int run_library(const struct pipa_cmd *cmd, const struct args *args)
{
	const struct pipa_span image = pipa_heap_library_image();
	struct pipa_error err = { 0 };
	int rc;

	if (!args->job.output) {
		pipa_refuse(&err, -EINVAL, "library requires -o FILE");
		return pipa_cli_fail(cmd, &err, cmd->usage);
	}
	rc = pipa_outfile_write(args->job.output, -1, image.data, image.size, &err);
	return rc < 0 ? pipa_cli_fail(cmd, &err, 1) : 0;
}

static int run_chart(const struct pipa_cmd *cmd, const struct args *args, const char *const *paths,
		     size_t n)
{
	const struct pipa_heap_chart_options options = {
		.paths = paths,
		.n_paths = n,
		.output = args->job.output,
		.value = args->value,
		.symbols = args->job.symbols,
		.log = args->job.log,
	};
	struct pipa_error err = { 0 };

	if (!args->job.output || !n) {
		pipa_refuse(&err, -EINVAL, "chart requires -o FILE and profiles");
		return pipa_cli_fail(cmd, &err, cmd->usage);
	}
	if (pipa_output_check(args->job.output, -1, paths, n, &err) < 0 ||
	    pipa_heap_chart_check("-o", args->job.output, &err) < 0)
		return pipa_cli_fail(cmd, &err, cmd->usage);
	return pipa_heap_chart_run(&options, &err) < 0 ? pipa_cli_fail(cmd, &err, 1) : 0;
}

enum { WORDS_MAX = 4096, VERB_OPTIONS_MAX = 10 };

/* Verbs with the long names of their options. */
static const struct {
	const char *name;
	const char *options[VERB_OPTIONS_MAX + 1];
} verbs[] = {
	{ "on", { "pid" } },
	{ "off", { "pid" } },
	{ "snapshot",
	  { "pid", "output", "report-to", "format", "quiet", "rows", "sort", "symfs", "no-inline",
	    "no-demangle" } },
	{ "chart", { "output", "value", "symfs", "no-inline", "no-demangle" } },
	{ "library", { "output" } },
};

/* Return the options of a verb, up to a NULL; NULL if the word is not a verb. */
static const char *const *options_of(const char *word)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(verbs); i++)
		if (strcmp(word, verbs[i].name) == 0)
			return verbs[i].options;
	return NULL;
}

static bool has_name(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

/* Refuse options that the verb does not have. The rows only count how often an option is given. */
static int check_options(const char *verb, int argc, char **argv, const char **words,
			 struct pipa_error *err)
{
	const char *const *names = options_of(verb);
	unsigned int given[PIPA_COUNT(opts)] = { 0 };
	struct pipa_opt counted[PIPA_COUNT(opts)];
	size_t i;
	int n;

	memcpy(counted, opts, sizeof(counted));
	for (i = 0; i < PIPA_COUNT(opts); i++) {
		if (counted[i].kind != PIPA_OPT_TITLE)
			counted[i].kind = PIPA_OPT_COUNT;
		counted[i].offset = i * sizeof(given[0]);
	}
	n = pipa_opt_words(counted, PIPA_COUNT(counted), argc, argv, given, words, WORDS_MAX, err);
	for (i = 0; n >= 0 && i < PIPA_COUNT(opts); i++)
		if (given[i] && !has_name(names, opts[i].name))
			return pipa_refuse(err, -EINVAL, "--%s cannot be combined with %s",
					   opts[i].name, verb);
	return n;
}

/* Run `pipa heap VERB`, whose name is argv[at]: options may precede and follow it. */
static int run_verb(const struct pipa_cmd *cmd, int at, int argc, char **argv, struct args *args)
{
	PIPA_AUTO(free) const char **words = calloc(WORDS_MAX, sizeof(*words));
	const char *verb = argv[at];
	struct pipa_error err = { 0 };
	int n = words ? check_options(verb, argc, argv, words, &err) :
			pipa_fail(&err, -ENOMEM, "parse options");

	if (n >= 0)
		n = pipa_opt_words(opts, PIPA_COUNT(opts), argc - at, argv + at, args, words,
				   WORDS_MAX, &err);
	if (n == -ECANCELED)
		return pipa_cli_help(cmd);
	if (strcmp(verb, "snapshot") == 0 && args->report && strcmp(args->report, "-") == 0)
		args->report = NULL; /* standard output is the default */
	if (n >= 0 && finish_args(args, &err) < 0)
		n = err.code;
	if (n > 0 && strcmp(verb, "chart") != 0)
		n = pipa_refuse(&err, -EINVAL, "unexpected argument '%s'", words[0]);
	if (n < 0)
		return pipa_cli_fail(cmd, &err, cmd->usage);
	if (strcmp(verb, "on") == 0 || strcmp(verb, "off") == 0)
		return run_switch(cmd, args, strcmp(verb, "on") == 0);
	if (strcmp(verb, "snapshot") == 0)
		return run_snapshot(cmd, args);
	if (strcmp(verb, "library") == 0)
		return run_library(cmd, args);
	return run_chart(cmd, args, words, (size_t)n);
}

static int run_heap(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct pipa_error err = { 0 };
	struct args args;
	int rc;

	init_args(&args);
	rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &args, &err);
	if (rc == -ECANCELED)
		return pipa_cli_help(cmd);
	if (rc >= 0 && rc < argc && strcmp(argv[rc - 1], "--") != 0 && options_of(argv[rc]))
		return run_verb(cmd, rc, argc, argv, &args);
	if (rc >= 0 && rc >= argc) {
		if (args.pid) {
			rc = pipa_refuse(&err, -EINVAL, "-p requires on, off or snapshot");
			pipa_hint(&err, "an existing process is profiled only if it was "
					"started with pipa heap -- COMMAND");
		} else {
			rc = pipa_refuse(&err, -EINVAL, "no command given");
			pipa_hint(&err, "pipa heap -- COMMAND");
		}
	}
	if (rc >= 0 && args.pid)
		rc = pipa_refuse(&err, -EINVAL, "-p cannot be combined with a command");
	if (rc >= 0 && args.value)
		rc = pipa_refuse(&err, -EINVAL, "--value requires chart");
	if (rc >= 0 && args.job.chart && !args.job.record.snapshot_ns)
		rc = pipa_refuse(&err, -EINVAL, "--growth requires --snapshot TIME");
	if (rc >= 0 && args.job.record.snapshot_ns && !args.job.output && !args.job.chart)
		rc = pipa_refuse(&err, -EINVAL, "--snapshot requires -o FILE or --growth FILE");
	if (rc >= 0 && finish_args(&args, &err) < 0)
		rc = err.code;
	return rc < 0 ? pipa_cli_fail(cmd, &err, cmd->usage) : run_command(cmd, &args, argv + rc);
}

const struct pipa_cmd pipa_cmd_heap = {
	.name = "heap",
	.args = "[OPTIONS] [--] COMMAND [ARGS] | on|off|snapshot -p PID | chart -o IMAGE FILE... | "
		"library -o FILE",
	.help = "sample the allocations of a command: peak, memory in use, leaks",
	.more = "A command named on, off, snapshot, chart or library must follow --.\n"
		"Exit status: that of the command (128+n if signal n killed it), 3 if --leaks=fail found a\n"
		"leak, 125 if pipa failed or --leaks=fail cannot exclude leaks, 126 if the command cannot be\n"
		"executed, 127 if it was not found.\n"
		"See pipa-heap(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 125,
	.usage = 125,
	.run = run_heap,
};
