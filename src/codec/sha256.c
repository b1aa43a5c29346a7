#include "codec/sha256.h"

#include <string.h>

#ifdef PIPA_HAVE_CRYPTO
#define OPENSSL_API_COMPAT                                                                         \
	0x10100000L /* the state is a plain struct there, without memory of its own */
#include <openssl/sha.h>
#endif

enum { BLOCK = 64, LENGTH = 8 };

#ifdef PIPA_HAVE_CRYPTO

/* By the instructions of the CPU for it, if it has them. */
static void add_blocks(uint32_t state[8], const uint8_t *blocks, size_t n)
{
	SHA256_CTX ctx;

	SHA256_Init(&ctx);
	memcpy(ctx.h, state, sizeof(ctx.h));
	SHA256_Update(&ctx, blocks, n * BLOCK);
	memcpy(state, ctx.h, sizeof(ctx.h));
}

#else

enum { ROUNDS = 64 };

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t rounds[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned int by)
{
	return x >> by | x << (32 - by);
}

static void add_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[ROUNDS];
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	size_t i;

	for (i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (; i < ROUNDS; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];

		w[i] = w[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[i - 7] +
		       (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
	}
	for (i = 0; i < ROUNDS; i++) {
		uint32_t one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) +
			       rounds[i] + w[i];
		uint32_t two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
			       ((a & b) ^ (a & c) ^ (b & c));

		h = g;
		g = f;
		f = e;
		e = d + one;
		d = c;
		c = b;
		b = a;
		a = one + two;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

static void add_blocks(uint32_t state[8], const uint8_t *blocks, size_t n)
{
	for (; n; n--, blocks += BLOCK)
		add_block(state, blocks);
}

#endif

void pipa_sha256_init(struct pipa_sha256 *sha)
{
	*sha = (struct pipa_sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
						0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void pipa_sha256_add(struct pipa_sha256 *sha, const void *bytes, size_t len)
{
	size_t held = sha->len % BLOCK, n = BLOCK - held;
	const uint8_t *pos = bytes;

	sha->len += len;
	if (held && len >= n) {
		memcpy(sha->block + held, pos, n);
		add_blocks(sha->state, sha->block, 1);
		pos += n;
		len -= n;
		held = 0;
	}
	if (!held && len >= BLOCK) {
		add_blocks(sha->state, pos, len / BLOCK);
		pos += len - len % BLOCK;
		len %= BLOCK;
	}
	if (len)
		memcpy(sha->block + held, pos, len);
}

void pipa_sha256_end(struct pipa_sha256 *sha, uint8_t ret[PIPA_SHA256_SIZE])
{
	uint8_t last[2 * BLOCK] = { 0 };
	size_t left = sha->len % BLOCK, size, i;

	memcpy(last, sha->block, left);
	last[left] = 0x80; /* then zeros, and how many bits it was */
	size = left + 1 + LENGTH <= BLOCK ? BLOCK : 2 * BLOCK;
	for (i = 0; i < LENGTH; i++)
		last[size - 1 - i] = (uint8_t)(sha->len << 3 >> 8 * i);
	add_blocks(sha->state, last, size / BLOCK);
	for (i = 0; i < PIPA_SHA256_SIZE; i++)
		ret[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void pipa_sha256(const void *bytes, size_t len, uint8_t ret[PIPA_SHA256_SIZE])
{
	struct pipa_sha256 sha;

	pipa_sha256_init(&sha);
	pipa_sha256_add(&sha, bytes, len);
	pipa_sha256_end(&sha, ret);
}

const char *pipa_sha256_hex(const uint8_t sum[PIPA_SHA256_SIZE],
			    char text[static PIPA_SHA256_CHARS + 1])
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < PIPA_SHA256_SIZE; i++) {
		text[2 * i] = digits[sum[i] >> 4];
		text[2 * i + 1] = digits[sum[i] & 15];
	}
	text[PIPA_SHA256_CHARS] = '\0';
	return text;
}
