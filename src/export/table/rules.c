#include "export/table/rules.h"

#include <math.h>
#include <string.h>

#include "analyze/rules/evaluate.h"
#include "analyze/rules/rule_text.h"
#include "analyze/rules/variables.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/visible.h"
#include "codec/doc.h"
#include "export/table/messages.h"

/* ---- labels in both languages ---------------------------------------------------------------------- */

static const char *severity_label(enum pipa_severity severity, enum pipa_language language)
{
	static const char *const chinese[PIPA_SEVERITY_NR] = { "信息", "提示", "警告", "严重" };

	return language == PIPA_LANGUAGE_ZH ? chinese[severity] : pipa_severity_text(severity);
}

static const char *state_label(enum pipa_rule_state state, enum pipa_language language)
{
	static const char *const chinese[PIPA_RULE_STATES] = {
		[PIPA_RULE_FIRED] = "已触发",	    [PIPA_RULE_NOT_FIRED] = "未触发",
		[PIPA_RULE_UNKNOWN] = "未知",	    [PIPA_RULE_INVALID] = "无效",
		[PIPA_RULE_NOT_REACHED] = "未到达",
	};

	return language == PIPA_LANGUAGE_ZH ? chinese[state] : pipa_rule_state_text(state);
}

static const char *truth_label(enum pipa_truth truth, enum pipa_language language)
{
	static const char *const chinese[] = {
		[PIPA_TRUTH_FALSE] = "假",
		[PIPA_TRUTH_TRUE] = "真",
		[PIPA_TRUTH_UNKNOWN] = "未知",
		[PIPA_TRUTH_ERROR] = "错误",
	};

	return language == PIPA_LANGUAGE_ZH ? chinese[truth] : pipa_truth_text(truth);
}

static const char *in_language(enum pipa_language language, const char *english,
			       const char *chinese)
{
	return language == PIPA_LANGUAGE_ZH ? chinese : english;
}

/* Append a label and blanks up to a width; a Chinese character is two columns wide. */
static void put_label(const char *label, size_t width, struct pipa_buf *out)
{
	size_t columns = 0;

	pipa_buf_puts(out, label);
	for (; *label; label++)
		columns += (unsigned char)*label < 0x80 ? 1 : (unsigned char)*label >= 0xc0 ? 2 : 0;
	for (; columns < width; columns++)
		pipa_buf_putc(out, ' ');
}

/* ---- text ---------------------------------------------------------------------------------------- */

static const char *words_text(const struct pipa_rule_words *words, enum pipa_language language)
{
	const struct pipa_rule_scalar *scalar = pipa_rule_words_in(words, language);

	return scalar ? scalar->text : "";
}

/* Append a text, escaped, with its lines indented. */
static void put_lines(const char *text, const char *indent, struct pipa_buf *out)
{
	while (*text) {
		size_t len = strcspn(text, "\n"), start;

		pipa_buf_puts(out, indent);
		start = out->len;
		pipa_buf_add(out, text, len);
		pipa_visible_since(out, start);
		pipa_buf_putc(out, '\n');
		text += len + (text[len] == '\n');
	}
}

/* Append a template as indented lines; the first is preceded by a label. */
static void put_template(const struct pipa_rules_report *r, const struct pipa_rule_words *words,
			 const char *label, const char *indent, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	if (!words_text(words, r->language)[0])
		return;
	pipa_buf_puts(&text, label);
	pipa_rule_text_write(words_text(words, r->language), r->context, PIPA_MARKUP_TEXT, &text);
	put_lines(pipa_buf_str(&text), indent, out);
}

static void put_escaped(const char *text, struct pipa_buf *out)
{
	size_t start = out->len;

	pipa_buf_puts(out, text);
	pipa_visible_since(out, start);
}

static void put_message(const char *message, enum pipa_language language, struct pipa_buf *out)
{
	size_t start = out->len;

	pipa_message_put(message, language, out);
	pipa_visible_since(out, start);
}

/* Append the reason why a variable has no value. */
static void put_absent(const struct pipa_rules_report *r, const struct pipa_variable *variable,
		       struct pipa_buf *out)
{
	const struct pipa_rule_variable *row = pipa_rule_variable_find(variable->name);

	if (r->language == PIPA_LANGUAGE_ZH && row) {
		pipa_buf_puts(out, "：缺失，需要");
		pipa_buf_puts(out, pipa_rule_variable_needs(row, r->language));
		return;
	}
	pipa_buf_puts(out, in_language(r->language, ": absent, ", "：缺失，"));
	put_escaped(variable->source, out);
}

