/*
 * Make a profile of records: a sink for side-band records and samples.
 *
 * Side-band records are kept with their time. Each call chain is hashed as a whole and resolved to
 * locations only when its hash is new.
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

/* Source of JIT code of a process: the reader of a jitdump. */
struct pipa_ingest_code {
	/*
	 * Return the offset in its file of the code that was at the address at that time; false if
	 * unknown.
	 */
	bool (*find)(const void *ctx, uint64_t address, uint64_t time, uint64_t *ret_offset);
	const void *ctx;		 /* must outlive the ingest */
	uint64_t reused_from, reused_to; /* where the answer depends on the time; empty: nowhere */
};

struct pipa_ingest_options {
	bool by_cpu;	/* keep samples of different CPUs apart */
	bool live;	/* earlier times are not looked up again; ended processes are dropped */
	bool no_stacks; /* only the innermost frame */
	/* For samples that have a stack's bytes instead of a chain; NULL: they stay as they are. */
	const struct pipa_unwind_source *unwind;
	uint32_t max_stack;		/* innermost frames kept, 0: all */
	uint64_t from_ns, until_ns;	/* only samples of this time range; until 0: no end */
	struct pipa_timeline *timeline; /* gets each sample with its time, or NULL */

	/*
	 * Return the profile's index of a record's event, called once for each; PIPA_NONE on
	 * allocation failure.
	 */
	uint32_t (*event)(void *ctx, uint32_t event);

	/*
	 * Return the profile's label set of a sample; PIPA_NONE on allocation failure. NULL: none has labels.
	 */
	uint32_t (*labels)(void *ctx, const struct pipa_rec_id *id,
			   const struct pipa_rec_sample *sample);

	/* Is the mapping a jitdump? NULL: none is supported. */
	bool (*code)(void *ctx, const struct pipa_rec_map *map, struct pipa_ingest_code *ret);
	void *ctx;
};

/* The profile is borrowed. NULL on allocation failure. */
struct pipa_ingest *pipa_ingest_new(struct pipa_profile *profile,
				    const struct pipa_ingest_options *options);
void pipa_ingest_free(struct pipa_ingest *ingest);

struct pipa_record_sink *pipa_ingest_sink(struct pipa_ingest *ingest);

/* Bring the profile up to date; more samples may follow. 0 or -ENOMEM. */
int pipa_ingest_flush(struct pipa_ingest *ingest);

/* Stop calling event_of(): its context ends. */
void pipa_ingest_forget_events(struct pipa_ingest *ingest);

/* Attributes of a sample as indices of the profile. */
struct pipa_ingest_found {
	uint32_t stack; /* PIPA_NONE: it has none */
	uint32_t thread;
	const uint64_t *chain; /* its frames, unless it has only an address; valid until */
	size_t chain_len;      /* the next one is looked for */
	bool unwound;	       /* the user's part of it was found in the stack's bytes */
};

/*
 * Look up a sample without adding it, for a second pass over samples after symbolization. In any
 * order, because side-band data is kept by time. 0 or -ENOMEM.
 */
int pipa_ingest_find(struct pipa_ingest *ingest, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *sample, struct pipa_ingest_found *ret);

/*
 * Unwind a sample without adding it, for unwinding while recording. Returns 1 and the chain, 0 if
 * it has no stack dump, or -ENOMEM. Samples come nearly in time order.
 */
int pipa_ingest_unwind(struct pipa_ingest *ingest, const struct pipa_rec_id *id,
		       const struct pipa_rec_sample *sample, struct pipa_unwound_chain *ret);

/*
 * Drop the mappings of processes whose exit record came before the last call. For live sources, when the rings
 * have been emptied once: by the next time the last samples of a process have come from all of them.
 */
void pipa_ingest_end_round(struct pipa_ingest *ingest);

#endif
