/* Options and help of `pipa doctor`. */
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/cmd.h"
#include "cli/opt.h"
#include "job/query/doctor.h"

struct args {
	struct pipa_doctor_options job;
	const char *color;
};

static const struct pipa_opt opts[] = {
	{ .kind = PIPA_OPT_TITLE, .help = "Output" },
	{ .kind = PIPA_OPT_FLAG,
	  .letter = 'j',
	  .name = "json",
	  .help = "print one JSON document",
	  .offset = offsetof(struct args, job.json) },
	{ .kind = PIPA_OPT_TEXT,
	  .name = "color",
	  .arg = "WHEN",
	  .help = "colour output: auto (default), always or never",
	  .offset = offsetof(struct args, color) },
};

static int run_doctor(const struct pipa_cmd *cmd, int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error err = { 0 };
	struct args args = { 0 };
	bool usable = false;
	int rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &args, &err);

	if (rc == -ECANCELED)
		return pipa_cli_help(cmd);
	if (rc >= 0 && rc < argc)
		rc = pipa_refuse(&err, -EINVAL, "unexpected argument '%s'", argv[rc]);
	if (rc >= 0)
		rc = pipa_cli_color(args.color, STDOUT_FILENO, &args.job.color, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->usage);
	rc = pipa_doctor_run(&pipa_cli_host, &args.job, &text, &usable, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->failure);
	rc = pipa_cli_print(cmd, &text);
	return rc ? rc : !usable;
}

const struct pipa_cmd pipa_cmd_doctor = {
	.name = "doctor",
	.args = "[OPTIONS]",
	.help = "check which features work on this machine and how to enable the rest",
	.more = "Exit status: 1 if the user's own processes cannot be counted. See pipa-doctor(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_doctor,
};
