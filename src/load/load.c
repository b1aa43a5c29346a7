#include "load/load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file/bytes.h"
#include "base/error.h"
#include "import/folded.h"
#include "import/legacy/legacy.h"
#include "import/loss_comments.h"
#include "import/otlp/otlp.h"
#include "import/otlp/otlp_json.h"
#include "import/perf_script.h"
#include "import/pprof.h"
#include "import/prune.h"
#include "import/viewer/cpuprofile.h"
#include "import/viewer/speedscope.h"
#include "load/load_perf.h"
#include "load/whole_file.h"
#include "store/input.h"

/* Arguments of a loader. */
struct source {
	const struct pipa_load_options *o;
	const struct pipa_input *input;
	struct pipa_error *err;
};

void pipa_loaded_done(struct pipa_loaded *loaded)
{
	pipa_ingest_free(loaded->ingest);
	pipa_symbolizer_free(
		loaded->symbolizer); /* after the ingest, which uses its unwind tables */
	pipa_timeline_done(&loaded->timeline);
	pipa_profile_done(&loaded->profile);
	pipa_recording_done(&loaded->recording);
	pipa_input_close(loaded->input);
}

void pipa_loaded_move(struct pipa_loaded *to, struct pipa_loaded *from)
{
	*to = *from;
	*from = (struct pipa_loaded){ 0 };
	pipa_symbolizer_move(to->symbolizer, &to->profile, &to->recording);
}

/* Pass the whole input in pieces to put(). */
static int pass_input(const struct source *in, int (*put)(void *ctx, const char *bytes, size_t len),
		      void *ctx)
{
	enum { PIECE = 1 << 20 };
	const struct pipa_bytes *bytes = &in->input->bytes;
	PIPA_AUTO(free) char *piece = malloc(PIECE);
	uint64_t offset = 0;
	ssize_t n;
	int rc = piece ? 0 : -ENOMEM;

	while (!rc) {
		n = bytes->read(bytes->ctx, piece, PIECE, offset);
		if (n == -EINTR)
			continue;
		if (n < 0)
			return pipa_fail(in->err, (int)n, "read %s", in->input->name);
		if (n == 0)
			break;
		rc = put(ctx, piece, (size_t)n);
		offset += (uint64_t)n;
	}
	return rc;
}

static int put_script(void *ctx, const char *bytes, size_t len)
{
	return pipa_perf_script_put(ctx, bytes, len);
}

static int load_script(const struct source *in, struct pipa_loaded *ret)
{
	PIPA_AUTO(pipa_perf_script_free)
	struct pipa_perf_script *script = pipa_perf_script_new(&ret->profile);
	int rc = script ? 0 : -ENOMEM;

	if (!rc && in->o->timeline)
		pipa_perf_script_keep_times(script, &ret->timeline);
	if (!rc) {
		pipa_perf_script_between(script, in->o->ingest.from_ns, in->o->ingest.until_ns);
		rc = pass_input(in, put_script, script);
	}
	return rc ? rc : pipa_perf_script_end(script);
}

static int put_folded(void *ctx, const char *bytes, size_t len)
{
	return pipa_folded_put(ctx, bytes, len);
}

static int load_folded(const struct source *in, struct pipa_loaded *ret)
{
	PIPA_AUTO(pipa_folded_free) struct pipa_folded *folded = pipa_folded_new(&ret->profile);
	int rc = folded ? 0 : -ENOMEM;

	if (!rc && in->o->folded_weights)
		pipa_folded_take_weights(folded);
	if (!rc && in->input->bytes.size != PIPA_BYTES_ENDLESS)
		rc = pipa_folded_expect(folded, in->input->bytes.size);
	if (!rc)
		rc = pass_input(in, put_folded, folded);
	return rc ? rc : pipa_folded_end(folded);
}

static int load_perf(const struct source *in, struct pipa_loaded *ret)
{
	int rc = pipa_load_perf(in->o, in->input, ret, in->err);

	if (!rc && !ret->ingest)
		pipa_symbolizer_end_unwinding(ret->symbolizer);
	if (!rc && !in->o->no_names)
		pipa_log_progress(&in->o->log, "symbolizing", 0, 0);
	if (!rc && !in->o->no_names)
		rc = pipa_symbolize(ret->symbolizer, in->err);
	return rc;
}

