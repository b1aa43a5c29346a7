/* Options and help of `pipa report`. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/open_page.h"
#include "cli/opt_rows.h"
#include "cli/progress.h"
#include "cli/report_args.h"
#include "cli/time_range.h"
#include "job/view/flamegraph.h"
#include "job/view/report.h"
#include "screen/report/report.h"
#include "store/output_check.h"

#define BRANCH_LIMIT 0.5 /* default in percent, as in perf */

struct args {
	struct pipa_report_options job;
	struct pipa_call_graph_args call_graph;
	unsigned int max_stack, max_depth;
	bool no_children, csv, json, inlined, not_inlined, limited;
	bool sorted, more_fields;
	bool stdio, open;
	double percent_limit;
};

static int set_sort(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	args->sorted = true;
	return pipa_sort_keys_parse(text, &args->job.top, err);
}

static int set_fields(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	return pipa_report_fields_parse(text, &args->job.fields, &args->more_fields, err);
}

static int set_call_graph(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	return pipa_call_graph_parse(text, &args->call_graph, &args->job, err);
}

static int set_percentage(void *values, const char *text, struct pipa_error *err)
{
	if (strcmp(text, "relative") != 0 && strcmp(text, "absolute") != 0)
		return pipa_refuse(
			err, -EINVAL,
			"--percentage: invalid basis '%s', expected relative or absolute", text);
	((struct args *)values)->job.top.relative = strcmp(text, "relative") == 0;
	return 0;
}

static int set_limit(void *values, const char *text, struct pipa_error *err)
{
	double *limit = &((struct args *)values)->percent_limit;

	if (pipa_str_double(text, limit) < 0 || !(*limit >= 0 && *limit <= 100))
		return pipa_refuse(err, -EINVAL,
				   "--percent-limit: invalid percentage '%s', expected 0 to 100",
				   text);
	((struct args *)values)->limited = true;
	return 0;
}

/* Set whether rows have the values of callees. As in perf, the last of both options counts. */
static int set_children(void *values, const char *text, struct pipa_error *err)
{
	(void)text, (void)err;
	((struct args *)values)->no_children = false;
	return 0;
}

static int set_no_children(void *values, const char *text, struct pipa_error *err)
{
	(void)text, (void)err;
	((struct args *)values)->no_children = true;
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Input and grouping"),
	INPUT_ROW(job.load.path),
	CALL('s', "sort", "KEYS", set_sort, "sort keys (default: comm,dso,symbol)"),
	CALL('F', "fields", "FIELDS", set_fields,
	     "columns of the text output: overhead,sample,period,comm,dso,sym..."),
	CALL(0, "children", NULL, set_children, "add the values of callees (default)"),
	CALL(0, "no-children", NULL, set_no_children,
	     "show self only, do not add the values of callees"),
	VALUE_ROW(job.selection),
	FLAG(0, "group", job.selection.all_values,
	     "show all events side by side (default except for columns of pprof and OTLP)"),
	FLAG(0, "no-group", job.no_group, "print a table for each event"),
	FLAG(0, "tree", job.tree, "print the call tree of each row, callers by default"),
	{ .kind = PIPA_OPT_CALL,
	  .letter = 'g',
	  .name = "call-graph",
	  .arg = "SPEC",
	  .optional = true,
	  .takes = pipa_call_graph_is_spec,
	  .set = set_call_graph,
	  .help = "as in perf report -g: caller, callee, fractal, none, THRESHOLD..." },
	FLAG('G', "inverted", job.callees, "with --tree: print callees instead of callers"),
	{ .kind = PIPA_OPT_UINT,
	  .name = "max-depth",
	  .arg = "N",
	  AT(max_depth),
	  .above_zero = true,
	  .help = "with --tree: at most N levels per row (default: 128)" },
	TEXT('p', "parent", "RE", job.parent,
	     "add sort key parent: outermost caller matching regex RE"),
	{ .kind = PIPA_OPT_UINT,
	  .name = "max-stack",
	  .arg = "N",
	  AT(max_stack),
	  .help = "use only the N innermost frames of each stack" },

	TITLE("Filters"),
	TEXT('c', "comms", "NAMES", job.top.comms, "only these commands (comma-separated)"),
	TEXT('d', "dsos", "NAMES", job.top.objects, "only these DSOs (comma-separated)"),
	TEXT('S', "symbols", "NAMES", job.top.symbols, "only these symbols (comma-separated)"),
	TIME_RANGE_ROW(job.load.ingest),
	FRAME_FILTER_ROWS(job.selection.filter),
	CALL(0, "percent-limit", "P", set_limit,
	     "omit rows below P percent (default: 0; trees: 0.5)"),
	CALL(0, "percentage", "BASIS", set_percentage,
	     "absolute (default): % of all samples; relative: % of the rows shown"),

	SYMBOL_ROWS(job.load.symbols),
	INLINE_ROW(inlined),
	NO_INLINE_ROW(not_inlined),
	MANGLED_ROW(job.load.symbols),

	TITLE("Output"),
	FLAG(0, "stdio", stdio, "print text, do not start the TUI"),
	FLAG('n', "show-nr-samples", job.samples, "print the number of samples of each row"),
	FLAG('v', "verbose", job.verbose,
	     "print paths of DSOs, addresses and full names of symbols"),
	FLAG(0, "full-names", job.full_names, "do not truncate symbol names to the column width"),
	OPEN_ROW(open),
	FLAG(0, "csv", csv, "print comma-separated values"),
	FLAG('j', "json", json, "print one JSON document"),
	FLAG(0, "stats", job.stats, "print the number of records by type instead"),
	FLAG(0, "header", job.header, "print the perf.data header before the table"),
	FLAG(0, "header-only", job.header_only, "print only the perf.data header"),
};

