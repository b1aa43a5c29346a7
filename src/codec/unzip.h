/* Files that gzip or zstd made, by what they begin with. */
#ifndef PIPA_CODEC_UNZIP_H
#define PIPA_CODEC_UNZIP_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_buf;

bool pipa_is_zipped(const void *bytes, size_t len);

/*
 * Append what is inside, its several parts behind each other; the buffer's ceiling bounds it: -EFBIG.
 * *ret_whole: it was not cut off or damaged; what came before is there either way.
 */
int pipa_unzip(const void *bytes, size_t len, struct pipa_buf *out, bool *ret_whole);

#endif
