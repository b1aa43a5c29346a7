#include "load/perf_chunk.h"

#include <errno.h>

#include "base/auto.h"
#include "perf/file_read.h"
#include "symbolize/code_files.h"
#include "symbolize/profile_builder.h"

int pipa_perf_chunk_init(struct pipa_perf_chunk *chunk, const struct pipa_load_options *o)
{
	struct pipa_profile_builder_options options = {
		.ingest = o->ingest,
		.events = pipa_perf_reader_events(chunk->reader),
		.tables = chunk->tables,
		.jitdumps = chunk->jitdumps,
		.locate = pipa_code_files_locate(chunk->files),
	};

	options.ingest.timeline = chunk->timeline;
	if (chunk->tables)
		chunk->builder = pipa_profile_builder_new(chunk->profile, &options);
	return chunk->builder ? 0 : -ENOMEM;
}

void pipa_perf_chunk_done(struct pipa_perf_chunk *chunk)
{
	pipa_profile_builder_free(PIPA_TAKE(chunk->builder));
}

struct pipa_ingest *pipa_perf_chunk_ingest(const struct pipa_perf_chunk *chunk)
{
	return pipa_profile_builder_ingest(chunk->builder);
}
