#include "analyze/rules/evaluate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

const char *pipa_rule_state_text(enum pipa_rule_state state)
{
	static const char *const texts[PIPA_RULE_STATES] = { "fired", "not fired", "unknown",
							     "invalid", "not reached" };

	return texts[state];
}

void pipa_findings_done(struct pipa_findings *findings)
{
	free(findings->results);
	free(findings->order);
	pipa_arena_done(&findings->arena);
	*findings = (struct pipa_findings){ 0 };
}

/* Copy a part of an expression and join its lines. */
static const char *copy_part(struct pipa_arena *arena, const char *text, size_t start, size_t end)
{
	char *copy = pipa_arena_text(arena, text + start, end - start), *out = copy;
	const char *in;

	for (in = copy; in && *in; in++) {
		bool is_blank = strchr(" \t\r\n", *in);

		if (!is_blank)
			*out++ = *in;
		else if (out > copy && out[-1] != ' ')
			*out++ = ' ';
	}
	if (copy)
		*out = '\0';
	return copy;
}

/* List the inputs of an expression; returns the lowest quality of those that are present. */
static int list_inputs(const struct pipa_rule_expr *expr, const struct pipa_context *context,
		       struct pipa_arena *arena, struct pipa_rule_result *ret, double *ret_quality)
{
	struct pipa_rule_input *inputs = pipa_arena_take(arena,
							 (expr->n_names + 1) * sizeof(*inputs));
	size_t i;

	*ret_quality = 1;
	if (!inputs)
		return -ENOMEM;
	for (i = 0; i < expr->n_names; i++) {
		inputs[i].name = expr->names[i];
		inputs[i].variable = pipa_context_find(context, expr->names[i]);
		if (inputs[i].variable && inputs[i].variable->value.kind != PIPA_VALUE_ABSENT)
			*ret_quality = fmin(*ret_quality, inputs[i].variable->quality);
	}
	ret->inputs = inputs;
	ret->n_inputs = expr->n_names;
	return 0;
}

static int list_tests(const struct pipa_rule_expr *expr, const char *text,
		      const struct pipa_context *context, struct pipa_arena *arena,
		      struct pipa_rule_result *ret)
{
	struct pipa_rule_test *tests = pipa_arena_take(arena, expr->n_tests * sizeof(*tests));
	size_t i;

	if (!tests)
		return -ENOMEM;
	for (i = 0; i < expr->n_tests; i++) {
		const struct pipa_rule_node *node = &expr->nodes[expr->tests[i]];

		tests[i].truth = pipa_rule_expr_test(expr, i, context, NULL);
		tests[i].text = copy_part(arena, text, node->start, node->end);
		if (!tests[i].text)
			return -ENOMEM;
	}
	ret->tests = tests;
	ret->n_tests = expr->n_tests;
	return 0;
}

/* Evaluate the expression of a rule, whatever the state of its parent is. */
static int evaluate_rule(const struct pipa_rule_entry *rule, const struct pipa_context *context,
			 struct pipa_arena *arena, struct pipa_rule_result *ret)
{
	double own = isnan(rule->confidence) ? PIPA_RULE_CONFIDENCE : rule->confidence, quality;
	struct pipa_rule_fault fault = { 0 };
	struct pipa_rule_expr expr;
	int rc;

	*ret = (struct pipa_rule_result){ .truth = PIPA_TRUTH_TRUE, .confidence = own };
	if (!rule->precondition.text)
		return 0;
	rc = pipa_rule_expr_parse(rule->precondition.text, arena, &expr, &fault);
	if (rc == -ENOMEM)
		return rc;
	ret->truth = PIPA_TRUTH_ERROR;
	if (!rc) {
		rc = list_inputs(&expr, context, arena, ret, &quality);
		if (!rc)
			rc = list_tests(&expr, rule->precondition.text, context, arena, ret);
		if (rc < 0)
			return rc;
		ret->confidence = own * quality;
		ret->truth = pipa_rule_expr_truth(&expr, context, &fault);
	}
	if (ret->truth != PIPA_TRUTH_ERROR)
		return 0;
	ret->fault = pipa_arena_text(arena, fault.what, strlen(fault.what));
	pipa_rule_scalar_position(&rule->precondition, fault.offset, &ret->line, &ret->column);
	return ret->fault ? 0 : -ENOMEM;
}

static enum pipa_rule_state state_of(enum pipa_truth truth)
{
	switch (truth) {
	case PIPA_TRUTH_FALSE: return PIPA_RULE_NOT_FIRED;
	case PIPA_TRUTH_TRUE: return PIPA_RULE_FIRED;
	case PIPA_TRUTH_UNKNOWN: return PIPA_RULE_UNKNOWN;
	case PIPA_TRUTH_ERROR: break;
	}
	return PIPA_RULE_INVALID;
}

struct ordered_finding {
	size_t index;
	enum pipa_severity severity;
	double confidence;
};

/* Compare by severity, confidence and position in the file. */
static int by_importance(const void *a, const void *b)
{
	const struct ordered_finding *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->confidence < y->confidence || x->confidence > y->confidence)
		return x->confidence > y->confidence ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

/* Sort the findings. */
static int order_findings(const struct pipa_rules *rules, struct pipa_findings *ret)
{
	PIPA_AUTO(free) struct ordered_finding *items = calloc(rules->n + 1, sizeof(*items));
	size_t i, n = 0;

	ret->order = calloc(rules->n + 1, sizeof(*ret->order));
	if (!items || !ret->order)
		return -ENOMEM;
	for (i = 0; i < rules->n; i++)
		if (ret->results[i].state == PIPA_RULE_FIRED &&
		    pipa_rule_words_in(&rules->items[i].finding, PIPA_LANGUAGE_EN))
			items[n++] = (struct ordered_finding){ i, rules->items[i].severity,
							       ret->results[i].confidence };
	qsort(items, n, sizeof(*items), by_importance);
	for (i = 0; i < n; i++)
		ret->order[i] = items[i].index;
	ret->n = n;
	return 0;
}

int pipa_rules_evaluate(const struct pipa_rules *rules, const struct pipa_context *context,
			struct pipa_findings *ret)
{
	size_t i;
	int rc = 0;

	ret->results = calloc(rules->n + 1, sizeof(*ret->results));
	if (!ret->results)
		return -ENOMEM;
	ret->n_results = rules->n;
	for (i = 0; !rc && i < rules->n; i++) {
		const struct pipa_rule_entry *rule = &rules->items[i];
		struct pipa_rule_result *result = &ret->results[i];

		rc = evaluate_rule(rule, context, &ret->arena, result);
		result->state = state_of(result->truth);
		if (rule->parent >= 0 && ret->results[rule->parent].state != PIPA_RULE_FIRED)
			result->state = PIPA_RULE_NOT_REACHED;
	}
	return rc ? rc : order_findings(rules, ret);
}
