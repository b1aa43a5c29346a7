/*
 * Arithmetic over event counts: "100 * [branch-misses] / [branches]".
 *
 * [name] is the count of an event in its unit, a bare word a variable of the evaluator. + - * / (
 * ) and unary minus; division by zero and missing operands give NaN.
 */
#ifndef PIPA_ANALYZE_COUNT_EXPR_H
#define PIPA_ANALYZE_COUNT_EXPR_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_error;

enum { PIPA_EXPR_OPS = 64, PIPA_EXPR_NAMES = 16, PIPA_EXPR_NAME_LEN = 96 };

struct pipa_expr_op {
	char kind; /* 'n' number, 'v' operand, or the operator; '~' is unary minus */
	unsigned int operand;
	double number;
};

/* Postfix code without pointers: an expression can be copied by assignment. */
struct pipa_expr {
	struct pipa_expr_op ops[PIPA_EXPR_OPS];
	size_t n_ops;
	struct {
		char text[PIPA_EXPR_NAME_LEN];
		bool is_event; /* written in brackets */
	} names[PIPA_EXPR_NAMES];
	size_t n_names;
};

int pipa_expr_parse(const char *text, struct pipa_expr *ret, struct pipa_error *err);

/* Evaluate; values[i] is the value of names[i], NaN if missing. */
double pipa_expr_eval(const struct pipa_expr *expr, const double *values);

#endif
