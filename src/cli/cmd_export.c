/* Options and help of `pipa export`. */
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "cli/time_range.h"
#include "job/exchange/export.h"
#include "store/output_check.h"

struct args {
	struct pipa_export_options job;
};

static int set_format(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	args->job.format = pipa_export_format_find(text);
	if (args->job.format == PIPA_EXPORT_FORMAT_NR)
		return pipa_refuse(err, -EINVAL,
				   "--format: invalid format '%s', expected pprof or folded", text);
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Filters"),
	TEXT('e', "event", "NAME", job.event,
	     "folded: write event NAME (default: the first event)"),
	TIME_RANGE_ROW(job.ingest),

	TITLE("Symbols"),
	KERNEL_ROWS(job.symbols),
	SYMFS_ROW(job.symbols),
	NO_INLINE_ROW(job.not_inlined),

	TITLE("Output"),
	CALL('f', "format", "FORM", set_format, "pprof or folded (default: pprof)"),
	TEXT('o', "output", "FILE", job.output, "write to FILE (default: standard output)"),
	FLAG(0, "no-threads", job.no_threads,
	     "pprof: add up samples of all threads, without labels"),
	FLAG(0, "no-compress", job.uncompressed, "pprof: do not compress with gzip"),
};

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	int rc = pipa_opt_recording(opts, PIPA_COUNT(opts), argc, argv, args, &args->job.path, err);

	if (rc < 0)
		return rc;
	if (args->job.format == PIPA_EXPORT_PPROF && !args->job.output && isatty(STDOUT_FILENO)) {
		pipa_refuse(err, -EINVAL,
			    "cannot write a pprof profile to a terminal: it is binary");
		return pipa_hint(err, "use -o FILE, for example -o profile.pb.gz");
	}
	return PIPA_OUTPUT_CHECK(args->job.output, STDOUT_FILENO, err, args->job.path);
}

static int run_export(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .out_fd = STDOUT_FILENO, .log = pipa_cli_log(cmd) } };
	struct pipa_error err = { 0 };
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	return pipa_cli_end(cmd, pipa_export_run(&args.job, &err), &err);
}

const struct pipa_cmd pipa_cmd_export = {
	.name = "export",
	.args = "[OPTIONS] [FILE]",
	.help = "convert a profile to pprof or folded stacks",
	.more = "FILE is a perf.data file, a bundle, a pprof profile, output of perf script or folded\n"
		"stacks (default: perf.data); - is standard input.\n"
		"See pipa-export(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_export,
};
