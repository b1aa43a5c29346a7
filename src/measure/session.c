#include "measure/session.h"

#include <errno.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/loop.h"
#include "measure/follow.h"
#include "measure/instrument.h"

/* Operations before the command's exec; an instrument whose operation fails can be left out. */
enum step { PLAN, OPEN, BEGIN };

static bool may_be_left_out(const struct pipa_instrument *i, enum step step, int rc)
{
	switch (i->need) {
	case PIPA_INSTRUMENT_PERMITTED: return step != BEGIN && (rc == -EACCES || rc == -EPERM);
	case PIPA_INSTRUMENT_OPTIONAL: return rc != -ENOMEM;
	default: return false;
	}
}

static int call_operation(struct pipa_instrument *i, enum step step)
{
	int (*operation)(void *, struct pipa_error *) = step == PLAN ? i->ops->plan :
							step == OPEN ? i->ops->open :
								       i->ops->begin;

	return operation ? operation(i->ctx, &i->err) : 0;
}

/* Report the failure of an instrument as that of the session. */
static int fail_by(const struct pipa_instrument *i, int rc, struct pipa_error *err)
{
	if (err && i->err.what[0])
		*err = i->err;
	return rc;
}

static int call_all(struct pipa_session *s, enum step step, struct pipa_error *err)
{
	size_t k;

	for (k = 0; k < s->n; k++) {
		struct pipa_instrument *i = s->instruments[k];
		int rc = i->on ? call_operation(i, step) : 0;

		if (rc >= 0)
			continue;
		i->on = false;
		if (!may_be_left_out(i, step, rc))
			return fail_by(i, rc, err);
		if (s->left_out)
			s->left_out(s->ctx, i);
	}
	return 0;
}

int pipa_session_plan(struct pipa_session *s, struct pipa_error *err)
{
	size_t k;

	for (k = 0; k < s->n; k++) {
		s->instruments[k]->on = true;
		s->instruments[k]->err = (struct pipa_error){ 0 };
	}
	s->planned = true;
	return call_all(s, PLAN, err);
}

int pipa_session_open(struct pipa_session *s, struct pipa_error *err)
{
	size_t k;
	int rc = s->planned ? 0 : pipa_session_plan(s, err);

	for (k = 0; k < s->n; k++)
		s->instruments[k]->done = false;
	s->begun = s->exec_failed = false;
	if (!rc)
		rc = pipa_follow_begin(s->follow, err);
	if (!rc && s->held)
		s->held(s->ctx);
	return rc ? rc : call_all(s, OPEN, err);
}

/* ---- the end of a session ----------------------------------------------------------------------- */

static void end_if_nothing_is_pending(struct pipa_session *s)
{
	if (--s->pending == 0)
		pipa_follow_stop(s->follow);
}

static int on_duration_over(void *ctx, uint64_t expirations PIPA_UNUSED,
			    struct pipa_error *err PIPA_UNUSED)
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

int pipa_session_begin(struct pipa_session *s, struct pipa_error *err)
{
	unsigned int bounds = s->duration_ns != 0;
	size_t k;
	int rc = call_all(s, BEGIN, err);

	s->pending = bounds;
	for (k = 0; k < s->n; k++) {
		const struct pipa_instrument *i = s->instruments[k];

		bounds += i->on && i->bounded;
		s->pending += i->on && i->bounded && !i->done;
	}
	s->start_ns = pipa_clock_ns();
	if (!rc && s->duration_ns)
		rc = pipa_loop_timer(s->follow->loop, s->start_ns + s->duration_ns, 0,
				     on_duration_over, s, err);
	if (!rc && s->follow->command)
		rc = pipa_follow_release(s->follow, &s->exec_failed, err);
	s->begun = !rc;
	if (bounds && !s->pending) /* all finished while they began */
		pipa_follow_stop(s->follow);
	return rc;
}

int pipa_session_finish(struct pipa_session *s, struct pipa_error *err)
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
			first = fail_by(i, rc, err);
	}
	return first;
}

int pipa_session_wait(struct pipa_session *s, struct pipa_error *err)
{
	bool is_over = s->follow->end_ns != 0; /* before the loop, which would not notice */
	int failed = is_over ? 0 : pipa_loop_run(s->follow->loop, err);
	int rc;

	pipa_follow_finish(s->follow);
	rc = pipa_session_finish(s, failed ? NULL : err); /* later failures follow from the first */
	return failed ? failed : rc;
}

void pipa_session_end(struct pipa_session *s)
{
	pipa_follow_end(s->follow);
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
	pipa_session_end(s);
}
