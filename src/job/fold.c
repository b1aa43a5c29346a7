#include "job/fold.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/outfile.h"
#include "job/load.h"
#include "model/profile.h"

static void note(const struct pipa_fold_options *o, const char *fmt, ...) PIPA_PRINTF(2, 3);

static void note(const struct pipa_fold_options *o, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (!o->note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	o->note(text);
}

static const char *event_name(const struct pipa_profile *p, uint32_t event)
{
	return pipa_profile_string(p, p->events.items[event].name);
}

static int refuse_event(const struct pipa_profile *p, const char *name, struct pipa_error *err)
{
	struct pipa_nearest near = { .wanted = name };
	char hint[200], all[150] = "";
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < p->events.n; i++) {
		pipa_nearest_offer(&near, event_name(p, i));
		if (used < sizeof(all) && event_name(p, i)[0])
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
						 used ? ", " : "", event_name(p, i));
	}
	pipa_refuse(err, -EINVAL, "there is no event '%s' in the input", name);
	pipa_nearest_hint(&near, hint, sizeof(hint));
	if (hint[0])
		return pipa_hint(err, "%s", hint);
	return used ? pipa_hint(err, "there is %s", all) : err->code;
}

/* The one asked for, else the first that was sampled; the sum of different events means nothing. */
static int choose_event(const struct pipa_fold_options *o, const struct pipa_profile *p,
			uint32_t *ret, struct pipa_error *err)
{
	uint32_t i, others = 0;

	*ret = PIPA_NONE;
	for (i = 0; i < p->events.n; i++) {
		bool named = event_name(p, i)[0] && p->events.items[i].count;

		if (o->event && strcmp(event_name(p, i), o->event) == 0) {
			*ret = i;
			return 0;
		}
		others += named && *ret != PIPA_NONE;
		if (named && *ret == PIPA_NONE)
			*ret = i;
	}
	if (o->event)
		return refuse_event(p, o->event, err);
	if (others)
		note(o,
		     "filtering for events of type %s, the first of %" PRIu32
		     "; --event NAME takes another",
		     event_name(p, *ret), others + 1);
	return 0;
}

static void note_losses(const struct pipa_fold_options *o, const struct pipa_loaded *loaded)
{
	const struct pipa_losses *losses = &loaded->profile.losses;
	const struct pipa_damage *damage = &loaded->recording.damage;

	if (losses->lost_samples || losses->lost_records)
		note(o, "lost while recording: %" PRIu64 " samples, %" PRIu64 " records",
		     losses->lost_samples, losses->lost_records);
	if (losses->cut_stacks)
		note(o, "samples that are cut off and left out: %" PRIu64, losses->cut_stacks);
	if (damage->count)
		note(o, "damaged places: %" PRIu64 ", the first at byte %" PRIu64 ": %s%s",
		     damage->count, damage->at, damage->what,
		     damage->incomplete ? "; what follows is not read" : "");
	else if (losses->damaged)
		note(o, "lines that make no sense and are left out: %" PRIu64, losses->damaged);
}

struct writer {
	struct pipa_outfile *out;
	struct pipa_error *err;
};

static int put(void *ctx, const char *bytes, size_t len)
{
	struct writer *w = ctx;

	return pipa_outfile_put(w->out, bytes, len, w->err);
}

static int write_out(const struct pipa_fold_options *o, const struct pipa_profile *p,
		     const struct pipa_folded_look *look, struct pipa_error *err)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	struct writer w = { .err = err };
	int rc = o->output ? pipa_outfile_open(o->output, PIPA_OUTFILE_REPLACE, &out, err) :
			     pipa_outfile_wrap(o->out_fd, "standard output", &out, err);

	if (rc < 0)
		return rc;
	w.out = out;
	rc = pipa_folded_write(p, look, put, &w);
	if (rc == -ENOMEM)
		return pipa_fail(err, rc, "fold the stacks");
	return rc < 0 ? rc : pipa_outfile_commit(out, err);
}

int pipa_fold_run(const struct pipa_fold_options *o, struct pipa_error *err)
{
	const struct pipa_load_options load = { .path = o->path, .note = o->note };
	struct pipa_folded_look look = o->look;
	struct pipa_loaded loaded;
	int rc = pipa_load(&load, &loaded, err);

	if (rc < 0)
		return rc;
	rc = choose_event(o, &loaded.profile, &look.event, err);
	if (!rc) {
		/* the rules were applied before */
		look.names.raw_names |= loaded.kind == PIPA_KIND_FOLDED;
		note_losses(o, &loaded);
		rc = write_out(o, &loaded.profile, &look, err);
	}
	pipa_loaded_done(&loaded);
	return rc;
}
