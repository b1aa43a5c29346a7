#include "net/grpc.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/clock.h"
#include "codec/decompress.h"
#include "net/h2.h"

/* ---- status ---------------------------------------------------------------------------------------------- */

static const char *const names[PIPA_GRPC_CODE_NR] = {
	[PIPA_GRPC_OK] = "OK",
	[PIPA_GRPC_CANCELLED] = "CANCELLED",
	[PIPA_GRPC_UNKNOWN] = "UNKNOWN",
	[PIPA_GRPC_INVALID_ARGUMENT] = "INVALID_ARGUMENT",
	[PIPA_GRPC_DEADLINE_EXCEEDED] = "DEADLINE_EXCEEDED",
	[PIPA_GRPC_NOT_FOUND] = "NOT_FOUND",
	[PIPA_GRPC_ALREADY_EXISTS] = "ALREADY_EXISTS",
	[PIPA_GRPC_PERMISSION_DENIED] = "PERMISSION_DENIED",
	[PIPA_GRPC_RESOURCE_EXHAUSTED] = "RESOURCE_EXHAUSTED",
	[PIPA_GRPC_FAILED_PRECONDITION] = "FAILED_PRECONDITION",
	[PIPA_GRPC_ABORTED] = "ABORTED",
	[PIPA_GRPC_OUT_OF_RANGE] = "OUT_OF_RANGE",
	[PIPA_GRPC_UNIMPLEMENTED] = "UNIMPLEMENTED",
	[PIPA_GRPC_INTERNAL] = "INTERNAL",
	[PIPA_GRPC_UNAVAILABLE] = "UNAVAILABLE",
	[PIPA_GRPC_DATA_LOSS] = "DATA_LOSS",
	[PIPA_GRPC_UNAUTHENTICATED] = "UNAUTHENTICATED",
};

const char *pipa_grpc_code_name(int code)
{
	return code >= 0 && code < PIPA_GRPC_CODE_NR ? names[code] : names[PIPA_GRPC_UNKNOWN];
}

/* See "HTTP to gRPC Status Code Mapping" in gRPC's documentation. */
enum pipa_grpc_code pipa_grpc_code_of_http(int status)
{
	switch (status) {
	case 400: return PIPA_GRPC_INTERNAL;
	case 401: return PIPA_GRPC_UNAUTHENTICATED;
	case 403: return PIPA_GRPC_PERMISSION_DENIED;
	case 404: return PIPA_GRPC_UNIMPLEMENTED;
	case 429:
	case 502:
	case 503:
	case 504: return PIPA_GRPC_UNAVAILABLE;
	default: return PIPA_GRPC_UNKNOWN;
	}
}

enum pipa_grpc_code pipa_grpc_code_of_reset(uint32_t h2_code)
{
	switch (h2_code) {
	case PIPA_H2_REFUSED_STREAM: return PIPA_GRPC_UNAVAILABLE;
	case PIPA_H2_CANCEL: return PIPA_GRPC_CANCELLED;
	case PIPA_H2_ENHANCE_YOUR_CALM: return PIPA_GRPC_RESOURCE_EXHAUSTED;
	case PIPA_H2_INADEQUATE_SECURITY: return PIPA_GRPC_PERMISSION_DENIED;
	default: return PIPA_GRPC_INTERNAL;
	}
}

/* ---- texts of fields ------------------------------------------------------------------------------------- */

static const struct {
	char letter;
	uint64_t ns;
} timeout_units[] = {
	{ 'n', 1 },
	{ 'u', 1000 },
	{ 'm', PIPA_NS_PER_MS },
	{ 'S', PIPA_NS_PER_SEC },
	{ 'M', 60000000000ULL },
	{ 'H', 3600000000000ULL },
};

enum { TIMEOUT_DIGITS_MAX = 99999999 };

const char *pipa_grpc_timeout(uint64_t ns, char text[static PIPA_GRPC_TIMEOUT_MAX])
{
	size_t i;

	for (i = 0; i + 1 < PIPA_COUNT(timeout_units); i++)
		if (ns / timeout_units[i].ns < TIMEOUT_DIGITS_MAX)
			break;
	ns = ns / timeout_units[i].ns + (ns % timeout_units[i].ns != 0);
	snprintf(text, PIPA_GRPC_TIMEOUT_MAX, "%u%c",
		 (unsigned int)(ns < TIMEOUT_DIGITS_MAX ? ns : TIMEOUT_DIGITS_MAX),
		 timeout_units[i].letter);
	return text;
}

