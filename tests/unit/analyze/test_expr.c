#include "analyze/count/expr.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"

/* The value of an expression in which a, b, c... are 1, 2, 3... */
static double eval(const char *text)
{
	double values[PIPA_EXPR_NAMES];
	struct pipa_error err = { 0 };
	struct pipa_expr expr;
	size_t i;

	if (pipa_expr_parse(text, &expr, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	for (i = 0; i < expr.n_names; i++)
		values[i] = expr.names[i].text[0] - 'a' + 1;
	return pipa_expr_eval(&expr, values);
}

/* The message with which an expression is refused. */
static const char *refusal(const char *text)
{
	static struct pipa_error err;
	struct pipa_expr expr = { .n_ops = 42 };
	PIPA_AUTO(free) char *copy = strdup(text); /* exact: a read past the end is seen */

	err = (struct pipa_error){ 0 };
	if (pipa_expr_parse(copy, &expr, &err) != -EINVAL)
		pipa_test_fail(__FILE__, __LINE__, "'%s' was taken", text);
	CHECK_EQ(expr.n_ops, 42); /* a failed parse keeps the caller's unchanged */
	CHECK_HAS(err.hint, "[instructions] / [cycles]");
	return err.what;
}

TEST(products_bind_before_sums)
{
	CHECK_NEAR(eval("1 + 2 * 3"), 7, 0);
	CHECK_NEAR(eval("(1 + 2) * 3"), 9, 0);
	CHECK_NEAR(eval("2 * 3 + 4 * 5"), 26, 0);
}

TEST(chains_go_from_left_to_right)
{
	CHECK_NEAR(eval("10 - 3 - 2"), 5, 0);
	CHECK_NEAR(eval("100 / 5 / 2"), 10, 0);
	CHECK_NEAR(eval("100 / 5 * 2"), 40, 0);
}

TEST(minus_can_stand_before_anything)
{
	CHECK_NEAR(eval("-3"), -3, 0);
	CHECK_NEAR(eval("2 - -3"), 5, 0);
	CHECK_NEAR(eval("--3"), 3, 0);
	CHECK_NEAR(eval("-(1 + 2) * -b"), 6, 0);
	CHECK_NEAR(eval("-2 * 3"), -6, 0);
}

TEST(numbers_have_points_and_exponents)
{
	CHECK_NEAR(eval("1.5"), 1.5, 0);
	CHECK_NEAR(eval(".25"), 0.25, 0);
	CHECK_NEAR(eval("1e3"), 1000, 0);
}

TEST(blanks_do_not_matter)
{
	CHECK_NEAR(eval(" \t1+ 2\n*(3 ) "), 7, 0);
}

TEST(events_stand_in_brackets_and_variables_bare)
{
	struct pipa_expr expr;

	CHECK_EQ(pipa_expr_parse("100 * [branch-misses:u] / clock + [clock]", &expr, NULL), 0);
	CHECK_EQ(expr.n_names, 3);
	CHECK_STR(expr.names[0].text, "branch-misses:u");
	CHECK(expr.names[0].is_event);
	CHECK_STR(expr.names[1].text, "clock");
	CHECK(!expr.names[1].is_event);
	CHECK(expr.names[2].is_event); /* the event of that name is another thing */
	CHECK_NEAR(pipa_expr_eval(&expr, (double[]){ 6, 3, 1000 }), 1200, 0);
}

TEST(name_used_twice_is_one_name)
{
	struct pipa_expr expr;

	CHECK_EQ(pipa_expr_parse("([a] - [b]) / [a] + [ab]", &expr, NULL), 0);
	CHECK_EQ(expr.n_names, 3);
	CHECK_NEAR(pipa_expr_eval(&expr, (double[]){ 4, 1, 10 }), 10.75, 0);
}

TEST(division_by_zero_is_not_a_number)
{
	CHECK(isnan(eval("1 / 0")));
	CHECK(isnan(eval("0 / 0")));
	CHECK(isnan(eval("1 / (a - a)")));
	CHECK(isnan(eval("5 + 1 / 0")));
}

TEST(missing_operand_makes_everything_missing)
{
	struct pipa_expr expr;

	CHECK_EQ(pipa_expr_parse("0 * [a] + 1", &expr, NULL), 0);
	CHECK(isnan(pipa_expr_eval(&expr, (double[]){ NAN })));
}

TEST(nothing_evaluates_to_no_number)
{
	CHECK(isnan(pipa_expr_eval(&(struct pipa_expr){ 0 }, NULL)));
}

TEST(bad_expressions_are_refused_with_their_reason)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "expected a number, a name or (" },
		{ "1 +", "expected a number, a name or (" },
		{ "* 2", "expected a number, a name or (" },
		{ "(1", "missing )" },
		{ "1)", "missing operator" },
		{ "()", "expected a number, a name or (" },
		{ "1 2", "missing operator" },
		{ "a b", "missing operator" },
		{ "[a", "missing ]" },
		{ "[]", "missing or too long name" },
		{ "[a] [b]", "missing operator" },
		{ "1.2.3", "missing operator" },
		{ ".", "invalid number" },
		{ "1e999", "invalid number" },
		{ "a % b", "missing operator" },
		{ "-", "expected a number, a name or (" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++)
		CHECK_HAS(refusal(rows[i].text), rows[i].why);
	CHECK_EQ(pipa_expr_parse("1 +", &(struct pipa_expr){ 0 }, NULL), -EINVAL);
}