static int load_pprof(const struct source *in, struct pipa_loaded *ret)
{
	int (*const read)(struct pipa_profile *, struct pipa_span, struct pipa_error *) =
		in->input->kind == PIPA_KIND_PPROF ? pipa_pprof_read : pipa_legacy_read;
	PIPA_AUTO(pipa_whole_file_close) struct pipa_whole_file file = { 0 };
	struct pipa_error why = { 0 };
	int rc = pipa_whole_file_open(&in->input->bytes, &file);

	if (!rc)
		rc = read(&ret->profile, file.span, &why);
	if (!rc)
		pipa_loss_comments_read(&ret->profile);
	if (!rc && in->o->drop_frames) {
		rc = pipa_prune_frames(&ret->profile);
		if (rc == -EINVAL) {
			pipa_log_note(&in->o->log,
				      "cannot hide frames of %s: drop_frames is not a "
				      "regular expression that is supported",
				      in->input->name);
			rc = 0;
		}
	}
	return why.code ?
		       pipa_refuse(in->err, rc, "cannot read %s: %s", in->input->name, why.what) :
		       rc;
}

/* Load a file that is read as a whole and may have times. */
static int load_timed(const struct source *in, struct pipa_loaded *ret)
{
	int (*read_file)(struct pipa_profile * profile, struct pipa_timeline * timeline,
			 struct pipa_span file, struct pipa_error * err) =
		in->input->kind == PIPA_KIND_OTLP_JSON	? pipa_otlp_json_read :
		in->input->kind == PIPA_KIND_SPEEDSCOPE ? pipa_speedscope_read :
		in->input->kind == PIPA_KIND_CPUPROFILE ? pipa_cpuprofile_read :
							  pipa_otlp_read;
	PIPA_AUTO(pipa_whole_file_close) struct pipa_whole_file file = { 0 };
	struct pipa_error why = { 0 };
	int rc = pipa_whole_file_open(&in->input->bytes, &file);

	if (!rc)
		rc = read_file(&ret->profile, in->o->timeline ? &ret->timeline : NULL, file.span,
			       &why);
	if (!rc)
		pipa_loss_comments_read(&ret->profile);
	return why.code ?
		       pipa_refuse(in->err, rc, "cannot read %s: %s", in->input->name, why.what) :
		       rc;
}

/* One row per kind that has stacks. Without .load the hint is used as the error's. */
static const struct {
	int (*load)(const struct source *in, struct pipa_loaded *ret);
	const char *hint;
} loaders[PIPA_KIND_NR] = {
	[PIPA_KIND_UNKNOWN] = { .hint = "supported: perf.data, output of perf script, folded "
					"stacks, pprof, OTLP, speedscope, cpuprofile" },
	[PIPA_KIND_EMPTY] = { .hint = "supported: perf.data, output of perf script, folded "
				      "stacks, pprof, OTLP, speedscope, cpuprofile" },
	[PIPA_KIND_GZIP] = { .hint = "its content is compressed again" },
	[PIPA_KIND_ZSTD] = { .hint = "its content is compressed again" },
	[PIPA_KIND_TAR] = { .hint = "supported: archives of pipa bundle" },
	[PIPA_KIND_PERF_DATA] = { .load = load_perf },
	[PIPA_KIND_PERF_SCRIPT] = { .load = load_script },
	[PIPA_KIND_FOLDED] = { .load = load_folded },
	[PIPA_KIND_PPROF] = { .load = load_pprof },
	[PIPA_KIND_PPROF_LEGACY] = { .load = load_pprof },
	[PIPA_KIND_OTLP] = { .load = load_timed },
	[PIPA_KIND_OTLP_JSON] = { .load = load_timed },
	[PIPA_KIND_SPEEDSCOPE] = { .load = load_timed },
	[PIPA_KIND_CPUPROFILE] = { .load = load_timed },
};

/* Refuse text without a single sample. */
static int check_text(const struct source *in, const struct pipa_loaded *ret)
{
	const struct pipa_losses *losses = &ret->profile.losses;
	bool filtered = in->o->ingest.from_ns || in->o->ingest.until_ns;

	if (ret->profile.samples.n || ret->kind == PIPA_KIND_PERF_DATA || filtered)
		return 0;
	if (losses->damaged || losses->cut_stacks)
		return pipa_refuse(in->err, -EBADMSG,
				   "cannot read %s: no sample is complete; %" PRIu64
				   " malformed lines, %" PRIu64 " truncated samples",
				   in->input->name, losses->damaged, losses->cut_stacks);
	pipa_log_note(&in->o->log, "%s has no samples", in->input->name);
	return 0;
}

