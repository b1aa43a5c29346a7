/* Options and help of `pipa fold`. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/file.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/view/fold.h"
#include "store/output_check.h"

struct args {
	struct pipa_fold_options job;
	bool all;
};

static const struct pipa_opt opts[] = {
	{ .kind = PIPA_OPT_TITLE, .help = "Input and filters" },
	INPUT_ROW(job.path),
	TEXT('e', "event", "NAME", job.event, "fold event NAME (default: the first event)"),
	VALUE_ROW(job.selection),

	{ .kind = PIPA_OPT_TITLE, .help = "Process names" },
	FLAG(0, "with-pid", job.format.pid, "print the command as comm-PID"),
	FLAG(0, "with-tid", job.format.tid, "print the command as comm-PID/TID"),

	{ .kind = PIPA_OPT_TITLE, .help = "Symbols" },
	FLAG(0, "kernel", job.format.names.kernel, "append _[k] to kernel functions"),
	FLAG(0, "jit", job.format.names.jit, "append _[j] to JIT-compiled functions"),
	FLAG(0, "all", all, "same as --kernel --jit"),
	FLAG(0, "addrs", job.format.names.addrs, "print the address of unresolved frames"),
	FLAG(0, "raw-names", job.format.names.raw_names,
	     "perf script input: keep parameters in function names"),
	NO_INLINE_ROW(job.not_inlined),

	{ .kind = PIPA_OPT_TITLE, .help = "Output" },
	TEXT('o', "output", "FILE", job.output, "write to FILE (default: standard output)"),
};

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	int rc = pipa_opt_recording(opts, PIPA_COUNT(opts), argc, argv, args, &args->job.path, err);

	if (rc < 0)
		return rc;
	args->job.format.names.kernel |= args->all;
	args->job.format.names.jit |= args->all;
	return PIPA_OUTPUT_CHECK(args->job.output, STDOUT_FILENO, err, args->job.path);
}

static int run_fold(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .out_fd = STDOUT_FILENO, .log = pipa_cli_log(cmd) } };
	struct pipa_error err = { 0 };
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	return pipa_cli_end(cmd, pipa_fold_run(&args.job, &err), &err);
}

const struct pipa_cmd pipa_cmd_fold = {
	.name = "fold",
	.args = "[OPTIONS] [FILE]",
	.help = "print folded stacks, one line per distinct stack",
	.more = INPUT_FORMATS_TEXT "See pipa-fold(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_fold,
};
