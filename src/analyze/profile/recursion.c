#include "analyze/profile/recursion.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

/* A stack below its parent. Its location is copied: the walk then touches no stack out of order. */
struct child {
	uint32_t stack, location;
};

/* Walk the whole tree from the roots with the classes that are open on the path. */
struct walk {
	const struct pipa_profile *profile;
	const uint32_t *class_of;
	struct pipa_recursion *out;
	uint32_t *first;	/* [stack] its children; those of the next stack follow */
	struct child *children; /* children of the root are last */
	uint32_t *open;		/* [class] number of its frames on the path */
	struct {
		uint32_t at, end, location;
	} * path; /* [depth] remaining children, and the location of the caller */
};

void pipa_recursion_done(struct pipa_recursion *recursion)
{
	free(recursion->first);
	free(recursion->again);
	*recursion = (struct pipa_recursion){ 0 };
}

/* ---- frames --------------------------------------------------------------------------------------- */

static uint32_t lines_of(const struct pipa_profile *p, uint32_t location)
{
	uint32_t n = p->locations.items[location].n_lines;

	return n ? n : 1;
}

static uint32_t first_frame(const struct pipa_profile *p, uint32_t location)
{
	const struct pipa_location *at = &p->locations.items[location];

	return at->n_lines ? at->lines : (uint32_t)p->lines.n + location;
}

/* First frame of each stack; not needed if all stacks have one frame. */
static int number_frames(const struct pipa_profile *p, struct pipa_recursion *out)
{
	bool single = true;
	size_t n = 0, i;

	for (i = 0; i < p->locations.n; i++)
		single &= p->locations.items[i].n_lines <= 1;
	for (i = 0; !single && i < p->stacks.n; i++)
		n += lines_of(p, p->stacks.items[i].location);
	if (n > UINT32_MAX)
		return -ENOMEM;
	out->again = calloc((single ? p->stacks.n : n) + 1, sizeof(*out->again));
	if (!out->again)
		return -ENOMEM;
	if (single)
		return 0;
	out->first = malloc(p->stacks.n * sizeof(*out->first) + 1);
	if (!out->first)
		return -ENOMEM;
	for (n = i = 0; i < p->stacks.n; i++) {
		out->first[i] = (uint32_t)n;
		n += lines_of(p, p->stacks.items[i].location);
	}
	return 0;
}

/* ---- tree ----------------------------------------------------------------------------------------- */

static size_t parent_of(const struct pipa_profile *p, size_t stack)
{
	uint32_t parent = p->stacks.items[stack].parent;

	return parent == PIPA_NONE ? p->stacks.n : parent;
}

/* Sort the stacks by parent: count, add up, put in place. Returns 0 or -ENOMEM. */
static int list_children(struct walk *w)
{
	const struct pipa_profile *p = w->profile;
	size_t n = p->stacks.n, i;
	uint32_t sum = 0, count;

	w->first = calloc(n + 2, sizeof(*w->first));
	w->children = calloc(n + 1, sizeof(*w->children));
	if (!w->first || !w->children)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		w->first[parent_of(p, i)]++;
	for (i = 0; i <= n; i++) {
		count = w->first[i];
		w->first[i] = sum;
		sum += count;
	}
	w->first[n + 1] = sum;
	for (i = 0; i < n; i++)
		w->children[w->first[parent_of(p, i)]++] =
			(struct child){ (uint32_t)i, p->stacks.items[i].location };
	/* each is now where the next one began: shift */
	memmove(w->first + 1, w->first, (n + 1) * sizeof(*w->first));
	w->first[0] = 0;
	return 0;
}

static int make_path(struct walk *w)
{
	uint32_t depth = 0;
	size_t i;

	for (i = 0; i < w->profile->stacks.n; i++)
		if (w->profile->stacks.items[i].depth > depth)
			depth = w->profile->stacks.items[i].depth;
	w->path = malloc((depth + (size_t)1) * sizeof(*w->path));
	return w->path ? 0 : -ENOMEM;
}

/* ---- walk ----------------------------------------------------------------------------------------- */

static void enter_stack(const struct walk *w, const struct child *child)
{
	uint32_t frame = first_frame(w->profile, child->location);
	uint32_t k = lines_of(w->profile, child->location);
	size_t nth = pipa_recursion_first(w->out, child->stack);

	while (k--) { /* callers first */
		uint32_t class = w->class_of[frame + k];

		if (class != PIPA_NONE)
			w->out->again[nth + k] = w->open[class]++ > 0;
	}
}

static void leave_stack(const struct walk *w, uint32_t location)
{
	uint32_t frame = first_frame(w->profile, location), k = lines_of(w->profile, location);

	while (k--)
		if (w->class_of[frame + k] != PIPA_NONE)
			w->open[w->class_of[frame + k]]--;
}

static void walk_tree(struct walk *w)
{
	size_t roots = w->profile->stacks.n, depth = 0;

	w->path[0].at = w->first[roots];
	w->path[0].end = w->first[roots + 1];
	for (;;) {
		const struct child *child;

		if (w->path[depth].at == w->path[depth].end) {
			if (!depth)
				return;
			leave_stack(w, w->path[depth--].location);
			continue;
		}
		child = &w->children[w->path[depth].at++];
		enter_stack(w, child);
		if (w->first[child->stack] == w->first[child->stack + 1]) {
			leave_stack(w, child->location);
			continue;
		}
		depth++;
		w->path[depth].at = w->first[child->stack];
		w->path[depth].end = w->first[child->stack + 1];
		w->path[depth].location = child->location;
	}
}

int pipa_recursion_find(const struct pipa_frames *frames, const uint32_t *class_of,
			size_t n_classes, struct pipa_recursion *ret)
{
	struct walk w = { .profile = frames->profile, .class_of = class_of, .out = ret };
	int rc = number_frames(w.profile, ret);

	w.open = calloc(n_classes + 1, sizeof(*w.open));
	if (!rc)
		rc = w.open ? list_children(&w) : -ENOMEM;
	if (!rc)
		rc = make_path(&w);
	if (!rc)
		walk_tree(&w);
	free(w.first);
	free(w.children);
	free(w.open);
	free(w.path);
	return rc;
}
