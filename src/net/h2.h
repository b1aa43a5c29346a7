/*
 * An HTTP/2 session over bytes: frames, flow control and header compression by nghttp2, with limits. Pure: received
 * bytes are passed in, bytes to be sent are taken out. Client and server use the same calls.
 *
 * Bounds: a peer cannot make the session hold more than header_bytes of one head (the field values are passed on, not
 * kept), `streams` streams, 4 KiB of header table in each direction, 32 entries per SETTINGS frame and 1000
 * unsent acknowledgements. Output is made one frame at a time. The caller counts floods of cheap frames, with the
 * callback `frame`.
 */
#ifndef PIPA_NET_H2_H
#define PIPA_NET_H2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/span.h"

struct pipa_h2;

enum pipa_h2_role { PIPA_H2_CLIENT, PIPA_H2_SERVER };

/* Error codes of RST_STREAM and GOAWAY, RFC 9113 section 7. */
enum pipa_h2_code {
	PIPA_H2_NO_ERROR = 0x0,
	PIPA_H2_PROTOCOL_ERROR = 0x1,
	PIPA_H2_INTERNAL_ERROR = 0x2,
	PIPA_H2_REFUSED_STREAM = 0x7,
	PIPA_H2_CANCEL = 0x8,
	PIPA_H2_ENHANCE_YOUR_CALM = 0xb,
	PIPA_H2_INADEQUATE_SECURITY = 0xc,
};

struct pipa_h2_field {
	const char *name, *value;
	bool secret; /* not to be stored in the header table: a token */
};

/*
 * Bytes of a request or response, in up to two pieces; borrowed until the stream is closed. more() of a body that is
 * made while it is sent is called when both pieces are sent: it sets new ones, with piece and offset 0, and returns 1.
 * 0: there are no more; -EAGAIN: none for now, and the caller calls pipa_h2_resume() later; another negative errno
 * resets the stream.
 */
struct pipa_h2_body {
	struct pipa_span pieces[2];
	size_t piece, offset; /* sent so far */
	int (*more)(struct pipa_h2_body *body);
	void *ctx;
};

struct pipa_h2_limits {
	uint32_t header_bytes; /* names and values of one head or trailers */
	uint32_t streams;      /* that the peer may open at once */
	bool paced;	       /* a stream's window grows only by pipa_h2_consume() */
};

/* Types of frames, RFC 9113 section 6. */
enum pipa_h2_frame {
	PIPA_H2_DATA = 0,
	PIPA_H2_HEADERS = 1,
	PIPA_H2_PRIORITY = 2,
	PIPA_H2_RST_STREAM = 3,
	PIPA_H2_SETTINGS = 4,
	PIPA_H2_PUSH_PROMISE = 5,
	PIPA_H2_PING = 6,
	PIPA_H2_GOAWAY = 7,
	PIPA_H2_WINDOW_UPDATE = 8,
	PIPA_H2_CONTINUATION = 9,
};

enum { PIPA_H2_END_STREAM = 1, PIPA_H2_ACK = 1, PIPA_H2_END_HEADERS = 4 }; /* flags of frames */

struct pipa_h2_events {
	/* A field of a head or trailers; a negative return resets the stream. */
	int (*field)(void *ctx, int32_t stream, struct pipa_span name, struct pipa_span value);
	/* The last field of a head or trailers was passed on. May be NULL. */
	void (*head)(void *ctx, int32_t stream);
	/* Bytes of the body; a negative return resets the stream. */
	int (*data)(void *ctx, int32_t stream, struct pipa_span bytes);
	/* The peer has sent all of the stream. May be NULL. */
	void (*end)(void *ctx, int32_t stream);
	/* The stream is closed with a code of enum pipa_h2_code; the last call for it. */
	void (*closed)(void *ctx, int32_t stream, uint32_t code);
	/* The header of a frame of any type was received. May be NULL. */
	void (*frame)(void *ctx, uint8_t type, uint8_t flags, size_t len);
	/* A frame was passed to the caller as output. May be NULL. */
	void (*sent)(void *ctx, int32_t stream, uint8_t type, uint8_t flags, size_t len);
};

/* Both structs of callbacks and limits are copied. NULL on allocation failure. */
struct pipa_h2 *pipa_h2_new(enum pipa_h2_role role, const struct pipa_h2_limits *limits,
			    const struct pipa_h2_events *events, void *ctx);
void pipa_h2_free(struct pipa_h2 *h2);

/* Process received bytes. -EPROTO: the connection is unusable; -ENOMEM. Nothing may be received afterwards. */
int pipa_h2_receive(struct pipa_h2 *h2, struct pipa_span bytes);

/* Return the next bytes to send, valid until the next call; empty: none for now. -EPROTO, -ENOMEM. */
int pipa_h2_output(struct pipa_h2 *h2, struct pipa_span *ret);

/* Open a stream with a request; returns its id, -EPIPE if the peer accepts no more, or -ENOMEM. */
int32_t pipa_h2_request(struct pipa_h2 *h2, const struct pipa_h2_field *fields, size_t n,
			struct pipa_h2_body *body);

/* Answer a request. Trailers end the stream; with body NULL and no trailers the head does. */
int pipa_h2_respond(struct pipa_h2 *h2, int32_t stream, const struct pipa_h2_field *fields,
		    size_t n, struct pipa_h2_body *body, const struct pipa_h2_field *trailers,
		    size_t n_trailers);

/* Set the trailers of a response whose body is still being sent, before it ends. */
int pipa_h2_finish(struct pipa_h2 *h2, int32_t stream, const struct pipa_h2_field *fields,
		   size_t n);

/* Call more() of the stream's body again. Not from within it. */
int pipa_h2_resume(struct pipa_h2 *h2, int32_t stream);

/* Remember a pointer of the caller's with a stream, and return it; NULL if the stream is unknown. */
void pipa_h2_set_stream(struct pipa_h2 *h2, int32_t stream, void *pointer);
void *pipa_h2_stream(const struct pipa_h2 *h2, int32_t stream);

/* Let the peer send that many more bytes of the stream, for sessions that are paced. */
int pipa_h2_consume(struct pipa_h2 *h2, int32_t stream, size_t bytes);

/* Did the last received head exceed header_bytes? Then not all of its fields were passed on. Servers only. */
bool pipa_h2_head_is_large(const struct pipa_h2 *h2);

int pipa_h2_reset(struct pipa_h2 *h2, int32_t stream, enum pipa_h2_code code);
int pipa_h2_ping(struct pipa_h2 *h2);

/* Ask the peer to open no more streams, before pipa_h2_goaway() refuses those that it has not seen yet. */
int pipa_h2_announce_goaway(struct pipa_h2 *h2);

/* End the connection at once with an error: GOAWAY, then no more output. */
int pipa_h2_terminate(struct pipa_h2 *h2, enum pipa_h2_code code);

/* Announce the end of the connection: streams that are open may finish. */
int pipa_h2_goaway(struct pipa_h2 *h2, enum pipa_h2_code code);

/* Can a new stream be opened? Not after GOAWAY from either side. */
bool pipa_h2_is_usable(const struct pipa_h2 *h2);

/* False after a protocol error, or when all streams have ended after GOAWAY: close the connection. */
bool pipa_h2_is_alive(const struct pipa_h2 *h2);

/* Has the peer sent its SETTINGS? Until then it may not be an HTTP/2 peer at all. */
bool pipa_h2_is_greeted(const struct pipa_h2 *h2);

/* Return the bytes of the body that the peer's windows and the caller have accepted so far. */
size_t pipa_h2_body_sent(const struct pipa_h2_body *body);

#endif
