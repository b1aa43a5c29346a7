/* Options and help of `pipa heatmap`. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "cli/time_range.h"
#include "job/view/heatmap.h"
#include "store/output_check.h"

struct args {
	struct pipa_heatmap_options job;
	bool not_inlined;
};

static int set_rows(void *values, const char *text, struct pipa_error *err)
{
	static const char *const rows[] = { "cpu", "thread", "offset" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++)
		if (strcmp(text, rows[i]) == 0) {
			((struct args *)values)->job.rows = rows[i];
			return 0;
		}
	return pipa_refuse(err, -EINVAL, "--by: invalid row '%s', expected cpu, thread or offset",
			   text);
}

static const struct pipa_opt opts[] = {
	TITLE("Input and grouping"),
	TEXT('i', "input", "FILE", job.load.path,
	     "recording to read (default: perf.data); - is standard input"),
	TEXT('e', "event", "NAME", job.event, "use event NAME (default: the first event)"),
	VALUE_ROW(job.selection),
	CALL(0, "by", "ROWS", set_rows,
	     "initial rows: cpu (default), thread or offset (subsecond)"),
	TIME_RANGE_ROW(job.load.ingest),

	SYMBOL_ROWS(job.load.symbols),
	NO_INLINE_ROW(not_inlined),
	MANGLED_ROW(job.load.symbols),

	TITLE("Output"),
	TEXT('o', "output", "FILE", job.output,
	     "write the HTML report to FILE; - is standard output"),
	TEXT(0, "title", "TEXT", job.title, "title of the report (default: name of the recording)"),
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

static int finish_args(struct args *args, struct pipa_error *err)
{
	struct pipa_heatmap_options *job = &args->job;

	job->load.symbols.lines = args->not_inlined ? PIPA_LINES_NONE : PIPA_LINES_STACKS;
	if (job->output && ends_with(job->output, ".svg"))
		return pipa_refuse(err, -EINVAL, "-o: unknown suffix of '%s', expected .html",
				   job->output);
	if (job->output && strcmp(job->output, "-") == 0) {
		job->output = NULL;
	} else if (!job->output && isatty(STDOUT_FILENO)) {
		pipa_refuse(err, -EINVAL, "refusing to write HTML to a terminal");
		return pipa_hint(err, "use -o FILE or redirect standard output");
	}
	return PIPA_OUTPUT_CHECK(job->output, STDOUT_FILENO, err, job->load.path,
				 job->load.symbols.vmlinux, job->load.symbols.kallsyms);
}

static int run_heatmap(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .view = "heatmap",
				      .rows = "cpu",
				      .out_fd = STDOUT_FILENO,
				      .load.log = pipa_cli_log(cmd) } };
	struct pipa_error err = { 0 };
	int rc = pipa_opt_recording(opts, PIPA_COUNT(opts), argc, argv, &args, &args.job.load.path,
				    &err);

	if (rc >= 0)
		rc = finish_args(&args, &err);
	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	return pipa_cli_end(cmd, pipa_heatmap_run(&args.job, &err), &err);
}

const struct pipa_cmd pipa_cmd_heatmap = {
	.name = "heatmap",
	.args = "[OPTIONS] [FILE]",
	.help = "write a heat map of samples over time as HTML",
	.more = "FILE is a perf.data file, a bundle or output of perf script (default: perf.data): formats\n"
		"with timestamps; - is standard input. See pipa help formats.\n"
		"See pipa-heatmap(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_heatmap,
};
