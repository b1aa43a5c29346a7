/*
 * Fast hash of words and bytes for tables in memory: multiply and fold, two words at a time. Not
 * for files (it may change) and not against an adversary who knows it.
 */
#ifndef PIPA_BASE_HASH_H
#define PIPA_BASE_HASH_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PIPA_HASH_SEED UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t pipa_hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t pipa_hash_u64(uint64_t value, uint64_t seed)
{
	return pipa_hash_fold(value ^ UINT64_C(0xa0761d6478bd642f),
			      seed ^ UINT64_C(0xe7037ed1a0b428db));
}

/* Two lanes, as a multiplication takes four cycles and the next one of its lane has to wait for it. */
static inline uint64_t pipa_hash_words(const uint64_t *words, size_t n, uint64_t seed)
{
	uint64_t other = seed + PIPA_HASH_SEED;
	size_t i;

	seed ^= n;
	for (i = 0; i + 3 < n; i += 4) {
		seed = pipa_hash_fold(words[i] ^ UINT64_C(0xa0761d6478bd642f), words[i + 1] ^ seed);
		other = pipa_hash_fold(words[i + 2] ^ UINT64_C(0xe7037ed1a0b428db),
				       words[i + 3] ^ other);
	}
	if (i + 1 < n) {
		seed = pipa_hash_fold(words[i] ^ UINT64_C(0xa0761d6478bd642f), words[i + 1] ^ seed);
		i += 2;
	}
	if (i < n)
		other = pipa_hash_u64(words[i], other);
	return pipa_hash_fold(seed ^ UINT64_C(0x8ebc6af09c88c6e3), other);
}

/* Fewer than eight bytes as the low ones of a word, zeros above them: no call, whatever their number. */
static inline uint64_t pipa_hash_rest(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint32_t first, last;

	if (len >= sizeof(first)) {
		memcpy(&first, p, sizeof(first));
		memcpy(&last, p + len - sizeof(last), sizeof(last));
		return le32toh(first) | (uint64_t)le32toh(last) << 8 * (len - sizeof(last));
	}
	return len ? p[0] | (uint64_t)p[len / 2] << len / 2 * 8 |
			       (uint64_t)p[len - 1] << (len - 1) * 8 :
		     0;
}

/* The length is hashed last, for callers that find the end of a string while hashing. */
static inline uint64_t pipa_hash_last(uint64_t rest, size_t len, uint64_t seed)
{
	return pipa_hash_u64(rest, seed ^ len);
}

static inline uint64_t pipa_hash_bytes(const void *bytes, size_t len, uint64_t seed)
{
	const unsigned char *p = bytes, *end = p + len;
	uint64_t word;

	for (; end - p >= (ptrdiff_t)sizeof(word); p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		seed = pipa_hash_u64(le64toh(word), seed);
	}
	return pipa_hash_last(pipa_hash_rest(p, (size_t)(end - p)), len, seed);
}

#endif
