/* Sessions with instruments that only note which of their operations was called. */
#include "measure/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/loop.h"
#include "kernel/event/host.h"
#include "lib/test.h"
#include "measure/follow.h"
#include "measure/instrument.h"

enum operation { NOWHERE, PLAN, OPEN, BEGIN, TICK, PAUSE, FINISH, CLOSE };

struct fake {
	char name;
	enum operation fails_at;
	int failure;
	enum operation raises_at; /* SIGTERM */
	bool done_at_begin;
	unsigned int ticks; /* after which it is done, 0: it has no timer */
	struct pipa_instrument instrument;
	struct bench *bench;
};

struct bench {
	struct pipa_follow follow;
	struct pipa_session session;
	struct pipa_error err;
	struct pipa_instrument *instruments[3];
	struct fake fakes[3];
	char log[400], left_out[8];
};

static int note(struct fake *fake, enum operation operation, struct pipa_error *err)
{
	static const char *const names[] = { "", "plan",  "open",   "begin",
					     "", "pause", "finish", "close" };
	size_t len = strlen(fake->bench->log);

	if (operation != TICK)
		snprintf(fake->bench->log + len, sizeof(fake->bench->log) - len, "%s%s %c",
			 len ? ", " : "", names[operation], fake->name);
	if (operation == fake->raises_at)
		raise(SIGTERM);
	return operation == fake->fails_at ? pipa_fail(err, fake->failure, "use %c", fake->name) :
					     0;
}

static int plan(void *ctx, struct pipa_error *err)
{
	return note(ctx, PLAN, err);
}

static int open_fake(void *ctx, struct pipa_error *err)
{
	return note(ctx, OPEN, err);
}

static int on_tick(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err)
{
	struct fake *fake = ctx;

	if (--fake->ticks == 0)
		pipa_session_instrument_done(&fake->bench->session, &fake->instrument);
	return note(fake, TICK, err);
}

static int begin(void *ctx, struct pipa_error *err)
{
	struct fake *fake = ctx;

	if (fake->ticks)
		CHECK_EQ(pipa_loop_timer(fake->bench->follow.loop, pipa_clock_ns(), PIPA_NS_PER_MS,
					 on_tick, fake, err),
			 0);
	if (fake->done_at_begin)
		pipa_session_instrument_done(&fake->bench->session, &fake->instrument);
	return note(fake, BEGIN, err);
}

static void pause_fake(void *ctx)
{
	note(ctx, PAUSE, NULL);
}

static int finish(void *ctx, struct pipa_error *err)
{
	return note(ctx, FINISH, err);
}

static void close_fake(void *ctx)
{
	note(ctx, CLOSE, NULL);
}

static const struct pipa_instrument_ops fake_ops = { plan,	 open_fake, begin,
						     pause_fake, finish,    close_fake };

static void on_left_out(void *ctx, const struct pipa_instrument *instrument)
{
	struct bench *b = ctx;
	const struct fake *fake = instrument->ctx;

	b->left_out[strlen(b->left_out)] = fake->name;
	CHECK_EQ(instrument->err.code, fake->failure);
}

/* n instruments that last for a millisecond. */
static void set_up(struct bench *b, size_t n)
{
	size_t i;

	*b = (struct bench){ .follow = { .child = { .go = -1, .failed = -1 } } };
	b->session = (struct pipa_session){ .follow = &b->follow,
					    .instruments = b->instruments,
					    .n = n,
					    .duration_ns = PIPA_NS_PER_MS,
					    .left_out = on_left_out,
					    .ctx = b };
	for (i = 0; i < n; i++) {
		b->fakes[i] = (struct fake){ .name = (char)('a' + i), .bench = b };
		b->fakes[i].instrument = (struct pipa_instrument){ .ops = &fake_ops,
								   .ctx = &b->fakes[i] };
		b->instruments[i] = &b->fakes[i].instrument;
	}
}

static int run(struct bench *b)
{
	int rc = pipa_session_open(&b->session, &b->err);

	if (!rc)
		rc = pipa_session_begin(&b->session, &b->err);
	if (!rc)
		rc = pipa_session_wait(&b->session, &b->err);
	pipa_session_close(&b->session);
	return rc;
}

TEST(each_operation_is_called_for_all_instruments_before_the_next_one)
{
	struct bench b;

	set_up(&b, 2);
	CHECK_EQ(run(&b), 0);
	CHECK_STR(b.log, "plan a, plan b, open a, open b, begin a, begin b, pause a, pause b, "
			 "finish a, finish b, close a, close b");
	CHECK(!b.follow.stopped);
}

