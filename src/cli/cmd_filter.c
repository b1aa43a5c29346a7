/* Options and help of `pipa filter`. */
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cmd.h"
#include "cli/export_args.h"
#include "cli/opt_rows.h"
#include "cli/time_range.h"
#include "job/exchange/export.h"
#include "store/output_check.h"

struct args {
	struct pipa_export_options job;
};

static int add_label(void *values, const char *text, struct pipa_error *err)
{
	struct pipa_filter_options *filter = &((struct args *)values)->job.selection.filter;

	if (filter->labels.n == PIPA_FILTER_LABELS_MAX)
		return pipa_refuse(err, -EINVAL, "--label: at most %d can be given",
				   PIPA_FILTER_LABELS_MAX);
	filter->labels.items[filter->labels.n++] = text;
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Frames"),
	FRAME_FILTER_ROWS(job.selection.filter),

	TITLE("Samples"),
	TEXT(0, "pid", "IDS", job.selection.filter.pids,
	     "only these processes (comma-separated, with ranges)"),
	TEXT(0, "tid", "IDS", job.selection.filter.tids,
	     "only these threads (comma-separated, with ranges)"),
	TEXT(0, "comms", "NAMES", job.selection.filter.comms,
	     "only these commands (comma-separated)"),
	TEXT('C', "cpu", "LIST", job.selection.filter.cpus,
	     "only these CPUs (comma-separated, with ranges)"),
	TIME_RANGE_ROW(job.ingest),
	CALL(0, "label", "EXPR", add_label,
	     "only samples with a matching label: K=V, K=RE, K>N, K=N:M; repeatable"),
	TEXT(0, "trace-id", "HEX", job.selection.filter.trace_id, "only samples of this trace"),
	VALUE_ROW(job.selection),

	EXPORT_SYMBOL_ROWS(job),

	TITLE("Output"),
	EXPORT_ROWS(job),
};

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	int rc = pipa_opt_recording(opts, PIPA_COUNT(opts), argc, argv, args, &args->job.path, err);

	if (!rc)
		rc = pipa_cli_finish_export(&args->job, err);
	if (rc < 0)
		return rc;
	return PIPA_OUTPUT_CHECK(args->job.output, STDOUT_FILENO, err, args->job.path);
}

static int run_filter(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .out_fd = STDOUT_FILENO, .log = pipa_cli_log(cmd) } };
	struct pipa_error err = { 0 };
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	return pipa_cli_end(cmd, pipa_export_run(&args.job, &err), &err);
}

const struct pipa_cmd pipa_cmd_filter = {
	.name = "filter",
	.args = "[OPTIONS] [FILE]",
	.help = "write a part of a profile: some samples, some frames",
	.more = INPUT_FORMATS_TEXT "See pipa-filter(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_filter,
};
