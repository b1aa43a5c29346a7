#include "load/perf_chunk.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "perf/attr.h"
#include "perf/file_read.h"
#include "symbol/table/jitdump.h"
#include "symbolize/unwind_tables.h"

/* Of a pipe, events become known while it is read: they are asked for as samples need them. */
static uint32_t event_of(void *ctx, uint32_t event)
{
	struct pipa_perf_chunk *share = ctx;
	const struct pipa_perf_events *events = pipa_perf_reader_events(share->reader);
	char name[64];

	while (share->events.n <= event && share->events.n < events->n) {
		const struct pipa_perf_event *known = &events->items[share->events.n];
		uint32_t number = pipa_profile_event(share->profile,
						     pipa_perf_event_name(known, name));
		uint32_t *slot = number == PIPA_NONE ? NULL : PIPA_VEC_ADD(&share->events);

		if (!slot)
			return PIPA_NONE;
		*slot = number;
	}
	return event < share->events.n ? share->events.items[event] : PIPA_NONE;
}

int pipa_perf_chunk_number_events(struct pipa_perf_chunk *share)
{
	event_of(share, PIPA_UNKNOWN32 - 1);
	return share->events.n < pipa_perf_reader_events(share->reader)->n ? -ENOMEM : 0;
}

static bool code_of(void *ctx, const struct pipa_rec_map *map, struct pipa_ingest_code *ret)
{
	struct pipa_perf_chunk *share = ctx;

	return pipa_jitdump_is_name(map->path) &&
	       pipa_jitdumps_open(
		       share->jitdumps, share->locate,
		       pipa_perf_events_use_monotonic(pipa_perf_reader_events(share->reader)), map,
		       ret);
}

int pipa_perf_chunk_init(struct pipa_perf_chunk *share, const struct pipa_load_options *o,
			 pthread_mutex_t *lock)
{
	struct pipa_ingest_options options = o->ingest;
	struct pipa_unwind_source source;

	share->locate = &o->symbols.locate;
	share->tables = pipa_unwind_tables_new(share->locate, share->profile,
					       pipa_perf_reader_recording(share->reader));
	if (!share->tables)
		return -ENOMEM;
	pipa_unwind_tables_lock(share->tables, lock);
	source = pipa_unwind_tables_source(share->tables);
	options.unwind = &source;
	options.event = event_of;
	options.timeline = share->timeline;
	options.code = share->jitdumps ? code_of : NULL;
	options.ctx = share;
	share->ingest = pipa_ingest_new(share->profile, &options);
	return share->ingest ? 0 : -ENOMEM;
}

void pipa_perf_chunk_done(struct pipa_perf_chunk *share)
{
	pipa_ingest_free(share->ingest);
	free(share->events.items);
	share->ingest = NULL;
	share->events.items = NULL;
}
