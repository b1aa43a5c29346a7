/* Options of an analysis that several commands have: --rules, --expected-cpus and --lang. */
#ifndef PIPA_CLI_ANALYZE_ARGS_H
#define PIPA_CLI_ANALYZE_ARGS_H

#include <stddef.h>

#include "model/rules.h"
#include "option/opt.h"

struct pipa_analysis_options;
struct pipa_error;

enum { PIPA_CLI_RULES_MAX = 64 };

struct pipa_analyze_args {
	const char *rules[PIPA_CLI_RULES_MAX];
	size_t n_rules;
	const char *expected_cpus;
	enum pipa_language language;
};

int pipa_cli_add_rules(void *field, const char *text, struct pipa_error *err);
int pipa_cli_set_language(void *field, const char *text, struct pipa_error *err);

/* Rows of the option table; `to` is a pipa_analyze_args. */
#define ANALYZE_RULE_ROWS(to)                                                                      \
	{ .kind = PIPA_OPT_FIELD,                                                                  \
	  .name = "rules",                                                                         \
	  .arg = "FILE",                                                                           \
	  AT(to),                                                                                  \
	  .set = pipa_cli_add_rules,                                                               \
	  .help = "rule file (repeatable; default: the built-in rules, also named 'default')" },   \
		TEXT(0, "expected-cpus", "LIST", to.expected_cpus,                                 \
		     "CPUs the workload is bound to: 0-3,7 (default: affinity is not checked)")
#define ANALYZE_LANGUAGE_ROW(to)                                                                   \
	{                                                                                          \
		.kind = PIPA_OPT_FIELD, .name = "lang", .arg = "LANG", AT(to),                     \
		.set = pipa_cli_set_language,                                                      \
		.help = "language of names and findings: en or zh (default: en)"                   \
	}

/* Check the options and set those of the analysis, which borrows `args`. */
int pipa_cli_set_analysis(const struct pipa_analyze_args *args, struct pipa_analysis_options *ret,
			  struct pipa_error *err);

#endif
