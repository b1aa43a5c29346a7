#include "analyze/profile/flame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/flame_own.h"
#include "base/auto.h"
#include "base/hash.h"
#include "base/tree.h"
#include "base/vec.h"

enum { ROOT = 0 };

void pipa_flame_done(struct pipa_flame *flame)
{
	pipa_strings_done(&flame->strings);
	free(flame->frames);
	free(flame->nodes);
	free(flame->costs[PIPA_FLAME_NOW]);
	free(flame->costs[PIPA_FLAME_BASE]);
	free(flame->ends);
	pipa_index_done(&flame->ends_index);
	free(flame->groups);
	*flame = (struct pipa_flame){ 0 };
}

static void build_done(struct pipa_flame_build *build)
{
	pipa_strings_done(&build->strings);
	free(build->frames.items);
	pipa_index_done(&build->frames.index);
	pipa_tree_done(&build->tree);
	free(build->weights.items);
	free(build->ends.items);
	pipa_index_done(&build->ends.index);
}

/* ---- along a stack ------------------------------------------------------------------------------------ */

struct filler {
	struct pipa_flame_build *build;
	struct pipa_flame_names names;
	const struct pipa_profile *profile;
	const struct pipa_flame_options *o;
	size_t side;
	bool copied;	  /* the node of stack n is n + 1; otherwise: */
	uint32_t *nodes;  /* [stack] its node below the group */
	uint32_t *stamps; /* [stack] valid if equal to the stamp of the group */
	uint32_t stamp;
	struct {
		uint32_t *items;
		size_t n, cap;
	} path;
};

static int begin_groups(struct filler *f)
{
	size_t n = f->profile->stacks.n + 1;

	f->nodes = malloc(n * sizeof(*f->nodes));
	f->stamps = calloc(n, sizeof(*f->stamps));
	return f->nodes && f->stamps ? 0 : -ENOMEM;
}

static void filler_done(struct filler *f)
{
	pipa_flame_names_done(&f->names);
	free(f->nodes);
	free(f->stamps);
	free(f->path.items);
}

/* Add the frames of a location's lines below a node, outwards or inwards. */
static uint32_t add_location(struct filler *f, uint32_t node, uint32_t location)
{
	uint32_t n = f->profile->locations.items[location].n_lines, i;

	n = n ? n : 1;
	for (i = 0; i < n && node != PIPA_NONE; i++) {
		uint32_t frame = pipa_flame_frame_of(&f->names, location,
						     f->o->reverse ? i : n - 1 - i);

		node = frame == PIPA_NONE ? PIPA_NONE :
					    pipa_tree_step(&f->build->tree, node, frame);
	}
	return node;
}

/* Find the node of a stack below its group: up to the nearest known caller, then down. */
static uint32_t find_node_inwards(struct filler *f, uint32_t group, uint32_t stack)
{
	const struct pipa_stack *stacks = f->profile->stacks.items;
	uint32_t at = stack, node;

	for (f->path.n = 0; at != PIPA_NONE && f->stamps[at] != f->stamp; at = stacks[at].parent) {
		uint32_t *step_back = PIPA_VEC_ADD(&f->path);

		if (!step_back)
			return PIPA_NONE;
		*step_back = at;
	}
	node = at == PIPA_NONE ? group : f->nodes[at];
	while (f->path.n) {
		at = f->path.items[--f->path.n];
		node = add_location(f, node, stacks[at].location);
		if (node == PIPA_NONE)
			return PIPA_NONE;
		f->nodes[at] = node;
		f->stamps[at] = f->stamp;
	}
	return node;
}

/*
 * Find the node of a stack with the innermost frame at the root; nothing is shared with other
 * stacks.
 */
static uint32_t find_node_outwards(struct filler *f, uint32_t group, uint32_t stack)
{
	const struct pipa_stack *stacks = f->profile->stacks.items;
	uint32_t node = group, at;

	if (f->stamps[stack] == f->stamp)
		return f->nodes[stack];
	for (at = stack; at != PIPA_NONE && node != PIPA_NONE; at = stacks[at].parent)
		node = add_location(f, node, stacks[at].location);
	f->nodes[stack] = node;
	f->stamps[stack] = f->stamp;
	return node;
}

