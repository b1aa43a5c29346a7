/*
 * Find objects that a later run has under another file name. An object that only the base has and one that only
 * the run has are the same program if functions of the same names have at least half of the samples of both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/diff.h"
#include "analyze/profile/diff_own.h"
#include "analyze/profile/top.h"
#include "base/auto.h"
#include "base/vec.h"

enum { COMMON_MIN = 2 }; /* functions; main() is in every program */

static int by_object_and_symbol(const void *a, const void *b)
{
	const struct pipa_diff_function *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/* List objects and functions with samples of the event, sorted; symbol 0 is all unresolved code of an object. */
static int list_functions(struct pipa_diff *d, const struct pipa_profile *p, uint32_t event,
			  struct pipa_diff_functions *ret)
{
	const struct pipa_top_options options = { .keys = { PIPA_KEY_OBJECT, PIPA_KEY_SYMBOL },
						  .n_keys = 2 };
	PIPA_AUTO(pipa_top_done) struct pipa_top top = { 0 };
	int rc = pipa_top_make(p, &options, &top);
	size_t i;

	for (i = 0; !rc && i < top.n; i++) {
		uint64_t weight = top.self[i * top.n_events + event].weight;
		const char *object = pipa_object_short(p, top.items[i].key[0]), *symbol = "";
		struct pipa_diff_function *slot;
		char buf[64];

		if (!weight)
			continue;
		if (top.items[i].key[1] != PIPA_NONE &&
		    !(top.items[i].key[1] & PIPA_FRAME_UNRESOLVED))
			symbol = pipa_frame_text(p, top.items[i].key[1], buf);
		slot = PIPA_VEC_ADD(ret);
		if (!slot)
			return -ENOMEM;
		slot->object = pipa_strings_add(&d->strings, object, strlen(object));
		slot->symbol = pipa_strings_add(&d->strings, symbol, strlen(symbol));
		slot->weight = weight;
		if (slot->object == PIPA_NO_STRING || slot->symbol == PIPA_NO_STRING)
			return -ENOMEM;
	}
	if (!rc && ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_object_and_symbol);
	return rc;
}

/* Return the number of functions of the object that begins at `from`. */
static size_t object_length(const struct pipa_diff_functions *functions, size_t from)
{
	size_t i = from;

	while (i < functions->n && functions->items[i].object == functions->items[from].object)
		i++;
	return i - from;
}

static bool has_object(const struct pipa_diff_functions *functions, uint32_t object)
{
	size_t i;

	for (i = 0; i < functions->n; i++)
		if (functions->items[i].object == object)
			return true;
	return false;
}

static double weight_of(const struct pipa_diff_function *functions, size_t n)
{
	double weight = 0;
	size_t i;

	for (i = 0; i < n; i++)
		weight += functions[i].symbol ? (double)functions[i].weight : 0;
	return weight;
}

/*
 * Return the share of functions that both objects have, by weight, 0 to 1: the smaller one of the two sides.
 * *ret_common is their number.
 */
static double agreement(const struct pipa_diff_function *a, size_t n_a,
			const struct pipa_diff_function *b, size_t n_b, size_t *ret_common)
{
	double all_a = weight_of(a, n_a), all_b = weight_of(b, n_b), both_a = 0, both_b = 0;
	size_t i = 0, k = 0;

	*ret_common = 0;
	while (i < n_a && k < n_b) {
		if (a[i].symbol != b[k].symbol) {
			if (a[i].symbol < b[k].symbol)
				i++;
			else
				k++;
			continue;
		}
		if (a[i].symbol) {
			both_a += (double)a[i].weight;
			both_b += (double)b[k].weight;
			++*ret_common;
		}
		i++;
		k++;
	}
	if (!(all_a > 0 && all_b > 0))
		return 0;
	return both_a / all_a < both_b / all_b ? both_a / all_a : both_b / all_b;
}

/* [kernel.kallsyms], [vdso] and [unknown] have the same name in all recordings. */
static bool is_file(const struct pipa_diff *d, uint32_t object)
{
	return pipa_diff_text(d, object)[0] != '[';
}

/* Find the object of the base that the functions from `at` on are of, and add a rename if there is one. */
static int match_object(struct pipa_diff *d, size_t run, const struct pipa_diff_functions *now,
			size_t at)
{
	const struct pipa_diff_functions *base = &d->functions;
	struct pipa_diff_rename best = { .run = run, .now = now->items[at].object };
	struct pipa_diff_rename *slot;
	double most = 0.5;
	size_t i, n, common;

	if (!is_file(d, best.now) || has_object(base, best.now))
		return 0;
	for (i = 0; i < base->n; i += n) {
		uint32_t object = base->items[i].object;
		double share;

		n = object_length(base, i);
		if (!is_file(d, object) || has_object(now, object))
			continue;
		share = agreement(&base->items[i], n, &now->items[at], object_length(now, at),
				  &common);
		if (common < COMMON_MIN || share < most || (best.common && !(share > most)))
			continue;
		most = share;
		best.base = object;
		best.common = common;
	}
	if (!best.common)
		return 0;
	slot = PIPA_VEC_ADD(&d->renames);
	if (!slot)
		return -ENOMEM;
	*slot = best;
	return 0;
}

int pipa_diff_find_renames(struct pipa_diff *d, size_t run, const struct pipa_profile *p,
			   uint32_t event)
{
	struct pipa_diff_functions now = { 0 };
	size_t i;
	int rc;

	if (!run)
		return list_functions(d, p, event, &d->functions);
	rc = list_functions(d, p, event, &now);
	for (i = 0; !rc && i < now.n; i += object_length(&now, i))
		rc = match_object(d, run, &now, i);
	free(now.items);
	return rc;
}

uint32_t pipa_diff_base_name(const struct pipa_diff *d, size_t run, uint32_t object)
{
	size_t i;

	for (i = 0; i < d->renames.n; i++)
		if (d->renames.items[i].run == run && d->renames.items[i].now == object)
			return d->renames.items[i].base;
	return object;
}

bool pipa_diff_same_object(const struct pipa_diff *d, size_t run, const char *base, const char *now)
{
	bool equal = strcmp(base, now) == 0;
	size_t i;

	for (i = 0; equal && i < d->functions.n; i++)
		if (strcmp(pipa_diff_text(d, d->functions.items[i].object), base) == 0)
			return true;
	for (i = 0; !equal && i < d->renames.n; i++)
		if (d->renames.items[i].run == run &&
		    strcmp(pipa_diff_text(d, d->renames.items[i].base), base) == 0 &&
		    strcmp(pipa_diff_text(d, d->renames.items[i].now), now) == 0)
			return true;
	return false;
}