/* Append "NAME = VALUE UNIT". */
static void put_variable(const struct pipa_rules_report *r, const char *name, struct pipa_buf *out)
{
	const struct pipa_variable *variable = pipa_context_find(r->context, name);
	size_t start;

	put_escaped(name, out);
	if (!variable) {
		pipa_buf_puts(out, in_language(r->language, ": unknown name", "：未知的名称"));
		return;
	}
	if (variable->value.kind == PIPA_VALUE_ABSENT) {
		put_absent(r, variable, out);
		return;
	}
	pipa_buf_puts(out, " = ");
	start = out->len;
	if (variable->value.kind == PIPA_VALUE_NUMBER && !variable->is_constant)
		pipa_buf_printf(out, "%.6g", variable->value.number);
	else
		pipa_value_write(&variable->value, -1, out);
	pipa_visible_since(out, start);
	if (variable->unit[0]) {
		pipa_buf_putc(out, ' ');
		put_escaped(variable->unit, out);
	}
}

/* Append the evidence of a finding: the variables that the rule names, else its inputs. */
static void put_evidence(const struct pipa_rules_report *r, size_t index, struct pipa_buf *out)
{
	const struct pipa_rule_entry *rule = &r->rules->items[index];
	const struct pipa_rule_result *result = &r->findings->results[index];
	size_t n = rule->n_evidence ? rule->n_evidence : result->n_inputs, i;

	for (i = 0; i < n; i++) {
		const char *name = rule->n_evidence ? rule->evidence[i].text :
						      result->inputs[i].name;
		const struct pipa_variable *variable = pipa_context_find(r->context, name);

		if (!variable || variable->value.kind == PIPA_VALUE_ABSENT)
			continue; /* the list of rules has the reason */
		pipa_buf_puts(out, "     - ");
		put_variable(r, name, out);
		pipa_buf_putc(out, '\n');
	}
}

static void put_findings(const struct pipa_rules_report *r, struct pipa_buf *out)
{
	size_t i;

	if (!r->findings->n)
		pipa_buf_puts(out, in_language(r->language, "No findings.\n", "没有发现问题。\n"));
	for (i = 0; i < r->findings->n; i++) {
		size_t index = r->findings->order[i];
		const struct pipa_rule_entry *rule = &r->rules->items[index];

		pipa_buf_printf(out, "%s%2zu. ", i ? "\n" : "", i + 1);
		put_escaped(words_text(&rule->name, r->language), out);
		pipa_buf_printf(out, " [%s%s %.0f %%]\n",
				severity_label(rule->severity, r->language),
				in_language(r->language, ", confidence", "，置信度"),
				100 * r->findings->results[index].confidence);
		put_template(r, &rule->finding, "", "    ", out);
		put_evidence(r, index, out);
		put_template(r, &rule->next, in_language(r->language, "Next: ", "下一步："), "    ",
			     out);
	}
}

/* Append a rule of the tree: its state, its tests and inputs. */
static void put_rule(const struct pipa_rules_report *r, size_t index, struct pipa_buf *out)
{
	const struct pipa_rule_entry *rule = &r->rules->items[index];
	const struct pipa_rule_result *result = &r->findings->results[index];
	unsigned int indent = 2 * rule->depth;
	size_t i;

	pipa_buf_printf(out, "%*s", (int)indent, "");
	put_label(state_label(result->state, r->language), 13, out);
	put_escaped(words_text(&rule->name, r->language), out);
	if (rule->id) {
		pipa_buf_puts(out, " (");
		put_escaped(rule->id, out);
		pipa_buf_putc(out, ')');
	}
	pipa_buf_putc(out, '\n');
	if (result->fault) {
		pipa_buf_printf(out, "%*s", (int)indent + 13, "");
		put_escaped(rule->file, out);
		pipa_buf_printf(out, ":%zu:%zu: ", result->line, result->column);
		put_message(result->fault, r->language, out);
		pipa_buf_putc(out, '\n');
	}
	for (i = 0; i < result->n_tests; i++) {
		pipa_buf_printf(out, "%*s", (int)indent + 13, "");
		put_label(truth_label(result->tests[i].truth, r->language), 9, out);
		put_escaped(result->tests[i].text, out);
		pipa_buf_putc(out, '\n');
	}
	for (i = 0; i < result->n_inputs; i++) {
		pipa_buf_printf(out, "%*s", (int)indent + 22, "");
		put_variable(r, result->inputs[i].name, out);
		pipa_buf_putc(out, '\n');
	}
}

void pipa_rule_problems_write_text(const struct pipa_rules *rules, enum pipa_language language,
				   struct pipa_buf *out)
{
	size_t i;

