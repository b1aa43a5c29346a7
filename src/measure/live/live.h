/*
 * Sample into a profile in memory that is shown meanwhile. Records are stored until a refresh adds
 * them to the profile, so that it does not change while it is shown.
 *
 * Memory is bounded: mappings of ended processes are dropped, and a profile that exceeds its limit
 * is started again.
 */
#ifndef PIPA_MEASURE_LIVE_LIVE_H
#define PIPA_MEASURE_LIVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/profile/live_spans.h"
#include "measure/sample/record.h"
#include "model/profile.h"
#include "symbolize/symbolize.h"

struct pipa_error;
struct pipa_host;
struct pipa_live;
struct pipa_loop;

/* Samples that are shown. */
enum pipa_live_span {
	PIPA_LIVE_NOW,	/* all, with exponential decay: half after PIPA_LIVE_HALF_LIFE_S */
	PIPA_LIVE_LAST, /* only those of the last refresh */
	PIPA_LIVE_ALL,	/* all since the start */
	PIPA_LIVE_SPAN_NR
};

struct pipa_live_options {
	struct pipa_record_options record; /* target, events, rate, call chains, log */
	const uint32_t *uid; /* the existing processes of this user; NULL: all users */
	struct pipa_symbolize_options symbols;
	size_t most; /* limit on entries of the profile, 0: about 200 MB */
	/* the buffer of records is full: refresh now */
	int (*full)(void *ctx, struct pipa_error *err);
	/* the command has ended and its records were read; may be NULL */
	int (*ended)(void *ctx, struct pipa_error *err);
	void *ctx;
	/*
	 * Set to the exit status that results from the command: its status if it has ended, 126 or
	 * 127 if it could not be started; otherwise unchanged. May be NULL.
	 */
	int *status;
};

/*
 * Start sampling. If sampling all processes is not permitted, those of the user are sampled, with a
 * note. A command of the options is started with /dev/null as input and output; closing ends it.
 */
int pipa_live_open(const struct pipa_host *host, struct pipa_loop *loop,
		   const struct pipa_live_options *options, struct pipa_live **ret,
		   struct pipa_error *err);
void pipa_live_close(struct pipa_live *live);

/*
 * Add the stored records to the profile; with `drop` all but samples. Returns 1 if the profile was
 * started again, which invalidates all its indexes, else 0 or a negative errno.
 */
int pipa_live_refresh(struct pipa_live *live, bool drop, struct pipa_error *err);

/* Return the profile of a span, valid until the next refresh. */
const struct pipa_profile *pipa_live_profile(const struct pipa_live *live,
					     enum pipa_live_span span);

/* Return the symbolizer of the profile, and of its spans, which share all but samples; borrowed. */
struct pipa_symbolizer *pipa_live_symbolizer(const struct pipa_live *live);

/* Return a description, "997 Hz, all CPUs". */
const char *pipa_live_about(const struct pipa_live *live);

#endif
