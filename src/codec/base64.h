/* Base64 (RFC 4648). */
#ifndef PIPA_CODEC_BASE64_H
#define PIPA_CODEC_BASE64_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_buf;

/* Add the bytes encoded, with padding. */
void pipa_base64_put(struct pipa_buf *out, const void *bytes, size_t len);

/*
 * Add the bytes that the text encodes: either alphabet, with padding or without. Returns false if it is
 * malformed; out->status has other failures.
 */
bool pipa_base64_take(struct pipa_buf *out, const char *text, size_t len);

#endif
