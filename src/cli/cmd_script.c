/* Options and help of `pipa script`. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/file.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "cli/time_range.h"
#include "job/view/script.h"
#include "store/output_check.h"

struct args {
	struct pipa_script_options job;
	unsigned int max_stack;
};

static int set_fields(void *values, const char *text, struct pipa_error *err)
{
	return pipa_script_fields_parse(text, &((struct args *)values)->job.fields, err);
}

static int set_pids(void *values, const char *text, struct pipa_error *err)
{
	return pipa_script_ids_parse(text, &((struct args *)values)->job.filter.pids, err);
}

static int set_tids(void *values, const char *text, struct pipa_error *err)
{
	return pipa_script_ids_parse(text, &((struct args *)values)->job.filter.tids, err);
}

static int set_cpus(void *values, const char *text, struct pipa_error *err)
{
	struct pipa_cpus *cpus = &((struct args *)values)->job.filter.cpus, parsed = { 0 };
	int rc = pipa_cpus_parse(text, &parsed, err);

	if (rc < 0)
		return rc;
	if (!parsed.n)
		return pipa_refuse(err, -EINVAL, "--cpu: empty list");
	pipa_cpus_done(cpus);
	*cpus = parsed;
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Input and fields"),
	INPUT_ROW(job.load.path),
	CALL('F', "fields", "FIELDS", set_fields,
	     "fields to print; +FIELD and -FIELD change the default"),
	{ .kind = PIPA_OPT_UINT,
	  .name = "max-stack",
	  .arg = "N",
	  AT(max_stack),
	  .above_zero = true,
	  .help = "print only the N innermost frames of each stack" },

	TITLE("Filters"),
	TEXT(0, "comms", "NAMES", job.filter.comms, "only these commands (comma-separated)"),
	CALL(0, "pid", "IDS", set_pids, "only these processes (comma-separated)"),
	CALL(0, "tid", "IDS", set_tids, "only these threads (comma-separated)"),
	CALL('C', "cpu", "LIST", set_cpus, "only these CPUs: 0-3,7"),
	TIME_RANGE_ROW(job.load.ingest),

	SYMBOL_ROWS(job.load.symbols),
	MANGLED_ROW(job.load.symbols),

	TITLE("Output"),
	{ .kind = PIPA_OPT_FLAG,
	  .letter = 'j',
	  .name = "json",
	  AT(job.json),
	  .help = "print one JSON object per sample and line" },
	FLAG(0, "header", job.header, "print the perf.data header before the samples"),
	FLAG(0, "header-only", job.header_only, "print only the perf.data header"),
};

static int run_script(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .out_fd = STDOUT_FILENO, .load.log = pipa_cli_log(cmd) } };
	struct pipa_error err = { 0 };
	int rc = pipa_opt_recording(opts, PIPA_COUNT(opts), argc, argv, &args, &args.job.load.path,
				    &err);
	int status;

	args.job.load.ingest.max_stack = args.max_stack;
	if (rc >= 0)
		rc = PIPA_OUTPUT_CHECK(NULL, STDOUT_FILENO, &err, args.job.load.path,
				       args.job.load.symbols.vmlinux,
				       args.job.load.symbols.kallsyms);
	status = rc < 0 ? pipa_cli_usage(cmd, rc, &err) :
			  pipa_cli_end(cmd, pipa_script_run(&args.job, &err), &err);
	pipa_script_filter_done(&args.job.filter);
	return status;
}

const struct pipa_cmd pipa_cmd_script = {
	.name = "script",
	.args = "[OPTIONS] [FILE]",
	.help = "print every sample of a recording",
	.more = "FILE is a perf.data file or a bundle (default: perf.data); - is standard input.\n"
		"Fields: comm, pid, tid, cpu, time, period, event, trace, addr, ip, sym, symoff, dso,\n"
		"brstack.\n"
		"See pipa-script(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_script,
};
