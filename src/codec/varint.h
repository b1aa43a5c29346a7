/*
 * Encode integers in as few bytes as they need (base/leb.h decodes them). Signed ones are zigzag-
 * encoded.
 */
#ifndef PIPA_CODEC_VARINT_H
#define PIPA_CODEC_VARINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/leb.h"

static inline uint64_t pipa_zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t pipa_unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static inline void pipa_varint_put(struct pipa_buf *out, uint64_t value)
{
	unsigned char bytes[10];
	size_t n = 0;

	while (value >= 0x80) {
		bytes[n++] = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	bytes[n++] = (unsigned char)value;
	pipa_buf_add(out, bytes, n);
}

/* Fixed widths, the lowest byte first, whatever the machine. */
static inline void pipa_le_put(unsigned char *to, uint64_t value, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		to[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t pipa_le_get(const unsigned char *from, size_t bytes)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		value |= (uint64_t)from[i] << (8 * i);
	return value;
}

#endif
