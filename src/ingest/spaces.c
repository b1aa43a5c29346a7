#include "ingest/spaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "ingest/order_span.h"

/*
 * Limits of generations and of copied ranges, which bound memory for hostile files. Beyond them new
 * mappings replace old ones without history.
 */
enum { MAX_GENERATIONS = 1024, MAX_COPIED = 1 << 22, KEEP_RECENT = 8 };

struct pipa_space {
	uint64_t from; /* first order for which it is valid */
	uint64_t key;
	uint32_t mark;
	uint32_t first;		  /* object of the first mapping */
	struct pipa_range *items; /* sorted by address, without overlaps */
	size_t n, cap;
};

struct generation {
	struct pipa_space *space;
};

struct process {
	uint32_t pid;
	struct generation *items; /* oldest first */
	size_t n, cap;
	bool executed; /* nothing was mapped since exec: the old mappings are valid until then */
};

struct pipa_spaces {
	struct process *items;
	size_t n, cap;
	struct pipa_index index;
	uint64_t keys;	  /* last key that was assigned */
	size_t copied;	  /* number of ranges copied into new generations */
	bool keep_recent; /* limit each process to KEEP_RECENT generations */
};

struct pipa_spaces *pipa_spaces_new(void)
{
	return calloc(1, sizeof(struct pipa_spaces));
}

static void space_free(struct pipa_space *space)
{
	if (space)
		free(space->items);
	free(space);
}

void pipa_spaces_free(struct pipa_spaces *s)
{
	size_t i, k;

	if (!s)
		return;
	for (i = 0; i < s->n; i++) {
		for (k = 0; k < s->items[i].n; k++)
			space_free(s->items[i].items[k].space);
		free(s->items[i].items);
	}
	free(s->items);
	pipa_index_done(&s->index);
	free(s);
}

void pipa_spaces_keep_recent(struct pipa_spaces *s)
{
	s->keep_recent = true;
}

static struct process *find_process(const struct pipa_spaces *s, uint32_t pid)
{
	uint64_t hash = pipa_hash_u64(pid, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&s->index, hash);

	for (; slot->id; slot = pipa_index_after(&s->index, slot))
		if (s->items[slot->id - 1].pid == pid)
			return &s->items[slot->id - 1];
	return NULL;
}

static struct process *get_process(struct pipa_spaces *s, uint32_t pid)
{
	struct process *process = find_process(s, pid);

	if (process)
		return process;
	process = PIPA_VEC_ADD(s);
	if (!process)
		return NULL;
	process->pid = pid;
	if (pipa_index_add(&s->index, pipa_hash_u64(pid, PIPA_HASH_SEED), (uint32_t)s->n - 1) < 0) {
		s->n--;
		return NULL;
	}
	return process;
}

/* ---- generations ----------------------------------------------------------------------------- */

static struct pipa_space *last_space(const struct process *process)
{
	return process->n ? process->items[process->n - 1].space : NULL;
}

/* Free the n oldest generations. */
static void drop_oldest(struct pipa_spaces *s, struct process *process, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct pipa_space *space = process->items[i].space;

		s->copied -= space->n < s->copied ? space->n : s->copied;
		space_free(process->items[i].space);
	}
	process->n -= n;
	memmove(process->items, process->items + n, process->n * sizeof(*process->items));
}

void pipa_spaces_forget(struct pipa_spaces *s, uint32_t pid, uint64_t order)
{
	struct process *process = find_process(s, pid);
	size_t n = 0;

	while (process && n < process->n && process->items[n].space->from <= order)
		n++;
	if (n)
		drop_oldest(s, process, n);
}

/*
 * Add a generation from `order` on, with a copy of the ranges of `like` unless that is NULL. NULL
 * on allocation failure.
 */
static struct pipa_space *add_space(struct pipa_spaces *s, struct process *process, uint64_t order,
				    const struct pipa_space *like)
{
	struct pipa_space *space = calloc(1, sizeof(*space));
	struct generation *slot;

	if (space && like && like->n) {
		space->items = malloc(like->n * sizeof(*space->items));
		if (space->items)
			memcpy(space->items, like->items, like->n * sizeof(*space->items));
		space->n = space->cap = space->items ? like->n : 0;
		s->copied += space->n;
	}
	slot = space && (!like || space->n == like->n) ? PIPA_VEC_ADD(process) : NULL;
	if (!slot) {
		space_free(space);
		return NULL;
	}
	if (s->keep_recent && process->n > KEEP_RECENT) {
		drop_oldest(s, process, process->n - KEEP_RECENT);
		slot = &process->items[process->n - 1];
	}
	space->from = order;
	space->key = ++s->keys;
	space->mark = like ? like->mark : PIPA_NO_CONTEXT;
	space->first = like ? like->first : PIPA_NO_OBJECT;
	slot->space = space;
	return space;
}

