#include "net/get.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "net/http.h"
#include "net/tls.h"
#include "net/url.h"

enum { MAX_REDIRECTS = 5, PIECE = 64 << 10, STEP = 100 << 10 };

struct fetch {
	const struct pipa_get_options *o;
	struct pipa_url url;
	int fd;
	struct pipa_tls *tls; /* of a secure one */
	uint64_t start_ns, bytes;
	struct pipa_http http;
	uint8_t piece[PIECE];
	struct pipa_error *err;
};

/* ---- waiting ---------------------------------------------------------------------------------------------- */

static int wait_for(int fd, short events, uint64_t until_ns)
{
	uint64_t now = pipa_clock_ns();
	struct pollfd poller = { .fd = fd, .events = events };
	int n;

	if (now >= until_ns)
		return -ETIMEDOUT;
	n = poll(&poller, 1, (int)((until_ns - now) / PIPA_NS_PER_MS) + 1);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	return 0; /* time out or not: the next try tells */
}

static uint64_t sooner(const struct pipa_get_options *o, uint64_t until_ns)
{
	return o->until_ns && o->until_ns < until_ns ? o->until_ns : until_ns;
}

/* Who sends slowly has time as long as something comes. */
static uint64_t deadline(const struct fetch *f)
{
	uint64_t until = f->start_ns + f->o->patience_ns * (1 + f->bytes / STEP);

	return sooner(f->o, until);
}

/* ---- the connection ----------------------------------------------------------------------------------------- */

static int finish_connect(int fd, uint64_t until_ns)
{
	struct pollfd poller = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int rc, code = 0;

	while (poll(&poller, 1, 0) <= 0) {
		rc = wait_for(fd, POLLOUT, until_ns);
		if (rc < 0)
			return rc;
	}
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) < 0 ? -errno : -code;
}

static int connect_one(const struct addrinfo *address, uint64_t until_ns, int *ret_fd)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, address->ai_addr, address->ai_addrlen) < 0)
		rc = errno == EINPROGRESS ? finish_connect(fd, until_ns) : -errno;
	if (rc < 0)
		close(fd);
	else
		*ret_fd = fd;
	return rc;
}

static int connect_any(struct fetch *f)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *all = NULL, *a;
	uint64_t until = sooner(f->o, pipa_clock_ns() + f->o->connect_ns);
	int rc = getaddrinfo(f->url.host, f->url.port, &hints, &all);

	if (rc != 0)
		return pipa_refuse(f->err, -EHOSTUNREACH, "%s: %s", f->url.host, gai_strerror(rc));
	rc = -EHOSTUNREACH;
	for (a = all; a && rc < 0 && rc != -ETIMEDOUT; a = a->ai_next)
		rc = connect_one(a, until, &f->fd);
	freeaddrinfo(all);
	return rc < 0 ? pipa_fail(f->err, rc, "connect to %s", f->url.host) : 0;
}

static int secure(struct fetch *f)
{
	short events = 0;
	int rc = pipa_tls_new(f->fd, f->url.host, &f->tls, f->err);

	while (!rc && (rc = pipa_tls_handshake(f->tls, &events, f->err)) == -EAGAIN) {
		rc = wait_for(f->fd, events, deadline(f));
		if (rc < 0)
			return pipa_fail(f->err, rc, "connect to %s", f->url.host);
	}
	return rc;
}

static ssize_t send_some(struct fetch *f, const char *bytes, size_t len, short *events)
{
	ssize_t n;

	if (f->tls)
		return pipa_tls_write(f->tls, bytes, len, events);
	*events = POLLOUT;
	n = send(f->fd, bytes, len, MSG_NOSIGNAL);
	return n < 0 ? -errno : n;
}

static ssize_t receive_some(struct fetch *f, short *events)
{
	ssize_t n;

	if (f->tls)
		return pipa_tls_read(f->tls, f->piece, sizeof(f->piece), events);
	*events = POLLIN;
	n = recv(f->fd, f->piece, sizeof(f->piece), 0);
	return n < 0 ? -errno : n;
}

/* ---- a question and its answer ------------------------------------------------------------------------------ */

static int ask(struct fetch *f)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const struct pipa_url *url = &f->url;
	bool six = strchr(url->host, ':');
	size_t sent = 0;
	short events = 0;
	int rc;

	pipa_buf_printf(&text,
			"GET %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nUser-Agent: pipa\r\n"
			"Accept: */*\r\nConnection: close\r\n\r\n",
			url->path, six ? "[" : "", url->host, six ? "]" : "", url->port);
	if (text.status)
		return pipa_fail(f->err, text.status, "send a request to %s", url->host);
	while (sent < text.len) {
		ssize_t n = send_some(f, text.data + sent, text.len - sent, &events);

		if (n >= 0) {
			sent += (size_t)n;
			continue;
		}
		rc = n == -EAGAIN ? wait_for(f->fd, events, deadline(f)) : n == -EINTR ? 0 : (int)n;
		if (rc < 0)
			return pipa_fail(f->err, rc, "send a request to %s", url->host);
	}
	return 0;
}

/* The bytes of a piece that came. */
static int take(struct fetch *f, size_t len)
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

static int answer(struct fetch *f)
{
	short events = 0;
	ssize_t n;
	int rc = 0;

	pipa_http_init(&f->http);
	while (!rc && !pipa_http_is_whole(&f->http, false)) {
		n = receive_some(f, &events);
		if (n == -EINTR)
			continue;
		if (n == 0 && pipa_http_is_whole(&f->http, true))
			break;
		if (n == 0)
			return pipa_refuse(f->err, -EBADMSG, "%s: connection closed early",
					   f->url.host);
		if (n > 0)
			rc = take(f, (size_t)n);
		else
			rc = n == -EAGAIN ? wait_for(f->fd, events, deadline(f)) : (int)n;
		if (!rc && pipa_clock_ns() > deadline(f))
			rc = -ETIMEDOUT;
		if (rc < 0 && !f->err->code)
			return pipa_fail(f->err, rc, "wait for %s", f->url.host);
	}
	return rc;
}

static void hang_up(struct fetch *f)
{
	pipa_tls_free(PIPA_TAKE(f->tls));
	pipa_fd_close(f->fd);
	f->fd = -1;
}

static int try_once(struct fetch *f)
{
	int rc;

	f->start_ns = pipa_clock_ns();
	f->bytes = 0;
	rc = connect_any(f);
	if (!rc && f->url.secure)
		rc = secure(f);
	if (!rc)
		rc = ask(f);
	if (!rc)
		rc = answer(f);
	hang_up(f);
	return rc < 0 ? rc : f->http.status;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static bool is_redirected(const struct pipa_http *http)
{
	return (http->status == 301 || http->status == 302 || http->status == 303 ||
		http->status == 307 || http->status == 308) &&
	       http->location[0];
}

static int run(struct fetch *f)
{
	struct pipa_url next;
	int i, rc;

	for (i = 0; i <= MAX_REDIRECTS; i++) {
		rc = try_once(f);
		if (rc < 0 || !is_redirected(&f->http))
			return rc;
		if (pipa_url_join(&f->url, f->http.location, &next) < 0 ||
		    (f->url.secure && !next.secure)) /* what was secret stays so */
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
	f->fd = -1;
	f->err = err;
	if (pipa_url_parse(o->url, &f->url) < 0)
		return pipa_refuse(err, -EINVAL, "invalid URL '%s'", o->url);
	rc = run(f);
	if (rc == -ETIMEDOUT && o->until_ns && pipa_clock_ns() >= o->until_ns)
		return -ETIME;
	return rc;
}
