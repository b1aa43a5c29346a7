/*
 * SHA-256 of bytes that are all there: names for collections, nothing secret.
 *
 * By hand: the only library that has it here is OpenSSL, which is 5 MB and optional.
 */
#ifndef PIPA_CODEC_SHA256_H
#define PIPA_CODEC_SHA256_H

#include <stddef.h>
#include <stdint.h>

void pipa_sha256(const void *bytes, size_t len, uint8_t ret[static 32]);

#endif
