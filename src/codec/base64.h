/* Encode bytes as base64 (RFC 4648, with padding). */
#ifndef PIPA_CODEC_BASE64_H
#define PIPA_CODEC_BASE64_H

#include <stddef.h>

struct pipa_buf;

void pipa_base64_put(struct pipa_buf *out, const void *bytes, size_t len);

#endif
