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

const char *pipa_key_title(enum pipa_key key)
{
	return keys[key].title;
}

const char *pipa_object_short(const struct pipa_profile *p, uint32_t object)
{
	const char *path = object < p->objects.n ?
				   pipa_profile_string(p, p->objects.items[object].path) :
				   "[unknown]";
	const char *slash = path[0] == '[' ? NULL : strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *pipa_frame_name(const struct pipa_profile *p, uint32_t number, char buf[static 64])
{
	const struct pipa_location *location;

	if (number >= p->locations.n)
		return "[unknown]";
	location = &p->locations.items[number];
	if (location->n_lines) {
		uint32_t function = p->lines.items[location->lines].function;

		return pipa_profile_string(p, p->functions.items[function].name);
	}
	snprintf(buf, 64, "0x%016llx", (unsigned long long)location->offset);
	return buf;
}

char pipa_mode_letter(enum pipa_mode mode)
{
	static const char letters[] = {
		[PIPA_MODE_UNKNOWN] = '?',	[PIPA_MODE_KERNEL] = 'k',
		[PIPA_MODE_USER] = '.',		[PIPA_MODE_HYPERVISOR] = 'H',
		[PIPA_MODE_GUEST_KERNEL] = 'g', [PIPA_MODE_GUEST_USER] = 'u'
	};

	return letters[mode];
}

/* ---- what is asked for ----------------------------------------------------------------------------- */

/* A frame's part of a row's key; made once for each function of each location. */
struct frame {
	uint32_t object, symbol;
	bool shown;  /* by the filters for objects and symbols */
	bool parent; /* the expression for parents matches it */
};

/* While it is made. */
struct making {
	struct pipa_top *top;
	struct frame *frames; /* one for every line, then one for every location without any */
	bool *comms;	      /* by number of the thread: wanted? */
};

enum { NAMELESS = 1u << 31 }; /* a symbol that is the number of a location */

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

static void make_frame(const struct pipa_top *top, uint32_t object, uint32_t symbol,
		       const char *name, struct frame *ret)
{
	const struct pipa_top_options *o = &top->o;

	ret->object = object;
	ret->symbol = symbol;
	ret->shown = (!o->objects ||
		      is_listed(o->objects, pipa_object_short(top->profile, object)) ||
		      is_listed(o->objects,
				pipa_profile_string(top->profile,
						    top->profile->objects.items[object].path))) &&
		     (!o->symbols || is_listed(o->symbols, name));
	ret->parent = o->parent && regexec(o->parent, name, 0, NULL, 0) == 0;
}

/*
 * Objects are told apart by the name they are shown with: for each the number of the first one that is
 * called the same.
 */
static int find_firsts(const struct pipa_profile *p, uint32_t *firsts)
{
	struct pipa_strings names = { 0 };
	PIPA_AUTO(free) uint32_t *first_of = calloc(p->objects.n + 2, sizeof(*first_of));
	uint32_t i, name = 0;

	for (i = 0; first_of && i < p->objects.n; i++) {
		const char *text = pipa_object_short(p, i);
		size_t known = names.n;

		name = pipa_strings_add(&names, text, strlen(text));
		if (name == PIPA_NO_STRING)
			break;
		if (name >= known)
			first_of[name] = i;
		firsts[i] = first_of[name];
	}
	pipa_strings_done(&names);
	return first_of && name != PIPA_NO_STRING ? 0 : -ENOMEM;
}

static int make_frames(struct making *m)
{
	const struct pipa_profile *p = m->top->profile;
	PIPA_AUTO(free) uint32_t *firsts = calloc(p->objects.n + 1, sizeof(*firsts));
	uint32_t i, k;
	char buf[64];

	m->frames = calloc(p->lines.n + p->locations.n + 1, sizeof(*m->frames));
	if (!m->frames || !firsts || find_firsts(p, firsts) < 0)
		return -ENOMEM;
	for (i = 0; i < p->locations.n; i++) {
		const struct pipa_location *location = &p->locations.items[i];
		uint32_t object = firsts[location->object];

		for (k = location->lines; k < location->lines + location->n_lines; k++) {
			uint32_t name = p->functions.items[p->lines.items[k].function].name;

			make_frame(m->top, object, name, pipa_profile_string(p, name),
				   &m->frames[k]);
		}
		if (!location->n_lines)
			make_frame(m->top, object, i | NAMELESS, pipa_frame_name(p, i, buf),
				   &m->frames[p->lines.n + i]);
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

/* ---- rows ------------------------------------------------------------------------------------------ */

static void fill_key(const struct pipa_top *top, const struct pipa_sample *s,
		     const struct frame *frame, uint32_t parent, uint32_t *key)
{
	const struct pipa_thread *thread = &top->profile->threads.items[s->thread];
	size_t i;

	for (i = 0; i < top->o.n_keys; i++)
		switch (top->o.keys[i]) {
		case PIPA_KEY_COMM: key[i] = thread->comm; break;
		case PIPA_KEY_PID: key[i] = thread->pid; break;
		case PIPA_KEY_TID: key[i] = thread->tid; break;
		case PIPA_KEY_OBJECT: key[i] = frame ? frame->object : PIPA_NONE; break;
		case PIPA_KEY_SYMBOL: key[i] = frame ? frame->symbol : PIPA_NONE; break;
		case PIPA_KEY_CPU: key[i] = s->cpu; break;
		case PIPA_KEY_PARENT: key[i] = parent; break;
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

static uint32_t find_row(struct pipa_top *top, const uint32_t *key, uint32_t location)
{
	uint64_t hash = pipa_hash_bytes(key, top->o.n_keys * sizeof(*key), PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&top->index, hash);

	for (; slot->id; slot = pipa_index_after(&top->index, slot))
		if (slot->hash == (uint32_t)hash &&
		    memcmp(top->items[slot->id - 1].key, key, top->o.n_keys * sizeof(*key)) == 0)
			return slot->id - 1;
	return add_row(top, hash, key, location);
}

static void add_weight(struct pipa_weight *to, const struct pipa_sample *s)
{
	to->weight += s->weight;
	to->count += s->count;
}

/* The outermost caller that the expression matches, as a symbol. */
static uint32_t find_parent(const struct making *m, const struct pipa_sample *s)
{
	const struct pipa_profile *p = m->top->profile;
	uint32_t stack, i, found = PIPA_NONE;

	for (stack = s->stack; stack != PIPA_NONE; stack = p->stacks.items[stack].parent) {
		const struct pipa_location *at =
			&p->locations.items[p->stacks.items[stack].location];

		for (i = at->lines; i < at->lines + at->n_lines; i++)
			if (m->frames[i].parent)
				found = m->frames[i].symbol;
	}
	return found;
}

/* One frame of one sample: its row gets the sample's weight, in total once however often it is met. */
static int add_frame(struct making *m, uint32_t number, const struct frame *frame,
		     uint32_t location, uint32_t parent, bool innermost)
{
	struct pipa_top *top = m->top;
	const struct pipa_sample *s = &top->profile->samples.items[number];
	uint32_t key[PIPA_KEY_NR] = { 0 }, row;

	if (frame && !frame->shown)
		return 0;
	fill_key(top, s, frame, parent, key);
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
	const struct pipa_profile *p = m->top->profile;
	const struct pipa_sample *s = &p->samples.items[number];
	uint32_t parent = m->top->o.parent ? find_parent(m, s) : PIPA_NONE;
	uint32_t stack = s->stack, i;
	bool innermost = true;
	int rc = 0;

	if (stack == PIPA_NONE && !m->top->o.objects && !m->top->o.symbols)
		return add_frame(m, number, NULL, PIPA_NONE, parent, true);
	for (; !rc && stack != PIPA_NONE; stack = p->stacks.items[stack].parent) {
		uint32_t at = p->stacks.items[stack].location;
		const struct pipa_location *location = &p->locations.items[at];

		if (!location->n_lines)
			rc = add_frame(m, number, &m->frames[p->lines.n + at], at, parent,
				       innermost);
		for (i = 0; !rc && i < location->n_lines; i++) {
			rc = add_frame(m, number, &m->frames[location->lines + i], at, parent,
				       innermost);
			innermost = false;
			if (!m->top->o.children)
				return rc;
		}
		innermost = false;
		if (!m->top->o.children)
			break;
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
	*top = (struct pipa_top){ 0 };
}

int pipa_top_make(const struct pipa_profile *profile, const struct pipa_top_options *options,
		  struct pipa_top *ret)
{
	PIPA_AUTO(pipa_top_done)
	struct pipa_top top = { .profile = profile, .o = *options, .n_events = profile->events.n };
	struct making m = { .top = &top };
	uint32_t i;
	int rc = make_frames(&m);

	top.all = calloc(top.n_events + 1, sizeof(*top.all));
	if (!rc)
		rc = top.all ? choose_comms(&m) : -ENOMEM;
	for (i = 0; !rc && i < profile->samples.n; i++) {
		add_weight(&top.all[profile->samples.items[i].event], &profile->samples.items[i]);
		if (m.comms[profile->samples.items[i].thread])
			rc = add_sample(&m, i);
	}
	if (!rc)
		rc = sort_rows(&top);
	free(m.frames);
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
	case PIPA_KEY_COMM: return pipa_profile_string(p, key);
	case PIPA_KEY_OBJECT: return key == PIPA_NONE ? "[unknown]" : pipa_object_short(p, key);
	case PIPA_KEY_PARENT: return key == PIPA_NONE ? "[other]" : pipa_profile_string(p, key);
	case PIPA_KEY_SYMBOL:
		if (key == PIPA_NONE)
			return "[unknown]";
		return key & NAMELESS ? pipa_frame_name(p, key & ~NAMELESS, buf) :
					pipa_profile_string(p, key);
	case PIPA_KEY_PID:
	case PIPA_KEY_TID:
	case PIPA_KEY_CPU: snprintf(buf, 64, "%d", (int)key); return buf;
	case PIPA_KEY_NR: break;
	}
	return "";
}
