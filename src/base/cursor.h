/*
 * Bounded reader of bytes in either byte order. A read past the end returns zero and sets
 * `status`, so that one check covers all fields of a record.
 */
#ifndef PIPA_BASE_CURSOR_H
#define PIPA_BASE_CURSOR_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pipa_cursor {
	const uint8_t *pos, *end;
	bool swapped; /* the bytes are of the other order */
	int status;   /* 0, or -EBADMSG after a read past the end */
};

static inline size_t pipa_cursor_left(const struct pipa_cursor *c)
{
	return (size_t)(c->end - c->pos);
}

/* Return the next n bytes, borrowed from the cursor's bytes; NULL if there are fewer. */
static inline const uint8_t *pipa_get_bytes(struct pipa_cursor *c, size_t n)
{
	const uint8_t *bytes = c->pos;

	if (c->status || pipa_cursor_left(c) < n) {
		c->status = -EBADMSG;
		return NULL;
	}
	c->pos += n;
	return bytes;
}

static inline void pipa_skip(struct pipa_cursor *c, size_t n)
{
	pipa_get_bytes(c, n);
}

static inline uint8_t pipa_get_u8(struct pipa_cursor *c)
{
	const uint8_t *bytes = pipa_get_bytes(c, 1);

	return bytes ? *bytes : 0;
}

#define PIPA_DEFINE_GET(bits)                                                                      \
	static inline uint##bits##_t pipa_get_u##bits(struct pipa_cursor *c)                       \
	{                                                                                          \
		const uint8_t *bytes = pipa_get_bytes(c, bits / 8);                                \
		uint##bits##_t value = 0;                                                          \
                                                                                                   \
		if (!bytes)                                                                        \
			return 0;                                                                  \
		memcpy(&value, bytes, sizeof(value));                                              \
		return c->swapped ? __builtin_bswap##bits(value) : value;                          \
	}

PIPA_DEFINE_GET(16)
PIPA_DEFINE_GET(32)
PIPA_DEFINE_GET(64)

/* Return the NUL-terminated string at the cursor and move after it; NULL if no NUL follows. */
static inline const char *pipa_get_str(struct pipa_cursor *c)
{
	const uint8_t *nul = c->status ? NULL : memchr(c->pos, 0, pipa_cursor_left(c));

	if (!nul) {
		c->status = -EBADMSG;
		return NULL;
	}
	return (const char *)pipa_get_bytes(c, (size_t)(nul - c->pos) + 1);
}

#endif
