/*
 * Compress and decompress zstd streams. The output of each call can be decompressed without that
 * of later calls; it depends on earlier calls since the last restart.
 */
#ifndef PIPA_CODEC_ZSTD_H
#define PIPA_CODEC_ZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cursor.h"

struct pipa_buf;
struct pipa_zstd_compressor;
struct pipa_zstd_decompressor;

struct pipa_zstd_compressor *pipa_zstd_compressor_new(
	void); /* for histories; NULL on allocation failure */

/* With a level, for callers that know how much time compression may take. */
enum { PIPA_ZSTD_LEVEL_MAX = 22 };
struct pipa_zstd_compressor *pipa_zstd_compressor_new_level(
	int level); /* 1 to 22; NULL on allocation failure */
/* With a checksum at the end: for files, not for streams that are never ended. */
void pipa_zstd_compressor_check(struct pipa_zstd_compressor *packer);
void pipa_zstd_compressor_free(struct pipa_zstd_compressor *packer);
void pipa_zstd_compressor_restart(struct pipa_zstd_compressor *packer);

/* Append the compressed bytes; 0 or a negative errno. Restart after a failure. */
int pipa_zstd_compressor_put(struct pipa_zstd_compressor *packer, const void *bytes, size_t len,
			     struct pipa_buf *out);

/*
 * The same into a room of bounded size: takes from `in`, moving it on, and returns how many bytes it
 * wrote; call again until it writes less than size and `in` is empty. -EIO on failure.
 */
ssize_t pipa_zstd_compressor_next(struct pipa_zstd_compressor *packer, struct pipa_cursor *in,
				  void *out, size_t size);

/* Append the end of the stream; later input starts another one. */
int pipa_zstd_compressor_end(struct pipa_zstd_compressor *packer, struct pipa_buf *out);

struct pipa_zstd_decompressor *pipa_zstd_decompressor_new(void); /* NULL on allocation failure */
void pipa_zstd_decompressor_free(struct pipa_zstd_decompressor *unpacker);
void pipa_zstd_decompressor_restart(struct pipa_zstd_decompressor *unpacker);

/*
 * Append what the bytes hold; the buffer's ceiling bounds it: -EFBIG. -EBADMSG when they make no
 * sense or need more memory than ours ever do. After a failure: restart.
 */
int pipa_zstd_decompressor_put(struct pipa_zstd_decompressor *unpacker, const void *bytes,
			       size_t len, struct pipa_buf *out);

/* The same into a room of bounded size, as pipa_zstd_compressor_next(); -EBADMSG. */
ssize_t pipa_zstd_decompressor_next(struct pipa_zstd_decompressor *unpacker, struct pipa_cursor *in,
				    void *out, size_t size);

/* Does the stream end where the last bytes did? */
bool pipa_zstd_decompressor_is_whole(const struct pipa_zstd_decompressor *unpacker);

#endif
