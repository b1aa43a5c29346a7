/*
 * Build a table. Frames that rows do not distinguish form a class; samples of one event that rows
 * do not distinguish form a group. The weights of a group are summed over the tree of stacks, then
 * the total of each stack is added to the row of its class: the cost is proportional to distinct
 * stacks, not to samples times depth, and no row is looked up by its key.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/recursion.h"
#include "analyze/profile/short_name.h"
#include "analyze/profile/rollup.h"
#include "analyze/profile/top_rows.h"
#include "base/auto.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"

#define SEVERAL (PIPA_NONE - 1) /* not a class */

struct group {
	uint32_t key[PIPA_KEY_NR];
	uint32_t event;
	uint32_t rows;	 /* the first group with this key: they share rows */
	uint32_t sample; /* last sample; earlier ones are linked by `before` */
	size_t n;	 /* samples */
};

struct making {
	struct pipa_top *top;
	struct {
		struct pipa_frame *items;
		size_t n, cap;
		struct pipa_index index;
	} classes;
	uint32_t *class_of; /* [frame], PIPA_NONE: not selected */
	uint32_t *class_at; /* [location] of its only frame; SEVERAL: it has inlined ones */
	bool *parents;	    /* [frame] it matches the expression of parents */
	bool *comms;	    /* [thread] selected */
	struct {
		struct group *items;
		size_t n, cap;
		struct pipa_index index;
	} groups;
	uint32_t last;	  /* group that got a sample, or PIPA_NONE */
	uint32_t *before; /* [sample] previous sample of the same group, or PIPA_NONE */
	struct {
		uint32_t rows, number;
	} * row_of; /* [class] row in the current group */
	struct pipa_recursion recursion;
	struct pipa_rollup spread;
};

static void making_done(struct making *m)
{
	free(m->classes.items);
	pipa_index_done(&m->classes.index);
	free(m->class_of);
	free(m->class_at);
	free(m->parents);
	free(m->comms);
	free(m->groups.items);
	pipa_index_done(&m->groups.index);
	free(m->before);
	free(m->row_of);
	pipa_recursion_done(&m->recursion);
	pipa_rollup_done(&m->spread);
}

/* ---- what is requested ----------------------------------------------------------------------------- */

static bool is_shown(const struct pipa_top *top, const struct pipa_frame *frame, const char *name)
{
	const struct pipa_profile *p = top->profile;

	if (top->o.one_object && frame->object != top->o.object)
		return false;
	if (top->o.symbols && !pipa_str_listed(top->o.symbols, name, false) &&
	    !pipa_str_listed(top->o.symbols,
			     pipa_short_name_in(name, pipa_object_short(p, frame->object)), false))
		return false;
	return !top->o.objects ||
	       pipa_str_listed(top->o.objects, pipa_object_short(p, frame->object), false) ||
	       (frame->object < p->objects.n &&
		pipa_str_listed(top->o.objects,
				pipa_profile_string(p, p->objects.items[frame->object].path),
				false));
}

/* Folded stacks have no thread: they match only if no thread is selected. */
static bool is_wanted(const struct making *m, uint32_t thread)
{
	return thread == PIPA_NONE ? !m->top->o.comms : m->comms[thread];
}

static int choose_comms(struct making *m)
{
	const struct pipa_profile *p = m->top->profile;
	size_t i;

	m->comms = calloc(p->threads.n + 1, sizeof(*m->comms));
	if (!m->comms)
		return -ENOMEM;
	for (i = 0; i < p->threads.n; i++)
		m->comms[i] = !m->top->o.comms ||
			      pipa_str_listed(m->top->o.comms,
					      pipa_profile_string(p, p->threads.items[i].comm),
					      false);
	return 0;
}

/* ---- classes of frames ------------------------------------------------------------------------------ */

/* Copy only the fields that distinguish rows. */
static struct pipa_frame row_fields(const struct pipa_top *top, struct pipa_frame frame)
{
	uint32_t key[PIPA_KEY_NR] = { 0 };
	struct pipa_frame left = { 0 };
	size_t i;

	pipa_top_key_of_frame(top, &frame, key);
	for (i = 0; i < top->o.n_keys; i++)
		if (top->o.keys[i] == PIPA_KEY_OBJECT)
			left.object = key[i];
		else if (top->o.keys[i] == PIPA_KEY_SYMBOL)
			left.symbol = key[i];
		else if (top->o.keys[i] == PIPA_KEY_SRCLINE)
			left.place = key[i];
	return left;
}

