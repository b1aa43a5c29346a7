#include "load/perf_chunk.h"

#include <errno.h>

#include "base/auto.h"
#include "perf/file_read.h"
#include "symbolize/profile_builder.h"
#include "symbolize/unwind_tables.h"

int pipa_perf_chunk_init(struct pipa_perf_chunk *share, const struct pipa_load_options *o,
			 pthread_mutex_t *lock)
{
	struct pipa_profile_builder_options options = {
		.ingest = o->ingest,
		.events = pipa_perf_reader_events(share->reader),
		.jitdumps = share->jitdumps,
		.locate = &o->symbols.locate,
	};

	share->tables = pipa_unwind_tables_new(options.locate, share->profile,
					       pipa_perf_reader_recording(share->reader));
	if (!share->tables)
		return -ENOMEM;
	pipa_unwind_tables_lock(share->tables, lock);
	options.tables = share->tables;
	options.ingest.timeline = share->timeline;
	share->builder = pipa_profile_builder_new(share->profile, &options);
	return share->builder ? 0 : -ENOMEM;
}

void pipa_perf_chunk_done(struct pipa_perf_chunk *share)
{
	pipa_profile_builder_free(PIPA_TAKE(share->builder));
}

struct pipa_ingest *pipa_perf_chunk_ingest(const struct pipa_perf_chunk *share)
{
	return pipa_profile_builder_ingest(share->builder);
}
