/* Options and help of `pipa diff`. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/view/diff.h"
#include "store/output_check.h"

struct args {
	struct pipa_diff_job job;
	const char **paths;  /* capacity for all arguments: baseline runs, then the others */
	const char **others; /* arguments without --base */
	size_t n_bases, n_others;
	struct {
		char **items;
		size_t n, cap;
	} events;
	const char *output, *color;
	unsigned int limit;
	bool csv, json, inlined, not_inlined, absolute, relative;
};

static int set_base(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	(void)err;
	args->paths[args->n_bases++] = text;
	return 0;
}

/* Return the length of the first event; comma-separated slashes are part of it: cpu/event=1,umask=2/. */
static size_t event_length(const char *text)
{
	bool inside = false;
	size_t len;

	for (len = 0; text[len] && (inside || text[len] != ','); len++)
		inside ^= text[len] == '/';
	return len;
}

static bool has_event(const struct args *args, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < args->events.n; i++)
		if (strncmp(args->events.items[i], name, len) == 0 && !args->events.items[i][len])
			return true;
	return false;
}

static int add_events(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	size_t len;

	for (;; text += len + 1) {
		len = event_length(text);
		if (!len)
			return pipa_refuse(err, -EINVAL, "--event: empty name");
		if (!has_event(args, text, len)) {
			char **slot = PIPA_VEC_ADD(&args->events);

			if (slot)
				*slot = strndup(text, len);
			if (!slot || !*slot)
				return pipa_fail(err, -ENOMEM, "parse options");
		}
		if (!text[len])
			return 0;
	}
}

static void args_done(struct args *args)
{
	size_t i;

	for (i = 0; i < args->events.n; i++)
		free(args->events.items[i]);
	free(args->events.items);
	args->events.n = 0;
	args->events.items = NULL;
}

static int set_by(void *values, const char *text, struct pipa_error *err)
{
	enum pipa_diff_by *by = &((struct args *)values)->job.diff.by;

	*by = pipa_diff_by_find(text);
	if (*by != PIPA_DIFF_BY_NR)
		return 0;
	return pipa_refuse(err, -EINVAL,
			   "--by: invalid row '%s', expected symbol, dso, srcline or stack", text);
}

static int set_order(void *values, const char *text, struct pipa_error *err)
{
	static const char *const names[PIPA_DIFF_ORDER_NR] = {
		[PIPA_DIFF_ORDER_DELTA] = "delta",
		[PIPA_DIFF_ORDER_ABSOLUTE] = "absolute",
		[PIPA_DIFF_ORDER_BASE] = "base",
		[PIPA_DIFF_ORDER_NOW] = "now",
	};
	struct args *args = values;
	enum pipa_diff_order order = 0;

	while (order < PIPA_DIFF_ORDER_NR && strcmp(names[order], text) != 0)
		order++;
	if (order == PIPA_DIFF_ORDER_NR) {
		return pipa_refuse(
			err, -EINVAL,
			"--order: invalid order '%s', expected delta, absolute, base or now", text);
	}
	args->job.diff.order = order;
	args->job.ordered = true;
	return 0;
}

static int set_limit(void *values, const char *text, struct pipa_error *err)
{
	double *limit = &((struct args *)values)->job.percent_limit;

	if (pipa_str_double(text, limit) < 0 || !(*limit >= 0 && *limit <= 100))
		return pipa_refuse(err, -EINVAL,
				   "--percent-limit: invalid percentage '%s', expected 0 to 100",
				   text);
	return 0;
}

static int set_fail_above(void *values, const char *text, struct pipa_error *err)
{
	double *above = &((struct args *)values)->job.fail_above;

	if (pipa_str_double(text, above) < 0 || !(*above >= 0))
		return pipa_refuse(err, -EINVAL,
				   "--fail-above: invalid percentage '%s', expected 0 or more",
				   text);
	return 0;
}

