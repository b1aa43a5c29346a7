/* Options and help of `pipa annotate`. */
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/view/annotate.h"
#include "store/output_check.h"

struct args {
	struct pipa_annotate_options job;
	bool code, source, stdio;
	const char *symbol, *color;
};

static int set_limit(void *values, const char *text, struct pipa_error *err)
{
	double *limit = &((struct args *)values)->job.percent_limit;

	if (pipa_str_double(text, limit) < 0 || !(*limit >= 0 && *limit <= 100))
		return pipa_refuse(err, -EINVAL,
				   "--percent-limit: invalid percentage '%s', expected 0 to 100",
				   text);
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Input and filters"),
	INPUT_ROW(job.load.path),
	TEXT('s', "symbol", "SYMBOL", symbol, "function to annotate, instead of the argument"),
	TEXT('e', "event", "NAME", job.event,
	     "use event NAME (default: the first event with samples)"),
	VALUE_ROW(job.selection),
	CALL(0, "percent-limit", "P", set_limit,
	     "without SYMBOL: functions with at least P percent (default: 5)"),
	FLAG(0, "asm", code, "print only instructions"),
	FLAG(0, "source", source, "print only source lines"),
	FLAG('l', "print-line", job.summary, "first list the source lines, most samples first"),

	TITLE("Symbols"),
	VMLINUX_ROW(job.load.symbols),
	SYMFS_ROW(job.load.symbols),
	MANGLED_ROW(job.load.symbols),

	TITLE("Output"),
	FLAG(0, "stdio", stdio, "print text (always)"),
	TEXT(0, "color", "WHEN", color, "colour hot lines: auto (default), always or never"),
	FLAG('j', "json", job.json, "print one JSON document"),
};

/*
 * Take FILE and SYMBOL from the arguments. One argument is the SYMBOL if -i names the recording, or
 * if it is not the name of a file that can be one, as in perf.
 */
static int assign_words(struct args *args, const char **words, int n, struct pipa_error *err)
{
	struct pipa_annotate_options *job = &args->job;
	int n_files = n == 2 || (n == 1 && !job->load.path &&
				 (args->symbol || pipa_annotate_is_recording(words[0])));
	int n_symbols = n - n_files;

	if ((n_files && job->load.path) || (n_symbols && args->symbol) || n_symbols > 1)
		return pipa_refuse(
			err, -EINVAL,
			"unexpected argument '%s', expected one recording and one symbol",
			words[n - 1]);
	if (n_files)
		job->load.path = words[0];
	if (!job->load.path)
		job->load.path = "perf.data";
	job->symbol = n_symbols ? words[n_files] : args->symbol;
	return 0;
}

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	struct pipa_annotate_options *job = &args->job;
	const char *words[2] = { NULL };
	int rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, args, words, 2, err);

	if (rc >= 0)
		rc = assign_words(args, words, rc, err);
	if (rc < 0)
		return rc;
	job->code = args->code || !args->source;
	job->source = args->source || !args->code;
	rc = PIPA_OUTPUT_CHECK(NULL, STDOUT_FILENO, err, job->load.path, job->load.symbols.vmlinux);
	if (rc < 0)
		return rc;
	return pipa_cli_color(args->color, STDOUT_FILENO, &job->color, err);
}

static int run_annotate(const struct pipa_cmd *cmd, int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = 1 << 30 };
	struct args args = { .job.percent_limit = 5 };
	struct pipa_error err = { 0 };
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	rc = pipa_annotate_run(&args.job, &out, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->failure);
	return pipa_cli_print(cmd, &out);
}

const struct pipa_cmd pipa_cmd_annotate = {
	.name = "annotate",
	.args = "[OPTIONS] [FILE] [SYMBOL]",
	.help = "print samples per instruction and source line of functions",
	.more = "FILE is a perf.data file, a bundle or a profile with addresses of files that exist here\n"
		"(default: perf.data). See pipa help formats. One argument that is not the\n"
		"name of a recording is SYMBOL. Without SYMBOL, all functions above --percent-limit are\n"
		"printed.\n"
		"See pipa-annotate(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_annotate,
};
