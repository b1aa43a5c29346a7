/*
 * Streams of zstd. What is packed in one call can be unpacked when its bytes are there, without those
 * of later calls; it leans on those of earlier calls since the last restart, and so must the reader.
 */
#ifndef PIPA_CODEC_ZSTD_H
#define PIPA_CODEC_ZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cursor.h"

struct pipa_buf;
struct pipa_packer;
struct pipa_unpacker;

struct pipa_packer *pipa_packer_new(void); /* for histories; NULL without memory */

/* For whoever knows how much time packing may take. */
enum { PIPA_PACKER_LEVEL_MAX = 22 };
struct pipa_packer *pipa_packer_new_level(int level); /* 1 to 22; NULL without memory */
/* Its end tells whether all is as it was packed: for what is kept, not for what is never ended. */
void pipa_packer_check(struct pipa_packer *packer);
void pipa_packer_free(struct pipa_packer *packer);
void pipa_packer_restart(struct pipa_packer *packer);

/* Append the packed bytes; 0 or a negative errno. After a failure: restart. */
int pipa_packer_put(struct pipa_packer *packer, const void *bytes, size_t len,
		    struct pipa_buf *out);

/*
 * The same into a room of bounded size: takes from `in`, moving it on, and returns how many bytes it
 * wrote; call again until it writes less than size and `in` is empty. -EIO on failure.
 */
ssize_t pipa_packer_next(struct pipa_packer *packer, struct pipa_cursor *in, void *out,
			 size_t size);

/* Append the end of the stream, with which it is whole; what is put then begins another one. */
int pipa_packer_end(struct pipa_packer *packer, struct pipa_buf *out);

struct pipa_unpacker *pipa_unpacker_new(void); /* NULL without memory */
void pipa_unpacker_free(struct pipa_unpacker *unpacker);
void pipa_unpacker_restart(struct pipa_unpacker *unpacker);

/*
 * Append what the bytes hold; the buffer's ceiling bounds it: -EFBIG. -EBADMSG when they make no
 * sense or need more memory than ours ever do. After a failure: restart.
 */
int pipa_unpacker_put(struct pipa_unpacker *unpacker, const void *bytes, size_t len,
		      struct pipa_buf *out);

/* The same into a room of bounded size, as pipa_packer_next(); -EBADMSG. */
ssize_t pipa_unpacker_next(struct pipa_unpacker *unpacker, struct pipa_cursor *in, void *out,
			   size_t size);

/* Does the stream end where the last bytes did? */
bool pipa_unpacker_is_whole(const struct pipa_unpacker *unpacker);

#endif
