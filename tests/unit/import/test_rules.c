#include "import/rules.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"
#include "model/rules.h"

static struct pipa_rules rules;
static struct pipa_error err;

static int decode(const char *text)
{
	err = (struct pipa_error){ 0 };
	return pipa_rules_decode(text, strlen(text), "r.yaml", &rules, &err);
}

/* The only problem has this position and these words. */
static void has_problem(const char *text, size_t line, size_t column, const char *what)
{
	pipa_rules_done(&rules);
	CHECK_EQ(decode(text), 0);
	CHECK_EQ(rules.problems.n, 1);
	CHECK_STR(rules.problems.items[0].what, what);
	CHECK_STR(rules.problems.items[0].file, "r.yaml");
	CHECK_EQ(rules.problems.items[0].line, line);
	CHECK_EQ(rules.problems.items[0].column, column);
	pipa_rules_done(&rules);
}

static void refuses(const char *text, const char *what)
{
	CHECK(decode(text) < 0);
	CHECK_STR(err.what, what);
	CHECK(!rules.n && !rules.constants.n && !rules.problems.n);
	pipa_rules_done(&rules);
}

TEST(a_tree_of_rules_is_read_in_preorder)
{
	CHECK_EQ(
		decode("config:\n  LIMIT: 50\n  RATE: 75.0\n  KIND: 'HDD'\n  ON: true\n  NOT: null\n"
		       "rules:\n"
		       "  - name: a\n    precondition: \"x > 1\"\n    finding: f\n    sub_rules:\n"
		       "      - name: b\n        sub_rules:\n          - name: c\n"
		       "      - name: d\n"
		       "  - name: e\n"),
		0);
	CHECK_EQ(rules.problems.n, 0);
	CHECK_EQ(rules.n, 5);
	CHECK_STR(rules.items[0].precondition.text, "x > 1");
	CHECK_STR(rules.items[0].finding.in[PIPA_LANGUAGE_EN].text, "f");
	CHECK_STR(rules.items[0].finding.in[PIPA_LANGUAGE_ZH].text, "f");
	CHECK_EQ(rules.items[0].parent, PIPA_RULE_NO_PARENT);
	CHECK_EQ(rules.items[2].parent, 1);
	CHECK_EQ(rules.items[2].depth, 2);
	CHECK_EQ(rules.items[3].parent, 0);
	CHECK_EQ(rules.items[4].depth, 0);
	CHECK_EQ(rules.items[3].line, 15);
	CHECK(isnan(rules.items[3].confidence) && !rules.items[3].precondition.text);
	CHECK_EQ(rules.constants.n, 5);
	CHECK_EQ(rules.constants.items[0].value.kind, PIPA_VALUE_INTEGER);
	CHECK_EQ(rules.constants.items[1].value.kind, PIPA_VALUE_NUMBER);
	CHECK_NEAR(rules.constants.items[1].value.number, 75, 0);
	CHECK_STR(rules.constants.items[2].value.text, "HDD");
	CHECK_EQ(rules.constants.items[3].value.kind, PIPA_VALUE_BOOL);
	CHECK_EQ(rules.constants.items[4].value.kind, PIPA_VALUE_NONE);
	pipa_rules_done(&rules);
}

TEST(languages_severity_confidence_evidence_and_next_steps_are_read)
{
	const struct pipa_rule_entry *rule;

	CHECK_EQ(
		decode("config:\n  A: { value: 5, unit: '%', reason: { en: why, zh: 为何 } }\n"
		       "rules:\n  - id: cpu.busy\n    name: { en: Busy, zh: 繁忙 }\n"
		       "    severity: critical\n    confidence: high\n    audit: true\n"
		       "    evidence: [x, y]\n    next: { en: look, zh: 看 }\n"
		       "    finding: { en: 'is {x}', zh: '是 {x}' }\n"
		       "    sub_rules:\n      - { name: n, confidence: 0.25, severity: notice }\n"),
		0);
	CHECK_EQ(rules.problems.n, 0);
	rule = &rules.items[0];
	CHECK_STR(rule->id, "cpu.busy");
	CHECK_STR(pipa_rule_words_in(&rule->name, PIPA_LANGUAGE_ZH)->text, "繁忙");
	CHECK_STR(pipa_rule_words_in(&rule->finding, PIPA_LANGUAGE_EN)->text, "is {x}");
	CHECK_EQ(rule->severity, PIPA_SEVERITY_CRITICAL);
	CHECK_NEAR(rule->confidence, 0.9, 0);
	CHECK_EQ(rule->n_evidence, 2);
	CHECK_STR(rule->evidence[1].text, "y");
	CHECK_STR(rule->next.in[PIPA_LANGUAGE_EN].text, "look");
	CHECK(rule->is_audit && rules.items[1].is_audit);
	CHECK_NEAR(rules.items[1].confidence, 0.25, 0);
	CHECK_STR(rules.constants.items[0].unit, "%");
	CHECK_STR(rules.constants.items[0].reason.in[PIPA_LANGUAGE_ZH].text, "为何");
	pipa_rules_done(&rules);
}

TEST(positions_in_folded_and_quoted_texts_are_those_of_the_file)
{
	const struct pipa_rule_scalar *scalar;
	size_t line, column;

	CHECK_EQ(
		decode("rules:\n"
		       "  - name: 名\n    precondition: \"ab > cd\"\n"
		       "  - name: b\n    precondition: >-\n      (\n        aa or\n        bb\n      )\n"
		       "  - name: c\n    precondition: \"a\\tb > 1\"\n"),
		0);
	scalar = &rules.items[0].precondition;
	pipa_rule_scalar_position(scalar, 5, &line, &column);
	CHECK_EQ(line, 3);
	CHECK_EQ(column, 25);
	scalar = &rules.items[1].precondition;
	pipa_rule_scalar_position(scalar, strstr(scalar->text, "bb") - scalar->text, &line,
				  &column);
	CHECK_EQ(line, 8);
	CHECK_EQ(column, 9);
	scalar = &rules.items[2].precondition;
	pipa_rule_scalar_position(scalar, 5, &line, &column);
	CHECK_EQ(line, 11);
	CHECK_EQ(column, 19); /* unknown after an escape: the start of the text */
	pipa_rules_done(&rules);
}