TEST(a_plan_may_be_run_several_times)
{
	struct bench b;
	int i;

	set_up(&b, 1);
	CHECK_EQ(pipa_session_plan(&b.session, &b.err), 0);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(pipa_session_open(&b.session, &b.err), 0);
		CHECK_EQ(pipa_session_begin(&b.session, &b.err), 0);
		CHECK_EQ(pipa_session_wait(&b.session, &b.err), 0);
		pipa_session_end(&b.session);
	}
	pipa_session_close(&b.session);
	CHECK_STR(b.log, "plan a, open a, begin a, pause a, finish a, "
			 "open a, begin a, pause a, finish a, close a");
}

static void note_held(void *ctx)
{
	struct bench *b = ctx;

	CHECK(b->follow.child.pid > 0);
	CHECK_STR(b->log, "plan a");
	b->left_out[0] = 'h';
}

TEST(held_is_called_between_the_start_of_the_command_and_the_opening_of_instruments)
{
	static char *const command[] = { "/bin/true", NULL };
	struct bench b;

	set_up(&b, 1);
	b.follow.command = (char **)(uintptr_t)command;
	b.session.held = note_held;
	CHECK_EQ(run(&b), 0);
	CHECK_STR(b.left_out, "h");
}

TEST(operations_that_an_instrument_lacks_are_skipped)
{
	static const struct pipa_instrument_ops none = { 0 };
	struct bench b;

	set_up(&b, 2);
	b.fakes[0].instrument.ops = &none;
	CHECK_EQ(run(&b), 0);
	CHECK_STR(b.log, "plan b, open b, begin b, pause b, finish b, close b");
}

TEST(a_failure_of_a_required_instrument_ends_the_session)
{
	static const char *const logs[] = {
		[PLAN] = "plan a, plan b, close a, close b, close c",
		[OPEN] = "plan a, plan b, plan c, open a, open b, close a, close b, close c",
		[BEGIN] = "plan a, plan b, plan c, open a, open b, open c, begin a, begin b, "
			  "close a, close b, close c",
		[FINISH] = "plan a, plan b, plan c, open a, open b, open c, begin a, begin b, "
			   "begin c, pause a, pause b, pause c, finish a, finish b, finish c, "
			   "close a, close b, close c",
	};
	enum operation at;
	struct bench b;

	for (at = PLAN; at <= FINISH; at++) {
		if (!logs[at])
			continue;
		set_up(&b, 3);
		b.fakes[1].fails_at = at;
		b.fakes[1].failure = -EACCES;
		CHECK_EQ(run(&b), -EACCES);
		CHECK_STR(b.log, logs[at]);
		CHECK_HAS(b.err.what, "use b");
		CHECK_STR(b.left_out, "");
	}
}

TEST(an_instrument_without_permission_is_left_out)
{
	static const char *const logs[] = {
		[PLAN] = "plan a, plan b, open b, begin b, pause b, finish b, close a, close b",
		[OPEN] = "plan a, plan b, open a, open b, begin b, pause b, finish b, close a, "
			 "close b",
	};
	enum operation at;
	struct bench b;

	for (at = PLAN; at <= OPEN; at++) {
		set_up(&b, 2);
		b.fakes[0].instrument.need = PIPA_INSTRUMENT_PERMITTED;
		b.fakes[0].fails_at = at;
		b.fakes[0].failure = -EPERM;
		CHECK_EQ(run(&b), 0);
		CHECK_STR(b.log, logs[at]);
		CHECK_STR(b.left_out, "a");
		CHECK_EQ(b.err.code, 0);
		set_up(&b, 2);
		b.fakes[0].instrument.need = PIPA_INSTRUMENT_PERMITTED;
		b.fakes[0].fails_at = at;
		b.fakes[0].failure = -ENOENT;
		CHECK_EQ(run(&b), -ENOENT);
	}
	set_up(&b, 2);
	b.fakes[0].instrument.need = PIPA_INSTRUMENT_PERMITTED;
	b.fakes[0].fails_at = BEGIN;
	b.fakes[0].failure = -EACCES;
	CHECK_EQ(run(&b), -EACCES);
}

TEST(an_optional_instrument_may_fail_but_for_lack_of_memory)
{
	enum operation at;
	struct bench b;

	for (at = PLAN; at <= FINISH; at++) {
		set_up(&b, 2);
		b.fakes[0].instrument.need = PIPA_INSTRUMENT_OPTIONAL;
		b.fakes[0].fails_at = at;
		b.fakes[0].failure = -ENOENT;
		b.fakes[0].instrument.bounded = at <=
						BEGIN; /* not waited for once it is left out */
		CHECK_EQ(run(&b), 0);
		CHECK_STR(b.left_out, at <= BEGIN ? "a" : "");
		CHECK_HAS(b.log, "finish b, close a, close b");
		set_up(&b, 2);
		b.fakes[0].instrument.need = PIPA_INSTRUMENT_OPTIONAL;
		b.fakes[0].fails_at = at;
		b.fakes[0].failure = -ENOMEM;
		CHECK_EQ(run(&b), at <= BEGIN ? -ENOMEM : 0);
	}
}

