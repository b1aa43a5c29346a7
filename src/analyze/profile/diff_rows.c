/*
 * Add a profile to a diff: the rows of its table (top.h), or its stacks, with strings instead of
 * the profile's ids.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/diff.h"
#include "analyze/profile/diff_own.h"
#include "analyze/profile/top.h"
#include "base/auto.h"
#include "base/str.h"

/* A profile being added. */
struct adding {
	struct pipa_diff *diff;
	size_t run;
	const struct pipa_profile *profile;
	uint32_t event;
};

static uint32_t intern(struct pipa_diff *d, const char *text)
{
	return pipa_strings_add(&d->strings, text, strlen(text));
}

/* Return the build id of an unresolved frame's object as text. */
static uint32_t build_of(const struct adding *a, uint32_t symbol)
{
	const struct pipa_profile *p = a->profile;
	char text[2 * sizeof(p->objects.items->build_id.bytes) + 1] = "";
	const struct pipa_build_id *id;
	uint32_t object;
	size_t i;

	if (symbol == PIPA_NONE || !(symbol & PIPA_FRAME_UNRESOLVED))
		return 0;
	object = p->locations.items[symbol & ~PIPA_FRAME_UNRESOLVED].object;
	if (object >= p->objects.n)
		return 0;
	id = &p->objects.items[object].build_id;
	for (i = 0; i < id->len && i < sizeof(id->bytes); i++)
		snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
	return intern(a->diff, text);
}

/* Return its index in the diff; PIPA_NONE on allocation failure. */
static uint32_t frame_of(const struct adding *a, const struct pipa_frame *from, const char *place,
			 enum pipa_mode mode)
{
	bool named = a->diff->o.by == PIPA_DIFF_BY_SYMBOL || a->diff->o.by == PIPA_DIFF_BY_PATH;
	struct pipa_diff_frame frame = { .mode = mode };
	char buf[64];

	frame.object = intern(a->diff, pipa_object_short(a->profile, from->object));
	frame.object = pipa_diff_base_name(a->diff, a->run, frame.object);
	frame.place = intern(a->diff, place);
	if (named) {
		frame.symbol = intern(a->diff, pipa_frame_text(a->profile, from->symbol, buf));
		frame.build = build_of(a, from->symbol);
		frame.inlined = pipa_frame_mark(from->symbol)[0] != '\0';
	}
	if (frame.object == PIPA_NO_STRING || frame.place == PIPA_NO_STRING ||
	    frame.symbol == PIPA_NO_STRING || frame.build == PIPA_NO_STRING)
		return PIPA_NONE;
	return pipa_diff_frame(a->diff, &frame);
}

/* ---- tables ----------------------------------------------------------------------------------------- */

static void set_keys(enum pipa_diff_by by, struct pipa_top_options *ret)
{
	ret->keys[0] = PIPA_KEY_OBJECT;
	ret->keys[1] = by == PIPA_DIFF_BY_LINE ? PIPA_KEY_SRCLINE : PIPA_KEY_SYMBOL;
	ret->n_keys = by == PIPA_DIFF_BY_LIBRARY ? 1 : 2;
}

static int add_top_row(const struct adding *a, const struct pipa_top *top, size_t number)
{
	const struct pipa_top_row *from = &top->items[number];
	const struct pipa_weight *weights = top->o.children ? top->total : top->self;
	const struct pipa_weight *weight = &weights[number * top->n_events + a->event];
	bool lines = a->diff->o.by == PIPA_DIFF_BY_LINE;
	struct pipa_frame frame = { from->key[0], lines ? PIPA_NONE : from->key[1], 0 };
	struct pipa_diff_row row = { .path = PIPA_NONE };
	enum pipa_mode mode = from->location == PIPA_NONE ?
				      PIPA_MODE_UNKNOWN :
				      a->profile->locations.items[from->location].mode;
	char buf[64];

	if (!weight->count)
		return 0;
	row.frame = frame_of(a, &frame, lines ? pipa_top_text(top, from, 1, buf) : "", mode);
	if (row.frame == PIPA_NONE)
		return -ENOMEM;
	return pipa_diff_add_weight(a->diff, &row, a->run, weight);
}

