/*
 * Write rules as text or JSON (docs/format/rules.schema.json): findings with their evidence, every rule with
 * its inputs and the reason of its state, problems of rule files.
 */
#ifndef PIPA_EXPORT_TABLE_RULES_H
#define PIPA_EXPORT_TABLE_RULES_H

#include "model/rules.h"

struct pipa_buf;
struct pipa_doc;
struct pipa_findings;
struct pipa_value;

struct pipa_rules_report {
	const char *input; /* path of the measurement */
	const struct pipa_rules *rules;
	const struct pipa_context *context; /* with the constants of the rules */
	const struct pipa_findings *findings;
	enum pipa_language language; /* of the text */
};

void pipa_rules_report_write_text(const struct pipa_rules_report *report, struct pipa_buf *out);
void pipa_rules_report_write_json(const struct pipa_rules_report *report, struct pipa_buf *out);

/* Write the value of a variable as an entry: null if it is absent. */
void pipa_rule_value_write(struct pipa_doc *doc, const char *key, const struct pipa_value *value);

/* Write the problems of rule files: "FILE:3:5: unknown key ...", and a line with the numbers. */
void pipa_rule_problems_write_text(const struct pipa_rules *rules, enum pipa_language language,
				   struct pipa_buf *out);
void pipa_rule_problems_write_json(const struct pipa_rules *rules, struct pipa_buf *out);

#endif