TEST(the_session_ends_once_all_bounded_instruments_are_done)
{
	struct bench b;

	set_up(&b, 3);
	b.session.duration_ns = 0;
	b.fakes[0].ticks = 1;
	b.fakes[2].ticks = 5;
	b.fakes[0].instrument.bounded = b.fakes[2].instrument.bounded = true;
	CHECK_EQ(run(&b), 0);
	CHECK_EQ(b.fakes[2].ticks, 0);
	CHECK_HAS(b.log, "finish a, finish b, finish c");
	CHECK(!b.follow.stopped);
}

TEST(the_duration_waits_for_an_instrument_that_is_late)
{
	struct bench b;

	set_up(&b, 1);
	b.session.duration_ns = 1;
	b.fakes[0].ticks = 10;
	b.fakes[0].instrument.bounded = true;
	CHECK_EQ(run(&b), 0);
	CHECK_EQ(b.fakes[0].ticks, 0);
	set_up(&b, 1); /* and one that is done early does not end it */
	b.session.duration_ns = 20 * PIPA_NS_PER_MS;
	b.fakes[0].ticks = 1;
	b.fakes[0].instrument.bounded = true;
	CHECK_EQ(run(&b), 0);
	CHECK(b.follow.end_ns - b.session.start_ns >= 20 * PIPA_NS_PER_MS);
}

TEST(an_instrument_may_be_done_before_the_loop_runs)
{
	struct bench b;

	set_up(&b, 2);
	b.session.duration_ns = 0;
	b.fakes[0].done_at_begin = b.fakes[0].instrument.bounded = true;
	CHECK_EQ(run(&b), 0);
	CHECK_HAS(b.log, "begin b, pause a, pause b, finish a, finish b");
	set_up(&b, 2);
	b.fakes[0].done_at_begin = b.fakes[0].instrument.bounded = true;
	b.fakes[1].ticks = 3;
	b.fakes[1].instrument.bounded = true;
	CHECK_EQ(run(&b), 0);
	CHECK_EQ(b.fakes[1].ticks, 0);
}

TEST(a_signal_ends_the_session_and_finishes_its_instruments)
{
	struct bench b;

	set_up(&b, 2);
	b.session.duration_ns = 3600 * PIPA_NS_PER_SEC;
	b.fakes[1].instrument.bounded = true;
	b.follow.host = &(struct pipa_host){ .owns_process = true };
	pipa_interrupt_enable();
	b.fakes[1].raises_at = BEGIN;
	CHECK_EQ(run(&b), 0);
	CHECK(b.follow.stopped);
	CHECK_EQ(b.follow.status, 128 + SIGTERM);
	CHECK_HAS(b.log, "pause a, pause b, finish a, finish b, close a, close b");
}

TEST(a_failure_in_the_loop_is_reported_and_the_rest_is_finished)
{
	struct bench b;

	set_up(&b, 2);
	b.session.duration_ns = 3600 * PIPA_NS_PER_SEC;
	b.fakes[1].ticks = 3;
	b.fakes[1].fails_at = TICK;
	b.fakes[1].failure = -ENOSPC;
	b.fakes[0].fails_at = FINISH; /* because of it */
	b.fakes[0].failure = -EIO;
	CHECK_EQ(run(&b), -ENOSPC);
	CHECK_HAS(b.err.what, "use b");
	CHECK_HAS(b.log, "finish a, finish b, close a, close b");
}

TEST(a_command_is_released_after_all_instruments_have_begun)
{
	static char *const command[] = { "/bin/sh", "-c", "exit 3", NULL };
	struct bench b;

	set_up(&b, 2);
	b.session.duration_ns = 0;
	b.follow.command = (char **)(uintptr_t)command;
	CHECK_EQ(pipa_session_open(&b.session, &b.err), 0);
	CHECK(b.follow.child.pid > 0);
	CHECK_STR(b.log, "plan a, plan b, open a, open b");
	CHECK(!pipa_child_ended(&b.follow.child));
	CHECK_EQ(pipa_session_begin(&b.session, &b.err), 0);
	CHECK_EQ(pipa_session_wait(&b.session, &b.err), 0);
	CHECK_EQ(b.follow.status, 3);
	pipa_session_close(&b.session);
	CHECK_HAS(b.log, "begin b, pause a, pause b, finish a");
}

TEST(a_failed_exec_is_distinct_from_other_errors)
{
	static char *const command[] = { "/no/such/command", NULL };
	struct bench b;

	set_up(&b, 1);
	b.follow.command = (char **)(uintptr_t)command;
	CHECK_EQ(run(&b), -ENOENT);
	CHECK(b.session.exec_failed);
	CHECK_STR(b.log, "plan a, open a, begin a, close a");
}
