/* Files that gzip or zstd made, by what they begin with: at once, or piece by piece. */
#ifndef PIPA_CODEC_DECOMPRESS_H
#define PIPA_CODEC_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cursor.h"

struct pipa_buf;
struct pipa_unzipper;

bool pipa_is_zipped(const void *bytes, size_t len);

/*
 * Append what is inside, its several parts behind each other; the buffer's ceiling bounds it: -EFBIG.
 * *ret_whole: it was not cut off or damaged; what came before is there either way.
 */
int pipa_unzip(const void *bytes, size_t len, struct pipa_buf *out, bool *ret_whole);

/* For a file with such a beginning. NULL without memory. */
struct pipa_unzipper *pipa_unzipper_new(const void *bytes, size_t len);
void pipa_unzipper_free(struct pipa_unzipper *unzipper);

/*
 * Takes from `in`, moving it on, and returns how many bytes it wrote; call again until it writes less
 * than size and `in` is empty. -EBADMSG when the bytes make no sense, -ENOMEM.
 */
ssize_t pipa_unzipper_next(struct pipa_unzipper *unzipper, struct pipa_cursor *in, void *out,
			   size_t size);

/* Could the file end where the last bytes did? */
bool pipa_unzipper_is_whole(const struct pipa_unzipper *unzipper);

static inline void pipa_unzipper_free_auto(struct pipa_unzipper **unzipper)
{
	pipa_unzipper_free(*unzipper);
}

#endif
