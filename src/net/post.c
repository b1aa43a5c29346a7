#include "net/post.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "net/h2.h"
#include "net/http.h"
#include "net/stream.h"
#include "net/tls.h"
#include "net/url.h"

enum {
	PIECE = 32 << 10,
	HEAD_MAX = 64 << 10,	/* of a request */
	OVERHEAD_MAX = 1 << 20, /* bytes received for a response beside its body */
};

struct pipa_post_client {
	struct pipa_post_options o;
	struct pipa_stream stream;
	struct pipa_http http;
	uint8_t piece[PIECE];
};

/* A request in progress. */
struct request {
	struct pipa_span head, body;
	size_t sent; /* of both */
	uint64_t received;
};

static int write_request(struct pipa_post_client *client, struct request *rq)
{
	while (rq->sent < rq->head.size + rq->body.size) {
		bool in_head = rq->sent < rq->head.size;
		size_t at = in_head ? rq->sent : rq->sent - rq->head.size;
		struct pipa_span from = in_head ? rq->head : rq->body;
		ssize_t n = pipa_stream_write(&client->stream, from.data + at, from.size - at);

		if (n < 0)
			return n == -EAGAIN ? 0 : (int)n;
		rq->sent += (size_t)n;
	}
	return 0;
}

static int parse_piece(struct pipa_post_client *client, size_t len, struct pipa_post_reply *reply)
{
	struct pipa_cursor in = { .pos = client->piece, .end = client->piece + len };
	struct pipa_span body;
	int rc;

	while ((rc = pipa_http_next(&client->http, &in, &body)) > 0)
		pipa_buf_add(&reply->body, body.data, body.size);
	return rc < 0 ? rc : reply->body.status;
}

/* Send and receive until the response is complete. */
static int exchange(struct pipa_post_client *client, struct request *rq,
		    struct pipa_post_reply *reply, uint64_t until_ns)
{
	ssize_t n;
	int rc, sending;

	while (!pipa_http_is_whole(&client->http, false)) {
		sending = write_request(client, rq);
		if (sending < 0 && sending != -EPIPE && sending != -ECONNRESET)
			return sending; /* after these two the response may still be readable */
		n = pipa_stream_read(&client->stream, client->piece, sizeof(client->piece));
		if (n == 0)
			return pipa_http_is_whole(&client->http, true) ? 0 : -ECONNRESET;
		if (n > 0) {
			rq->received += (uint64_t)n;
			rc = parse_piece(client, (size_t)n, reply);
			if (!rc && rq->received > client->o.max_reply + OVERHEAD_MAX)
				rc = -EFBIG;
			if (!rc && pipa_clock_ns() >= until_ns)
				rc = -ETIMEDOUT;
		} else if (n == -EAGAIN && sending == 0) {
			bool more = rq->sent < rq->head.size + rq->body.size;

			rc = pipa_stream_wait_for(&client->stream, more ? POLLIN | POLLOUT : POLLIN,
						  until_ns);
		} else {
			rc = n == -EAGAIN ? sending : (int)n;
		}
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int explain_failure(const struct pipa_post_client *client, const struct request *rq, int rc,
			   struct pipa_error *err)
{
	const char *host = client->o.url->host;
	size_t size = rq->head.size + rq->body.size;

	if (rc == -ETIMEDOUT && rq->sent < size)
		return pipa_refuse(err, rc, "%s: accepted %zu of %zu bytes within the timeout",
				   host, rq->sent, size);
	if (rc == -ETIMEDOUT)
		return pipa_refuse(err, rc, "%s: no response within the timeout", host);
	if (rc == -ECONNRESET || rc == -EPIPE)
		return pipa_refuse(err, -ECONNRESET, "%s: connection closed before the response",
				   host);
	if (rc == -EFBIG)
		return pipa_refuse(err, rc, "%s: response larger than %zu bytes", host,
				   client->o.max_reply);
	if (rc == -EBADMSG)
		return pipa_refuse(err, rc, "%s: invalid HTTP response", host);
	if (rc == -EKEYREJECTED)
		return pipa_refuse(err, rc, "%s: the server refused the client certificate", host);
	return pipa_fail(err, rc, "post to %s", host);
}

static void write_head(const struct pipa_post_client *client, const struct pipa_h2_field *fields,
		       size_t n_fields, size_t body, struct pipa_buf *out)
{
	const struct pipa_url *url = client->o.url;
	bool six = strchr(url->host, ':');
	size_t i;

	pipa_buf_printf(out, "POST %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nContent-Length: %zu\r\n",
			url->path, six ? "[" : "", url->host, six ? "]" : "", url->port, body);
	for (i = 0; i < n_fields; i++)
		pipa_buf_printf(out, "%s: %s\r\n", fields[i].name, fields[i].value);
	pipa_buf_puts(out, "\r\n");
}

/* An idle server sends nothing: bytes or an end mean that the connection cannot be used. */
static bool is_still_open(struct pipa_post_client *client)
{
	return pipa_stream_read(&client->stream, client->piece, 1) == -EAGAIN;
}

int pipa_post(struct pipa_post_client *client, const struct pipa_h2_field *fields, size_t n_fields,
	      struct pipa_span body, uint64_t until_ns, struct pipa_post_reply *reply,
	      struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf head = { .max = HEAD_MAX };
	const struct pipa_url *url = client->o.url;
	struct request rq;
	bool reused;
	int rc;

	write_head(client, fields, n_fields, body.size, &head);
	if (head.status)
		return pipa_fail(err, head.status, "post to %s", url->host);
	if (client->stream.fd >= 0 && !is_still_open(client))
		pipa_stream_close(&client->stream);
	for (;;) {
		rq = (struct request){ .head = { (uint8_t *)head.data, head.len }, .body = body };
		reused = client->stream.fd >= 0;
		if (!reused) {
			rc = pipa_stream_connect(&client->stream, url->host, url->port,
						 url->secure ? client->o.tls : NULL, until_ns, err);
			if (rc < 0)
				return rc;
		}
		pipa_http_init(&client->http);
		pipa_buf_reset(&reply->body);
		reply->body.max = client->o.max_reply + 1;
		rc = exchange(client, &rq, reply, until_ns);
		if (rc < 0 || client->http.closes || rq.sent < head.len + body.size ||
		    !pipa_http_is_whole(&client->http, false))
			pipa_stream_close(&client->stream);
		/* an idle connection may have been closed just now: try a new one, once */
		if ((rc != -ECONNRESET && rc != -EPIPE) || !reused || rq.received)
			break;
	}
	if (rc < 0)
		return explain_failure(client, &rq, rc, err);
	reply->status = client->http.status;
	snprintf(reply->type, sizeof(reply->type), "%s", client->http.type);
	snprintf(reply->retry_after, sizeof(reply->retry_after), "%s", client->http.retry_after);
	return 0;
}

struct pipa_post_client *pipa_post_client_new(const struct pipa_post_options *o)
{
	struct pipa_post_client *client = calloc(1, sizeof(*client));

	if (!client)
		return NULL;
	client->o = *o;
	client->stream.fd = -1;
	client->stream.stop = o->stop;
	return client;
}

void pipa_post_client_free(struct pipa_post_client *client)
{
	if (!client)
		return;
	pipa_stream_close(&client->stream);
	free(client);
}

void pipa_post_reply_done(struct pipa_post_reply *reply)
{
	pipa_buf_done(&reply->body);
}
