#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/cmd.h"
#include "cli/opt.h"
#include "job/list.h"

static const struct pipa_opt opts[] = {
	{ .kind = PIPA_OPT_TITLE, .help = "Options" },
	{ .kind = PIPA_OPT_FLAG,
	  .letter = 'j',
	  .name = "json",
	  .help = "JSON",
	  .offset = offsetof(struct pipa_list_options, json) },
};

static int run_list(const struct pipa_cmd *cmd, int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_list_options options = { 0 };
	struct pipa_error err = { 0 };
	int rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc, argv, &options, &err);

	if (rc == -ECANCELED)
		return pipa_cli_help(cmd);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->usage);
	if (argc - rc > 2) {
		pipa_refuse(&err, -EINVAL, "too many arguments: '%s'", argv[rc + 2]);
		return pipa_cli_fail(cmd, &err, cmd->usage);
	}
	if (argc - rc == 2)
		options.glob = argv[rc + 1];
	/* one argument with a glob's characters or a colon can only be a name */
	if (argc - rc >= 1 && argc - rc < 2 && strpbrk(argv[rc], "*?[:/"))
		options.glob = argv[rc];
	else if (argc - rc >= 1)
		options.kind = argv[rc];
	rc = pipa_list_run(&options, &text, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, rc == -EINVAL ? cmd->usage : cmd->failure);
	return pipa_cli_print(cmd, &text);
}

const struct pipa_cmd pipa_cmd_list = {
	.name = "list",
	.args = "[OPTIONS] [hw|cache|sw|pmu|tracepoint|metric] [GLOB]",
	.help = "list the events and metrics that this machine has",
	.more = "More in pipa-list(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_list,
};
