/* Options and help of `pipa otlp`. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/query/otlp_check.h"
#include "store/output_check.h"

struct args {
	struct pipa_otlp_check_job job;
	unsigned int limit;
};

static int set_format(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	args->job.json = strcmp(text, "json") == 0;
	if (!args->job.json && strcmp(text, "text") != 0)
		return pipa_refuse(err, -EINVAL,
				   "--format: invalid format '%s', expected text or json", text);
	return 0;
}

static int set_layout(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;
	enum pipa_otlp_layout i;

	for (i = 0; i < PIPA_OTLP_LAYOUT_NR; i++)
		if (strcmp(pipa_otlp_layout_name(i), text) == 0)
			break;
	if (i == PIPA_OTLP_LAYOUT_NR)
		return pipa_refuse(err, -EINVAL,
				   "--otlp-layout: invalid version '%s', expected 1.10 or 1.9",
				   text);
	args->job.check.layout = i;
	args->job.check.fixed_layout = true;
	return 0;
}

static int set_receivers(void *values, const char *text, struct pipa_error *err)
{
	struct args *args = values;

	return pipa_otlp_receivers_parse(text, &args->job.receivers, err);
}

static const struct pipa_opt opts[] = {
	TITLE("Rules"),
	CALL(0, "receiver", "LIST", set_receivers,
	     "receivers (comma-separated): profcheck, Parca, Pyroscope, collector (default: all)"),
	CALL(0, "otlp-layout", "VERSION", set_layout,
	     "protobuf: field numbers of proto 1.10 or 1.9 (default: detect)"),
	FLAG(0, "strict", job.strict, "exit with status 1 for warnings too"),

	TITLE("Output"),
	CALL('f', "format", "FORM", set_format, "text or json (default: text)"),
	{ .kind = PIPA_OPT_UINT,
	  .letter = 'n',
	  .name = "limit",
	  .arg = "N",
	  .above_zero = true,
	  AT(limit),
	  .help = "print at most N findings per rule (default: 10)" },
};

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	const char *words[2];
	int rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, args, words, PIPA_COUNT(words),
				err);

	if (rc < 0)
		return rc;
	if (rc == 0 || strcmp(words[0], "check") != 0) {
		if (rc)
			pipa_refuse(err, -EINVAL, "unknown action '%s'", words[0]);
		else
			pipa_refuse(err, -EINVAL, "no action given");
		return pipa_hint(err, "usage: pipa otlp check FILE");
	}
	if (rc < 2) {
		pipa_refuse(err, -EINVAL, "no file given");
		return pipa_hint(err, "usage: pipa otlp check FILE");
	}
	args->job.path = words[1];
	args->job.check.limit = args->limit;
	return PIPA_OUTPUT_CHECK(NULL, STDOUT_FILENO, err, args->job.path);
}

static int run_otlp(const struct pipa_cmd *cmd, int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error err = { 0 };
	struct args args = { 0 };
	bool valid = false;
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	rc = pipa_otlp_check_run(&args.job, &text, &valid, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->failure);
	rc = pipa_cli_print(cmd, &text);
	return rc ? rc : !valid;
}

const struct pipa_cmd pipa_cmd_otlp = {
	.name = "otlp",
	.args = "check [OPTIONS] FILE",
	.help = "check a payload of OpenTelemetry profiles (OTLP)",
	.more = "FILE is an OTLP payload in protobuf or JSON; - is standard input.\n"
		"Exit status: 0 valid, 1 a receiver refuses the payload, 2 failed or invalid arguments.\n"
		"See pipa-otlp(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 2,
	.usage = 2,
	.run = run_otlp,
};
