#include "analyze/rules/rule_expr.h"

#include <errno.h>
#include <stdio.h>

#include "base/auto.h"
#include "lib/test.h"

static struct pipa_arena arena;
static struct pipa_context context;
static struct pipa_rule_expr expr;
static struct pipa_rule_fault fault;

static void set(const char *name, enum pipa_value_kind kind, double number, const char *text)
{
	struct pipa_variable variable = { .name = name, .value = { kind, number, text } };

	CHECK(pipa_context_set(&context, &variable));
}

static void set_all(void)
{
	set("five", PIPA_VALUE_INTEGER, 5, NULL);
	set("half", PIPA_VALUE_NUMBER, 0.5, NULL);
	set("disk", PIPA_VALUE_TEXT, 0, "HDD");
	set("yes", PIPA_VALUE_BOOL, 1, NULL);
	set("none", PIPA_VALUE_NONE, 0, NULL);
	set("gone", PIPA_VALUE_ABSENT, 0, NULL);
}

static enum pipa_truth truth(const char *text)
{
	CHECK_EQ(pipa_rule_expr_parse(text, &arena, &expr, &fault), 0);
	return pipa_rule_expr_truth(&expr, &context, &fault);
}

static double number(const char *text)
{
	struct pipa_value value;

	CHECK_EQ(pipa_rule_expr_parse(text, &arena, &expr, &fault), 0);
	CHECK(pipa_rule_expr_value(&expr, &context, &value, &fault));
	CHECK(pipa_value_is_numeric(&value));
	return value.number;
}

static void done(void)
{
	pipa_context_done(&context);
	pipa_arena_done(&arena);
}

/* Refused at that byte, with these words. */
static void refuses(const char *text, size_t offset, const char *what)
{
	CHECK_EQ(pipa_rule_expr_parse(text, &arena, &expr, &fault), -EINVAL);
	CHECK_STR(fault.what, what);
	CHECK_EQ(fault.offset, offset);
}

TEST(comparisons_chains_and_logic_follow_python)
{
	static const char *const holds[] = {
		"True",
		"five == 5 and five == 5.0",
		"not (five > 5)",
		"1 < five <= 5 != 6",
		"disk == 'HDD' and disk == \"HDD\"",
		"disk != 'SATA_SSD'",
		"none == None",
		"not none",
		"yes == 1",
		"five or 1 / 0 > 2",
		"not five == 6",
		"five > 4\n  and half < 1\n",
		"'a' < 'b'",
		"disk != 5",
		"False or not False and True",
	};
	static const char *const fails[] = {
		"False",       "five < 5",   "1 < five < 3",	 "disk == 'hdd'",
		"not yes",     "None",	     "'' or 0 or False", "five != 5",
		"five == '5'", "five and 0", "0 and 1/0 > 1",
	};
	size_t i;

	set_all();
	for (i = 0; i < PIPA_COUNT(holds); i++)
		if (truth(holds[i]) != PIPA_TRUTH_TRUE)
			pipa_test_fail(__FILE__, __LINE__, "%s is not true", holds[i]);
	for (i = 0; i < PIPA_COUNT(fails); i++)
		if (truth(fails[i]) != PIPA_TRUTH_FALSE)
			pipa_test_fail(__FILE__, __LINE__, "%s is not false", fails[i]);
	done();
}

TEST(arithmetic_follows_python)
{
	set_all();
	CHECK_NEAR(number("1 + 2 * 3 - 4"), 3, 0);
	CHECK_NEAR(number("-(1 + 2) * -3"), 9, 0);
	CHECK_NEAR(number("7 / 2"), 3.5, 0);
	CHECK_NEAR(number("-7 // 2"), -4, 0);
	CHECK_NEAR(number("-7 % 3"), 2, 0);
	CHECK_NEAR(number("1e3 + .5"), 1000.5, 0);
	CHECK_NEAR(number("10 - 4 - 3"), 3, 0);
	CHECK_NEAR(number("max(1, five, half) + min(3, 2) + abs(-4)"), 11, 0);
	done();
}

TEST(an_absent_variable_is_unknown_and_never_zero)
{
	set_all();
	CHECK_EQ(truth("gone < 5"), PIPA_TRUTH_UNKNOWN);
	CHECK_EQ(truth("gone == 0"), PIPA_TRUTH_UNKNOWN);
	CHECK_EQ(truth("not gone"), PIPA_TRUTH_UNKNOWN);
	CHECK_EQ(truth("-gone + 1 > 0"), PIPA_TRUTH_UNKNOWN);
	CHECK_EQ(truth("nowhere > 1"), PIPA_TRUTH_UNKNOWN);
	CHECK_EQ(truth("max(gone, 100) > 1"), PIPA_TRUTH_UNKNOWN);
	CHECK_EQ(truth("gone > 1 and False"), PIPA_TRUTH_FALSE);
	CHECK_EQ(truth("gone > 1 or True"), PIPA_TRUTH_TRUE);
	CHECK_EQ(truth("gone > 1 and True"), PIPA_TRUTH_UNKNOWN);
	CHECK_EQ(truth("gone > 1 or False"), PIPA_TRUTH_UNKNOWN);
	CHECK_EQ(truth("5 < 4 < gone"), PIPA_TRUTH_FALSE);
	CHECK_EQ(truth("defined(gone)"), PIPA_TRUTH_FALSE);
	CHECK_EQ(truth("defined(five) and five > 4"), PIPA_TRUTH_TRUE);
	done();
}