static int add_table(const struct adding *a)
{
	const struct pipa_diff_options *o = &a->diff->o;
	PIPA_AUTO(pipa_top_done) struct pipa_top top = { 0 };
	struct pipa_top_options options = { .children = o->children,
					    .comms = o->comms,
					    .objects = o->objects,
					    .symbols = o->symbols };
	size_t i;
	int rc;

	set_keys(o->by, &options);
	rc = pipa_top_make(a->profile, &options, &top);
	for (i = 0; !rc && i < top.n; i++)
		rc = add_top_row(a, &top, i);
	return rc;
}

/* ---- paths ------------------------------------------------------------------------------------------ */

/*
 * Nodes of the diff for the stacks of a profile: [stack], PIPA_NONE if no selected sample has it.
 */
struct paths {
	struct pipa_frames frames;
	uint32_t *frame_of; /* [frame], PIPA_NONE: not converted yet */
	uint32_t *node_of;
	bool *met;
};

static void paths_done(struct paths *paths)
{
	pipa_frames_done(&paths->frames);
	free(paths->frame_of);
	free(paths->node_of);
	free(paths->met);
}

static int paths_init(struct paths *paths, const struct adding *a)
{
	const struct pipa_profile *p = a->profile;
	int rc = pipa_frames_make(p, false, &paths->frames);

	if (rc < 0)
		return rc;
	paths->frame_of = malloc(paths->frames.n * sizeof(*paths->frame_of) + 1);
	paths->node_of = malloc(p->stacks.n * sizeof(*paths->node_of) + 1);
	paths->met = calloc(p->stacks.n + 1, sizeof(*paths->met));
	if (!paths->frame_of || !paths->node_of || !paths->met)
		return -ENOMEM;
	memset(paths->frame_of, 0xff, paths->frames.n * sizeof(*paths->frame_of));
	memset(paths->node_of, 0xff, p->stacks.n * sizeof(*paths->node_of));
	return 0;
}

static bool is_wanted(const struct adding *a, const struct paths *paths,
		      const struct pipa_sample *s)
{
	const struct pipa_diff_options *o = &a->diff->o;
	const struct pipa_profile *p = a->profile;
	const struct pipa_frame *frame;
	char buf[64];

	if (s->event != a->event)
		return false;
	if (o->comms &&
	    (s->thread == PIPA_NONE ||
	     !pipa_str_listed(o->comms, pipa_profile_string(p, p->threads.items[s->thread].comm),
			      false)))
		return false;
	if (!o->objects && !o->symbols)
		return true;
	if (s->stack == PIPA_NONE)
		return false;
	frame = &paths->frames.items[pipa_frame_innermost(&paths->frames, s->stack)];
	if (o->symbols &&
	    !pipa_str_listed(o->symbols, pipa_frame_text(p, frame->symbol, buf), false))
		return false;
	return !o->objects ||
	       pipa_str_listed(o->objects, pipa_object_short(p, frame->object), false) ||
	       (frame->object < p->objects.n &&
		pipa_str_listed(o->objects,
				pipa_profile_string(p, p->objects.items[frame->object].path),
				false));
}

/*
 * Return the node of a location's frames below its callers' node, inlined functions innermost.
 * PIPA_NONE on allocation failure.
 */