static int finish_args(struct args *args, struct pipa_error *err)
{
	struct pipa_report_options *job = &args->job;

	if (pipa_filter_check(&job->selection.filter, err) < 0)
		return err->code;
	if (args->csv && args->json)
		return pipa_refuse(err, -EINVAL, "only one of --csv and --json can be given");
	if (args->open && (args->csv || args->json || args->stdio || job->stats || job->header ||
			   job->header_only || job->no_group))
		return pipa_refuse(err, -EINVAL, "--open cannot be combined with text output");
	if (args->open &&
	    (args->sorted || job->top.comms || job->top.objects || job->top.symbols)) {
		pipa_refuse(err, -EINVAL,
			    "--open cannot be combined with --comms, --dsos, --symbols or --sort");
		return pipa_hint(err, "use --focus RE");
	}
	if (args->inlined && args->not_inlined)
		return pipa_refuse(err, -EINVAL,
				   "only one of --inline and --no-inline can be given");
	job->inlined = args->inlined	 ? PIPA_LINES_INLINED :
		       args->not_inlined ? PIPA_LINES_NONE :
					   PIPA_LINES_STACKS;
	job->top.children = !args->no_children;
	pipa_report_fields_finish(job, args->more_fields, args->sorted);
	if (job->parent && !pipa_top_has_key(&job->top, PIPA_KEY_PARENT)) {
		job->top.keys[job->top.n_keys++] = PIPA_KEY_PARENT;
		if (job->fields.n)
			pipa_report_fields_add(&job->fields, PIPA_REPORT_KEY, PIPA_KEY_PARENT);
	}
	if (args->call_graph.given) {
		job->tree = !args->call_graph.none;
		job->callees |= args->call_graph.has_order ? args->call_graph.callees :
							     job->top.children;
	}
	job->callees = job->callees && job->tree;
	job->percent_limit = args->percent_limit;
	job->branch_limit = args->call_graph.has_threshold ? args->call_graph.threshold :
			    args->limited		   ? args->percent_limit :
							     BRANCH_LIMIT;
	job->load.ingest.max_stack = args->max_stack;
	job->max_depth = args->max_depth;
	if (job->no_group && (job->selection.all_values || args->csv || args->json))
		return pipa_refuse(err, -EINVAL, "--no-group cannot be combined with %s",
				   job->selection.all_values ? "--group" :
				   args->csv		     ? "--csv" :
							       "--json");
	job->selection.all_values |= job->no_group;
	job->form = args->csv ? PIPA_REPORT_CSV : args->json ? PIPA_REPORT_JSON : PIPA_REPORT_TEXT;
	return PIPA_OUTPUT_CHECK(NULL, STDOUT_FILENO, err, job->load.path,
				 job->load.symbols.vmlinux, job->load.symbols.kallsyms);
}

