/* Options and help of `pipa download`. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cmd.h"
#include "cli/filter_args.h"
#include "cli/opt_rows.h"
#include "cli/server_args.h"
#include "job/remote/download.h"

struct args {
	struct pipa_download_options job;
	const char *form;
};

static const struct pipa_opt opts[] = {
	TITLE("Server"),
	TEXT('s', "server", "HOST:PORT", job.server.address,
	     "pipad server to read from (default port: 50051)"),
	SERVER_ROWS("", "server-timeout", job.server),

	TITLE("Rows"),
	FILTER_ROWS(job.filter),

	TITLE("Output"),
	TEXT('f', "format", "FORM", form,
	     "csv, xlsx, json (an object per line) or parquet (default: by the name of -o, else csv)"),
	TEXT('o', "output", "FILE", job.output, "write to FILE (default: standard output)"),
};

static const char *const forms[] = {
	[PIPA_STORE_FORMAT_CSV] = "csv",
	[PIPA_STORE_FORMAT_XLSX] = "xlsx",
	[PIPA_STORE_FORMAT_JSON] = "json",
	[PIPA_STORE_FORMAT_PARQUET] = "parquet",
};

static int set_form(struct args *args, struct pipa_error *err)
{
	const char *dot = args->job.output ? strrchr(args->job.output, '.') : NULL;
	size_t i;

	args->job.format = PIPA_STORE_FORMAT_CSV;
	for (i = PIPA_STORE_FORMAT_CSV; i < PIPA_COUNT(forms); i++)
		if (args->form ? strcmp(args->form, forms[i]) == 0 :
				 dot && strcasecmp(dot + 1, forms[i]) == 0) {
			args->job.format = (enum pipa_store_format)i;
			return 0;
		}
	if (!args->form)
		return 0;
	return pipa_refuse(err, -EINVAL,
			   "-f: invalid format '%s', expected csv, xlsx, json or parquet",
			   args->form);
}

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	int rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, args, NULL, 0, err);
	bool binary;

	if (rc >= 0)
		rc = set_form(args, err);
	if (rc < 0)
		return rc;
	binary = args->job.format == PIPA_STORE_FORMAT_XLSX ||
		 args->job.format == PIPA_STORE_FORMAT_PARQUET;
	return pipa_server_args_check(&args->job.server, &args->job.output,
				      binary ? forms[args->job.format] : NULL, err);
}

static int run_download(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .server = PIPA_REMOTE_ARGS_DEFAULT,
				      .out_fd = STDOUT_FILENO,
				      .version = pipa_cli_version } };
	struct pipa_error err = { 0 };
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	args.job.log = args.job.server.log = pipa_cli_log(cmd);
	return pipa_cli_end(cmd, pipa_download_run(&args.job, &err), &err);
}

const struct pipa_cmd pipa_cmd_download = {
	.name = "download",
	.args = "--server HOST:PORT [OPTIONS]",
	.help = "download a table of results from a pipad server",
	.more = "Rows are written as they arrive; FILE is replaced completely or not at all.\n"
		"See pipa-download(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_download,
};
