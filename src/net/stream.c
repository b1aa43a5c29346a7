#include "net/stream.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "net/host_lookup.h"
#include "net/tls.h"

/* ---- the limit ------------------------------------------------------------------------------------------- */

int pipa_stop_init(struct pipa_stop *stop)
{
	stop->until_ns = UINT64_MAX;
	stop->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return stop->fd < 0 ? -errno : 0;
}

void pipa_stop_done(struct pipa_stop *stop)
{
	pipa_fd_close(stop->fd);
	stop->fd = -1;
}

void pipa_stop_at(struct pipa_stop *stop, uint64_t until_ns)
{
	const uint64_t one = 1;
	ssize_t n;

	atomic_store(&stop->until_ns, until_ns);
	n = write(stop->fd, &one, sizeof(one)); /* fails only if it is readable already */
	(void)n;
}

uint64_t pipa_stop_min(struct pipa_stop *stop, uint64_t until_ns)
{
	uint64_t limit = stop ? atomic_load(&stop->until_ns) : UINT64_MAX;

	return limit < until_ns ? limit : until_ns;
}

int pipa_stop_poll(struct pipa_stop *stop, int fd, short events, uint64_t until_ns)
{
	struct pollfd fds[2] = { { .fd = fd, .events = events },
				 { .fd = stop ? stop->fd : -1, .events = POLLIN } };
	uint64_t now = pipa_clock_ns(), until = pipa_stop_min(stop, until_ns), ms;

	if (now >= until)
		return -ETIMEDOUT;
	ms = (until - now) / PIPA_NS_PER_MS + 1;
	if (poll(fds, 2, ms > 3600000 ? 3600000 : (int)ms) < 0)
		return errno == EINTR ? 0 : -errno;
	if (stop && fds[1].revents) {
		uint64_t count;
		ssize_t n = read(stop->fd, &count, sizeof(count)); /* makes it unreadable again */

		(void)n;
	}
	return 0;
}

int pipa_stop_sleep(struct pipa_stop *stop, uint64_t until_ns)
{
	int rc;

	while ((rc = pipa_stop_poll(stop, -1, 0, until_ns)) == 0)
		;
	if (rc == -ETIMEDOUT && pipa_clock_ns() >= until_ns)
		return 0;
	return rc;
}

/* ---- connecting ------------------------------------------------------------------------------------------ */

/* Switch keepalive on, to detect a vanished peer of an idle connection. Errors are ignored: it is optional. */
static void set_socket_options(int fd)
{
	const int on = 1, idle_s = 30, interval_s = 10, probes = 3;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof(interval_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

static int finish_connect(int fd, struct pipa_stop *stop, uint64_t until_ns)
{
	struct pollfd poller = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int rc, code = 0;

	while (poll(&poller, 1, 0) <= 0) {
		rc = pipa_stop_poll(stop, fd, POLLOUT, until_ns);
		if (rc < 0)
			return rc;
	}
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) < 0 ? -errno : -code;
}

static int connect_address(struct pipa_stream *s, const struct addrinfo *address, uint64_t until_ns)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, address->ai_addr, address->ai_addrlen) < 0)
		rc = errno == EINPROGRESS ? finish_connect(fd, s->stop, until_ns) : -errno;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	set_socket_options(fd);
	s->fd = fd;
	return 0;
}

static int connect_any(struct pipa_stream *s, const char *host, const char *port, uint64_t until_ns,
		       struct pipa_error *err)
{
	struct addrinfo *all = NULL, *a;
	int rc = pipa_host_lookup(host, port, s->stop, until_ns, &all, err);

	if (rc < 0)
		return rc;
	rc = -EHOSTUNREACH;
	for (a = all; a && rc < 0 && rc != -ETIMEDOUT; a = a->ai_next)
		rc = connect_address(s, a, until_ns);
	freeaddrinfo(all);
	return rc < 0 ? pipa_fail(err, rc, "connect to %s", host) : 0;
}

static int start_tls(struct pipa_stream *s, const struct pipa_tls_options *tls, uint64_t until_ns,
		     struct pipa_error *err)
{
	int rc = pipa_tls_new(s->fd, s->host, tls, &s->tls, err);

	while (!rc && (rc = pipa_tls_handshake(s->tls, &s->events, err)) == -EAGAIN) {
		rc = pipa_stream_wait(s, until_ns);
		if (rc < 0)
			return pipa_fail(err, rc, "connect to %s", s->host);
	}
	return rc;
}

int pipa_stream_connect(struct pipa_stream *s, const char *host, const char *port,
			const struct pipa_tls_options *tls, uint64_t until_ns,
			struct pipa_error *err)
{
	int rc;

	s->fd = -1;
	s->tls = NULL;
	s->events = 0;
	snprintf(s->host, sizeof(s->host), "%s", host);
	rc = connect_any(s, host, port, until_ns, err);
	if (!rc && tls)
		rc = start_tls(s, tls, until_ns, err);
	if (rc < 0)
		pipa_stream_close(s);
	return rc;
}

void pipa_stream_close(struct pipa_stream *s)
{
	pipa_tls_free(PIPA_TAKE(s->tls));
	pipa_fd_close(s->fd);
	s->fd = -1;
}

/* ---- bytes ----------------------------------------------------------------------------------------------- */

ssize_t pipa_stream_read(struct pipa_stream *s, void *bytes, size_t size)
{
	ssize_t n;

	if (s->tls)
		return pipa_tls_read(s->tls, bytes, size, &s->events);
	s->events = POLLIN;
	n = recv(s->fd, bytes, size, 0);
	return n >= 0 ? n : errno == EINTR ? -EAGAIN : -errno;
}

ssize_t pipa_stream_write(struct pipa_stream *s, const void *bytes, size_t len)
{
	ssize_t n;

	if (s->tls)
		return pipa_tls_write(s->tls, bytes, len, &s->events);
	s->events = POLLOUT;
	n = send(s->fd, bytes, len, MSG_NOSIGNAL);
	return n >= 0 ? n : errno == EINTR ? -EAGAIN : -errno;
}

int pipa_stream_wait(struct pipa_stream *s, uint64_t until_ns)
{
	return pipa_stop_poll(s->stop, s->fd, s->events, until_ns);
}

int pipa_stream_wait_for(struct pipa_stream *s, short events, uint64_t until_ns)
{
	if (s->tls && (events & POLLIN) && pipa_tls_has_input(s->tls))
		return 0;
	return pipa_stop_poll(s->stop, s->fd, events, until_ns);
}