static uint32_t node_below(const struct adding *a, struct paths *paths, uint32_t parent,
			   uint32_t place)
{
	const struct pipa_profile *p = a->profile;
	const struct pipa_location *location = &p->locations.items[place];
	uint32_t k = location->n_lines ? location->n_lines : 1, node = parent;
	uint32_t first = location->n_lines ? location->lines : (uint32_t)p->lines.n + place;

	while (k--) {
		uint32_t *frame = &paths->frame_of[first + k];

		if (*frame == PIPA_NONE)
			*frame = frame_of(a, &paths->frames.items[first + k], "", location->mode);
		if (*frame == PIPA_NONE)
			return PIPA_NONE;
		node = pipa_diff_node(a->diff, node, *frame);
		if (node == PIPA_NONE)
			return PIPA_NONE;
	}
	return node;
}

/* Make the nodes. Callers have lower indices than their callees: mark used stacks from the end. */
static int make_nodes(const struct adding *a, struct paths *paths)
{
	const struct pipa_profile *p = a->profile;
	size_t i;

	for (i = p->stacks.n; i-- > 0;)
		if (paths->met[i] && p->stacks.items[i].parent != PIPA_NONE)
			paths->met[p->stacks.items[i].parent] = true;
	for (i = 0; i < p->stacks.n; i++) {
		const struct pipa_stack *stack = &p->stacks.items[i];

		if (!paths->met[i])
			continue;
		paths->node_of[i] = node_below(
			a, paths,
			stack->parent == PIPA_NONE ? PIPA_NONE : paths->node_of[stack->parent],
			stack->location);
		if (paths->node_of[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* Return the row for samples without a stack. */
static uint32_t row_without_stack(const struct adding *a)
{
	struct pipa_diff_frame frame = { .object = intern(a->diff, "[unknown]"),
					 .symbol = intern(a->diff, "[no stack]") };
	uint32_t number = frame.object == PIPA_NO_STRING || frame.symbol == PIPA_NO_STRING ?
				  PIPA_NONE :
				  pipa_diff_frame(a->diff, &frame);

	return number == PIPA_NONE ? PIPA_NONE : pipa_diff_node(a->diff, PIPA_NONE, number);
}

static int add_stack_weights(const struct adding *a, const struct paths *paths)
{
	const struct pipa_profile *p = a->profile;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < p->samples.n; i++) {
		const struct pipa_sample *s = &p->samples.items[i];
		struct pipa_weight weight = { s->weight, s->count };
		struct pipa_diff_row row;

		if (!is_wanted(a, paths, s))
			continue;
		row.path = s->stack == PIPA_NONE ? row_without_stack(a) : paths->node_of[s->stack];
		if (row.path == PIPA_NONE)
			return -ENOMEM;
		row.frame = a->diff->nodes.items[row.path].frame;
		rc = pipa_diff_add_weight(a->diff, &row, a->run, &weight);
	}
	return rc;
}

static int add_paths(const struct adding *a)
{
	const struct pipa_profile *p = a->profile;
	struct paths paths = { 0 };
	int rc = paths_init(&paths, a);
	size_t i;

	for (i = 0; !rc && i < p->samples.n; i++)
		if (p->samples.items[i].stack != PIPA_NONE &&
		    is_wanted(a, &paths, &p->samples.items[i]))
			paths.met[p->samples.items[i].stack] = true;
	if (!rc)
		rc = make_nodes(a, &paths);
	if (!rc)
		rc = add_stack_weights(a, &paths);
	paths_done(&paths);
	return rc;
}

int pipa_diff_add(struct pipa_diff *d, size_t run, const struct pipa_profile *profile,
		  uint32_t event)
{
	const struct adding a = { d, run, profile, event };
	const struct pipa_profile_event *from = &profile->events.items[event];
	int rc = d->o.match_symbol || d->o.match_dso ?
			 0 :
			 pipa_diff_find_renames(d, run, profile, event);

	if (rc < 0)
		return rc;
	d->runs[run] = (struct pipa_diff_run){ .weight = from->weight,
					       .count = from->count,
					       .counted = from->counted };
	if (from->squares > 0)
		d->runs[run].effective = (double)from->weight * (double)from->weight /
					 from->squares;
	return d->o.by == PIPA_DIFF_BY_PATH ? add_paths(&a) : add_table(&a);
}
