/* Fill the hot functions of a run from its samples. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/top.h"
#include "base/auto.h"
#include "base/error.h"
#include "job/run/run_own.h"
#include "load/load.h"
#include "store/archive.h"
#include "store/input.h"

/* Add one row; its share is of the first event's weight. */
static int add_hot(struct pipa_run *run, const struct pipa_top *top, size_t row)
{
	const struct pipa_weight *self = &top->self[row * top->n_events];
	struct pipa_run_hot *hot = &run->hot[run->n_hot];
	char symbol[64], object[64];

	*hot = (struct pipa_run_hot){
		.symbol = strdup(pipa_top_text(top, &top->items[row], 0, symbol)),
		.object = strdup(pipa_top_text(top, &top->items[row], 1, object)),
		.percent = 100 * (double)self->weight / (double)top->all[0].weight,
		.samples = self->count,
	};
	run->n_hot++;
	return hot->symbol && hot->object ? 0 : -ENOMEM;
}

int pipa_run_find_hot(const char *path, const struct pipa_archive *archive, struct pipa_run *run,
		      struct pipa_error *err)
{
	/* as report does: self belongs to the innermost inlined function of a dwarf recording */
	const struct pipa_load_options load = { .path = path,
						.ingest.no_stacks = true,
						.symbols = { .lines = PIPA_LINES_STACKS,
							     .no_places = true } };
	const struct pipa_top_options options = { .keys = { PIPA_KEY_SYMBOL, PIPA_KEY_OBJECT },
						  .n_keys = 2 };
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	PIPA_AUTO(pipa_top_done) struct pipa_top top = { 0 };
	struct pipa_loaded loaded;
	size_t i;
	int rc;

	if (archive && pipa_archive_kind(archive) == PIPA_ARCHIVE_TAR) {
		rc = pipa_archive_open_recording(archive, &input, err);
		if (!rc)
			rc = pipa_load_input(&load, input, &loaded, err);
	} else {
		rc = pipa_load(&load, &loaded, err);
	}
	if (rc)
		return rc;
	rc = pipa_top_make(&loaded.profile, &options, &top);
	for (i = 0; !rc && i < top.n && run->n_hot < PIPA_RUN_HOT && top.all[0].weight; i++)
		if (top.self[i * top.n_events].weight)
			rc = add_hot(run, &top, i);
	run->cut_stacks = loaded.profile.losses.unwound_truncated;
	if (!rc && !run->samples && top.n) { /* the number of samples was not recorded */
		run->samples = top.all[0].count;
		run->lost_samples = loaded.profile.losses.lost_samples;
	}
	pipa_top_done(&top);
	top = (struct pipa_top){ 0 };
	pipa_loaded_done(&loaded);
	return rc < 0 ? pipa_fail(err, rc, "find hot functions") : 0;
}
