/* Options and help of `pipa generate`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/interrupt.h"
#include "cli/cmd.h"
#include "cli/opt_rows.h"
#include "job/query/generate.h"
#include "kernel/event/host.h"

struct args {
	struct pipa_generate_options job;
	const char *words[1];
};

static const struct pipa_opt opts[] = {
	TITLE("Input"),
	TEXT(0, "config", "FILE", job.config,
	     "take the settings from a YAML file, do not ask; - is standard input"),
	TEXT(0, "template", "DIR", job.template_dir,
	     "use the templates in DIR instead of built-in ones of the same name"),

	TITLE("Output"),
	TEXT('o', "output", "DIR", job.output_dir,
	     "directory of the files (default: the data directory; templates: ./templates)"),
};

static void write_line(void *ctx PIPA_UNUSED, const char *text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };

	pipa_buf_printf(&line, "%s", text);
	pipa_cli_line(&line);
}

/* Show the question and read a line. An interrupted read is the end of the dialog. */
static int ask(void *ctx PIPA_UNUSED, const char *question, struct pipa_buf *answer)
{
	char c;
	ssize_t n;
	int rc = pipa_file_write(STDERR_FILENO, question, strlen(question));

	pipa_buf_reset(answer);
	answer->max = 64 << 10;
	while (!rc && (n = read(STDIN_FILENO, &c, 1)) == 1 && c != '\n')
		pipa_buf_putc(answer, c ? c : '\1'); /* refused as an answer, as a NUL must be */
	if (rc || answer->status)
		return rc ? rc : answer->status;
	if (pipa_interrupt_count() || n <= 0) {
		pipa_file_write(STDERR_FILENO, "\n", 1);
		return -ECANCELED;
	}
	return 0;
}

static int parse(int argc, char **argv, struct args *args, struct pipa_error *err)
{
	static const char *const actions[] = { "scripts", "config-template", "upload-template",
					       "templates" };
	struct pipa_generate_options *job = &args->job;
	size_t i;
	int rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, args, args->words,
				PIPA_COUNT(args->words), err);

	if (rc < 0)
		return rc;
	for (i = 0; rc && i < PIPA_COUNT(actions) && strcmp(actions[i], args->words[0]) != 0; i++)
		;
	if (i == PIPA_COUNT(actions))
		return pipa_refuse(err, -EINVAL,
				   "unknown action '%s', expected scripts, config-template, "
				   "upload-template or templates",
				   args->words[0]);
	job->action = (enum pipa_generate_action)i;
	if (job->action == PIPA_GENERATE_TEMPLATES && (job->config || job->template_dir))
		return pipa_refuse(
			err, -EINVAL,
			"templates: the action cannot be combined with --config or --template");
	if (job->output_dir && !job->output_dir[0])
		return pipa_refuse(err, -EINVAL, "-o: empty directory name");
	return 0;
}

static int run_generate(const struct pipa_cmd *cmd, int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf written = { 0 };
	struct pipa_error err = { 0 };
	struct args args = { .job = { .version = pipa_cli_version,
				      .root = pipa_cli_host.root,
				      .log = pipa_cli_log(cmd) } };
	sigset_t signals;
	int rc = parse(argc, argv, &args, &err);

	if (rc < 0)
		return pipa_cli_usage(cmd, rc, &err);
	if (isatty(STDIN_FILENO)) {
		args.job.ask = ask;
		args.job.say = write_line;
		sigemptyset(&signals);
		sigaddset(&signals, SIGINT);
		pipa_interrupt_watch(&signals);
	}
	rc = pipa_generate_run(&args.job, &written, &err);
	if (rc == -ECANCELED) { /* status as in PIPA */
		pipa_cli_note(cmd->name, "cancelled, no file was written");
		return 0;
	}
	if (rc < 0)
		return pipa_cli_fail(cmd, &err, cmd->failure);
	return pipa_cli_print(cmd, &written);
}

const struct pipa_cmd pipa_cmd_generate = {
	.name = "generate",
	.args = "[OPTIONS] [scripts|config-template|upload-template|templates]",
	.help = "write shell scripts that measure with pipa, from templates",
	.more = "On a terminal and without --config pipa asks for the settings; otherwise they are defaults.\n"
		"scripts (default) writes pipa-collect.sh and pipa-parse.sh, which observe the running system,\n"
		"or pipa-run.sh, which starts a workload. config-template writes the file that --config takes.\n"
		"Exit status: 0 written or cancelled, 1 failed, 2 invalid arguments. See pipa-generate(1).",
	.opts = opts,
	.n_opts = PIPA_COUNT(opts),
	.failure = 1,
	.usage = 2,
	.run = run_generate,
};
