/*
 * SHA-256 (FIPS 180-4), for ids and security policies: by OpenSSL, which is optional, or else by a
 * function of our own.
 */
#ifndef PIPA_CODEC_SHA256_H
#define PIPA_CODEC_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { PIPA_SHA256_SIZE = 32 };

void pipa_sha256(const void *bytes, size_t len, uint8_t ret[PIPA_SHA256_SIZE]);

/* The sum of bytes that come in pieces. */
struct pipa_sha256 {
	uint32_t state[8];
	uint64_t len;
	uint8_t block[64]; /* the last len % 64 bytes */
};

void pipa_sha256_init(struct pipa_sha256 *sha);
void pipa_sha256_add(struct pipa_sha256 *sha, const void *bytes, size_t len);
void pipa_sha256_end(struct pipa_sha256 *sha, uint8_t ret[PIPA_SHA256_SIZE]);

/* Write a sum as lower-case hexadecimal digits; returns text. */
enum { PIPA_SHA256_CHARS = 2 * PIPA_SHA256_SIZE };
const char *pipa_sha256_hex(const uint8_t sum[PIPA_SHA256_SIZE],
			    char text[static PIPA_SHA256_CHARS + 1]);

#endif
