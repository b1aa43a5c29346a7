#include "model/timeline.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/large.h"
#include "base/vec.h"

_Static_assert(sizeof(struct pipa_timed_sample) == 24, "a timed sample has 24 bytes");

void pipa_timeline_done(struct pipa_timeline *timeline)
{
	free(timeline->items);
	free(timeline->links);
	free(timeline->marks.items);
	free(timeline->link_table.items);
	pipa_index_done(&timeline->link_table.index);
	*timeline = (struct pipa_timeline){ 0 };
}

/* ---- merging ----------------------------------------------------------------------------------------- */

enum { FIRST_RESOLUTION = 1 << 20 }; /* ns, about 1 ms */

/* Open-addressing hash table from sample, CPU and time slot to the entry of merged samples. */
struct merge_table {
	uint32_t *slots; /* index of the entry + 1; 0: free */
	size_t mask;
	unsigned int shift; /* samples with equal time >> shift are merged */
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

/* Keep the link of merged entries only if both have the same one. */
static void merge_links(struct pipa_timeline *timeline, size_t entry, size_t other)
{
	uint32_t a = timeline->links[entry], b = timeline->links[other];

	if (a == b)
		return;
	timeline->links_lost += (a != 0) + (b != 0);
	timeline->links[entry] = 0;
}

/*
 * Merge entries closer than the resolution, in place and in order. An entry whose count is full is
 * followed by another one.
 */
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
			if (timeline->links)
				merge_links(timeline, (size_t)(entry - timeline->items), i);
			continue;
		}
		if (timeline->links)
			timeline->links[n] = timeline->links[i];
		timeline->items[n++] = moment;
		*slot = (uint32_t)n;
	}
	timeline->n = n;
}

/*
 * Free entries: merge with a resolution that doubles until half of the entries are free, or all are
 * merged. 0 or -ENOMEM.
 */
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
	    timeline->max / 2) /* that many distinct samples: the profile is as large */
		timeline->max *= 2;
	return 0;
}

/* ---- add and sort ---------------------------------------------------------------------------- */

static bool same_link(const struct pipa_trace_link *a, const struct pipa_trace_link *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

uint32_t pipa_timeline_link(struct pipa_timeline *timeline, const struct pipa_trace_link *link)
{
	uint64_t hash = pipa_hash_bytes(link, sizeof(*link), PIPA_HASH_SEED);

	if (!timeline->link_table.n && !PIPA_VEC_ADD(&timeline->link_table))
		return PIPA_NONE;
	return PIPA_INTERN(&timeline->link_table, hash, same_link, link);
}

/* Make the list of links as long as that of entries. 0 or -ENOMEM. */
static int grow_links(struct pipa_timeline *timeline)
{
	uint32_t *links;

	if (timeline->links && timeline->links_cap >= timeline->cap)
		return 0;
	links = realloc(timeline->links, timeline->cap * sizeof(*links));
	if (!links)
		return -ENOMEM;
	memset(links + timeline->links_cap, 0,
	       (timeline->cap - timeline->links_cap) * sizeof(*links));
	timeline->links = links;
	timeline->links_cap = timeline->cap;
	return 0;
}

int pipa_timeline_add_linked(struct pipa_timeline *timeline, const struct pipa_timed_sample *moment,
			     uint32_t link)
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
	if (!link && !timeline->links)
		return 0;
	if (grow_links(timeline) < 0) {
		timeline->n--;
		return -ENOMEM;
	}
	timeline->links[timeline->n - 1] = link;
	return 0;
}

int pipa_timeline_add(struct pipa_timeline *timeline, const struct pipa_timed_sample *moment)
{
	return pipa_timeline_add_linked(timeline, moment, 0);
}

int pipa_timeline_mark(struct pipa_timeline *timeline, const struct pipa_timed_mark *mark)
{
	struct pipa_timed_mark *slot;

	if (mark->time == PIPA_UNKNOWN || timeline->marks.n >= PIPA_TIMELINE_MARKS_MAX) {
		timeline->marks_dropped++;
		return 0;
	}
	slot = PIPA_VEC_ADD(&timeline->marks);
	if (!slot)
		return -ENOMEM;
	*slot = *mark;
	return 0;
}

