#include "analyze/top.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/hash.h"
#include "base/vec.h"

/* ---- names ---------------------------------------------------------------------------------------- */

static const struct {
	const char *name, *alias, *title;
} keys[PIPA_KEY_NR] = {
	[PIPA_KEY_COMM] = { "comm", "command", "Command" },
	[PIPA_KEY_PID] = { "pid", "process", "Pid" },
	[PIPA_KEY_TID] = { "tid", "thread", "Tid" },
	[PIPA_KEY_OBJECT] = { "dso", "object", "Shared Object" },
	[PIPA_KEY_SYMBOL] = { "symbol", "sym", "Symbol" },
	[PIPA_KEY_CPU] = { "cpu", "cpu", "CPU" },
	[PIPA_KEY_EVENT] = { "event", "event", "Event" },
	[PIPA_KEY_PARENT] = { "parent", "parent", "Parent symbol" },
};

enum pipa_key pipa_key_find(const char *name, size_t len)
{
	enum pipa_key key;

	for (key = 0; key < PIPA_KEY_NR; key++)
		if ((strlen(keys[key].name) == len && memcmp(keys[key].name, name, len) == 0) ||
		    (strlen(keys[key].alias) == len && memcmp(keys[key].alias, name, len) == 0))
			break;
	return key;
}

const char *pipa_key_name(enum pipa_key key)
{
	return keys[key].name;
}

const char *pipa_key_title(enum pipa_key key)
{
	return keys[key].title;
}

/* ---- what is asked for ----------------------------------------------------------------------------- */

/* While it is made. */
struct making {
	struct pipa_top *top;
	bool *shown;   /* by number of the frame: wanted? */
	bool *parents; /* by number of the frame: the expression for parents matches it */
	bool *comms;   /* by number of the thread: wanted? */
};

static bool is_listed(const char *list, const char *name)
{
	size_t len, n = strlen(name);

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len == n && memcmp(list, name, n) == 0)
			return true;
	}
	return false;
}

static bool is_shown(const struct pipa_top *top, const struct pipa_frame *frame, const char *name)
{
	const struct pipa_profile *p = top->profile;

	if (top->o.symbols && !is_listed(top->o.symbols, name))
		return false;
	return !top->o.objects || is_listed(top->o.objects, pipa_object_short(p, frame->object)) ||
	       (frame->object < p->objects.n &&
		is_listed(top->o.objects,
			  pipa_profile_string(p, p->objects.items[frame->object].path)));
}

static int choose_frames(struct making *m)
{
	const struct pipa_frames *frames = &m->top->frames;
	char buf[64];
	size_t i;

	m->shown = calloc(frames->n + 1, sizeof(*m->shown));
	m->parents = calloc(frames->n + 1, sizeof(*m->parents));
	if (!m->shown || !m->parents)
		return -ENOMEM;
	for (i = 0; i < frames->n; i++) {
		const struct pipa_frame *frame = &frames->items[i];
		const char *name = pipa_frame_text(frames->profile, frame->symbol, buf);

		m->shown[i] = is_shown(m->top, frame, name);
		m->parents[i] = m->top->o.parent &&
				regexec(m->top->o.parent, name, 0, NULL, 0) == 0;
	}
	return 0;
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
			      is_listed(m->top->o.comms,
					pipa_profile_string(p, p->threads.items[i].comm));
	return 0;
}

