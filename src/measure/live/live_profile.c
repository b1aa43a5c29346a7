/* Aggregate the records of a live profile, and restart it when it exceeds its memory limit. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "measure/live/live_own.h"
#include "perf/attr.h"
#include "symbolize/jitdumps.h"
#include "symbolize/profile_builder.h"
#include "symbolize/symbolize.h"

/* ---- start and end --------------------------------------------------------------------------------- */

static int begin_profile(struct pipa_live_profile *sum)
{
	struct pipa_profile_builder_options options = {
		.ingest = { .live = true, .by_cpu = sum->by_cpu, .timeline = sum->timeline },
		.events = sum->events,
		.tables = pipa_symbolizer_tables(sum->symbolizer),
		.jitdumps = pipa_symbolizer_jitdumps(sum->symbolizer),
		.locate = pipa_symbolizer_locate(sum->symbolizer),
		.join = true,
	};

	if (!options.tables)
		return -ENOMEM;
	sum->profile.start_ns = pipa_clock_wall_ns();
	sum->builder = pipa_profile_builder_new(&sum->profile, &options);
	return sum->builder ? 0 : -ENOMEM;
}

static void end_profile(struct pipa_live_profile *sum)
{
	pipa_live_spans_done(&sum->spans);
	pipa_profile_builder_free(PIPA_TAKE(sum->builder));
	pipa_profile_done(&sum->profile);
	sum->profile = (struct pipa_profile){ 0 };
	sum->awaited.n = 0;
	sum->symbolized = 0;
}

int pipa_live_profile_init(struct pipa_live_profile *sum, const struct pipa_live_profile_options *o)
{
	*sum = (struct pipa_live_profile){ .events = o->events,
					   .by_cpu = o->by_cpu,
					   .timeline = o->timeline };
	sum->symbolizer = pipa_symbolizer_new(o->symbols, &sum->profile, o->root);
	if (!sum->symbolizer || pipa_perf_decoder_new(o->events, &sum->decoder) < 0)
		return -ENOMEM;
	pipa_symbolizer_set_mapped(sum->symbolizer, o->mapped);
	pipa_symbolizer_use_running_kallsyms(sum->symbolizer);
	pipa_symbolizer_jitdumps(sum->symbolizer)->growing = true;
	return begin_profile(sum);
}

void pipa_live_profile_done(struct pipa_live_profile *sum)
{
	end_profile(sum);
	pipa_symbolizer_free(
		sum->symbolizer); /* after the builder, which unwinds with its tables */
	pipa_perf_decoder_free(sum->decoder);
	free(sum->awaited.items);
	*sum = (struct pipa_live_profile){ 0 };
}

int pipa_live_profile_restart(struct pipa_live_profile *sum)
{
	int rc;

	end_profile(sum);
	rc = pipa_symbolizer_restart(sum->symbolizer);
	return rc ? rc : begin_profile(sum);
}

size_t pipa_live_profile_size(const struct pipa_live_profile *sum)
{
	const struct pipa_profile *p = &sum->profile;

	return p->samples.n + p->stacks.n + p->locations.n + p->threads.n + p->objects.n +
	       p->strings.n + p->functions.n + p->lines.n +
	       (sum->builder ? pipa_ingest_size(pipa_profile_builder_ingest(sum->builder)) : 0);
}

/* ---- records --------------------------------------------------------------------------------------- */

static int put_record(struct pipa_live_profile *sum, const struct pipa_perf_raw *raw)
{
	struct pipa_record_sink *sink = pipa_ingest_sink(pipa_profile_builder_ingest(sum->builder));
	struct pipa_rec_id id;
	int rc = pipa_perf_decode_id(sum->decoder, raw, &id);

	if (!rc)
		rc = pipa_perf_decode(sum->decoder, raw, &id, sink);
	return rc == -ENOMEM ? rc : 0; /* records of the kernel are complete */
}

void pipa_live_profile_read_dumps(struct pipa_live_profile *sum)
{
	pipa_jitdumps_read_on(pipa_symbolizer_jitdumps(sum->symbolizer),
			      pipa_symbolizer_locate(sum->symbolizer));
}