	for (i = 0; i < rules->problems.n; i++) {
		const struct pipa_rule_problem *problem = &rules->problems.items[i];

		put_escaped(problem->file, out);
		pipa_buf_printf(out, ":%zu:%zu: ", problem->line, problem->column);
		put_message(problem->what, language, out);
		pipa_buf_putc(out, '\n');
	}
	if (language == PIPA_LANGUAGE_ZH) {
		pipa_buf_printf(out, "%zu 条规则，%zu 个阈值，%zu 个问题\n", rules->n,
				rules->constants.n, rules->n_problems);
		return;
	}
	pipa_buf_printf(out, "%zu rule%s, %zu threshold%s, %zu problem%s\n", rules->n,
			pipa_str_plural(rules->n), rules->constants.n,
			pipa_str_plural(rules->constants.n), rules->n_problems,
			pipa_str_plural(rules->n_problems));
}

void pipa_rules_report_write_text(const struct pipa_rules_report *r, struct pipa_buf *out)
{
	size_t i, n[PIPA_RULE_STATES] = { 0 };

	put_findings(r, out);
	pipa_buf_puts(out, in_language(r->language, "\nRules\n\n", "\n规则\n\n"));
	for (i = 0; i < r->rules->n; i++) {
		put_rule(r, i, out);
		n[r->findings->results[i].state]++;
	}
	pipa_buf_putc(out, '\n');
	for (i = 0; i < PIPA_RULE_STATES; i++)
		pipa_buf_printf(out, "%s%zu %s", i ? in_language(r->language, ", ", "，") : "",
				n[i], state_label(i, r->language));
	pipa_buf_putc(out, '\n');
	if (r->rules->n_problems) {
		pipa_buf_puts(out, in_language(r->language, "\nProblems\n\n", "\n问题\n\n"));
		pipa_rule_problems_write_text(r->rules, r->language, out);
	}
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

void pipa_rule_value_write(struct pipa_doc *doc, const char *key, const struct pipa_value *value)
{
	switch (value->kind) {
	case PIPA_VALUE_ABSENT:
	case PIPA_VALUE_NONE: pipa_doc_str(doc, key, NULL); break;
	case PIPA_VALUE_BOOL: pipa_doc_bool(doc, key, value->number != 0); break;
	case PIPA_VALUE_INTEGER:
	case PIPA_VALUE_NUMBER: pipa_doc_double(doc, key, value->number); break;
	case PIPA_VALUE_TEXT: pipa_doc_str(doc, key, value->text); break;
	}
}

static void doc_variable(struct pipa_doc *doc, const char *name,
			 const struct pipa_variable *variable)
{
	bool has_value = variable && variable->value.kind != PIPA_VALUE_ABSENT;

	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "name", name);
	pipa_doc_bool(doc, "known", variable != NULL);
	pipa_doc_bool(doc, "present", has_value);
	if (has_value)
		pipa_rule_value_write(doc, "value", &variable->value);
	if (variable) {
		pipa_doc_str(doc, "unit", variable->unit);
		pipa_doc_str(doc, "source", variable->source);
		pipa_doc_double(doc, "quality", variable->quality);
		pipa_doc_bool(doc, "threshold", variable->is_constant);
	}
	pipa_doc_end(doc);
}

/* Write texts by language: as they are without a context, else with their placeholders replaced. */
static void doc_words(struct pipa_doc *doc, const char *key, const struct pipa_rule_words *words,
		      const struct pipa_context *context)
{
	enum pipa_language i;

	if (!pipa_rule_words_in(words, PIPA_LANGUAGE_EN))
		return;
	pipa_doc_map(doc, key);
	for (i = 0; i < PIPA_LANGUAGE_NR; i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

		if (!words->in[i].text)
			continue;
		if (context)
			pipa_rule_text_write(words->in[i].text, context, PIPA_MARKUP_TEXT, &text);
		else
			pipa_buf_puts(&text, words->in[i].text);
		pipa_doc_str(doc, pipa_language_code(i), pipa_buf_str(&text));
	}
	pipa_doc_end(doc);
}

