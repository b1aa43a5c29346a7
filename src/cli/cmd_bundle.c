#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/bundle.h"

struct args {
	struct pipa_bundle_options job;
};

static const struct pipa_opt opts[] = {
	TITLE("What"),
	TEXT('i', "input", "FILE", job.load.path,
	     "the recording, instead of an argument; - reads standard input"),

	TITLE("Where its files are"),
	TEXT(0, "kallsyms", "FILE", job.load.symbols.kallsyms, "the kernel's list of symbols"),
	TEXT(0, "symfs", "DIR", job.load.symbols.locate.symfs, "look for files below DIR"),

	TITLE("Output"),
	TEXT('o', "output", "FILE", job.output,
	     "write to FILE (default: the recording's name and .tar.zst); - is standard output"),
};

static void tell(const char *text)
{
	pipa_cli_tell("bundle", text);
}

static int finish_args(struct args *args, int argc, char **argv, struct pipa_error *err)
{
	if (argc > 1 || (argc && args->job.load.path))
		return pipa_refuse(err, -EINVAL, "one recording at a time: '%s' is too many",
				   argv[argc - 1]);
	if (argc)
		args->job.load.path = argv[0];
	if (!args->job.load.path)
		args->job.load.path = "perf.data";
	if (args->job.output && strcmp(args->job.output, "-") == 0 && isatty(STDOUT_FILENO)) {
		pipa_refuse(err, -EINVAL, "an archive is nothing for a terminal");
		return pipa_hint(err, "-o FILE, or a pipe behind it");
	}
	return 0;
}

static int run_bundle(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .out_fd = STDOUT_FILENO, .note = tell } };
	struct pipa_error err = { 0 };
	int at = 0, rc = 0;

	/* options may stand before and behind the file */
	while (rc >= 0 && at < argc) {
		rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc - at, argv + at, &args, &err);
		if (rc == -ECANCELED)
			return pipa_cli_help(cmd);
		if (rc < 0)
			break;
		at += rc;
		if (at >= argc)
			break;
		rc = finish_args(&args, 1, argv + at, &err);
	}
	if (rc >= 0)
		rc = finish_args(&args, 0, argv, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->usage);
	args.job.load.note = tell;
	rc = pipa_bundle_run(&args.job, &err);
	if (rc == -EPIPE)
		return 128 + SIGPIPE;
	return rc < 0 ? pipa_cli_fail(cmd, &err, cmd->failure) : 0;
}

const struct pipa_cmd pipa_cmd_bundle = {
	.name = "bundle",
	.args = "[OPTIONS] [FILE]",
	.help = "pack a recording with the files its names are in",
	.more = "What it makes is read by report, script and fold on any machine.\n"
		"More in pipa-bundle(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_bundle,
};
