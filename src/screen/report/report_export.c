/* Write the shown lines of a report as text or CSV. */
#include <string.h>

#include "screen/cells/glyph.h"
#include "screen/report/report_parts.h"

void pipa_report_field(const char *text, bool csv, struct pipa_buf *out)
{
	struct pipa_glyphs glyphs = { .text = text };
	bool quoted = csv && strpbrk(text, ",\"");
	char bytes[4];
	uint32_t ch;

	if (quoted)
		pipa_buf_putc(out, '"');
	while ((ch = pipa_glyph_next(&glyphs))) {
		if (quoted && ch == '"')
			pipa_buf_putc(out, '"');
		pipa_buf_add(out, bytes, (size_t)pipa_glyph_encode(ch, bytes));
	}
	if (quoted)
		pipa_buf_putc(out, '"');
}

static void put_head(const struct pipa_report_view *view, struct pipa_buf *out)
{
	const struct pipa_report_model *m = view->model;
	char text[200];
	size_t i;

	pipa_buf_puts(out, "# event: ");
	if (m->event < m->profile->events.n)
		pipa_report_field(pipa_profile_string(m->profile,
						      m->profile->events.items[m->event].name),
				  false, out);
	pipa_buf_puts(out, "\n# zoom: none");
	for (i = 0; i < m->n_zooms; i++) {
		pipa_report_model_zoom_text(m, &m->zooms[i], text, sizeof(text));
		pipa_buf_puts(out, " > ");
		pipa_report_field(text, false, out);
	}
	pipa_buf_printf(out, "\n# trees: %s\n#\n#  Children  Self      Samples",
			m->callees ? "callees" : "callers");
	for (i = 0; i < m->top.o.n_keys; i++)
		pipa_buf_printf(out, "  %s", pipa_key_title(&m->top.o, m->top.o.keys[i]));
	pipa_buf_putc(out, '\n');
}

static void put_cells(const struct pipa_report_view *view, size_t line, bool csv,
		      struct pipa_buf *out)
{
	const struct pipa_report_model *m = view->model;
	char text[1024];
	size_t i, before;

	for (i = 0; i < m->top.o.n_keys; i++) {
		pipa_report_model_cell(m, m->lines.items[line].row, i, text, sizeof(text));
		pipa_buf_puts(out, csv ? "," : "  ");
		before = out->len;
		pipa_report_field(text, csv, out);
		if (!csv && i + 1 < m->top.o.n_keys && out->len - before < (size_t)view->widths[i])
			pipa_buf_fill(out, ' ', (size_t)view->widths[i] - (out->len - before));
	}
}

static void put_text(const struct pipa_report_view *view, size_t line, struct pipa_buf *out)
{
	const struct pipa_report_line *at = &view->model->lines.items[line];
	struct pipa_report_share share = pipa_report_model_share(view->model, line);
	char text[1024];

	pipa_buf_printf(out, "%7.2f%%", pipa_report_percent(view, share.total.weight));
	if (share.has_self)
		pipa_buf_printf(out, " %7.2f%%", pipa_report_percent(view, share.self.weight));
	else
		pipa_buf_puts(out, "         ");
	pipa_buf_printf(out, " %10llu",
			(unsigned long long)(share.has_self ? share.self.count :
							      share.total.count));
	if (!at->node) {
		put_cells(view, line, false, out);
	} else {
		pipa_report_model_text(view->model, line, text, sizeof(text));
		pipa_buf_fill(out, ' ', 2 + 2 * (size_t)at->depth);
		pipa_report_field(text, false, out);
	}
	pipa_buf_putc(out, '\n');
}

static void put_csv(const struct pipa_report_view *view, size_t line, struct pipa_buf *out)
{
	const struct pipa_report_line *at = &view->model->lines.items[line];
	struct pipa_report_share share = pipa_report_model_share(view->model, line);
	char text[1024];
	size_t i;

	pipa_buf_printf(out, "%u,%.4f,%llu,%llu,", at->depth,
			pipa_report_percent(view, share.total.weight),
			(unsigned long long)share.total.weight,
			(unsigned long long)share.total.count);
	if (share.has_self)
		pipa_buf_printf(out, "%.4f,%llu,%llu", pipa_report_percent(view, share.self.weight),
				(unsigned long long)share.self.weight,
				(unsigned long long)share.self.count);
	else
		pipa_buf_puts(out, ",,");
	if (!at->node) {
		put_cells(view, line, true, out);
	} else { /* branches have their name in the last column */
		for (i = 0; i < view->model->top.o.n_keys; i++)
			pipa_buf_putc(out, ',');
		pipa_report_model_text(view->model, line, text, sizeof(text));
		pipa_report_field(text, true, out);
	}
	pipa_buf_putc(out, '\n');
}

static void put_table(const struct pipa_report_view *view, bool csv, struct pipa_buf *out)
{
	const struct pipa_report_model *m = view->model;
	size_t i;

	if (csv) {
		pipa_buf_puts(out, "depth,total_percent,total,total_samples,self_percent,self,"
				   "samples");
		for (i = 0; i < m->top.o.n_keys; i++)
			pipa_buf_printf(out, ",%s", pipa_key_name(&m->top.o, m->top.o.keys[i]));
		pipa_buf_putc(out, '\n');
	} else {
		put_head(view, out);
	}
	for (i = 0; i < m->lines.n; i++)
		if (csv)
			put_csv(view, i, out);
		else
			put_text(view, i, out);
}

void pipa_report_view_export(const struct pipa_report_view *view, bool csv, struct pipa_buf *out)
{
	size_t i;

	switch (view->page) {
	case PIPA_PAGE_TABLE: put_table(view, csv, out); break;
	case PIPA_PAGE_PAIR: pipa_report_pair_export(view, csv, out); break;
	case PIPA_PAGE_TEXT:
		for (i = 0; i < view->pane.starts.n; i++) {
			pipa_report_field(pipa_report_pane_line(&view->pane, i), false, out);
			pipa_buf_putc(out, '\n');
		}
		break;
	}
}
