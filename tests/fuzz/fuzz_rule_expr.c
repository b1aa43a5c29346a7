/*
 * Expressions of rules: a refused one has its fault inside of the text, an accepted one has operands that
 * exist, and it has the same value each time. Without variables no test is more than unknown, unless it has
 * no names.
 */
#include "analyze/rules/rule_expr.h"
#include "base/auto.h"
#include "fuzz.h"

static void check_value(const struct pipa_rule_expr *expr, const struct pipa_context *context,
			size_t len)
{
	struct pipa_rule_fault fault;
	enum pipa_truth truth = pipa_rule_expr_truth(expr, context, &fault);
	struct pipa_value value;
	size_t i;

	MUST((truth == PIPA_TRUTH_ERROR) == (fault.what[0] != '\0'));
	MUST(fault.offset <= len);
	MUST(pipa_rule_expr_value(expr, context, &value, &fault) == (truth != PIPA_TRUTH_ERROR));
	if (truth != PIPA_TRUTH_ERROR)
		MUST((value.kind == PIPA_VALUE_ABSENT) == (truth == PIPA_TRUTH_UNKNOWN));
	for (i = 0; i < expr->n_tests; i++)
		pipa_rule_expr_test(expr, i, context, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_arena arena = { 0 };
	struct pipa_context context = { 0 };
	struct pipa_rule_expr expr = { 0 };
	struct pipa_rule_fault fault;
	char *text = fuzz_text(data, size);
	size_t i;

	if (pipa_rule_expr_parse(text, &arena, &expr, &fault) < 0) {
		MUST(fault.what[0] && fault.offset <= strlen(text) && !expr.n_nodes);
	} else {
		MUST(expr.root < expr.n_nodes && expr.n_tests);
		for (i = 0; i < expr.n_tests; i++)
			MUST(expr.nodes[expr.tests[i]].end <= strlen(text));
		check_value(&expr, &context, strlen(text));
		for (i = 0; i < expr.n_names; i++) {
			struct pipa_variable variable = {
				.name = expr.names[i],
				.value = { PIPA_VALUE_INTEGER + i % 3, (double)i, "HDD" },
			};

			MUST(pipa_context_set(&context, &variable));
		}
		check_value(&expr, &context, strlen(text));
	}
	pipa_context_done(&context);
	pipa_arena_done(&arena);
	free(text);
	return 0;
}
