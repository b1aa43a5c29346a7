#include "measure/session.h"

#include <errno.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/loop.h"
#include "measure/follow.h"
#include "measure/instrument.h"

/* The operations before the command's exec; a failed one may leave the instrument out. */
enum step { PLAN, OPEN, BEGIN };

static bool may_be_left_out(const struct pipa_instrument *i, enum step step, int rc)
{
	switch (i->need) {
	case PIPA_INSTRUMENT_PERMITTED: return step != BEGIN && (rc == -EACCES || rc == -EPERM);
	case PIPA_INSTRUMENT_OPTIONAL: return rc != -ENOMEM;
	default: return false;
	}
}

static int call(struct pipa_instrument *i, enum step step)
{
	int (*operation)(void *, struct pipa_error *) = step == PLAN ? i->ops->plan :
							step == OPEN ? i->ops->open :
								       i->ops->begin;

	return operation ? operation(i->ctx, &i->err) : 0;
}

/* Report the failure of an instrument as that of the session. */
static int fail_by(struct pipa_session *s, const struct pipa_instrument *i, int rc)
{
	if (s->err && i->err.what[0])
		*s->err = i->err;
	return rc;
}

static int call_all(struct pipa_session *s, enum step step)
{
	size_t k;

	for (k = 0; k < s->n; k++) {
		struct pipa_instrument *i = s->instruments[k];
		int rc = i->on ? call(i, step) : 0;

		if (rc >= 0)
			continue;
		i->on = false;
		if (!may_be_left_out(i, step, rc))
			return fail_by(s, i, rc);
		if (s->left_out)
			s->left_out(s->ctx, i);
	}
	return 0;
}

int pipa_session_open(struct pipa_session *s)
{
	size_t k;
	int rc;

	for (k = 0; k < s->n; k++) {
		s->instruments[k]->on = true;
		s->instruments[k]->done = false;
		s->instruments[k]->err = (struct pipa_error){ 0 };
	}
	s->planned = true;
	rc = call_all(s, PLAN);
	if (!rc)
		rc = pipa_follow_begin(s->follow);
	return rc ? rc : call_all(s, OPEN);
}

/* ---- the end of a session ----------------------------------------------------------------------- */

static void end_if_nothing_is_pending(struct pipa_session *s)
{
	if (--s->pending == 0)
		pipa_follow_stop(s->follow);
}

static int on_duration_over(void *ctx, uint64_t expirations PIPA_UNUSED)
{
	end_if_nothing_is_pending(ctx);
	return 0;
}

void pipa_session_instrument_done(struct pipa_session *s, struct pipa_instrument *i)
{
	if (!i->bounded || i->done)
		return;
	i->done = true;
	if (s->begun)
		end_if_nothing_is_pending(s);
}

int pipa_session_begin(struct pipa_session *s)
{
	unsigned int bounds = s->duration_ns != 0;
	size_t k;
	int rc = call_all(s, BEGIN);

	s->pending = bounds;
	for (k = 0; k < s->n; k++) {
		const struct pipa_instrument *i = s->instruments[k];

		bounds += i->on && i->bounded;
		s->pending += i->on && i->bounded && !i->done;
	}
	s->start_ns = pipa_clock_ns();
	if (!rc && s->duration_ns)
		rc = pipa_loop_timer(s->follow->loop, s->start_ns + s->duration_ns, 0,
				     on_duration_over, s, s->err);
	if (!rc && s->follow->command)
		rc = pipa_follow_release(s->follow, &s->exec_failed);
	s->begun = !rc;
	if (bounds && !s->pending) /* all were done while they began */
		pipa_follow_stop(s->follow);
	return rc;
}

int pipa_session_finish(struct pipa_session *s)
{
	int first = 0;
	size_t k;

	for (k = 0; k < s->n; k++)
		if (s->instruments[k]->on && s->instruments[k]->ops->pause)
			s->instruments[k]->ops->pause(s->instruments[k]->ctx);
	for (k = 0; k < s->n; k++) {
		struct pipa_instrument *i = s->instruments[k];
		int rc = i->on && i->ops->finish ? i->ops->finish(i->ctx, &i->err) : 0;

		if (rc >= 0)
			continue;
		i->on = false;
		if (i->need != PIPA_INSTRUMENT_OPTIONAL && !first)
			first = fail_by(s, i, rc);
	}
	return first;
}

/* A callback that ended the loop has reported to its instrument, or to the caller. */
static int fail_by_loop(struct pipa_session *s, int rc)
{
	size_t k;

	for (k = 0; k < s->n && s->err && !s->err->what[0]; k++)
		if (s->instruments[k]->on && s->instruments[k]->err.code == rc)
			fail_by(s, s->instruments[k], rc);
	return rc;
}

int pipa_session_wait(struct pipa_session *s)
{
	bool is_over = s->follow->end_ns != 0; /* before the loop, which would not notice */
	int failed = is_over ? 0 : pipa_loop_run(s->follow->loop, s->err), rc;
	struct pipa_error first = { 0 };

	if (failed) {
		fail_by_loop(s, failed);
		first = s->err ? *s->err : first;
	}
	pipa_follow_finish(s->follow);
	rc = pipa_session_finish(s);
	if (failed && s->err) /* later failures follow from it */
		*s->err = first;
	return failed ? failed : rc;
}

void pipa_session_close(struct pipa_session *s)
{
	size_t k;

	for (k = 0; s->planned && k < s->n; k++) {
		s->instruments[k]->on = false;
		if (s->instruments[k]->ops->close)
			s->instruments[k]->ops->close(s->instruments[k]->ctx);
	}
	s->planned = s->begun = false;
	pipa_follow_end(s->follow);
}