/* ---- all stacks at once ------------------------------------------------------------------------------- */

/* Is each location one frame, and does each stack have selected samples? */
static bool can_copy(struct filler *f)
{
	const struct pipa_profile *p = f->profile;
	size_t i;

	if (f->o->event != PIPA_NONE || f->o->by != PIPA_FLAME_BY_NONE || f->o->reverse ||
	    f->build->loose)
		return false;
	for (i = 0; i < p->locations.n; i++)
		if (p->locations.items[i].n_lines != 1 ||
		    pipa_flame_frame_of(&f->names, (uint32_t)i, 0) == PIPA_NONE)
			return false;
	return f->build->frames.n == p->locations.n;
}

/*
 * If each location is a frame of its own, as in folded stacks, the profile's tree of stacks is used
 * directly without lookups: callers precede their callees in both.
 */
static int copy_stacks(struct filler *f)
{
	const struct pipa_profile *p = f->profile;
	struct pipa_tree_node *nodes = f->build->tree.items;
	PIPA_AUTO(free) uint32_t *frames = malloc((p->locations.n + 1) * sizeof(*frames));
	uint32_t i;

	if (!frames)
		return -ENOMEM;
	for (i = 0; i < p->locations.n; i++)
		frames[i] = pipa_flame_frame_of(&f->names, i, 0);
	for (i = 0; i < p->stacks.n; i++) {
		const struct pipa_stack *stack = &p->stacks.items[i];

		if (stack->cut) /* such a location can be an outermost frame twice */
			return 0;
		nodes[i + 1] = (struct pipa_tree_node){
			.parent = stack->parent == PIPA_NONE ? ROOT : stack->parent + 1,
			.child = PIPA_NONE,
			.key = frames[stack->location],
		};
	}
	for (; i > 0; i--) { /* backwards, so that children are linked in order */
		uint32_t *first = &nodes[nodes[i].parent].child;

		nodes[i].next = *first;
		*first = i;
	}
	f->build->tree.n = p->stacks.n + 1;
	f->copied = true;
	return 0;
}

/* ---- where it ends ------------------------------------------------------------------------------------ */

static uint32_t no_stack(struct filler *f, uint32_t group)
{
	uint32_t frame = pipa_flame_frame_named(f->build, "[no stack]", PIPA_FLAME_UNRESOLVED);

	return frame == PIPA_NONE ? PIPA_NONE : pipa_tree_step(&f->build->tree, group, frame);
}

static uint64_t hash_of(uint32_t group, uint32_t stack)
{
	return pipa_hash_u64((uint64_t)group << 32 | stack, PIPA_HASH_SEED);
}

static const struct pipa_flame_end *find_end(const struct pipa_index *index,
					     const struct pipa_flame_end *ends, uint32_t group,
					     uint32_t stack)
{
	const struct pipa_index_slot *slot = pipa_index_start(index, hash_of(group, stack));

	for (; slot->id; slot = pipa_index_after(index, slot))
		if (ends[slot->id - 1].group == group && ends[slot->id - 1].stack == stack)
			return &ends[slot->id - 1];
	return NULL;
}

static int store_end(struct pipa_flame_build *build, uint32_t group, uint32_t stack, uint32_t node)
{
	struct pipa_flame_end *end;

	if (find_end(&build->ends.index, build->ends.items, group, stack))
		return 0;
	end = PIPA_VEC_ADD(&build->ends);
	if (!end)
		return -ENOMEM;
	*end = (struct pipa_flame_end){ group, stack, node };
	return pipa_index_add(&build->ends.index, hash_of(group, stack),
			      (uint32_t)build->ends.n - 1);
}

static int add_weight(struct filler *f, uint32_t node, const struct pipa_sample *sample)
{
	struct pipa_flame_weight *weight = PIPA_VEC_ADD(&f->build->weights);

	if (!weight)
		return -ENOMEM;
	*weight = (struct pipa_flame_weight){ node, (uint32_t)f->side, sample->weight,
					      sample->count };
	return 0;
}

