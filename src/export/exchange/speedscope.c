#include "export/exchange/speedscope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "codec/doc.h"
#include "export/exchange/tracks.h"

struct writer {
	const struct pipa_tracks *t;
	const struct pipa_speedscope_format *format;
	struct pipa_track_stack stack, open; /* of the sample; evented: of the one before it */
	struct pipa_pieces to;
	bool has_events; /* of the profile that is written */
};

static void put_member(struct writer *w, const char *key, const char *text)
{
	pipa_buf_printf(&w->to.buf, "\"%s\":", key);
	pipa_doc_put_quoted(&w->to.buf, text);
}

/* ---- frames ------------------------------------------------------------------------------------ */

static void put_frames(struct writer *w)
{
	const struct pipa_profile *p = w->t->profile;
	uint32_t i;

	pipa_buf_puts(&w->to.buf, "\"shared\":{\"frames\":[");
	for (i = 0; i < w->t->functions.n && pipa_pieces_flush(&w->to); i++) {
		const struct pipa_track_function *f = &w->t->functions.items[i];
		const char *dso = f->object < p->objects.n ?
					  pipa_profile_string(p, p->objects.items[f->object].path) :
					  "";
		const char *file = pipa_profile_string(p, f->file);

		pipa_buf_puts(&w->to.buf, i ? ",\n{" : "\n{");
		put_member(w, "name", pipa_tracks_name(w->t, i));
		if (file[0] || dso[0]) {
			pipa_buf_putc(&w->to.buf, ',');
			put_member(w, "file", file[0] ? file : dso);
		}
		if (f->start_line)
			pipa_buf_printf(&w->to.buf, ",\"line\":%" PRIu32, f->start_line);
		if (dso[0]) {
			pipa_buf_putc(&w->to.buf, ',');
			put_member(w, "dso", dso);
		}
		if (f->is_kernel)
			pipa_buf_puts(&w->to.buf, ",\"kernel\":true");
		pipa_buf_putc(&w->to.buf, '}');
	}
	pipa_buf_puts(&w->to.buf, "]},\n");
}

/* ---- profiles ---------------------------------------------------------------------------------- */

static const char *unit_of(const struct pipa_profile *p, uint32_t event)
{
	static const char *const units[] = { "nanoseconds", "microseconds", "milliseconds",
					     "seconds", "bytes" };
	const char *unit = pipa_profile_string(p, p->events.items[event].unit);
	size_t i;

	for (i = 0; i < PIPA_COUNT(units); i++)
		if (strcmp(unit, units[i]) == 0)
			return units[i];
	return "none";
}

static bool read_stack(struct writer *w, uint32_t stack)
{
	int rc = pipa_tracks_stack(w->t, stack, &w->stack);

	w->to.status = w->to.status ? w->to.status : rc;
	return !w->to.status;
}

static void put_samples(struct writer *w, const struct pipa_track *track)
{
	struct pipa_track_sample sample;
	size_t i, k;

	pipa_buf_puts(&w->to.buf, ",\n\"samples\":[");
	for (i = 0; i < track->n && pipa_pieces_flush(&w->to); i++) {
		pipa_tracks_sample(w->t, track, i, &sample);
		if (!read_stack(w, sample.stack))
			return;
		pipa_buf_puts(&w->to.buf, i ? ",\n[" : "\n[");
		for (k = 0; k < w->stack.n; k++) {
			if (k)
				pipa_buf_putc(&w->to.buf, ',');
			pipa_buf_put_u64(&w->to.buf, w->stack.items[k].function);
		}
		pipa_buf_putc(&w->to.buf, ']');
	}
	pipa_buf_puts(&w->to.buf, "],\n\"weights\":[");
	for (i = 0; i < track->n && pipa_pieces_flush(&w->to); i++) {
		pipa_tracks_sample(w->t, track, i, &sample);
		if (i)
			pipa_buf_putc(&w->to.buf, ',');
		pipa_buf_put_u64(&w->to.buf, sample.weight);
	}
	pipa_buf_putc(&w->to.buf, ']');
}

