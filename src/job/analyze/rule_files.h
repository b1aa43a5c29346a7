/* Read rule files: those of --rules, and the built-in one. */
#ifndef PIPA_JOB_ANALYZE_RULE_FILES_H
#define PIPA_JOB_ANALYZE_RULE_FILES_H

#include "model/rules.h"

struct pipa_error;

/* The name of the built-in rule file. */
#define PIPA_RULES_DEFAULT "default"

/*
 * Read a rule file, PIPA_RULES_DEFAULT for the built-in one, "-" for standard input, and append its rules.
 * Used by every command with --rules.
 */
int pipa_rules_read(const char *path, struct pipa_rules *rules, struct pipa_error *err);

#endif