int pipa_timeline_merge(struct pipa_timeline *timeline, const struct pipa_timeline *from,
			const uint32_t *samples)
{
	const struct pipa_trace_link *link;
	uint32_t number;
	size_t i;

	if (timeline->resolution_ns < from->resolution_ns)
		timeline->resolution_ns = from->resolution_ns;
	for (i = 0; i < from->n; i++) {
		struct pipa_timed_sample moment = from->items[i];

		moment.sample = samples[moment.sample];
		link = pipa_timeline_link_of(from, i);
		number = link ? pipa_timeline_link(timeline, link) : 0;
		if (number == PIPA_NONE || pipa_timeline_add_linked(timeline, &moment, number) < 0)
			return -ENOMEM;
	}
	for (i = 0; i < from->marks.n; i++)
		if (pipa_timeline_mark(timeline, &from->marks.items[i]) < 0)
			return -ENOMEM;
	timeline->marks_dropped += from->marks_dropped;
	timeline->untimed += from->untimed;
	timeline->links_lost += from->links_lost;
	return 0;
}

/* Return the end of the sorted run that starts at index `at`. */
static size_t run_end(const struct pipa_timed_sample *items, size_t at, size_t n)
{
	for (at++; at < n && items[at - 1].time <= items[at].time; at++)
		;
	return at;
}

/* Entries and their links; links may be NULL. */
struct entries {
	struct pipa_timed_sample *items;
	uint32_t *links;
};

static void copy_entries(const struct entries *from, size_t at, size_t n, const struct entries *to,
			 size_t to_at)
{
	memcpy(to->items + to_at, from->items + at, n * sizeof(*to->items));
	if (from->links)
		memcpy(to->links + to_at, from->links + at, n * sizeof(*to->links));
}

static void merge_runs(const struct entries *from, size_t a, size_t b, size_t end,
		       const struct entries *to)
{
	const struct pipa_timed_sample *items = from->items;
	size_t middle = b, at = a, next;

	while (a < middle && b < end) {
		next = items[b].time < items[a].time ? b++ : a++;
		if (from->links)
			to->links[at] = from->links[next];
		to->items[at++] = items[next];
	}
	copy_entries(from, a, middle - a, to, at);
	at += middle - a;
	copy_entries(from, b, end - b, to, at);
}

/* Merge pairs of adjacent runs. Returns false if there is only one run. */
static bool merge_run_pairs(const struct entries *from, size_t n, const struct entries *to)
{
	size_t a, b, end;

	for (a = 0; a < n; a = end) {
		b = run_end(from->items, a, n);
		if (!a && b == n)
			return false;
		end = b < n ? run_end(from->items, b, n) : n;
		merge_runs(from, a, b, end, to);
	}
	return true;
}

static int compare_marks(const void *a, const void *b)
{
	const struct pipa_timed_mark *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Natural merge sort: a recording consists of few, long sorted runs, one per CPU and round. */
int pipa_timeline_sort(struct pipa_timeline *timeline)
{
	struct entries now = { timeline->items, timeline->links }, other = { 0 }, taken;

	if (timeline->marks.n)
		qsort(timeline->marks.items, timeline->marks.n, sizeof(*timeline->marks.items),
		      compare_marks);
	if (run_end(timeline->items, 0, timeline->n) >= timeline->n)
		return 0;
	other.items = pipa_large_alloc(timeline->n * sizeof(*other.items));
	other.links = now.links ? malloc(timeline->n * sizeof(*other.links)) : NULL;
	if (!other.items || (now.links && !other.links)) {
		free(other.items);
		free(other.links);
		return -ENOMEM;
	}
	while (merge_run_pairs(&now, timeline->n, &other)) {
		taken = now;
		now = other;
		other = taken;
	}
	timeline->items = now.items;
	timeline->links = now.links;
	timeline->cap = timeline->n;
	timeline->links_cap = now.links ? timeline->n : 0;
	free(other.items);
	free(other.links);
	return 0;
}
