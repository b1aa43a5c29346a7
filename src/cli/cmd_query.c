/* Options and help of `pipa query`. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cmd.h"
#include "cli/filter_args.h"
#include "cli/opt_rows.h"
#include "cli/server_args.h"
#include "job/remote/metrics.h"

struct args {
	struct pipa_metrics_options job;
	const char *form;
};

static const struct pipa_opt opts[] = {
	TITLE("Server"),
	TEXT('s', "server", "HOST:PORT", job.server.address,
	     "pipad server to query (default port: 50051)"),
	SERVER_ROWS("", "server-timeout", job.server),

	TITLE("Query"),
	TEXT('m', "metric", "LIST", job.metrics,
	     "metrics (comma-separated): throughput, CPI, cpu_usr"),
	TEXT(0, "by", "LIST", job.by,
	     "group by fields, day or label:KEY, comma-separated (default: one group)"),
	FILTER_ROWS(job.filter),

	TITLE("Output"),
	{ .kind = PIPA_OPT_UINT,
	  .letter = 'n',
	  .name = "limit",
	  .arg = "N",
	  .above_zero = true,
	  AT(job.limit),
	  .help = "print at most N groups (default: 1000)" },
	TEXT('f', "format", "FORM", form,
	     "text (default), csv, json (an object per line) or parquet"),
	TEXT('o', "output", "FILE", job.output, "write to FILE (default: standard output)"),
};

static int set_form(struct args *args, struct pipa_error *err)
{
	static const char *const forms[PIPA_METRICS_FORM_NR] = {
		[PIPA_METRICS_TEXT] = "text",
		[PIPA_METRICS_CSV] = "csv",
		[PIPA_METRICS_JSON] = "json",
		[PIPA_METRICS_PARQUET] = "parquet",
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(forms); i++)
		if (!args->form || strcmp(args->form, forms[i]) == 0) {
			args->job.form = (enum pipa_metrics_form)i;
			return 0;
		}
	return pipa_refuse(err, -EINVAL,
			   "-f: invalid format '%s', expected text, csv, json or parquet",
			   args->form);
}

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	int rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, args, NULL, 0, err);

	if (rc >= 0)
		rc = set_form(args, err);
	if (rc < 0)
		return rc;
	if (!args->job.metrics) {
		pipa_refuse(err, -EINVAL, "no metric is given");
		return pipa_hint(err, "usage: pipa query --server HOST:PORT --metric LIST");
	}
	rc = pipa_metrics_check(&args->job, err);
	if (rc < 0)
		return rc;
	return pipa_server_args_check(&args->job.server, &args->job.output,
				      args->job.form == PIPA_METRICS_PARQUET ? "parquet" : NULL,
				      err);
}

static int run_query(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .server = PIPA_REMOTE_ARGS_DEFAULT,
				      .out_fd = STDOUT_FILENO,
				      .version = pipa_cli_version } };
	struct pipa_error err = { 0 };
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	args.job.log = args.job.server.log = pipa_cli_log(cmd);
	return pipa_cli_end(cmd, pipa_metrics_run(&args.job, &err), &err);
}

const struct pipa_cmd pipa_cmd_query = {
	.name = "query",
	.args = "--server HOST:PORT --metric LIST [OPTIONS]",
	.help = "print statistics of metrics of the results at a pipad server",
	.more = "EXPR is an expression as in the rules of pipa analyze, on the fields of a result.\n"
		"See pipa-query(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_query,
};
