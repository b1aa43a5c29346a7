/*
 * Look up the addresses of a host, until a deadline.
 *
 * getaddrinfo(3) blocks for as long as resolv.conf(5) and the modules of nsswitch.conf(5) say, and cannot be
 * interrupted. getaddrinfo_a(3) runs it on a thread of glibc, but gai_cancel(3) does not end a running lookup, whose
 * memory must stay valid. So it runs here on a detached thread, which shares a reference-counted struct with the
 * caller: at the deadline the caller drops its reference, and the thread frees the struct when getaddrinfo(3) returns.
 * Numeric addresses need no thread. At most PIPA_HOST_LOOKUP_MAX lookups run at a time.
 */
#ifndef PIPA_NET_HOST_LOOKUP_H
#define PIPA_NET_HOST_LOOKUP_H

#include <stdint.h>

struct addrinfo;
struct pipa_error;
struct pipa_stop;

enum { PIPA_HOST_LOOKUP_MAX = 8 };

/* getaddrinfo(3), or its replacement in a test. */
typedef int (*pipa_host_lookup_fn)(const char *host, const char *port, const struct addrinfo *hints,
				   struct addrinfo **ret);

/*
 * Look up stream addresses; the caller frees them with freeaddrinfo(3). Errors, with err filled: -EHOSTUNREACH (unknown
 * name), -ETIMEDOUT at the deadline or that of `stop`, which may be NULL, -EBUSY if PIPA_HOST_LOOKUP_MAX lookups run.
 */
int pipa_host_lookup(const char *host, const char *port, struct pipa_stop *stop, uint64_t until_ns,
		     struct addrinfo **ret, struct pipa_error *err);

/* Like pipa_host_lookup(), with `fn` instead of getaddrinfo(3), called on a thread. */
int pipa_host_lookup_by(pipa_host_lookup_fn fn, const char *host, const char *port,
			struct pipa_stop *stop, uint64_t until_ns, struct addrinfo **ret,
			struct pipa_error *err);

#endif
