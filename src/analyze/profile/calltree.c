#include "analyze/profile/calltree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/hash.h"
#include "base/vec.h"

void pipa_calltree_done(struct pipa_calltree *tree)
{
	free(tree->items);
	free(tree->rows);
	free(tree->met);
	pipa_index_done(&tree->index);
	*tree = (struct pipa_calltree){ 0 };
}

/*
 * Return the node of that frame below `parent`, adding it if missing; PIPA_NONE on allocation
 * failure.
 */
static uint32_t find_call(struct pipa_calltree *tree, uint32_t parent, uint32_t name,
			  uint32_t location)
{
	uint64_t hash = pipa_hash_u64((uint64_t)parent << 32 | name, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&tree->index, hash);
	struct pipa_call *call;

	for (; slot->id; slot = pipa_index_after(&tree->index, slot))
		if (tree->items[slot->id - 1].parent == parent &&
		    tree->items[slot->id - 1].name == name)
			return slot->id - 1;
	call = PIPA_VEC_ADD(tree);
	if (!call || pipa_index_add(&tree->index, hash, (uint32_t)tree->n - 1) < 0)
		return PIPA_NONE;
	*call = (struct pipa_call){ .parent = parent,
				    .child = PIPA_NONE,
				    .next = PIPA_NONE,
				    .location = location,
				    .name = name };
	return (uint32_t)tree->n - 1;
}

/* The root of a row's tree. */
static uint32_t root_of(struct pipa_calltree *tree, const struct pipa_top *top, uint32_t row)
{
	struct pipa_call *call;

	if (tree->rows[row] != PIPA_NONE)
		return tree->rows[row];
	call = PIPA_VEC_ADD(tree);
	if (!call)
		return PIPA_NONE;
	*call = (struct pipa_call){ .parent = PIPA_NONE,
				    .child = PIPA_NONE,
				    .next = PIPA_NONE,
				    .location = top->items[row].location,
				    .name = PIPA_NONE };
	return tree->rows[row] = (uint32_t)tree->n - 1;
}

/* A sample's frames, innermost first. */
struct frames {
	struct {
		uint32_t frame, location, row;
		bool repeated; /* the row occurs again further in, or further out */
	} * items;
	size_t n, cap;
	bool cut; /* the outermost frame is not the root: truncated */
};

static bool is_cut(const struct pipa_profile *p, uint32_t stack)
{
	while (stack != PIPA_NONE && p->stacks.items[stack].parent != PIPA_NONE)
		stack = p->stacks.items[stack].parent;
	return stack != PIPA_NONE && p->stacks.items[stack].cut;
}

static int list_frames(const struct pipa_top *top, uint32_t sample,
		       const struct pipa_calltree_options *o, struct frames *frames)
{
	uint32_t stack = top->profile->samples.items[sample].stack, own = PIPA_NONE;
	struct pipa_frame_walk walk = { .frames = &top->frames, .stack = stack };

	frames->n = 0;
	if (stack != PIPA_NONE)
		own = pipa_frame_innermost(&top->frames, stack);
	frames->cut = is_cut(top->profile, stack);
	while (pipa_frame_walk_next(&walk)) {
		__typeof__(frames->items) frame = PIPA_VEC_ADD(frames);

		if (!frame)
			return -ENOMEM;
		frame->frame = walk.frame;
		frame->location = walk.location;
		frame->row = top->o.children || walk.frame == own ?
				     pipa_top_find(top, sample, walk.frame) :
				     PIPA_NONE;
		if (walk.frame == own) /* only once: recursion can repeat it */
			own = PIPA_NONE;
		if (frame->row != PIPA_NONE &&
		    (frame->row < o->first_row || frame->row >= o->max_rows))
			frame->row = PIPA_NONE;
	}
	return 0;
}

/*
 * Add a sample's weight along its stack: from frame `from` outwards or inwards, or from the outermost
 * frame inwards.
 */
static int add_path(struct pipa_calltree *tree, const struct pipa_top *top,
		    const struct pipa_calltree_options *o, const struct frames *frames, size_t from,
		    const struct pipa_weight *weight)
{
	uint32_t call = root_of(tree, top, frames->items[from].row);
	size_t i = o->callees && o->from_root ? frames->n : from, depth = 0;

	if (call == PIPA_NONE || !tree->items)
		return -ENOMEM;
	tree->items[call].weight += weight->weight;
	tree->items[call].count += weight->count;
	while (o->callees ? i-- > 0 : ++i < frames->n) {
		if (o->max_depth && depth++ == o->max_depth) {
			tree->items[call].deeper = true;
			break;
		}
		call = find_call(tree, call, top->frames.items[frames->items[i].frame].symbol,
				 frames->items[i].location);
		if (call == PIPA_NONE)
			return -ENOMEM;
		tree->items[call].weight += weight->weight;
		tree->items[call].count += weight->count;
		tree->items[call].cut |= frames->cut && i + 1 == frames->n;
	}
	return 0;
}

/* ---- samples of one row with the same callers -------------------------------------------------------- */

/*
 * Samples of a row with the same callers. Without children, the path of a sample begins at its
 * caller, and many samples differ only in the address within their function: their path is added
 * once.
 */
struct group {
	uint32_t row, stack; /* one of its samples */
	uint32_t sample;
	struct pipa_weight weight;
};

struct groups {
	struct group *items;
	size_t n, cap;
	struct pipa_index index;
};

