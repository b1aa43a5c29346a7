#include "net/host_lookup.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/thread/worker.h"
#include "net/stream.h"

/* A lookup, freed by the caller or the thread, whichever is last. */
struct lookup {
	_Atomic int refs;
	pipa_host_lookup_fn fn;
	int done_fd;		    /* eventfd: the result is complete */
	int rc;			    /* of getaddrinfo(3) */
	struct addrinfo *addresses; /* NULL if the caller has taken them */
	char host[256], port[32];
};

static _Atomic int running; /* threads, also of abandoned lookups */

static void drop_lookup(struct lookup *l)
{
	if (atomic_fetch_sub(&l->refs, 1) > 1)
		return;
	if (l->addresses)
		freeaddrinfo(l->addresses);
	pipa_fd_close(l->done_fd);
	free(l);
}

static void run_lookup(void *ctx)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const uint64_t one = 1;
	struct lookup *l = ctx;
	ssize_t n;

	l->rc = l->fn(l->host, l->port, &hints, &l->addresses);
	n = write(l->done_fd, &one, sizeof(one));
	(void)n;
	drop_lookup(l);
	atomic_fetch_sub(&running, 1);
}

static struct lookup *new_lookup(pipa_host_lookup_fn fn, const char *host, const char *port)
{
	struct lookup *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->refs = 2;
	l->fn = fn;
	snprintf(l->host, sizeof(l->host), "%s", host);
	snprintf(l->port, sizeof(l->port), "%s", port);
	l->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->done_fd < 0) {
		free(l);
		return NULL;
	}
	return l;
}

/* Wait for the result. 0 or -ETIMEDOUT. */
static int wait_for_lookup(struct lookup *l, struct pipa_stop *stop, uint64_t until_ns)
{
	uint64_t count;
	int rc = 0;

	/* the read acquires what the thread has written before its write to the eventfd */
	while (!rc && read(l->done_fd, &count, sizeof(count)) < 0)
		rc = pipa_stop_poll(stop, l->done_fd, POLLIN, until_ns);
	return rc;
}

int pipa_host_lookup_by(pipa_host_lookup_fn fn, const char *host, const char *port,
			struct pipa_stop *stop, uint64_t until_ns, struct addrinfo **ret,
			struct pipa_error *err)
{
	struct lookup *l;
	int rc;

	if (atomic_fetch_add(&running, 1) >= PIPA_HOST_LOOKUP_MAX) {
		atomic_fetch_sub(&running, 1);
		return pipa_refuse(err, -EBUSY,
				   "cannot look up %s: %d earlier lookups have not ended", host,
				   PIPA_HOST_LOOKUP_MAX);
	}
	l = new_lookup(fn, host, port);
	/* modules of the name service may need a large stack */
	rc = l ? pipa_worker_detach("pipa-lookup", PIPA_WORKER_STACK_PARSE, run_lookup, l) :
		 -ENOMEM;
	if (rc < 0) {
		atomic_fetch_sub(&running, 1);
		if (l) {
			l->refs = 1;
			drop_lookup(l);
		}
		return pipa_fail(err, rc, "look up %s", host);
	}
	rc = wait_for_lookup(l, stop, until_ns);
	if (rc < 0) {
		pipa_fail(err, rc, "look up %s", host);
	} else if (l->rc) {
		rc = pipa_refuse(err, -EHOSTUNREACH, "%s: %s", host, gai_strerror(l->rc));
	} else {
		*ret = PIPA_TAKE(l->addresses);
	}
	drop_lookup(l);
	return rc;
}

int pipa_host_lookup(const char *host, const char *port, struct pipa_stop *stop, uint64_t until_ns,
		     struct addrinfo **ret, struct pipa_error *err)
{
	const struct addrinfo numeric = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };

	if (getaddrinfo(host, port, &numeric, ret) == 0)
		return 0;
	return pipa_host_lookup_by(getaddrinfo, host, port, stop, until_ns, ret, err);
}
