#include "export/table/diff.h"

#include <math.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "export/table/diff_own.h"
#include "export/text/plain.h"

static bool reaches(const struct pipa_diff_report *r, uint32_t row)
{
	double most = r->diff->base[row].percent;
	size_t c;

	for (c = 0; c < r->diff->n_columns; c++)
		if (pipa_diff_change_at(r->diff, row, c)->now.percent > most)
			most = pipa_diff_change_at(r->diff, row, c)->now.percent;
	return most >= r->percent_limit;
}

uint32_t pipa_diff_next_row(const struct pipa_diff_report *r, size_t *at)
{
	while (*at < r->diff->rows.n) {
		uint32_t row = r->diff->sorted[(*at)++];

		if (reaches(r, row))
			return row;
	}
	return PIPA_NONE;
}

void pipa_diff_put_name(const struct pipa_diff *d, uint32_t row, struct pipa_buf *out)
{
	const struct pipa_diff_frame *frame = pipa_diff_frame_of(d, row);
	uint32_t own = d->o.by == PIPA_DIFF_BY_LINE ? frame->place : frame->symbol;

	if (d->o.by == PIPA_DIFF_BY_LIBRARY)
		pipa_buf_puts(out, pipa_diff_text(d, frame->object));
	else
		pipa_buf_printf(out, "%s (%s)", pipa_diff_text(d, own),
				pipa_diff_text(d, frame->object));
}

/* ---- CSV --------------------------------------------------------------------------------------------- */

static void put_path(const struct pipa_diff *d, uint32_t row, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = out->max };
	PIPA_AUTO(free) uint32_t *frames = NULL;
	size_t n, i;

	if (pipa_diff_path(d, row, &frames, &n) < 0) {
		out->status = -ENOMEM;
		return;
	}
	for (i = 0; i < n; i++) {
		if (i)
			pipa_buf_putc(&text, ';');
		pipa_buf_puts(&text, pipa_diff_text(d, d->frames.items[frames[i]].symbol));
	}
	if (text.status)
		out->status = text.status;
	pipa_plain_put_csv(out, pipa_buf_str(&text), "");
}

static void put_csv_keys(const struct pipa_diff *d, uint32_t row, struct pipa_buf *out)
{
	const struct pipa_diff_frame *frame = pipa_diff_frame_of(d, row);

	pipa_plain_put_csv(out, pipa_diff_text(d, frame->object), "");
	if (d->o.by == PIPA_DIFF_BY_LIBRARY)
		return;
	pipa_buf_putc(out, ',');
	pipa_plain_put_csv(
		out, pipa_diff_text(d, d->o.by == PIPA_DIFF_BY_LINE ? frame->place : frame->symbol),
		"");
	if (d->o.by == PIPA_DIFF_BY_PATH) {
		pipa_buf_putc(out, ',');
		put_path(d, row, out);
	}
}

/* Write a number of samples, or "unknown" if the source has only weights. */
static void put_csv_count(double count, struct pipa_buf *out)
{
	if (isnan(count))
		pipa_buf_puts(out, "unknown,");
	else
		pipa_buf_printf(out, "%.0f,", count);
}

static void put_csv_row(const struct pipa_diff_report *r, uint32_t row, size_t column, bool event,
			struct pipa_buf *out)
{
	const struct pipa_diff *d = r->diff;
	const struct pipa_diff_change *c = pipa_diff_change_at(d, row, column);
	const struct pipa_diff_value *base = &d->base[row];
	size_t n;

	pipa_plain_put_csv(out, r->files[pipa_diff_column_runs(d, column, &n)].path, "");
	pipa_buf_printf(out, ",%.4f,%.4f,%+.4f,%.0f,%.0f,%+.0f,", base->percent, c->now.percent,
			c->points, base->weight, c->now.weight, c->weight);
	put_csv_count(base->count, out);
	put_csv_count(c->now.count, out);
	pipa_buf_printf(out, "%s,", pipa_diff_verdict_name(c->verdict));
	put_csv_keys(d, row, out);
	if (event) {
		pipa_buf_putc(out, ',');
		pipa_plain_put_csv(out, r->event, "");
	}
	pipa_buf_putc(out, '\n');
}

static void put_csv_rows(const struct pipa_diff_report *r, bool event, struct pipa_buf *out)
{
	size_t at = 0, n = 0, c;
	uint32_t row;

	while ((!r->limit || n++ < r->limit) && (row = pipa_diff_next_row(r, &at)) != PIPA_NONE)
		for (c = 0; c < r->diff->n_columns; c++)
			put_csv_row(r, row, c, event, out);
}

/* Write all reports as one table; with several events there is a column "event". */
static void write_csv(const struct pipa_diff_report *reports, size_t n, struct pipa_buf *out)
{
	static const char *const keys[PIPA_DIFF_BY_NR] = {
		[PIPA_DIFF_BY_SYMBOL] = "dso,symbol",
		[PIPA_DIFF_BY_LIBRARY] = "dso",
		[PIPA_DIFF_BY_LINE] = "dso,srcline",
		[PIPA_DIFF_BY_PATH] = "dso,symbol,path",
	};
	size_t i;

	pipa_buf_printf(out,
			"file,base_percent,percent,points,base,weight,weight_change,base_samples,"
			"samples,verdict,%s%s\n",
			keys[reports->diff->o.by], n > 1 ? ",event" : "");
	for (i = 0; i < n; i++)
		put_csv_rows(&reports[i], n > 1, out);
}

static void write_texts(const struct pipa_diff_report *reports, size_t n, struct pipa_buf *out)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (i)
			pipa_buf_putc(out, '\n');
		pipa_diff_write_text(&reports[i], out);
	}
}

void pipa_diff_write(const struct pipa_diff_report *reports, size_t n, enum pipa_diff_form form,
		     struct pipa_buf *out)
{
	switch (form) {
	case PIPA_DIFF_TEXT: write_texts(reports, n, out); break;
	case PIPA_DIFF_CSV: write_csv(reports, n, out); break;
	case PIPA_DIFF_JSON: pipa_diff_write_json(reports, n, out); break;
	}
}
