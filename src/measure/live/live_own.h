/* State of a live profile: shared by live.c and live_profile.c only. */
#ifndef PIPA_MEASURE_LIVE_LIVE_OWN_H
#define PIPA_MEASURE_LIVE_LIVE_OWN_H

#include "analyze/profile/live_spans.h"
#include "base/buf.h"
#include "ingest/ingest.h"
#include "measure/live/live.h"
#include "perf/attr.h"
#include "perf/decode.h"

struct pipa_mapped_files;
struct pipa_profile_builder;
struct pipa_root;

/* The profile, from records to names. */
struct pipa_live_profile {
	const struct pipa_perf_events *events; /* borrowed */
	struct pipa_profile profile;
	struct pipa_symbolizer *symbolizer;
	uint32_t symbolized; /* locations before it are symbolized */
	struct pipa_profile_builder *builder;
	struct pipa_perf_decoder *decoder;
	struct pipa_live_spans spans;
	struct {
		struct pipa_live_awaited {
			uint32_t location, looks; /* since it was seen */
		} * items;
		size_t n, cap;
	} awaited; /* places that a runtime may still tell of */
};

/* Events, mapped files and root are borrowed. 0 or -ENOMEM; pipa_live_profile_done() in any case. */
int pipa_live_profile_init(struct pipa_live_profile *sum, const struct pipa_perf_events *events,
			   const struct pipa_symbolize_options *symbols,
			   const struct pipa_mapped_files *mapped, struct pipa_root *root);
void pipa_live_profile_done(struct pipa_live_profile *sum);

/* Whole records, one after the other. 0 or -ENOMEM. */
int pipa_live_profile_put(struct pipa_live_profile *sum, const void *bytes, size_t len, bool drop);

/* Before records are put: what runtimes have told of their code by now. */
void pipa_live_profile_read_dumps(struct pipa_live_profile *sum);

/*
 * Everything was put, so long after the last time: add up, find names, tell what is new; with `drop` that
 * stays as it was.
 */
int pipa_live_profile_flush(struct pipa_live_profile *sum, uint64_t ns, bool drop,
			    struct pipa_error *err);

/* Things in its tables. */
size_t pipa_live_profile_size(const struct pipa_live_profile *sum);

/* Forget all of it. 0 or -ENOMEM. */
int pipa_live_profile_restart(struct pipa_live_profile *sum);

#endif
