/* Threads of a Firefox profile: their names, samples and markers. */
#include "export/exchange/firefox_own.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codec/doc.h"
#include "export/exchange/firefox_columns.h"
#include "model/profile.h"

static int compare_pids(const void *a, const void *b, void *ctx)
{
	const struct pipa_thread *threads = ctx;
	const uint32_t *first = a, *second = b;

	if (threads[*first].pid != threads[*second].pid)
		return threads[*first].pid < threads[*second].pid ? -1 : 1;
	return *first < *second ? -1 : *first > *second;
}

int pipa_firefox_threads_make(struct pipa_firefox_writer *w)
{
	struct pipa_firefox_threads *threads = &w->threads;
	size_t i;

	for (i = 1; i < w->t->n; i++)
		threads->several_events |= w->t->items[i].event != w->t->items[0].event;
	threads->processes = malloc((w->p->threads.n + 1) * sizeof(*threads->processes));
	if (!threads->processes)
		return -ENOMEM;
	for (i = 0; i < w->p->threads.n; i++)
		if (w->p->threads.items[i].pid == w->p->threads.items[i].tid)
			threads->processes[threads->n_processes++] = (uint32_t)i;
	qsort_r(threads->processes, threads->n_processes, sizeof(*threads->processes), compare_pids,
		w->p->threads.items);
	return 0;
}

void pipa_firefox_threads_done(struct pipa_firefox_threads *threads)
{
	free(threads->processes);
}

/* Write the weights: null if each sample counts 1. */
static void put_weights(struct pipa_firefox_writer *w, const struct pipa_track *track)
{
	const struct pipa_profile_event *event = &w->p->events.items[track->event];
	const char *unit = pipa_profile_string(w->p, event->unit);
	bool is_time = !event->counted && strcmp(unit, PIPA_VALUE_NS) == 0;
	bool is_bytes = !event->counted && strcmp(unit, PIPA_VALUE_BYTES) == 0;
	struct pipa_track_sample sample;
	size_t i;

	pipa_buf_puts(&w->to.buf, ",\"weightType\":");
	pipa_doc_put_quoted(&w->to.buf, is_time ? "tracing-ms" : is_bytes ? "bytes" : "samples");
	if (event->counted && track->count == track->n) {
		pipa_buf_puts(&w->to.buf, ",\"weight\":null");
		return;
	}
	pipa_firefox_column_begin(&w->to, "weight");
	for (i = 0; i < track->n; i++) {
		pipa_tracks_sample(w->t, track, i, &sample);
		pipa_firefox_column_next(&w->to, i);
		if (is_time)
			pipa_firefox_put_ms(&w->to.buf, sample.weight);
		else
			pipa_buf_put_u64(&w->to.buf, event->counted ? sample.count : sample.weight);
	}
	pipa_firefox_column_end(&w->to);
}

static void put_samples(struct pipa_firefox_writer *w, const struct pipa_track *track)
{
	struct pipa_track_sample sample;
	size_t i;

	pipa_firefox_table_begin(&w->to, "samples", track->n);
	pipa_firefox_column_begin(&w->to, "stack");
	for (i = 0; i < track->n; i++) {
		pipa_tracks_sample(w->t, track, i, &sample);
		pipa_firefox_column_next(&w->to, i);
		pipa_buf_put_u64(&w->to.buf, sample.stack == PIPA_NONE ?
						     PIPA_FIREFOX_NO_STACK_ROW :
						     w->tables.row_of_stack[sample.stack]);
	}
	pipa_firefox_column_end(&w->to);
	pipa_firefox_column_begin(&w->to, "time");
	for (i = 0; i < track->n; i++) {
		pipa_tracks_sample(w->t, track, i, &sample);
		pipa_firefox_column_next(&w->to, i);
		if (w->t->timed)
			pipa_firefox_put_ms(&w->to.buf, pipa_firefox_since_start(w, sample.time));
		else /* in the order of the file, a millisecond apart */
			pipa_buf_put_u64(&w->to.buf, i);
	}
	pipa_firefox_column_end(&w->to);
	put_weights(w, track);
	pipa_buf_puts(&w->to.buf, "}");
}

static uint32_t pid_of(const struct pipa_thread *thread)
{
	uint32_t pid = thread->pid == PIPA_UNKNOWN32 ? thread->tid : thread->pid;

	return pid == PIPA_UNKNOWN32 ? 0 : pid;
}

