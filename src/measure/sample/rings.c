#include "measure/sample/rings.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/loop.h"
#include "collect/sample/sampler.h"

static int on_ring(void *ctx, struct pipa_error *err)
{
	struct pipa_ring_watch *watch = ctx;
	struct pollfd poll_fd = { .fd = watch->fd, .events = POLLIN };
	int rc = watch->rings->drain(watch->rings->ctx, err);

	if (rc < 0 || watch->fd < 0 || poll(&poll_fd, 1, 0) <= 0 || !(poll_fd.revents & POLLHUP))
		return rc;
	pipa_loop_unwatch(watch->rings->loop, watch->fd);
	watch->fd = -1;
	return 0;
}

int pipa_rings_init(struct pipa_rings *rings, struct pipa_loop *loop, size_t max,
		    pipa_loop_fd_fn drain, void *ctx, struct pipa_error *err)
{
	*rings = (struct pipa_rings){ .loop = loop, .drain = drain, .ctx = ctx };
	rings->watches = calloc(max + 1, sizeof(*rings->watches));
	return rings->watches ? 0 : pipa_fail(err, -ENOMEM, "watch the rings");
}

int pipa_rings_add(struct pipa_rings *rings, int fd, struct pipa_error *err)
{
	struct pipa_ring_watch *watch = &rings->watches[rings->n];
	int rc = pipa_loop_watch(rings->loop, fd, on_ring, watch, err);

	if (!rc) {
		*watch = (struct pipa_ring_watch){ rings, fd };
		rings->n++;
	}
	return rc;
}

int pipa_rings_watch(struct pipa_rings *rings, struct pipa_loop *loop, struct pipa_sampler *sampler,
		     pipa_loop_fd_fn drain, void *ctx, struct pipa_error *err)
{
	size_t n = pipa_sampler_fds(sampler), i;
	int rc = pipa_rings_init(rings, loop, n, drain, ctx, err);

	for (i = 0; !rc && i < n; i++)
		if (pipa_sampler_fd(sampler, i) >= 0)
			rc = pipa_rings_add(rings, pipa_sampler_fd(sampler, i), err);
	return rc;
}

void pipa_rings_unwatch(struct pipa_rings *rings)
{
	size_t i;

	for (i = 0; i < rings->n; i++)
		if (rings->watches[i].fd >= 0) {
			pipa_loop_unwatch(rings->loop, rings->watches[i].fd);
			rings->watches[i].fd = -1;
		}
}

void pipa_rings_done(struct pipa_rings *rings)
{
	free(rings->watches);
	*rings = (struct pipa_rings){ 0 };
}
