#include "model/timeline.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "base/vec.h"

_Static_assert(sizeof(struct pipa_moment) == 24, "a sample costs more than it may");

void pipa_timeline_done(struct pipa_timeline *timeline)
{
	free(timeline->items);
	*timeline = (struct pipa_timeline){ 0 };
}

int pipa_timeline_add(struct pipa_timeline *timeline, const struct pipa_moment *moment)
{
	struct pipa_moment *slot;

	if (moment->time == PIPA_UNKNOWN) {
		timeline->untimed++;
		return 0;
	}
	slot = PIPA_VEC_ADD(timeline);
	if (!slot)
		return -ENOMEM;
	*slot = *moment;
	return 0;
}

int pipa_timeline_merge(struct pipa_timeline *timeline, const struct pipa_timeline *from,
			const uint32_t *samples)
{
	size_t before = timeline->n, i;

	for (i = 0; i < from->n; i++) {
		struct pipa_moment moment = from->items[i];

		moment.sample = samples[moment.sample];
		if (pipa_timeline_add(timeline, &moment) < 0) {
			timeline->n = before;
			return -ENOMEM;
		}
	}
	timeline->untimed += from->untimed;
	return 0;
}

/* Where the run that begins there ends. */
static size_t run_end(const struct pipa_moment *items, size_t at, size_t n)
{
	for (at++; at < n && items[at - 1].time <= items[at].time; at++)
		;
	return at;
}

static void merge_runs(const struct pipa_moment *from, size_t a, size_t b, size_t end,
		       struct pipa_moment *to)
{
	size_t middle = b, at = a;

	while (a < middle && b < end)
		to[at++] = from[b].time < from[a].time ? from[b++] : from[a++];
	memcpy(to + at, from + a, (middle - a) * sizeof(*to));
	at += middle - a;
	memcpy(to + at, from + b, (end - b) * sizeof(*to));
}

/* Each two runs become one. False when there is but one. */
static bool merge_all(const struct pipa_moment *from, size_t n, struct pipa_moment *to)
{
	size_t a, b, end;

	for (a = 0; a < n; a = end) {
		b = run_end(from, a, n);
		if (!a && b == n)
			return false;
		end = b < n ? run_end(from, b, n) : n;
		merge_runs(from, a, b, end, to);
	}
	return true;
}

/* A recording is a row of runs, one for each CPU and round: few, and long ones. */
int pipa_timeline_sort(struct pipa_timeline *timeline)
{
	struct pipa_moment *other, *taken;

	if (run_end(timeline->items, 0, timeline->n) >= timeline->n)
		return 0;
	other = pipa_large_alloc(timeline->n * sizeof(*other));
	if (!other)
		return -ENOMEM;
	while (merge_all(timeline->items, timeline->n, other)) {
		taken = timeline->items;
		timeline->items = other;
		other = taken;
	}
	timeline->cap = timeline->n;
	free(other);
	return 0;
}
