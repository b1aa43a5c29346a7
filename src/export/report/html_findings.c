/*
 * Findings of a page (web/README.md): each with its evidence and the time it refers to, the tree of all
 * rules with the reason of each state, and the variables.
 */
#include <string.h>

#include "analyze/rules/evaluate.h"
#include "analyze/rules/evidence.h"
#include "analyze/rules/rule_text.h"
#include "analyze/series/phases.h"
#include "base/auto.h"
#include "export/report/html_report_own.h"
#include "export/report/report_words.h"
#include "export/table/rules.h"
#include "model/context.h"

void pipa_html_put_words(struct pipa_doc *doc, const char *key,
			 const char *const words[static PIPA_LANGUAGE_NR])
{
	enum pipa_language i;

	pipa_doc_map(doc, key);
	for (i = 0; i < PIPA_LANGUAGE_NR; i++)
		pipa_doc_str(doc, pipa_language_code(i), words[i]);
	pipa_doc_end(doc);
}

/* Write texts of a rule file; a language without a text has that of another. */
static void put_rule_words(struct pipa_doc *doc, const char *key,
			   const struct pipa_rule_words *words)
{
	const char *texts[PIPA_LANGUAGE_NR];
	enum pipa_language i;

	for (i = 0; i < PIPA_LANGUAGE_NR; i++) {
		const struct pipa_rule_scalar *scalar = pipa_rule_words_in(words, i);

		texts[i] = scalar ? scalar->text : "";
	}
	pipa_html_put_words(doc, key, texts);
}

/* Write a template with its placeholders replaced, as runs. */
static void put_runs(struct pipa_doc *doc, const char *key, const struct pipa_rule_words *words,
		     const struct pipa_context *context)
{
	enum pipa_language i;

	pipa_doc_map(doc, key);
	for (i = 0; i < PIPA_LANGUAGE_NR; i++) {
		const struct pipa_rule_scalar *scalar = pipa_rule_words_in(words, i);
		PIPA_AUTO(pipa_buf_done) struct pipa_buf runs = { 0 };

		pipa_rule_text_write(scalar ? scalar->text : "", context, PIPA_MARKUP_RUNS, &runs);
		if (runs.status)
			doc->out->status = runs.status;
		else
			pipa_doc_json(doc, pipa_language_code(i), runs.data, runs.len);
	}
	pipa_doc_end(doc);
}

static void put_variable(struct pipa_doc *doc, const char *key,
			 const struct pipa_variable *variable)
{
	pipa_doc_str(doc, key, variable->name);
	pipa_rule_value_write(doc, "value", &variable->value);
	pipa_doc_str(doc, "unit", variable->unit);
	pipa_doc_str(doc, "source", variable->source);
	pipa_doc_double(doc, "quality", variable->quality);
}

/* ---- evidence ------------------------------------------------------------------------------------ */

/* Return the name of variable `index` of a finding's evidence, NULL if there are no more. */
static const char *evidence_name(const struct pipa_html_report *page, size_t rule, size_t index)
{
	const struct pipa_rule_entry *entry = &page->rules->items[rule];
	const struct pipa_rule_result *result = &page->findings->results[rule];

	if (entry->n_evidence)
		return index < entry->n_evidence ? entry->evidence[index].text : NULL;
	return index < result->n_inputs ? result->inputs[index].name : NULL;
}

/* Find the series of variable `name`. */
static bool find_series(const struct pipa_html_report *page, const char *name,
			struct pipa_evidence *ret)
{
	return page->series && pipa_evidence_find(name, page->context, page->series, ret);
}

void pipa_html_keep_evidence(struct pipa_html_writer *w)
{
	const struct pipa_html_report *page = w->page;
	struct pipa_evidence evidence;
	size_t i, k, r;

	for (i = 0; page->findings && i < page->findings->n; i++) {
		const char *name;

		for (k = 0; (name = evidence_name(page, page->findings->order[i], k)); k++)
			if (find_series(page, name, &evidence))
				for (r = 0; r < evidence.n_rows * evidence.n_columns; r++)
					pipa_html_series_keep(w, evidence.refs[r]);
	}
}

