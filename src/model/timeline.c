#include "model/timeline.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/large.h"
#include "base/vec.h"

_Static_assert(sizeof(struct pipa_timed_sample) == 24, "a sample costs more than it may");

void pipa_timeline_done(struct pipa_timeline *timeline)
{
	free(timeline->items);
	*timeline = (struct pipa_timeline){ 0 };
}

/* ---- merging ----------------------------------------------------------------------------------------- */

enum { FIRST_RESOLUTION = 1 << 20 }; /* ns, about a millisecond */

/* Open-addressing table from what samples have in common to the entry they are merged into. */
struct merge_table {
	uint32_t *slots; /* index of the entry + 1; 0: free */
	size_t mask;
	unsigned int shift; /* time >> shift is equal for samples of one entry */
};

static struct pipa_timed_sample *find_entry(const struct merge_table *table,
					    struct pipa_timed_sample *items,
					    const struct pipa_timed_sample *moment,
					    uint32_t **ret_slot)
{
	uint64_t at = moment->time >> table->shift, i;

	i = pipa_hash_u64(at, (uint64_t)moment->sample << 16 | moment->cpu);
	for (;; i++) {
		struct pipa_timed_sample *entry;

		*ret_slot = &table->slots[i & table->mask];
		if (!**ret_slot)
			return NULL;
		entry = &items[**ret_slot - 1];
		if (entry->time >> table->shift == at && entry->sample == moment->sample &&
		    entry->cpu == moment->cpu)
			return entry;
	}
}

/* Merge what is closer than the resolution, in place and in order; a full count begins another entry. */
static void merge_entries(struct pipa_timeline *timeline, const struct merge_table *table)
{
	size_t i, n = 0;

	for (i = 0; i < timeline->n; i++) {
		struct pipa_timed_sample moment = timeline->items[i];
		uint32_t *slot;
		struct pipa_timed_sample *entry = find_entry(table, timeline->items, &moment,
							     &slot);

		if (entry && entry->more + moment.more + 1 <= UINT16_MAX) {
			entry->weight += moment.weight;
			entry->more = (uint16_t)(entry->more + moment.more + 1);
			continue;
		}
		timeline->items[n++] = moment;
		*slot = (uint32_t)n;
	}
	timeline->n = n;
}

/* Make room: merge, and double the resolution until half of the entries are free or all are merged. */
static int coarsen(struct pipa_timeline *timeline)
{
	const uint64_t coarsest = UINT64_C(1) << 62;
	struct merge_table table = { .mask = 1 };
	uint64_t resolution = timeline->resolution_ns ? timeline->resolution_ns : FIRST_RESOLUTION;

	while (table.mask < 2 * timeline->n)
		table.mask *= 2;
	table.slots = pipa_large_alloc(table.mask * sizeof(*table.slots));
	if (!table.slots)
		return -ENOMEM;
	table.mask--;
	for (;; resolution *= 2) {
		table.shift = (unsigned int)__builtin_ctzll(resolution);
		memset(table.slots, 0, (table.mask + 1) * sizeof(*table.slots));
		merge_entries(timeline, &table);
		if (timeline->n <= timeline->max / 2 || resolution == coarsest)
			break;
	}
	free(table.slots);
	timeline->resolution_ns = resolution;
	if (timeline->n >
	    timeline->max / 2) /* that many different stacks: the profile is as large */
		timeline->max *= 2;
	return 0;
}

/* ---- adding -------------------------------------------------------------------------------------------- */

int pipa_timeline_add(struct pipa_timeline *timeline, const struct pipa_timed_sample *moment)
{
	struct pipa_timed_sample *slot;

	if (moment->time == PIPA_UNKNOWN) {
		timeline->untimed++;
		return 0;
	}
	if (!timeline->max)
		timeline->max = PIPA_TIMELINE_MAX;
	if (timeline->n >= timeline->max && coarsen(timeline) < 0)
		return -ENOMEM;
	slot = PIPA_VEC_ADD(timeline);
	if (!slot)
		return -ENOMEM;
	*slot = *moment;
	return 0;
}

int pipa_timeline_merge(struct pipa_timeline *timeline, const struct pipa_timeline *from,
			const uint32_t *samples)
{
	size_t i;

	if (timeline->resolution_ns < from->resolution_ns)
		timeline->resolution_ns = from->resolution_ns;
	for (i = 0; i < from->n; i++) {
		struct pipa_timed_sample moment = from->items[i];

		moment.sample = samples[moment.sample];
		if (pipa_timeline_add(timeline, &moment) < 0)
			return -ENOMEM;
	}
	timeline->untimed += from->untimed;
	return 0;
}

/* Where the run that begins there ends. */
static size_t run_end(const struct pipa_timed_sample *items, size_t at, size_t n)
{
	for (at++; at < n && items[at - 1].time <= items[at].time; at++)
		;
	return at;
}

static void merge_runs(const struct pipa_timed_sample *from, size_t a, size_t b, size_t end,
		       struct pipa_timed_sample *to)
{
	size_t middle = b, at = a;

	while (a < middle && b < end)
		to[at++] = from[b].time < from[a].time ? from[b++] : from[a++];
	memcpy(to + at, from + a, (middle - a) * sizeof(*to));
	at += middle - a;
	memcpy(to + at, from + b, (end - b) * sizeof(*to));
}

/* Each two runs become one. False when there is but one. */
static bool merge_all(const struct pipa_timed_sample *from, size_t n, struct pipa_timed_sample *to)
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
	struct pipa_timed_sample *other, *taken;

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
