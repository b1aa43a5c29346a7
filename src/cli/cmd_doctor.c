/* Options and help of `pipa doctor`. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "cli/otlp_args.h"
#include "job/query/doctor.h"
#include "job/query/doctor_otlp.h"

struct args {
	struct pipa_doctor_options job;
	struct pipa_otlp_args otlp;
	const char *color;
};

static const struct pipa_opt opts[] = {
	TITLE("OTLP receiver"),
	OTLP_URL_ROW(otlp, "check a receiver of OTLP profiles (default: http://localhost:4317)"),
	OTLP_ROWS(otlp, "3s"),

	TITLE("Output"),
	FLAG('j', "json", job.json, "print one JSON document"),
	TEXT(0, "color", "WHEN", color, "colour output: auto (default), always or never"),
};

/* Check the receiver instead of the machine. */
static int check_receiver(const struct args *args, const struct pipa_log *log,
			  struct pipa_buf *text, bool *ret_usable, struct pipa_error *err)
{
	const struct pipa_doctor_otlp_options options = {
		.endpoint = &args->otlp.options,
		.version = pipa_cli_version + strlen("pipa "),
		.json = args->job.json,
		.color = args->job.color,
		.log = log,
	};

	return pipa_doctor_otlp(&options, text, ret_usable, err);
}

static int run_doctor(const struct pipa_cmd *cmd, int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_log log = pipa_cli_log(cmd);
	struct pipa_error err = { 0 };
	struct args args = { 0 };
	bool usable = false;
	int rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &args, &err);

	if (rc == -ECANCELED)
		return pipa_cli_help(cmd);
	if (rc >= 0 && rc < argc)
		rc = pipa_refuse(&err, -EINVAL, "unexpected argument '%s'", argv[rc]);
	if (rc >= 0)
		rc = pipa_cli_check_otlp(&args.otlp, &err);
	if (rc >= 0)
		rc = pipa_cli_color(args.color, STDOUT_FILENO, &args.job.color, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->usage);
	rc = args.otlp.on ? check_receiver(&args, &log, &text, &usable, &err) :
			    pipa_doctor_run(&pipa_cli_host, &args.job, &text, &usable, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, rc == -EINVAL ? cmd->usage : cmd->failure);
	rc = pipa_cli_print(cmd, &text);
	return rc ? rc : !usable;
}

const struct pipa_cmd pipa_cmd_doctor = {
	.name = "doctor",
	.args = "[OPTIONS]",
	.help = "check which features work on this machine and how to enable the rest",
	.more = "Exit status: 1 if the user's own processes cannot be counted, or with --otlp if the server\n"
		"does not receive profiles. See pipa-doctor(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_doctor,
};
