#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
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
		return pipa_refuse(err, -EINVAL, "--cpu: no CPU is given");
	pipa_cpus_done(cpus);
	*cpus = parsed;
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("What"),
	TEXT('i', "input", "FILE", job.load.path,
	     "the recording, instead of an argument; - reads standard input"),
	CALL('F', "fields", "FIELDS", set_fields,
	     "exactly these, or with + and - more and less: comm,pid,tid,cpu,time,period,event,"
	     "trace,addr,ip,sym,symoff,dso,brstack"),
	{ .kind = PIPA_OPT_UINT,
	  .name = "max-stack",
	  .arg = "N",
	  AT(max_stack),
	  .above_zero = true,
	  .help = "the N innermost frames alone" },

	TITLE("Of it"),
	TEXT(0, "comm", "NAMES", job.filter.comms, "these commands alone"),
	CALL(0, "pid", "IDS", set_pids, "these processes alone"),
	CALL(0, "tid", "IDS", set_tids, "these threads alone"),
	CALL('C', "cpu", "LIST", set_cpus, "these CPUs alone: 0-3,7"),
	STRETCH_ROW(job.load.ingest),

	TITLE("Names"),
	KERNEL_ROWS(job.load.symbols),
	SYMFS_ROW(job.load.symbols),
	MANGLED_ROW(job.load.symbols),

	TITLE("Output"),
	{ .kind = PIPA_OPT_FLAG,
	  .letter = 'j',
	  .name = "json",
	  AT(job.json),
	  .help = "one JSON object a line" },
};

static void tell(const char *text)
{
	pipa_cli_note("script", text);
}

static int run_script(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .out_fd = STDOUT_FILENO, .note = tell } };
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
	.help = "show the samples of a recording one by one",
	.more = "FILE is perf.data unless it is given; - is standard input.\n"
		"More in pipa-script(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_script,
};
