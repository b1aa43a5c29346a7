/* Options and help of `pipa list`. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/cmd.h"
#include "job/query/list.h"
#include "option/opt.h"

static const struct pipa_opt opts[] = {
	{ .kind = PIPA_OPT_TITLE, .help = "Output" },
	{ .kind = PIPA_OPT_FLAG,
	  .name = "all",
	  .help = "also list what this machine does not support",
	  .offset = offsetof(struct pipa_list_options, all) },
	{ .kind = PIPA_OPT_FLAG,
	  .letter = 'j',
	  .name = "json",
	  .help = "print one JSON document",
	  .offset = offsetof(struct pipa_list_options, json) },
	{ .kind = PIPA_OPT_FLAG,
	  .name = "names",
	  .help = "print only names, one per line (default: events without metrics)",
	  .offset = offsetof(struct pipa_list_options, names) },
};

static int run_list(const struct pipa_cmd *cmd, int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_list_options options = { 0 };
	struct pipa_error err = { 0 };
	const char *words[2];
	int rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, &options, words,
				PIPA_COUNT(words), &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	if (rc == 2)
		options.glob = words[1];
	/* an argument with glob characters, a colon or a slash is an event name */
	if (rc == 1 && strpbrk(words[0], "*?[:/"))
		options.glob = words[0];
	else if (rc >= 1)
		options.kind = words[0];
	rc = pipa_list_run(&pipa_cli_host, &options, &text, &err);
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, rc == -EINVAL ? cmd->usage : cmd->failure);
	return pipa_cli_print(cmd, &text);
}

const struct pipa_cmd pipa_cmd_list = {
	.name = "list",
	.args = "[OPTIONS] [hw|cache|sw|pmu|tracepoint|metric] [GLOB]",
	.help = "list the events and metrics available on this machine",
	.more = "GLOB selects events by name. See pipa-list(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_list,
};
