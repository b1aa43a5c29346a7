/*
 * Build a profile from perf records: an ingest with the events, jitdumps and unwind tables that it
 * needs. Used for recordings, while recording, and for a live profile.
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
	struct pipa_ingest_options ingest; /* unwind, event, code and ctx are set by the builder */
	const struct pipa_perf_events *events; /* may grow; NULL: samples are only unwound */
	struct pipa_unwind_tables *tables;
	struct pipa_jitdumps *jitdumps;		  /* NULL: JIT code stays unresolved */
	const struct pipa_locate_options *locate; /* for jitdumps */
	bool join; /* complete truncated stacks from earlier samples: see ingest/stack_join.h */
};

/* Create a builder. NULL on allocation failure. */
struct pipa_profile_builder *pipa_profile_builder_new(
	struct pipa_profile *profile, const struct pipa_profile_builder_options *options);
void pipa_profile_builder_free(struct pipa_profile_builder *builder);

/* Return the ingest; NULL after pipa_profile_builder_take(). */
struct pipa_ingest *pipa_profile_builder_ingest(struct pipa_profile_builder *builder);

/*
 * Take the ingest, which the caller frees. It still needs the unwind tables, but neither the
 * builder nor its events, because it adds no more samples.
 */
struct pipa_ingest *pipa_profile_builder_take(struct pipa_profile_builder *builder);

/*
 * Add all events to the profile, also those without samples, with their group leaders. 0 or
 * -ENOMEM.
 */
int pipa_profile_builder_add_events(struct pipa_profile_builder *builder);

#endif
