#include "analyze/profile/top.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/top_rows.h"
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
	[PIPA_KEY_SRCLINE] = { "srcline", "srcline", "Source:Line" },
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

/* ---- rows ------------------------------------------------------------------------------------------ */

void pipa_top_key_of_sample(const struct pipa_top *top, uint32_t sample, uint32_t *key)
{
	const struct pipa_sample *s = &top->profile->samples.items[sample];
	static const struct pipa_thread nobody = { .pid = PIPA_NONE,
						   .tid = PIPA_NONE,
						   .comm = PIPA_NONE };
	const struct pipa_thread *thread = s->thread == PIPA_NONE ?
						   &nobody :
						   &top->profile->threads.items[s->thread];
	size_t i;

	for (i = 0; i < top->o.n_keys; i++)
		switch (top->o.keys[i]) {
		case PIPA_KEY_COMM: key[i] = thread->comm; break;
		case PIPA_KEY_PID: key[i] = thread->pid; break;
		case PIPA_KEY_TID: key[i] = thread->tid; break;
		case PIPA_KEY_CPU: key[i] = s->cpu; break;
		case PIPA_KEY_EVENT: key[i] = s->event; break;
		case PIPA_KEY_PARENT:
			key[i] = top->parents ? top->parents[sample] : PIPA_NONE;
			break;
		case PIPA_KEY_OBJECT:
		case PIPA_KEY_SYMBOL:
		case PIPA_KEY_SRCLINE:
		case PIPA_KEY_NR: break;
		}
}

void pipa_top_key_of_frame(const struct pipa_top *top, const struct pipa_frame *frame,
			   uint32_t *key)
{
	size_t i;

	for (i = 0; i < top->o.n_keys; i++)
		if (top->o.keys[i] == PIPA_KEY_OBJECT)
			key[i] = frame->object;
		else if (top->o.keys[i] == PIPA_KEY_SYMBOL)
			key[i] = frame->symbol;
		else if (top->o.keys[i] == PIPA_KEY_SRCLINE)
			key[i] = frame->place;
}

uint32_t pipa_top_row_add(struct pipa_top *top, const uint32_t *key, uint32_t location)
{
	size_t cap = top->cap;
	struct pipa_top_row *row = PIPA_VEC_ADD(top);
	struct pipa_weight **const tables[] = { &top->self, &top->total, &top->kernel };
	size_t n_tables = top->o.modes ? 3 : 2, width = top->n_events * sizeof(*top->self), i;
	void *larger;

	if (!row)
		return PIPA_NONE;
	memcpy(row->key, key, sizeof(row->key));
	row->location = location;
	for (i = 0; i < n_tables; i++) {
		larger = top->cap != cap ? realloc(*tables[i], top->cap * width) : *tables[i];
		if (!larger)
			return PIPA_NONE;
		*tables[i] = larger;
		memset(*tables[i] + (top->n - 1) * top->n_events, 0, width);
	}
	return (uint32_t)top->n - 1;
}

static uint64_t hash_key(const struct pipa_top *top, const uint32_t *key)
{
	return pipa_hash_bytes(key, top->o.n_keys * sizeof(*key), PIPA_HASH_SEED);
}

static uint32_t find_row(const struct pipa_top *top, uint64_t hash, const uint32_t *key)
{
	const struct pipa_index_slot *slot = pipa_index_start(&top->index, hash);

	for (; slot->id; slot = pipa_index_after(&top->index, slot))
		if (slot->hash == (uint32_t)hash &&
		    memcmp(top->items[slot->id - 1].key, key, top->o.n_keys * sizeof(*key)) == 0)
			return slot->id - 1;
	return PIPA_NONE;
}

uint32_t pipa_top_find(const struct pipa_top *top, uint32_t sample, uint32_t frame)
{
	uint32_t key[PIPA_KEY_NR] = { 0 };

	pipa_top_key_of_sample(top, sample, key);
	pipa_top_key_of_frame(top, &top->frames.items[frame], key);
	return find_row(top, hash_key(top, key), key);
}

bool pipa_top_has_key(const struct pipa_top_options *o, enum pipa_key key)
{
	size_t i;

	for (i = 0; i < o->n_keys; i++)
		if (o->keys[i] == key)
			return true;
	return false;
}

bool pipa_top_is_of_row(const struct pipa_top *top, uint32_t sample, const struct pipa_top_row *row)
{
	uint32_t key[PIPA_KEY_NR];

	memcpy(key, row->key, sizeof(key));
	pipa_top_key_of_sample(top, sample, key);
	return memcmp(key, row->key, top->o.n_keys * sizeof(*key)) == 0;
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

	if (top->o.children && !top->o.by_self)
		order = compare_weights(&top->total[a], &top->total[b], top->n_events);
	else
		order = compare_weights(&top->self[a], &top->self[b], top->n_events);
	if (!order) /* as they came: callers first */
		order = a < b ? -1 : a > b;
	return order;
}

/* Put one table of weights in the order of the numbers. */
static int reorder_weights(const struct pipa_top *top, struct pipa_weight **table,
			   const uint32_t *numbers)
{
	size_t n = top->n_events, i;
	struct pipa_weight *ordered = malloc(top->cap * n * sizeof(*ordered) + 1);

	if (!ordered)
		return -ENOMEM;
	for (i = 0; i < top->n; i++)
		memcpy(&ordered[i * n], &(*table)[numbers[i] * n], n * sizeof(*ordered));
	free(*table);
	*table = ordered;
	return 0;
}

/* Put rows and their weights in the order of the numbers. */
static int reorder(struct pipa_top *top, const uint32_t *numbers)
{
	size_t i;
	struct pipa_top_row *rows = malloc(top->cap * sizeof(*rows) + 1);

	if (!rows)
		return -ENOMEM;
	for (i = 0; i < top->n; i++)
		rows[i] = top->items[numbers[i]];
	free(top->items);
	top->items = rows;
	if (reorder_weights(top, &top->self, numbers) < 0 ||
	    reorder_weights(top, &top->total, numbers) < 0 ||
	    (top->o.modes && reorder_weights(top, &top->kernel, numbers) < 0))
		return -ENOMEM;
	for (i = 0; i < top->n; i++)
		if (pipa_index_add(&top->index, hash_key(top, rows[i].key), (uint32_t)i) < 0)
			return -ENOMEM;
	return 0;
}

int pipa_top_sort(struct pipa_top *top)
{
	PIPA_AUTO(free) uint32_t *numbers = malloc(top->n * sizeof(*numbers) + 1);
	size_t i;

	if (!numbers)
		return -ENOMEM;
	for (i = 0; i < top->n; i++)
		numbers[i] = (uint32_t)i;
	qsort_r(numbers, top->n, sizeof(*numbers), by_weight, top);
	return reorder(top, numbers);
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
	case PIPA_KEY_SRCLINE:
		return key && key != PIPA_NONE ? pipa_strings_get(&top->frames.places, key) :
						 "[unknown]";
	case PIPA_KEY_PID:
	case PIPA_KEY_TID:
	case PIPA_KEY_CPU: snprintf(buf, 64, "%d", (int)key); return buf;
	case PIPA_KEY_NR: break;
	}
	return "";
}

void pipa_top_done(struct pipa_top *top)
{
	free(top->items);
	free(top->self);
	free(top->total);
	free(top->kernel);
	free(top->all);
	pipa_index_done(&top->index);
	pipa_frames_done(&top->frames);
	free(top->parents);
	*top = (struct pipa_top){ 0 };
}
