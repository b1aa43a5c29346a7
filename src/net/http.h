/*
 * Parse an HTTP/1.1 response: status, length, chunks of the body. Pure: bytes are passed in, in
 * pieces of any size.
 */
#ifndef PIPA_NET_HTTP_H
#define PIPA_NET_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/span.h"

#define PIPA_HTTP_UNTIL_CLOSE UINT64_MAX /* the body ends with the connection */

enum pipa_http_state {
	PIPA_HTTP_STATUS,
	PIPA_HTTP_HEADERS,
	PIPA_HTTP_BODY,
	PIPA_HTTP_CHUNK_SIZE,
	PIPA_HTTP_CHUNK,
	PIPA_HTTP_CHUNK_END,
	PIPA_HTTP_TRAILERS,
	PIPA_HTTP_DONE,
};

enum { PIPA_HTTP_LINE = 2100, PIPA_HTTP_HEAD_MAX = 64 << 10 };

struct pipa_http {
	enum pipa_http_state state;
	int status;	      /* 200, ...; 0 until it is known */
	uint64_t length;      /* of the body, if it is not chunked */
	char location[2048];  /* of a redirection, or "" */
	char type[64];	      /* Content-Type, or "" */
	char retry_after[64]; /* Retry-After, or "" */
	bool closes;	      /* the server closes the connection after the response */
	/* private */
	bool chunked, has_length;
	uint64_t left; /* of the body or chunk */
	size_t head;   /* bytes of the head so far */
	size_t line_len;
	char line[PIPA_HTTP_LINE];
};

void pipa_http_init(struct pipa_http *http);

/*
 * Consume from `in`. *ret_body: bytes of the body, borrowed from `in`, or empty. 1: call again; 0:
 * `in` is consumed, or the response is complete; -EBADMSG: not HTTP; -EFBIG: its header is too large.
 */
int pipa_http_next(struct pipa_http *http, struct pipa_cursor *in, struct pipa_span *ret_body);

/* Is the response complete? With `closed` also if the end of the connection is its end. */
bool pipa_http_is_whole(const struct pipa_http *http, bool closed);

#endif
