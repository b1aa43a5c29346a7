/*
 * Sampling into a profile in memory that somebody looks at meanwhile. Records are kept as they come and put
 * into the profile when it is refreshed, so that it stays as it is while it is looked at.
 *
 * Memory is bounded: what ended processes had mapped is forgotten, and a profile that has grown too large is
 * begun anew.
 */
#ifndef PIPA_JOB_LIVE_H
#define PIPA_JOB_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "job/record.h"
#include "job/symbolize.h"
#include "model/profile.h"

struct pipa_error;
struct pipa_live;
struct pipa_loop;

struct pipa_live_options {
	struct pipa_record_options record; /* whom, events, rate, call chains, say() */
	struct pipa_symbolize_options symbols;
	size_t most; /* things that a profile may grow to, 0: some 200 MB worth */
	/* More came than is kept until a refresh: do it now. */
	int (*full)(void *ctx);
	void *ctx;
};

/* Samples from now on. Where all processes are not permitted, one's own are sampled and say() tells so. */
int pipa_live_open(struct pipa_loop *loop, const struct pipa_live_options *options,
		   struct pipa_live **ret, struct pipa_error *err);
void pipa_live_close(struct pipa_live *live);

/*
 * Put what came into the profile; with `drop` everything but samples. Returns 1 when it was begun anew, so
 * that no number of the old one means anything, else 0 or a negative errno.
 */
int pipa_live_refresh(struct pipa_live *live, bool drop, struct pipa_error *err);

/* All samples, or those of the last refresh alone; a loan until the next one. */
const struct pipa_profile *pipa_live_profile(const struct pipa_live *live, bool last);

/* "997 Hz, all CPUs" */
const char *pipa_live_about(const struct pipa_live *live);

#endif
