/*
 * Settings of generated scripts: defaults of PIPA, the answers of a user, or a configuration file.
 * Shared by the generate*.c files only.
 */
#ifndef PIPA_JOB_QUERY_GENERATE_SETTINGS_H
#define PIPA_JOB_QUERY_GENERATE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct pipa_error;
struct pipa_generate_options;

/* All texts are in the arena. */
struct pipa_generate_settings {
	const char *workspace;
	uint64_t freq_record;
	const char *events_record;
	bool annotate;
	uint64_t count_delta_stat; /* ms */
	struct {
		const char **items;
		size_t n, cap;
	} events_stat;
	int64_t duration_record, duration_stat; /* s; -1: until stopped */
	bool run;				/* start the command, else observe the machine */
	bool use_taskset;
	const char *core_range;
	const char *command; /* "" if none */
	bool export_config;
	struct pipa_arena arena;
};

/* Set the defaults; the cores are those of the machine. Call done() also after a failure. */
int pipa_generate_settings_init(struct pipa_generate_settings *s,
				const struct pipa_generate_options *options,
				struct pipa_error *err);
void pipa_generate_settings_done(struct pipa_generate_settings *s);

/* Read the configuration file of the options. */
int pipa_generate_settings_load(struct pipa_generate_settings *s,
				const struct pipa_generate_options *options,
				struct pipa_error *err);

/*
 * Ask the user, beginning with the menu, and set *ret_action, unless the menu is left: -ECANCELED. An empty
 * command is refused with -EINVAL; any other invalid answer is asked for again.
 */
int pipa_generate_settings_ask(struct pipa_generate_settings *s,
			       struct pipa_generate_options *options, struct pipa_error *err);

#endif
