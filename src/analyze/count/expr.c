#include "analyze/count/expr.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/*
 * Recursive-descent parser. PIPA_EXPR_OPS bounds the stack of the evaluation, `depth` that of the
 * parser.
 */
struct parse {
	const char *start, *pos;
	struct pipa_expr *expr;
	struct pipa_error *err;
	unsigned int depth;
};

enum { MAX_DEPTH = 32 };

static int fail_at(struct parse *p, const char *why)
{
	pipa_refuse(p->err, -EINVAL, "invalid metric '%.80s' at column %zu: %s", p->start,
		    (size_t)(p->pos - p->start) + 1, why);
	return pipa_hint(p->err, "write events in brackets: [instructions] / [cycles]");
}

static void skip_spaces(struct parse *p)
{
	while (isspace((unsigned char)*p->pos))
		p->pos++;
}

static int add_op(struct parse *p, struct pipa_expr_op op)
{
	if (p->expr->n_ops == PIPA_EXPR_OPS)
		return fail_at(p, "too long");
	p->expr->ops[p->expr->n_ops++] = op;
	return 0;
}

static int add_name(struct parse *p, const char *text, size_t len, bool is_event)
{
	struct pipa_expr *expr = p->expr;
	size_t i;

	if (!len || len >= PIPA_EXPR_NAME_LEN)
		return fail_at(p, "missing or too long name");
	for (i = 0; i < expr->n_names; i++)
		if (strncmp(expr->names[i].text, text, len) == 0 && !expr->names[i].text[len] &&
		    expr->names[i].is_event == is_event)
			break;
	if (i == PIPA_EXPR_NAMES)
		return fail_at(p, "too many names");
	if (i == expr->n_names) {
		memcpy(expr->names[i].text, text, len);
		expr->names[i].text[len] = '\0';
		expr->names[i].is_event = is_event;
		expr->n_names++;
	}
	return add_op(p, (struct pipa_expr_op){ .kind = 'v', .operand = (unsigned int)i });
}

static int parse_sum(struct parse *p);

static int parse_number(struct parse *p)
{
	char *end;
	double number = strtod(p->pos, &end);

	if (end == p->pos || !isfinite(number))
		return fail_at(p, "invalid number");
	p->pos = end;
	return add_op(p, (struct pipa_expr_op){ .kind = 'n', .number = number });
}

static int parse_atom(struct parse *p)
{
	const char *start;
	int rc;

	skip_spaces(p);
	start = p->pos;
	if (*p->pos == '(') {
		if (++p->depth > MAX_DEPTH)
			return fail_at(p, "nested too deeply");
		p->pos++;
		rc = parse_sum(p);
		p->depth--;
		if (rc < 0)
			return rc;
		if (*p->pos != ')')
			return fail_at(p, "missing )");
		p->pos++;
		return 0;
	}
	if (*p->pos == '[') {
		size_t len = strcspn(++p->pos, "]");

		if (!p->pos[len])
			return fail_at(p, "missing ]");
		p->pos += len + 1;
		return add_name(p, start + 1, len, true);
	}
	if (*p->pos == '-') {
		if (++p->depth > MAX_DEPTH)
			return fail_at(p, "nested too deeply");
		p->pos++;
		rc = parse_atom(p);
		p->depth--;
		return rc < 0 ? rc : add_op(p, (struct pipa_expr_op){ .kind = '~' });
	}
	if (isdigit((unsigned char)*p->pos) || *p->pos == '.')
		return parse_number(p);
	while (isalnum((unsigned char)*p->pos) || *p->pos == '_')
		p->pos++;
	if (p->pos == start)
		return fail_at(p, "expected a number, a name or (");
	return add_name(p, start, (size_t)(p->pos - start), false);
}

/* Parse a left-associative chain of `below` joined by the two operators. */
static int parse_chain(struct parse *p, int (*below)(struct parse *p), const char *operators)
{
	int rc = below(p);

	for (;;) {
		char op;

		skip_spaces(p);
		op = *p->pos;
		if (rc < 0 || !op || !strchr(operators, op))
			return rc;
		p->pos++;
		rc = below(p);
		if (rc == 0)
			rc = add_op(p, (struct pipa_expr_op){ .kind = op });
	}
}

static int parse_product(struct parse *p)
{
	return parse_chain(p, parse_atom, "*/");
}

static int parse_sum(struct parse *p)
{
	return parse_chain(p, parse_product, "+-");
}

int pipa_expr_parse(const char *text, struct pipa_expr *ret, struct pipa_error *err)
{
	struct pipa_expr expr = { 0 };
	struct parse p = { .start = text, .pos = text, .expr = &expr, .err = err };
	int rc = parse_sum(&p);

	if (rc < 0)
		return rc;
	if (*p.pos)
		return fail_at(&p, "missing operator");
	*ret = expr;
	return 0;
}

double pipa_expr_eval(const struct pipa_expr *expr, const double *values)
{
	double stack[PIPA_EXPR_OPS] = { 0 };
	size_t i, top = 0;

	for (i = 0; i < expr->n_ops; i++) {
		const struct pipa_expr_op *op = &expr->ops[i];

		if (op->kind == 'n' || op->kind == 'v') {
			stack[top++] = op->kind == 'n' ? op->number : values[op->operand];
			continue;
		}
		assert(top >= (op->kind == '~' ? 1 : 2)); /* guaranteed by the parser */
		if (op->kind == '~') {
			stack[top - 1] = -stack[top - 1];
			continue;
		}
		top--;
		switch (op->kind) {
		case '+': stack[top - 1] += stack[top]; break;
		case '-': stack[top - 1] -= stack[top]; break;
		case '*': stack[top - 1] *= stack[top]; break;
		default:
			stack[top - 1] = stack[top] == 0 ? NAN : stack[top - 1] / stack[top];
			break;
		}
	}
	return top == 1 ? stack[0] : NAN;
}
