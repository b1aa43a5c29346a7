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

#define MOST_NODES 10000 /* more than anybody can look at, and drawn in a second */

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
		return pipa_refuse(err, -EINVAL, "--%s: '%s' is no percentage", option, text);
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

/* Whether it is an expression is told before anything is read. */
static int set_focus(void *values, const char *text, struct pipa_error *err)
{
	char why[120];
	regex_t re;
	int rc = regcomp(&re, text, REG_EXTENDED | REG_NOSUB);

	if (rc) {
		regerror(rc, &re, why, sizeof(why));
		return pipa_refuse(err, -EINVAL, "--focus: '%s': %s", text, why);
	}
	regfree(&re);
	((struct args *)values)->job.graph.focus = text;
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("What"),
	TEXT('e', "event", "NAME", job.event, "this event, and not the first"),
	TEXT(0, "comms", "NAMES", job.graph.comms, "these commands alone"),
	STRETCH_ROW(job.load.ingest),
	CALL(0, "focus", "RE", set_focus, "stacks with a function that matches alone"),
	TEXT(0, "callers-of", "FUNCTION", job.graph.callers_of, "only what leads to FUNCTION"),
	TEXT(0, "callees-of", "FUNCTION", job.graph.callees_of, "only what FUNCTION leads to"),
	{ .kind = PIPA_OPT_UINT,
	  .name = "max-stack",
	  .arg = "N",
	  AT(max_stack),
	  .help = "look at the N innermost frames alone" },

	TITLE("How much"),
	CALL(0, "min-percent", "P", set_min_percent,
	     "leave out functions below P percent; 0.5 if not given"),
	CALL(0, "min-edge", "P", set_min_edge, "leave out calls below P percent; 0.1 if not given"),
	{ .kind = PIPA_OPT_UINT,
	  .name = "max-nodes",
	  .arg = "N",
	  AT(max_nodes),
	  .above_zero = true,
	  .help = "no more than the N heaviest functions; 80 if not given" },
	TEXT(0, "group", "HOW", group, "show what belongs together: library (the default), none"),

	TITLE("Names"),
	KERNEL_ROWS(job.load.symbols),
	SYMFS_ROW(job.load.symbols),
	FLAG(0, "inline", inlined, "functions that were inlined are frames of their own"),
	FLAG(0, "no-inline", not_inlined, "do not show functions that were inlined"),
	MANGLED_ROW(job.load.symbols),

	TITLE("Output"),
	TEXT('o', "output", "FILE", job.output, "write to FILE, - is standard output"),
	TEXT('f', "format", "FORM", form, "svg or dot, whatever FILE is called"),
	TEXT(0, "title", "TEXT", job.title, "above the picture, instead of the recording's name"),
};

static void tell(const char *text)
{
	pipa_cli_note("graph", text);
}

/* By name, else by how the file ends, else a picture. */
static int choose_form(struct args *args, struct pipa_error *err)
{
	const char *dot = args->job.output ? strrchr(args->job.output, '.') : NULL;
	const char *form = args->form ? args->form : dot ? dot + 1 : "svg";

	if (strcmp(form, "dot") == 0 || (!args->form && strcmp(form, "gv") == 0)) {
		args->job.form = PIPA_GRAPH_DOT;
	} else if (strcmp(form, "svg") == 0 || !strcmp(form, "-")) {
		args->job.form = PIPA_GRAPH_SVG;
	} else if (args->form) {
		pipa_refuse(err, -EINVAL, "--format: '%s' is not valid", form);
		return pipa_hint(err, "it takes svg or dot");
	} else {
		pipa_refuse(err, -EINVAL, "'%s' ends neither in .svg nor in .dot",
			    args->job.output);
		return pipa_hint(err, "-f svg or -f dot says what to write");
	}
	return 0;
}

static int check_output(struct args *args, struct pipa_error *err)
{
	if (args->job.output && strcmp(args->job.output, "-") == 0) {
		args->job.output = NULL;
	} else if (!args->job.output && isatty(STDOUT_FILENO)) {
		pipa_refuse(err, -EINVAL, "a picture is nothing for a terminal");
		return pipa_hint(err, "-o graph.svg writes it to a file");
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
	if (args->group && strcmp(args->group, "library") != 0 &&
	    strcmp(args->group, "none") != 0) {
		pipa_refuse(err, -EINVAL, "--group: '%s' is not valid", args->group);
		return pipa_hint(err, "it takes library or none");
	}
	if (args->max_nodes > MOST_NODES)
		return pipa_refuse(err, -EINVAL, "--max-nodes: %u is more than %d", args->max_nodes,
				   MOST_NODES);
	if (job->graph.callers_of && job->graph.callees_of &&
	    strcmp(job->graph.callers_of, job->graph.callees_of) != 0)
		return pipa_refuse(err, -EINVAL,
				   "--callers-of and --callees-of are to name the same function");
	job->by_library = !args->group || strcmp(args->group, "library") == 0;
	job->limits.max_nodes = args->max_nodes;
	job->load.ingest.max_stack = args->max_stack;
	job->load.symbols.lines = args->inlined	    ? PIPA_LINES_INLINED :
				  args->not_inlined ? PIPA_LINES_NONE :
						      PIPA_LINES_STACKS;
	job->load.note = tell;
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
	.help = "draw who calls target, function by function",
	.more = "FILE is whatever pipa report can open; - is standard input.\n"
		"More in pipa-graph(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_graph,
};
