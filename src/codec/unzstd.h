/* A zstd stream, unpacked piece by piece. */
#ifndef PIPA_CODEC_UNZSTD_H
#define PIPA_CODEC_UNZSTD_H

#include <stddef.h>
#include <sys/types.h>

#include "base/cursor.h"

struct pipa_unzstd;

struct pipa_unzstd *pipa_unzstd_new(void); /* NULL without memory */
void pipa_unzstd_free(struct pipa_unzstd *stream);

/* The next bytes are the beginning of a stream. */
void pipa_unzstd_restart(struct pipa_unzstd *stream);

/*
 * Takes from `in`, moving it on, until out is full or nothing more comes of it. Returns how many bytes
 * it wrote; fewer than size: all of `in` was taken. -EBADMSG when the stream is broken.
 */
ssize_t pipa_unzstd_next(struct pipa_unzstd *stream, struct pipa_cursor *in, void *out,
			 size_t size);

#endif
