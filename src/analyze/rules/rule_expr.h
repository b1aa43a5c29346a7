/*
 * Expressions of rules: "p95_disk_util > IO_UTIL_HIGH_THRESHOLD and busiest_disk_subtype == 'HDD'". The
 * grammar is in docs/rules.md; it is a subset of Python's, without attributes, indexes and calls other
 * than min, max, abs and defined.
 *
 * An expression is parsed to a tree of at most PIPA_RULE_EXPR_NODES nodes and PIPA_RULE_EXPR_DEPTH levels.
 * Evaluation visits each node once, allocates nothing and runs no code of the file.
 *
 * Logic has three values. A comparison or an operation on an absent variable is unknown; `False and unknown`
 * is false, `True or unknown` is true, everything else that depends on it is unknown.
 */
#ifndef PIPA_ANALYZE_RULES_RULE_EXPR_H
#define PIPA_ANALYZE_RULES_RULE_EXPR_H

#include <stddef.h>
#include <stdint.h>

#include "model/context.h"

enum {
	PIPA_RULE_EXPR_BYTES = 4096,
	PIPA_RULE_EXPR_NODES = 512,
	PIPA_RULE_EXPR_DEPTH = 64,
	PIPA_RULE_EXPR_NAMES = 64,
};

enum pipa_truth {
	PIPA_TRUTH_FALSE,
	PIPA_TRUTH_TRUE,
	PIPA_TRUTH_UNKNOWN, /* depends on absent variables */
	PIPA_TRUTH_ERROR,   /* operands of the wrong type, division by zero */
};

/* A problem of an expression, at a byte offset of its text. */
struct pipa_rule_fault {
	size_t offset;
	char what[160]; /* "" if there is none */
};

struct pipa_rule_node {
	uint8_t kind;		 /* enum in rule_expr.c */
	uint8_t op;		 /* operator of a comparison or of arithmetic; a function */
	uint16_t name;		 /* of a variable */
	uint16_t first, second;	 /* operands */
	uint32_t start, end;	 /* bytes of the text */
	struct pipa_value value; /* of a literal */
};

/* Nodes, names and literals are in the arena given to the parser. */
struct pipa_rule_expr {
	const struct pipa_rule_node *nodes;
	size_t n_nodes;
	const char *const *names; /* variables, in the order of their first use */
	size_t n_names;
	/* tests: nodes that and, or and not combine, in the order of the text */
	const uint16_t *tests;
	size_t n_tests;
	uint16_t root;
};

/* Parse a text. 0; -EINVAL with the fault; -ENOMEM. */
int pipa_rule_expr_parse(const char *text, struct pipa_arena *arena, struct pipa_rule_expr *ret,
			 struct pipa_rule_fault *fault);

/* Evaluate to a value; the kind is PIPA_VALUE_ABSENT if it is unknown. False: *fault has the reason. */
bool pipa_rule_expr_value(const struct pipa_rule_expr *expr, const struct pipa_context *context,
			  struct pipa_value *ret, struct pipa_rule_fault *fault);

/* Evaluate to a truth value. *fault is set for PIPA_TRUTH_ERROR. */
enum pipa_truth pipa_rule_expr_truth(const struct pipa_rule_expr *expr,
				     const struct pipa_context *context,
				     struct pipa_rule_fault *fault);

/* Evaluate test `index`, as pipa_rule_expr_truth() does the whole. */
enum pipa_truth pipa_rule_expr_test(const struct pipa_rule_expr *expr, size_t index,
				    const struct pipa_context *context,
				    struct pipa_rule_fault *fault);

const char *pipa_truth_text(enum pipa_truth truth); /* "true", "false", "unknown", "error" */

#endif
