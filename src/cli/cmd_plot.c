/* Options and help of `pipa plot`. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/query/plot.h"
#include "store/output_check.h"

enum { MAX_FILES = 64, MAX_METRICS = 64, MAX_TIME = 40, MAX_PIXELS = 8000, MAX_MM = 2000 };

struct args {
	struct pipa_plot_options job;
	const char *paths[MAX_FILES];
	const char *metrics[MAX_METRICS];
	char from[MAX_TIME], until[MAX_TIME];
	const char *width, *height;
};

static int add_metric(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	args->job.lists_metrics |= strcmp(text, "?") == 0;
	if (args->job.n_metrics == MAX_METRICS)
		return pipa_refuse(err, -EINVAL, "--metric: more than %d names", MAX_METRICS);
	args->metrics[args->job.n_metrics++] = text;
	return 0;
}

static int set_kind(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	enum pipa_plot_kind i;

	for (i = 0; i < PIPA_PLOT_KIND_NR; i++)
		if (strcmp(pipa_plot_kind_name(i), text) == 0) {
			args->job.kind = i;
			return 0;
		}
	return pipa_refuse(
		err, -EINVAL,
		"--kind: invalid kind '%s', expected lines, stacked, scatter, histogram, "
		"heatmap, roofline or cpi",
		text);
}

/* Parse "START,STOP"; either may be empty. */
static int set_time(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	const char *comma = strchr(text, ',');
	size_t len = comma ? (size_t)(comma - text) : 0;

	if (comma && len < sizeof(args->from) && strlen(comma + 1) < sizeof(args->until)) {
		snprintf(args->from, sizeof(args->from), "%.*s", (int)len, text);
		snprintf(args->until, sizeof(args->until), "%s", comma + 1);
		args->job.from = args->from;
		args->job.until = args->until;
		if (pipa_plot_check_time(args->from) && pipa_plot_check_time(args->until))
			return 0;
	}
	return pipa_refuse(
		err, -EINVAL,
		"--time: invalid range '%s', expected START,STOP in seconds or as HH:MM:SS", text);
}

/* Parse a number with a prefix of SI: "1.5T", "200G", "2e10". */
static int parse_rate(const char *option, const char *text, double *ret, struct pipa_error *err)
{
	static const char prefixes[] = "kMGTP";
	size_t len = strlen(text);
	const char *prefix = len > 1 ? strchr(prefixes, text[len - 1]) : NULL;
	char number[40];
	double value = 0;

	snprintf(number, sizeof(number), "%.*s", (int)(len - (prefix != NULL)), text);
	if (len < sizeof(number) && pipa_str_double(number, &value) == 0 && value > 0) {
		*ret = value * (prefix ? pow(1000, (double)(prefix - prefixes) + 1) : 1);
		return 0;
	}
	return pipa_refuse(err, -EINVAL, "%s: invalid number '%s', expected one like 200G", option,
			   text);
}

static int set_peak_flops(void *values, const char *text, struct pipa_error *err)
{
	return parse_rate("--peak-flops", text, &((struct args *)values)->job.peak_flops, err);
}

static int set_peak_bandwidth(void *values, const char *text, struct pipa_error *err)
{
	return parse_rate("--peak-bandwidth", text, &((struct args *)values)->job.peak_bandwidth,
			  err);
}

static const struct pipa_opt opts[] = {
	TITLE("Data"),
	CALL('m', "metric", "NAME", add_metric,
	     "metric to draw (repeatable): cpu.usr, %util, 'disk.*', cpi, an event; ? lists all"),
	TEXT(0, "instances", "LIST", job.instances,
	     "only these CPUs, devices...: 0-3, ^sda, numa_node_1 (default: by the kind)"),
	CALL(0, "time", "START,STOP", set_time,
	     "only this time: seconds since the start, or HH:MM:SS (either may be empty)"),

	TITLE("Chart"),
	CALL('k', "kind", "KIND", set_kind,
	     "lines (default), stacked, scatter, histogram, heatmap, roofline or cpi"),
	TEXT(0, "x", "NAME", job.x, "scatter, cpi: metric of the x axis"),
	TEXT(0, "y", "NAME", job.y, "scatter: metric of the y axis"),
	FLAG(0, "log", job.is_log, "logarithmic y axis (scatter: both axes; heatmap: colours)"),
	FLAG(0, "elapsed", job.is_elapsed,
	     "time axis in seconds since the start of each FILE (default: time of day)"),
	CALL(0, "peak-flops", "N", set_peak_flops,
	     "roofline: peak of floating-point operations per second, such as 200G"),
	CALL(0, "peak-bandwidth", "N", set_peak_bandwidth,
	     "roofline: peak of memory traffic in bytes per second, such as 20G"),

	TITLE("Output"),
	TEXT('o', "output", "FILE", job.output,
	     "write to FILE; the suffix is the format: .svg, .pdf or .png"),
	TEXT(0, "title", "TEXT", job.title, "title of the chart (default: none)"),
	TEXT(0, "width", "PIXELS", width,
	     "width (default: 900, PNG: 1800); of PDF millimetres (160)"),
	TEXT(0, "height", "PIXELS", height,
	     "height (default: 500, PNG: 1000); of PDF millimetres (90)"),
};

/* Choose the format by the suffix of the output. */
static int set_format(struct pipa_plot_options *job, struct pipa_error *err)
{
	static const char *const suffixes[] = { ".svg", ".pdf", ".png" };
	size_t i, len = job->output ? strlen(job->output) : 0;

	if (!len) {
		pipa_refuse(err, -EINVAL, "no output given");
		return pipa_hint(err, "use -o FILE.svg, -o FILE.pdf or -o FILE.png");
	}
	for (i = 0; i < PIPA_COUNT(suffixes); i++)
		if (len > 4 && strcmp(job->output + len - 4, suffixes[i]) == 0) {
			job->format = (enum pipa_plot_format)i;
			return 0;
		}
	return pipa_refuse(err, -EINVAL, "-o: unknown suffix of '%s', expected .svg, .pdf or .png",
			   job->output);
}

