/* Dispatch to the commands, and print failures. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/file_map.h"
#include "base/interrupt.h"
#include "base/nearest.h"
#include "base/visible.h"
#include "cli/cmd.h"
#include "cli/completion.h"
#include "cli/progress.h"
#include "job/query/help_topic.h"
#include "kernel/event/host.h"
#include "option/opt.h"

static const struct pipa_cmd *const commands[] = {
	&pipa_cmd_run,	   &pipa_cmd_collect,	 &pipa_cmd_analyze,  &pipa_cmd_stat,
	&pipa_cmd_monitor, &pipa_cmd_top,	 &pipa_cmd_record,   &pipa_cmd_heap,
	&pipa_cmd_report,  &pipa_cmd_diff,	 &pipa_cmd_annotate, &pipa_cmd_script,
	&pipa_cmd_fold,	   &pipa_cmd_flamegraph, &pipa_cmd_heatmap,  &pipa_cmd_graph,
	&pipa_cmd_bundle,  &pipa_cmd_symbolize,	 &pipa_cmd_export,   &pipa_cmd_merge,
	&pipa_cmd_filter,  &pipa_cmd_upload,	 &pipa_cmd_download, &pipa_cmd_query,
	&pipa_cmd_otlp,	   &pipa_cmd_plot,	 &pipa_cmd_rules,    &pipa_cmd_generate,
	&pipa_cmd_list,	   &pipa_cmd_doctor,
};

const char pipa_cli_version[] = "pipa " PIPA_VERSION;
struct pipa_child_signals pipa_cli_signals;
struct pipa_host pipa_cli_host;

static bool noted_abandoned;

void pipa_cli_line(struct pipa_buf *line)
{
	pipa_visible_since(line, 0);
	pipa_buf_putc(line, '\n');
	pipa_cli_progress_clear();
	if (!line->status)
		pipa_file_write(STDERR_FILENO, line->data, line->len);
}

int pipa_cli_fail(const struct pipa_cmd *cmd, const struct pipa_error *err, int status)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };
	char text[PIPA_ERROR_LINE_MAX];

	noted_abandoned |= err->code == -PIPA_EGIVEN_UP;
	pipa_buf_printf(&line, "pipa%s%s: %s", cmd ? " " : "", cmd ? cmd->name : "",
			pipa_error_line(err, text));
	pipa_cli_line(&line);
	return status;
}

int pipa_cli_usage(const struct pipa_cmd *cmd, int rc, const struct pipa_error *err)
{
	return rc == -ECANCELED ? pipa_cli_help(cmd) : pipa_cli_fail(cmd, err, cmd->usage);
}

int pipa_cli_end(const struct pipa_cmd *cmd, int rc, const struct pipa_error *err)
{
	if (rc == -EPIPE)
		return 128 + SIGPIPE;
	return rc < 0 ? pipa_cli_fail(cmd, err, cmd->failure) : 0;
}

void pipa_cli_note(const char *command, const char *text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };

	pipa_buf_printf(&line, "pipa %s: %s", command, text);
	pipa_cli_line(&line);
}

static void write_note(void *ctx, enum pipa_log_level level PIPA_UNUSED, const char *text)
{
	const struct pipa_cmd *cmd = ctx;

	pipa_cli_note(cmd->name, text);
}

struct pipa_log pipa_cli_log(const struct pipa_cmd *cmd)
{
	return (struct pipa_log){ write_note, (void *)cmd, pipa_cli_progress };
}

int pipa_cli_print(const struct pipa_cmd *cmd, const struct pipa_buf *text)
{
	struct pipa_error err;
	int rc = text->status;

	pipa_cli_progress_clear();
	if (!rc)
		rc = pipa_file_write(STDOUT_FILENO, pipa_buf_str(text), text->len);
	if (rc == 0)
		return 0;
	if (rc == -EPIPE) /* the reader has closed the pipe: exit status as if killed by SIGPIPE */
		return 128 + SIGPIPE;
	pipa_fail(&err, rc, "write standard output");
	return pipa_cli_fail(cmd, &err, 1);
}

