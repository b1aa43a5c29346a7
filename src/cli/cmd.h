/*
 * The commands. To add one: write cmd_NAME.c with a `const struct pipa_cmd`, declare it here, list
 * it in main.c, and give it docs/man/pipa-NAME.1 and a line in the README's table.
 */
#ifndef PIPA_CLI_CMD_H
#define PIPA_CLI_CMD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct pipa_buf;
struct pipa_error;
struct pipa_host;
struct pipa_opt;

struct pipa_cmd {
	const char *name;
	const char *args; /* "[OPTIONS] [--] COMMAND [ARGS]" */
	const char *help; /* one line */
	const char *more; /* below the options of --help, or NULL */
	const struct pipa_opt *opts;
	size_t n_opts;
	int failure; /* exit status when pipa itself fails */
	int usage;   /* and when it was called wrongly */
	/* argv[0] is the command's name; returns the exit status */
	int (*run)(const struct pipa_cmd *cmd, int argc, char **argv);
};

extern const struct pipa_cmd pipa_cmd_run;
extern const struct pipa_cmd pipa_cmd_collect;
extern const struct pipa_cmd pipa_cmd_stat;
extern const struct pipa_cmd pipa_cmd_monitor;
extern const struct pipa_cmd pipa_cmd_top;
extern const struct pipa_cmd pipa_cmd_record;
extern const struct pipa_cmd pipa_cmd_report;
extern const struct pipa_cmd pipa_cmd_diff;
extern const struct pipa_cmd pipa_cmd_annotate;
extern const struct pipa_cmd pipa_cmd_script;
extern const struct pipa_cmd pipa_cmd_fold;
extern const struct pipa_cmd pipa_cmd_flamegraph;
extern const struct pipa_cmd pipa_cmd_heatmap;
extern const struct pipa_cmd pipa_cmd_graph;
extern const struct pipa_cmd pipa_cmd_bundle;
extern const struct pipa_cmd pipa_cmd_symbolize;
extern const struct pipa_cmd pipa_cmd_list;
extern const struct pipa_cmd pipa_cmd_doctor;

/* "pipa 1.2.3" */
extern const char pipa_cli_version[];

/* The signal mask pipa was started with, which the user's command gets. */
extern sigset_t pipa_cli_mask;

/* The machine pipa runs on: opened before a command starts, passed to the jobs. */
extern struct pipa_host pipa_cli_host;

/* "pipa stat: what; hint" as one line on standard error; returns status. */
int pipa_cli_fail(const struct pipa_cmd *cmd, const struct pipa_error *err, int status);

/* How a command ends whose arguments were refused by rc: with its help, if that was asked for. */
int pipa_cli_usage(const struct pipa_cmd *cmd, int rc, const struct pipa_error *err);

/* And one whose job returned rc: a pipe that nobody reads any more gives the status of dying of it. */
int pipa_cli_end(const struct pipa_cmd *cmd, int rc, const struct pipa_error *err);

/* Write a line to standard error, escaped (base/visible.h), with a newline. */
void pipa_cli_line(struct pipa_buf *line);

/* "pipa report: text" as one line on standard error: what is worth knowing and no failure. */
void pipa_cli_note(const char *command, const char *text);

/* Print a command's help on standard output; 0, or 1 when that fails. */
int pipa_cli_help(const struct pipa_cmd *cmd);

/* Write all of it to standard output; 0, or 1 with a message. */
int pipa_cli_print(const struct pipa_cmd *cmd, const struct pipa_buf *text);

/* Does the user want colour on this descriptor? when: NULL or auto, always, never. */
int pipa_cli_color(const char *when, int fd, bool *ret, struct pipa_error *err);

#endif
