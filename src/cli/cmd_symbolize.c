/* Options and help of `pipa symbolize`. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/vec.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/query/addr_lookup.h"
#include "store/output_check.h"

struct args {
	struct pipa_addr_lookup_options job;
	unsigned int pid;
	bool addr2line, json;
	struct {
		char **items;
		size_t n, cap;
	} words;
};

static const struct pipa_opt opts[] = {
	TITLE("Input"),
	TEXT('e', "exe", "FILE", job.resolver.exe,
	     "link-time addresses in FILE, as in nm and addr2line"),
	{ .kind = PIPA_OPT_UINT,
	  .letter = 'p',
	  .name = "pid",
	  .arg = "PID",
	  AT(pid),
	  .above_zero = true,
	  .help = "run-time addresses in process PID" },
	TEXT('k', "vmlinux", "FILE", job.resolver.vmlinux,
	     "with --pid: vmlinux file with kernel debug info"),

	TITLE("Symbols"),
	NO_INLINE_ROW(job.not_inlined),
	MANGLED_ROW(job),

	TITLE("Output"),
	FLAG(0, "addr2line", addr2line, "print two lines per frame, as addr2line -f -i -C"),
	FLAG('a', "addresses", job.addresses,
	     "with --addr2line: print the address before its frames"),
	FLAG('j', "json", json, "print one JSON object per address and line"),
};

/* Parse options before, between and after addresses; - is standard input. */
static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	bool from_input = false;
	char **slot;
	int at = 0, rc;

	for (;;) {
		rc = pipa_opt_parse(opts, PIPA_COUNT(opts), argc - at, argv + at, args, err);
		if (rc < 0)
			return rc;
		at += rc;
		if (at >= argc)
			break;
		if (strcmp(argv[at], "-") == 0) {
			from_input = true;
			continue;
		}
		slot = PIPA_VEC_ADD(&args->words);
		if (!slot)
			return pipa_fail(err, -ENOMEM, "parse options");
		*slot = argv[at];
	}
	if (from_input && args->words.n)
		return pipa_refuse(err, -EINVAL, "addresses cannot be combined with -");
	return 0;
}

static int check_args(struct args *args, struct pipa_error *err)
{
	struct pipa_addr_lookup_options *job = &args->job;

	if (!job->resolver.exe && !args->pid) {
		return pipa_refuse(err, -EINVAL, "missing input: give --exe FILE or --pid PID");
	}
	if (job->resolver.exe && args->pid)
		return pipa_refuse(err, -EINVAL, "only one of --exe and --pid can be given");
	if (job->resolver.exe && job->resolver.vmlinux)
		return pipa_refuse(err, -EINVAL, "--vmlinux requires --pid");
	if (args->addr2line && args->json)
		return pipa_refuse(err, -EINVAL, "only one of --addr2line and --json can be given");
	if (job->addresses && !args->addr2line)
		return pipa_refuse(err, -EINVAL, "--addresses requires --addr2line");
	job->form = args->addr2line ? PIPA_SYMBOLIZE_ADDR2LINE :
		    args->json	    ? PIPA_SYMBOLIZE_JSON :
				      PIPA_SYMBOLIZE_TEXT;
	job->resolver.pid = args->pid;
	job->words = args->words.items;
	job->n_words = args->words.n;
	return PIPA_OUTPUT_CHECK(NULL, STDOUT_FILENO, err, job->resolver.exe, job->resolver.vmlinux,
				 job->n_words ? NULL : "-");
}

static int run_symbolize(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct args args = {
		.job = { .in_fd = STDIN_FILENO, .out_fd = STDOUT_FILENO, .log = pipa_cli_log(cmd) }
	};
	struct pipa_error err = { 0 };
	int rc = parse(argc, argv, &args, &err), status;

	if (!rc)
		rc = check_args(&args, &err);
	if (rc == -ECANCELED) {
		status = pipa_cli_help(cmd);
	} else if (rc < 0) {
		status = pipa_cli_fail(cmd, &err, cmd->usage);
	} else {
		if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO)) /* the lines would mix */
			args.job.log.progress = NULL;
		rc = pipa_addr_lookup_run(&args.job, &err);
		if (rc ==
		    -EPIPE) /* the reader has closed the pipe: exit status as if killed by SIGPIPE */
			status = 128 + SIGPIPE;
		else
			status = rc < 0 ? pipa_cli_fail(cmd, &err, cmd->failure) : rc > 0;
	}
	free(args.words.items);
	return status;
}

const struct pipa_cmd pipa_cmd_symbolize = {
	.name = "symbolize",
	.args = "--exe FILE|--pid PID [OPTIONS] [ADDRESS...]",
	.help = "print function, source file and line of addresses",
	.more = "Addresses are hexadecimal. Without addresses, or with -, they are read from standard\n"
		"input.\n"
		"See pipa-symbolize(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_symbolize,
};
