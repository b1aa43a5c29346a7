/*
 * The commands of `pipa run`: words after --, or strings for a shell, one of each for every value of the
 * parameters. Pure: nothing is run.
 */
#ifndef PIPA_JOB_RUN_RUN_COMMANDS_H
#define PIPA_JOB_RUN_RUN_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_error;
struct pipa_run_options;

/* Commands that are run around those that are measured, by sh. */
enum pipa_run_hook {
	PIPA_RUN_SETUP,	  /* once before the first run of a command */
	PIPA_RUN_PREPARE, /* before each run, also before warm-up runs */
	PIPA_RUN_CLEANUP, /* once after the last run of a command, also after a failure */
	PIPA_RUN_HOOKS,
};

/* {NAME} in commands is replaced by each value. */
struct pipa_run_parameter {
	const char *name;
	const char *list;	  /* comma-separated values, or NULL: */
	const char *first, *last; /* numbers, in steps of pipa_run_options.step */
};

struct pipa_run_command {
	char *text;  /* as it is shown */
	char **argv; /* ends with NULL; sh -c TEXT if by_shell */
	bool by_shell;
	char **values;		     /* of each parameter, "" if the command does not use it */
	char *hooks[PIPA_RUN_HOOKS]; /* NULL: none */
};

struct pipa_run_commands {
	struct pipa_run_command *items;
	size_t n, cap;
	const char **parameters; /* their names */
	size_t n_parameters;
};

/*
 * List the commands of the options. If the first word after -- contains white space, each word is a
 * command, run by sh. Refuses empty commands, and parameters that no command uses. The options are
 * borrowed until pipa_run_commands_done().
 */
int pipa_run_commands_list(const struct pipa_run_options *options, struct pipa_run_commands *ret,
			   struct pipa_error *err);
void pipa_run_commands_done(struct pipa_run_commands *commands);

static inline void pipa_run_commands_done_auto(struct pipa_run_commands *commands)
{
	pipa_run_commands_done(commands);
}

#endif