const char *pipa_firefox_process_name(const struct pipa_firefox_writer *w,
				      const struct pipa_thread *thread)
{
	const struct pipa_profile *p = w->p;
	const char *name = pipa_profile_string(p, thread->comm), *slash;
	size_t from = 0, until = w->threads.n_processes;

	while (thread->tid != thread->pid && from < until) {
		size_t middle = from + (until - from) / 2;

		if (p->threads.items[w->threads.processes[middle]].pid < thread->pid)
			from = middle + 1;
		else
			until = middle;
	}
	if (thread->tid != thread->pid && from < w->threads.n_processes &&
	    p->threads.items[w->threads.processes[from]].pid == thread->pid)
		return pipa_profile_string(p, p->threads.items[w->threads.processes[from]].comm);
	if (thread->tid != thread->pid && thread->process && thread->process < p->processes.n &&
	    p->processes.items[thread->process].exe)
		name = pipa_profile_string(p, p->processes.items[thread->process].exe);
	slash = strrchr(name, '/');
	return slash ? slash + 1 : *name ? name : "[unknown]";
}

/* Write the TID; another track of the same thread gets a suffix, because viewers identify threads by it. */
static void put_tid(struct pipa_firefox_writer *w, size_t number, uint32_t pid, uint32_t tid)
{
	const struct pipa_track *before = number ? &w->t->items[number - 1] : NULL;
	bool same = before && before->thread != PIPA_NONE &&
		    w->p->threads.items[before->thread].pid == pid &&
		    w->p->threads.items[before->thread].tid == tid;

	/* tracks are sorted by PID and TID */
	w->threads.same_tid = same ? w->threads.same_tid + 1 : 0;
	if (same)
		pipa_buf_printf(&w->to.buf, ",\"tid\":\"%" PRIu32 ".%u\"", tid,
				w->threads.same_tid);
	else
		pipa_buf_printf(&w->to.buf, ",\"tid\":%" PRIu32, tid == PIPA_UNKNOWN32 ? 0 : tid);
}

static void put_thread(struct pipa_firefox_writer *w, size_t number)
{
	const struct pipa_track *track = &w->t->items[number];
	const struct pipa_thread unknown = { .pid = 0, .tid = 0 };
	const struct pipa_thread *thread = track->thread == PIPA_NONE ?
						   &unknown :
						   &w->p->threads.items[track->thread];
	struct pipa_buf name = { 0 };

	pipa_buf_puts(&name, pipa_profile_string(w->p, thread->comm));
	if (w->threads.several_events || !name.len) {
		const char *event = pipa_profile_string(w->p,
							w->p->events.items[track->event].name);

		pipa_buf_printf(&name, name.len ? " (%s)" : "%s", *event ? event : "samples");
	}
	pipa_buf_puts(&w->to.buf, "{\"name\":");
	pipa_doc_put_quoted(&w->to.buf, pipa_buf_str(&name));
	if (name.status)
		w->to.status = name.status;
	pipa_buf_done(&name);
	pipa_buf_puts(&w->to.buf, ",\"isMainThread\":");
	pipa_buf_puts(&w->to.buf, pid_of(thread) == thread->tid ? "true" : "false");
	pipa_buf_puts(&w->to.buf, ",\"processType\":\"default\",\"processName\":");
	pipa_doc_put_quoted(&w->to.buf, pipa_firefox_process_name(w, thread));
	pipa_buf_puts(&w->to.buf,
		      ",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":");
	pipa_firefox_put_ms(&w->to.buf,
			    w->t->timed ? pipa_firefox_since_start(w, track->start) : 0);
	pipa_buf_puts(&w->to.buf, ",\"unregisterTime\":null,\"pausedRanges\":[],\"pid\":");
	pipa_buf_printf(&w->to.buf, "\"%" PRIu32 "\"", pid_of(thread));
	put_tid(w, number, thread->pid, thread->tid);
	put_samples(w, track);
	pipa_firefox_put_markers(w, track);
	pipa_buf_puts(&w->to.buf, "}");
}

void pipa_firefox_put_threads(struct pipa_firefox_writer *w)
{
	size_t i;

	pipa_buf_puts(&w->to.buf, ",\"threads\":[");
	for (i = 0; i < w->t->n && w->to.status >= 0; i++) {
		pipa_firefox_column_next(&w->to, i);
		put_thread(w, i);
	}
	pipa_buf_puts(&w->to.buf, "]");
}
