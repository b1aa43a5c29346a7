/* Options and help of `pipa flamegraph`. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/open_page.h"
#include "cli/opt_rows.h"
#include "cli/time_range.h"
#include "job/view/flamegraph.h"
#include "job/view/heatmap.h"
#include "store/output_check.h"

struct args {
	struct pipa_flamegraph_options job;
	const char *format, *output;
	bool not_inlined, chart, min_width_given, open;
};

/* Return the index of text in words, or -EINVAL with an error that lists them. */
static int find_word(const char *option, const char *const *words, size_t n, const char *text,
		     struct pipa_error *err)
{
	char all[100] = "";
	size_t i, used = 0;

	for (i = 0; i < n; i++) {
		if (strcmp(words[i], text) == 0)
			return (int)i;
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
					 i == 0	    ? "" :
					 i + 1 == n ? " or " :
						      ", ",
					 words[i]);
	}
	return pipa_refuse(err, -EINVAL, "%s: invalid value '%s', expected %s", option, text, all);
}

static int set_by(void *values, const char *text, struct pipa_error *err)
{
	static const char *const words[] = { "thread", "process", "comm" };
	int at = find_word("--by", words, PIPA_COUNT(words), text, err);

	if (at >= 0)
		((struct args *)values)->job.by = (enum pipa_flame_by)(PIPA_FLAME_BY_THREAD + at);
	return at < 0 ? at : 0;
}

static int set_color(void *values, const char *text, struct pipa_error *err)
{
	static const char *const words[] = { "dso", "kind", "self" };
	int at = find_word("--color-by", words, PIPA_COUNT(words), text, err);

	if (at >= 0)
		((struct args *)values)->job.show.color = at ? words[at] : "library";
	return at < 0 ? at : 0;
}

static int set_least(void *values, const char *text, struct pipa_error *err)
{
	double *least = &((struct args *)values)->job.svg.min_percent;

	if (pipa_str_double(text, least) < 0 || !(*least >= 0 && *least <= 100))
		return pipa_refuse(err, -EINVAL,
				   "--min-percent: invalid percentage '%s', expected 0 to 100",
				   text);
	return 0;
}

