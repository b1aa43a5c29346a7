/*
 * Split text that comes in chunks into units (a line, or several that belong together), copying
 * only units that cross a chunk boundary.
 */
#ifndef PIPA_BASE_TEXT_CHUNKS_H
#define PIPA_BASE_TEXT_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* A unit that is incomplete after this many bytes is given up. */
#define PIPA_TEXT_CHUNKS_MAX ((size_t)4 << 20)

struct pipa_text_chunks {
	/*
	 * Consume complete units from the front and return how many bytes that was. The rest comes
	 * again with more lines after it; the unit then starts at the same byte.
	 */
	size_t (*eat)(struct pipa_text_chunks *self, const char *data, size_t len);
	/* The unit that has begun was too long and is gone. */
	void (*give_up)(struct pipa_text_chunks *self);
	struct pipa_buf carry; /* the incomplete unit */
	bool skip;	       /* up to the end of a line that was given up */
};

/* 0 or -ENOMEM. */
int pipa_text_chunks_put(struct pipa_text_chunks *feed, const char *bytes, size_t len);

/* End of input: ends the last line if needed. What is left in `carry` is not a complete unit. */
int pipa_text_chunks_end(struct pipa_text_chunks *feed);

void pipa_text_chunks_done(struct pipa_text_chunks *feed);

#endif
