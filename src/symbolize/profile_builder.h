/*
 * Build a profile from perf's records: an ingest that is given the events, the jitdumps and the unwind tables
 * it asks for. Used for recordings, while recording, and for a live profile.
 */
#ifndef PIPA_SYMBOLIZE_PROFILE_BUILDER_H
#define PIPA_SYMBOLIZE_PROFILE_BUILDER_H

#include "ingest/ingest.h"

struct pipa_jitdumps;
struct pipa_locate_options;
struct pipa_perf_events;
struct pipa_profile_builder;
struct pipa_unwind_tables;

/* All pointers are borrowed and must outlive the builder. */
struct pipa_profile_builder_options {
	struct pipa_ingest_options ingest;     /* without unwind, event, code and ctx */
	const struct pipa_perf_events *events; /* may grow; NULL: samples are only unwound */
	struct pipa_unwind_tables *tables;
	struct pipa_jitdumps *jitdumps;		  /* NULL: JIT-compiled code stays unresolved */
	const struct pipa_locate_options *locate; /* where jitdumps are found */
	bool join; /* complete truncated stacks from earlier samples: see ingest/stack_join.h */
};

/* Return NULL on allocation failure. */
struct pipa_profile_builder *pipa_profile_builder_new(
	struct pipa_profile *profile, const struct pipa_profile_builder_options *options);
void pipa_profile_builder_free(struct pipa_profile_builder *builder);

/* The ingest; NULL once it was taken. */
struct pipa_ingest *pipa_profile_builder_ingest(struct pipa_profile_builder *builder);

/*
 * Take the ingest, which the caller frees. It needs the unwind tables still, but neither the builder nor its
 * events: it adds no more samples.
 */
struct pipa_ingest *pipa_profile_builder_take(struct pipa_profile_builder *builder);

/*
 * Add the events to the profile, also those without samples, with the leaders of their groups. 0 or -ENOMEM.
 */
int pipa_profile_builder_add_events(struct pipa_profile_builder *builder);

#endif
