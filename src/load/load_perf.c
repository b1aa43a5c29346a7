#include "load/load_perf.h"

#include <errno.h>
#include <inttypes.h>

#include "base/auto.h"
#include "base/error.h"
#include "load/perf_chunk.h"
#include "load/perf_chunks.h"
#include "load/perf_source.h"
#include "locate/kept_files.h"
#include "perf/file_read.h"
#include "perf/sample_chain.h"
#include "store/input.h"
#include "symbolize/profile_builder.h"

/* Do samples have stack dumps? */
static bool has_stack_dumps(const struct pipa_perf_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (events->items[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return false;
}

/* Do samples have stack dumps, or chains that were unwound from them while recording? */
static bool has_stacks(const struct pipa_perf_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (pipa_perf_attr_is_unwound(&events->items[i].attr))
			return true;
	return has_stack_dumps(events);
}

/*
 * Count chains that were unwound while recording like those that are unwound now. Other chains, the
 * kernel's, are counted only if some are known to be truncated.
 */
static void count_unwound_chains(const struct pipa_perf_chunk *chunk, struct pipa_losses *losses)
{
	const struct pipa_perf_events *events = pipa_perf_reader_events(chunk->reader);
	size_t i;

	for (i = 0; i < events->n; i++)
		if (pipa_perf_attr_is_unwound(&events->items[i].attr)) {
			losses->unwound += losses->chains;
			return;
		}
	if (losses->unwound_truncated && !losses->unwound)
		losses->unwound = losses->chains;
}

/* Set the size of the stack dumps. */
static void note_stack_bytes(const struct pipa_perf_chunk *chunk, struct pipa_losses *losses)
{
	const struct pipa_perf_events *events = pipa_perf_reader_events(chunk->reader);
	size_t i;

	for (i = 0; i < events->n; i++)
		if (losses->stack_bytes < events->items[i].attr.sample_stack_user)
			losses->stack_bytes = events->items[i].attr.sample_stack_user;
}

/* Take the description of the recording from the reader. 0 or -ENOMEM. */
static int take_recording(struct pipa_perf_chunk *chunk, struct pipa_loaded *ret)
{
	struct pipa_recording *recording = pipa_perf_reader_recording(chunk->reader);

	if (pipa_profile_builder_add_events(chunk->builder) < 0)
		return -ENOMEM;
	ret->recording = *recording;
	ret->recording.stacks = has_stacks(pipa_perf_reader_events(chunk->reader));
	*recording = (struct pipa_recording){ 0 };
	count_unwound_chains(chunk, &ret->profile.losses);
	note_stack_bytes(chunk, &ret->profile.losses);
	pipa_symbolizer_set_recording(ret->symbolizer,
				      &ret->recording); /* known only now for a pipe */
	ret->profile.losses.damaged = ret->recording.damage.count;
	return 0;
}

/* Return an error for a corrupt recording only if nothing could be read. */
static int check_damage(const struct pipa_recording *recording, const struct pipa_input *input,
			struct pipa_error *err)
{
	const struct pipa_damage *damage = &recording->damage;

	if (recording->records || !damage->count)
		return 0;
	return pipa_refuse(err, -EBADMSG, "cannot read %s: at offset %" PRIu64 ": %s", input->name,
			   damage->at, damage->what);
}

/* Set start and duration of the profile, by the wall clock if the recording has both clocks. */
static void set_time(const struct pipa_recording *r, struct pipa_profile *profile)
{
	if (!r->last_ns || r->last_ns < r->first_ns)
		return;
	profile->duration_ns = r->last_ns - r->first_ns;
	if (r->has_clock)
		profile->start_ns = r->clock_wall_ns + r->first_ns - r->clock_ns;
}

/* Open the kept files of the recording; a malformed section has none. 0 or -ENOMEM. */
static int open_kept(struct pipa_perf_reader *reader, const struct pipa_input *input,
		     struct pipa_loaded *ret)
{
	struct pipa_recording *recording = pipa_perf_reader_recording(reader);
	struct pipa_bundle_files *kept = NULL;
	int rc;

	if (!recording->kept_size)
		return 0;
	rc = pipa_kept_files_open(&input->bytes, recording->kept_at, recording->kept_size,
				  recording->swapped, &kept);
	if (rc < 0 && rc != -ENOMEM) {
		pipa_recording_note_damage(recording, recording->kept_at,
					   "the section of kept files is malformed");
		rc = 0;
	}
	pipa_symbolizer_set_kept(ret->symbolizer, kept);
	return rc;
}

/* Are samples of the kernel recorded? */
static bool has_kernel(const struct pipa_perf_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (!events->items[i].attr.exclude_kernel)
			return true;
	return false;
}

/*
 * Read the samples. Several threads are used only if stacks are unwound and no second pass follows:
 * for recorded chains most of the work is to store new stacks, which merging does again (a seventh
 * less time for a third more work and memory).
 */
static int read_samples(struct pipa_perf_chunk *chunk, const struct pipa_load_options *o,
			struct pipa_error *err)
{
	size_t n = o->keep_ingest ? 1 : o->threads;
	int rc;

	if (!n)
		n = has_stack_dumps(pipa_perf_reader_events(chunk->reader)) ?
			    pipa_perf_chunks_worth(chunk->reader) :
			    1;
	if (n > 1 && pipa_perf_reader_has_steps(chunk->reader))
		return pipa_perf_chunks_run(chunk, o, n, err);
	rc = pipa_perf_chunk_init(chunk, o);
	if (!rc)
		rc = pipa_perf_reader_run(chunk->reader,
					  pipa_ingest_sink(pipa_perf_chunk_ingest(chunk)), err);
	return rc ? rc : pipa_ingest_flush(pipa_perf_chunk_ingest(chunk));
}

int pipa_load_perf(const struct pipa_load_options *o, const struct pipa_input *input,
		   struct pipa_loaded *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_perf_source_close) struct pipa_perf_source *source = NULL;
	struct pipa_perf_chunk chunk = { .profile = &ret->profile,
					 .timeline = o->timeline ? &ret->timeline : NULL,
					 .files = pipa_symbolizer_files(ret->symbolizer),
					 .tables = pipa_symbolizer_tables(ret->symbolizer),
					 .jitdumps = pipa_symbolizer_jitdumps(ret->symbolizer) };
	int rc = pipa_perf_source_open(input, false, &source, err);

	if (rc < 0)
		return rc;
	chunk.reader = pipa_perf_source_reader(source);
	pipa_symbolizer_set_recording(ret->symbolizer, pipa_perf_reader_recording(chunk.reader));
	if (!o->no_names && has_kernel(pipa_perf_reader_events(chunk.reader)))
		pipa_symbolizer_preload_kallsyms(ret->symbolizer);
	rc = open_kept(chunk.reader, input, ret);
	if (!rc)
		rc = read_samples(&chunk, o, err);
	set_time(pipa_perf_reader_recording(chunk.reader), &ret->profile);
	if (!rc)
		rc = take_recording(&chunk, ret);
	if (!rc)
		rc = check_damage(&ret->recording, input, err);
	if (!rc && o->keep_ingest)
		ret->ingest = pipa_profile_builder_take(chunk.builder);
	pipa_perf_chunk_done(&chunk);
	return rc;
}
