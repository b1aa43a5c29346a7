/* Markers of a Firefox profile: losses, throttling, and the CPUs that a thread ran on. */
#include "export/exchange/firefox_own.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/exchange/firefox_columns.h"

const char *const pipa_firefox_marker_names[PIPA_FIREFOX_MARKER_NR] = {
	[PIPA_TRACK_LOST] = "Lost records",
	[PIPA_TRACK_LOST_SAMPLES] = "Lost samples",
	[PIPA_TRACK_THROTTLED] = "Throttled",
	[PIPA_FIREFOX_MARKER_CPU] = "CPU",
};

/* Return the thread of a track, NULL if it is unknown. */
static const struct pipa_thread *thread_of_track(const struct pipa_firefox_writer *w, size_t track)
{
	uint32_t number = w->t->items[track].thread;

	return number == PIPA_NONE ? NULL : &w->p->threads.items[number];
}

/* Return the first track of a thread, the first of all if it has none. Tracks are sorted by PID and TID. */
static size_t track_of_thread(const struct pipa_firefox_writer *w, uint32_t pid, uint32_t tid)
{
	size_t from = 0, until = w->t->n;
	const struct pipa_thread *thread;

	while (from < until) {
		size_t middle = from + (until - from) / 2;

		thread = thread_of_track(w, middle);
		if (thread && (thread->pid < pid || (thread->pid == pid && thread->tid < tid)))
			from = middle + 1;
		else
			until = middle;
	}
	thread = from < w->t->n ? thread_of_track(w, from) : NULL;
	return thread && thread->pid == pid && thread->tid == tid ? from : 0;
}

int pipa_firefox_markers_make(struct pipa_firefox_writer *w)
{
	const struct pipa_track_interval *intervals = w->t->intervals.items;
	size_t n = w->t->intervals.n, i, sum = 0, *track_of = calloc(n + 1, sizeof(*track_of));
	size_t *sorted = calloc(n + 1, sizeof(*sorted));
	size_t *first = calloc(w->t->n + 2, sizeof(*first));

	w->markers.intervals = sorted;
	w->markers.first_interval = first;
	if (!track_of || !sorted || !first) {
		free(track_of);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		track_of[i] = track_of_thread(w, intervals[i].pid, intervals[i].tid);
		first[track_of[i]]++;
	}
	for (i = 0; i <= w->t->n; i++) {
		size_t count = first[i];

		first[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++) /* moves each start to the start of the next track */
		sorted[first[track_of[i]]++] = i;
	memmove(first + 1, first, w->t->n * sizeof(*first));
	first[0] = 0;
	free(track_of);
	return 0;
}

void pipa_firefox_markers_done(struct pipa_firefox_markers *markers)
{
	free(markers->intervals);
	free(markers->first_interval);
}

struct marker {
	unsigned int kind;
	uint64_t start, end;
	uint64_t lost;
	uint32_t cpu; /* PIPA_NONE: unknown */
};

/* Iterator over the markers of a track: its lost and throttled intervals, then its CPUs. */
struct marker_walk {
	const struct pipa_track *track;
	size_t interval, sample;
};

static bool next_marker(const struct pipa_firefox_writer *w, struct marker_walk *walk,
			struct marker *ret)
{
	const struct pipa_track *track = walk->track;
	struct pipa_track_sample sample;

	if (walk->interval < w->markers.first_interval[track - w->t->items + 1]) {
		const struct pipa_track_interval *interval =
			&w->t->intervals.items[w->markers.intervals[walk->interval++]];

		*ret = (struct marker){ interval->kind, interval->start, interval->end,
					interval->lost, interval->cpu };
		return true;
	}
	if (!w->t->timed || walk->sample >= track->n)
		return false;
	pipa_tracks_sample(w->t, track, walk->sample, &sample);
	if (sample.cpu == PIPA_NONE)
		return false;
	*ret = (struct marker){ PIPA_FIREFOX_MARKER_CPU, sample.time, sample.time, 0, sample.cpu };
	while (++walk->sample < track->n) {
		pipa_tracks_sample(w->t, track, walk->sample, &sample);
		if (sample.cpu != ret->cpu)
			break;
		ret->end = sample.time;
	}
	return true;
}

enum marker_column {
	MARKER_NAME,
	MARKER_START,
	MARKER_END,
	MARKER_PHASE,
	MARKER_DATA,
	MARKER_COLUMNS
};

static void put_marker_value(struct pipa_firefox_writer *w, enum marker_column column,
			     const struct marker *m)
{
	bool instant = m->start == m->end;

	switch (column) {
	case MARKER_NAME:
		pipa_buf_put_u64(&w->to.buf, pipa_firefox_marker_string(w, m->kind));
		break;
	case MARKER_START:
		pipa_firefox_put_ms(&w->to.buf, pipa_firefox_since_start(w, m->start));
		break;
	case MARKER_END:
		if (instant)
			pipa_buf_puts(&w->to.buf, "null");
		else
			pipa_firefox_put_ms(&w->to.buf, pipa_firefox_since_start(w, m->end));
		break;
	case MARKER_PHASE: /* 0: instant, 1: interval */
		pipa_buf_put_u64(&w->to.buf, !instant);
		break;
	case MARKER_DATA:
		pipa_buf_puts(&w->to.buf, m->kind == PIPA_FIREFOX_MARKER_CPU ?
						  "{\"type\":\"CPU\"" :
						  "{\"type\":\"Loss\"");
		if (m->lost)
			pipa_buf_printf(&w->to.buf, ",\"lost\":%" PRIu64, m->lost);
		if (m->cpu != PIPA_NONE)
			pipa_buf_printf(&w->to.buf, ",\"cpu\":%" PRIu32, m->cpu);
		pipa_buf_puts(&w->to.buf, "}");
		break;
	case MARKER_COLUMNS: break;
	}
}

void pipa_firefox_put_markers(struct pipa_firefox_writer *w, const struct pipa_track *track)
{
	static const char *const names[MARKER_COLUMNS] = { "name", "startTime", "endTime", "phase",
							   "data" };
	const struct marker_walk start = { track, w->markers.first_interval[track - w->t->items],
					   0 };
	struct marker_walk walk = start;
	enum marker_column c;
	struct marker m;
	size_t n = 0, i;

	while (next_marker(w, &walk, &m))
		n++;
	pipa_firefox_table_begin(&w->to, "markers", n);
	for (c = 0; c < MARKER_COLUMNS; c++) {
		pipa_firefox_column_begin(&w->to, names[c]);
		walk = start;
		for (i = 0; next_marker(w, &walk, &m); i++) {
			pipa_firefox_column_next(&w->to, i);
			put_marker_value(w, c, &m);
		}
		pipa_firefox_column_end(&w->to);
	}
	pipa_firefox_column_constant(&w->to, "category", "0", n);
	pipa_buf_puts(&w->to.buf, "}");
}
