#include "export/report/report_compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/rules/rule_text.h"
#include "analyze/series/align.h"
#include "base/auto.h"
#include "base/buf.h"
#include "export/table/diff.h"
#include "model/rules.h"

static const char *const side_names[PIPA_SIDES] = { "a", "b" };

/* Series of both sides on one axis: time since the start of each side's steady phase. */
struct overlay {
	int64_t from_ns; /* of the first interval, relative; not positive */
	uint64_t step_ns;
	size_t n;
};

static void put_words(struct pipa_doc *doc, const char *key, const struct pipa_rule_words *words)
{
	int language;

	pipa_doc_map(doc, key);
	for (language = 0; language < PIPA_LANGUAGE_NR; language++) {
		const struct pipa_rule_scalar *text = pipa_rule_words_in(words, language);

		pipa_doc_str(doc, pipa_language_code(language), text ? text->text : "");
	}
	pipa_doc_end(doc);
}

/* Return the start of the steady phase. */
static uint64_t steady_start(const struct pipa_phases *phases)
{
	return phases->steady.from_ns ? phases->steady.from_ns : phases->begin_ns;
}

static uint64_t steady_end(const struct pipa_phases *phases)
{
	return phases->steady.until_ns ? phases->steady.until_ns : phases->end_ns;
}

static void put_side(struct pipa_doc *doc, const struct pipa_report_compare *c, int side)
{
	const struct pipa_phases *phases = c->sides[side].phases;
	size_t i;

	pipa_doc_map(doc, side_names[side]);
	pipa_doc_str(doc, "title", c->titles[side]);
	pipa_doc_list(doc, "inputs");
	for (i = 0; i < c->n_inputs[side]; i++)
		pipa_doc_str(doc, NULL, c->inputs[side][i]);
	pipa_doc_end(doc);
	pipa_doc_double(doc, "begin_ms", (double)phases->begin_ns / 1e6);
	pipa_doc_double(doc, "end_ms", (double)phases->end_ns / 1e6);
	pipa_doc_double(doc, "steady_from_ms", (double)steady_start(phases) / 1e6);
	pipa_doc_double(doc, "steady_until_ms", (double)steady_end(phases) / 1e6);
	pipa_doc_double(doc, "steady_s", c->comparison->steady_s[side]);
	pipa_doc_double(doc, "interval_s", c->comparison->interval_s[side]);
	pipa_doc_u64(doc, "only_series", c->comparison->only[side]);
	pipa_doc_end(doc);
}