static void doc_rule(struct pipa_doc *doc, const struct pipa_rules_report *r, size_t index)
{
	const struct pipa_rule_entry *rule = &r->rules->items[index];
	const struct pipa_rule_result *result = &r->findings->results[index];
	size_t i;

	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "id", rule->id);
	doc_words(doc, "name", &rule->name, NULL);
	pipa_doc_str(doc, "file", rule->file);
	pipa_doc_u64(doc, "line", rule->line);
	pipa_doc_int(doc, "parent", rule->parent);
	pipa_doc_u64(doc, "depth", rule->depth);
	pipa_doc_bool(doc, "audit", rule->is_audit);
	pipa_doc_str(doc, "severity", pipa_severity_text(rule->severity));
	pipa_doc_str(doc, "expression", rule->precondition.text);
	pipa_doc_str(doc, "state", pipa_rule_state_text(result->state));
	pipa_doc_str(doc, "truth", pipa_truth_text(result->truth));
	pipa_doc_double(doc, "confidence", result->confidence);
	if (result->fault) {
		pipa_doc_map(doc, "fault");
		pipa_doc_str(doc, "what", result->fault);
		pipa_doc_u64(doc, "line", result->line);
		pipa_doc_u64(doc, "column", result->column);
		pipa_doc_end(doc);
	}
	pipa_doc_list(doc, "tests");
	for (i = 0; i < result->n_tests; i++) {
		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "expression", result->tests[i].text);
		pipa_doc_str(doc, "truth", pipa_truth_text(result->tests[i].truth));
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
	pipa_doc_list(doc, "inputs");
	for (i = 0; i < result->n_inputs; i++)
		doc_variable(doc, result->inputs[i].name, result->inputs[i].variable);
	pipa_doc_end(doc);
	pipa_doc_end(doc);
}

static void doc_finding(struct pipa_doc *doc, const struct pipa_rules_report *r, size_t index)
{
	const struct pipa_rule_entry *rule = &r->rules->items[index];
	const struct pipa_rule_result *result = &r->findings->results[index];
	size_t n = rule->n_evidence ? rule->n_evidence : result->n_inputs, i;

	pipa_doc_map(doc, NULL);
	pipa_doc_u64(doc, "rule", index);
	pipa_doc_str(doc, "id", rule->id);
	pipa_doc_str(doc, "severity", pipa_severity_text(rule->severity));
	pipa_doc_double(doc, "confidence", result->confidence);
	doc_words(doc, "name", &rule->name, NULL);
	doc_words(doc, "text", &rule->finding, r->context);
	doc_words(doc, "next", &rule->next, r->context);
	pipa_doc_list(doc, "evidence");
	for (i = 0; i < n; i++) {
		const char *name = rule->n_evidence ? rule->evidence[i].text :
						      result->inputs[i].name;

		doc_variable(doc, name, pipa_context_find(r->context, name));
	}
	pipa_doc_end(doc);
	pipa_doc_end(doc);
}

static void doc_problems(struct pipa_doc *doc, const struct pipa_rules *rules)
{
	size_t i;

	pipa_doc_list(doc, "problems");
	for (i = 0; i < rules->problems.n; i++) {
		const struct pipa_rule_problem *problem = &rules->problems.items[i];

		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "file", problem->file);
		pipa_doc_u64(doc, "line", problem->line);
		pipa_doc_u64(doc, "column", problem->column);
		pipa_doc_int(doc, "rule", problem->rule);
		pipa_doc_str(doc, "what", problem->what);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

void pipa_rules_report_write_json(const struct pipa_rules_report *r, struct pipa_buf *out)
{
	struct pipa_doc doc;
	size_t i;

	pipa_doc_begin(&doc, PIPA_DOC_JSON, out);
	pipa_doc_str(&doc, "schema", "pipa-rules/1");
	pipa_doc_str(&doc, "input", r->input);
	pipa_doc_list(&doc, "findings");
	for (i = 0; i < r->findings->n; i++)
		doc_finding(&doc, r, r->findings->order[i]);
	pipa_doc_end(&doc);
	pipa_doc_list(&doc, "rules");
	for (i = 0; i < r->rules->n; i++)
		doc_rule(&doc, r, i);
	pipa_doc_end(&doc);
	pipa_doc_list(&doc, "variables");
	for (i = 0; i < r->context->n; i++)
		doc_variable(&doc, r->context->items[i].name, &r->context->items[i]);
	pipa_doc_end(&doc);
	doc_problems(&doc, r->rules);
	pipa_doc_finish(&doc);
}

void pipa_rule_problems_write_json(const struct pipa_rules *rules, struct pipa_buf *out)
{
	struct pipa_doc doc;

	pipa_doc_begin(&doc, PIPA_DOC_JSON, out);
	pipa_doc_str(&doc, "schema", "pipa-rules/1");
	pipa_doc_u64(&doc, "n_rules", rules->n);
	pipa_doc_u64(&doc, "n_thresholds", rules->constants.n);
	pipa_doc_u64(&doc, "n_problems", rules->n_problems);
	doc_problems(&doc, rules);
	pipa_doc_finish(&doc);
}
