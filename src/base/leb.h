/*
 * Decode LEB128: seven bits per byte, lowest first, the eighth bit set if more follow. Used by
 * DWARF, pprof and histories.
 */
#ifndef PIPA_BASE_LEB_H
#define PIPA_BASE_LEB_H

#include <errno.h>
#include <stdint.h>

#include "base/cursor.h"

/* More than 64 bits, or no end: zero, and the cursor's status is set. */
static inline uint64_t pipa_get_uleb(struct pipa_cursor *c)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	if (c->pos < c->end && *c->pos < 0x80)
		return *c->pos++;
	for (; c->pos < c->end && shift < 64; shift += 7) {
		uint8_t byte = *c->pos++; // NOLINT(clang-analyzer-core.NullDereference)

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	c->pos = c->end;
	c->status = -EBADMSG;
	return 0;
}

/* The same in two's complement: the last byte's bit 6 is the sign. */
static inline int64_t pipa_get_sleb(struct pipa_cursor *c)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	for (; c->pos < c->end && shift < 64; shift += 7) {
		uint8_t byte = *c->pos++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte >= 0x80)
			continue;
		if (shift < 57 && byte & 0x40)
			value |= UINT64_MAX << (shift + 7);
		return (int64_t)value;
	}
	c->pos = c->end;
	c->status = -EBADMSG;
	return 0;
}

#endif