TEST(message_names_the_column_of_the_mistake)
{
	CHECK_HAS(refusal("100 * [a"), "invalid metric '100 * [a' at column 8: missing ]");
	CHECK_HAS(refusal("1 + )"), "at column 5");
}

/* `n` times `piece`, then `end`. */
static const char *repeat(const char *piece, int n, const char *end)
{
	static struct pipa_buf text;

	pipa_buf_reset(&text);
	while (n-- > 0)
		pipa_buf_puts(&text, piece);
	pipa_buf_puts(&text, end);
	return pipa_buf_str(&text);
}

TEST(expressions_have_limits)
{
	struct pipa_expr expr;
	char names[400] = "", long_name[120];
	int i;

	CHECK_NEAR(eval(repeat("1+", 31, "1")), 32, 0);
	CHECK_HAS(refusal(repeat("1+", 40, "1")), "too long");
	CHECK_NEAR(eval(repeat("-", 32, "1")), 1, 0);
	CHECK_HAS(refusal(repeat("-", 33, "1")), "too deep");
	CHECK_HAS(refusal(repeat("(", 33, "1")), "too deep");
	CHECK_HAS(refusal(repeat("(", 100000, "")), "too deep");
	CHECK_NEAR(eval(repeat("((1))+", 20, "1")), 21, 0); /* side by side is not deep */
	CHECK_NEAR(eval(repeat("--1+", 15, "1")), 16, 0);

	for (i = 0; i <= PIPA_EXPR_NAMES; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s[n%d]",
			 i ? "+" : "", i);
	CHECK_HAS(refusal(names), "too many names");
	*strrchr(names, '+') = '\0';
	CHECK_EQ(pipa_expr_parse(names, &expr, NULL), 0);
	CHECK_EQ(expr.n_names, PIPA_EXPR_NAMES);

	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	CHECK_HAS(refusal(long_name), "too long");
	long_name[PIPA_EXPR_NAME_LEN - 1] = '\0';
	CHECK_EQ(pipa_expr_parse(long_name, &expr, NULL), 0);
	CHECK_STR(expr.names[0].text, long_name);
}

TEST(expression_is_copied_like_a_number)
{
	struct pipa_expr expr, copy;

	CHECK_EQ(pipa_expr_parse("[a] * 2", &expr, NULL), 0);
	copy = expr;
	memset(&expr, 0xff, sizeof(expr));
	CHECK_NEAR(pipa_expr_eval(&copy, (double[]){ 21 }), 42, 0);
}
