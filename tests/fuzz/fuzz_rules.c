/*
 * Rule files: refused with a position and without an effect, or read so that parents come before their
 * children, numbers are in range and every expression has a position inside of the file.
 */
#include "fuzz.h"

#include <math.h>

#include "base/error.h"
#include "import/rules.h"
#include "model/rules.h"

static void check_rules(const struct pipa_rules *rules, size_t size)
{
	size_t i, k, line, column;

	MUST(rules->n <= PIPA_RULES_MAX && rules->constants.n <= PIPA_RULES_MAX);
	for (i = 0; i < rules->n; i++) {
		const struct pipa_rule_entry *rule = &rules->items[i];

		MUST(rule->parent < (ptrdiff_t)i && rule->severity < PIPA_SEVERITY_NR);
		MUST(rule->depth <= PIPA_RULES_DEPTH);
		MUST((rule->parent == PIPA_RULE_NO_PARENT) == (rule->depth == 0));
		MUST(isnan(rule->confidence) || (rule->confidence >= 0 && rule->confidence <= 1));
		for (k = 0; k < rule->n_evidence; k++)
			MUST(rule->evidence[k].text);
		if (!rule->precondition.text)
			continue;
		for (k = 0; k <= strlen(rule->precondition.text) && k < 4096; k++) {
			pipa_rule_scalar_position(&rule->precondition, k, &line, &column);
			MUST(line >= rule->precondition.line && line <= size + 1 && column >= 1);
		}
	}
	for (i = 0; i < rules->problems.n; i++) {
		MUST(rules->problems.items[i].what[0] && rules->problems.items[i].line >= 1);
		MUST(rules->problems.items[i].rule < (ptrdiff_t)rules->n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_rules rules = { 0 };
	struct pipa_error err = { 0 };
	char *text = malloc(size ? size : 1);

	MUST(text);
	if (size)
		memcpy(text, data, size);
	if (pipa_rules_decode(text, size, "r", &rules, &err) == 0) {
		check_rules(&rules, size);
	} else {
		MUST(err.code < 0 && err.what[0]);
		MUST(!rules.n && !rules.constants.n && !rules.problems.n);
	}
	pipa_rules_done(&rules);
	free(text);
	return 0;
}