int pipa_live_profile_put(struct pipa_live_profile *sum, const void *bytes, size_t len, bool drop)
{
	const uint8_t *at = bytes;
	struct pipa_perf_raw raw = { 0 };
	uint16_t size;
	int rc = 0;

	for (; !rc && len >= 8; at += size, len -= size) {
		memcpy(&raw.type, at, 4);
		memcpy(&raw.misc, at + 4, 2);
		memcpy(&size, at + 6, 2);
		if (size < 8 || size > len)
			break;
		raw.body = at + 8;
		raw.len = size - 8;
		if (!drop || raw.type != PERF_RECORD_SAMPLE)
			rc = put_record(sum, &raw);
	}
	return rc;
}

/* ---- names ----------------------------------------------------------------------------------------- */

/*
 * Can the symbol of this JIT code still arrive? It is looked up again in some of the next
 * refreshes.
 */
static bool is_awaited(const struct pipa_profile *p, uint32_t number)
{
	const struct pipa_location *location = &p->locations.items[number];

	return !location->n_lines && location->object < p->objects.n &&
	       p->objects.items[location->object].kind == PIPA_OBJECT_JIT;
}

/* Update the list of unresolved JIT locations: remove those resolved or too old, add new ones. */
static int update_awaited(struct pipa_live_profile *sum, uint32_t first)
{
	enum { LOOKS_MOST = 1000 };
	uint32_t n = (uint32_t)sum->profile.locations.n, i;
	struct pipa_live_awaited *slot;
	size_t from, kept = 0;

	for (from = 0; from < sum->awaited.n; from++) {
		slot = &sum->awaited.items[from];
		if (is_awaited(&sum->profile, slot->location) && ++slot->looks < LOOKS_MOST)
			sum->awaited.items[kept++] = *slot;
	}
	sum->awaited.n = kept;
	for (i = first; i < n; i++) {
		if (!is_awaited(&sum->profile, i))
			continue;
		slot = PIPA_VEC_ADD(&sum->awaited);
		if (!slot)
			return -ENOMEM;
		*slot = (struct pipa_live_awaited){ .location = i, .looks = 1 };
	}
	return 0;
}

/*
 * Symbolize. A perf map can be long: it is read one, two, four and eight refreshes after an
 * unresolved address was seen.
 */
static int symbolize_new(struct pipa_live_profile *sum, struct pipa_error *err)
{
	PIPA_AUTO(free) uint32_t *again = malloc(sum->awaited.n * sizeof(*again) + 1);
	uint32_t first = sum->symbolized;
	size_t i, n = 0;
	int rc;

	if (!again)
		return -ENOMEM;
	for (i = 0; i < sum->awaited.n; i++) {
		const struct pipa_live_awaited *one = &sum->awaited.items[i];

		if (!(one->looks & (one->looks - 1)))
			again[n++] = one->location;
	}
	rc = pipa_symbolize_new(sum->symbolizer, first, again, n, err);
	sum->symbolized = (uint32_t)sum->profile.locations.n;
	return rc ? rc : update_awaited(sum, first);
}

int pipa_live_profile_end_round(struct pipa_live_profile *sum)
{
	struct pipa_ingest *ingest = pipa_profile_builder_ingest(sum->builder);
	int rc = pipa_ingest_flush(ingest); /* pending samples still need the mappings */

	pipa_ingest_end_round(ingest);
	return rc;
}

int pipa_live_profile_flush(struct pipa_live_profile *sum, uint64_t ns, bool drop,
			    struct pipa_error *err)
{
	int rc = pipa_ingest_flush(pipa_profile_builder_ingest(sum->builder));
	uint64_t now;

	if (!rc)
		rc = symbolize_new(sum, err);
	now = pipa_clock_wall_ns();
	if (now > sum->profile.start_ns)
		sum->profile.duration_ns = now - sum->profile.start_ns;
	if (!rc && !(drop && pipa_live_spans_keep(&sum->spans, &sum->profile)))
		rc = pipa_live_spans_make(&sum->spans, &sum->profile, ns);
	return rc < 0 ? pipa_fail(err, rc, "sum the samples") : 0;
}