static void put_event(struct writer *w, char type, uint32_t frame, uint64_t at)
{
	pipa_buf_printf(&w->to.buf, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
			w->has_events ? ",\n" : "\n", type, frame, at);
	w->has_events = true;
}

/* Close the open frames down to a depth. */
static void close_frames(struct writer *w, size_t depth, uint64_t at)
{
	while (w->open.n > depth) {
		w->open.n--;
		put_event(w, 'C', w->open.items[w->open.n].function, at);
	}
}

/* Change the open frames to those of the sample: frames that both have stay open. */
static void put_changes(struct writer *w, uint64_t at)
{
	struct pipa_track_frame *slot;
	size_t k = 0;

	while (k < w->open.n && k < w->stack.n &&
	       w->open.items[k].function == w->stack.items[k].function)
		k++;
	close_frames(w, k, at);
	for (; k < w->stack.n; k++) {
		slot = PIPA_VEC_ADD(&w->open);
		if (!slot) {
			w->to.status = -ENOMEM;
			return;
		}
		*slot = w->stack.items[k];
		put_event(w, 'O', slot->function, at);
	}
}

/* Return the time at which the first sample of all tracks begins: the 0 of the file. */
static uint64_t first_start(const struct pipa_tracks *t)
{
	uint64_t start, first = UINT64_MAX;
	struct pipa_track_sample sample;
	size_t i;

	for (i = 0; i < t->n; i++) {
		pipa_tracks_sample(t, &t->items[i], 0, &sample);
		start = pipa_tracks_sample_start(t, &t->items[i], &sample, 0);
		first = start < first ? start : first;
	}
	return first;
}

static void put_events(struct writer *w, const struct pipa_track *track, uint64_t zero)
{
	struct pipa_track_sample sample;
	uint64_t start, end = zero;
	size_t i;

	pipa_buf_puts(&w->to.buf, ",\n\"events\":[");
	w->has_events = false;
	w->open.n = 0;
	for (i = 0; i < track->n && pipa_pieces_flush(&w->to); i++) {
		pipa_tracks_sample(w->t, track, i, &sample);
		if (!read_stack(w, sample.stack))
			return;
		start = pipa_tracks_sample_start(w->t, track, &sample, end);
		if (start > end)
			close_frames(w, 0, end - zero);
		put_changes(w, start - zero);
		end = sample.time;
	}
	close_frames(w, 0, end - zero);
	pipa_buf_putc(&w->to.buf, ']');
}

/* Write what a reader of pipa needs beside the profile. */
static void put_own(struct writer *w, const struct pipa_track *track, bool evented)
{
	const struct pipa_profile *p = w->t->profile;
	const struct pipa_profile_event *event = &p->events.items[track->event];
	struct pipa_track_sample sample;
	size_t i;

	pipa_buf_puts(&w->to.buf, ",\n\"pipa\":{");
	put_member(w, "event", pipa_profile_string(p, event->name));
	pipa_buf_putc(&w->to.buf, ',');
	put_member(w, "unit", pipa_profile_string(p, event->unit));
	if (track->thread != PIPA_NONE) {
		const struct pipa_thread *thread = &p->threads.items[track->thread];

		pipa_buf_putc(&w->to.buf, ',');
		put_member(w, "comm", pipa_profile_string(p, thread->comm));
		if (thread->pid != PIPA_UNKNOWN32)
			pipa_buf_printf(&w->to.buf, ",\"pid\":%" PRIu32, thread->pid);
		if (thread->tid != PIPA_UNKNOWN32)
			pipa_buf_printf(&w->to.buf, ",\"tid\":%" PRIu32, thread->tid);
	}
	pipa_buf_printf(&w->to.buf, ",\"weight\":%" PRIu64 ",\"count\":%" PRIu64, track->weight,
			track->count);
	if (!evented && event->counted && track->count != track->n) {
		pipa_buf_puts(&w->to.buf, ",\"counts\":[");
		for (i = 0; i < track->n && pipa_pieces_flush(&w->to); i++) {
			pipa_tracks_sample(w->t, track, i, &sample);
			if (i)
				pipa_buf_putc(&w->to.buf, ',');
			pipa_buf_put_u64(&w->to.buf, sample.count);
		}
		pipa_buf_putc(&w->to.buf, ']');
	}
	pipa_buf_putc(&w->to.buf, '}');
}

