/*
 * Write shell scripts that drive pipa, from templates (docs/templates.md): the settings come from questions to
 * the user, in the order of PIPA, from a configuration file, or are the defaults.
 */
#ifndef PIPA_JOB_QUERY_GENERATE_H
#define PIPA_JOB_QUERY_GENERATE_H

#include "base/log.h"

struct pipa_buf;
struct pipa_error;
struct pipa_root;

enum pipa_generate_action {
	PIPA_GENERATE_SCRIPTS,
	PIPA_GENERATE_CONFIG,	 /* config-pipa-shu.yaml */
	PIPA_GENERATE_UPLOAD,	 /* config-upload.yaml */
	PIPA_GENERATE_TEMPLATES, /* the templates themselves */
};

struct pipa_generate_options {
	enum pipa_generate_action action;
	const char *config; /* file, NULL: none */
	const char
		*template_dir;	/* templates that replace built-in ones of the same name, or NULL */
	const char *output_dir; /* NULL: the data directory; for templates: ./templates */
	const char *version;
	struct pipa_root *root; /* whose CPUs limit a list of cores */
	struct pipa_log log;	/* receives notes */

	/*
	 * Ask the user; NULL: take the defaults. Replaces the content of `answer` by a line without its
	 * newline. 0, -ECANCELED at the end of the input or after an interrupt, or a negative errno.
	 */
	int (*ask)(void *ctx, const char *question, struct pipa_buf *answer);
	void (*say)(void *ctx, const char *text); /* a line of the dialog, with `ask` only */
	void *ctx;
};

/*
 * Write the files and append their paths to `written`, a line each. An existing file with other content is
 * renamed to NAME.1, NAME.2, ... -ECANCELED without a message, and nothing is written, if the user has left
 * the dialog.
 */
int pipa_generate_run(const struct pipa_generate_options *options, struct pipa_buf *written,
		      struct pipa_error *err);

#endif
