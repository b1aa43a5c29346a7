#include "analyze/repeats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

/* A walk of the whole tree from the roots, with what is open on the way. */
struct walk {
	const struct pipa_frames *frames;
	const uint32_t *class_of;
	struct pipa_repeats *out;
	uint32_t *child, *next; /* [stack]; child[stacks.n] is the first root */
	uint32_t *open;		/* [class] frames of it between here and the root */
};

void pipa_repeats_done(struct pipa_repeats *repeats)
{
	free(repeats->first);
	free(repeats->again);
	*repeats = (struct pipa_repeats){ 0 };
}

static uint32_t lines_of(const struct pipa_profile *p, uint32_t stack)
{
	uint32_t n = p->locations.items[p->stacks.items[stack].location].n_lines;

	return n ? n : 1;
}

static uint32_t first_frame(const struct pipa_profile *p, uint32_t stack)
{
	uint32_t place = p->stacks.items[stack].location;
	const struct pipa_location *location = &p->locations.items[place];

	return location->n_lines ? location->lines : (uint32_t)p->lines.n + place;
}

/* Where each stack's frames begin; nothing to keep where all have one. */
static int number_frames(const struct pipa_profile *p, struct pipa_repeats *out)
{
	size_t n = 0, i;

	for (i = 0; i < p->stacks.n; i++)
		n += lines_of(p, (uint32_t)i);
	if (n > UINT32_MAX)
		return -ENOMEM;
	out->again = calloc(n + 1, sizeof(*out->again));
	if (!out->again)
		return -ENOMEM;
	if (n == p->stacks.n)
		return 0;
	out->first = malloc(p->stacks.n * sizeof(*out->first));
	if (!out->first)
		return -ENOMEM;
	for (n = i = 0; i < p->stacks.n; i++) {
		out->first[i] = (uint32_t)n;
		n += lines_of(p, (uint32_t)i);
	}
	return 0;
}

/* Hang every stack below its parent. */
static int link_stacks(struct walk *w)
{
	const struct pipa_profile *p = w->frames->profile;
	size_t n = p->stacks.n, i;

	w->child = malloc((n + 1) * sizeof(*w->child));
	w->next = malloc((n + 1) * sizeof(*w->next));
	if (!w->child || !w->next)
		return -ENOMEM;
	memset(w->child, 0xff, (n + 1) * sizeof(*w->child));
	for (i = n; i--;) {
		uint32_t parent = p->stacks.items[i].parent;
		uint32_t *head = &w->child[parent == PIPA_NONE ? n : parent];

		w->next[i] = *head;
		*head = (uint32_t)i;
	}
	return 0;
}

static void enter(struct walk *w, uint32_t stack)
{
	const struct pipa_profile *p = w->frames->profile;
	uint32_t frame = first_frame(p, stack), k = lines_of(p, stack);
	size_t nth = pipa_repeats_first(w->out, stack);

	while (k--) {
		uint32_t class = w->class_of[frame + k];

		if (class != PIPA_NONE)
			w->out->again[nth + k] = w->open[class]++ > 0;
	}
}

static void leave(struct walk *w, uint32_t stack)
{
	const struct pipa_profile *p = w->frames->profile;
	uint32_t frame = first_frame(p, stack), k = lines_of(p, stack);

	while (k--)
		if (w->class_of[frame + k] != PIPA_NONE)
			w->open[w->class_of[frame + k]]--;
}

static void walk_tree(struct walk *w)
{
	const struct pipa_profile *p = w->frames->profile;
	uint32_t stack = w->child[p->stacks.n];

	while (stack != PIPA_NONE) {
		enter(w, stack);
		if (w->child[stack] != PIPA_NONE) {
			stack = w->child[stack];
			continue;
		}
		for (; stack != PIPA_NONE; stack = p->stacks.items[stack].parent) {
			leave(w, stack);
			if (w->next[stack] != PIPA_NONE)
				break;
		}
		if (stack != PIPA_NONE)
			stack = w->next[stack];
	}
}

int pipa_repeats_make(const struct pipa_frames *frames, const uint32_t *class_of, size_t n_classes,
		      struct pipa_repeats *ret)
{
	struct walk w = { .frames = frames, .class_of = class_of, .out = ret };
	int rc = number_frames(frames->profile, ret);

	w.open = calloc(n_classes + 1, sizeof(*w.open));
	if (!rc)
		rc = w.open ? link_stacks(&w) : -ENOMEM;
	if (!rc)
		walk_tree(&w);
	free(w.open);
	free(w.child);
	free(w.next);
	return rc;
}