/* Find or add the class of a frame; PIPA_NONE on allocation failure. */
static uint32_t find_class(struct making *m, struct pipa_frame frame)
{
	uint64_t hash = pipa_hash_u64((uint64_t)frame.object << 32 | frame.symbol,
				      PIPA_HASH_SEED + frame.place);
	const struct pipa_index_slot *slot = pipa_index_start(&m->classes.index, hash);
	struct pipa_frame *added;

	for (; m->classes.items && slot->id; slot = pipa_index_after(&m->classes.index, slot))
		if (m->classes.items[slot->id - 1].object == frame.object &&
		    m->classes.items[slot->id - 1].symbol == frame.symbol &&
		    m->classes.items[slot->id - 1].place == frame.place)
			return slot->id - 1;
	added = PIPA_VEC_ADD(&m->classes);
	if (!added || pipa_index_add(&m->classes.index, hash, (uint32_t)m->classes.n - 1) < 0)
		return PIPA_NONE;
	*added = frame;
	return (uint32_t)m->classes.n - 1;
}

/* Most locations have one frame: its class is then found in one step. */
static int classify_locations(struct making *m)
{
	const struct pipa_profile *p = m->top->profile;
	size_t i;

	m->class_at = malloc(p->locations.n * sizeof(*m->class_at) + 1);
	if (!m->class_at)
		return -ENOMEM;
	for (i = 0; i < p->locations.n; i++) {
		const struct pipa_location *location = &p->locations.items[i];

		m->class_at[i] =
			location->n_lines > 1 ?
				SEVERAL :
				m->class_of[location->n_lines ? location->lines : p->lines.n + i];
	}
	return 0;
}

