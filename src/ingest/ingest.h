/*
 * Aggregate records to a profile: a sink for side-band records and samples.
 *
 * Side-band records are stored with their time. Each call chain is hashed as a whole and resolved
 * to locations only when its hash is new.
 */
#ifndef PIPA_INGEST_INGEST_H
#define PIPA_INGEST_INGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/record.h"

struct pipa_ingest;
struct pipa_timeline;
struct pipa_unwind_source;
struct pipa_unwound_chain;

/* Lookup of the JIT code of a process, implemented by the reader of a jitdump. */
struct pipa_ingest_code {
	/*
	 * Return the offset in the jitdump of the code that was at `address` at `time`; false if
	 * unknown.
	 */
	bool (*find)(const void *ctx, uint64_t address, uint64_t time, uint64_t *ret_offset);
	const void *ctx; /* must outlive the ingest */
	/* addresses that were reused, so that `time` matters; empty: none */
	uint64_t reused_from, reused_to;
};

struct pipa_ingest_options {
	bool by_cpu;	/* do not aggregate samples of different CPUs */
	bool live;	/* earlier times are never looked up again; ended processes are dropped */
	bool no_stacks; /* only the innermost frame */
	/* Unwind data for samples with a stack dump. NULL: use the recorded chains. */
	const struct pipa_unwind_source *unwind;
	uint32_t max_stack;		/* limit of innermost frames, 0: none */
	uint64_t from_ns, until_ns;	/* only samples of this time range; until 0: no end */
	struct pipa_timeline *timeline; /* receives each sample with its time, or NULL */

	/*
	 * Return the profile's index of a record's event; called once per event. PIPA_NONE on
	 * allocation failure.
	 */
	uint32_t (*event)(void *ctx, uint32_t event);

	/*
	 * Return the profile's label set of a sample; PIPA_NONE on allocation failure. NULL: no
	 * labels.
	 */
	uint32_t (*labels)(void *ctx, const struct pipa_rec_id *id,
			   const struct pipa_rec_sample *sample);

	/* Is the mapping a jitdump? Fills *ret if so. NULL: jitdumps are ignored. */
	bool (*code)(void *ctx, const struct pipa_rec_map *map, struct pipa_ingest_code *ret);
	void *ctx;
};

/* Create an ingest that adds to a borrowed profile. NULL on allocation failure. */
struct pipa_ingest *pipa_ingest_new(struct pipa_profile *profile,
				    const struct pipa_ingest_options *options);
void pipa_ingest_free(struct pipa_ingest *ingest);

struct pipa_record_sink *pipa_ingest_sink(struct pipa_ingest *ingest);

/*
 * Process all pending samples and add the aggregated ones to the profile. More samples may follow.
 * Returns 0 or -ENOMEM.
 */
int pipa_ingest_flush(struct pipa_ingest *ingest);

/* Stop calling options.event(), because its context ends. Known events stay known. */
void pipa_ingest_forget_events(struct pipa_ingest *ingest);

/* Attributes of a sample as indices of the profile. */
struct pipa_ingest_found {
	uint32_t stack; /* PIPA_NONE: no stack */
	uint32_t thread;
	const uint64_t *chain; /* call chain, NULL if the sample has only an address; */
	size_t chain_len;      /* valid until the next lookup */
	bool unwound;	       /* the user part was unwound from the stack dump */
};

/*
 * Look up a sample without counting it, for a second pass over samples after symbolization. Samples
 * may come in any order, because side-band data is stored by time. Returns 0 or -ENOMEM.
 */
int pipa_ingest_find(struct pipa_ingest *ingest, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *sample, struct pipa_ingest_found *ret);

/* Report lost samples: truncated stacks are not joined with earlier ones. */
void pipa_ingest_lost(struct pipa_ingest *ingest);

/*
 * Unwind a sample without adding it, for unwinding while recording. Samples come nearly in time
 * order. Returns 1 and the chain, 0 if the sample has no stack dump, or -ENOMEM.
 */
int pipa_ingest_unwind(struct pipa_ingest *ingest, const struct pipa_rec_id *id,
		       const struct pipa_rec_sample *sample, struct pipa_unwound_chain *ret);

/* Return the number of processes, threads and names, and of side-band records that wait for a sample. */
size_t pipa_ingest_size(const struct pipa_ingest *ingest);

/*
 * Drop the mappings of processes whose exit record came before the last call. For live sources,
 * called each time all rings have been drained: by the next call the last samples of a process have
 * come from every ring.
 */
void pipa_ingest_end_round(struct pipa_ingest *ingest);

#endif
