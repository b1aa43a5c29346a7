#include "analyze/heap/heap_scan.h"

#include <stdlib.h>
#include <string.h>

#include "model/heaps.h"

struct pipa_heap_scan {
	struct pipa_heaps_block *blocks;
	size_t n;
	uint32_t *order; /* blocks by address */
	uint64_t lowest, highest;
	uint32_t *queue; /* blocks whose memory is to be searched; a block is in it once */
	size_t n_queue;
	bool *queued;
	bool has_source;
	uint32_t source; /* block whose memory is searched */
	bool is_lost;	 /* the search begins at lost blocks */
	uint32_t leader; /* lost block with which others are lost */
	size_t next_lost;
};

static int compare_addresses(const void *a, const void *b, void *ctx)
{
	const struct pipa_heaps_block *blocks = ctx;
	uint64_t x = blocks[*(const uint32_t *)a].address, y = blocks[*(const uint32_t *)b].address;

	return x < y ? -1 : x > y;
}

struct pipa_heap_scan *pipa_heap_scan_new(struct pipa_heaps_block *blocks, size_t n)
{
	struct pipa_heap_scan *s = calloc(1, sizeof(*s));
	size_t i;

	if (!s)
		return NULL;
	s->blocks = blocks;
	s->n = n;
	s->order = calloc(n + 1, sizeof(*s->order));
	s->queue = calloc(n + 1, sizeof(*s->queue));
	s->queued = calloc(n + 1, sizeof(*s->queued));
	if (!s->order || !s->queue || !s->queued) {
		pipa_heap_scan_free(s);
		return NULL;
	}
	s->lowest = UINT64_MAX;
	for (i = 0; i < n; i++) {
		s->order[i] = (uint32_t)i;
		blocks[i].reach = PIPA_HEAPS_LOST;
		if (blocks[i].address < s->lowest)
			s->lowest = blocks[i].address;
		if (blocks[i].address + blocks[i].size > s->highest)
			s->highest = blocks[i].address + blocks[i].size;
	}
	qsort_r(s->order, n, sizeof(*s->order), compare_addresses, blocks);
	return s;
}

void pipa_heap_scan_free(struct pipa_heap_scan *s)
{
	if (!s)
		return;
	free(s->order);
	free(s->queue);
	free(s->queued);
	free(s);
}

/* Return the position in the order of the last block at or below an address; n if there is none. */
static size_t find_below(const struct pipa_heap_scan *s, uint64_t address)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->blocks[s->order[middle]].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : s->n;
}

static void push(struct pipa_heap_scan *s, uint32_t block)
{
	if (s->queued[block])
		return;
	s->queued[block] = true;
	s->queue[s->n_queue++] = block;
}

/* A lost block has a pointer to `block`: it is lost with it. */
static void lose(struct pipa_heap_scan *s, uint32_t block)
{
	if (s->blocks[block].reach != PIPA_HEAPS_LOST || block == s->leader)
		return;
	s->blocks[block].reach = PIPA_HEAPS_LOST_INDIRECT;
	push(s, block);
}

/* A root or a reachable block has a pointer to `block`. */
static void reach(struct pipa_heap_scan *s, uint32_t block, bool interior)
{
	enum pipa_heaps_reach now = s->blocks[block].reach, new;

	if (s->has_source && s->blocks[s->source].reach == PIPA_HEAPS_INTERIOR)
		interior = true;
	new = interior ? PIPA_HEAPS_INTERIOR : PIPA_HEAPS_REACHABLE;
	if (now == PIPA_HEAPS_REACHABLE || now == new)
		return;
	s->blocks[block].reach = new;
	push(s, block);
}

static void add_pointer(struct pipa_heap_scan *s, uint64_t address, bool interior)
{
	size_t at = find_below(s, address);
	const struct pipa_heaps_block *block;
	uint64_t offset;

	if (at == s->n)
		return;
	block = &s->blocks[s->order[at]];
	offset = address - block->address;
	if (offset && (!interior || offset >= block->size))
		return;
	if (s->is_lost)
		lose(s, s->order[at]);
	else
		reach(s, s->order[at], offset != 0);
}

void pipa_heap_scan_words(struct pipa_heap_scan *s, struct pipa_span bytes, bool interior)
{
	size_t at;

	for (at = 0; bytes.size - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, bytes.data + at, sizeof(word));
		if (word >= s->lowest && word < s->highest + 1)
			add_pointer(s, word, interior);
	}
}

bool pipa_heap_scan_next(struct pipa_heap_scan *s, const struct pipa_heaps_block **ret)
{
	if (!s->n_queue)
		return false;
	s->source = s->queue[--s->n_queue];
	s->queued[s->source] = false;
	s->has_source = true;
	*ret = &s->blocks[s->source];
	return true;
}

bool pipa_heap_scan_lost(struct pipa_heap_scan *s)
{
	s->is_lost = true;
	for (; s->next_lost < s->n; s->next_lost++)
		if (s->blocks[s->next_lost].reach == PIPA_HEAPS_LOST) {
			s->leader = (uint32_t)s->next_lost++;
			push(s, s->leader);
			return true;
		}
	return false;
}

bool pipa_heap_scan_gap(const struct pipa_heap_scan *s, uint64_t *start, uint64_t end,
			uint64_t *ret_end)
{
	size_t at = find_below(s, *start);

	for (at = at == s->n ? 0 : at; at < s->n; at++) {
		const struct pipa_heaps_block *block = &s->blocks[s->order[at]];

		if (block->address > *start)
			break;
		if (block->address + block->size > *start)
			*start = (block->address + block->size + 7) & ~UINT64_C(7);
	}
	if (*start >= end)
		return false;
	*ret_end = at < s->n && s->blocks[s->order[at]].address < end ?
			   s->blocks[s->order[at]].address :
			   end;
	return true;
}
