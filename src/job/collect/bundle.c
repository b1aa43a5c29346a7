#include "job/collect/bundle.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "job/collect/bundle_own.h"
#include "store/input.h"
#include "store/output_check.h"

static void note_missing(const struct pipa_bundle_options *o, const struct pipa_bundle *b)
{
	char id[PIPA_BUNDLE_ID_SIZE];
	size_t i;

	for (i = 0; i < b->missing.n; i++) {
		const struct pipa_bundle_missing *m = &b->missing.items[i];

		pipa_bundle_id_text(&m->build_id, id);
		pipa_log_note(&o->load.log, "%s%s%s%s: %s", m->path, id[0] ? " (build id " : "", id,
			      id[0] ? ")" : "", m->why);
	}
}

static bool is_standard(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

/* Open the output: beside the recording by default. */
static int open_output(const struct pipa_bundle_options *o, const struct pipa_input *input,
		       char *path, size_t size, struct pipa_outfile **ret, struct pipa_error *err)
{
	size_t len = is_standard(o->load.path) ? 0 : strlen(o->load.path);

	if (o->output && strcmp(o->output, "-") == 0) {
		snprintf(path, size, "standard output");
		return pipa_outfile_wrap(o->out_fd, path, ret, err);
	}
	while (len > 1 && o->load.path[len - 1] == '/') /* a perf.data directory */
		len--;
	if (o->output) {
		snprintf(path, size, "%s", o->output);
	} else if (input->pack) {
		pipa_refuse(err, -EINVAL, "%s is already a bundle", input->name);
		return pipa_hint(
			err,
			"use -o FILE to create another one that includes the files found on this "
			"machine");
	} else {
		snprintf(path, size, "%.*s.tar.zst", len ? (int)len : (int)strlen("perf.data"),
			 len ? o->load.path : "perf.data");
		if (PIPA_OUTPUT_CHECK(path, -1, err, o->load.path, o->load.symbols.kallsyms) < 0)
			return -EINVAL;
	}
	/* private, as recordings are: it contains kernel addresses */
	return pipa_outfile_open(path, PIPA_OUTFILE_PRIVATE, ret, err);
}

static int write_out(const struct pipa_bundle_options *o, const struct pipa_input *input,
		     const struct pipa_bundle *b, const struct pipa_loaded *loaded,
		     struct pipa_error *err)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	char path[PATH_MAX];
	int rc = open_output(o, input, path, sizeof(path), &out, err);

	if (!rc)
		rc = pipa_bundle_write(b, loaded, input, out, err);
	if (!rc)
		rc = pipa_outfile_commit(out, err);
	if (rc < 0)
		return rc;
	note_missing(o, b);
	pipa_log_note(&o->load.log, "wrote %s: the recording and %zu file%s%s", path, b->files.n,
		      b->files.n == 1 ? "" : "s",
		      input->compressed_cut ? "; the compressed recording is truncated or corrupt" :
		      input->cut ? "; the archive of the recording is truncated or corrupt" :
				   "");
	return 0;
}

int pipa_bundle_run(const struct pipa_bundle_options *o, struct pipa_error *err)
{
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	struct pipa_load_options load = o->load;
	struct pipa_bundle bundle = { 0 };
	struct pipa_loaded loaded;
	int rc = pipa_input_open(o->load.path, true, &input, err);

	if (rc < 0)
		return rc;
	if (input->kind != PIPA_KIND_PERF_DATA) {
		pipa_refuse(err, -EINVAL, "%s is %s", input->name, pipa_kind_name(input->kind));
		return pipa_hint(err, "only a perf.data recording can be bundled");
	}
	load.no_names = true;
	rc = pipa_load_input(&load, input, &loaded, err);
	if (rc < 0)
		return rc;
	pipa_log_progress(&o->load.log, "finding files", 0, 0);
	rc = pipa_bundle_gather(&bundle, &loaded);
	pipa_log_progress(&o->load.log, "writing the archive", 0, 0);
	if (rc < 0)
		pipa_fail(err, rc, "find the files of %s", input->name);
	else
		rc = write_out(o, input, &bundle, &loaded, err);
	pipa_log_progress_end(&o->load.log);
	pipa_bundle_done(&bundle);
	pipa_loaded_done(&loaded);
	return rc;
}