int pipa_grpc_timeout_parse(struct pipa_span text, uint64_t *ret_ns)
{
	uint64_t value = 0;
	size_t i, unit;

	if (text.size < 2 || text.size > 9)
		return -EINVAL;
	for (i = 0; i + 1 < text.size; i++) {
		if (!isdigit(text.data[i]))
			return -EINVAL;
		value = value * 10 + (uint64_t)(text.data[i] - '0');
	}
	for (unit = 0; unit < PIPA_COUNT(timeout_units); unit++)
		if (timeout_units[unit].letter == (char)text.data[i])
			break;
	if (unit == PIPA_COUNT(timeout_units))
		return -EINVAL;
	*ret_ns = value > INT64_MAX / timeout_units[unit].ns ? INT64_MAX :
							       value * timeout_units[unit].ns;
	return 0;
}

static int hex_value(uint8_t c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? (c | 0x20) - 'a' + 10 : -1;
}

void pipa_grpc_message_decode(struct pipa_span value, char *to, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < value.size && n + 1 < size; i++) {
		uint8_t c = value.data[i];

		int high = c == '%' && i + 2 < value.size ? hex_value(value.data[i + 1]) : -1;
		int low = high >= 0 ? hex_value(value.data[i + 2]) : -1;

		if (low >= 0) {
			c = (uint8_t)(high * 16 + low);
			i += 2;
		}
		if (c) /* a NUL would end the string */
			to[n++] = (char)c;
	}
	to[n] = '\0';
}

void pipa_grpc_message_encode(struct pipa_buf *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < ' ' || c > '~' || c == '%')
			pipa_buf_printf(out, "%%%02X", c);
		else
			pipa_buf_putc(out, (char)c);
	}
}

/* ---- length-prefixed messages ---------------------------------------------------------------------------- */

void pipa_grpc_prefix(uint8_t prefix[static PIPA_GRPC_PREFIX], bool compressed, uint32_t len)
{
	prefix[0] = compressed;
	prefix[1] = (uint8_t)(len >> 24);
	prefix[2] = (uint8_t)(len >> 16);
	prefix[3] = (uint8_t)(len >> 8);
	prefix[4] = (uint8_t)len;
}

enum pipa_grpc_encoding pipa_grpc_encoding_find(struct pipa_span name)
{
	static const char *const known[] = { [PIPA_GRPC_IDENTITY] = "identity",
					     [PIPA_GRPC_GZIP] = "gzip",
					     [PIPA_GRPC_ZSTD] = "zstd" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(known); i++)
		if (name.size == strlen(known[i]) && memcmp(name.data, known[i], name.size) == 0)
			return (enum pipa_grpc_encoding)i;
	return PIPA_GRPC_OTHER_ENCODING;
}

/* Parse the prefix, which is complete. */
static int begin_message(struct pipa_grpc_reader *r)
{
	r->left = (uint32_t)r->prefix[1] << 24 | (uint32_t)r->prefix[2] << 16 |
		  (uint32_t)r->prefix[3] << 8 | r->prefix[4];
	if (r->prefix[0] > 1)
		return -EBADMSG;
	if (r->prefix[0] && r->encoding != PIPA_GRPC_GZIP && r->encoding != PIPA_GRPC_ZSTD)
		return -EPROTO;
	if (r->left > r->max)
		return -EFBIG;
	pipa_buf_reset(&r->raw);
	r->raw.max = r->max + 1;
	return 0;
}

static int finish_message(struct pipa_grpc_reader *r, struct pipa_span *ret)
{
	struct pipa_span raw = { (const uint8_t *)pipa_buf_str(&r->raw), r->raw.len };
	int rc;

	r->n_prefix = 0;
	if (r->raw.status)
		return r->raw.status;
	*ret = raw;
	if (!r->prefix[0])
		return 1;
	pipa_buf_reset(&r->message);
	r->message.max = r->max + 1;
	rc = pipa_decompress(raw, &r->message); /* refuses to write more than max bytes */
	if (rc < 0)
		return rc == -EINVAL ? -EBADMSG : rc;
	*ret = (struct pipa_span){ (const uint8_t *)pipa_buf_str(&r->message), r->message.len };
	return 1;
}

int pipa_grpc_next(struct pipa_grpc_reader *r, struct pipa_cursor *in, struct pipa_span *ret)
{
	size_t n;
	int rc;

	while (r->n_prefix < PIPA_GRPC_PREFIX) {
		if (in->pos == in->end)
			return 0;
		r->prefix[r->n_prefix++] = *in->pos++;
		if (r->n_prefix == PIPA_GRPC_PREFIX) {
			rc = begin_message(r);
			if (rc < 0)
				return rc;
		}
	}
	n = pipa_cursor_left(in) < r->left ? pipa_cursor_left(in) : r->left;
	if (n)
		pipa_buf_add(&r->raw, in->pos, n);
	in->pos += n;
	r->left -= (uint32_t)n;
	return r->left ? 0 : finish_message(r, ret);
}

bool pipa_grpc_is_whole(const struct pipa_grpc_reader *r)
{
	return !r->n_prefix;
}

void pipa_grpc_reader_done(struct pipa_grpc_reader *r)
{
	pipa_buf_done(&r->raw);
	pipa_buf_done(&r->message);
}
