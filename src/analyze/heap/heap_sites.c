#include "analyze/heap/heap_sites.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/profile/frames.h"
#include "base/auto.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/profile.h"

/* Shares of the bytes in one quarter of the run: nearly all from here on, and some from here on. */
#define NEARLY_ALL 0.9
#define SOME 0.05

static uint64_t hash_stack(const struct pipa_frames *frames, uint32_t stack, uint32_t process)
{
	struct pipa_frame_walk walk = { .frames = frames, .stack = stack };
	uint64_t hash = pipa_hash_u64(process, PIPA_HASH_SEED);

	while (stack != PIPA_NONE && pipa_frame_walk_next(&walk)) {
		const struct pipa_frame *f = &frames->items[walk.frame];

		hash = pipa_hash_u64((uint64_t)f->symbol << 32 | f->place, hash ^ f->object);
	}
	return hash;
}

static bool is_same_stack(const struct pipa_frames *frames, uint32_t a, uint32_t b)
{
	struct pipa_frame_walk x = { .frames = frames, .stack = a };
	struct pipa_frame_walk y = { .frames = frames, .stack = b };

	if (a == b)
		return true;
	if (a == PIPA_NONE || b == PIPA_NONE)
		return false;
	for (;;) {
		bool more = pipa_frame_walk_next(&x);
		const struct pipa_frame *f, *g;

		if (more != pipa_frame_walk_next(&y))
			return false;
		if (!more)
			return true;
		f = &frames->items[x.frame];
		g = &frames->items[y.frame];
		if (f->object != g->object || f->symbol != g->symbol || f->place != g->place)
			return false;
	}
}

/* Return the index of a site, a new one if there is none; PIPA_NONE on allocation failure. */
static uint32_t find_site(struct pipa_heap_sites *sites, const struct pipa_frames *frames,
			  uint32_t stack, uint32_t process)
{
	uint64_t hash = hash_stack(frames, stack, process);
	const struct pipa_index_slot *slot = pipa_index_start(&sites->index, hash);
	struct pipa_heap_site *site;

	for (; sites->items && slot->id; slot = pipa_index_after(&sites->index, slot)) {
		site = &sites->items[slot->id - 1];
		if (slot->hash == (uint32_t)hash && site->process == process &&
		    is_same_stack(frames, site->stack, stack))
			return slot->id - 1;
	}
	site = PIPA_VEC_ADD(sites);
	if (!site || pipa_index_add(&sites->index, hash, (uint32_t)sites->n - 1) < 0)
		return PIPA_NONE;
	site->stack = stack;
	site->process = process;
	return (uint32_t)sites->n - 1;
}

static void add_amount(struct pipa_heaps_amount *to, const struct pipa_heaps_amount *from)
{
	to->objects += from->objects;
	to->bytes += from->bytes;
}

static void add_stack(struct pipa_heap_site *site, const struct pipa_heaps_stack *stack)
{
	site->samples += stack->samples;
	site->allocator_ns += stack->allocator_ns;
	site->is_mapping = stack->is_mapping;
	add_amount(&site->alloc, &stack->alloc);
	add_amount(&site->inuse, &stack->inuse);
	add_amount(&site->peak, &stack->peak);
	add_amount(&site->temporary, &stack->temporary);
}

/* Return bytes of a block multiplied by the number of blocks that it stands for. */
static uint64_t scale(const struct pipa_heaps_block *block, uint64_t bytes)
{
	return block->size ?
		       (uint64_t)((unsigned __int128)bytes * block->amount.bytes / block->size) :
		       0;
}

static void add_block(struct pipa_heap_site *site, const struct pipa_heaps_process *process,
		      const struct pipa_heaps_block *block)
{
	uint64_t age = process->end_ns > block->time_ns ? process->end_ns - block->time_ns : 0;
	uint64_t run = process->end_ns - process->start_ns;
	uint64_t quarter = run && age < run ? 3 - (uint64_t)((unsigned __int128)age * 4 / run) : 0;

	if (!site->blocks || age > site->oldest_ns)
		site->oldest_ns = age;
	if (!site->blocks || age < site->newest_ns)
		site->newest_ns = age;
	site->blocks++;
	site->quarters[quarter] += block->amount.bytes;
	add_amount(&site->live[block->reach], &block->amount);
	site->has_pages |= block->has_pages;
	site->resident += scale(block, block->resident);
	site->swapped += scale(block, block->swapped);
	site->untouched += scale(block, block->untouched);
}

static enum pipa_heap_growth judge_growth(const struct pipa_heap_site *site)
{
	double all = 0;
	size_t i, some = 0;

	for (i = 0; i < PIPA_COUNT(site->quarters); i++)
		all += (double)site->quarters[i];
	if (site->blocks < PIPA_HEAP_GROWTH_BLOCKS || all <= 0)
		return PIPA_HEAP_GROWTH_UNKNOWN;
	for (i = 0; i < PIPA_COUNT(site->quarters); i++)
		some += (double)site->quarters[i] >= SOME * all;
	if (some == PIPA_COUNT(site->quarters))
		return PIPA_HEAP_GROWTH_STEADY;
	if ((double)site->quarters[0] >= NEARLY_ALL * all)
		return PIPA_HEAP_GROWTH_START;
	if ((double)site->quarters[3] >= NEARLY_ALL * all)
		return PIPA_HEAP_GROWTH_END;
	return PIPA_HEAP_GROWTH_IRREGULAR;
}

