/* TLS over a non-blocking socket. Without OpenSSL pipa_tls_new() fails with a message. */
#ifndef PIPA_NET_TLS_H
#define PIPA_NET_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pipa_error;
struct pipa_tls;

struct pipa_tls_options {
	const char *ca_file;   /* trusted certificates, PEM; NULL: those of the system */
	const char *cert_file; /* the client's certificate chain, PEM, or NULL */
	const char *key_file;  /* its key, PEM; NULL: it is in cert_file */
	const char *alpn;      /* the protocol that the server must select, "h2", or NULL */
};

/*
 * Prepare TLS to the server `host`, whose certificate must contain that name. The caller keeps fd. `options` may be
 * NULL. Fails with -EINVAL if a file of the options cannot be used.
 */
int pipa_tls_new(int fd, const char *host, const struct pipa_tls_options *options,
		 struct pipa_tls **ret, struct pipa_error *err);
void pipa_tls_free(struct pipa_tls *tls);

/*
 * Like read() and write(); pipa_tls_handshake() returns 0 when it is complete. -EAGAIN: call again when the events in
 * *ret_events (POLLIN or POLLOUT) have occurred. The handshake fails with -EKEYREJECTED if a certificate is refused,
 * by either side, and -EPROTO otherwise.
 */
int pipa_tls_handshake(struct pipa_tls *tls, short *ret_events, struct pipa_error *err);
ssize_t pipa_tls_read(struct pipa_tls *tls, void *bytes, size_t size, short *ret_events);
ssize_t pipa_tls_write(struct pipa_tls *tls, const void *bytes, size_t len, short *ret_events);

/* ---- servers --------------------------------------------------------------------------------------------- */

/* Certificate, key and trusted authorities of a server. */
struct pipa_tls_server;

struct pipa_tls_server_options {
	const char *cert_file; /* certificate chain, PEM */
	const char *key_file;  /* its key, PEM; NULL: it is in cert_file */
	const char *
		client_ca; /* require client certificates of these authorities, PEM; NULL: do not */
	const char *alpn;  /* the protocol that clients must offer, "h2" or "http/1.1" */
};

/* Load the files. -EINVAL: one cannot be used. */
int pipa_tls_server_new(const struct pipa_tls_server_options *options, struct pipa_tls_server **ret,
			struct pipa_error *err);

/* Free it. Connections that were accepted stay usable. */
void pipa_tls_server_free(struct pipa_tls_server *server);

/* Prepare TLS with a client on a connected socket, which stays the caller's. */
int pipa_tls_accept(struct pipa_tls_server *server, int fd, struct pipa_tls **ret,
		    struct pipa_error *err);

/* Return a new SSL object of OpenSSL without a socket, for a library that drives it; NULL on failure. */
struct ssl_st *pipa_tls_server_ssl(struct pipa_tls_server *server);

/* Are decrypted bytes waiting to be read? poll(2) does not report them. */
bool pipa_tls_has_input(const struct pipa_tls *tls);

#endif