TEST(unknown_keys_and_invalid_values_are_problems_with_positions)
{
	has_problem("rules:\n  - name: a\n    findings: b\n", 3, 5,
		    "unknown key 'findings', did you mean finding?");
	has_problem("rulez: []\n", 1, 1, "unknown key 'rulez', did you mean rules?");
	has_problem("rules:\n  - finding: b\n", 3, 1, "missing name of the rule that ends here");
	has_problem("rules:\n  - name: a\n    severity: bad\n", 3, 15,
		    "severity: invalid 'bad', expected info, notice, warning or critical");
	has_problem("rules:\n  - name: a\n    confidence: 2\n", 3, 17,
		    "confidence: invalid '2', expected low, medium, high or 0 to 1");
	has_problem("rules:\n  - name: a\n    name: b\n", 3, 5, "duplicate key 'name'");
	has_problem("rules:\n  - name: a\n    precondition: [1, {b: 2}]\n", 3, 19,
		    "precondition: expected a text");
	has_problem("rules:\n  - just text\n", 2, 5,
		    "expected a rule: 'name', 'precondition', 'finding'");
	has_problem("rules: {a: [1, 2]}\n", 1, 8, "expected a list of rules");
	has_problem("config:\n  A: 1\n  A: 2\n", 3, 3, "duplicate threshold 'A', first in line 2");
	has_problem("version: 99\n", 1, 10, "unsupported version '99', expected 1");
	has_problem("version: [1]\n", 1, 10, "version: expected a text");
	has_problem("rules: []\nrules: []\n", 2, 1, "duplicate key 'rules'");
	has_problem("config: {A: 1}\nconfig: {A: 2}\n", 2, 1, "duplicate key 'config'");
	has_problem("config:\n  A: +5\n", 2, 3,
		    "threshold 'A': '+5' is not a number; a text needs quotes");
	has_problem("config:\n  A: { value: .inf }\n", 2, 3,
		    "threshold 'A': '.inf' is not a number; a text needs quotes");
	has_problem("config:\n  A:\n", 2, 3, "threshold 'A' has no value");
	has_problem("config:\n  A: { unit: s }\n", 2, 3, "threshold 'A' has no value");
	has_problem("config: [1]\n", 1, 9, "config: expected 'NAME: VALUE' lines");
	has_problem("rules:\n  - name: {fr: a, en: b}\n", 2, 12, "unknown key 'fr'");
	has_problem("rules:\n  - name: a\n    ? [x]\n    : y\n", 3, 7, "a key must be a word");
	has_problem("rules:\n  - name: a\n    evidence: x\n", 3, 15,
		    "evidence: expected a list of variables");
}

TEST(files_that_are_not_rules_are_refused)
{
	refuses("", "r.yaml:1:1: the file holds no rules");
	refuses("- a\n", "r.yaml:1:1: expected the keys 'config' and 'rules'");
	refuses("rules: &a\n  - name: x\n    sub_rules: *a\n",
		"r.yaml:3:16: aliases are not supported");
	refuses("rules: []\n---\nrules: []\n", "r.yaml:2:1: a second document begins here");
	refuses("rules: [\n", "r.yaml:2:1: did not find expected node content");
}

TEST(hostile_sizes_are_refused)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	size_t i;

	pipa_buf_puts(&text, "rules: ");
	for (i = 0; i < 30; i++)
		pipa_buf_puts(&text, "[{name: a, sub_rules: ");
	for (i = 0; i < 30; i++)
		pipa_buf_puts(&text, "}]");
	CHECK(decode(pipa_buf_str(&text)) < 0);
	CHECK_HAS(err.what, "rules are nested too deeply");
	pipa_buf_reset(&text);
	pipa_buf_puts(&text, "rules:\n");
	for (i = 0; i <= PIPA_RULES_MAX; i++)
		pipa_buf_puts(&text, "- name: a\n");
	CHECK(decode(pipa_buf_str(&text)) < 0);
	CHECK_HAS(err.what, "more than 4096 rules");
	CHECK_EQ(rules.n, 0);
	pipa_buf_reset(&text);
	pipa_buf_fill(&text, 'a', PIPA_RULES_BYTES + 1);
	CHECK_EQ(decode(pipa_buf_str(&text)), -EFBIG);
	pipa_rules_done(&rules);
}

TEST(a_second_file_adds_rules_and_replaces_thresholds)
{
	PIPA_AUTO(pipa_context_done) struct pipa_context context = { 0 };

	CHECK_EQ(decode("config:\n  A: 1\nrules:\n  - name: a\n"), 0);
	CHECK_EQ(decode("config:\n  A: 2\nrules:\n  - name: b\n"), 0);
	CHECK_EQ(rules.n, 2);
	CHECK_EQ(rules.problems.n, 0);
	CHECK_EQ(pipa_rules_set_constants(&rules, &context), 0);
	CHECK_EQ(context.n, 1);
	CHECK_NEAR(pipa_context_find(&context, "A")->value.number, 2, 0);
	CHECK(decode("config:\n  A: 3\nrules: [\n") < 0);
	CHECK_EQ(rules.n, 2);
	CHECK_EQ(rules.constants.n, 2);
	pipa_rules_done(&rules);
}