TEST(operands_of_the_wrong_type_are_an_error_with_its_position)
{
	set_all();
	CHECK_EQ(truth("five > 1 and disk > 5"), PIPA_TRUTH_ERROR);
	CHECK_STR(fault.what, "cannot order a text and a number");
	CHECK_EQ(fault.offset, 20);
	CHECK_EQ(truth("disk + 1 > 0"), PIPA_TRUTH_ERROR);
	CHECK_STR(fault.what, "cannot compute with a text and a number");
	CHECK_EQ(truth("1 / (five - 5) > 0"), PIPA_TRUTH_ERROR);
	CHECK_STR(fault.what, "division by zero");
	CHECK_EQ(truth("1e308 * 10 > 0"), PIPA_TRUTH_ERROR);
	CHECK_STR(fault.what, "the result is too large");
	CHECK_EQ(truth("None < 1"), PIPA_TRUTH_ERROR);
	CHECK_EQ(truth("-disk == 1"), PIPA_TRUTH_ERROR);
	CHECK_EQ(truth("max(disk, 1) > 0"), PIPA_TRUTH_ERROR);
	CHECK_EQ(truth("not (disk < 1)"), PIPA_TRUTH_ERROR);
	CHECK_EQ(truth("disk < 1 or True"), PIPA_TRUTH_ERROR);
	done();
}

TEST(names_and_tests_are_listed_in_the_order_of_the_text)
{
	const struct pipa_rule_node *test;

	set_all();
	CHECK_EQ(truth("not five > 9 and (half > 1 or disk == 'HDD' or five > 1)"),
		 PIPA_TRUTH_TRUE);
	CHECK_EQ(expr.n_names, 3);
	CHECK_STR(expr.names[0], "five");
	CHECK_STR(expr.names[2], "disk");
	CHECK_EQ(expr.n_tests, 4);
	test = &expr.nodes[expr.tests[2]];
	CHECK_EQ(test->start, 30);
	CHECK_EQ(test->end, 43);
	CHECK_EQ(pipa_rule_expr_test(&expr, 0, &context, NULL), PIPA_TRUTH_FALSE);
	CHECK_EQ(pipa_rule_expr_test(&expr, 2, &context, NULL), PIPA_TRUTH_TRUE);
	done();
}

TEST(an_invalid_expression_is_refused_with_its_position)
{
	refuses("", 0, "the expression ends early");
	refuses("a >", 3, "the expression ends early");
	refuses("a b", 2, "expected an operator");
	refuses("(a", 2, "missing )");
	refuses("(a b)", 3, "expected an operator or )");
	refuses("a)", 1, "unexpected )");
	refuses("a == 'x", 5, "string without an end");
	refuses("a == '\\q'", 6, "invalid escape in a string");
	refuses("1.2.3 > 1", 0, "invalid number");
	refuses("0x10 > 1", 0, "invalid number");
	refuses("5kg > 1", 0, "invalid number");
	refuses("a and or b", 6, "expected a value");
	refuses("a ** 2 > 1", 2, "expected an operator");
	refuses("a = 1", 2, "expected an operator");
	refuses("abs(1, 2) > 0", 0, "the function takes one argument");
	refuses("defined(1)", 8, "defined() takes the name of a variable");
	refuses("min(1", 5, "expected ) or ,");
	done();
}

TEST(code_of_a_host_language_is_not_part_of_the_grammar)
{
	refuses("__import__('os').system('id')", 0,
		"unknown function: only min, max, abs and defined exist");
	refuses("df.shape > 1", 2, "expected an operator");
	refuses("a[0] > 1", 1, "expected an operator");
	refuses("lambda: 1", 0, "expected a value");
	refuses("{a}", 0, "expected a value");
	done();
}

TEST(hostile_sizes_are_refused)
{
	static char text[3 * PIPA_RULE_EXPR_BYTES];
	size_t i;

	memset(text, '(', 200);
	refuses(text, 64, "expression is nested too deeply");
	memset(text, '-', 200);
	refuses(text, 63, "expression is nested too deeply");
	for (i = 0; i < 300; i++)
		memcpy(text + 4 * i, "not ", 4);
	refuses(text, 252, "expression is nested too deeply");
	for (i = 0; i < 900; i++)
		memcpy(text + 2 * i, "1+", 3);
	CHECK_EQ(pipa_rule_expr_parse(text, &arena, &expr, &fault), -EINVAL);
	CHECK_STR(fault.what, "expression has too many operands");
	for (i = 0; i < 100; i++)
		sprintf(text + 5 * i, "a%02zu%s", i, i < 99 ? "< " : "");
	CHECK_EQ(pipa_rule_expr_parse(text, &arena, &expr, &fault), -EINVAL);
	CHECK_STR(fault.what, "too many names");
	memset(text, ' ', PIPA_RULE_EXPR_BYTES + 1);
	text[PIPA_RULE_EXPR_BYTES + 1] = '\0';
	refuses(text, 0, "expression is too long");
	memset(text, 'a', 100);
	text[100] = '\0';
	refuses(text, 0, "name is too long");
	done();
}
