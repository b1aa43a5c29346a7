/* Pipes instead of rings: they become readable and hang up in the same way. */
#include "measure/sample/rings.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/loop.h"
#include "lib/test.h"

struct reader {
	struct pipa_loop *loop;
	struct pipa_rings rings;
	int pipes[2][2];
	int drains, fails_at, unwatches_at;
};

static int drain(void *ctx, struct pipa_error *err PIPA_UNUSED)
{
	struct reader *r = ctx;
	char c;
	int i;

	r->drains++;
	for (i = 0; i < 2; i++)
		while (read(r->pipes[i][0], &c, 1) == 1)
			;
	if (r->drains == r->unwatches_at)
		pipa_rings_unwatch(&r->rings);
	return r->drains == r->fails_at ? -EIO : 0;
}

static int stop_loop(void *ctx, uint64_t expirations PIPA_UNUSED,
		     struct pipa_error *err PIPA_UNUSED)
{
	pipa_loop_stop(ctx);
	return 0;
}

static void set_up(struct reader *r)
{
	int i;

	*r = (struct reader){ 0 };
	CHECK_EQ(pipa_loop_new(&r->loop, NULL), 0);
	CHECK_EQ(pipa_rings_init(&r->rings, r->loop, 2, drain, r, NULL), 0);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(pipe2(r->pipes[i], O_NONBLOCK | O_CLOEXEC), 0);
		CHECK_EQ(pipa_rings_add(&r->rings, r->pipes[i][0], NULL), 0);
	}
}

static int run_for_a_moment(struct reader *r)
{
	CHECK_EQ(pipa_loop_timer(r->loop, pipa_clock_ns() + 20 * PIPA_NS_PER_MS, 0, stop_loop,
				 r->loop, NULL),
		 0);
	return pipa_loop_run(r->loop, NULL);
}

static void done(struct reader *r)
{
	pipa_loop_free(r->loop); /* before the rings, as record does */
	pipa_rings_done(&r->rings);
}

TEST(rings_are_drained_when_one_becomes_readable)
{
	struct reader r;

	set_up(&r);
	CHECK_EQ(run_for_a_moment(&r), 0);
	CHECK_EQ(r.drains, 0);
	CHECK_EQ(write(r.pipes[1][1], "x", 1), 1);
	CHECK_EQ(run_for_a_moment(&r), 0);
	CHECK_EQ(r.drains, 1);
	done(&r);
}

TEST(a_ring_that_hangs_up_is_drained_once_and_the_others_go_on)
{
	struct reader r;

	set_up(&r);
	CHECK_EQ(write(r.pipes[0][1], "x", 1), 1);
	close(r.pipes[0][1]);
	CHECK_EQ(run_for_a_moment(&r), 0);
	CHECK_EQ(r.drains, 1);
	CHECK_EQ(write(r.pipes[1][1], "x", 1), 1);
	CHECK_EQ(run_for_a_moment(&r), 0);
	CHECK_EQ(r.drains, 2);
	done(&r);
}

TEST(a_drain_may_fail_or_end_the_watch)
{
	struct reader r;

	set_up(&r);
	r.fails_at = 1;
	CHECK_EQ(write(r.pipes[0][1], "x", 1), 1);
	CHECK_EQ(run_for_a_moment(&r), -EIO);
	done(&r);
	set_up(&r);
	r.unwatches_at = 1;
	CHECK_EQ(write(r.pipes[0][1], "x", 1), 1);
	close(r.pipes[0][1]);
	CHECK_EQ(run_for_a_moment(&r), 0);
	CHECK_EQ(r.drains, 1);
	CHECK_EQ(write(r.pipes[1][1], "x", 1), 1);
	CHECK_EQ(run_for_a_moment(&r), 0);
	CHECK_EQ(r.drains, 1);
	pipa_rings_unwatch(&r.rings); /* harmless */
	done(&r);
}
