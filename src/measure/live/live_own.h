/* State of a live profile: shared by the files of this directory only. */
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
struct pipa_timeline;

/* The profile, from records to symbols. */
struct pipa_live_profile {
	const struct pipa_perf_events *events; /* borrowed */
	bool by_cpu;
	struct pipa_timeline *timeline; /* borrowed, or NULL */
	struct pipa_profile profile;
	struct pipa_symbolizer *symbolizer;
	uint32_t symbolized; /* locations below it are symbolized */
	struct pipa_profile_builder *builder;
	struct pipa_perf_decoder *decoder;
	struct pipa_live_spans spans;
	struct {
		struct pipa_live_awaited {
			uint32_t location, looks; /* refreshes since it was seen */
		} * items;
		size_t n, cap;
	} awaited; /* locations whose JIT symbols can still arrive */
};

struct pipa_live_profile_options {
	const struct pipa_perf_events *events;
	const struct pipa_symbolize_options *symbols; /* copied */
	const struct pipa_mapped_files *mapped;
	struct pipa_root *root;
	bool by_cpu;			/* do not aggregate samples of different CPUs */
	struct pipa_timeline *timeline; /* receives each sample with its time; NULL: none */
};

/*
 * Initialize. Events, mapped files and root are borrowed. 0 or -ENOMEM; call
 * pipa_live_profile_done() in any case.
 */
int pipa_live_profile_init(struct pipa_live_profile *sum,
			   const struct pipa_live_profile_options *options);
void pipa_live_profile_done(struct pipa_live_profile *sum);

/* Add complete records. 0 or -ENOMEM. */
int pipa_live_profile_put(struct pipa_live_profile *sum, const void *bytes, size_t len, bool drop);

/* Read new entries of jitdumps; call it before records are added. */
void pipa_live_profile_read_dumps(struct pipa_live_profile *sum);

/* Drop ended processes, once after each time that all rings were drained. 0 or -ENOMEM. */
int pipa_live_profile_end_round(struct pipa_live_profile *sum);

/*
 * Finish a refresh, `ns` after the previous one: aggregate, symbolize, update the spans; with
 * `drop` the spans stay unchanged.
 */
int pipa_live_profile_flush(struct pipa_live_profile *sum, uint64_t ns, bool drop,
			    struct pipa_error *err);

/* Return the number of entries in its tables. */
size_t pipa_live_profile_size(const struct pipa_live_profile *sum);

/* Drop all entries. 0 or -ENOMEM. */
int pipa_live_profile_restart(struct pipa_live_profile *sum);

#endif
