#include "job/view/fold.h"

#include <errno.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "job/view/choose_event.h"
#include "load/load.h"
#include "model/profile.h"

struct writer {
	struct pipa_outfile *out;
	struct pipa_error *err;
};

static int write_chunk(void *ctx, const char *bytes, size_t len)
{
	struct writer *w = ctx;

	return pipa_outfile_put(w->out, bytes, len, w->err);
}

static int write_out(const struct pipa_fold_options *o, const struct pipa_profile *p,
		     const struct pipa_folded_format *format, struct pipa_error *err)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	struct writer w = { .err = err };
	int rc = pipa_outfile_open_or_wrap(o->output, o->out_fd, &out, err);

	if (rc < 0)
		return rc;
	w.out = out;
	rc = pipa_folded_write(p, format, write_chunk, &w);
	if (rc == -ENOMEM)
		return pipa_fail(err, rc, "fold the stacks");
	return rc < 0 ? rc : pipa_outfile_commit(out, err);
}

int pipa_fold_run(const struct pipa_fold_options *o, struct pipa_error *err)
{
	const struct pipa_load_options load = {
		.path = o->path,
		.log = o->log,
		.drop_frames = true,
		.symbols = { .lines = o->not_inlined ? PIPA_LINES_NONE : PIPA_LINES_STACKS,
			     .no_places = true },
	};
	struct pipa_folded_format format = o->format;
	struct pipa_profile_selection selection = o->selection;
	struct pipa_loaded loaded;
	int rc;

	selection.all_values = o->event != NULL;
	rc = pipa_load_selected(&load, &selection, &loaded, err);
	if (rc < 0)
		return rc;
	rc = pipa_choose_event(&loaded.profile, o->event, &o->log, &format.event, err);
	if (!rc) {
		/* names in folded stacks were edited when they were written, and have their labels */
		format.names.raw_names |= loaded.kind == PIPA_KIND_FOLDED;
		format.has_labels = loaded.kind == PIPA_KIND_FOLDED;
		format.names.as_reported = loaded.kind == PIPA_KIND_PERF_DATA;
		pipa_note_losses(&loaded, NULL, &o->log);
		rc = write_out(o, &loaded.profile, &format, err);
	}
	pipa_loaded_done(&loaded);
	return rc;
}