int pipa_cli_help(const struct pipa_cmd *cmd)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	pipa_buf_printf(&text, "usage: pipa %s %s\n\n%c%s.\n", cmd->name, cmd->args,
			toupper((unsigned char)cmd->help[0]), cmd->help + 1);
	pipa_opt_help(cmd->opts, cmd->n_opts, &text);
	if (cmd->more)
		pipa_buf_printf(&text, "\n%s\n", cmd->more);
	return pipa_cli_print(cmd, &text);
}

unsigned int pipa_cli_columns(int fd)
{
	struct winsize size;

	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

const char *pipa_cli_user(void)
{
	const char *name = getenv("LOGNAME");

	return name && *name ? name : getenv("USER");
}

int pipa_cli_color(const char *when, int fd, bool *ret, struct pipa_error *err)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when && strcmp(when, "always") == 0) {
		*ret = true;
	} else if (when && strcmp(when, "never") == 0) {
		*ret = false;
	} else if (!when || strcmp(when, "auto") == 0) {
		*ret = isatty(fd) && !(no_color && no_color[0]) &&
		       !(term && strcmp(term, "dumb") == 0);
	} else {
		return pipa_refuse(err, -EINVAL,
				   "--color: invalid mode '%s', expected auto, always or never",
				   when);
	}
	return 0;
}

static int print_usage(void)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	size_t i;

	pipa_buf_puts(
		&text,
		"usage: pipa COMMAND [ARGS]\n\nPerformance analysis for Linux: counters, profiles "
		"and system statistics.\n\ncommands:\n");
	for (i = 0; i < PIPA_COUNT(commands); i++)
		pipa_buf_printf(&text, "  %-11s %s\n", commands[i]->name, commands[i]->help);
	pipa_buf_puts(
		&text,
		"  help        show the help of a command or topic: pipa help stat\n"
		"\n`pipa COMMAND --help` lists the options of a command. `pipa doctor` checks "
		"which features work on\nthis machine. Help topics: events, metrics, formats.\n");
	return pipa_cli_print(NULL, &text);
}

/* Print the five commands to start with; without a command nothing can be done. */
static int print_start(void)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	pipa_buf_puts(
		&text,
		"usage: pipa COMMAND [ARGS]\n\n"
		"  pipa run ./program            measure a program: time, CPU, memory, hot functions\n"
		"  pipa record ./program         sample it into perf.data\n"
		"  pipa report                   show where the samples are\n"
		"  pipa flamegraph -o out.html   draw them as a flame graph\n"
		"  pipa monitor                  watch the machine\n"
		"\n`pipa help` lists all commands. `pipa doctor` checks which features work on this "
		"machine.\n");
	pipa_cli_print(NULL, &text);
	return 2;
}

static const struct pipa_cmd *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(commands); i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	struct pipa_nearest near = { .wanted = name };
	struct pipa_error err;
	char hint[200];
	size_t i;

	for (i = 0; i < PIPA_COUNT(commands); i++)
		pipa_nearest_offer(&near, commands[i]->name);
	pipa_refuse(&err, -EINVAL, "unknown %s '%s'", name[0] == '-' ? "option" : "command", name);
	pipa_nearest_hint(&near, hint, sizeof(hint));
	pipa_hint(&err, "%s", hint[0] ? hint : "pipa help lists all commands");
	return pipa_cli_fail(NULL, &err, 2);
}

static int print_version(void)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	pipa_buf_puts(&text, "pipa " PIPA_VERSION "\n");
	return pipa_cli_print(NULL, &text);
}