static int add_to_group(struct groups *groups, const struct group *sample)
{
	uint64_t hash = pipa_hash_u64((uint64_t)sample->row << 32 | sample->stack, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&groups->index, hash);
	struct group *group;

	for (; groups->items && slot->id; slot = pipa_index_after(&groups->index, slot)) {
		group = &groups->items[slot->id - 1];
		if (group->row == sample->row && group->stack == sample->stack) {
			group->weight.weight += sample->weight.weight;
			group->weight.count += sample->weight.count;
			return 0;
		}
	}
	group = PIPA_VEC_ADD(groups);
	if (!group || pipa_index_add(&groups->index, hash, (uint32_t)groups->n - 1) < 0)
		return -ENOMEM;
	*group = *sample;
	return 0;
}

static bool has_inlined(const struct pipa_profile *p, uint32_t stack)
{
	return p->locations.items[p->stacks.items[stack].location].n_lines > 1;
}

static int group_samples(const struct pipa_top *top, const struct pipa_calltree_options *o,
			 struct groups *groups)
{
	const struct pipa_profile *p = top->profile;
	int rc = 0;
	uint32_t i;

	for (i = 0; !rc && i < p->samples.n; i++) {
		struct group sample = { .sample = i,
					.weight = { p->samples.items[i].weight,
						    p->samples.items[i].count } };
		uint32_t stack = p->samples.items[i].stack;

		if (p->samples.items[i].event != o->event || stack == PIPA_NONE)
			continue;
		sample.row = pipa_top_find(top, i, pipa_frame_innermost(&top->frames, stack));
		/* inlined frames are callers that the parent stack does not have */
		sample.stack = has_inlined(p, stack) ? stack : p->stacks.items[stack].parent;
		if (sample.stack == PIPA_NONE && p->stacks.items[stack].cut)
			sample.stack = PIPA_NONE - 1; /* no known callers */
		if (sample.row >= o->first_row && sample.row < o->max_rows)
			rc = add_to_group(groups, &sample);
	}
	return rc;
}

static int add_groups(struct pipa_calltree *tree, const struct pipa_top *top,
		      const struct pipa_calltree_options *o, struct frames *frames)
{
	struct groups groups = { 0 };
	int rc = group_samples(top, o, &groups);
	size_t i, k;

	for (i = 0; !rc && i < groups.n; i++) {
		rc = list_frames(top, groups.items[i].sample, o, frames);
		for (k = 0; !rc && k < frames->n; k++)
			if (frames->items[k].row != PIPA_NONE)
				rc = add_path(tree, top, o, frames, k, &groups.items[i].weight);
	}
	free(groups.items);
	pipa_index_done(&groups.index);
	return rc;
}

/* ---- one by one -------------------------------------------------------------------------------------- */

/* Mark rows that occur several times in a stack: their path starts at one end of the stack only. */
static void mark_repeated(uint32_t *met, const struct frames *frames, uint32_t sample, bool inwards)
{
	size_t i, at;

	for (i = 0; i < frames->n; i++) {
		at = inwards ? frames->n - 1 - i : i;
		if (frames->items[at].row == PIPA_NONE)
			continue;
		frames->items[at].repeated = met[frames->items[at].row] == sample + 1;
		met[frames->items[at].row] = sample + 1;
	}
}

static int add_sample(struct pipa_calltree *tree, const struct pipa_top *top,
		      const struct pipa_calltree_options *o, uint32_t sample, struct frames *frames)
{
	const struct pipa_sample *s = &top->profile->samples.items[sample];
	struct pipa_weight weight = { s->weight, s->count };
	int rc = list_frames(top, sample, o, frames);
	size_t i;

	if (!rc)
		mark_repeated(tree->met, frames, sample, o->callees);
	for (i = 0; !rc && i < frames->n; i++)
		if (frames->items[i].row != PIPA_NONE && !frames->items[i].repeated)
			rc = add_path(tree, top, o, frames, i, &weight);
	return rc;
}

static int by_weight(const void *a, const void *b, void *ctx)
{
	const struct pipa_calltree *tree = ctx;
	const struct pipa_call *x = &tree->items[*(const uint32_t *)a];
	const struct pipa_call *y = &tree->items[*(const uint32_t *)b];

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return x < y ? 1 : -1;
}

/* Link calls to their parents, lightest first, so that the heaviest is first in the list. */
static int link_calls(struct pipa_calltree *tree)
{
	PIPA_AUTO(free) uint32_t *order = malloc(tree->n * sizeof(*order) + 1);
	size_t i;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < tree->n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, tree->n, sizeof(*order), by_weight, tree);
	for (i = 0; i < tree->n; i++) {
		struct pipa_call *call = &tree->items[order[i]];

		if (call->parent == PIPA_NONE)
			continue;
		call->next = tree->items[call->parent].child;
		tree->items[call->parent].child = order[i];
	}
	return 0;
}

int pipa_calltree_make(const struct pipa_top *top, const struct pipa_calltree_options *o,
		       struct pipa_calltree *ret)
{
	const struct pipa_profile *p = top->profile;
	struct pipa_calltree tree = { .rows = malloc(top->n * sizeof(*tree.rows) + 1),
				      .met = calloc(top->n + 1, sizeof(*tree.met)) };
	struct frames frames = { 0 };
	uint32_t i;
	int rc = tree.rows && tree.met ? 0 : -ENOMEM;

	if (!rc)
		memset(tree.rows, 0xff, top->n * sizeof(*tree.rows));
	if (!rc && !top->o.children && !o->callees)
		rc = add_groups(&tree, top, o, &frames);
	else
		for (i = 0; !rc && i < p->samples.n; i++)
			if (p->samples.items[i].event == o->event)
				rc = add_sample(&tree, top, o, i, &frames);
	if (!rc)
		rc = link_calls(&tree);
	free(frames.items);
	if (rc < 0) {
		pipa_calltree_done(&tree);
		return rc;
	}
	*ret = tree;
	return 0;
}
