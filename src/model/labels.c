#include "model/labels.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/hash.h"
#include "model/profile.h"

static bool same_label(const struct pipa_label *a, const struct pipa_label *b)
{
	return a->key == b->key && a->kind == b->kind && a->text == b->text && a->unit == b->unit &&
	       a->number == b->number;
}

static uint32_t intern_label(struct pipa_profile *p, const struct pipa_label *label)
{
	uint64_t hash = pipa_hash_u64((uint64_t)label->key << 32 | label->text,
				      pipa_hash_u64((uint64_t)label->number,
						    (uint64_t)label->kind << 32 | label->unit));

	return PIPA_INTERN(&p->labels, hash, same_label, label);
}

/* Append the labels to label_members, sorted by key; equal keys keep their order. 0 or -1. */
static int append_members(struct pipa_profile *p, const struct pipa_label *labels, size_t n)
{
	size_t first = p->label_members.n, i, at;

	for (i = 0; i < n; i++) {
		uint32_t number = intern_label(p, &labels[i]);
		uint32_t *slot = number == PIPA_NONE ? NULL : PIPA_VEC_ADD(&p->label_members);
		const uint32_t *items = p->label_members.items;

		if (!slot)
			return -1;
		at = first + i;
		while (at > first && p->labels.items[items[at - 1]].key > labels[i].key)
			at--;
		memmove(&p->label_members.items[at + 1], &p->label_members.items[at],
			(first + i - at) * sizeof(*slot));
		p->label_members.items[at] = number;
	}
	return 0;
}

/* Intern the set of the last n members, which start at `first`. PIPA_NONE on allocation failure. */
static uint32_t intern_set(struct pipa_profile *p, uint32_t first, uint32_t n)
{
	const uint32_t *members = p->label_members.items + first;
	uint64_t hash = pipa_hash_bytes(members, n * sizeof(*members), PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&p->label_sets.index, hash);
	struct pipa_label_set *new;
	uint32_t number;

	for (; slot->id; slot = pipa_index_after(&p->label_sets.index, slot)) {
		const struct pipa_label_set *set = &p->label_sets.items[slot->id - 1];

		if (slot->hash == (uint32_t)hash && set->n == n &&
		    memcmp(p->label_members.items + set->first, members, n * sizeof(*members)) == 0)
			return slot->id - 1;
	}
	if (!p->label_sets.n && !PIPA_VEC_ADD(&p->label_sets)) /* the empty set */
		return PIPA_NONE;
	new = PIPA_VEC_ADD(&p->label_sets);
	if (!new)
		return PIPA_NONE;
	number = (uint32_t)p->label_sets.n - 1;
	*new = (struct pipa_label_set){ first, n };
	if (pipa_index_add(&p->label_sets.index, hash, number) == 0)
		return number;
	p->label_sets.n--;
	return PIPA_NONE;
}

uint32_t pipa_profile_label_set(struct pipa_profile *p, const struct pipa_label *labels, size_t n)
{
	size_t first = p->label_members.n, before = p->label_sets.n;
	uint32_t set;

	if (!n)
		return 0;
	if (n >= PIPA_NONE - 1 - first || before >= PIPA_NONE - 2)
		return PIPA_NONE;
	set = append_members(p, labels, n) < 0 ? PIPA_NONE :
						 intern_set(p, (uint32_t)first, (uint32_t)n);
	if (set == PIPA_NONE || set < before) /* known set: remove its members again */
		p->label_members.n = first;
	return set;
}

size_t pipa_label_set_size(const struct pipa_profile *p, uint32_t set)
{
	return set < p->label_sets.n ? p->label_sets.items[set].n : 0;
}

const struct pipa_label *pipa_label_set_get(const struct pipa_profile *p, uint32_t set, size_t i)
{
	return &p->labels.items[p->label_members.items[p->label_sets.items[set].first + i]];
}

const struct pipa_label *pipa_label_set_find(const struct pipa_profile *p, uint32_t set,
					     uint32_t key)
{
	size_t i, n = pipa_label_set_size(p, set);

	for (i = 0; i < n; i++)
		if (pipa_label_set_get(p, set, i)->key == key)
			return pipa_label_set_get(p, set, i);
	return NULL;
}

static uint32_t copy_string(struct pipa_profile *p, const struct pipa_profile *from,
			    uint32_t string)
{
	const struct pipa_string *text = &from->strings.items[string];

	return string ? pipa_strings_add(&p->strings, text->text, text->len) : 0;
}

uint32_t pipa_label_set_copy(struct pipa_profile *p, const struct pipa_profile *from, uint32_t set)
{
	size_t i, n = pipa_label_set_size(from, set);
	PIPA_AUTO(free) struct pipa_label *labels = n ? calloc(n, sizeof(*labels)) : NULL;

	if (!n)
		return 0;
	if (!labels)
		return PIPA_NONE;
	for (i = 0; i < n; i++) {
		labels[i] = *pipa_label_set_get(from, set, i);
		labels[i].key = copy_string(p, from, labels[i].key);
		labels[i].text = copy_string(p, from, labels[i].text);
		labels[i].unit = copy_string(p, from, labels[i].unit);
		if (labels[i].key == PIPA_NO_STRING || labels[i].text == PIPA_NO_STRING ||
		    labels[i].unit == PIPA_NO_STRING)
			return PIPA_NONE;
	}
	return pipa_profile_label_set(p, labels, n);
}

uint32_t pipa_label_set_join(struct pipa_profile *p, uint32_t a, uint32_t b)
{
	size_t i, n_a = pipa_label_set_size(p, a), n_b = pipa_label_set_size(p, b), n = 0;
	PIPA_AUTO(free) struct pipa_label *labels = NULL;

	if (!n_a || !n_b || a == b)
		return n_a ? a : b;
	labels = calloc(n_a + n_b, sizeof(*labels));
	if (!labels)
		return PIPA_NONE;
	for (i = 0; i < n_a; i++)
		labels[n++] = *pipa_label_set_get(p, a, i);
	for (i = 0; i < n_b; i++)
		if (!pipa_label_set_find(p, a, pipa_label_set_get(p, b, i)->key))
			labels[n++] = *pipa_label_set_get(p, b, i);
	return pipa_profile_label_set(p, labels, n);
}
