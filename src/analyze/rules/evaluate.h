/*
 * Evaluate rules on a context: the state of each rule with its inputs and the reason, and the findings in
 * order, the most severe and certain first.
 */
#ifndef PIPA_ANALYZE_RULES_EVALUATE_H
#define PIPA_ANALYZE_RULES_EVALUATE_H

#include <stddef.h>

#include "analyze/rules/rule_expr.h"
#include "model/context.h"
#include "model/rules.h"

enum pipa_rule_state {
	PIPA_RULE_FIRED,       /* active: its parent is active and its expression is true */
	PIPA_RULE_NOT_FIRED,   /* the expression is false */
	PIPA_RULE_UNKNOWN,     /* the expression depends on absent variables */
	PIPA_RULE_INVALID,     /* the expression has a fault */
	PIPA_RULE_NOT_REACHED, /* its parent is not active */
	PIPA_RULE_STATES,
};

const char *pipa_rule_state_text(enum pipa_rule_state state); /* "not fired" */

/* A name in the expression. */
struct pipa_rule_input {
	const char *name;
	const struct pipa_variable *variable; /* NULL: unknown name */
};

/* A part of the expression that `and`, `or` and `not` combine. */
struct pipa_rule_test {
	const char *text; /* on one line */
	enum pipa_truth truth;
};

struct pipa_rule_result {
	enum pipa_rule_state state;
	enum pipa_truth truth; /* of the expression, also if the rule is not reached */
	const struct pipa_rule_input *inputs;
	size_t n_inputs;
	const struct pipa_rule_test *tests;
	size_t n_tests;
	const char *fault;   /* NULL: none */
	size_t line, column; /* of the fault */
	double confidence;   /* that of the rule times the lowest quality of its inputs */
};

/* The confidence of a rule that states none. */
#define PIPA_RULE_CONFIDENCE 0.6

struct pipa_findings {
	struct pipa_rule_result *results; /* one per rule */
	size_t n_results;
	size_t *order; /* indexes of rules that fired and have a finding, in order */
	size_t n;
	struct pipa_arena arena;
};

/*
 * Evaluate all rules. The constants of the rules must be in the context (pipa_rules_set_constants()). `ret` is
 * empty before, borrows from both, and must be freed. 0 or -ENOMEM.
 */
int pipa_rules_evaluate(const struct pipa_rules *rules, const struct pipa_context *context,
			struct pipa_findings *ret);
void pipa_findings_done(struct pipa_findings *findings);

/*
 * Check expressions, templates and lists of evidence, and add a problem per syntax error and per name that is
 * neither a threshold nor one of the variables of analyze/rules/variables.h. Sorts all problems by position.
 * 0 or -ENOMEM.
 */
int pipa_rules_check(struct pipa_rules *rules);

static inline void pipa_findings_done_auto(struct pipa_findings *findings)
{
	pipa_findings_done(findings);
}

#endif
