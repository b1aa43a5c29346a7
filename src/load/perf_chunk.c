#include "load/perf_chunk.h"

#include <errno.h>

#include "base/auto.h"
#include "perf/file_read.h"
#include "symbolize/code_files.h"
#include "symbolize/profile_builder.h"

int pipa_perf_chunk_init(struct pipa_perf_chunk *share, const struct pipa_load_options *o)
{
	struct pipa_profile_builder_options options = {
		.ingest = o->ingest,
		.events = pipa_perf_reader_events(share->reader),
		.tables = share->tables,
		.jitdumps = share->jitdumps,
		.locate = pipa_code_files_locate(share->files),
	};

	options.ingest.timeline = share->timeline;
	if (share->tables)
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
