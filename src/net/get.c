#include "net/get.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "net/http.h"
#include "net/stream.h"
#include "net/tls.h"
#include "net/url.h"

enum { MAX_REDIRECTS = 5, PIECE = 64 << 10, STEP = 100 << 10 };

struct fetch {
	const struct pipa_get_options *o;
	struct pipa_url url;
	struct pipa_stream stream;
	uint64_t start_ns, bytes;
	struct pipa_http http;
	uint8_t piece[PIECE];
	struct pipa_error *err;
};

static uint64_t earlier_limit(const struct pipa_get_options *o, uint64_t until_ns)
{
	return o->until_ns && o->until_ns < until_ns ? o->until_ns : until_ns;
}

/* Return the deadline of the next bytes: each STEP that was received extends it. */
static uint64_t deadline(const struct fetch *f)
{
	uint64_t until = f->start_ns + f->o->step_ns * (1 + f->bytes / STEP);

	return earlier_limit(f->o, until);
}

/* ---- request and response --------------------------------------------------------------------------------- */

static int send_request(struct fetch *f)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const struct pipa_url *url = &f->url;
	bool six = strchr(url->host, ':');
	size_t sent = 0;
	int rc;

	pipa_buf_printf(&text,
			"GET %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nUser-Agent: pipa\r\n"
			"Accept: */*\r\nConnection: close\r\n\r\n",
			url->path, six ? "[" : "", url->host, six ? "]" : "", url->port);
	if (text.status)
		return pipa_fail(f->err, text.status, "send a request to %s", url->host);
	while (sent < text.len) {
		ssize_t n = pipa_stream_write(&f->stream, text.data + sent, text.len - sent);

		if (n >= 0) {
			sent += (size_t)n;
			continue;
		}
		rc = n == -EAGAIN ? pipa_stream_wait(&f->stream, deadline(f)) : (int)n;
		if (rc < 0)
			return pipa_fail(f->err, rc, "send a request to %s", url->host);
	}
	return 0;
}

/* Parse a received piece and pass the bytes of the body on. */
static int parse_piece(struct fetch *f, size_t len)
{
	struct pipa_cursor in = { .pos = f->piece, .end = f->piece + len };
	struct pipa_span body;
	int rc;

	while ((rc = pipa_http_next(&f->http, &in, &body)) > 0) {
		f->bytes += body.size;
		if (f->bytes > f->o->max_bytes)
			return pipa_refuse(f->err, -EFBIG, "%s: response larger than %llu bytes",
					   f->url.host, (unsigned long long)f->o->max_bytes);
		if (body.size && f->http.status == 200) {
			rc = f->o->put(f->o->ctx, body.data, body.size);
			if (rc < 0)
				return pipa_fail(f->err, rc, "store the response of %s",
						 f->url.host);
		}
	}
	if (rc == -EFBIG)
		return pipa_refuse(f->err, -EBADMSG, "%s: response header too large", f->url.host);
	if (rc < 0)
		return pipa_refuse(f->err, rc, "%s: invalid HTTP response", f->url.host);
	return 0;
}

static int receive_response(struct fetch *f)
{
	ssize_t n;
	int rc = 0;

	pipa_http_init(&f->http);
	while (!rc && !pipa_http_is_whole(&f->http, false)) {
		n = pipa_stream_read(&f->stream, f->piece, sizeof(f->piece));
		if (n == 0 && pipa_http_is_whole(&f->http, true))
			break;
		if (n == 0)
			return pipa_refuse(f->err, -EBADMSG, "%s: connection closed early",
					   f->url.host);
		if (n > 0)
			rc = parse_piece(f, (size_t)n);
		else
			rc = n == -EAGAIN ? pipa_stream_wait(&f->stream, deadline(f)) : (int)n;
		if (!rc && pipa_clock_ns() > deadline(f))
			rc = -ETIMEDOUT;
		if (rc < 0 && !f->err->code)
			return pipa_fail(f->err, rc, "wait for %s", f->url.host);
	}
	return rc;
}

static int try_once(struct fetch *f)
{
	static const struct pipa_tls_options tls;
	uint64_t until;
	int rc;

	f->start_ns = pipa_clock_ns();
	f->bytes = 0;
	until = earlier_limit(f->o, f->start_ns + f->o->connect_ns);
	rc = pipa_stream_connect(&f->stream, f->url.host, f->url.port, f->url.secure ? &tls : NULL,
				 until, f->err);
	if (rc < 0)
		return rc;
	rc = send_request(f);
	if (!rc)
		rc = receive_response(f);
	pipa_stream_close(&f->stream);
	return rc < 0 ? rc : f->http.status;
}

/* ---- redirects ---------------------------------------------------------------------------------------- */

static bool is_redirected(const struct pipa_http *http)
{
	return (http->status == 301 || http->status == 302 || http->status == 303 ||
		http->status == 307 || http->status == 308) &&
	       http->location[0];
}

static int follow_redirects(struct fetch *f)
{
	struct pipa_url next;
	int i, rc;

	for (i = 0; i <= MAX_REDIRECTS; i++) {
		rc = try_once(f);
		if (rc < 0 || !is_redirected(&f->http))
			return rc;
		if (pipa_url_join(&f->url, f->http.location, &next) < 0 ||
		    (f->url.secure && !next.secure)) /* from https to http */
			return pipa_refuse(f->err, -EINVAL,
					   "%s: redirect to an unsupported or insecure URL",
					   f->url.host);
		f->url = next;
	}
	return pipa_refuse(f->err, -ELOOP, "%s: more than %d redirects", f->url.host,
			   MAX_REDIRECTS);
}

int pipa_http_get(const struct pipa_get_options *o, struct pipa_error *err)
{
	PIPA_AUTO(free) struct fetch *f = calloc(1, sizeof(*f));
	struct pipa_error own = { 0 };
	int rc;

	err = err ? err : &own;
	if (!f)
		return pipa_fail(err, -ENOMEM, "get %s", o->url);
	f->o = o;
	f->err = err;
	if (pipa_url_parse(o->url, &f->url) < 0)
		return pipa_refuse(err, -EINVAL, "invalid URL '%s'", o->url);
	rc = follow_redirects(f);
	if (rc == -ETIMEDOUT && o->until_ns && pipa_clock_ns() >= o->until_ns)
		return -ETIME;
	return rc;
}
