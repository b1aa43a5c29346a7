/*
 * A byte stream to a server: TCP, with TLS on request. The socket is non-blocking; every wait ends at a deadline, and
 * another thread can bring the deadline forward.
 */
#ifndef PIPA_NET_STREAM_H
#define PIPA_NET_STREAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pipa_error;
struct pipa_tls;
struct pipa_tls_options;

/* A deadline of all waits of one thread. Any thread may set it. */
struct pipa_stop {
	_Atomic uint64_t until_ns; /* of pipa_clock_ns(); UINT64_MAX: no limit */
	int fd;			   /* eventfd: the limit was set */
};

int pipa_stop_init(struct pipa_stop *stop);
void pipa_stop_done(struct pipa_stop *stop);
void pipa_stop_at(struct pipa_stop *stop, uint64_t until_ns);

/* Return the earlier of until_ns and the limit of `stop`, which may be NULL. */
uint64_t pipa_stop_min(struct pipa_stop *stop, uint64_t until_ns);

/* Sleep until then, or until the limit of `stop`. 0, or -ETIMEDOUT if the limit came first. */
int pipa_stop_sleep(struct pipa_stop *stop, uint64_t until_ns);

/*
 * Call poll(2) once, at most until until_ns or the limit of `stop`. 0, also without an event: the caller tries again.
 * -ETIMEDOUT or another negative errno.
 */
int pipa_stop_poll(struct pipa_stop *stop, int fd, short events, uint64_t until_ns);

struct pipa_stream {
	int fd; /* -1: not connected */
	struct pipa_tls *tls;
	short events;	/* for which the last read or write has to wait */
	char host[256]; /* for messages */
	struct pipa_stop *stop;
};

/*
 * Connect to the first address of the host that accepts, and complete the TLS handshake if `tls` is given. Errors:
 * -EHOSTUNREACH (unknown name), -ECONNREFUSED, -ETIMEDOUT and others of connect(2), those of net/tls.h and net/host_lookup.h.
 */
int pipa_stream_connect(struct pipa_stream *stream, const char *host, const char *port,
			const struct pipa_tls_options *tls, uint64_t until_ns,
			struct pipa_error *err);
void pipa_stream_close(struct pipa_stream *stream);

/*
 * Read or write at most `size` bytes; 0 from a read: the peer has closed its side. -EAGAIN: pipa_stream_wait() and
 * call again.
 */
ssize_t pipa_stream_read(struct pipa_stream *stream, void *bytes, size_t size);
ssize_t pipa_stream_write(struct pipa_stream *stream, const void *bytes, size_t len);

/* Wait until the last read or write can go on. 0: try again; -ETIMEDOUT or another negative errno. */
int pipa_stream_wait(struct pipa_stream *stream, uint64_t until_ns);

/* Wait for POLLIN, POLLOUT or both instead. */
int pipa_stream_wait_for(struct pipa_stream *stream, short events, uint64_t until_ns);

#endif
