/*
 * Compress to raw deflate (RFC 1951), for speed rather than size; by libdeflate if it was built
 * with it.
 */
#ifndef PIPA_CODEC_DEFLATE_H
#define PIPA_CODEC_DEFLATE_H

#include <stddef.h>

struct pipa_buf;

/* Appends. 0 or -ENOMEM, -EFBIG when out would be too large. */
int pipa_deflate(const void *bytes, size_t len, struct pipa_buf *out);

#endif
