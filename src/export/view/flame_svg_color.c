/* Colours of the frames of an SVG flame graph. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/flame.h"
#include "base/auto.h"
#include "export/view/flame_svg_own.h"
#include "export/view/view.h"

enum { HUES = 7, GREY = HUES, SHADES = 3, SELF_STEPS = 8, CHANGE_STEPS = 12 };

struct cost {
	uint64_t weight;
	uint32_t object;
};

static int by_cost(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->object > y->object) - (x->object < y->object);
}

static bool has_objects(const struct pipa_flame *flame)
{
	size_t i;

	for (i = 0; i < flame->n_frames; i++)
		if (flame->frames[i].object)
			return true;
	return false;
}

static uint64_t self_of(const struct pipa_flame *flame, size_t node)
{
	uint64_t self = flame->costs[PIPA_FLAME_NOW][node].self;

	return flame->has_base ? self + flame->costs[PIPA_FLAME_BASE][node].self : self;
}

/* Assign hues to the heaviest objects; the others are grey. */
static int rank_objects(struct pipa_flame_colors *colors)
{
	const struct pipa_flame *flame = colors->view->flame;
	size_t n = flame->strings.n + 1, i, hue = 0;
	PIPA_AUTO(free) struct cost *costs = NULL;

	if (!has_objects(flame)) /* folded stacks: no objects */
		return 0;
	costs = calloc(n, sizeof(*costs));
	colors->hues = malloc(n);
	if (!costs || !colors->hues)
		return -ENOMEM;
	memset(colors->hues, GREY, n);
	for (i = 0; i < n; i++)
		costs[i].object = (uint32_t)i;
	for (i = 0; i < flame->n_nodes; i++)
		costs[flame->frames[flame->nodes[i].frame].object].weight += self_of(flame, i);
	costs[0].weight = 0; /* frames without an object */
	qsort(costs, n, sizeof(*costs), by_cost);
	for (i = 0; i < n && costs[i].weight && hue < HUES; i++)
		colors->hues[costs[i].object] = (uint8_t)hue++;
	if (!hue) { /* no object has any weight */
		free(colors->hues);
		colors->hues = NULL;
	}
	return 0;
}

int pipa_flame_colors_init(struct pipa_flame_colors *colors, const struct pipa_view *view)
{
	const struct pipa_flame *flame = view->flame;

	*colors = (struct pipa_flame_colors){ .view = view, .scale = 1 };
	colors->by = view->show.color ? view->show.color[0] : flame->has_base ? 'c' : 'l';
	if (flame->has_base && !view->show.absolute && flame->total[0] && flame->total[1])
		colors->scale = (double)flame->total[0] / (double)flame->total[1];
	if (flame->samples[0]) /* a difference of a few samples is not significant */
		colors->slack = 4 * (double)flame->total[0] / (double)flame->samples[0];
	return colors->by == 'l' ? rank_objects(colors) : 0;
}

void pipa_flame_colors_done(struct pipa_flame_colors *colors)
{
	free(colors->hues);
}

static uint32_t hash_of(const struct pipa_string *name)
{
	uint32_t hash = 0x811c9dc5, i;

	for (i = 0; i < name->len && i < 200; i++)
		hash = (hash ^ (unsigned char)name->text[i]) * 0x01000193;
	return hash ^ hash >> 13;
}

static uint32_t hue_of(const struct pipa_flame_colors *colors, const struct pipa_flame_frame *frame,
		       uint32_t hash)
{
	static const uint32_t warm[] = { 5, 0, 3 };
	static const uint32_t kinds[PIPA_FLAME_KIND_NR] = {
		[PIPA_FLAME_USER] = 1,	   [PIPA_FLAME_KERNEL] = 0,	   [PIPA_FLAME_JIT] = 2,
		[PIPA_FLAME_GROUP] = GREY, [PIPA_FLAME_UNRESOLVED] = GREY,
	};

	if (colors->by == 'k')
		return frame->inlined ? 6 : kinds[frame->kind];
	if (frame->kind == PIPA_FLAME_GROUP)
		return GREY;
	return colors->hues ? colors->hues[frame->object] : warm[(hash >> 4) % 3];
}

/* Return the change from -1 (removed) to 1 (new); without a baseline everything is new. */
static double relative_change(const struct pipa_flame_colors *colors, uint32_t node)
{
	const struct pipa_flame *flame = colors->view->flame;
	double now = (double)flame->costs[PIPA_FLAME_NOW][node].total, then = 0;

	if (flame->has_base)
		then = (double)flame->costs[PIPA_FLAME_BASE][node].total * colors->scale;

	return now > 0 || then > 0 ? (now - then) / (now + then + colors->slack) : 0;
}

void pipa_flame_color(const struct pipa_flame_colors *colors, uint32_t node, char ret[static 8])
{
	const struct pipa_flame *flame = colors->view->flame;
	const struct pipa_flame_frame *frame = &flame->frames[flame->nodes[node].frame];
	const struct pipa_flame_cost *cost = &flame->costs[PIPA_FLAME_NOW][node];
	uint32_t hash = hash_of(&flame->strings.items[frame->name]);
	double total = (double)cost->total;

	if (colors->by == 's')
		snprintf(ret, 8, "s%u",
			 total > 0 ? (unsigned int)((double)cost->self / total * SELF_STEPS + 0.5) :
				     0);
	else if (colors->by == 'c')
		snprintf(ret, 8, "d%u",
			 (unsigned int)((relative_change(colors, node) + 1) / 2 * CHANGE_STEPS +
					0.5));
	else
		memcpy(ret,
		       (char[]){ 'h', (char)('0' + hue_of(colors, frame, hash)),
				 (char)('0' + hash % SHADES), '\0' },
		       4);
}