/* Print the help of a command or topic. */
static int run_help(int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const struct pipa_cmd *cmd;
	struct pipa_error err;

	if (argc < 2)
		return print_usage();
	cmd = find_command(argv[1]);
	if (cmd)
		return pipa_cli_help(cmd);
	if (pipa_help_topic_write(argv[1], argv[2], &text) == 0)
		return pipa_cli_print(NULL, &text);
	if (argc < 3 || pipa_help_topic_write(argv[1], NULL, &text) < 0)
		return unknown_command(argv[1]);
	pipa_refuse(&err, -EINVAL, "unexpected argument '%s' of help topic %s", argv[2], argv[1]);
	if (strcmp(argv[1], "metrics") == 0)
		pipa_hint(&err, "pipa help metrics lists the sections of metrics");
	return pipa_cli_fail(NULL, &err, 2);
}

/* Print the completions of a shell: not listed as a command, for installation. */
static int run_completion(int argc, char **argv)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error err = { 0 };

	if (argc != 2) {
		pipa_refuse(&err, -EINVAL, "completion: expected one shell: bash, zsh or fish");
		return pipa_cli_fail(NULL, &err, 2);
	}
	if (pipa_completion_write(argv[1], commands, PIPA_COUNT(commands), pipa_help_topics,
				  pipa_n_help_topics, &text, &err) < 0)
		return pipa_cli_fail(NULL, &err, 2);
	return pipa_cli_print(NULL, &text);
}

/*
 * A closed standard descriptor would be reused by the next open. Fill the holes with placeholders
 * that vanish at exec, so that the user's command still finds them closed.
 */
static void fill_standard_fds(void)
{
	int fd = 0;

	while (fd <= STDERR_FILENO && fcntl(fd, F_GETFD) >= 0)
		fd++;
	if (fd > STDERR_FILENO)
		return;
	do {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC); /* O_RDONLY so that writes fail */
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static void note_truncated(void *ctx, const char *path)
{
	const struct pipa_cmd *cmd = ctx;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	pipa_buf_printf(&text, "%s was truncated while it was read: data is missing", path);
	pipa_cli_note(cmd->name, pipa_buf_str(&text));
}

/*
 * Run a command. Output that was abandoned after a signal makes the exit status a failure, even if
 * the command returned success.
 */
static int run_command(const struct pipa_cmd *cmd, int argc, char **argv)
{
	struct pipa_error err;
	int status;

	if (pipa_host_open(&pipa_cli_host, &err) < 0)
		return pipa_cli_fail(cmd, &err, cmd->failure);
	pipa_cli_host.owns_process = true;
	pipa_file_map_guard();
	status = cmd->run(cmd, argc, argv);
	pipa_cli_progress_end();
	pipa_host_close(&pipa_cli_host);
	pipa_file_map_truncated(note_truncated, (void *)cmd);
	if (!pipa_interrupt_gave_up())
		return status;
	if (!noted_abandoned)
		pipa_cli_note(cmd->name, "output blocked after a signal and was given up: "
					 "not all of it was written");
	return cmd->failure;
}

int main(int argc, char **argv)
{
	const struct pipa_cmd *cmd;
	sigset_t pipe;

	fill_standard_fds();
	pipa_interrupt_enable();
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE); /* handle EPIPE instead */
	sigaddset(&pipe, SIGXFSZ); /* handle EFBIG instead */
	sigprocmask(SIG_BLOCK, &pipe, &pipa_cli_signals.mask);
	/* a parent that ignores SIGCHLD would have the kernel discard the status of our commands */
	pipa_cli_signals.ignore_sigchld = signal(SIGCHLD, SIG_DFL) == SIG_IGN;

	if (argc < 2)
		return print_start();
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0)
		return print_version();
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_usage();
	if (strcmp(argv[1], "help") == 0)
		return run_help(argc - 1, argv + 1);
	if (strcmp(argv[1], "completion") == 0)
		return run_completion(argc - 1, argv + 1);
	cmd = find_command(argv[1]);
	return cmd ? run_command(cmd, argc - 1, argv + 1) : unknown_command(argv[1]);
}
