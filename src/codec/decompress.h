/*
 * Decompress files and streams of gzip, zstd or xz, recognized by their magic number, and blocks of zlib or zstd whose
 * size is known. Streams that pipa writes itself: codec/zstd.h.
 */
#ifndef PIPA_CODEC_DECOMPRESS_H
#define PIPA_CODEC_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cursor.h"
#include "base/span.h"

struct pipa_buf;
struct pipa_decompressor;

/* Do the bytes begin with the magic number of gzip, zstd or xz? */
bool pipa_is_compressed(struct pipa_span file);

/*
 * Append the content of a whole file, all its members or frames. -EINVAL if it is not compressed, -EBADMSG
 * if it is truncated or corrupt, -EFBIG past the buffer's ceiling or if xz needs more than 64 MiB, -ENOMEM.
 * After an error the buffer holds the content up to there.
 */
int pipa_decompress(struct pipa_span file, struct pipa_buf *out);

/*
 * Decompress a block into exactly `size` bytes. -EBADMSG if it is corrupt or has another size, -ENOMEM.
 * zlib blocks are decompressed by libdeflate where pipa was built with it.
 */
int pipa_decompress_zlib(struct pipa_span block, void *out, size_t size);
int pipa_decompress_zstd(struct pipa_span block, void *out, size_t size);

/* Make a decompressor for a file that begins with these bytes: gzip if no magic number is known. */
struct pipa_decompressor *pipa_decompressor_new(struct pipa_span start);
void pipa_decompressor_free(struct pipa_decompressor *decompressor);

/*
 * Decompress from `in`, advancing it, and return the number of bytes written. Call it again until it writes
 * less than size and `in` is empty. -EBADMSG if the bytes are corrupt, -EFBIG as above, -ENOMEM.
 */
ssize_t pipa_decompressor_next(struct pipa_decompressor *decompressor, struct pipa_cursor *in,
			       void *out, size_t size);

/* Can the file end at the current position? */
bool pipa_decompressor_is_whole(const struct pipa_decompressor *decompressor);

static inline void pipa_decompressor_free_auto(struct pipa_decompressor **decompressor)
{
	pipa_decompressor_free(*decompressor);
}

#endif
