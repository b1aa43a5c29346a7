#include "base/buf.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MAX = 64 << 20, FIRST_CAP = 256 };

void pipa_buf_done(struct pipa_buf *buf)
{
	free(buf->data);
	*buf = (struct pipa_buf){ .max = buf->max };
}

void pipa_buf_reset(struct pipa_buf *buf)
{
	buf->len = 0;
	buf->status = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

/* Make room for `more` bytes and the NUL after them. */
static bool reserve(struct pipa_buf *buf, size_t more)
{
	size_t max = buf->max ? buf->max : DEFAULT_MAX;
	size_t cap = buf->cap ? buf->cap : FIRST_CAP;
	char *data;

	if (buf->status)
		return false;
	if (more >= max || buf->len + more >= max) {
		buf->status = -EFBIG;
		return false;
	}
	if (buf->len + more < buf->cap)
		return true;

	while (cap <= buf->len + more)
		cap *= 2;
	data = realloc(buf->data, cap);
	if (!data) {
		buf->status = -ENOMEM;
		return false;
	}
	buf->data = data;
	buf->cap = cap;
	return true;
}

char *pipa_buf_room(struct pipa_buf *buf, size_t most)
{
	return reserve(buf, most) ? buf->data + buf->len : NULL;
}

void pipa_buf_add(struct pipa_buf *buf, const void *bytes, size_t len)
{
	if (!len || !reserve(buf, len))
		return;
	memcpy(buf->data + buf->len, bytes, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void pipa_buf_puts(struct pipa_buf *buf, const char *text)
{
	pipa_buf_add(buf, text, strlen(text));
}

void pipa_buf_putc(struct pipa_buf *buf, char c)
{
	pipa_buf_add(buf, &c, 1);
}

void pipa_buf_fill(struct pipa_buf *buf, char c, size_t count)
{
	if (!count || !reserve(buf, count))
		return;
	memset(buf->data + buf->len, c, count);
	buf->len += count;
	buf->data[buf->len] = '\0';
}

void pipa_buf_vprintf(struct pipa_buf *buf, const char *fmt, va_list ap)
{
	size_t room = buf->cap - buf->len;
	va_list again;
	int n;

	if (buf->status)
		return;

	va_copy(again, ap);
	n = vsnprintf(buf->data ? buf->data + buf->len : NULL, room, fmt, ap);
	if (n < 0)
		buf->status = -EINVAL;
	else if (reserve(buf, (size_t)n) && (size_t)n >= room)
		vsnprintf(buf->data + buf->len, (size_t)n + 1, fmt, again);
	va_end(again);

	if (!buf->status)
		buf->len += (size_t)n;
	else if (buf->data)
		buf->data[buf->len] = '\0';
}

void pipa_buf_put_u64(struct pipa_buf *buf, uint64_t value)
{
	char digits[20], *at = digits + sizeof(digits);

	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	pipa_buf_add(buf, at, (size_t)(digits + sizeof(digits) - at));
}

void pipa_buf_put_i64(struct pipa_buf *buf, int64_t value)
{
	if (value < 0)
		pipa_buf_putc(buf, '-');
	pipa_buf_put_u64(buf, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void pipa_buf_printf(struct pipa_buf *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	pipa_buf_vprintf(buf, fmt, ap);
	va_end(ap);
}

const char *pipa_buf_str(const struct pipa_buf *buf)
{
	return buf->data ? buf->data : "";
}

char *pipa_buf_take(struct pipa_buf *buf)
{
	char *text = NULL;

	if (!buf->status)
		text = buf->data ? PIPA_TAKE(buf->data) : strdup("");
	pipa_buf_done(buf);
	return text;
}
