#include "analyze/profile/hot.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t first_event(const struct pipa_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->events.n; i++)
		if (p->events.items[i].count)
			return i;
	return PIPA_NONE;
}

/* Return the function that contains the code: the outermost of its lines. */
static uint32_t function_of(const struct pipa_profile *p, const struct pipa_location *location)
{
	if (!location->n_lines)
		return PIPA_NONE;
	return p->lines.items[location->lines + location->n_lines - 1].function;
}

/* Add the samples to one entry per location; those without weight are dropped later. */
static void sum_samples(const struct pipa_profile *p, struct pipa_hot *hot)
{
	size_t i;

	for (i = 0; i < p->locations.n; i++) {
		const struct pipa_location *location = &p->locations.items[i];

		hot->places[i].location = (uint32_t)i;
		hot->places[i].start = location->offset -
				       (location->n_lines ? location->symbol_offset : 0);
	}
	for (i = 0; i < p->samples.n; i++) {
		const struct pipa_sample *sample = &p->samples.items[i];
		struct pipa_hot_place *place;

		if (sample->event != hot->event)
			continue;
		hot->weight += sample->weight;
		hot->count += sample->count;
		if (sample->stack == PIPA_NONE)
			continue;
		place = &hot->places[p->stacks.items[sample->stack].location];
		place->weight += sample->weight;
		place->count += sample->count;
	}
}

static int by_symbol(const void *a, const void *b, void *ctx)
{
	const struct pipa_profile *p = *(const struct pipa_profile *const *)ctx;
	const struct pipa_hot_place *x = a, *y = b;
	const struct pipa_location *at = &p->locations.items[x->location];
	const struct pipa_location *other = &p->locations.items[y->location];

	if (at->object != other->object)
		return at->object < other->object ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return at->offset < other->offset ? -1 : at->offset > other->offset;
}

static int by_weight(const void *a, const void *b)
{
	const struct pipa_hot_symbol *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->places < y->places ? -1 : x->places > y->places;
}

/* Merge sorted entries of one function. */
static void merge_by_function(const struct pipa_profile *p, struct pipa_hot *hot)
{
	struct pipa_hot_symbol *symbol = NULL;
	size_t i;

	for (i = 0; i < hot->n_places; i++) {
		const struct pipa_hot_place *place = &hot->places[i];
		const struct pipa_location *at = &p->locations.items[place->location];

		if (!symbol || symbol->object != at->object || symbol->start != place->start) {
			symbol = &hot->symbols[hot->n_symbols++];
			*symbol = (struct pipa_hot_symbol){ .object = at->object,
							    .function = function_of(p, at),
							    .start = place->start,
							    .places = i };
		}
		symbol->weight += place->weight;
		symbol->count += place->count;
		symbol->n++;
	}
}

int pipa_hot_make(const struct pipa_profile *p, uint32_t event, struct pipa_hot *ret)
{
	struct pipa_hot hot = { .event = event == PIPA_NONE ? first_event(p) : event };
	size_t i;

	hot.places = calloc(p->locations.n + 1, sizeof(*hot.places));
	hot.symbols = calloc(p->locations.n + 1, sizeof(*hot.symbols));
	if (!hot.places || !hot.symbols) {
		pipa_hot_done(&hot);
		return -ENOMEM;
	}
	sum_samples(p, &hot);
	for (i = 0; i < p->locations.n; i++)
		if (hot.places[i].count)
			hot.places[hot.n_places++] = hot.places[i];
	qsort_r(hot.places, hot.n_places, sizeof(*hot.places), by_symbol, &p);
	merge_by_function(p, &hot);
	qsort(hot.symbols, hot.n_symbols, sizeof(*hot.symbols), by_weight);
	*ret = hot;
	return 0;
}

void pipa_hot_done(struct pipa_hot *hot)
{
	free(hot->places);
	free(hot->symbols);
	*hot = (struct pipa_hot){ 0 };
}
