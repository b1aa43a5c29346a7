/*
 * SHA-256 (FIPS 180-4), for ids and security policies. Written by hand because OpenSSL is
 * optional.
 */
#ifndef PIPA_CODEC_SHA256_H
#define PIPA_CODEC_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { PIPA_SHA256_SIZE = 32 };

void pipa_sha256(const void *bytes, size_t len, uint8_t ret[PIPA_SHA256_SIZE]);

#endif