static int set_match(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	args->job.diff.match_symbol = strcmp(text, "symbol") == 0;
	args->job.diff.match_dso = strcmp(text, "dso") == 0;
	if (!args->job.diff.match_symbol && !args->job.diff.match_dso && strcmp(text, "auto") != 0)
		return pipa_refuse(err, -EINVAL,
				   "--match: invalid value '%s', expected auto, dso or symbol",
				   text);
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Input and grouping"),
	CALL(0, "base", "FILE", set_base,
	     "baseline recording; repeat it for several baseline runs"),
	CALL('e', "event", "NAMES", add_events,
	     "compare these events (default: all that the files share)"),
	VALUE_ROW(job.selection),
	CALL(0, "by", "WHAT", set_by, "rows: symbol (default), dso, srcline or stack"),
	CALL('s', "sort", "WHAT", set_by, "alias for --by"),
	FLAG(0, "children", job.diff.children, "compare inclusive values (children)"),
	CALL(0, "match", "WHAT", set_match,
	     "match rows by dso and symbol, only by symbol, or auto (default: dso unless renamed)"),
	FLAG(0, "absolute", absolute,
	     "test absolute periods (default: only times of the same command)"),
	FLAG(0, "relative", relative, "test percentages"),
	FLAG(0, "weights", job.load.folded_weights,
	     "folded stacks: treat numbers as periods, not sample counts"),

	TITLE("Filters"),
	TEXT(0, "comms", "NAMES", job.diff.comms, "only these commands (comma-separated)"),
	TEXT(0, "dsos", "NAMES", job.diff.objects, "only these DSOs (comma-separated)"),
	TEXT(0, "symbols", "NAMES", job.diff.symbols, "only these symbols (comma-separated)"),
	CALL(0, "percent-limit", "P", set_limit, "omit rows below P percent in all recordings"),
	{ .kind = PIPA_OPT_UINT,
	  .letter = 'n',
	  .name = "limit",
	  .arg = "N",
	  .above_zero = true,
	  AT(limit),
	  .help = "print at most N rows" },
	CALL(0, "order", "WHAT", set_order,
	     "sort rows by delta, absolute, base or now (default: by the tested change)"),

	SYMBOL_ROWS(job.load.symbols),
	INLINE_ROW(inlined),
	NO_INLINE_ROW(not_inlined),
	MANGLED_ROW(job.load.symbols),

	TITLE("Output"),
	CALL(0, "fail-above", "P", set_fail_above,
	     "exit 3 if a row grew significantly, by more than P points"),
	FLAG(0, "full-names", job.full_names, "do not shorten long symbol names to the column"),
	FLAG(0, "csv", csv, "print comma-separated values"),
	FLAG('j', "json", json, "print one JSON document"),
	FLAG(0, "html", job.html, "write an HTML report: flame graph and table"),
	TEXT('o', "output", "FILE", output, "write to FILE (default: standard output)"),
	TEXT(0, "color", "WHEN", color, "colour output: auto (default), always or never"),
};

/* Parse options before, between and after the files. */
static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	int at = 0, rc;

	for (;;) {
		rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc - at, argv + at, args, err);
		if (rc < 0)
			return rc;
		at += rc;
		if (at >= argc)
			return 0;
		args->others[args->n_others++] = argv[at];
	}
}

/* Divide the files into baseline and new runs; the defaults are those of perf diff. */
static int sort_files(struct args *args, struct pipa_error *err)
{
	struct pipa_diff_options *diff = &args->job.diff;
	size_t i, inputs = 0;

	if (!args->n_bases && !args->n_others) {
		args->others[args->n_others++] = "perf.data.old";
		args->others[args->n_others++] = "perf.data";
	}
	diff->n_base = args->n_bases ? args->n_bases : 1;
	memcpy(&args->paths[args->n_bases], args->others, args->n_others * sizeof(*args->others));
	if (args->n_bases + args->n_others <= diff->n_base) {
		pipa_refuse(err, -EINVAL, "nothing to compare %s with",
			    args->n_others ? args->others[0] : "the baseline");
		return pipa_hint(err, "usage: pipa diff BASE FILE...");
	}
	diff->n_now = args->n_bases + args->n_others - diff->n_base;
	for (i = 0; i < diff->n_base + diff->n_now; i++)
		inputs += strcmp(args->paths[i], "-") == 0;
	if (inputs > 1)
		return pipa_refuse(err, -EINVAL, "standard input can be read only once");
	args->job.paths = args->paths;
	args->job.events = (const char *const *)args->events.items;
	args->job.n_events = args->events.n;
	return pipa_output_check(args->output, STDOUT_FILENO, args->paths,
				 diff->n_base + diff->n_now, err);
}