/* Folded stacks do not tell whose they are: then only who asks for none gets them. */
static bool is_wanted(const struct making *m, uint32_t thread)
{
	return thread == PIPA_NONE ? !m->top->o.comms : m->comms[thread];
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static void fill_key(const struct pipa_top *top, uint32_t sample, const struct pipa_frame *frame,
		     uint32_t *key)
{
	const struct pipa_sample *s = &top->profile->samples.items[sample];
	static const struct pipa_thread nobody = { PIPA_NONE, PIPA_NONE, PIPA_NONE };
	const struct pipa_thread *thread = s->thread == PIPA_NONE ?
						   &nobody :
						   &top->profile->threads.items[s->thread];
	size_t i;

	for (i = 0; i < top->o.n_keys; i++)
		switch (top->o.keys[i]) {
		case PIPA_KEY_COMM: key[i] = thread->comm; break;
		case PIPA_KEY_PID: key[i] = thread->pid; break;
		case PIPA_KEY_TID: key[i] = thread->tid; break;
		case PIPA_KEY_OBJECT: key[i] = frame ? frame->object : PIPA_NONE; break;
		case PIPA_KEY_SYMBOL: key[i] = frame ? frame->symbol : PIPA_NONE; break;
		case PIPA_KEY_CPU: key[i] = s->cpu; break;
		case PIPA_KEY_EVENT: key[i] = s->event; break;
		case PIPA_KEY_PARENT:
			key[i] = top->parents ? top->parents[sample] : PIPA_NONE;
			break;
		case PIPA_KEY_NR: break;
		}
}

static uint32_t add_row(struct pipa_top *top, uint64_t hash, const uint32_t *key, uint32_t location)
{
	size_t cap = top->cap;
	struct pipa_top_row *row = PIPA_VEC_ADD(top);
	void *self, *total;

	if (!row)
		return PIPA_NONE;
	memcpy(row->key, key, sizeof(row->key));
	row->location = location;
	row->mark = PIPA_NONE;
	if (top->cap != cap) {
		self = realloc(top->self, top->cap * top->n_events * sizeof(*top->self));
		top->self = self ? self : top->self;
		total = realloc(top->total, top->cap * top->n_events * sizeof(*top->total));
		top->total = total ? total : top->total;
		if (!self || !total)
			return PIPA_NONE;
	}
	memset(&top->self[(top->n - 1) * top->n_events], 0, top->n_events * sizeof(*top->self));
	memset(&top->total[(top->n - 1) * top->n_events], 0, top->n_events * sizeof(*top->total));
	return pipa_index_add(&top->index, hash, (uint32_t)top->n - 1) < 0 ? PIPA_NONE :
									     (uint32_t)top->n - 1;
}

static uint64_t hash_key(const struct pipa_top *top, const uint32_t *key)
{
	return pipa_hash_bytes(key, top->o.n_keys * sizeof(*key), PIPA_HASH_SEED);
}

static uint32_t look_up(const struct pipa_top *top, uint64_t hash, const uint32_t *key)
{
	const struct pipa_index_slot *slot = pipa_index_start(&top->index, hash);

	for (; slot->id; slot = pipa_index_after(&top->index, slot))
		if (slot->hash == (uint32_t)hash &&
		    memcmp(top->items[slot->id - 1].key, key, top->o.n_keys * sizeof(*key)) == 0)
			return slot->id - 1;
	return PIPA_NONE;
}

static uint32_t find_row(struct pipa_top *top, const uint32_t *key, uint32_t location)
{
	uint64_t hash = hash_key(top, key);
	uint32_t row = look_up(top, hash, key);

	return row == PIPA_NONE ? add_row(top, hash, key, location) : row;
}

uint32_t pipa_top_find(const struct pipa_top *top, uint32_t sample, uint32_t frame)
{
	uint32_t key[PIPA_KEY_NR] = { 0 };

	fill_key(top, sample, &top->frames.items[frame], key);
	return look_up(top, hash_key(top, key), key);
}

static void add_weight(struct pipa_weight *to, const struct pipa_sample *s)
{
	to->weight += s->weight;
	to->count += s->count;
}

/* The outermost caller that the expression matches, as a symbol. */
static uint32_t find_parent(const struct making *m, uint32_t stack)
{
	struct pipa_frame_walk walk = { .frames = &m->top->frames, .stack = stack };
	uint32_t found = PIPA_NONE;

	while (pipa_frame_walk_next(&walk))
		if (m->parents[walk.frame])
			found = m->top->frames.items[walk.frame].symbol;
	return found;
}

/* One frame of one sample: its row gets the sample's weight, in total once however often it is met. */
static int add_frame(struct pipa_top *top, uint32_t number, const struct pipa_frame *frame,
		     uint32_t location, bool innermost)
{
	const struct pipa_sample *s = &top->profile->samples.items[number];
	uint32_t key[PIPA_KEY_NR] = { 0 }, row;

	fill_key(top, number, frame, key);
	row = find_row(top, key, location);
	if (row == PIPA_NONE)
		return -ENOMEM;
	if (innermost)
		add_weight(&top->self[row * top->n_events + s->event], s);
	if (top->items[row].mark != number)
		add_weight(&top->total[row * top->n_events + s->event], s);
	top->items[row].mark = number;
	return 0;
}

static int add_sample(struct making *m, uint32_t number)
{
	struct pipa_top *top = m->top;
	const struct pipa_sample *s = &top->profile->samples.items[number];
	struct pipa_frame_walk walk = { .frames = &top->frames, .stack = s->stack };
	bool innermost = true;
	int rc = 0;

	if (top->parents)
		top->parents[number] = find_parent(m, s->stack);
	if (s->stack == PIPA_NONE && !top->o.objects && !top->o.symbols)
		return add_frame(top, number, NULL, PIPA_NONE, true);
	while (!rc && (innermost || top->o.children) && pipa_frame_walk_next(&walk)) {
		if (m->shown[walk.frame])
			rc = add_frame(top, number, &top->frames.items[walk.frame], walk.location,
				       innermost);
		innermost = false;
	}
	return rc;
}

/* ---- order ----------------------------------------------------------------------------------------- */

static int compare_weights(const struct pipa_weight *a, const struct pipa_weight *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (a[i].weight != b[i].weight)
			return a[i].weight > b[i].weight ? -1 : 1;
	return 0;
}

static int by_weight(const void *x, const void *y, void *ctx)
{
	const struct pipa_top *top = ctx;
	size_t a = *(const uint32_t *)x * top->n_events, b = *(const uint32_t *)y * top->n_events;
	int order = 0;

	if (top->o.children)
		order = compare_weights(&top->total[a], &top->total[b], top->n_events);
	if (!order)
		order = compare_weights(&top->self[a], &top->self[b], top->n_events);
	if (!order) /* the same everywhere: as they came */
		order = a < b ? -1 : a > b;
	return order;
}

/* Rows and their weights in the order of the numbers. */
static int reorder(struct pipa_top *top, const uint32_t *numbers)
{
	size_t width = top->n_events * sizeof(*top->self), i;
	struct pipa_top_row *rows = malloc(top->cap * sizeof(*rows) + 1);
	struct pipa_weight *self = malloc(top->cap * width + 1);
	struct pipa_weight *total = malloc(top->cap * width + 1);

	if (!rows || !self || !total) {
		free(rows);
		free(self);
		free(total);
		return -ENOMEM;
	}
	for (i = 0; i < top->n; i++) {
		rows[i] = top->items[numbers[i]];
		memcpy(&self[i * top->n_events], &top->self[numbers[i] * top->n_events], width);
		memcpy(&total[i * top->n_events], &top->total[numbers[i] * top->n_events], width);
	}
	free(top->items);
	free(top->self);
	free(top->total);
	top->items = rows;
	top->self = self;
	top->total = total;
	pipa_index_done(&top->index);
	for (i = 0; i < top->n; i++)
		if (pipa_index_add(&top->index, hash_key(top, rows[i].key), (uint32_t)i) < 0)
			return -ENOMEM;
	return 0;
}

static int sort_rows(struct pipa_top *top)
{
	PIPA_AUTO(free) uint32_t *numbers = malloc(top->n * sizeof(*numbers) + 1);
	size_t i;

	if (!numbers)
		return -ENOMEM;
	for (i = 0; i < top->n; i++)
		numbers[i] = (uint32_t)i;
	qsort_r(numbers, top->n, sizeof(*numbers), by_weight, top);
	pipa_index_done(
		&top->index); /* its numbers are of the old order, and nobody asks any more */
	return reorder(top, numbers);
}

void pipa_top_done(struct pipa_top *top)
{
	free(top->items);
	free(top->self);
	free(top->total);
	free(top->all);
	pipa_index_done(&top->index);
	pipa_frames_done(&top->frames);
	free(top->parents);
	*top = (struct pipa_top){ 0 };
}

int pipa_top_make(const struct pipa_profile *profile, const struct pipa_top_options *options,
		  struct pipa_top *ret)
{
	PIPA_AUTO(pipa_top_done)
	struct pipa_top top = { .profile = profile, .o = *options, .n_events = profile->events.n };
	struct making m = { .top = &top };
	uint32_t i;
	int rc = pipa_frames_make(profile, &top.frames);

	top.all = calloc(top.n_events + 1, sizeof(*top.all));
	if (options->parent)
		top.parents = calloc(profile->samples.n + 1, sizeof(*top.parents));
	if (!rc)
		rc = choose_frames(&m);
	if (!rc)
		rc = top.all && (top.parents || !options->parent) ? choose_comms(&m) : -ENOMEM;
	for (i = 0; !rc && i < profile->samples.n; i++) {
		add_weight(&top.all[profile->samples.items[i].event], &profile->samples.items[i]);
		if (is_wanted(&m, profile->samples.items[i].thread))
			rc = add_sample(&m, i);
	}
	if (!rc)
		rc = sort_rows(&top);
	free(m.shown);
	free(m.parents);
	free(m.comms);
	if (rc < 0)
		return rc;
	*ret = top;
	top = (struct pipa_top){ 0 };
	return 0;
}

const char *pipa_top_text(const struct pipa_top *top, const struct pipa_top_row *row, size_t i,
			  char buf[static 64])
{
	const struct pipa_profile *p = top->profile;
	uint32_t key = row->key[i];

	switch (top->o.keys[i]) {
	case PIPA_KEY_COMM: return key == PIPA_NONE ? "-" : pipa_profile_string(p, key);
	case PIPA_KEY_OBJECT: return pipa_object_short(p, key);
	case PIPA_KEY_EVENT: return pipa_profile_string(p, p->events.items[key].name);
	case PIPA_KEY_PARENT: return key == PIPA_NONE ? "[other]" : pipa_profile_string(p, key);
	case PIPA_KEY_SYMBOL: return pipa_frame_text(p, key, buf);
	case PIPA_KEY_PID:
	case PIPA_KEY_TID:
	case PIPA_KEY_CPU: snprintf(buf, 64, "%d", (int)key); return buf;
	case PIPA_KEY_NR: break;
	}
	return "";
}
