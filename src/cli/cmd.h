/*
 * Commands. To add one: write cmd_NAME.c with a `const struct pipa_cmd`, declare it here, list it
 * in main.c, and add docs/man/pipa-NAME.1 and a row to the README's table.
 */
#ifndef PIPA_CLI_CMD_H
#define PIPA_CLI_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"
#include "kernel/process/child.h"

struct pipa_buf;
struct pipa_error;
struct pipa_host;
struct pipa_opt;

struct pipa_cmd {
	const char *name;
	const char *args; /* "[OPTIONS] [--] COMMAND [ARGS]" */
	const char *help; /* one line */
	const char *more; /* printed after the options by --help, or NULL */
	const struct pipa_opt *opts;
	size_t n_opts;
	int failure; /* exit status when pipa itself fails */
	int usage;   /* exit status for invalid arguments */
	/* argv[0] is the command's name; returns the exit status */
	int (*run)(const struct pipa_cmd *cmd, int argc, char **argv);
};

extern const struct pipa_cmd pipa_cmd_run;
extern const struct pipa_cmd pipa_cmd_collect;
extern const struct pipa_cmd pipa_cmd_stat;
extern const struct pipa_cmd pipa_cmd_monitor;
extern const struct pipa_cmd pipa_cmd_top;
extern const struct pipa_cmd pipa_cmd_record;
extern const struct pipa_cmd pipa_cmd_heap;
extern const struct pipa_cmd pipa_cmd_report;
extern const struct pipa_cmd pipa_cmd_diff;
extern const struct pipa_cmd pipa_cmd_annotate;
extern const struct pipa_cmd pipa_cmd_script;
extern const struct pipa_cmd pipa_cmd_fold;
extern const struct pipa_cmd pipa_cmd_export;
extern const struct pipa_cmd pipa_cmd_merge;
extern const struct pipa_cmd pipa_cmd_filter;
extern const struct pipa_cmd pipa_cmd_flamegraph;
extern const struct pipa_cmd pipa_cmd_heatmap;
extern const struct pipa_cmd pipa_cmd_graph;
extern const struct pipa_cmd pipa_cmd_bundle;
extern const struct pipa_cmd pipa_cmd_symbolize;
extern const struct pipa_cmd pipa_cmd_analyze;
extern const struct pipa_cmd pipa_cmd_plot;
extern const struct pipa_cmd pipa_cmd_rules;
extern const struct pipa_cmd pipa_cmd_generate;
extern const struct pipa_cmd pipa_cmd_otlp;
extern const struct pipa_cmd pipa_cmd_upload;
extern const struct pipa_cmd pipa_cmd_download;
extern const struct pipa_cmd pipa_cmd_query;
extern const struct pipa_cmd pipa_cmd_list;
extern const struct pipa_cmd pipa_cmd_doctor;

/* "pipa 1.2.3" */
extern const char pipa_cli_version[];

/* Signal state at the start of pipa; the measured command inherits it. */
extern struct pipa_child_signals pipa_cli_signals;

/* The machine pipa runs on: opened before a command starts, passed to the jobs. */
extern struct pipa_host pipa_cli_host;

/* Print "pipa stat: what. Hint." as one line to standard error and return status. */
int pipa_cli_fail(const struct pipa_cmd *cmd, const struct pipa_error *err, int status);

/* Print the help if rc is -ECANCELED, else the usage error; return the exit status. */
int pipa_cli_usage(const struct pipa_cmd *cmd, int rc, const struct pipa_error *err);

/* Print the error of a job, if any; return the exit status, 141 (128 + SIGPIPE) for -EPIPE. */
int pipa_cli_end(const struct pipa_cmd *cmd, int rc, const struct pipa_error *err);

/* Write a line to standard error, escaped (base/visible.h), with a newline. */
void pipa_cli_line(struct pipa_buf *line);

/* Print the note "pipa report: text" as one line to standard error. */
void pipa_cli_note(const char *command, const char *text);

/* Return a log that writes the messages of a job as notes of the command. */
struct pipa_log pipa_cli_log(const struct pipa_cmd *cmd);

/* Print the help of a command to standard output; return 0, or 1 if the write fails. */
int pipa_cli_help(const struct pipa_cmd *cmd);

/* Write text to standard output; return 0, or 1 after printing the error. */
int pipa_cli_print(const struct pipa_cmd *cmd, const struct pipa_buf *text);

/* Return the width of the terminal at fd, 0 if it is none. */
unsigned int pipa_cli_columns(int fd);

/* Return the user name from the environment, NULL if unset; a static program cannot use NSS. */
const char *pipa_cli_user(void);

/* Decide whether to use colour on fd; `when` is NULL or auto, always, never. */
int pipa_cli_color(const char *when, int fd, bool *ret, struct pipa_error *err);

#endif
