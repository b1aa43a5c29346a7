/* Options and help of `pipa graph`. */
#include <errno.h>
#include <regex.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "cli/time_range.h"
#include "job/view/graph.h"
#include "store/output_check.h"

#define NODES_MAX 10000 /* takes about a second to draw */

struct args {
	struct pipa_graph_options job;
	const char *form, *group;
	unsigned int max_nodes, max_stack;
	bool inlined, not_inlined;
};

static int set_percent(const char *option, const char *text, double *ret, struct pipa_error *err)
{
	double value;

	if (pipa_str_double(text, &value) < 0 || !(value >= 0 && value <= 100))
		return pipa_refuse(err, -EINVAL, "--%s: invalid percentage '%s', expected 0 to 100",
				   option, text);
	*ret = value;
	return 0;
}

static int set_min_percent(void *values, const char *text, struct pipa_error *err)
{
	return set_percent("min-percent", text, &((struct args *)values)->job.limits.min_node, err);
}

static int set_min_edge(void *values, const char *text, struct pipa_error *err)
{
	return set_percent("min-edge", text, &((struct args *)values)->job.limits.min_edge, err);
}

/* Check the regular expression before the recording is read. */
static int set_focus(void *values, const char *text, struct pipa_error *err)
{
	char why[120];
	regex_t re;
	int rc = regcomp(&re, text, REG_EXTENDED | REG_NOSUB);

	if (rc) {
		regerror(rc, &re, why, sizeof(why));
		return pipa_refuse(err, -EINVAL, "--focus: invalid regex '%s': %s", text, why);
	}
	regfree(&re);
	((struct args *)values)->job.graph.focus = text;
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Input and filters"),
	INPUT_ROW(job.load.path),
	TEXT('e', "event", "NAME", job.event, "use event NAME (default: the first event)"),
	VALUE_ROW(job.selection),
	TEXT(0, "comms", "NAMES", job.graph.comms, "only these commands (comma-separated)"),
	TIME_RANGE_ROW(job.load.ingest),
	CALL(0, "focus", "RE", set_focus, "only stacks with a function matching regex RE"),
	TEXT(0, "callers-of", "FUNCTION", job.graph.callers_of, "only FUNCTION and its callers"),
	TEXT(0, "callees-of", "FUNCTION", job.graph.callees_of, "only FUNCTION and its callees"),
	{ .kind = PIPA_OPT_UINT,
	  .name = "max-stack",
	  .arg = "N",
	  AT(max_stack),
	  .help = "use only the N innermost frames of each stack" },

	TITLE("Limits"),
	CALL(0, "min-percent", "P", set_min_percent,
	     "omit functions below P percent (default: 0.5)"),
	CALL(0, "min-edge", "P", set_min_edge, "omit calls below P percent (default: 0.1)"),
	{ .kind = PIPA_OPT_UINT,
	  .name = "max-nodes",
	  .arg = "N",
	  AT(max_nodes),
	  .above_zero = true,
	  .help = "at most the N heaviest functions (default: 80)" },
	TEXT(0, "cluster", "HOW", group, "cluster functions by dso (default) or none"),

	SYMBOL_ROWS(job.load.symbols),
	INLINE_ROW(inlined),
	NO_INLINE_ROW(not_inlined),
	MANGLED_ROW(job.load.symbols),

	TITLE("Output"),
	TEXT('o', "output", "FILE", job.output, "write to FILE; - is standard output"),
	TEXT('f', "format", "FORM", form,
	     "html, svg or dot (default: from the suffix of FILE, else svg)"),
	TEXT(0, "title", "TEXT", job.title, "title of the graph (default: name of the recording)"),
};

