#include "analyze/profile/top.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/top_rows.h"
#include "base/auto.h"
#include "base/buf.h"
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

	for (key = 0; key < PIPA_KEY_LABEL; key++)
		if ((strlen(keys[key].name) == len && memcmp(keys[key].name, name, len) == 0) ||
		    (strlen(keys[key].alias) == len && memcmp(keys[key].alias, name, len) == 0))
			return key;
	return PIPA_KEY_NR;
}

static bool is_label(enum pipa_key key)
{
	return key >= PIPA_KEY_LABEL && key <= PIPA_KEY_LABEL_LAST;
}

const char *pipa_key_name(const struct pipa_top_options *o, enum pipa_key key)
{
	return is_label(key) ? o->labels[key - PIPA_KEY_LABEL] : keys[key].name;
}

const char *pipa_key_title(const struct pipa_top_options *o, enum pipa_key key)
{
	return is_label(key) ? o->labels[key - PIPA_KEY_LABEL] : keys[key].title;
}

enum pipa_key pipa_top_label_key(struct pipa_top_options *o, const char *name, size_t len)
{
	static const enum pipa_key fields[] = { PIPA_KEY_COMM, PIPA_KEY_PID, PIPA_KEY_TID,
						PIPA_KEY_CPU };
	static const char prefix[] = "label:";
	size_t i;

	if (len <= strlen(prefix) || len >= PIPA_TOP_LABEL_LEN ||
	    memcmp(name, prefix, strlen(prefix)) != 0)
		return PIPA_KEY_NR;
	for (i = 0; i < PIPA_COUNT(fields); i++)
		if (strlen(keys[fields[i]].name) == len - strlen(prefix) &&
		    memcmp(keys[fields[i]].name, name + strlen(prefix), len - strlen(prefix)) == 0)
			return fields[i];
	for (i = 0; i < PIPA_TOP_LABELS_MAX; i++) {
		if (o->labels[i][0] &&
		    (strlen(o->labels[i]) != len || memcmp(o->labels[i], name, len) != 0))
			continue;
		memcpy(o->labels[i], name, len);
		o->labels[i][len] = '\0';
		return (enum pipa_key)(PIPA_KEY_LABEL + i);
	}
	return PIPA_KEY_NR;
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
		default: key[i] = top->labels[top->o.keys[i] - PIPA_KEY_LABEL][s->labels]; break;
		}
}

/* Return the values of a label as one string, comma-separated; 0 if there is none. */
static uint32_t join_values(struct pipa_top *top, uint32_t set, const char *name)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const struct pipa_profile *p = top->profile;
	size_t i, n = pipa_label_set_size(p, set);

	for (i = 0; i < n; i++) {
		const struct pipa_label *label = pipa_label_set_get(p, set, i);

		if (strcmp(pipa_profile_string(p, label->key), name) != 0)
			continue;
		if (text.len)
			pipa_buf_putc(&text, ',');
		switch (label->kind) {
		case PIPA_LABEL_TEXT:
			pipa_buf_puts(&text, pipa_profile_string(p, label->text));
			break;
		case PIPA_LABEL_NUMBER: pipa_buf_printf(&text, "%" PRId64, label->number); break;
		case PIPA_LABEL_BOOL: pipa_buf_puts(&text, label->number ? "true" : "false"); break;
		case PIPA_LABEL_DOUBLE:
			pipa_buf_printf(&text, "%g", pipa_label_double(label));
			break;
		case PIPA_LABEL_BYTES:
		case PIPA_LABEL_OTLP: pipa_buf_puts(&text, "[binary]"); break;
		}
		if (label->unit)
			pipa_buf_printf(&text, " %s", pipa_profile_string(p, label->unit));
	}
	if (text.status)
		return PIPA_NO_STRING;
	return text.len ? pipa_strings_add(&top->label_texts, text.data, text.len) : 0;
}

int pipa_top_find_labels(struct pipa_top *top)
{
	size_t n = top->profile->label_sets.n, i;
	uint32_t set;

	if (pipa_strings_add(&top->label_texts, "", 0) == PIPA_NO_STRING)
		return -ENOMEM;
	for (i = 0; i < PIPA_TOP_LABELS_MAX; i++) {
		if (!top->o.labels[i][0])
			continue;
		top->labels[i] = calloc(n + 1, sizeof(*top->labels[i]));
		if (!top->labels[i])
			return -ENOMEM;
		for (set = 1; set < n; set++) {
			top->labels[i][set] = join_values(top, set,
							  top->o.labels[i] + strlen("label:"));
			if (top->labels[i][set] == PIPA_NO_STRING)
				return -ENOMEM;
		}
	}
	return 0;
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
	default: return key ? pipa_strings_get(&top->label_texts, key) : "-";
	}
	return "";
}

void pipa_top_done(struct pipa_top *top)
{
	size_t i;

	free(top->items);
	free(top->self);
	free(top->total);
	free(top->kernel);
	free(top->all);
	pipa_index_done(&top->index);
	pipa_frames_done(&top->frames);
	free(top->parents);
	for (i = 0; i < PIPA_TOP_LABELS_MAX; i++)
		free(top->labels[i]);
	pipa_strings_done(&top->label_texts);
	*top = (struct pipa_top){ 0 };
}