static int add_process(struct pipa_heap_sites *sites, const struct pipa_heaps *heaps,
		       uint32_t index, const uint32_t *stacks, const struct pipa_frames *frames,
		       bool by_process, uint32_t *site_of)
{
	const struct pipa_heaps_process *process = &heaps->processes.items[index];
	uint32_t i;

	for (i = process->stacks; i < process->stacks + process->n_stacks; i++) {
		site_of[i] = find_site(sites, frames, stacks[i], by_process ? index : PIPA_NONE);
		if (site_of[i] == PIPA_NONE)
			return -ENOMEM;
		add_stack(&sites->items[site_of[i]], &heaps->stacks.items[i]);
	}
	if (process->end == PIPA_HEAPS_REPLACED || process->no_frees)
		return 0;
	for (i = process->blocks; i < process->blocks + process->n_blocks; i++) {
		const struct pipa_heaps_block *block = &heaps->blocks.items[i];

		add_block(&sites->items[site_of[block->stack]], process, block);
	}
	return 0;
}

int pipa_heap_sites_make(const struct pipa_heaps *heaps, const uint32_t *stacks,
			 const struct pipa_frames *frames, bool by_process,
			 struct pipa_heap_sites *ret)
{
	struct pipa_heap_sites sites = { 0 };
	uint32_t i;
	size_t k;
	int rc;

	sites.of_stack = calloc(heaps->stacks.n + 1, sizeof(*sites.of_stack));
	rc = sites.of_stack ? 0 : -ENOMEM;
	for (i = 0; !rc && i < heaps->processes.n; i++)
		rc = add_process(&sites, heaps, i, stacks, frames, by_process, sites.of_stack);
	if (rc) {
		pipa_heap_sites_done(&sites);
		return rc;
	}
	for (k = 0; k < sites.n; k++)
		sites.items[k].growth = judge_growth(&sites.items[k]);
	*ret = sites;
	return 0;
}

void pipa_heap_sites_done(struct pipa_heap_sites *sites)
{
	free(sites->items);
	free(sites->of_stack);
	pipa_index_done(&sites->index);
	*sites = (struct pipa_heap_sites){ 0 };
}

uint64_t pipa_heap_site_value(const struct pipa_heap_site *site, enum pipa_heap_order order)
{
	uint64_t live = 0;
	size_t i;

	switch (order) {
	case PIPA_HEAP_BY_INUSE: return site->inuse.bytes;
	case PIPA_HEAP_BY_PEAK: return site->peak.bytes;
	case PIPA_HEAP_BY_ALLOC: return site->alloc.bytes;
	case PIPA_HEAP_BY_OBJECTS: return site->alloc.objects;
	case PIPA_HEAP_BY_TEMPORARY: return site->temporary.objects;
	case PIPA_HEAP_BY_TIME: return site->allocator_ns;
	default: break;
	}
	for (i = 0; i < PIPA_HEAPS_REACH_NR; i++)
		live += site->live[i].bytes;
	return live;
}

/* Return how serious the blocks of a site are: lost, possibly lost, alive. */
static int leak_rank(const struct pipa_heap_site *site)
{
	return site->live[PIPA_HEAPS_LOST].objects	    ? 3 :
	       site->live[PIPA_HEAPS_LOST_INDIRECT].objects ? 2 :
	       site->live[PIPA_HEAPS_INTERIOR].objects	    ? 1 :
							      0;
}

struct sort {
	const struct pipa_heap_sites *sites;
	enum pipa_heap_order order;
};

static int compare_sites(const void *a, const void *b, void *ctx)
{
	const struct sort *sort = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pipa_heap_site *x = &sort->sites->items[i], *y = &sort->sites->items[k];
	uint64_t v = pipa_heap_site_value(x, sort->order), w = pipa_heap_site_value(y, sort->order);

	if (sort->order == PIPA_HEAP_BY_LOST && leak_rank(x) != leak_rank(y))
		return leak_rank(y) - leak_rank(x);
	if (v != w)
		return v < w ? 1 : -1;
	return i < k ? -1 : i > k;
}

uint32_t *pipa_heap_sites_sort(const struct pipa_heap_sites *sites, enum pipa_heap_order order,
			       size_t *ret_n)
{
	struct sort sort = { sites, order };
	uint32_t *rows = calloc(sites->n + 1, sizeof(*rows));
	uint32_t i;

	*ret_n = 0;
	for (i = 0; rows && i < sites->n; i++)
		if (pipa_heap_site_value(&sites->items[i], order))
			rows[(*ret_n)++] = i;
	if (rows)
		qsort_r(rows, *ret_n, sizeof(*rows), compare_sites, &sort);
	return rows;
}

static const struct {
	const char *id, *text;
} growths[PIPA_HEAP_GROWTH_NR] = {
	[PIPA_HEAP_GROWTH_UNKNOWN] = { "unknown", "too few samples" },
	[PIPA_HEAP_GROWTH_STEADY] = { "steady", "grows steadily" },
	[PIPA_HEAP_GROWTH_START] = { "start", "allocated at the start" },
	[PIPA_HEAP_GROWTH_END] = { "end", "allocated at the end" },
	[PIPA_HEAP_GROWTH_IRREGULAR] = { "irregular", "irregular" },
};

const char *pipa_heap_growth_id(enum pipa_heap_growth growth)
{
	return growths[growth].id;
}

const char *pipa_heap_growth_text(enum pipa_heap_growth growth)
{
	return growths[growth].text;
}

const char *pipa_heaps_reach_id(enum pipa_heaps_reach reach)
{
	static const char *const ids[PIPA_HEAPS_REACH_NR] = {
		[PIPA_HEAPS_UNKNOWN] = "unknown",
		[PIPA_HEAPS_REACHABLE] = "reachable",
		[PIPA_HEAPS_INTERIOR] = "possibly_lost",
		[PIPA_HEAPS_LOST] = "lost",
		[PIPA_HEAPS_LOST_INDIRECT] = "indirectly_lost",
	};

	return ids[reach];
}
