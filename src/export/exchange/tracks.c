#include "export/exchange/tracks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/large.h"

void pipa_tracks_done(struct pipa_tracks *t)
{
	free(t->items);
	pipa_frames_done(&t->frames);
	free(t->frame_functions);
	free(t->functions.items);
	pipa_index_done(&t->functions.index);
	pipa_strings_done(&t->names);
	free(t->intervals.items);
	free(t->order);
	*t = (struct pipa_tracks){ 0 };
}

/* ---- functions -------------------------------------------------------------------------------- */

static bool same_function(const struct pipa_track_function *a, const struct pipa_track_function *b)
{
	return a->name == b->name && a->file == b->file && a->object == b->object;
}

static uint32_t add_function(struct pipa_tracks *t, const char *name, size_t len,
			     struct pipa_track_function row)
{
	uint64_t hash;

	row.name = pipa_strings_add(&t->names, name, len);
	if (row.name == PIPA_NO_STRING)
		return PIPA_NONE;
	hash = pipa_hash_u64((uint64_t)row.name << 32 | row.file, row.object);
	return PIPA_INTERN(&t->functions, hash, same_function, &row);
}

/* Add the unresolved code of an object: "[libx.so]". */
static uint32_t add_unresolved(struct pipa_tracks *t, struct pipa_track_function row)
{
	const char *name = pipa_object_short(t->profile, row.object);
	PIPA_AUTO(free) char *text = NULL;
	int len;

	if (name[0] == '[')
		return add_function(t, name, strlen(name), row);
	len = asprintf(&text, "[%s]", name);
	return len < 0 ? PIPA_NONE : add_function(t, text, (size_t)len, row);
}

