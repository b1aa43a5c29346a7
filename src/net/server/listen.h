/* Listening sockets: of an address and port, or passed by the service manager. */
#ifndef PIPA_NET_SERVER_LISTEN_H
#define PIPA_NET_SERVER_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

struct pipa_error;

enum { PIPA_LISTEN_MAX = 16 };

struct pipa_listeners {
	int fds[PIPA_LISTEN_MAX];
	size_t n;
};

/*
 * Listen on a TCP port of a numeric address ("127.0.0.1", "::", "[::1]") or of "localhost", which is 127.0.0.1 and ::1.
 * "::" listens for IPv4, too. -EINVAL: not an address.
 */
int pipa_listen(const char *address, const char *port, struct pipa_listeners *listeners,
		struct pipa_error *err);

/*
 * Take the sockets that systemd passed with that name (LISTEN_FDS, LISTEN_FDNAMES); unnamed ones have the name
 * `otherwise`. Returns their number.
 */
size_t pipa_listen_inherit(const char *name, bool otherwise, struct pipa_listeners *listeners);

void pipa_listeners_close(struct pipa_listeners *listeners);

/* Is the text "localhost" or a loopback address? */
bool pipa_listen_is_loopback(const char *address);

/* Is the socket bound to a loopback address or a path? */
bool pipa_listen_fd_is_loopback(int fd);

/* Format the local address and port of a socket, "[::1]:50051". Returns text. */
enum { PIPA_LISTEN_TEXT = 72 };
const char *pipa_listen_text(int fd, char text[static PIPA_LISTEN_TEXT]);

#endif
