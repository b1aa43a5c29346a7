#include "export/exchange/chrome_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "codec/doc.h"
#include "export/exchange/tracks.h"
#include "model/profile.h"

enum {
	UNKNOWN_TID = 1 << 22, /* threads without a TID get one above those of the kernel */
	TID_STEP =
		100000000, /* TIDs are below 2^22: the next event of a thread gets its TID plus this */
};

struct writer {
	const struct pipa_tracks *t;
	const struct pipa_profile *p;
	uint64_t base;			/* time 0 of the file */
	struct pipa_track_stack open;	/* frames whose slices have begun */
	struct pipa_track_stack frames; /* of the sample */
	uint32_t pid;
	uint64_t tid;
	size_t n; /* events written */
	struct pipa_pieces to;
};

/* Start an event: `{"ph":"B","pid":1,"tid":2`. */
static void begin_event(struct writer *w, char phase, uint32_t pid, uint64_t tid)
{
	pipa_buf_puts(&w->to.buf, w->n++ ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	pipa_buf_putc(&w->to.buf, phase);
	pipa_buf_puts(&w->to.buf, "\",\"pid\":");
	pipa_buf_put_u64(&w->to.buf, pid);
	pipa_buf_puts(&w->to.buf, ",\"tid\":");
	pipa_buf_put_u64(&w->to.buf, tid);
}

/* Write nanoseconds as microseconds, exactly. */
static void put_us(struct writer *w, const char *key, uint64_t ns)
{
	uint32_t fraction = (uint32_t)(ns % 1000);
	const char digits[4] = { '.', (char)('0' + fraction / 100),
				 (char)('0' + fraction / 10 % 10), (char)('0' + fraction % 10) };

	pipa_buf_puts(&w->to.buf, ",\"");
	pipa_buf_puts(&w->to.buf, key);
	pipa_buf_puts(&w->to.buf, "\":");
	pipa_buf_put_u64(&w->to.buf, ns / 1000);
	if (fraction)
		pipa_buf_add(&w->to.buf, digits, sizeof(digits));
}

static uint64_t since_base(const struct writer *w, uint64_t time)
{
	return time > w->base ? time - w->base : 0;
}

/* End slices until `keep` of them are left. speedscope matches the ends by their names. */
static void end_slices(struct writer *w, size_t keep, uint64_t time)
{
	for (; w->open.n > keep; w->open.n--) {
		begin_event(w, 'E', w->pid, w->tid);
		put_us(w, "ts", since_base(w, time));
		pipa_buf_puts(&w->to.buf, ",\"name\":");
		pipa_doc_put_quoted(&w->to.buf,
				    pipa_tracks_name(w->t, w->open.items[w->open.n - 1].function));
		pipa_buf_putc(&w->to.buf, '}');
		pipa_pieces_flush(&w->to);
	}
}

/* Begin the slice of a frame. Its object is a category: speedscope appends arguments to names. */
static int begin_slice(struct writer *w, const struct pipa_track_frame *frame, uint64_t time)
{
	const struct pipa_track_function *function = &w->t->functions.items[frame->function];
	struct pipa_track_frame *slot = PIPA_VEC_ADD(&w->open);

	if (!slot)
		return -ENOMEM;
	*slot = *frame;
	begin_event(w, 'B', w->pid, w->tid);
	put_us(w, "ts", since_base(w, time));
	pipa_buf_puts(&w->to.buf, ",\"name\":");
	pipa_doc_put_quoted(&w->to.buf, pipa_tracks_name(w->t, frame->function));
	pipa_buf_puts(&w->to.buf, ",\"cat\":");
	pipa_doc_put_quoted(&w->to.buf, pipa_object_short(w->p, function->object));
	pipa_buf_putc(&w->to.buf, '}');
	return pipa_pieces_flush(&w->to) ? 0 : w->to.status;
}

static int put_track(struct writer *w, const struct pipa_track *track)
{
	struct pipa_track_sample sample;
	uint64_t end = 0;
	uint32_t stack = PIPA_NONE;
	size_t i, common;
	int rc = 0;

	for (i = 0; !rc && i < track->n; i++) {
		uint64_t start;

		pipa_tracks_sample(w->t, track, i, &sample);
		start = pipa_tracks_sample_start(w->t, track, &sample, end);
		if (start > end)
			end_slices(w, 0, end);
		end = sample.time;
		if (w->open.n && sample.stack == stack)
			continue;
		stack = sample.stack;
		rc = pipa_tracks_stack(w->t, sample.stack, &w->frames);
		for (common = 0; common < w->open.n && common < w->frames.n; common++)
			if (w->open.items[common].function != w->frames.items[common].function)
				break;
		end_slices(w, common, start);
		for (; !rc && common < w->frames.n; common++)
			rc = begin_slice(w, &w->frames.items[common], start);
	}
	end_slices(w, 0, end);
	return rc ? rc : w->to.status;
}

/* ---- threads ----------------------------------------------------------------------------------- */

static void put_metadata(struct writer *w, const char *kind, uint64_t tid, const char *name)
{
	begin_event(w, 'M', w->pid, tid);
	pipa_buf_puts(&w->to.buf, ",\"ts\":0,\"cat\":\"__metadata\",\"name\":\"");
	pipa_buf_puts(&w->to.buf, kind);
	pipa_buf_puts(&w->to.buf, "\",\"args\":{\"name\":");
	pipa_doc_put_quoted(&w->to.buf, name);
	pipa_buf_puts(&w->to.buf, "}}");
}

/* Set PID and TID of a track and write the names of its process and thread. */
static void put_names(struct writer *w, size_t number)
{
	const struct pipa_track *track = &w->t->items[number];
	const struct pipa_thread unknown = { .pid = PIPA_UNKNOWN32, .tid = PIPA_UNKNOWN32 };
	const struct pipa_thread *thread = track->thread == PIPA_NONE ?
						   &unknown :
						   &w->p->threads.items[track->thread];
	const char *comm = pipa_profile_string(w->p, thread->comm);
	bool has_tid = thread->tid != PIPA_UNKNOWN32;
	uint32_t tid = has_tid ? thread->tid : UNKNOWN_TID + (uint32_t)number;
	uint32_t pid = thread->pid != PIPA_UNKNOWN32 ? thread->pid : has_tid ? tid : 0;
	uint32_t event = track->event == w->t->items[0].event ? 0 : track->event + 1;
	struct pipa_buf name = { 0 };

	if (!number || w->pid != pid) {
		w->pid = pid;
		put_metadata(w, "process_name", pid, comm);
	}
	w->tid = tid + (uint64_t)event * TID_STEP;
	pipa_buf_puts(&name, comm);
	if (event)
		pipa_buf_printf(&name, " (%s)",
				pipa_profile_string(w->p, w->p->events.items[track->event].name));
	put_metadata(w, "thread_name", w->tid, pipa_buf_str(&name));
	if (name.status)
		w->to.status = name.status;
	pipa_buf_done(&name);
}

/* Write the lost and throttled intervals as instant events at their end. */
static void put_intervals(struct writer *w)
{
	static const char *const names[] = {
		[PIPA_TRACK_LOST] = "Lost records",
		[PIPA_TRACK_LOST_SAMPLES] = "Lost samples",
		[PIPA_TRACK_THROTTLED] = "Throttled",
	};
	size_t i;

	for (i = 0; i < w->t->intervals.n && pipa_pieces_flush(&w->to); i++) {
		const struct pipa_track_interval *interval = &w->t->intervals.items[i];
		bool known = interval->pid != PIPA_UNKNOWN32 && interval->tid != PIPA_UNKNOWN32;

		begin_event(w, 'i', known ? interval->pid : 0, known ? interval->tid : 0);
		put_us(w, "ts", since_base(w, interval->end));
		pipa_buf_printf(&w->to.buf,
				",\"s\":\"%c\",\"cat\":\"losses\",\"name\":\"%s\",\"args\":{",
				known ? 't' : 'g', names[interval->kind]);
		pipa_buf_printf(&w->to.buf, "\"lost\":%" PRIu64, interval->lost);
		if (interval->cpu != PIPA_NONE)
			pipa_buf_printf(&w->to.buf, ",\"cpu\":%" PRIu32, interval->cpu);
		put_us(w, "duration_us", interval->end - interval->start);
		pipa_buf_puts(&w->to.buf, "}}");
	}
}

/* Return the time at which the first slice begins. */
static uint64_t first_start(const struct pipa_tracks *t)
{
	uint64_t first = t->start;
	size_t i;

	for (i = 0; i < t->n; i++) {
		struct pipa_track_sample sample;
		uint64_t start;

		pipa_tracks_sample(t, &t->items[i], 0, &sample);
		start = pipa_tracks_sample_start(t, &t->items[i], &sample, 0);
		if (start < first)
			first = start;
	}
	return first;
}

int pipa_chrome_trace_write(const struct pipa_tracks *tracks, const char *version, pipa_put_fn *put,
			    void *ctx)
{
	struct writer w = { .t = tracks, .p = tracks->profile, .to = { .put = put, .ctx = ctx } };
	size_t i;
	int rc = 0;

	if (!tracks->timed && tracks->n)
		return -ENODATA;
	w.base = first_start(tracks);
	pipa_buf_puts(&w.to.buf, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"creator\":\"pipa ");
	pipa_buf_puts(&w.to.buf, version ? version : "");
	pipa_buf_printf(&w.to.buf, "\",\"clock_start_ns\":\"%" PRIu64 "\",\"losses\":\"", w.base);
	pipa_tracks_put_losses(tracks, &w.to.buf);
	pipa_buf_puts(&w.to.buf, "\"},\"traceEvents\":[");
	for (i = 0; !rc && i < tracks->n; i++) {
		put_names(&w, i);
		rc = put_track(&w, &tracks->items[i]);
	}
	put_intervals(&w);
	pipa_buf_puts(&w.to.buf, "\n]}\n");
	if (!rc) {
		rc = pipa_pieces_end(&w.to);
	}
	free(w.open.items);
	free(w.frames.items);
	pipa_buf_done(&w.to.buf);
	return rc;
}
