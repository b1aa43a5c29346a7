#include "job/analyze/hot_spots.h"

#include <errno.h>

#include "analyze/profile/listing.h"
#include "analyze/profile/top.h"
#include "base/auto.h"
#include "base/buf.h"
#include "export/report/report_hot.h"
#include "job/analyze/analysis.h"
#include "job/view/annotator.h"
#include "job/view/choose_event.h"

enum {
	FUNCTIONS_MAX = 60, /* functions that are listed */
	CODE_MAX = 24,	    /* functions of which the code is listed */
};

static const double code_percent = 0.5; /* of all samples: functions with less have no code */

/* Where the code of a row runs. */
static const char *scope_of(const struct pipa_profile *p, const struct pipa_top_row *row)
{
	const struct pipa_location *at = row->location == PIPA_NONE ?
						 NULL :
						 &p->locations.items[row->location];

	if (at && at->object != PIPA_NONE && p->objects.items[at->object].kind == PIPA_OBJECT_JIT)
		return "JIT";
	return at && at->mode == PIPA_MODE_KERNEL ? "Kernel" : "User";
}

/* Write a row with the listing of its code. 0 or -ENOMEM. */
static int write_function(const struct pipa_top *top, size_t row, size_t column,
			  struct pipa_annotator *annotator, struct pipa_buf *out)
{
	const struct pipa_weight *self = &top->self[row * top->n_events + column];
	const struct pipa_weight *total = &top->total[row * top->n_events + column];
	const double all = (double)top->all[column].weight;
	struct pipa_listing listing = { 0 };
	char symbol[64], object[64];
	struct pipa_report_hot hot = {
		.symbol = pipa_top_text(top, &top->items[row], 0, symbol),
		.object = pipa_top_text(top, &top->items[row], 1, object),
		.scope = scope_of(top->profile, &top->items[row]),
		.self = 100 * (double)self->weight / all,
		.total = 100 * (double)total->weight / all,
		.samples = self->count,
		.line = pipa_annotator_line,
		.ctx = annotator,
	};
	int rc = 0;

	if (annotator && hot.self >= code_percent)
		rc = pipa_annotator_list(annotator, hot.object, hot.symbol, &listing);
	if (rc > 0)
		hot.listing = &listing;
	if (rc >= 0)
		rc = pipa_report_put_hot(&hot, out);
	pipa_listing_done(&listing);
	return rc;
}

int pipa_hot_spots_write(const struct pipa_analysis *a, struct pipa_buf *out)
{
	const struct pipa_top_options options = { .keys = { PIPA_KEY_SYMBOL, PIPA_KEY_OBJECT },
						  .n_keys = 2,
						  .children = true,
						  .by_self = true };
	const struct pipa_loaded *loaded = &a->loaded;
	PIPA_AUTO(pipa_annotator_free) struct pipa_annotator *annotator = NULL;
	PIPA_AUTO(pipa_top_done) struct pipa_top top = { 0 };
	uint32_t event;
	size_t column, row, n = 0;
	int rc = pipa_choose_event(&loaded->profile, NULL, NULL, &event, NULL);

	if (!rc)
		rc = pipa_top_make(&loaded->profile, &options, &top);
	if (!rc && loaded->symbolizer)
		rc = pipa_annotator_new(&loaded->profile, event, loaded->symbolizer, &annotator);
	column = event == PIPA_NONE ? 0 : event; /* folded stacks have no event */
	pipa_buf_putc(out, '[');
	for (row = 0; !rc && row < top.n && n < FUNCTIONS_MAX; row++) {
		if (!top.self[row * top.n_events + column].weight)
			continue;
		pipa_buf_puts(out, n ? "," : "");
		rc = write_function(&top, row, column, n < CODE_MAX ? annotator : NULL, out);
		n++;
	}
	pipa_buf_putc(out, ']');
	return rc;
}
