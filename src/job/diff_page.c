#include "job/diff_page.h"

#include <string.h>

#include "analyze/flame.h"
#include "base/auto.h"
#include "base/buf.h"
#include "export/view.h"
#include "job/choose.h"

int pipa_diff_page_write(const struct pipa_diff_report *r, const struct pipa_diff_side *base,
			 const struct pipa_diff_side *now, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_flame_done) struct pipa_flame flame = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf rows = { .max = out->max };
	const struct pipa_flame_options options = { .event = now->event,
						    .base_event = base->event };
	struct pipa_view_part part = { .name = "rows" };
	const struct pipa_view view = { .view = "diff",
					.title = pipa_choose_title(NULL, r->files[1].path),
					.base_title = pipa_choose_title(NULL, r->files[0].path),
					.event = r->event,
					.flame = &flame,
					.profile = &now->loaded.profile,
					.recording = &now->loaded.recording,
					.show.absolute = r->diff->o.absolute,
					.parts = &part,
					.n_parts = 1 };
	int rc = pipa_flame_make_diff(&base->loaded.profile, &now->loaded.profile, &options,
				      &flame);

	if (rc < 0)
		return rc;
	pipa_diff_write_rows(r, &rows);
	if (rows.status)
		return rows.status;
	part.json = pipa_buf_str(&rows);
	part.len = rows.len;
	pipa_view_write_page(&view, out);
	return 0;
}