static int set_length(const char *option, const char *text, const struct pipa_plot_options *job,
		      double *ret, struct pipa_error *err)
{
	bool is_pdf = job->format == PIPA_PLOT_PDF;
	double least = is_pdf ? 20 : 100, most = is_pdf ? MAX_MM : MAX_PIXELS;

	if (!text || (pipa_str_double(text, ret) == 0 && *ret >= least && *ret <= most))
		return 0;
	return pipa_refuse(err, -EINVAL, "%s: invalid length '%s', expected %g to %g %s", option,
			   text, least, most, is_pdf ? "mm" : "pixels");
}

/* Check that the options fit the kind. */
static int check_kind(struct pipa_plot_options *job, struct pipa_error *err)
{
	const char *name = pipa_plot_kind_name(job->kind);

	if (job->kind == PIPA_PLOT_SCATTER && !job->x && !job->y && job->n_metrics == 2) {
		job->x = job->metrics[0];
		job->y = job->metrics[1];
		job->n_metrics = 0;
	}
	if (job->kind == PIPA_PLOT_SCATTER && (!job->x || !job->y)) {
		pipa_refuse(err, -EINVAL, "a scatter plot needs two metrics");
		return pipa_hint(err, "use --x NAME --y NAME");
	}
	if ((job->y || (job->x && job->kind != PIPA_PLOT_CPI)) && job->kind != PIPA_PLOT_SCATTER)
		return pipa_refuse(err, -EINVAL, "--%s cannot be combined with --kind %s",
				   job->y ? "y" : "x", name);
	if (job->n_metrics && (job->kind == PIPA_PLOT_SCATTER || job->kind == PIPA_PLOT_CPI ||
			       job->kind == PIPA_PLOT_ROOFLINE))
		return pipa_refuse(err, -EINVAL, "--metric cannot be combined with --kind %s%s",
				   name, job->kind == PIPA_PLOT_SCATTER ? " and --x, --y" : "");
	if (job->is_log && job->kind == PIPA_PLOT_STACKED)
		return pipa_refuse(err, -EINVAL, "--log cannot be combined with --kind stacked");
	if (job->kind == PIPA_PLOT_ROOFLINE && !(job->peak_flops > 0 && job->peak_bandwidth > 0)) {
		pipa_refuse(err, -EINVAL, "a roofline needs the peaks of the machine");
		return pipa_hint(err, "use --peak-flops N --peak-bandwidth N");
	}
	if (job->kind != PIPA_PLOT_ROOFLINE && (job->peak_flops > 0 || job->peak_bandwidth > 0))
		return pipa_refuse(err, -EINVAL, "--peak-%s cannot be combined with --kind %s",
				   job->peak_flops > 0 ? "flops" : "bandwidth", name);
	if (!job->n_metrics && (job->kind == PIPA_PLOT_LINES || job->kind == PIPA_PLOT_STACKED ||
				job->kind == PIPA_PLOT_HISTOGRAM)) {
		pipa_refuse(err, -EINVAL, "no metric given");
		return pipa_hint(err, "use --metric NAME; --metric '?' lists those of FILE");
	}
	return 0;
}

static int finish_args(struct args *args, int n_paths, struct pipa_error *err)
{
	struct pipa_plot_options *job = &args->job;
	int rc;

	if (n_paths == 0) {
		pipa_refuse(err, -EINVAL, "no file given");
		return pipa_hint(err, "usage: pipa plot FILE... --metric NAME -o FILE.svg");
	}
	job->paths = args->paths;
	job->n_paths = (size_t)n_paths;
	job->metrics = args->metrics;
	rc = pipa_output_check(job->lists_metrics ? NULL : job->output, STDOUT_FILENO, job->paths,
			       job->n_paths, err);
	if (rc < 0 || job->lists_metrics)
		return rc;
	rc = set_format(job, err);
	if (!rc)
		rc = set_length("--width", args->width, job, &job->width, err);
	if (!rc)
		rc = set_length("--height", args->height, job, &job->height, err);
	return rc ? rc : check_kind(job, err);
}

static int run_plot(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .out_fd = STDOUT_FILENO, .log = pipa_cli_log(cmd) } };
	struct pipa_error err = { 0 };
	int rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, &args, args.paths,
				PIPA_COUNT(args.paths), &err);

	if (rc >= 0)
		rc = finish_args(&args, rc, &err);
	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	rc = pipa_plot_run(&args.job, &err);
	return rc == -ENOENT && strncmp(err.what, "unknown metric", 14) == 0 ?
		       pipa_cli_fail(cmd, &err, cmd->usage) :
		       pipa_cli_end(cmd, rc, &err);
}

const struct pipa_cmd pipa_cmd_plot = {
	.name = "plot",
	.args = "[OPTIONS] FILE... --metric NAME... -o FILE.svg|FILE.pdf|FILE.png",
	.help = "draw charts of metrics as SVG, PDF or PNG",
	.more = "FILE is output of pipa collect, pipa run --keep, pipa monitor or pipa stat -I, a directory\n"
		"of PIPA, or text of sar. Metrics are named by id (cpu.usr) or as by sysstat (%usr); cpi, ipc\n"
		"and cpu.busy are computed. Metrics of different units are drawn one above the other.\n"
		"Exit status: 0 done, 1 failed or nothing to draw, 2 invalid arguments or unknown metric.\n"
		"See pipa-plot(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_plot,
};