static void put_evidence(const struct pipa_html_writer *w, size_t rule, struct pipa_doc *doc)
{
	const struct pipa_html_report *page = w->page;
	struct pipa_evidence evidence;
	const char *name;
	size_t k, r, c, at[3];

	pipa_doc_list(doc, "evidence");
	for (k = 0; (name = evidence_name(page, rule, k)); k++) {
		const struct pipa_variable *variable = pipa_context_find(page->context, name);

		if (!variable || variable->value.kind == PIPA_VALUE_ABSENT)
			continue; /* the tree has the reason */
		pipa_doc_map(doc, NULL);
		put_variable(doc, "variable", variable);
		pipa_doc_list(doc, "series");
		if (!variable->is_constant && find_series(page, name, &evidence)) {
			for (r = 0; r < evidence.n_rows * evidence.n_columns; r++) {
				if (!pipa_html_series_find(w, evidence.refs[r], at))
					continue;
				pipa_doc_list(doc, NULL);
				for (c = 0; c < 3; c++)
					pipa_doc_u64(doc, NULL, at[c]);
				pipa_doc_end(doc);
			}
		}
		pipa_doc_end(doc);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

/* Write the time a finding refers to: beyond its threshold, else the steady phase. */
static void put_range(struct pipa_html_writer *w, size_t rule, struct pipa_doc *doc)
{
	const struct pipa_html_report *page = w->page;
	struct pipa_time_window window = { 0 }, range;
	int rc = 0;

	if (page->phases)
		window = page->phases->steady;
	range = window;
	if (page->series)
		rc = pipa_evidence_range(&page->findings->results[rule], page->context,
					 page->series, &window, &range);
	if (rc < 0)
		w->pieces.status = rc;
	if (page->phases && !range.until_ns) {
		range.from_ns = page->phases->begin_ns;
		range.until_ns = page->phases->end_ns;
	}
	if (!range.until_ns)
		return;
	pipa_doc_list(doc, "range_ms");
	pipa_doc_u64(doc, NULL, pipa_html_ms(range.from_ns));
	pipa_doc_u64(doc, NULL, pipa_html_ms(range.until_ns));
	pipa_doc_end(doc);
}

static void put_finding(struct pipa_html_writer *w, size_t rule, struct pipa_doc *doc)
{
	const struct pipa_html_report *page = w->page;
	const struct pipa_rule_entry *entry = &page->rules->items[rule];

	pipa_doc_map(doc, NULL);
	pipa_doc_u64(doc, "rule", rule);
	pipa_doc_str(doc, "severity", pipa_severity_text(entry->severity));
	pipa_doc_double(doc, "confidence", page->findings->results[rule].confidence);
	put_rule_words(doc, "name", &entry->name);
	put_runs(doc, "text", &entry->finding, page->context);
	put_runs(doc, "next", &entry->next, page->context);
	pipa_doc_bool(doc, "audit", entry->is_audit);
	put_evidence(w, rule, doc);
	put_range(w, rule, doc);
	pipa_doc_end(doc);
}

/* ---- rules --------------------------------------------------------------------------------------- */

static const char *state_key(enum pipa_rule_state state)
{
	switch (state) {
	case PIPA_RULE_FIRED: return "fired";
	case PIPA_RULE_NOT_FIRED: return "not_fired";
	case PIPA_RULE_UNKNOWN: return "unknown";
	case PIPA_RULE_INVALID: return "invalid";
	case PIPA_RULE_NOT_REACHED:
	case PIPA_RULE_STATES: break;
	}
	return "not_reached";
}

static void put_rule(const struct pipa_html_report *page, size_t index, struct pipa_doc *doc)
{
	const struct pipa_rule_entry *entry = &page->rules->items[index];
	const struct pipa_rule_result *result = &page->findings->results[index];
	size_t i;

	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "id", entry->id);
	put_rule_words(doc, "name", &entry->name);
	pipa_doc_int(doc, "parent", entry->parent);
	pipa_doc_u64(doc, "depth", entry->depth);
	pipa_doc_str(doc, "state", state_key(result->state));
	pipa_doc_str(doc, "expression", entry->precondition.text ? entry->precondition.text : "");
	pipa_doc_list(doc, "tests");
	for (i = 0; i < result->n_tests; i++) {
		pipa_doc_list(doc, NULL);
		pipa_doc_str(doc, NULL, result->tests[i].text);
		pipa_doc_str(doc, NULL, pipa_truth_text(result->tests[i].truth));
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
	pipa_doc_list(doc, "inputs");
	for (i = 0; i < result->n_inputs; i++)
		pipa_doc_str(doc, NULL, result->inputs[i].name);
	pipa_doc_end(doc);
	pipa_report_put_message(doc, "fault", result->fault);
	pipa_doc_str(doc, "file", entry->file);
	pipa_doc_u64(doc, "line", result->fault ? result->line : entry->line);
	pipa_doc_str(doc, "severity", pipa_severity_text(entry->severity));
	pipa_doc_bool(doc, "audit", entry->is_audit);
	pipa_doc_end(doc);
}

/* Write the reason of a threshold, or the one for which a value is absent. */
static void put_reason(const struct pipa_html_report *page, const struct pipa_variable *variable,
		       struct pipa_doc *doc)
{
	static const struct pipa_rule_words none;
	const struct pipa_rule_words *words = &none;
	size_t i;

	for (i = 0; variable->is_constant && i < page->rules->constants.n; i++)
		if (strcmp(page->rules->constants.items[i].name, variable->name) == 0)
			words = &page->rules->constants.items[i].reason;
	put_rule_words(doc, "reason", words);
}

void pipa_html_put_findings(struct pipa_html_writer *w, struct pipa_doc *doc)
{
	const struct pipa_html_report *page = w->page;
	size_t i;

	if (!page->findings)
		return;
	pipa_html_put_verdict(page, doc);
	pipa_doc_list(doc, "findings");
	for (i = 0; i < page->findings->n; i++)
		put_finding(w, page->findings->order[i], doc);
	pipa_doc_end(doc);
	pipa_doc_list(doc, "tree");
	for (i = 0; i < page->rules->n; i++)
		put_rule(page, i, doc);
	pipa_doc_end(doc);
	pipa_doc_list(doc, "variables");
	for (i = 0; i < page->context->n; i++) {
		pipa_doc_map(doc, NULL);
		put_variable(doc, "name", &page->context->items[i]);
		pipa_doc_bool(doc, "constant", page->context->items[i].is_constant);
		put_reason(page, &page->context->items[i], doc);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
	pipa_doc_list(doc, "problems");
	for (i = 0; i < page->rules->problems.n; i++) {
		const struct pipa_rule_problem *problem = &page->rules->problems.items[i];

		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "file", problem->file);
		pipa_doc_u64(doc, "line", problem->line);
		pipa_doc_u64(doc, "column", problem->column);
		pipa_doc_int(doc, "rule", problem->rule);
		pipa_report_put_message(doc, "text", problem->what);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}