/* Add the functions of a location: one per line, or one for its object. */
static int add_location(struct pipa_tracks *t, uint32_t number)
{
	const struct pipa_profile *p = t->profile;
	const struct pipa_location *location = &p->locations.items[number];
	struct pipa_track_function row = { .object = t->frames.items[p->lines.n + number].object,
					   .is_kernel = location->mode == PIPA_MODE_KERNEL };
	uint32_t i, *slot;

	slot = &t->frame_functions[p->lines.n + number];
	*slot = location->n_lines ? 0 : add_unresolved(t, row);
	if (*slot == PIPA_NONE)
		return -ENOMEM;
	for (i = location->lines; i < location->lines + location->n_lines; i++) {
		const struct pipa_function *function =
			&p->functions.items[p->lines.items[i].function];
		const struct pipa_string *name = &p->strings.items[function->name];

		row.file = function->file;
		row.start_line = function->start_line;
		slot = &t->frame_functions[i];
		*slot = name->len ? add_function(t, name->text, name->len, row) :
				    add_unresolved(t, row);
		if (*slot == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int make_functions(struct pipa_tracks *t)
{
	static const char truncated[] = "[truncated]", no_stack[] = "[no stack]";
	const struct pipa_track_function none = { .object = PIPA_NONE };
	int rc = pipa_frames_make(t->profile, false, &t->frames);
	uint32_t i;

	if (rc < 0)
		return rc;
	t->frame_functions = calloc(t->frames.n + 1, sizeof(*t->frame_functions));
	t->truncated = add_function(t, truncated, strlen(truncated), none);
	t->no_stack = add_function(t, no_stack, strlen(no_stack), none);
	if (!t->frame_functions || t->truncated == PIPA_NONE || t->no_stack == PIPA_NONE)
		return -ENOMEM;
	for (i = 0; i < t->profile->locations.n && !rc; i++)
		rc = add_location(t, i);
	return rc;
}

int pipa_tracks_stack(const struct pipa_tracks *t, uint32_t number, struct pipa_track_stack *stack)
{
	const struct pipa_stack *stacks = t->profile->stacks.items;
	struct pipa_frame_walk walk = { .frames = &t->frames, .stack = number };
	struct pipa_track_frame *slot, swap;
	bool cut = false;
	size_t i;

	stack->n = 0;
	while (walk.stack != PIPA_NONE) {
		cut = stacks[walk.stack].cut;
		if (!pipa_frame_walk_next(&walk))
			break;
		slot = PIPA_VEC_ADD(stack);
		if (!slot)
			return -ENOMEM;
		*slot = (struct pipa_track_frame){ t->frame_functions[walk.frame], walk.frame };
	}
	if (number == PIPA_NONE || cut) {
		slot = PIPA_VEC_ADD(stack);
		if (!slot)
			return -ENOMEM;
		*slot = (struct pipa_track_frame){ cut ? t->truncated : t->no_stack, PIPA_NONE };
	}
	for (i = 0; i < stack->n / 2; i++) {
		swap = stack->items[i];
		stack->items[i] = stack->items[stack->n - 1 - i];
		stack->items[stack->n - 1 - i] = swap;
	}
	return 0;
}

/* ---- samples ---------------------------------------------------------------------------------- */

static size_t count_entries(const struct pipa_tracks *t)
{
	return t->timed ? t->timeline->n : t->profile->samples.n;
}

static uint32_t entry_sample(const struct pipa_tracks *t, size_t entry)
{
	return t->timed ? t->timeline->items[entry].sample : (uint32_t)entry;
}

static void read_entry(const struct pipa_tracks *t, size_t entry, struct pipa_track_sample *ret)
{
	const struct pipa_sample *sample = &t->profile->samples.items[entry_sample(t, entry)];
	const struct pipa_timed_sample *timed;

	*ret = (struct pipa_track_sample){ .weight = sample->weight,
					   .count = sample->count,
					   .stack = sample->stack,
					   .cpu = sample->cpu,
					   .labels = sample->labels };
	if (!t->timed)
		return;
	timed = &t->timeline->items[entry];
	ret->time = timed->time;
	ret->weight = timed->weight;
	ret->count = (uint64_t)timed->more + 1;
	if (timed->cpu != PIPA_TIMED_NO_CPU)
		ret->cpu = timed->cpu;
}

void pipa_tracks_sample(const struct pipa_tracks *t, const struct pipa_track *track, size_t i,
			struct pipa_track_sample *ret)
{
	read_entry(t, t->order[track->first + i], ret);
}

static int compare_tracks(const void *a, const void *b, void *ctx)
{
	const struct pipa_profile *p = ctx;
	const struct pipa_track *x = a, *y = b;
	const struct pipa_thread *s, *u;
	int order;

	if (x->thread == y->thread)
		return x->event < y->event ? -1 : x->event > y->event;
	if (x->thread == PIPA_NONE || y->thread == PIPA_NONE)
		return x->thread == PIPA_NONE ? 1 : -1;
	s = &p->threads.items[x->thread];
	u = &p->threads.items[y->thread];
	if (s->pid != u->pid)
		return s->pid < u->pid ? -1 : 1;
	if (s->tid != u->tid)
		return s->tid < u->tid ? -1 : 1;
	order = strcmp(pipa_profile_string(p, s->comm), pipa_profile_string(p, u->comm));
	if (order)
		return order;
	return x->thread < y->thread ? -1 : 1;
}

static bool same_track(const struct pipa_track *a, const struct pipa_track *b)
{
	/* the analyzer does not know that an index with entries has a table */
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	return a && a->thread == b->thread && a->event == b->event;
}

/* Find the track of each sample of the profile, PIPA_NONE for those of other events. */
static int find_tracks(struct pipa_tracks *t, uint32_t event, uint32_t *ret)
{
	const struct pipa_profile *p = t->profile;
	PIPA_TABLE(pipa_track) table = { 0 };
	size_t i;

	for (i = 0; i < p->samples.n; i++) {
		const struct pipa_sample *s = &p->samples.items[i];
		const struct pipa_track row = {
			.thread = s->thread < p->threads.n ? s->thread : PIPA_NONE,
			.event = s->event,
		};

		ret[i] = PIPA_NONE;
		if (event != PIPA_NONE && s->event != event)
			continue;
		ret[i] = PIPA_INTERN(&table, pipa_hash_u64(row.thread, row.event), same_track,
				     &row);
		if (ret[i] == PIPA_NONE)
			break;
	}
	pipa_index_done(&table.index);
	t->items = table.items;
	t->n = table.n;
	return i < p->samples.n ? -ENOMEM : 0;
}

/* Sort the entries by track; entries of a track keep their order. */
static int sort_entries(struct pipa_tracks *t, uint32_t event)
{
	const struct pipa_profile *p = t->profile;
	PIPA_AUTO(free) uint32_t *tracks = malloc((p->samples.n + 1) * sizeof(*tracks));
	size_t i, n = count_entries(t), first = 0, kept = 0;

	t->order = pipa_large_alloc((n + 1) * sizeof(*t->order));
	if (!tracks || !t->order || find_tracks(t, event, tracks) < 0)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		if (tracks[entry_sample(t, i)] != PIPA_NONE)
			t->items[tracks[entry_sample(t, i)]].n++;
	for (i = 0; i < t->n; i++) {
		t->items[i].first = first;
		first += t->items[i].n;
		t->items[i].n = 0;
	}
	for (i = 0; i < n; i++) {
		struct pipa_track *track;

		if (tracks[entry_sample(t, i)] == PIPA_NONE)
			continue;
		track = &t->items[tracks[entry_sample(t, i)]];
		t->order[track->first + track->n++] = (uint32_t)i;
	}
	for (i = 0; i < t->n; i++) /* a sample without entries has no track */
		if (t->items[i].n)
			t->items[kept++] = t->items[i];
	t->n = kept;
	if (t->n)
		qsort_r(t->items, t->n, sizeof(*t->items), compare_tracks, (void *)p);
	return 0;
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

enum { GAPS_MAX = 1023 }; /* gaps of a track that its median is made of */

/* Return the usual distance between samples: that of the frequency, or the median. */
static uint64_t usual_step(const struct pipa_tracks *t, const struct pipa_track *track)
{
	uint32_t frequency = t->profile->events.items[track->event].frequency;
	uint64_t gaps[GAPS_MAX];
	size_t i, n = 0, step = track->n / GAPS_MAX + 1;

	if (frequency)
		return 1000000000 / frequency;
	for (i = 1; i < track->n && n < GAPS_MAX; i += step) {
		const uint32_t *order = &t->order[track->first + i];

		gaps[n++] = t->timeline->items[order[0]].time - t->timeline->items[order[-1]].time;
	}
	qsort(gaps, n, sizeof(*gaps), compare_times);
	return n ? gaps[n / 2] : 0;
}

static void sum_tracks(struct pipa_tracks *t)
{
	struct pipa_track_sample sample;
	size_t i, k;

	for (i = 0; i < t->n; i++) {
		struct pipa_track *track = &t->items[i];

		for (k = 0; k < track->n; k++) {
			pipa_tracks_sample(t, track, k, &sample);
			track->weight += sample.weight;
			track->count += sample.count;
			track->start = k ? track->start : sample.time;
			track->end = sample.time;
		}
		t->start = !i || track->start < t->start ? track->start : t->start;
		t->end = track->end > t->end ? track->end : t->end;
		if (t->timed)
			track->step_ns = usual_step(t, track);
	}
}

uint64_t pipa_tracks_sample_start(const struct pipa_tracks *t, const struct pipa_track *track,
				  const struct pipa_track_sample *sample, uint64_t previous)
{
	const struct pipa_profile_event *event = &t->profile->events.items[track->event];
	bool is_time = strcmp(pipa_profile_string(t->profile, event->unit), PIPA_VALUE_NS) == 0;
	uint64_t length = is_time ? sample->weight : track->step_ns;
	uint64_t start = length < sample->time ? sample->time - length : 0;

	return start > previous ? start : previous;
}

/* ---- intervals -------------------------------------------------------------------------------- */

static struct pipa_track_interval *add_interval(struct pipa_tracks *t,
						enum pipa_track_interval_kind kind,
						const struct pipa_timed_mark *mark)
{
	struct pipa_track_interval *interval = PIPA_VEC_ADD(&t->intervals);

	if (interval)
		*interval = (struct pipa_track_interval){
			.kind = kind,
			.start = mark->time,
			.end = mark->time,
			.lost = mark->lost,
			.cpu = mark->cpu == PIPA_TIMED_NO_CPU ? PIPA_NONE : mark->cpu,
			.pid = mark->pid,
			.tid = mark->tid,
		};
	return interval;
}

enum { SEARCH_MAX = 1024 }; /* marks after which an event counts as throttled until the end */

/* Return the end of the throttling that marks[at] begins: the event's next mark, or the last sample. */
static uint64_t throttled_until(const struct pipa_timeline *timeline, size_t at)
{
	const struct pipa_timed_mark *marks = timeline->marks.items, *m = &marks[at];
	uint64_t last = timeline->n ? timeline->items[timeline->n - 1].time : m->time;
	size_t i;

	for (i = at + 1; i < timeline->marks.n && i - at < SEARCH_MAX; i++)
		if (marks[i].kind >= PIPA_MARK_THROTTLE && marks[i].event == m->event &&
		    marks[i].cpu == m->cpu)
			return marks[i].time;
	return last > m->time ? last : m->time;
}

static int compare_intervals(const void *a, const void *b)
{
	const struct pipa_track_interval *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/*
 * Make intervals of the marks. The kernel reports a loss with the first record that has room again: it begins at the
 * last sample before it on that CPU, or on all CPUs if the CPU is unknown.
 */
static int make_intervals(struct pipa_tracks *t)
{
	const struct pipa_timeline *timeline = t->timeline;
	PIPA_AUTO(free) uint64_t *latest = NULL; /* [cpu] time of its last sample */
	struct pipa_track_interval *interval;
	size_t i, sample = 0;

	if (!timeline->marks.n)
		return 0;
	latest = calloc(PIPA_TIMED_NO_CPU + 1, sizeof(*latest));
	if (!latest)
		return -ENOMEM;
	for (i = 0; i < timeline->marks.n; i++) {
		const struct pipa_timed_mark *mark = &timeline->marks.items[i];

		for (; sample < timeline->n && timeline->items[sample].time <= mark->time;
		     sample++) {
			latest[timeline->items[sample].cpu] = timeline->items[sample].time;
			latest[PIPA_TIMED_NO_CPU] = timeline->items[sample].time;
		}
		if (mark->kind == PIPA_MARK_UNTHROTTLE)
			continue;
		interval = add_interval(t,
					mark->kind == PIPA_MARK_LOST ? PIPA_TRACK_LOST :
					mark->kind == PIPA_MARK_LOST_SAMPLES ?
								       PIPA_TRACK_LOST_SAMPLES :
								       PIPA_TRACK_THROTTLED,
					mark);
		if (!interval)
			return -ENOMEM;
		if (mark->kind == PIPA_MARK_THROTTLE)
			interval->end = throttled_until(timeline, i);
		else if (latest[mark->cpu])
			interval->start = latest[mark->cpu];
	}
	qsort(t->intervals.items, t->intervals.n, sizeof(*t->intervals.items), compare_intervals);
	return 0;
}

/* ---- tracks ----------------------------------------------------------------------------------- */

int pipa_tracks_make(const struct pipa_profile *profile, const struct pipa_timeline *timeline,
		     uint32_t event, struct pipa_tracks *ret)
{
	struct pipa_tracks t = { .profile = profile, .timeline = timeline };
	int rc;

	t.timed = timeline && timeline->n && !timeline->untimed;
	rc = make_functions(&t);
	if (!rc)
		rc = sort_entries(&t, event);
	if (!rc && t.timed)
		rc = make_intervals(&t);
	if (rc < 0) {
		pipa_tracks_done(&t);
		return rc;
	}
	sum_tracks(&t);
	*ret = t;
	return 0;
}

void pipa_tracks_put_name(const struct pipa_tracks *t, const struct pipa_track *track,
			  struct pipa_buf *out)
{
	const struct pipa_profile *p = t->profile;
	const char *event = pipa_profile_string(p, p->events.items[track->event].name);
	size_t start = out->len, i, events = 0;

	if (track->thread != PIPA_NONE) {
		const struct pipa_thread *thread = &p->threads.items[track->thread];

		pipa_buf_puts(out, pipa_profile_string(p, thread->comm));
		if (thread->pid != PIPA_UNKNOWN32)
			pipa_buf_printf(out, "-%" PRIu32, thread->pid);
		if (thread->tid != PIPA_UNKNOWN32)
			pipa_buf_printf(out, "/%" PRIu32, thread->tid);
	}
	for (i = 0; i < p->events.n; i++)
		events += p->events.items[i].count || p->events.items[i].weight;
	if (!event[0] || (events < 2 && out->len > start))
		return;
	if (out->len > start)
		pipa_buf_putc(out, ' ');
	pipa_buf_puts(out, event);
}

void pipa_tracks_put_losses(const struct pipa_tracks *t, struct pipa_buf *out)
{
	const struct pipa_losses *losses = &t->profile->losses;
	const struct {
		uint64_t n;
		const char *before, *one, *many;
	} rows[] = {
		{ losses->lost_samples, "", " sample lost", " samples lost" },
		{ losses->lost_records, "", " record lost", " records lost" },
		{ losses->throttled, "throttled ", " time", " times" },
		{ losses->damaged, "", " malformed record", " malformed records" },
		{ losses->cut_stacks + losses->unwound_truncated, "", " truncated stack",
		  " truncated stacks" },
	};
	const char *separator = "";
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++) {
		if (!rows[i].n)
			continue;
		pipa_buf_printf(out, "%s%s%" PRIu64 "%s", separator, rows[i].before, rows[i].n,
				rows[i].n == 1 ? rows[i].one : rows[i].many);
		separator = ", ";
	}
}
