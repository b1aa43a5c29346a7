/* TLS over a non-blocking socket. Without OpenSSL pipa_tls_new() fails with a message. */
#ifndef PIPA_NET_TLS_H
#define PIPA_NET_TLS_H

#include <stddef.h>
#include <sys/types.h>

struct pipa_error;
struct pipa_tls;

/* For a server of that name, whose certificate must say so. fd stays the caller's. */
int pipa_tls_new(int fd, const char *host, struct pipa_tls **ret, struct pipa_error *err);
void pipa_tls_free(struct pipa_tls *tls);

/*
 * As read() and write(), and 0 for a handshake that is done. What has to wait sets *ret_events (POLLIN
 * or POLLOUT) and returns -EAGAIN.
 */
int pipa_tls_handshake(struct pipa_tls *tls, short *ret_events, struct pipa_error *err);
ssize_t pipa_tls_read(struct pipa_tls *tls, void *bytes, size_t size, short *ret_events);
ssize_t pipa_tls_write(struct pipa_tls *tls, const void *bytes, size_t len, short *ret_events);

#endif
