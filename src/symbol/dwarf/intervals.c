#include "symbol/dwarf/intervals.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { FEW = 12 }; /* ranges up to which insertion sort is used */

void pipa_intervals_done(struct pipa_intervals *map)
{
	free(map->items);
	free(map->room);
	free(map->starts);
	free(map->ids);
	*map = (struct pipa_intervals){ 0 };
}

int pipa_intervals_add(struct pipa_intervals *map, uint64_t low, uint64_t high, uint32_t id)
{
	struct pipa_interval *item;

	if (low >= high)
		return 0;
	if (map->n >= INT32_MAX)
		return -EFBIG;
	item = PIPA_VEC_ADD(map);
	if (!item)
		return -ENOMEM;
	*item = (struct pipa_interval){ low, high, id, (uint32_t)map->n };
	return 0;
}

static void insertion_sort(struct pipa_interval *items, size_t n)
{
	size_t i, j;

	for (i = 1; i < n; i++) {
		const struct pipa_interval item = items[i];

		for (j = i; j && items[j - 1].low > item.low; j--)
			items[j] = items[j - 1];
		items[j] = item;
	}
}

/* Merge two sorted halves; the first is copied to `room`. */
static void merge_halves(struct pipa_interval *items, size_t half, size_t n,
			 struct pipa_interval *room)
{
	size_t i = 0, j = half, at = 0;

	if (items[half - 1].low <= items[half].low)
		return;
	memcpy(room, items, half * sizeof(*items));
	while (i < half && j < n)
		items[at++] = items[j].low < room[i].low ? items[j++] : room[i++];
	memcpy(items + at, room + i, (half - i) * sizeof(*items));
}

/* Sort by start; stable. qsort() took 6 % of symbolizing python3.11. */
static void sort_by_start(struct pipa_interval *items, size_t n, struct pipa_interval *room)
{
	size_t half = n / 2;

	if (n <= FEW) {
		insertion_sort(items, n);
		return;
	}
	sort_by_start(items, half, room);
	sort_by_start(items + half, n - half, room);
	merge_halves(items, half, n, room);
}

/* Heap of the ranges at the current address, the winning one on top. */
struct holders {
	struct pipa_interval *items;
	size_t n;
};

static bool wins(const struct pipa_interval *a, const struct pipa_interval *b)
{
	uint64_t x = a->high - a->low, y = b->high - b->low;

	return x != y ? x < y : a->turn > b->turn;
}

static void heap_push(struct holders *heap, const struct pipa_interval *item)
{
	size_t i = heap->n++, up;

	for (; i; i = up) {
		up = (i - 1) / 2;
		if (!wins(item, &heap->items[up]))
			break;
		heap->items[i] = heap->items[up];
	}
	heap->items[i] = *item;
}

static void heap_pop(struct holders *heap)
{
	const struct pipa_interval last = heap->items[--heap->n];
	size_t i = 0, down;

	for (; (down = 2 * i + 1) < heap->n; i = down) {
		if (down + 1 < heap->n && wins(&heap->items[down + 1], &heap->items[down]))
			down++;
		if (!wins(&heap->items[down], &last))
			break;
		heap->items[i] = heap->items[down];
	}
	heap->items[i] = last;
}

/* Start a range with an id; equal ids of adjacent ranges are merged. */
static void start_range(struct pipa_intervals *map, uint64_t start, uint32_t id)
{
	size_t n = map->n_pieces;

	if (n && map->starts[n - 1] == start)
		n--;
	if (n && map->ids[n - 1] == id) {
		map->n_pieces = n;
		return;
	}
	map->starts[n] = start;
	map->ids[n] = id;
	map->n_pieces = n + 1;
}

/* Remove ranges that end before `until`; each end starts a range of the next one, or a gap. */
static void end_holders(struct pipa_intervals *map, struct holders *heap, uint64_t until)
{
	uint64_t end;

	while (heap->n && heap->items[0].high <= until) {
		end = heap->items[0].high;
		while (heap->n && heap->items[0].high <= end)
			heap_pop(heap);
		start_range(map, end, heap->n ? heap->items[0].id : PIPA_NO_INTERVAL);
	}
}

/* Allocate the disjoint ranges: one starts at each start and end of an input range. */
static int make_room(struct pipa_intervals *map)
{
	if (map->made >= map->n)
		return 0;
	map->made = 0;
	free(map->starts);
	free(map->ids);
	free(map->room);
	map->starts = malloc(2 * map->n * sizeof(*map->starts));
	map->ids = malloc(2 * map->n * sizeof(*map->ids));
	map->room = malloc(map->n * sizeof(*map->room));
	if (!map->room || !map->starts || !map->ids)
		return -ENOMEM;
	map->made = map->n;
	return 0;
}

int pipa_intervals_make(struct pipa_intervals *map)
{
	struct holders heap = { 0 };
	size_t i;

	map->n_pieces = 0;
	if (!map->n) /* most functions contain no inlined ones */
		return 0;
	if (make_room(map) < 0)
		return -ENOMEM;
	heap.items = map->room;
	sort_by_start(map->items, map->n, map->room);
	for (i = 0; i < map->n; i++) {
		end_holders(map, &heap, map->items[i].low);
		heap_push(&heap, &map->items[i]);
		start_range(map, map->items[i].low, heap.items[0].id);
	}
	end_holders(map, &heap, UINT64_MAX);
	map->n = 0;
	return 0;
}

int pipa_intervals_finish(struct pipa_intervals *map)
{
	int rc = pipa_intervals_make(map);

	free(map->items);
	free(map->room);
	map->items = map->room = NULL;
	map->n = map->cap = map->made = 0;
	return rc;
}

uint32_t pipa_intervals_find(const struct pipa_intervals *map, uint64_t addr, size_t *hint)
{
	size_t low = 0, high = map->n_pieces, at = *hint, middle;

	if (!high || addr < map->starts[0])
		return PIPA_NO_INTERVAL;
	if (at < high && map->starts[at] <= addr) {
		if (at + 1 == high || addr < map->starts[at + 1])
			return map->ids[at];
		low = at + 1;
	}
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (map->starts[middle] <= addr)
			low = middle;
		else
			high = middle;
	}
	*hint = low;
	return map->ids[low];
}
