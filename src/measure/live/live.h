/*
 * Sampling into a profile in memory that somebody looks at meanwhile. Records are kept as they come
 * and put into the profile when it is refreshed, so that it stays as it is while it is looked at.
 *
 * Memory is bounded: what ended processes had mapped is forgotten, and a profile that has grown too
 * large is begun again.
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

/* What of the samples is looked at. */
enum pipa_live_span {
	PIPA_LIVE_NOW,	/* all, the older the less: half after PIPA_LIVE_HALF_LIFE_S */
	PIPA_LIVE_LAST, /* those of the last refresh alone */
	PIPA_LIVE_ALL,	/* all since the start */
	PIPA_LIVE_SPAN_NR
};

struct pipa_live_options {
	struct pipa_record_options record; /* whom, events, rate, call chains, log */
	const uint32_t *uid; /* the processes of this user that are there, NULL: of anybody */
	struct pipa_symbolize_options symbols;
	size_t most; /* things that a profile may grow to, 0: some 200 MB worth */
	/* more records came than are kept until a refresh: refresh now */
	int (*full)(void *ctx, struct pipa_error *err);
	/* the command has ended and its records are read; may be NULL */
	int (*ended)(void *ctx, struct pipa_error *err);
	void *ctx;
	/*
	 * Gets what to exit with where the command says: its status when it has ended by itself, 126 or
	 * 127 when it could not be started; else it is left alone. May be NULL.
	 */
	int *status;
};

/*
 * Start sampling. Where sampling all processes is not permitted, those of the user are sampled and the log gets
 * a message. A command of the options is started, without input and output; closing ends it.
 */
int pipa_live_open(const struct pipa_host *host, struct pipa_loop *loop,
		   const struct pipa_live_options *options, struct pipa_live **ret,
		   struct pipa_error *err);
void pipa_live_close(struct pipa_live *live);

/*
 * Put what came into the profile; with `drop` everything but samples. Returns 1 when it was begun
 * again, so that no number of the old one means anything, else 0 or a negative errno.
 */
int pipa_live_refresh(struct pipa_live *live, bool drop, struct pipa_error *err);

/* valid until the next refresh. */
const struct pipa_profile *pipa_live_profile(const struct pipa_live *live,
					     enum pipa_live_span span);

/* Return the symbolizer of the profile, and of its spans, which share all but samples; borrowed. */
struct pipa_symbolizer *pipa_live_symbolizer(const struct pipa_live *live);

/* "997 Hz, all CPUs" */
const char *pipa_live_about(const struct pipa_live *live);

#endif