static int classify(struct making *m)
{
	const struct pipa_frames *frames = &m->top->frames;
	char buf[64];
	size_t i;

	m->class_of = malloc(frames->n * sizeof(*m->class_of) + 1);
	m->parents = calloc(frames->n + 1, sizeof(*m->parents));
	if (!m->class_of || !m->parents)
		return -ENOMEM;
	for (i = 0; i < frames->n; i++) {
		const struct pipa_frame *frame = &frames->items[i];
		const char *name = pipa_frame_text(frames->profile, frame->symbol, buf);

		m->parents[i] = m->top->o.parent &&
				regexec(m->top->o.parent, name, 0, NULL, 0) == 0;
		m->class_of[i] = PIPA_NONE;
		if (!is_shown(m->top, frame, name))
			continue;
		m->class_of[i] = find_class(m, row_fields(m->top, *frame));
		if (m->class_of[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return classify_locations(m);
}

/* ---- groups of samples ------------------------------------------------------------------------------- */

/* Return the outermost caller that matches the expression, as a symbol. */
static uint32_t find_parent(const struct making *m, uint32_t stack)
{
	struct pipa_frame_walk walk = { .frames = &m->top->frames, .stack = stack };
	uint32_t found = PIPA_NONE;

	while (pipa_frame_walk_next(&walk))
		if (m->parents[walk.frame])
			found = m->top->frames.items[walk.frame].symbol & ~PIPA_FRAME_INLINED;
	return found;
}

static uint64_t hash_group(const struct making *m, const struct group *group)
{
	return pipa_hash_bytes(group->key, m->top->o.n_keys * sizeof(group->key[0]),
			       PIPA_HASH_SEED);
}

/*
 * Find or add a group; PIPA_NONE on allocation failure. Groups of one key and several events share
 * a hash.
 */
static uint32_t find_group(struct making *m, struct group *group)
{
	size_t size = m->top->o.n_keys * sizeof(group->key[0]);
	uint64_t hash = hash_group(m, group);
	const struct pipa_index_slot *slot = pipa_index_start(&m->groups.index, hash);
	struct group *added;

	group->rows = (uint32_t)m->groups.n;
	for (; m->groups.items && slot->id; slot = pipa_index_after(&m->groups.index, slot)) {
		const struct group *known = &m->groups.items[slot->id - 1];

		if (slot->hash != (uint32_t)hash || memcmp(known->key, group->key, size) != 0)
			continue;
		if (known->event == group->event)
			return slot->id - 1;
		group->rows = known->rows;
	}
	added = PIPA_VEC_ADD(&m->groups);
	if (!added || pipa_index_add(&m->groups.index, hash, (uint32_t)m->groups.n - 1) < 0)
		return PIPA_NONE;
	*added = *group;
	return (uint32_t)m->groups.n - 1;
}

/* Do two samples have the same key? Consecutive samples usually do. */
static bool is_alike(const struct making *m, uint32_t a, uint32_t b)
{
	const struct pipa_sample *x = &m->top->profile->samples.items[a];
	const struct pipa_sample *y = &m->top->profile->samples.items[b];

	return x->thread == y->thread && x->cpu == y->cpu && x->event == y->event &&
	       x->labels == y->labels &&
	       (!m->top->parents || m->top->parents[a] == m->top->parents[b]);
}

static int add_to_group(struct making *m, uint32_t number)
{
	struct pipa_top *top = m->top;
	const struct pipa_sample *s = &top->profile->samples.items[number];
	struct group group = { .event = s->event, .sample = PIPA_NONE };

	if (top->parents)
		top->parents[number] = find_parent(m, s->stack);
	if (m->last == PIPA_NONE || !is_alike(m, m->groups.items[m->last].sample, number)) {
		pipa_top_key_of_sample(top, number, group.key);
		m->last = find_group(m, &group);
		if (m->last == PIPA_NONE)
			return -ENOMEM;
	}
	m->before[number] = m->groups.items[m->last].sample;
	m->groups.items[m->last].sample = number;
	m->groups.items[m->last].n++;
	return 0;
}

static void add_weight(struct pipa_weight *to, const struct pipa_weight *weight)
{
	to->weight += weight->weight;
	to->count += weight->count;
}

static int make_groups(struct making *m)
{
	const struct pipa_profile *p = m->top->profile;
	uint32_t i;
	int rc = 0;

	m->before = malloc(p->samples.n * sizeof(*m->before) + 1);
	if (!m->before)
		return -ENOMEM;
	for (i = 0; !rc && i < p->samples.n; i++) {
		const struct pipa_sample *s = &p->samples.items[i];

		add_weight(&m->top->all[s->event], &(struct pipa_weight){ s->weight, s->count });
		if (is_wanted(m, s->thread))
			rc = add_to_group(m, i);
	}
	for (i = 0; i < p->events.n; i++)
		if (p->events.items[i].unfiltered_count)
			m->top->all[i] =
				(struct pipa_weight){ p->events.items[i].unfiltered_weight,
						      p->events.items[i].unfiltered_count };
	return rc;
}

static int by_rows(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->rows != y->rows)
		return x->rows < y->rows ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* ---- rows --------------------------------------------------------------------------------------------- */

/* Return the row of a class in a group; PIPA_NONE on allocation failure. */
static uint32_t row_of(struct making *m, const struct group *group, uint32_t class,
		       uint32_t location)
{
	uint32_t key[PIPA_KEY_NR];

	if (m->row_of[class].rows != group->rows) {
		memcpy(key, group->key, sizeof(key));
		pipa_top_key_of_frame(m->top, &m->classes.items[class], key);
		m->row_of[class].rows = group->rows;
		m->row_of[class].number = pipa_top_row_add(m->top, key, location);
	}
	return m->row_of[class].number;
}

/* Add self weight to the row of the innermost frame, or to the row of samples without frames. */
static int add_self(struct making *m, const struct group *group, const struct pipa_sample *s,
		    uint32_t nowhere)
{
	const struct pipa_profile *p = m->top->profile;
	bool known = s->stack != PIPA_NONE;
	uint32_t class = known ? m->class_of[pipa_frame_innermost(&m->top->frames, s->stack)] :
				 nowhere;
	struct pipa_weight weight = { s->weight, s->count };
	uint32_t location = known ? p->stacks.items[s->stack].location : PIPA_NONE, row;

	if (class == PIPA_NONE)
		return 0;
	row = row_of(m, group, class, location);
	if (row == PIPA_NONE)
		return -ENOMEM;
	add_weight(&m->top->self[row * m->top->n_events + group->event], &weight);
	if (m->top->o.modes && known && p->locations.items[location].mode == PIPA_MODE_KERNEL)
		add_weight(&m->top->kernel[row * m->top->n_events + group->event], &weight);
	if (!known || !m->top->o.children)
		add_weight(&m->top->total[row * m->top->n_events + group->event], &weight);
	return 0;
}

/* Add the total of a stack to the row of a class. The row's location is the first one found. */
static int add_to_row(struct making *m, const struct group *group, uint32_t class, uint32_t stack)
{
	struct pipa_top *top = m->top;
	uint32_t row;

	if (class == PIPA_NONE)
		return 0;
	row = row_of(m, group, class, top->profile->stacks.items[stack].location);
	if (row == PIPA_NONE)
		return -ENOMEM;
	add_weight(&top->total[row * top->n_events + group->event], &m->spread.sums[stack]);
	return 0;
}

/* Add the total of a stack to the rows of its frames, except for those that recur further out. */
static int add_total(struct making *m, const struct group *group, uint32_t stack)
{
	const struct pipa_profile *p = m->top->profile;
	uint32_t place = p->stacks.items[stack].location;
	const struct pipa_location *location = &p->locations.items[place];
	size_t nth = pipa_recursion_first(&m->recursion, stack);
	uint32_t k = location->n_lines;
	int rc = 0;

	if (m->class_at[place] != SEVERAL)
		return m->recursion.again[nth] ? 0 :
						 add_to_row(m, group, m->class_at[place], stack);
	while (!rc && k--) /* callers first */
		if (!m->recursion.again[nth + k])
			rc = add_to_row(m, group, m->class_of[location->lines + k], stack);
	return rc;
}

static int fill_totals(struct making *m, const struct group *group)
{
	const struct pipa_profile *p = m->top->profile;
	uint32_t i;
	size_t k;
	int rc = 0;

	pipa_rollup_begin(&m->spread, group->n);
	for (i = group->sample; i != PIPA_NONE; i = m->before[i]) {
		const struct pipa_sample *s = &p->samples.items[i];

		if (s->stack != PIPA_NONE)
			pipa_rollup_add(&m->spread, s->stack,
					&(struct pipa_weight){ s->weight, s->count });
	}
	pipa_rollup_finish(&m->spread);
	for (k = 0; !rc && k < m->spread.n; k++)
		rc = add_total(m, group, m->spread.stacks[k]);
	pipa_rollup_reset(&m->spread);
	return rc;
}

/*
 * Fill the rows of a group: totals first, from the roots, so that rows of callers precede those of
 * callees.
 */
static int fill_group(struct making *m, const struct group *group, uint32_t nowhere)
{
	int rc = m->top->o.children ? fill_totals(m, group) : 0;
	uint32_t i;

	for (i = group->sample; !rc && i != PIPA_NONE; i = m->before[i])
		rc = add_self(m, group, &m->top->profile->samples.items[i], nowhere);
	return rc;
}

/* Samples without a stack have a row unless a frame is selected by name. */
static int fill_rows(struct making *m)
{
	const struct pipa_top_options *o = &m->top->o;
	struct pipa_frame none = row_fields(m->top, (struct pipa_frame){ PIPA_NONE, PIPA_NONE, 0 });
	bool some = o->objects || o->symbols || (o->one_object && o->object != PIPA_NONE);
	uint32_t nowhere = some ? PIPA_NONE : find_class(m, none);
	size_t i;
	int rc = 0;

	m->row_of = malloc(m->classes.n * sizeof(*m->row_of) + 1);
	if (!m->row_of)
		return -ENOMEM;
	memset(m->row_of, 0xff, m->classes.n * sizeof(*m->row_of));
	if (o->children)
		rc = pipa_rollup_init(&m->spread, m->top->profile);
	if (!rc && o->children)
		rc = pipa_recursion_find(&m->top->frames, m->class_of, m->classes.n, &m->recursion);
	if (m->groups.n)
		qsort(m->groups.items, m->groups.n, sizeof(*m->groups.items), by_rows);
	for (i = 0; !rc && i < m->groups.n; i++)
		rc = fill_group(m, &m->groups.items[i], nowhere);
	return rc;
}

/* Replace the sums of the profile by those of the rows. */
static void sum_rows(struct pipa_top *top)
{
	size_t i;

	memset(top->all, 0, top->n_events * sizeof(*top->all));
	for (i = 0; i < top->n * top->n_events; i++)
		add_weight(&top->all[i % top->n_events], &top->self[i]);
}

int pipa_top_make(const struct pipa_profile *profile, const struct pipa_top_options *options,
		  struct pipa_top *ret)
{
	PIPA_AUTO(pipa_top_done)
	struct pipa_top top = { .profile = profile, .o = *options, .n_events = profile->events.n };
	struct making m = { .top = &top, .last = PIPA_NONE };
	bool places = false;
	size_t i;
	int rc;

	for (i = 0; i < options->n_keys; i++)
		places |= options->keys[i] == PIPA_KEY_SRCLINE;
	rc = pipa_frames_make(profile, places, &top.frames);
	if (!rc)
		rc = pipa_top_find_labels(&top);
	top.all = calloc(top.n_events + 1, sizeof(*top.all));
	if (options->parent)
		top.parents = calloc(profile->samples.n + 1, sizeof(*top.parents));
	if (!rc)
		rc = top.all && (top.parents || !options->parent) ? choose_comms(&m) : -ENOMEM;
	if (!rc)
		rc = classify(&m);
	if (!rc)
		rc = make_groups(&m);
	if (!rc)
		rc = fill_rows(&m);
	if (!rc && options->relative)
		sum_rows(&top);
	if (!rc)
		rc = pipa_top_sort(&top);
	making_done(&m);
	if (rc < 0)
		return rc;
	*ret = top;
	top = (struct pipa_top){ 0 };
	return 0;
}
