/* Compress to a zlib stream (RFC 1950), as PNG and PDF have it: raw deflate with header and Adler-32. */
#ifndef PIPA_CODEC_ZLIB_H
#define PIPA_CODEC_ZLIB_H

#include <stddef.h>
#include <stdint.h>

struct pipa_buf;

/* Append the stream. 0, -ENOMEM, or -EFBIG if `out` would be too large. */
int pipa_zlib_compress(const void *bytes, size_t len, struct pipa_buf *out);

/* Continue an Adler-32 checksum, 1 at the start, with these bytes. */
uint32_t pipa_adler32(uint32_t adler, const void *bytes, size_t len);

#endif