static int finish_args(struct args *args, struct pipa_error *err)
{
	struct pipa_diff_job *job = &args->job;
	bool to_file = args->output && strcmp(args->output, "-") != 0;
	int rc = sort_files(args, err);

	if (rc < 0)
		return rc;
	if (args->csv + args->json + job->html > 1)
		return pipa_refuse(err, -EINVAL,
				   "only one of --csv, --json and --html can be given");
	if (job->html && (job->diff.n_base > 1 || job->diff.n_now > 1))
		return pipa_refuse(err, -EINVAL, "--html compares exactly two recordings");
	if (job->html && !args->output && isatty(STDOUT_FILENO)) {
		pipa_refuse(err, -EINVAL, "refusing to write HTML to a terminal");
		return pipa_hint(err, "use -o FILE or redirect standard output");
	}
	if (args->inlined && args->not_inlined)
		return pipa_refuse(err, -EINVAL,
				   "only one of --inline and --no-inline can be given");
	if (job->diff.children && job->diff.by == PIPA_DIFF_BY_PATH) {
		return pipa_refuse(err, -EINVAL, "--children cannot be combined with --by stack");
	}
	if (args->absolute && args->relative)
		return pipa_refuse(err, -EINVAL,
				   "only one of --absolute and --relative can be given");
	job->basis = args->absolute ? PIPA_DIFF_BASIS_WEIGHTS :
		     args->relative ? PIPA_DIFF_BASIS_PERCENTAGES :
				      PIPA_DIFF_BASIS_AUTO;
	job->inlined = args->inlined	 ? PIPA_LINES_INLINED :
		       args->not_inlined ? PIPA_LINES_NONE :
					   PIPA_LINES_STACKS;
	rc = PIPA_OUTPUT_CHECK(args->output, STDOUT_FILENO, err, job->load.symbols.vmlinux,
			       job->load.symbols.kallsyms);
	if (rc < 0)
		return rc;
	job->limit = args->limit;
	job->form = args->csv ? PIPA_DIFF_CSV : args->json ? PIPA_DIFF_JSON : PIPA_DIFF_TEXT;
	job->columns = to_file ? 0 : pipa_cli_columns(STDOUT_FILENO);
	return pipa_cli_color(args->color, to_file ? -1 : STDOUT_FILENO, &job->color, err);
}

static int write_output(const struct pipa_cmd *cmd, const struct args *args,
			const struct pipa_buf *out)
{
	const char *output = args->output && strcmp(args->output, "-") != 0 ? args->output : NULL;
	struct pipa_error err = { 0 };

	if (!output && !args->job.html) /* text may have colors */
		return pipa_cli_print(cmd, out);
	return pipa_cli_end(
		cmd, pipa_outfile_write(output, STDOUT_FILENO, out->data, out->len, &err), &err);
}

/* Print one note per row above the limit. */
static void note_above_limit(const struct pipa_buf *crossed)
{
	char line[1000];
	const char *at = pipa_buf_str(crossed);
	size_t len;

	for (; *at; at += len + (at[len] == '\n')) {
		len = strcspn(at, "\n");
		snprintf(line, sizeof(line), "%.*s",
			 (int)(len < sizeof(line) ? len : sizeof(line) - 1), at);
		pipa_cli_note("diff", line);
	}
}

static int run_diff(const struct pipa_cmd *cmd, int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = 1 << 30 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf crossed = { 0 };
	PIPA_AUTO(free) const char **paths = calloc((size_t)argc + 2, sizeof(*paths));
	PIPA_AUTO(free) const char **others = calloc((size_t)argc + 2, sizeof(*others));
	struct pipa_error err = { 0 };
	struct args args = { .paths = paths,
			     .others = others,
			     .job = { .fail_above = NAN, .load.log = pipa_cli_log(cmd) } };
	int rc = paths && others ? parse(argc, argv, &args, &err) : -ENOMEM, over;

	if (!rc)
		rc = finish_args(&args, &err);
	if (rc < 0) {
		args_done(&args);
		return pipa_cli_usage(cmd, rc, &err);
	}
	over = pipa_diff_run(&args.job, &out, &crossed, &err);
	args_done(&args);
	if (over < 0)
		return pipa_cli_fail(cmd, &err, cmd->failure);
	rc = write_output(cmd, &args, &out);
	if (rc || !over)
		return rc;
	note_above_limit(&crossed);
	return 3;
}

const struct pipa_cmd pipa_cmd_diff = {
	.name = "diff",
	.args = "[OPTIONS] BASE FILE...",
	.help = "compare recordings and test which changes are significant",
	.more = "Files are of any format of pipa help formats with stacks; one may be -, standard input.\n"
		"Without files, perf.data.old and perf.data are compared.\n"
		"Exit status: 3 if a row exceeds --fail-above. See pipa-diff(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_diff,
};
