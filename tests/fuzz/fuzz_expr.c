/*
 * Metric expressions: what is taken is balanced postfix, evaluates without a mishap and, printed with
 * all its parentheses, is the same expression again.
 */
#include <math.h>

#include "analyze/count/expr.h"
#include "base/buf.h"
#include "base/error.h"
#include "fuzz.h"

static size_t arity(const struct pipa_expr_op *op)
{
	return op->kind == 'n' || op->kind == 'v' ? 0 : op->kind == '~' ? 1 : 2;
}

static void check_shape(const struct pipa_expr *expr)
{
	size_t i, depth = 0;

	MUST(expr->n_ops > 0 && expr->n_ops <= PIPA_EXPR_OPS);
	MUST(expr->n_names <= PIPA_EXPR_NAMES);
	for (i = 0; i < expr->n_ops; i++) {
		const struct pipa_expr_op *op = &expr->ops[i];

		MUST(memchr("nv~+-*/", op->kind, 7));
		MUST(op->kind != 'v' || op->operand < expr->n_names);
		MUST(op->kind != 'n' || isfinite(op->number));
		MUST(depth >= arity(op));
		depth = depth - arity(op) + 1;
	}
	MUST(depth == 1);
	for (i = 0; i < expr->n_names; i++)
		MUST(expr->names[i].text[0] &&
		     memchr(expr->names[i].text, '\0', PIPA_EXPR_NAME_LEN));
}

/* Where the operand that ends before `end` begins. */
static size_t start_of(const struct pipa_expr *expr, size_t end)
{
	size_t missing = 1;

	while (missing) {
		end--;
		missing = missing - 1 + arity(&expr->ops[end]);
	}
	return end;
}

static void print(const struct pipa_expr *expr, size_t end, struct pipa_buf *out)
{
	const struct pipa_expr_op *op = &expr->ops[end - 1];

	if (op->kind == 'n') {
		pipa_buf_printf(out, "%.17g", op->number);
	} else if (op->kind == 'v') {
		bool is_event = expr->names[op->operand].is_event;

		pipa_buf_printf(out, "%s%s%s", is_event ? "[" : "", expr->names[op->operand].text,
				is_event ? "]" : "");
	} else if (op->kind == '~') {
		pipa_buf_puts(out, "-");
		print(expr, end - 1, out);
	} else {
		pipa_buf_puts(out, "(");
		print(expr, start_of(expr, end - 1), out);
		pipa_buf_printf(out, " %c ", op->kind);
		print(expr, end - 1, out);
		pipa_buf_puts(out, ")");
	}
}

static void check_reparse(const struct pipa_expr *expr)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error err = { 0 };
	struct pipa_expr again;
	size_t i;

	print(expr, expr->n_ops, &text);
	if (pipa_expr_parse(pipa_buf_str(&text), &again, &err) < 0) {
		MUST(strstr(err.what, "too deep")); /* the parentheses may be too many */
		return;
	}
	MUST(again.n_ops == expr->n_ops && again.n_names == expr->n_names);
	for (i = 0; i < expr->n_ops; i++) {
		MUST(again.ops[i].kind == expr->ops[i].kind);
		MUST(again.ops[i].operand == expr->ops[i].operand);
		MUST(again.ops[i].number == expr->ops[i].number);
	}
}

static void check_eval(const struct pipa_expr *expr)
{
	double values[PIPA_EXPR_NAMES];
	size_t i;

	for (i = 0; i < PIPA_EXPR_NAMES; i++)
		values[i] = (double)i - 2;
	pipa_expr_eval(expr, values);
	if (!expr->n_names)
		return;
	for (i = 0; i < PIPA_EXPR_NAMES; i++)
		values[i] = NAN;
	MUST(isnan(pipa_expr_eval(expr, values))); /* a missing operand leaves nothing */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct pipa_error err = { 0 };
	struct pipa_expr expr;

	memset(&expr, 0x5a, sizeof(expr));
	if (pipa_expr_parse(text, &expr, &err) == 0) {
		check_shape(&expr);
		check_eval(&expr);
		check_reparse(&expr);
	} else {
		MUST(err.code < 0 && err.what[0] && err.hint[0]);
		MUST(((char *)&expr)[0] == 0x5a && ((char *)&expr)[sizeof(expr) - 1] == 0x5a);
	}
	free(text);
	return 0;
}
