/* Options and help of `pipa upload`. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/vec.h"
#include "base/visible.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "cli/server_args.h"
#include "cli/upload_questions.h"
#include "job/config.h"
#include "job/remote/upload.h"

enum { PATHS_MAX = 100000, LABELS_MAX = 100 };

struct args {
	struct pipa_upload_options job;
	struct {
		const char **items;
		size_t n, cap;
	} labels;
	const char *config_path;
	struct pipa_config config;
	const char **paths;
	char *address; /* of the configuration */
};

static int add_label(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	const char *equal = strchr(text, '=');
	const char **slot;

	if (!equal || equal == text)
		return pipa_refuse(err, -EINVAL,
				   "--add-label: invalid label '%.100s', expected "
				   "KEY=VALUE",
				   text);
	if (args->labels.n == LABELS_MAX)
		return pipa_refuse(err, -EINVAL, "--add-label: more than %d labels", LABELS_MAX);
	slot = PIPA_VEC_ADD(&args->labels);
	if (!slot)
		return pipa_fail(err, -ENOMEM, "parse options");
	*slot = text;
	return 0;
}

static const struct pipa_opt opts[] = {
	TITLE("Server"),
	TEXT('s', "server", "HOST:PORT", job.server.address,
	     "pipad server to store at (default: that of --config; port 50051)"),
	SERVER_ROWS("", "server-timeout", job.server),

	TITLE("Results"),
	{ .kind = PIPA_OPT_TEXT,
	  .letter = 'c',
	  .name = "config",
	  .also = "config-path",
	  .arg = "FILE",
	  AT(config_path),
	  .help = "complete results from a config-upload.yaml of the Python tool PIPA" },
	TEXT('t', "table", "NAME", job.table, "table to store in (default: that of the server)"),
	CALL(0, "add-label", "LABEL", add_label,
	     "store a label KEY=VALUE with each result (repeatable)"),
	FLAG('n', "dry-run", job.dry_run, "print what would be sent, as YAML; do not connect"),
};

static int print_line(void *ctx PIPA_UNUSED, const char *line)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const char *end;

	for (;; line = end + 1) { /* line by line: names of files may hold anything */
		size_t start = text.len;

		end = strchrnul(line, '\n');
		pipa_buf_add(&text, line, (size_t)(end - line));
		pipa_visible_since(&text, start);
		pipa_buf_putc(&text, '\n');
		if (!*end)
			break;
	}
	return text.status ? text.status :
			     pipa_file_write(STDOUT_FILENO, pipa_buf_str(&text), text.len);
}

/* Read the configuration or ask for it, and find the server. */
static int complete(struct args *args, bool *ret_asked, struct pipa_error *err)
{
	struct pipa_upload_options *job = &args->job;
	const struct pipa_config *config = &args->config;
	int rc = 0;

	if (args->config_path) {
		rc = pipa_config_load(args->config_path, &args->config, err);
	} else if (!job->n_paths && isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
		*ret_asked = true;
		rc = pipa_cli_ask_upload(&args->config, err);
	} else if (!job->n_paths) {
		pipa_refuse(err, -EINVAL, "nothing to upload");
		return pipa_hint(err, "usage: pipa upload REPORT.json --server HOST:PORT");
	}
	if (rc < 0)
		return rc;
	if (args->config_path || *ret_asked)
		job->config = config;
	if (!job->n_paths && !config->data_location && !config->perf_stat_path && !config->sar_path)
		return pipa_refuse(err, -EINVAL,
				   "%s: data_location is missing, and no report is "
				   "given",
				   args->config_path);
	if (!job->server.address && config->pipad_addr) {
		if (strchr(config->pipad_addr, ':') || !config->pipad_port)
			args->address = strdup(config->pipad_addr);
		else if (asprintf(&args->address, "%s:%llu", config->pipad_addr,
				  (unsigned long long)config->pipad_port) < 0)
			args->address = NULL;
		if (!args->address)
			return pipa_fail(err, -ENOMEM, "read %s", args->config_path);
		job->server.address = args->address;
	}
	if (!job->server.address && !job->dry_run) {
		pipa_refuse(err, -EINVAL, "no server is given");
		return pipa_hint(err, "use --server HOST:PORT");
	}
	return job->dry_run ? 0 : pipa_remote_check(&job->server, err);
}

static int parse(int argc, char **argv, struct args *args, bool *ret_asked, struct pipa_error *err)
{
	int rc;

	args->paths = calloc((size_t)argc + 1, sizeof(*args->paths));
	if (!args->paths)
		return pipa_fail(err, -ENOMEM, "parse options");
	rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, args, args->paths,
			    argc < PATHS_MAX ? argc : PATHS_MAX, err);
	if (rc < 0)
		return rc;
	args->job.paths = args->paths;
	args->job.n_paths = (size_t)rc;
	args->job.labels = args->labels.items;
	args->job.n_labels = args->labels.n;
	return complete(args, ret_asked, err);
}

static int run_upload(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = { .job = { .server = PIPA_REMOTE_ARGS_DEFAULT } };
	struct pipa_error err = { 0 };
	bool asked = false;
	int rc = parse(argc, argv, &args, &asked, &err);

	if (rc < 0) {
		rc = asked ? pipa_cli_fail(cmd, &err, cmd->failure) : pipa_cli_usage(cmd, rc, &err);
	} else {
		args.job.log = args.job.server.log = pipa_cli_log(cmd);
		args.job.username = pipa_cli_user();
		args.job.version = pipa_cli_version;
		args.job.print = print_line;
		rc = pipa_upload_run(&pipa_cli_host, &args.job, &err);
		rc = pipa_cli_end(cmd, rc, &err);
	}
	pipa_config_done(&args.config);
	free(args.labels.items);
	free(args.paths);
	free(args.address);
	return rc;
}

const struct pipa_cmd pipa_cmd_upload = {
	.name = "upload",
	.args = "[OPTIONS] REPORT.json|RECORDING|DIR... --server HOST:PORT\n"
		"       pipa upload --config config-upload.yaml",
	.help = "store results and recordings at a pipad server",
	.more = "Reports are those of pipa run -f json and pipa analyze -f json. A DIR or archive is a stored\n"
		"measurement. Recordings belong to the report that is given with them. Equal results\n"
		"are stored once. Without arguments on a terminal, pipa asks for them.\n"
		"See pipa-upload(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_upload,
};
