/* Write a comparison as JSON: docs/format/diff.schema.json. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include <math.h>

#include "codec/doc.h"
#include "export/table/diff_own.h"

static void doc_value(struct pipa_doc *doc, const struct pipa_diff_value *value)
{
	pipa_doc_double(doc, "percent", value->percent);
	pipa_doc_double(doc, "weight", value->weight);
	pipa_doc_double(doc, "samples", value->count);
}

static void doc_change(struct pipa_doc *doc, const struct pipa_diff_change *change)
{
	pipa_doc_map(doc, NULL);
	doc_value(doc, &change->now);
	pipa_doc_double(doc, "points", change->points);
	pipa_doc_double(doc, "weight_change", change->weight);
	pipa_doc_str(doc, "verdict", pipa_diff_verdict_name(change->verdict));
	pipa_doc_end(doc);
}

static void doc_path(struct pipa_doc *doc, const struct pipa_diff *d, uint32_t row)
{
	PIPA_AUTO(free) uint32_t *frames = NULL;
	size_t n, i;

	if (pipa_diff_path(d, row, &frames, &n) < 0) {
		doc->out->status = -ENOMEM;
		return;
	}
	pipa_doc_list(doc, "stack");
	for (i = 0; i < n; i++)
		pipa_doc_str(doc, NULL, pipa_diff_text(d, d->frames.items[frames[i]].symbol));
	pipa_doc_end(doc);
}

static void doc_row(struct pipa_doc *doc, const struct pipa_diff *d, uint32_t row)
{
	const struct pipa_diff_frame *frame = pipa_diff_frame_of(d, row);
	size_t c;

	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "dso", pipa_diff_text(d, frame->object));
	if (d->o.by == PIPA_DIFF_BY_SYMBOL || d->o.by == PIPA_DIFF_BY_PATH)
		pipa_doc_str(doc, "symbol", pipa_diff_text(d, frame->symbol));
	if (frame->inlined)
		pipa_doc_bool(doc, "inlined", true);
	if (d->o.by == PIPA_DIFF_BY_LINE)
		pipa_doc_str(doc, "srcline", pipa_diff_text(d, frame->place));
	if (d->o.by == PIPA_DIFF_BY_PATH)
		doc_path(doc, d, row);
	pipa_doc_map(doc, "base");
	doc_value(doc, &d->base[row]);
	pipa_doc_end(doc);
	pipa_doc_list(doc, "now");
	for (c = 0; c < d->n_columns; c++)
		doc_change(doc, pipa_diff_change_at(d, row, c));
	pipa_doc_end(doc);
	pipa_doc_end(doc);
}

static void doc_rows(struct pipa_doc *doc, const struct pipa_diff_report *r)
{
	size_t at = 0, n = 0;
	uint32_t row;

	pipa_doc_list(doc, "rows");
	while ((!r->limit || n++ < r->limit) && (row = pipa_diff_next_row(r, &at)) != PIPA_NONE)
		doc_row(doc, r->diff, row);
	pipa_doc_end(doc);
}

static void doc_files(struct pipa_doc *doc, const struct pipa_diff_report *r, size_t from, size_t n)
{
	size_t i;

	pipa_doc_list(doc, "files");
	for (i = from; i < from + n; i++) {
		const struct pipa_diff_run *run = &r->diff->runs[i];

		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "path", r->files[i].path);
		pipa_doc_u64(doc, "weight", run->weight);
		if (run->counted)
			pipa_doc_u64(doc, "samples", run->count);
		else
			pipa_doc_double(doc, "samples", NAN);
		pipa_doc_double(doc, "effective_samples", run->effective);
		pipa_doc_u64(doc, "lost", r->files[i].lost);
		pipa_doc_bool(doc, "complete", r->files[i].complete);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static void doc_sides(struct pipa_doc *doc, const struct pipa_diff_report *r)
{
	const struct pipa_diff *d = r->diff;
	size_t c, n, from;

	pipa_doc_map(doc, "base");
	doc_files(doc, r, 0, d->o.n_base);
	pipa_doc_double(doc, "weight", d->base_all.weight);
	pipa_doc_double(doc, "samples", d->base_all.count);
	pipa_doc_end(doc);
	pipa_doc_list(doc, "now");
	for (c = 0; c < d->n_columns; c++) {
		const struct pipa_diff_change *all = &d->all[c];

		pipa_doc_map(doc, NULL);
		from = pipa_diff_column_runs(d, c, &n);
		doc_files(doc, r, from, n);
		pipa_doc_double(doc, "weight", all->now.weight);
		pipa_doc_double(doc, "samples", all->now.count);
		pipa_doc_double(doc, "weight_change", all->weight);
		pipa_doc_double(doc, "weight_change_percent",
				100 * all->weight / d->base_all.weight);
		pipa_doc_str(doc, "verdict", pipa_diff_verdict_name(all->verdict));
		pipa_doc_u64(doc, "changed", d->moved[c]);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static void doc_event(struct pipa_doc *doc, const struct pipa_diff_report *r)
{
	pipa_doc_str(doc, "event", r->event);
	pipa_doc_str(doc, "unit", r->unit);
}

/* Write what verdicts are on, and objects whose file name changed. */
static void doc_basis(struct pipa_doc *doc, const struct pipa_diff_report *r)
{
	const struct pipa_diff *d = r->diff;
	size_t i;

	pipa_doc_bool(doc, "absolute", d->o.absolute);
	pipa_doc_str(doc, "basis", r->basis);
	if (!d->renames.n)
		return;
	pipa_doc_list(doc, "renamed");
	for (i = 0; i < d->renames.n; i++) {
		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "path", r->files[d->renames.items[i].run].path);
		pipa_doc_str(doc, "base", pipa_diff_text(d, d->renames.items[i].base));
		pipa_doc_str(doc, "now", pipa_diff_text(d, d->renames.items[i].now));
		pipa_doc_u64(doc, "common_functions", d->renames.items[i].common);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

/* Write the events after the first, which is at the top level of the document. */
static void doc_others(struct pipa_doc *doc, const struct pipa_diff_report *reports, size_t n)
{
	size_t i;

	pipa_doc_list(doc, "others");
	for (i = 1; i < n; i++) {
		pipa_doc_map(doc, NULL);
		doc_event(doc, &reports[i]);
		doc_basis(doc, &reports[i]);
		doc_sides(doc, &reports[i]);
		doc_rows(doc, &reports[i]);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

void pipa_diff_write_json(const struct pipa_diff_report *r, size_t n, struct pipa_buf *out)
{
	const struct pipa_diff *d = r->diff;
	struct pipa_doc doc;
	bool complete = true;
	size_t i;

	for (i = 0; i < d->n_runs; i++)
		complete &= r->files[i].complete;
	pipa_doc_begin(&doc, PIPA_DOC_JSON, out);
	pipa_doc_str(&doc, "schema", "pipa-diff/1");
	doc_event(&doc, r);
	pipa_doc_str(&doc, "by", pipa_diff_by_name(d->o.by));
	pipa_doc_bool(&doc, "self", !d->o.children);
	doc_basis(&doc, r);
	pipa_doc_bool(&doc, "complete", complete);
	doc_sides(&doc, r);
	doc_rows(&doc, r);
	if (n > 1)
		doc_others(&doc, r, n);
	pipa_doc_finish(&doc);
}

/* Write the rows as a document, then strip the enclosing map. */
void pipa_diff_write_rows(const struct pipa_diff_report *r, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = out->max };
	const char *from, *to;
	struct pipa_doc doc;

	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, &text);
	doc_rows(&doc, r);
	pipa_doc_finish(&doc);
	from = strchr(pipa_buf_str(&text), '[');
	to = strrchr(pipa_buf_str(&text), ']');
	if (text.status)
		out->status = text.status;
	else if (from && to)
		pipa_buf_add(out, from, (size_t)(to - from) + 1);
}