static void put_profile(struct writer *w, const struct pipa_track *track, uint64_t zero)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf name = { 0 };
	bool evented = w->format->evented && w->t->timed;

	pipa_tracks_put_name(w->t, track, &name);
	pipa_buf_printf(&w->to.buf, "{\"type\":\"%s\",", evented ? "evented" : "sampled");
	put_member(w, "name", pipa_buf_str(&name));
	if (name.status && !w->to.buf.status)
		w->to.buf.status = name.status;
	pipa_buf_printf(&w->to.buf, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64,
			evented ? "nanoseconds" : unit_of(w->t->profile, track->event),
			evented ? track->end - zero : track->weight);
	if (evented)
		put_events(w, track, zero);
	else
		put_samples(w, track);
	put_own(w, track, evented);
	pipa_buf_putc(&w->to.buf, '}');
}

/* ---- the file ---------------------------------------------------------------------------------- */

/* Write the name of the file with its losses, and the losses as numbers. */
static void put_name(struct writer *w)
{
	const struct pipa_losses *losses = &w->t->profile->losses;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 }, lost = { 0 };

	pipa_tracks_put_losses(w->t, &lost);
	pipa_buf_puts(&text, w->format->name ? w->format->name : "profile");
	if (lost.len)
		pipa_buf_printf(&text, " (%s)", pipa_buf_str(&lost));
	if ((text.status || lost.status) && !w->to.buf.status)
		w->to.buf.status = text.status ? text.status : lost.status;
	put_member(w, "name", pipa_buf_str(&text));
	pipa_buf_printf(&w->to.buf,
			",\n\"pipa\":{\"lost_samples\":%" PRIu64 ",\"lost_records\":%" PRIu64
			",\"throttled\":%" PRIu64 "}",
			losses->lost_samples, losses->lost_records, losses->throttled);
}

/* Return the track with most of the samples: viewers show it first. */
static size_t largest_track(const struct pipa_tracks *t)
{
	size_t i, largest = 0;

	for (i = 1; i < t->n; i++)
		if (t->items[i].event == t->items[0].event &&
		    t->items[i].weight > t->items[largest].weight)
			largest = i;
	return largest;
}

int pipa_speedscope_write(const struct pipa_tracks *tracks,
			  const struct pipa_speedscope_format *format, pipa_put_fn *put, void *ctx)
{
	struct writer w = { .t = tracks, .format = format, .to = { .put = put, .ctx = ctx } };
	uint64_t zero = format->evented && tracks->timed ? first_start(tracks) : 0;
	size_t i;

	pipa_buf_puts(&w.to.buf,
		      "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n");
	pipa_buf_printf(&w.to.buf, "\"exporter\":\"pipa%s%s\",\n", format->version ? "@" : "",
			format->version ? format->version : "");
	put_name(&w);
	pipa_buf_printf(&w.to.buf, ",\n\"activeProfileIndex\":%zu,\n", largest_track(tracks));
	put_frames(&w);
	pipa_buf_puts(&w.to.buf, "\"profiles\":[");
	for (i = 0; i < tracks->n && pipa_pieces_flush(&w.to); i++) {
		pipa_buf_puts(&w.to.buf, i ? ",\n" : "\n");
		put_profile(&w, &tracks->items[i], zero);
	}
	pipa_buf_puts(&w.to.buf, "]}\n");
	pipa_pieces_end(&w.to);
	free(w.stack.items);
	free(w.open.items);
	pipa_buf_done(&w.to.buf);
	return w.to.status;
}
