/* Check the expressions, templates and names of rules. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/rules/evaluate.h"
#include "analyze/rules/rule_text.h"
#include "analyze/rules/variables.h"
#include "base/auto.h"
#include "base/nearest.h"

enum { MAX_HINTS = 20 }; /* the nearest of 4096 names takes milliseconds to find */

/* Add a problem at a byte of a scalar. */
static int add_problem(struct pipa_rules *rules, size_t rule, const struct pipa_rule_scalar *scalar,
		       size_t offset, const char *what)
{
	struct pipa_rule_problem problem = { .file = rules->items[rule].file,
					     .what = what,
					     .rule = (ptrdiff_t)rule };

	if (rules->problems.n == PIPA_RULE_PROBLEMS) { /* only counted: its position takes time */
		rules->n_problems++;
		return 0;
	}
	pipa_rule_scalar_position(scalar, offset, &problem.line, &problem.column);
	return pipa_rules_add_problem(rules, &problem);
}

static bool is_constant(const struct pipa_rules *rules, const char *name)
{
	size_t i;

	for (i = 0; i < rules->constants.n; i++)
		if (strcmp(rules->constants.items[i].name, name) == 0)
			return true;
	return false;
}

/* Check that a name at a byte of a scalar is known. */
static int check_name(struct pipa_rules *rules, size_t rule, const struct pipa_rule_scalar *scalar,
		      size_t offset, const char *name)
{
	struct pipa_nearest near = { .wanted = name };
	char text[256], hint[120];
	bool hints = rules->n_problems < MAX_HINTS;
	size_t i;

	if (pipa_rule_variable_find(name) || is_constant(rules, name))
		return 0;
	for (i = 0; hints && i < pipa_n_rule_variables; i++)
		pipa_nearest_offer(&near, pipa_rule_variables[i].name);
	for (i = 0; hints && i < rules->constants.n; i++)
		pipa_nearest_offer(&near, rules->constants.items[i].name);
	pipa_nearest_hint(&near, hint, sizeof(hint));
	snprintf(text, sizeof(text), "unknown name '%.60s'%s%s", name, hint[0] ? ", " : "", hint);
	return add_problem(rules, rule, scalar, offset, text);
}

/* Find the first use of a name as a whole word. */
static size_t find_name(const char *text, const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	size_t len = strlen(name);
	const char *at = text;

	while ((at = strstr(at, name))) {
		if ((at == text || !strchr(letters, at[-1])) &&
		    (!at[len] || !strchr(letters, at[len])))
			return (size_t)(at - text);
		at += len;
	}
	return 0;
}

static int check_expression(struct pipa_rules *rules, size_t rule)
{
	const struct pipa_rule_scalar scalar = rules->items[rule].precondition;
	struct pipa_rule_fault fault;
	struct pipa_rule_expr expr;
	size_t i;
	int rc;

	if (!scalar.text)
		return 0;
	rc = pipa_rule_expr_parse(scalar.text, &rules->arena, &expr, &fault);
	if (rc == -EINVAL)
		return add_problem(rules, rule, &scalar, fault.offset, fault.what);
	for (i = 0; !rc && i < expr.n_names; i++)
		rc = check_name(rules, rule, &scalar, find_name(scalar.text, expr.names[i]),
				expr.names[i]);
	return rc;
}

static int check_template(struct pipa_rules *rules, size_t rule, struct pipa_rule_scalar scalar)
{
	struct pipa_placeholder p;
	size_t offset = 0;
	int rc = 0;

	while (!rc && pipa_placeholder_next(scalar.text, &offset, &p))
		rc = p.fault ? add_problem(rules, rule, &scalar, p.start, p.fault) :
			       check_name(rules, rule, &scalar, p.start + 1, p.name);
	return rc;
}

/* Compare by file, line and column. */
static int by_position(const void *a, const void *b)
{
	const struct pipa_rule_problem *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	if (order)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

int pipa_rules_check(struct pipa_rules *rules)
{
	size_t i, k;
	int rc = 0;

	for (i = 0; !rc && i < rules->n; i++) {
		const struct pipa_rule_entry *rule = &rules->items[i];

		rc = check_expression(rules, i);
		for (k = 0; !rc && k < PIPA_LANGUAGE_NR; k++) {
			bool is_shared = k && rule->finding.in[k].text == rule->finding.in[0].text;

			if (rule->finding.in[k].text && !is_shared)
				rc = check_template(rules, i, rule->finding.in[k]);
			is_shared = k && rule->next.in[k].text == rule->next.in[0].text;
			if (!rc && rule->next.in[k].text && !is_shared)
				rc = check_template(rules, i, rule->next.in[k]);
		}
		for (k = 0; !rc && k < rule->n_evidence; k++)
			rc = check_name(rules, i, &rule->evidence[k], 0, rule->evidence[k].text);
	}
	if (rules->problems.n)
		qsort(rules->problems.items, rules->problems.n, sizeof(*rules->problems.items),
		      by_position);
	return rc;
}
