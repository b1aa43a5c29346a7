/*
 * Table of the variables of rules: name, unit, formula and the statistics that it needs. The first part has
 * PIPA's names and definitions. docs/rules.md lists the table.
 */
#ifndef PIPA_ANALYZE_RULES_VARIABLES_H
#define PIPA_ANALYZE_RULES_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/rules.h"

struct pipa_rule_variable {
	const char *name;
	const char *unit;    /* "": none */
	const char *formula; /* in sysstat's and perf's names */
	const char *needs;   /* "disk statistics" */
	bool is_pipa;	     /* a name of PIPA's context */
};

extern const struct pipa_rule_variable pipa_rule_variables[];
extern const size_t pipa_n_rule_variables;

/* Return the variable of that name, NULL if there is none. */
const struct pipa_rule_variable *pipa_rule_variable_find(const char *name);

/* Return the statistics that a variable needs, in a language. */
const char *pipa_rule_variable_needs(const struct pipa_rule_variable *variable,
				     enum pipa_language language);

#endif
