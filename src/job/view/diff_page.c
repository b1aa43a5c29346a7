#include "job/view/diff_page.h"

#include <string.h>

#include "analyze/profile/flame.h"
#include "base/auto.h"
#include "base/buf.h"
#include "export/view/view.h"
#include "job/view/choose_event.h"

/* Data of an event beside its flame graph. */
struct page {
	const struct pipa_diff_report *reports;
	const struct pipa_diff_pair *pairs;
	size_t n;
	const struct pipa_loaded *base, *now;
};

static int write_event(const struct page *page, size_t event, const struct pipa_buf *others,
		       void (*write)(const struct pipa_view *view, struct pipa_buf *out),
		       struct pipa_buf *out)
{
	PIPA_AUTO(pipa_flame_done) struct pipa_flame flame = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf rows = { .max = out->max };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf notes = { 0 };
	const struct pipa_diff_report *r = &page->reports[event];
	const struct pipa_diff *d = r->diff;
	const struct pipa_flame_options options = { .event = page->pairs[event].now,
						    .base_event = page->pairs[event].base };
	struct pipa_view_part parts[] = { { .name = "rows" }, { .name = "others" } };
	struct pipa_view view = { .view = "diff",
				  .title = pipa_choose_title(NULL, r->files[1].path),
				  .base_title = pipa_choose_title(NULL, r->files[0].path),
				  .event = r->event,
				  .unit = r->unit,
				  .flame = &flame,
				  .profile = &page->now->profile,
				  .recording = &page->now->recording,
				  .show.absolute = r->diff->o.absolute,
				  .parts = parts,
				  .n_parts = others->len ? 2 : 1 };
	int rc = pipa_flame_make_diff(&page->base->profile, &page->now->profile, &options, &flame);
	size_t i;

	if (rc < 0)
		return rc;
	pipa_buf_printf(&notes, "verdicts on %s\n", r->basis);
	for (i = 0; i < d->renames.n; i++)
		pipa_buf_printf(&notes, "%s is compared with %s\n",
				pipa_diff_text(d, d->renames.items[i].now),
				pipa_diff_text(d, d->renames.items[i].base));
	if (notes.status)
		return notes.status;
	view.notes = pipa_buf_str(&notes);
	pipa_diff_write_rows(r, &rows);
	if (rows.status)
		return rows.status;
	parts[0].json = pipa_buf_str(&rows);
	parts[0].len = rows.len;
	parts[1].json = pipa_buf_str(others);
	parts[1].len = others->len;
	write(&view, out);
	return 0;
}

int pipa_diff_page_write(const struct pipa_diff_report *reports, const struct pipa_diff_pair *pairs,
			 size_t n, const struct pipa_loaded *base, const struct pipa_loaded *now,
			 struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf others = { .max = out->max };
	const struct page page = { reports, pairs, n, base, now };
	const struct pipa_buf none = { 0 };
	size_t i;
	int rc = 0;

	for (i = 1; !rc && i < n; i++) {
		pipa_buf_putc(&others, i == 1 ? '[' : ',');
		rc = write_event(&page, i, &none, pipa_view_write_data, &others);
	}
	if (n > 1)
		pipa_buf_putc(&others, ']');
	if (!rc && others.status)
		rc = others.status;
	return rc ? rc : write_event(&page, 0, &others, pipa_view_write_page, out);
}