/* Write a page with the flame graph and the functions of the report, and show it. */
static int open_report(const struct pipa_cmd *cmd, const struct pipa_report_options *job)
{
	struct pipa_flamegraph_options page = {
		.load = job->load,
		.selection = job->selection,
		.out_fd = -1,
	};
	struct pipa_error err = { 0 };
	char *path = NULL;
	int rc = pipa_cli_page_file(".html", &page.output, &path, &err);

	page.load.symbols.lines = job->inlined;
	if (!rc)
		rc = pipa_flamegraph_run(&page, &err);
	pipa_cli_open_page(cmd, rc, page.output, path);
	free(path);
	return pipa_cli_end(cmd, rc, &err);
}

static bool wants_screen(const struct args *args)
{
	const struct pipa_report_options *job = &args->job;

	return !args->stdio && !args->csv && !args->json && !job->stats && !job->header &&
	       !job->header_only && !job->no_group && !args->no_children && !job->samples &&
	       !job->fields.n && !job->verbose && !job->full_names && !job->top.relative &&
	       isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* Start the TUI. Returns -ENODEV after a note if the terminal does not support it. */
static int run_screen(const struct args *args, struct pipa_error *err)
{
	char text[sizeof(err->what) + 40];
	int rc = pipa_screen_report_run(&args->job, err);

	if (rc == -ENODEV) {
		snprintf(text, sizeof(text), "%s; printing text instead", err->what);
		pipa_cli_note("report", text);
		*err = (struct pipa_error){ 0 };
	}
	return rc;
}

static int write_out(struct pipa_buf *out)
{
	int rc;

	pipa_cli_progress_end(); /* the rest of the work is to write */
	rc = pipa_file_write(STDOUT_FILENO, out->data, out->len);

	pipa_buf_reset(out);
	return rc;
}

static int run_report(const struct pipa_cmd *cmd, int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = 1 << 30 };
	struct pipa_error err = { 0 };
	struct args args = {
		.job.top = { .keys = { PIPA_KEY_COMM, PIPA_KEY_OBJECT, PIPA_KEY_SYMBOL },
			     .n_keys = 3 },
	};
	int rc = pipa_opt_recording(opts, PIPA_COUNT(opts), argc, argv, &args, &args.job.load.path,
				    &err);

	if (!rc)
		rc = finish_args(&args, &err);
	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	args.job.load.log = pipa_cli_log(cmd);
	if (args.open)
		return open_report(cmd, &args.job);
	args.job.flush = write_out;
	args.job.columns = pipa_cli_columns(STDOUT_FILENO);
	rc = wants_screen(&args) ? run_screen(&args, &err) : -ENODEV;
	if (rc != -ENODEV)
		return rc < 0 ? pipa_cli_fail(cmd, &err, cmd->failure) : rc;
	rc = pipa_report_run(&args.job, &out, &err);
	if (rc < 0)
		return pipa_cli_end(cmd, rc, &err);
	return pipa_cli_print(cmd, &out);
}

const struct pipa_cmd pipa_cmd_report = {
	.name = "report",
	.args = "[OPTIONS] [FILE]",
	.help = "summarize a recording by command, DSO and symbol",
	.more = INPUT_FORMATS_TEXT
	"Sort keys: comm, pid, tid, dso, symbol, srcline, cpu, event, parent, label:NAME.\n"
	"See pipa-report(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_report,
};