/* Add a sample below a group, a frame or PIPA_NONE. */
static int add_sample(struct filler *f, const struct pipa_sample *sample, uint32_t group)
{
	uint32_t top = group == PIPA_NONE ? ROOT : pipa_tree_step(&f->build->tree, ROOT, group),
		 node;

	if (top == PIPA_NONE)
		return -ENOMEM;
	node = sample->stack == PIPA_NONE ? no_stack(f, top) :
	       f->copied		  ? sample->stack + 1 :
	       f->o->reverse		  ? find_node_outwards(f, top, sample->stack) :
					    find_node_inwards(f, top, sample->stack);
	if (node == PIPA_NONE || add_weight(f, node, sample) < 0)
		return -ENOMEM;
	if (f->o->ends && f->side == PIPA_FLAME_NOW)
		return store_end(f->build, group, sample->stack, node);
	return 0;
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

static int add_samples(struct filler *f, const uint32_t *groups, struct pipa_flame *flame)
{
	const struct pipa_profile *p = f->profile;
	uint32_t event = f->side == PIPA_FLAME_NOW ? f->o->event : f->o->base_event;
	PIPA_AUTO(free)
	uint32_t *order = groups ? pipa_flame_sort_samples(p, groups, f->build->frames.n) : NULL;
	uint32_t last = PIPA_NONE;
	size_t i;
	int rc = groups && !order ? -ENOMEM : 0;

	f->stamp = 1;
	if (!rc && can_copy(f))
		rc = copy_stacks(f);
	if (!rc && !f->copied)
		rc = begin_groups(f);
	for (i = 0; !rc && i < p->samples.n; i++) {
		const struct pipa_sample *sample = &p->samples.items[order ? order[i] : i];
		uint32_t group = pipa_flame_group_at(groups, p->threads.n, sample->thread);

		if (event != PIPA_NONE && sample->event != event)
			continue;
		f->stamp += group != last;
		last = group;
		flame->total[f->side] += sample->weight;
		flame->samples[f->side] += sample->count;
		rc = add_sample(f, sample, group);
	}
	return rc;
}

static int fill(struct pipa_flame_build *build, const struct pipa_profile *p, size_t side,
		const struct pipa_flame_options *o, struct pipa_flame *flame)
{
	struct filler f = { .build = build, .profile = p, .o = o, .side = side };
	uint32_t *groups = NULL;
	int rc = pipa_flame_names_init(&f.names, build, p);

	if (!rc)
		rc = pipa_flame_groups(build, p, o->by, &groups);
	if (!rc)
		rc = add_samples(&f, groups, flame);
	filler_done(&f);
	if (!rc && o->ends && side == PIPA_FLAME_NOW) {
		flame->groups = PIPA_TAKE(groups);
		flame->n_groups = p->threads.n;
	}
	free(groups);
	return rc;
}

static int make_tree(const struct pipa_profile *base, const struct pipa_profile *p,
		     const struct pipa_flame_options *o, struct pipa_flame *ret)
{
	struct pipa_flame_build build = { .loose = base != NULL,
					  .names_alone = base && o->names_alone };
	struct pipa_flame flame = { .has_base = base != NULL };
	/* reserve one node per stack, the usual number */
	int rc = pipa_tree_init(&build.tree, p->stacks.n + 1);

	if (!rc)
		rc = fill(&build, p, PIPA_FLAME_NOW, o, &flame);
	if (!rc && base)
		rc = fill(&build, base, PIPA_FLAME_BASE, o, &flame);
	if (!rc)
		rc = pipa_flame_order(&build, &flame);
	build_done(&build);
	if (rc < 0)
		pipa_flame_done(&flame);
	else
		*ret = flame;
	return rc;
}

int pipa_flame_make(const struct pipa_profile *profile, const struct pipa_flame_options *options,
		    struct pipa_flame *ret)
{
	return make_tree(NULL, profile, options, ret);
}

int pipa_flame_make_diff(const struct pipa_profile *base, const struct pipa_profile *profile,
			 const struct pipa_flame_options *options, struct pipa_flame *ret)
{
	return make_tree(base, profile, options, ret);
}

uint32_t pipa_flame_find(const struct pipa_flame *flame, uint32_t thread, uint32_t stack)
{
	uint32_t group = pipa_flame_group_at(flame->groups, flame->n_groups, thread);
	const struct pipa_flame_end *end = find_end(&flame->ends_index, flame->ends, group, stack);

	return end ? end->node : PIPA_NONE;
}
