/*
 * Pass a long text to a callback in pieces: a writer appends to `buf` and calls pipa_pieces_flush() between entries, so that
 * memory is bounded by a piece and the longest entry.
 */
#ifndef PIPA_BASE_PIECES_H
#define PIPA_BASE_PIECES_H

#include <stdbool.h>

#include "base/buf.h"

/* Receive a piece, which ends anywhere. A return below 0 ends the text. */
typedef int pipa_put_fn(void *ctx, const char *bytes, size_t len);

struct pipa_pieces {
	struct pipa_buf buf; /* bytes that are not passed on yet */
	pipa_put_fn *put;
	void *ctx;
	int status; /* 0, or the first failure: of the buffer, of put(), or set by the writer */
};

/* Pass the bytes on if there is a piece of them. Returns false after a failure, which `status` has. */
bool pipa_pieces_flush(struct pipa_pieces *pieces);

/* Pass the rest on. Returns the status. `buf` is freed by its owner. */
int pipa_pieces_end(struct pipa_pieces *pieces);

#endif