/* Return the index of the first range that ends after the address. */
static size_t first_ending_after(const struct pipa_space *space, uint64_t address)
{
	size_t low = 0, high = space->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (space->items[mid].end > address)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* Is it the same file content at the same address, or the same anonymous memory extended? */
static bool is_same_mapping(const struct pipa_range *a, const struct pipa_range *b)
{
	return a->object == b->object && a->start - a->file_offset == b->start - b->file_offset;
}

/* Does the range overlap a different mapping? */
static bool replaces(const struct pipa_space *space, const struct pipa_range *range)
{
	size_t i;

	for (i = first_ending_after(space, range->start);
	     i < space->n && space->items[i].start < range->end; i++)
		if (!is_same_mapping(&space->items[i], range))
			return true;
	return false;
}

static int insert_at(struct pipa_space *space, size_t at, const struct pipa_range *range)
{
	if (range->start >= range->end)
		return 0;
	if (!PIPA_VEC_ADD(space))
		return -ENOMEM;
	memmove(&space->items[at + 1], &space->items[at],
		(space->n - 1 - at) * sizeof(*space->items));
	space->items[at] = *range;
	return 0;
}

/* Insert the range; ranges that it overlaps are trimmed. */
static int insert_range(struct pipa_space *space, const struct pipa_range *range)
{
	size_t first = first_ending_after(space, range->start), last = first;
	struct pipa_range left = { 0 }, right = { 0 };
	int rc;

	for (; last < space->n && space->items[last].start < range->end; last++) {
		const struct pipa_range *old = &space->items[last];

		if (old->start < range->start) {
			left = *old;
			left.end = range->start;
		}
		if (old->end > range->end) {
			right = *old;
			right.file_offset += range->end - old->start;
			right.start = range->end;
		}
	}
	if (last > first)
		memmove(&space->items[first], &space->items[last],
			(space->n - last) * sizeof(*space->items));
	space->n -= last - first;
	rc = insert_at(space, first, &right);
	if (!rc)
		rc = insert_at(space, first, range);
	if (!rc)
		rc = insert_at(space, first, &left);
	return rc;
}

int pipa_spaces_map(struct pipa_spaces *s, uint32_t pid, uint64_t order,
		    const struct pipa_range *range)
{
	struct process *process = get_process(s, pid);
	struct pipa_space *space = process ? last_space(process) : NULL;

	if (!process)
		return -ENOMEM;
	if (range->start >= range->end)
		return 0;
	if (!space || process->executed) {
		space = add_space(s, process, space ? order : 0, NULL);
		process->executed = false;
	} else if (replaces(space, range)) {
		if (space->from != order && process->n < MAX_GENERATIONS && s->copied < MAX_COPIED)
			space = add_space(s, process, order, space);
		else
			space->key = ++s->keys;
	}
	if (space && space->first == PIPA_NO_OBJECT)
		space->first = range->object;
	return space ? insert_range(space, range) : -ENOMEM;
}

int pipa_spaces_exec(struct pipa_spaces *s, uint32_t pid)
{
	struct process *process = get_process(s, pid);

	if (!process)
		return -ENOMEM;
	process->executed = process->n > 0;
	return 0;
}

int pipa_spaces_fork(struct pipa_spaces *s, uint32_t parent, uint32_t child, uint64_t order)
{
	const struct pipa_space *inherited;
	const struct process *from;
	struct process *process;

	if (parent == child || !get_process(s, child))
		return parent == child ? 0 : -ENOMEM;
	process = find_process(s, child);
	process->executed = false;
	from = find_process(s, parent);
	inherited = from && s->copied < MAX_COPIED ? last_space(from) : NULL;
	return add_space(s, process, order, inherited) ? 0 : -ENOMEM;
}

void pipa_spaces_mark(struct pipa_spaces *s, uint32_t pid, uint32_t mark)
{
	const struct process *process = find_process(s, pid);
	struct pipa_space *space = process ? last_space(process) : NULL;

	if (!space || space->mark == mark)
		return;
	space->mark = mark;
	space->key = ++s->keys;
}

/* ---- lookup ---------------------------------------------------------------------------------- */

const struct pipa_space *pipa_spaces_find_span(const struct pipa_spaces *s, uint32_t pid,
					       uint64_t order, struct pipa_order_span *span)
{
	const struct process *process = find_process(s, pid);
	size_t i;

	if (!process || !process->n)
		return NULL;
	for (i = process->n - 1; i && process->items[i].space->from > order; i--)
		pipa_order_span_before(span, process->items[i].space->from);
	if (i)
		pipa_order_span_from(span, process->items[i].space->from);
	return process->items[i].space;
}

size_t pipa_spaces_size(const struct pipa_spaces *s)
{
	return s->n;
}

const struct pipa_space *pipa_spaces_find(const struct pipa_spaces *s, uint32_t pid, uint64_t order)
{
	struct pipa_order_span span = PIPA_ORDER_ALWAYS;

	return pipa_spaces_find_span(s, pid, order, &span);
}

uint32_t pipa_space_mark(const struct pipa_space *space)
{
	return space ? space->mark : PIPA_NO_CONTEXT;
}

uint32_t pipa_spaces_last_mark(const struct pipa_spaces *s, uint32_t pid)
{
	const struct process *process = find_process(s, pid);

	return pipa_space_mark(process ? last_space(process) : NULL);
}

uint32_t pipa_space_first(const struct pipa_space *space)
{
	return space ? space->first : PIPA_NO_OBJECT;
}

uint64_t pipa_space_key(const struct pipa_space *space)
{
	return space ? space->key : 0;
}

const struct pipa_range *pipa_space_at(const struct pipa_space *space, uint64_t address)
{
	size_t i = space ? first_ending_after(space, address) : 0;

	if (!space || i == space->n || space->items[i].start > address)
		return NULL;
	return &space->items[i];
}
