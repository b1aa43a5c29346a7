/* Options and help of `pipa merge`. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "cli/cmd.h"
#include "cli/export_args.h"
#include "cli/opt_rows.h"
#include "cli/time_range.h"
#include "job/exchange/merge.h"
#include "store/output_check.h"

struct args {
	struct pipa_export_options job;
};

static const struct pipa_opt opts[] = {
	TITLE("Filters"),	 EXPORT_FILTER_ROWS(job),

	EXPORT_SYMBOL_ROWS(job),

	TITLE("Output"),	 EXPORT_ROWS(job),
};

static int parse(int argc, char **argv, struct args *args, const char **paths, int *ret_n,
		 struct pipa_error *err)
{
	int rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, args, paths, argc, err);
	int i, inputs = 0;

	if (rc < 0)
		return rc;
	*ret_n = rc;
	if (!*ret_n)
		return pipa_refuse(err, -EINVAL, "missing files to merge");
	for (i = 0; i < *ret_n; i++)
		inputs += strcmp(paths[i], "-") == 0;
	if (inputs > 1)
		return pipa_refuse(err, -EINVAL, "standard input can be read only once");
	rc = pipa_cli_finish_export(&args->job, err);
	for (i = 0; !rc && i < *ret_n; i++)
		rc = PIPA_OUTPUT_CHECK(args->job.output, STDOUT_FILENO, err, paths[i]);
	return rc;
}

static int run_merge(const struct pipa_cmd *cmd, int argc, char **argv)
{
	PIPA_AUTO(free) const char **paths = calloc((size_t)argc + 1, sizeof(*paths));
	struct args args = { .job = { .out_fd = STDOUT_FILENO, .log = pipa_cli_log(cmd) } };
	struct pipa_error err = { 0 };
	int n = 0, rc;

	if (!paths) {
		pipa_fail(&err, -ENOMEM, "merge");
		return pipa_cli_fail(cmd, &err, cmd->failure);
	}
	rc = parse(argc, argv, &args, paths, &n, &err);
	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	return pipa_cli_end(cmd,
			    pipa_merge_run(&(struct pipa_merge_options){ .paths = paths,
									 .n = (size_t)n,
									 .out = args.job },
					   &err),
			    &err);
}

const struct pipa_cmd pipa_cmd_merge = {
	.name = "merge",
	.args = "[OPTIONS] FILE...",
	.help = "add up profiles of several files",
	.more = "FILEs are profiles in any format of pipa help formats with the same value columns;\n"
		"- is standard input.\n"
		"See pipa-merge(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_merge,
};
