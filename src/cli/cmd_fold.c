#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/view/fold.h"
#include "store/output_check.h"

struct args {
	struct pipa_fold_options job;
	bool all;
};

static const struct pipa_opt opts[] = {
	{ .kind = PIPA_OPT_TITLE, .help = "What is folded" },
	TEXT('e', "event", "NAME", job.event, "only this event, and not only the first"),
	TEXT(0, "event-filter", "NAME", job.event, "the same"),

	{ .kind = PIPA_OPT_TITLE, .help = "Who ran" },
	FLAG(0, "pid", job.look.pid, "comm-PID for comm"),
	FLAG(0, "tid", job.look.tid, "comm-PID/TID for comm"),

	{ .kind = PIPA_OPT_TITLE, .help = "Names" },
	FLAG(0, "kernel", job.look.names.kernel, "_[k] behind functions of the kernel"),
	FLAG(0, "jit", job.look.names.jit, "_[j] behind code made at run time"),
	FLAG(0, "all", all, "both"),
	FLAG(0, "addrs", job.look.names.addrs, "the address with frames that have no name"),
	FLAG(0, "raw-names", job.look.names.raw_names,
	     "keep names of perf script's text as they are, parameters included"),
	FLAG(0, "no-inline", job.not_inlined,
	     "fold recordings without frames of inlined functions"),

	{ .kind = PIPA_OPT_TITLE, .help = "Output" },
	TEXT('o', "output", "FILE", job.output, "write to FILE"),
};

static void tell(const char *text)
{
	pipa_cli_note("fold", text);
}

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	int rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, args, &args->job.path, 1, err);

	if (rc < 0)
		return rc;
	if (!args->job.path && isatty(STDIN_FILENO)) {
		pipa_refuse(err, -EINVAL, "no FILE is given");
		return pipa_hint(err, "perf script | pipa fold, or - to type it in");
	}
	args->job.look.names.kernel |= args->all;
	args->job.look.names.jit |= args->all;
	return PIPA_OUTPUT_CHECK(args->job.output, STDOUT_FILENO, err,
				 args->job.path ? args->job.path : "-");
}

static int run_fold(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .out_fd = STDOUT_FILENO, .note = tell } };
	struct pipa_error err = { 0 };
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	return pipa_cli_end(cmd, pipa_fold_run(&args.job, &err), &err);
}

const struct pipa_cmd pipa_cmd_fold = {
	.name = "fold",
	.args = "[OPTIONS] [FILE]",
	.help = "fold call stacks, one line each with its weight",
	.more = "FILE is a recording (perf.data), a bundle, text of perf script or folded stacks;\n"
		"- is standard input.\n"
		"More in pipa-fold(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_fold,
};