static int set_min_width(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	if (pipa_str_double(text, &args->job.svg.min_width) < 0 ||
	    !(args->job.svg.min_width >= 0 && args->job.svg.min_width <= PIPA_FLAME_SVG_MAX))
		return pipa_refuse(err, -EINVAL,
				   "--min-width: invalid width '%s', expected 0 to %d", text,
				   PIPA_FLAME_SVG_MAX);
	args->min_width_given = true;
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Input and grouping"),
	INPUT_ROW(job.load.path),
	TEXT('e', "event", "NAME", job.event, "use event NAME (default: the first event)"),
	CALL(0, "by", "WHAT", set_by, "split by thread, process or comm (default: merge all)"),
	FLAG('r', "reverse", job.reverse, "merge stacks from the leaf: callers above callees"),
	TEXT(0, "diff", "BASE", job.base, "differential flame graph against recording BASE"),
	VALUE_ROW(job.selection),
	TIME_RANGE_ROW(job.load.ingest),
	FRAME_FILTER_ROWS(job.selection.filter),
	FLAG(0, "chart", chart, "flame chart: stacks over time, one track per thread or CPU"),
	FLAG(0, "absolute", job.show.absolute,
	     "with --diff: compare absolute periods, not percentages"),

	SYMBOL_ROWS(job.load.symbols),
	NO_INLINE_ROW(not_inlined),
	MANGLED_ROW(job.load.symbols),

	TITLE("Output"),
	TEXT('o', "output", "FILE", output, "write to FILE; - is standard output"),
	TEXT('f', "format", "FORM", format,
	     "html or svg (default: from the suffix of FILE, else html)"),
	OPEN_ROW(open),
	TEXT(0, "title", "TEXT", job.title, "title of the graph (default: name of the recording)"),
	CALL(0, "color-by", "WHAT", set_color, "colour frames by dso (default), kind or self"),
	FLAG(0, "icicle", job.show.icicle, "draw an icicle graph: outermost frames at the top"),
	{ .kind = PIPA_OPT_UINT,
	  .name = "width",
	  .arg = "PIXELS",
	  AT(job.svg.width),
	  .above_zero = true,
	  .help = "width of an SVG (default: 1200)" },
	CALL(0, "min-percent", "P", set_least, "SVG: omit frames below P percent"),
	CALL(0, "min-width", "PIXELS", set_min_width,
	     "SVG: omit frames narrower than PIXELS (default: 0.5; 0 draws all)"),
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

/* Choose the format: -f, else the suffix of the file, else HTML. */
static int choose_form(struct args *args, struct pipa_error *err)
{
	static const char *const forms[] = {
		[PIPA_FLAMEGRAPH_HTML] = "html", [PIPA_FLAMEGRAPH_SVG] = "svg"
	};
	const char *name = args->job.output;
	int at = PIPA_FLAMEGRAPH_HTML;

	if (args->format)
		at = find_word("--format", forms, PIPA_COUNT(forms), args->format, err);
	else if (name && ends_with(name, ".svg"))
		at = PIPA_FLAMEGRAPH_SVG;
	else if (name && !ends_with(name, ".html") && !ends_with(name, ".htm")) {
		pipa_refuse(err, -EINVAL, "-o: unknown suffix of '%s', expected .svg or .html",
			    name);
		return pipa_hint(err, "-f svg or -f html sets the format");
	}
	if (at < 0)
		return at;
	args->job.form = (enum pipa_flamegraph_form)at;
	if (at != PIPA_FLAMEGRAPH_SVG &&
	    (args->job.svg.width || args->job.svg.min_percent > 0 || args->min_width_given))
		return pipa_refuse(err, -EINVAL,
				   "--width, --min-width and --min-percent require SVG output");
	if (args->job.svg.width &&
	    (args->job.svg.width < PIPA_FLAME_SVG_MIN || args->job.svg.width > PIPA_FLAME_SVG_MAX))
		return pipa_refuse(err, -EINVAL, "--width: invalid width '%u', expected %d to %d",
				   args->job.svg.width, PIPA_FLAME_SVG_MIN, PIPA_FLAME_SVG_MAX);
	return 0;
}

static int check_chart(const struct pipa_flamegraph_options *job, struct pipa_error *err)
{
	if (job->base || job->reverse)
		return pipa_refuse(err, -EINVAL, "--chart cannot be combined with --%s",
				   job->base ? "diff" : "reverse");
	if (job->form != PIPA_FLAMEGRAPH_HTML)
		return pipa_refuse(err, -EINVAL, "--chart requires HTML output");
	return 0;
}

static int finish_args(struct args *args, struct pipa_error *err)
{
	struct pipa_flamegraph_options *job = &args->job;
	int rc;

	if (args->output && strcmp(args->output, "-") != 0)
		job->output = args->output;
	if (args->open && args->output && !job->output)
		return pipa_refuse(err, -EINVAL, "--open cannot be combined with -o -");
	if (!args->output && !args->open && isatty(STDOUT_FILENO)) {
		pipa_refuse(err, -EINVAL, "refusing to write HTML or SVG to a terminal");
		return pipa_hint(err, "use --open, -o FILE or redirect standard output");
	}
	if (pipa_filter_check(&job->selection.filter, err) < 0)
		return err->code;
	if (job->base && strcmp(job->base, "-") == 0 && strcmp(job->load.path, "-") == 0)
		return pipa_refuse(err, -EINVAL, "standard input can be read only once");
	if (job->show.absolute && !job->base)
		return pipa_refuse(err, -EINVAL, "--absolute requires --diff");
	job->load.symbols.lines = args->not_inlined ? PIPA_LINES_NONE : PIPA_LINES_STACKS;
	rc = PIPA_OUTPUT_CHECK(job->output, STDOUT_FILENO, err, job->load.path, job->base,
			       job->load.symbols.vmlinux, job->load.symbols.kallsyms);
	if (!rc)
		rc = choose_form(args, err);
	return rc < 0 || !args->chart ? rc : check_chart(job, err);
}

/* Write the graph; a flame chart is a view of the heat map report. */
static int draw_flamegraph(const struct args *args, struct pipa_error *err)
{
	const struct pipa_flamegraph_options *job = &args->job;

	if (!args->chart)
		return pipa_flamegraph_run(job, err);
	return pipa_heatmap_run(&(struct pipa_heatmap_options){ .load = job->load,
								.selection = job->selection,
								.event = job->event,
								.title = job->title,
								.view = "chart",
								.rows = "cpu",
								.by = job->by,
								.show = job->show,
								.output = job->output,
								.out_fd = job->out_fd },
				err);
}

static int run_flamegraph(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .out_fd = STDOUT_FILENO,
				      .load.log = pipa_cli_log(cmd),
				      .svg.min_width = PIPA_FLAME_SVG_MIN_WIDTH } };
	struct pipa_error err = { 0 };
	char *page = NULL;
	int rc = pipa_opt_recording(opts, PIPA_COUNT(opts), argc, argv, &args, &args.job.load.path,
				    &err);

	if (!rc)
		rc = finish_args(&args, &err);
	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	if (!args.open)
		return pipa_cli_end(cmd, draw_flamegraph(&args, &err), &err);
	rc = pipa_cli_page_file(args.job.form == PIPA_FLAMEGRAPH_SVG ? ".svg" : ".html",
				&args.job.output, &page, &err);
	if (!rc)
		rc = draw_flamegraph(&args, &err);
	pipa_cli_open_page(cmd, rc, args.job.output, page);
	free(page);
	return pipa_cli_end(cmd, rc, &err);
}

const struct pipa_cmd pipa_cmd_flamegraph = {
	.name = "flamegraph",
	.args = "[OPTIONS] [FILE]",
	.help = "draw a flame graph as HTML or SVG",
	.more = INPUT_FORMATS_TEXT "See pipa-flamegraph(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_flamegraph,
};
