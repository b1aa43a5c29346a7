/* Options and help of `pipa bundle`. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/collect/bundle.h"
#include "store/output_check.h"

struct args {
	struct pipa_bundle_options job;
};

static const struct pipa_opt opts[] = {
	TITLE("Input"),
	TEXT('i', "input", "FILE", job.load.path,
	     "recording to read (default: perf.data); - is standard input"),

	TITLE("Symbols"),
	KALLSYMS_ROW(job.load.symbols),
	SYMFS_ROW(job.load.symbols),

	TITLE("Output"),
	TEXT('o', "output", "FILE", job.output,
	     "write to FILE (default: RECORDING.tar.zst); - is standard output"),
};

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	int rc = pipa_opt_recording(opts, PIPA_COUNT(opts), argc, argv, args, &args->job.load.path,
				    err);

	if (rc < 0)
		return rc;
	if (args->job.output && strcmp(args->job.output, "-") == 0 && isatty(STDOUT_FILENO)) {
		pipa_refuse(err, -EINVAL, "refusing to write an archive to a terminal");
		return pipa_hint(err, "use -o FILE or redirect standard output");
	}
	if (!args->job.output)
		return 0; /* the job checks the default name */
	return PIPA_OUTPUT_CHECK(args->job.output, STDOUT_FILENO, err, args->job.load.path,
				 args->job.load.symbols.kallsyms);
}

static int run_bundle(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .out_fd = STDOUT_FILENO } };
	struct pipa_error err = { 0 };
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	args.job.load.log = pipa_cli_log(cmd);
	return pipa_cli_end(cmd, pipa_bundle_run(&args.job, &err), &err);
}

const struct pipa_cmd pipa_cmd_bundle = {
	.name = "bundle",
	.args = "[OPTIONS] [FILE]",
	.help = "archive a recording with the binaries and debug files needed to symbolize it",
	.more = "All commands that read recordings read bundles, on any machine.\n"
		"See pipa-bundle(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_bundle,
};
