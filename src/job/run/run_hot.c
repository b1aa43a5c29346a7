/* Fill the hot functions of a run from its samples. */
#include "base/auto.h"
#include "base/error.h"
#include "job/run/run_dataset.h"
#include "job/run/run_own.h"
#include "load/load.h"
#include "store/archive.h"
#include "store/input.h"

int pipa_run_find_hot(const char *path, const struct pipa_archive *archive, struct pipa_run *run,
		      struct pipa_error *err)
{
	/* as report does: self belongs to the innermost inlined function of a dwarf recording */
	const struct pipa_load_options load = { .path = path,
						.ingest.no_stacks = true,
						.symbols = { .lines = PIPA_LINES_STACKS,
							     .no_places = true } };
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	struct pipa_loaded loaded;
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
	rc = pipa_run_set_hot(run, &loaded.profile);
	pipa_loaded_done(&loaded);
	return rc < 0 ? pipa_fail(err, rc, "find hot functions") : 0;
}
