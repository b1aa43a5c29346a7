/*
 * Split text that comes in chunks into units (a line, or several that belong together), copying
 * only units that cross a chunk boundary.
 */
#ifndef PIPA_BASE_TEXT_CHUNKS_H
#define PIPA_BASE_TEXT_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* A unit that is not whole after so many bytes is given up. */
#define PIPA_TEXT_CHUNKS_MAX ((size_t)4 << 20)

struct pipa_text_chunks {
	/*
	 * Takes whole units off the front and returns how many bytes that was. What is left comes
	 * again with more lines behind it; the unit then starts at the same byte.
	 */
	size_t (*eat)(struct pipa_text_chunks *self, const char *data, size_t len);
	/* The unit that has begun was too long and is gone. */
	void (*give_up)(struct pipa_text_chunks *self);
	struct pipa_buf carry; /* the unit that is not whole yet */
	bool skip;	       /* up to the end of a line that was given up */
};

/* 0 or -ENOMEM. */
int pipa_text_chunks_put(struct pipa_text_chunks *feed, const char *bytes, size_t len);

/* No more comes: ends the last line, if it has no end. What is left in `carry` is no whole unit. */
int pipa_text_chunks_end(struct pipa_text_chunks *feed);

void pipa_text_chunks_done(struct pipa_text_chunks *feed);

#endif
