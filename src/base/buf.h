/*
 * Growing byte buffer with a size limit.
 *
 * Appending never fails at the call: the first failure (no memory, limit reached) is kept in
 * `status`, later appends do nothing, and one check at the end is enough. The bytes are always
 * followed by a NUL that is not counted in `len`.
 */
#ifndef PIPA_BASE_BUF_H
#define PIPA_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"

struct pipa_buf {
	char *data; /* NULL until the first byte; use pipa_buf_str() to print */
	size_t len;
	size_t cap;
	size_t max; /* the ceiling in bytes, 0 for 64 MiB */
	int status; /* 0, or the first failure: -ENOMEM, -EFBIG */
};

void pipa_buf_done(struct pipa_buf *buf);
void pipa_buf_reset(struct pipa_buf *buf); /* empty, keep the memory, forget the failure */

void pipa_buf_add(struct pipa_buf *buf, const void *bytes, size_t len);
void pipa_buf_puts(struct pipa_buf *buf, const char *text);
void pipa_buf_putc(struct pipa_buf *buf, char c);
void pipa_buf_fill(struct pipa_buf *buf, char c, size_t count);
void pipa_buf_put_u64(struct pipa_buf *buf, uint64_t value); /* decimal digits */
void pipa_buf_put_i64(struct pipa_buf *buf, int64_t value);
void pipa_buf_printf(struct pipa_buf *buf, const char *fmt, ...) PIPA_PRINTF(2, 3);
void pipa_buf_vprintf(struct pipa_buf *buf, const char *fmt, va_list ap) PIPA_PRINTF(2, 0);

/*
 * Reserve up to `most` bytes after the text, to be written in place; NULL after a failure.
 * pipa_buf_wrote() makes the written bytes count.
 */
char *pipa_buf_room(struct pipa_buf *buf, size_t most);
static inline void pipa_buf_wrote(struct pipa_buf *buf, size_t n)
{
	buf->len += n;
	buf->data[buf->len] = '\0';
}

/* Return the text so far, never NULL; valid until the next append. */
const char *pipa_buf_str(const struct pipa_buf *buf);

/* Move the bytes out as a heap string and leave the buffer empty; NULL if it had failed. */
char *pipa_buf_take(struct pipa_buf *buf);

static inline void pipa_buf_done_auto(struct pipa_buf *buf)
{
	pipa_buf_done(buf);
}

#endif
