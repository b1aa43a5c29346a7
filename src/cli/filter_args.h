/* Options that select rows of a pipad server. */
#ifndef PIPA_CLI_FILTER_ARGS_H
#define PIPA_CLI_FILTER_ARGS_H

#include "job/remote/filter.h"

struct pipa_error;

/* Handlers of options; `field` is a struct pipa_remote_filter. */
int pipa_cli_set_since(void *field, const char *text, struct pipa_error *err);
int pipa_cli_set_until(void *field, const char *text, struct pipa_error *err);
int pipa_cli_add_filter_label(void *field, const char *text, struct pipa_error *err);

/* `to` is a struct pipa_remote_filter. */
#define FILTER_ROWS(to)                                                                                 \
	TEXT('t', "table", "NAME", to.table, "table to read (default: that of the server)"),            \
		TEXT(0, "where", "EXPR", to.where,                                                      \
		     "only runs for which EXPR is true: CPI > 1.5 and platform == 'arm'"),              \
		TEXT(0, "workload", "NAME", to.workload, "only runs of workload NAME"),                 \
		TEXT(0, "platform", "NAME", to.platform, "only runs on platform NAME"),                 \
		TEXT(0, "user", "NAME", to.username, "only runs of user NAME"),                         \
		{ .kind = PIPA_OPT_FIELD,                                                               \
		  .name = "label",                                                                      \
		  .arg = "EXPR",                                                                        \
		  AT(to),                                                                               \
		  .set = pipa_cli_add_filter_label,                                                     \
		  .help = "only runs with that label, KEY or KEY=VALUE (repeatable)" },                 \
		{ .kind = PIPA_OPT_FIELD,                                                               \
		  .name = "since",                                                                      \
		  .arg = "TIME",                                                                        \
		  AT(to),                                                                               \
		  .set = pipa_cli_set_since,                                                            \
		  .help = "only runs uploaded since then: 30d, 12h, 2026-11-18, 2026-11-18 10:00:00" }, \
	{                                                                                               \
		.kind = PIPA_OPT_FIELD, .name = "until", .arg = "TIME", AT(to),                         \
		.set = pipa_cli_set_until, .help = "only runs uploaded before then"                     \
	}

#endif
