#include "net/server/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/str.h"

enum { FIRST_PASSED = 3, BACKLOG = 4096 };

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_storage all;
};

/* Parse a numeric address, with or without brackets. */
static bool parse_address(const char *text, uint16_t port, union address *ret, socklen_t *ret_len)
{
	char bare[64];
	size_t len = strlen(text);

	if (len > 2 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	}
	if (len >= sizeof(bare))
		return false;
	memcpy(bare, text, len);
	bare[len] = '\0';
	memset(ret, 0, sizeof(*ret));
	if (inet_pton(AF_INET, bare, &ret->v4.sin_addr) == 1) {
		ret->v4.sin_family = AF_INET;
		ret->v4.sin_port = htons(port);
		*ret_len = sizeof(ret->v4);
		return true;
	}
	if (inet_pton(AF_INET6, bare, &ret->v6.sin6_addr) == 1) {
		ret->v6.sin6_family = AF_INET6;
		ret->v6.sin6_port = htons(port);
		*ret_len = sizeof(ret->v6);
		return true;
	}
	return false;
}

static int listen_on(const union address *address, socklen_t len, int *ret)
{
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1, off = 0;
	int rc;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (address->any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, &address->any, len) < 0 || listen(fd, BACKLOG) < 0) {
		rc = -errno;
		close(fd);
		return rc;
	}
	*ret = fd;
	return 0;
}

static int add_address(const char *text, uint16_t port, struct pipa_listeners *listeners,
		       struct pipa_error *err)
{
	union address address;
	socklen_t len;
	int rc;

	if (!parse_address(text, port, &address, &len))
		return pipa_refuse(err, -EINVAL,
				   "invalid address '%s', expected an IP address or localhost",
				   text);
	if (listeners->n == PIPA_LISTEN_MAX)
		return pipa_refuse(err, -E2BIG, "more than %d listening sockets", PIPA_LISTEN_MAX);
	rc = listen_on(&address, len, &listeners->fds[listeners->n]);
	if (rc < 0)
		return pipa_fail(err, rc, "listen on %s port %u", text, port);
	listeners->n++;
	return 0;
}

int pipa_listen(const char *address, const char *port, struct pipa_listeners *listeners,
		struct pipa_error *err)
{
	uint64_t number;
	int rc;

	if (pipa_str_u64(port, &number) < 0 || number > UINT16_MAX)
		return pipa_refuse(err, -EINVAL, "invalid port '%s', expected 0 to 65535", port);
	if (strcmp(address, "localhost") != 0)
		return add_address(address, (uint16_t)number, listeners, err);
	rc = add_address("127.0.0.1", (uint16_t)number, listeners, err);
	if (!rc && add_address("::1", (uint16_t)number, listeners, NULL) < 0)
		rc = 0; /* a machine without IPv6 */
	return rc;
}

/* Return the name of the i-th socket that was passed, "" without one. */
static const char *passed_name(size_t i, char *text, size_t size)
{
	const char *names = getenv("LISTEN_FDNAMES");
	size_t len;

	for (; names && i; i--) {
		names = strchr(names, ':');
		names = names ? names + 1 : NULL;
	}
	len = names ? strcspn(names, ":") : 0;
	if (len >= size)
		len = 0;
	if (len)
		memcpy(text, names, len);
	text[len] = '\0';
	if (strcmp(text, "unknown") == 0 || strstr(text, ".socket"))
		text[0] = '\0'; /* systemd's names for unnamed sockets */
	return text;
}

size_t pipa_listen_inherit(const char *name, bool otherwise, struct pipa_listeners *listeners)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	uint64_t for_pid, n, i;
	size_t before = listeners->n;
	socklen_t len;
	char text[64];
	int fd, accepts;

	if (!pid || !fds || pipa_str_u64(pid, &for_pid) < 0 || for_pid != (uint64_t)getpid() ||
	    pipa_str_u64(fds, &n) < 0)
		return 0;
	for (i = 0; i < n && listeners->n < PIPA_LISTEN_MAX; i++) {
		fd = FIRST_PASSED + (int)i;
		passed_name(i, text, sizeof(text));
		if (text[0] ? strcmp(text, name) != 0 : !otherwise)
			continue;
		len = sizeof(accepts);
		if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &len) < 0 || !accepts)
			continue;
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
		listeners->fds[listeners->n++] = fd;
	}
	return listeners->n - before;
}

void pipa_listeners_close(struct pipa_listeners *listeners)
{
	while (listeners->n)
		close(listeners->fds[--listeners->n]);
}

static bool is_loopback(const union address *address)
{
	if (address->any.sa_family == AF_INET)
		return ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
	if (address->any.sa_family != AF_INET6)
		return address->any.sa_family == AF_UNIX;
	return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr) ||
	       (IN6_IS_ADDR_V4MAPPED(&address->v6.sin6_addr) &&
		address->v6.sin6_addr.s6_addr[12] == 127);
}

bool pipa_listen_is_loopback(const char *text)
{
	union address address;
	socklen_t len;

	return strcmp(text, "localhost") == 0 ||
	       (parse_address(text, 0, &address, &len) && is_loopback(&address));
}

bool pipa_listen_fd_is_loopback(int fd)
{
	union address address = { .all = { 0 } };
	socklen_t len = sizeof(address);

	return getsockname(fd, &address.any, &len) == 0 && is_loopback(&address);
}

const char *pipa_listen_text(int fd, char text[static PIPA_LISTEN_TEXT])
{
	union address address = { .all = { 0 } };
	socklen_t len = sizeof(address);
	char host[INET6_ADDRSTRLEN] = "?";

	snprintf(text, PIPA_LISTEN_TEXT, "?");
	if (getsockname(fd, &address.any, &len) < 0)
		return text;
	if (address.any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &address.v4.sin_addr, host, sizeof(host));
		snprintf(text, PIPA_LISTEN_TEXT, "%s:%u", host, ntohs(address.v4.sin_port));
	} else if (address.any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &address.v6.sin6_addr, host, sizeof(host));
		snprintf(text, PIPA_LISTEN_TEXT, "[%s]:%u", host, ntohs(address.v6.sin6_port));
	} else {
		snprintf(text, PIPA_LISTEN_TEXT, "unix socket");
	}
	return text;
}