static void put_warnings(struct pipa_doc *doc, const struct pipa_comparison *c)
{
	int i, language;

	pipa_doc_list(doc, "warnings");
	for (i = 0; i < PIPA_WARNINGS; i++) {
		if (!c->warnings[i])
			continue;
		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "id", pipa_compare_warning_name(i));
		pipa_doc_map(doc, "text");
		for (language = 0; language < PIPA_LANGUAGE_NR; language++)
			pipa_doc_str(doc, pipa_language_code(language),
				     pipa_compare_warning_text(i, language));
		pipa_doc_end(doc);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static void put_facts(struct pipa_doc *doc, const struct pipa_comparison *c)
{
	size_t i;

	pipa_doc_list(doc, "facts");
	for (i = 0; i < c->facts.n; i++) {
		const struct pipa_compare_fact *fact = &c->facts.items[i];

		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "section", fact->section);
		pipa_doc_str(doc, "key", fact->key);
		pipa_doc_str(doc, "a", fact->sides[PIPA_SIDE_A]);
		pipa_doc_str(doc, "b", fact->sides[PIPA_SIDE_B]);
		pipa_doc_bool(doc, "machine", fact->is_machine);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

/* Write the text of a finding with the values of a side. */
static void put_finding_text(struct pipa_doc *doc, const char *key,
			     const struct pipa_rule_entry *rule, const struct pipa_context *context)
{
	int language;

	pipa_doc_map(doc, key);
	for (language = 0; language < PIPA_LANGUAGE_NR; language++) {
		const struct pipa_rule_scalar *words = pipa_rule_words_in(&rule->finding, language);
		PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 64 << 10 };

		if (words && words->text)
			pipa_rule_text_write(words->text, context, PIPA_MARKUP_TEXT, &text);
		pipa_doc_str(doc, pipa_language_code(language), pipa_buf_str(&text));
	}
	pipa_doc_end(doc);
}

static void put_findings(struct pipa_doc *doc, const struct pipa_report_compare *c)
{
	static const char *const changes[] = { [PIPA_FINDING_APPEARED] = "appeared",
					       [PIPA_FINDING_VANISHED] = "vanished",
					       [PIPA_FINDING_STAYED] = "stayed" };
	size_t i;
	int side;

	pipa_doc_list(doc, "findings");
	for (i = 0; i < c->comparison->findings.n; i++) {
		const struct pipa_compare_finding *finding = &c->comparison->findings.items[i];
		const struct pipa_rule_entry *rule =
			&c->sides[PIPA_SIDE_A].rules->items[finding->rule];

		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "id", rule->id);
		put_words(doc, "name", &rule->name);
		pipa_doc_str(doc, "severity", pipa_severity_text(rule->severity));
		pipa_doc_str(doc, "change", changes[finding->change]);
		for (side = 0; side < PIPA_SIDES; side++) {
			pipa_doc_map(doc, side_names[side]);
			pipa_doc_str(doc, "state", pipa_rule_state_text(finding->states[side]));
			if (finding->states[side] == PIPA_RULE_FIRED)
				put_finding_text(doc, "text", rule, c->sides[side].context);
			pipa_doc_end(doc);
		}
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static void put_value(struct pipa_doc *doc, const char *key, const struct pipa_compare_value *value)
{
	pipa_doc_map(doc, key);
	if (value->text)
		pipa_doc_str(doc, "value", value->text);
	else
		pipa_doc_double(doc, "value", value->value);
	if (value->n) {
		pipa_doc_double(doc, "sd", value->sd);
		pipa_doc_u64(doc, "n", value->n);
		pipa_doc_u64(doc, "effective", value->effective);
	}
	pipa_doc_end(doc);
}

static void put_row(struct pipa_doc *doc, const struct pipa_compare_row *row, ptrdiff_t chart)
{
	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "key", row->key);
	pipa_doc_str(doc, "title", row->title);
	if (row->section[0]) {
		pipa_doc_str(doc, "section", row->section);
		pipa_doc_str(doc, "instance", row->instance);
	}
	pipa_doc_str(doc, "unit", row->unit);
	pipa_doc_int(doc, "digits", row->digits);
	pipa_doc_int(doc, "better", row->better);
	put_value(doc, "a", &row->sides[PIPA_SIDE_A]);
	put_value(doc, "b", &row->sides[PIPA_SIDE_B]);
	pipa_doc_double(doc, "difference", row->difference);
	pipa_doc_double(doc, "percent", row->percent);
	pipa_doc_double(doc, "p", row->p);
	pipa_doc_str(doc, "verdict", pipa_compare_verdict_name(row->verdict));
	if (chart >= 0)
		pipa_doc_int(doc, "chart", chart);
	pipa_doc_end(doc);
}

/* Return the index of the series among those with values, -1 if it has none. */
static ptrdiff_t chart_of(const struct pipa_comparison *c, const struct pipa_compare_row *row,
			  size_t n_charts)
{
	const struct pipa_compare_table *series = &c->tables[PIPA_COMPARE_SERIES];
	size_t i;

	for (i = 0; row->has_series && i < n_charts; i++) {
		const struct pipa_series_ref *a = &series->items[i].series[PIPA_SIDE_A];
		const struct pipa_series_ref *b = &row->series[PIPA_SIDE_A];

		if (a->group == b->group && a->row == b->row && a->column == b->column)
			return (ptrdiff_t)i;
	}
	return -1;
}

static void put_tables(struct pipa_doc *doc, const struct pipa_comparison *c, size_t max_rows,
		       size_t n_charts)
{
	size_t i, k;

	pipa_doc_map(doc, "tables");
	for (i = 0; i < PIPA_COMPARE_TABLES; i++) {
		const struct pipa_compare_table *table = &c->tables[i];

		pipa_doc_map(doc, pipa_compare_table_name(i));
		pipa_doc_u64(doc, "tested", table->tested);
		pipa_doc_u64(doc, "significant", table->significant);
		if (table->n > max_rows)
			pipa_doc_u64(doc, "left_out", table->n - max_rows);
		pipa_doc_list(doc, "rows");
		for (k = 0; k < table->n && k < max_rows; k++)
			put_row(doc, &table->items[k], chart_of(c, &table->items[k], n_charts));
		pipa_doc_end(doc);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static void put_hot(struct pipa_doc *doc, const struct pipa_diff_report *hot)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf rows = { .max = 64 << 20 };

	if (!hot)
		return;
	pipa_diff_write_rows(hot, &rows);
	pipa_doc_map(doc, "hot");
	pipa_doc_str(doc, "event", hot->event);
	pipa_doc_str(doc, "unit", hot->unit);
	pipa_doc_str(doc, "basis", hot->basis);
	pipa_doc_json(doc, "rows", pipa_buf_str(&rows), rows.len);
	if (rows.status && !doc->out->status)
		doc->out->status = rows.status;
	pipa_doc_end(doc);
}

static void put_contents(struct pipa_doc *doc, const struct pipa_report_compare *c, size_t max_rows,
			 size_t n_charts)
{
	put_side(doc, c, PIPA_SIDE_A);
	put_side(doc, c, PIPA_SIDE_B);
	put_warnings(doc, c->comparison);
	put_facts(doc, c->comparison);
	put_findings(doc, c);
	put_tables(doc, c->comparison, max_rows, n_charts);
	put_hot(doc, c->hot);
}

void pipa_report_compare_write(const struct pipa_report_compare *c, enum pipa_doc_format format,
			       struct pipa_buf *out)
{
	struct pipa_doc doc;

	pipa_doc_begin(&doc, format, out);
	pipa_doc_str(&doc, "schema", "pipa.compare/1");
	pipa_doc_str(&doc, "pipa", c->version);
	put_contents(&doc, c, SIZE_MAX, 0);
	pipa_doc_finish(&doc);
}

/* ---- series on one axis -------------------------------------------------------------------------- */

/* Choose the axis: all of both sides, in intervals of the longer interval, at most PIPA_COMPARE_POINTS. */
static struct overlay make_overlay(const struct pipa_report_compare *c)
{
	double interval_s = fmax(c->comparison->interval_s[0], c->comparison->interval_s[1]);
	uint64_t before = 0, after = 0;
	struct pipa_time_grid grid;
	int side;

	for (side = 0; side < PIPA_SIDES; side++) {
		const struct pipa_phases *phases = c->sides[side].phases;
		uint64_t start = steady_start(phases);

		if (start > phases->begin_ns && start - phases->begin_ns > before)
			before = start - phases->begin_ns;
		if (phases->end_ns > start && phases->end_ns - start > after)
			after = phases->end_ns - start;
	}
	grid = pipa_time_grid_make(0, before + after,
				   interval_s > 0 ? (uint64_t)(interval_s * 1e9) : 1000000000,
				   PIPA_COMPARE_POINTS);
	return (struct overlay){ -(int64_t)before, grid.interval_ns, grid.n };
}

/* Write a series on the axis: a list of numbers, null where it has none. */
static int put_overlaid(const struct pipa_report_compare *c, const struct overlay *overlay,
			const struct pipa_compare_row *row, int side, struct pipa_buf *out)
{
	PIPA_AUTO(free) double *values = malloc((overlay->n + 1) * sizeof(*values));
	int64_t from = (int64_t)steady_start(c->sides[side].phases) + overlay->from_ns;
	size_t skipped = 0, i;
	struct pipa_time_grid grid;
	int rc;

	if (!values)
		return -ENOMEM;
	if (from < 0) /* a clock that starts at zero has no time before it */
		skipped = (size_t)(-from / (int64_t)overlay->step_ns) + 1;
	if (skipped > overlay->n)
		skipped = overlay->n;
	grid = (struct pipa_time_grid){ (uint64_t)(from + (int64_t)(skipped * overlay->step_ns)),
					overlay->step_ns, overlay->n - skipped };
	rc = pipa_series_align(c->sides[side].series, row->series[side], &grid, values + skipped);
	if (rc < 0)
		return rc;
	pipa_buf_putc(out, '[');
	for (i = 0; i < overlay->n; i++) {
		pipa_buf_puts(out, i ? "," : "");
		if (i < skipped || !isfinite(values[i]))
			pipa_buf_puts(out, "null");
		else
			pipa_buf_printf(out, "%.6g", values[i]);
	}
	pipa_buf_putc(out, ']');
	return 0;
}

static int put_charts(struct pipa_doc *doc, const struct pipa_report_compare *c, size_t n)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf json = { .max = 64 << 20 };
	const struct pipa_compare_table *series = &c->comparison->tables[PIPA_COMPARE_SERIES];
	const struct overlay overlay = make_overlay(c);
	size_t i;
	int rc = 0;

	pipa_doc_map(doc, "overlay");
	pipa_doc_double(doc, "from_ms", (double)overlay.from_ns / 1e6);
	pipa_doc_double(doc, "step_ms", (double)overlay.step_ns / 1e6);
	pipa_doc_u64(doc, "n", overlay.n);
	pipa_doc_end(doc);
	pipa_buf_putc(&json, '[');
	for (i = 0; !rc && i < n; i++) {
		pipa_buf_puts(&json, i ? ",[" : "[");
		rc = put_overlaid(c, &overlay, &series->items[i], PIPA_SIDE_A, &json);
		pipa_buf_putc(&json, ',');
		if (!rc)
			rc = put_overlaid(c, &overlay, &series->items[i], PIPA_SIDE_B, &json);
		pipa_buf_putc(&json, ']');
	}
	pipa_buf_putc(&json, ']');
	if (!rc)
		rc = json.status;
	pipa_doc_json(doc, "charts", pipa_buf_str(&json), json.len);
	return rc;
}

int pipa_report_put_compare(const struct pipa_report_compare *c, struct pipa_buf *out)
{
	size_t n = c->comparison->tables[PIPA_COMPARE_SERIES].n;
	struct pipa_doc doc;
	int rc;

	if (n > PIPA_COMPARE_CHARTS)
		n = PIPA_COMPARE_CHARTS;
	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, out);
	put_contents(&doc, c, PIPA_COMPARE_PAGE_ROWS, n);
	rc = put_charts(&doc, c, n);
	pipa_doc_finish(&doc);
	return rc;
}

void pipa_report_put_compare_time(const struct pipa_report_compare *c, struct pipa_buf *out)
{
	const struct overlay overlay = make_overlay(c);
	struct pipa_doc doc;

	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, out);
	pipa_doc_double(&doc, "begin_ms", 0);
	pipa_doc_double(&doc, "end_ms",
			(double)overlay.from_ns / 1e6 +
				(double)overlay.step_ns * (double)overlay.n / 1e6);
	pipa_doc_str(&doc, "clock", "elapsed");
	pipa_doc_finish(&doc);
}