/* Choose the format: -f, else the suffix of the file, else SVG. */
static int choose_form(struct args *args, struct pipa_error *err)
{
	const char *dot = args->job.output ? strrchr(args->job.output, '.') : NULL;
	const char *form = args->form ? args->form : dot ? dot + 1 : "svg";

	if (strcmp(form, "dot") == 0 || (!args->form && strcmp(form, "gv") == 0)) {
		args->job.form = PIPA_GRAPH_DOT;
	} else if (strcmp(form, "html") == 0 || (!args->form && strcmp(form, "htm") == 0)) {
		args->job.form = PIPA_GRAPH_HTML;
	} else if (strcmp(form, "svg") == 0 || !strcmp(form, "-")) {
		args->job.form = PIPA_GRAPH_SVG;
	} else if (args->form) {
		return pipa_refuse(err, -EINVAL,
				   "--format: invalid format '%s', expected html, svg or dot",
				   form);
	} else {
		pipa_refuse(err, -EINVAL,
			    "-o: unknown suffix of '%s', expected .html, .svg or .dot",
			    args->job.output);
		return pipa_hint(err, "-f html, -f svg or -f dot sets the format");
	}
	return 0;
}

static int check_output(struct args *args, struct pipa_error *err)
{
	if (args->job.output && strcmp(args->job.output, "-") == 0) {
		args->job.output = NULL;
	} else if (!args->job.output && isatty(STDOUT_FILENO)) {
		pipa_refuse(err, -EINVAL, "refusing to write HTML, SVG or DOT to a terminal");
		return pipa_hint(err, "use -o FILE or redirect standard output");
	}
	return PIPA_OUTPUT_CHECK(args->job.output, STDOUT_FILENO, err, args->job.load.path,
				 args->job.load.symbols.vmlinux, args->job.load.symbols.kallsyms);
}

static int finish_args(struct args *args, struct pipa_error *err)
{
	struct pipa_graph_options *job = &args->job;
	int rc = check_output(args, err);

	if (!rc)
		rc = choose_form(args, err);
	if (rc < 0)
		return rc;
	if (args->inlined && args->not_inlined)
		return pipa_refuse(err, -EINVAL,
				   "only one of --inline and --no-inline can be given");
	if (args->group && strcmp(args->group, "dso") != 0 && strcmp(args->group, "none") != 0) {
		return pipa_refuse(err, -EINVAL,
				   "--cluster: invalid grouping '%s', expected dso or none",
				   args->group);
	}
	if (args->max_nodes > NODES_MAX)
		return pipa_refuse(err, -EINVAL,
				   "--max-nodes: invalid number '%u', expected at most %d",
				   args->max_nodes, NODES_MAX);
	if (job->graph.callers_of && job->graph.callees_of &&
	    strcmp(job->graph.callers_of, job->graph.callees_of) != 0)
		return pipa_refuse(err, -EINVAL,
				   "--callers-of and --callees-of must name the same function");
	job->by_library = !args->group || strcmp(args->group, "dso") == 0;
	job->limits.max_nodes = args->max_nodes;
	job->load.ingest.max_stack = args->max_stack;
	job->load.symbols.lines = args->inlined	    ? PIPA_LINES_INLINED :
				  args->not_inlined ? PIPA_LINES_NONE :
						      PIPA_LINES_STACKS;
	job->load.log = pipa_cli_log(&pipa_cmd_graph);
	return 0;
}

static int run_graph(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = {
		.job = { .out_fd = STDOUT_FILENO, .limits = { 0.5, 0.1, 0 } },
		.max_nodes = 80,
	};
	struct pipa_error err = { 0 };
	int rc = pipa_opt_recording(opts, PIPA_COUNT(opts), argc, argv, &args, &args.job.load.path,
				    &err);

	if (!rc)
		rc = finish_args(&args, &err);
	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	return pipa_cli_end(cmd, pipa_graph_run(&args.job, &err), &err);
}

const struct pipa_cmd pipa_cmd_graph = {
	.name = "graph",
	.args = "[OPTIONS] [FILE]",
	.help = "draw a call graph as HTML, SVG or DOT",
	.more = INPUT_FORMATS_TEXT "See pipa-graph(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_graph,
};