static int load(const struct source *in, struct pipa_loaded *ret)
{
	int rc;

	ret->kind = in->input->kind;
	if (!loaders[ret->kind].load && in->input->cut)
		return pipa_refuse(in->err, -EBADMSG, "cannot %s %s: it is truncated or corrupt",
				   in->input->compressed_cut ? "decompress" : "read",
				   in->input->name);
	if (!loaders[ret->kind].load) {
		pipa_refuse(in->err, -EINVAL, "%s is %s", in->input->name,
			    pipa_kind_name(ret->kind));
		return pipa_hint(in->err, "%s", loaders[ret->kind].hint);
	}
	rc = loaders[ret->kind].load(in, ret);
	if (!rc)
		rc = check_text(in, ret);
	if (!rc)
		rc = pipa_timeline_sort(&ret->timeline);
	if (!rc && in->input->cut) {
		pipa_recording_note_damage(
			&ret->recording, in->input->bytes.size,
			in->input->compressed_cut ?
				"the compressed file is truncated or corrupt at this point" :
				"the archive is truncated or corrupt at this point");
		ret->recording.damage.incomplete = true;
	}
	return rc < 0 && !in->err->code ? pipa_fail(in->err, rc, "read %s", in->input->name) : rc;
}

bool pipa_load_has_only_sums(enum pipa_kind kind)
{
	return loaders[kind].load && !pipa_load_selects_times(kind);
}

bool pipa_load_selects_times(enum pipa_kind kind)
{
	return kind == PIPA_KIND_PERF_DATA || kind == PIPA_KIND_PERF_SCRIPT;
}

/* Check that files given by the user exist: otherwise symbols would be missing without an error. */
static int check_named(const struct pipa_symbolize_options *o, struct pipa_error *err)
{
	const char *const named[] = { o->vmlinux, o->kallsyms };
	size_t i;

	for (i = 0; i < PIPA_COUNT(named); i++)
		if (named[i] && access(named[i], R_OK) < 0)
			return pipa_fail(err, -errno, "open '%s'", named[i]);
	return 0;
}

static void put_reading(const struct pipa_load_options *o, const char *name)
{
	char text[160];

	snprintf(text, sizeof(text), "reading %s", name);
	pipa_log_progress(&o->log, text, 0, 0);
}

int pipa_load_input(const struct pipa_load_options *o, const struct pipa_input *input,
		    struct pipa_loaded *ret, struct pipa_error *err)
{
	struct pipa_load_options options = *o;
	struct pipa_error own = { 0 };
	const struct source in = { &options, input, err ? err : &own };
	int rc;

	/* samples of other kinds are selected by time afterwards */
	options.timeline |= !pipa_load_selects_times(input->kind) &&
			    (o->ingest.from_ns || o->ingest.until_ns);
	rc = check_named(&o->symbols, err);
	*ret = (struct pipa_loaded){ .timeline.max = o->timeline_max };
	if (rc < 0)
		return rc;
	ret->symbolizer = pipa_symbolizer_new(&o->symbols, &ret->profile, NULL);
	if (!ret->symbolizer)
		return pipa_fail(err, -ENOMEM, "read %s", input->name);
	pipa_symbolizer_set_bundle(ret->symbolizer, input->pack);
	if (input->kind == PIPA_KIND_PERF_DATA && !o->offline)
		pipa_symbolizer_use_debuginfod(ret->symbolizer, &o->log);
	put_reading(o, input->name);
	rc = load(&in, ret);
	pipa_log_progress_end(&o->log);
	if (rc < 0) {
		pipa_loaded_done(ret);
		*ret = (struct pipa_loaded){ 0 };
	}
	return rc;
}

int pipa_load(const struct pipa_load_options *o, struct pipa_loaded *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	int rc;

	put_reading(o, o->path && strcmp(o->path, "-") != 0 ? o->path : "standard input");
	rc = pipa_input_open(o->path, false, &input, err);
	if (!rc)
		rc = pipa_load_input(o, input, ret, err);
	if (!rc)
		ret->input = PIPA_TAKE(input);
	pipa_log_progress_end(&o->log);
	return rc;
}
