#include "net/http.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void pipa_http_init(struct pipa_http *h)
{
	h->state = PIPA_HTTP_STATUS;
	h->status = 0;
	h->length = PIPA_HTTP_UNTIL_CLOSE;
	h->location[0] = h->type[0] = h->retry_after[0] = '\0';
	h->closes = false;
	h->chunked = h->has_length = false;
	h->left = 0;
	h->head = h->line_len = 0;
}

/* Read a line without its end into h->line, truncated if it is too long. 1, or 0 while it is incomplete. */
static int read_line(struct pipa_http *h, struct pipa_cursor *in)
{
	while (in->pos < in->end) {
		char c = (char)*in->pos++;

		if (++h->head > PIPA_HTTP_HEAD_MAX)
			return -EFBIG;
		if (c == '\n') {
			if (h->line_len && h->line[h->line_len - 1] == '\r')
				h->line_len--;
			h->line[h->line_len] = '\0';
			h->line_len = 0;
			return 1;
		}
		if (h->line_len + 1 < sizeof(h->line))
			h->line[h->line_len++] = c;
	}
	return 0;
}

/* "HTTP/1.1 200 OK" */
static int parse_status(struct pipa_http *h)
{
	const char *text = h->line;

	if (strncmp(text, "HTTP/1.", 7) != 0 || !isdigit((unsigned char)text[7]) ||
	    text[8] != ' ' || !isdigit((unsigned char)text[9]) ||
	    !isdigit((unsigned char)text[10]) || !isdigit((unsigned char)text[11]) ||
	    (text[12] && text[12] != ' '))
		return -EBADMSG;
	h->closes = text[7] == '0'; /* HTTP/1.0 */
	h->status = (text[9] - '0') * 100 + (text[10] - '0') * 10 + (text[11] - '0');
	h->state = PIPA_HTTP_HEADERS;
	return 1;
}

/* Parse the digits at the start of a text. -EBADMSG if there are none or the number is too large. */
static int parse_number(const char *text, unsigned int base, uint64_t *ret, const char **ret_end)
{
	uint64_t value = 0;
	const char *c = text;

	for (; isxdigit((unsigned char)*c); c++) {
		unsigned int digit = (unsigned int)(isdigit((unsigned char)*c) ?
							    *c - '0' :
							    (*c | 0x20) - 'a' + 10);

		if (digit >= base || value > (UINT64_MAX >> 8) / base)
			return -EBADMSG;
		value = value * base + digit;
	}
	*ret = value;
	*ret_end = c;
	return c == text ? -EBADMSG : 0;
}

static int parse_length(struct pipa_http *h, const char *value)
{
	uint64_t length;
	const char *end;

	if (parse_number(value, 10, &length, &end) < 0 || end[strspn(end, " \t")])
		return -EBADMSG;
	if (h->has_length && h->length != length) /* contradictory */
		return -EBADMSG;
	h->has_length = true;
	h->length = length;
	return 0;
}

static int parse_header(struct pipa_http *h)
{
	char *value = strchr(h->line, ':');

	if (!value || value == h->line)
		return -EBADMSG;
	*value++ = '\0';
	value += strspn(value, " \t");
	if (strcasecmp(h->line, "Content-Length") == 0)
		return parse_length(h, value);
	if (strcasecmp(h->line, "Transfer-Encoding") == 0) {
		if (strncasecmp(value, "chunked", 7) != 0 || value[7 + strspn(value + 7, " \t")])
			return -EBADMSG; /* nothing else was requested */
		h->chunked = true;
	} else if (strcasecmp(h->line, "Content-Encoding") == 0) {
		if (strncasecmp(value, "identity", 8) != 0)
			return -EBADMSG;
	} else if (strcasecmp(h->line, "Location") == 0) {
		snprintf(h->location, sizeof(h->location), "%s", value);
	} else if (strcasecmp(h->line, "Content-Type") == 0) {
		snprintf(h->type, sizeof(h->type), "%s", value);
	} else if (strcasecmp(h->line, "Retry-After") == 0) {
		snprintf(h->retry_after, sizeof(h->retry_after), "%s", value);
	} else if (strcasecmp(h->line, "Connection") == 0) {
		h->closes = strncasecmp(value, "close", 5) == 0;
	}
	return 0;
}

/* Find out at the empty line after the header which body follows. */
static int begin_body(struct pipa_http *h)
{
	int status = h->status;
	size_t head = h->head;

	if (status >= 100 && status < 200) { /* the final response follows */
		pipa_http_init(h);
		h->head = head;
		return 1;
	}
	if (status == 204 || status == 304)
		h->state = PIPA_HTTP_DONE;
	else if (h->chunked)
		h->state = PIPA_HTTP_CHUNK_SIZE;
	else
		h->state = h->length ? PIPA_HTTP_BODY : PIPA_HTTP_DONE;
	h->left = h->length;
	h->head = 0;
	return 1;
}

static int parse_chunk_size(struct pipa_http *h)
{
	const char *end;

	if (parse_number(h->line, 16, &h->left, &end) < 0 ||
	    (*end && *end != ';' && *end != ' ' && *end != '\t'))
		return -EBADMSG;
	h->state = h->left ? PIPA_HTTP_CHUNK : PIPA_HTTP_TRAILERS;
	h->head = 0; /* the limit is for each line; the caller limits the body */
	return 1;
}

static int parse_step(struct pipa_http *h)
{
	int rc;

	switch (h->state) {
	case PIPA_HTTP_STATUS: return parse_status(h);
	case PIPA_HTTP_HEADERS:
		if (!h->line[0])
			return begin_body(h);
		rc = parse_header(h);
		return rc < 0 ? rc : 1;
	case PIPA_HTTP_CHUNK_SIZE: return parse_chunk_size(h);
	case PIPA_HTTP_CHUNK_END: h->state = PIPA_HTTP_CHUNK_SIZE; return h->line[0] ? -EBADMSG : 1;
	default: /* trailers are ignored */
		if (!h->line[0])
			h->state = PIPA_HTTP_DONE;
		return 1;
	}
}

static int read_body(struct pipa_http *h, struct pipa_cursor *in, struct pipa_span *ret)
{
	size_t n = pipa_cursor_left(in);

	if (n > h->left)
		n = (size_t)h->left;
	if (!n)
		return 0;
	*ret = (struct pipa_span){ in->pos, n };
	in->pos += n;
	if (h->left != PIPA_HTTP_UNTIL_CLOSE)
		h->left -= n;
	if (!h->left)
		h->state = h->state == PIPA_HTTP_CHUNK ? PIPA_HTTP_CHUNK_END : PIPA_HTTP_DONE;
	return 1;
}

int pipa_http_next(struct pipa_http *h, struct pipa_cursor *in, struct pipa_span *ret_body)
{
	int rc;

	*ret_body = (struct pipa_span){ 0 };
	if (h->state == PIPA_HTTP_DONE)
		return 0;
	if (h->state == PIPA_HTTP_BODY || h->state == PIPA_HTTP_CHUNK)
		return read_body(h, in, ret_body);
	rc = read_line(h, in);
	return rc > 0 ? parse_step(h) : rc;
}

bool pipa_http_is_whole(const struct pipa_http *h, bool closed)
{
	return h->state == PIPA_HTTP_DONE ||
	       (closed && h->state == PIPA_HTTP_BODY && h->length == PIPA_HTTP_UNTIL_CLOSE);
}
