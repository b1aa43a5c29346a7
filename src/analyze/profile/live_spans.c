#include "analyze/profile/live_spans.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Smaller fractions of a sample are dropped, after five half-lives, so that the list stays bounded.
 */
static const double least = 1.0 / 32;

static void drop_span(struct pipa_profile *part)
{
	free(part->samples.items);
	free(part->events.items);
	*part = (struct pipa_profile){ 0 };
}

void pipa_live_spans_done(struct pipa_live_spans *spans)
{
	drop_span(&spans->last);
	drop_span(&spans->faded);
	free(spans->past);
	free(spans->last_origins);
	*spans = (struct pipa_live_spans){ 0 };
}

/* Make a profile without samples, with capacity for all. */
static int begin_span(struct pipa_profile *part, const struct pipa_profile *p)
{
	size_t i;

	drop_span(part);
	*part = *p;
	part->samples.n = 0;
	part->samples.items = malloc(p->samples.n * sizeof(*part->samples.items) + 1);
	part->events.items = calloc(p->events.n + 1, sizeof(*part->events.items));
	if (!part->samples.items || !part->events.items) {
		drop_span(part);
		return -ENOMEM;
	}
	for (i = 0; i < p->events.n; i++) {
		part->events.items[i] = p->events.items[i];
		part->events.items[i].weight = part->events.items[i].count = 0;
	}
	return 0;
}

static void add_sample(struct pipa_profile *part, const struct pipa_sample *sample)
{
	part->samples.items[part->samples.n++] = *sample;
	part->events.items[sample->event].weight += sample->weight;
	part->events.items[sample->event].count += sample->count;
}

static int grow_past(struct pipa_live_spans *spans, size_t n)
{
	struct pipa_live_past *past;
	uint32_t *origins;

	if (n <= spans->n)
		return 0;
	past = realloc(spans->past, n * sizeof(*past));
	if (!past)
		return -ENOMEM;
	spans->past = past;
	origins = realloc(spans->last_origins, n * sizeof(*origins));
	if (!origins)
		return -ENOMEM;
	spans->last_origins = origins;
	memset(past + spans->n, 0, (n - spans->n) * sizeof(*past));
	spans->n = n;
	return 0;
}

static bool has_grown(const struct pipa_live_spans *spans, const struct pipa_profile *p)
{
	size_t i;

	for (i = 0; i < p->samples.n; i++)
		if (p->samples.items[i].count != spans->past[i].count)
			return true;
	return false;
}

/* Round a value and carry the rounding error to the next one, so that the sum is right. */
static uint64_t round_with_carry(double value, double *carry)
{
	double rounded = floor(value + *carry + 0.5);

	rounded = rounded < 0 ? 0 : rounded;
	*carry += value - rounded;
	return (uint64_t)rounded;
}

int pipa_live_spans_make(struct pipa_live_spans *spans, const struct pipa_profile *p, uint64_t ns)
{
	double keep = exp2(-(double)ns / (PIPA_LIVE_HALF_LIFE_S * 1e9)), carry = 0;
	size_t i;

	if (grow_past(spans, p->samples.n) < 0 || begin_span(&spans->last, p) < 0 ||
	    begin_span(&spans->faded, p) < 0)
		return -ENOMEM;
	if (!has_grown(spans, p))
		keep = 1;
	for (i = 0; i < p->samples.n; i++) {
		struct pipa_live_past *past = &spans->past[i];
		struct pipa_sample s = p->samples.items[i];

		s.weight -= past->weight;
		s.count -= past->count;
		past->weight += s.weight;
		past->count += s.count;
		past->faded_weight = past->faded_weight * keep + (double)s.weight;
		past->faded_count = past->faded_count * keep + (double)s.count;
		if (s.count) {
			spans->last_origins[spans->last.samples.n] = (uint32_t)i;
			add_sample(&spans->last, &s);
		}
		if (past->faded_count < least)
			continue;
		s.weight = (uint64_t)llround(past->faded_weight);
		s.count = round_with_carry(past->faded_count, &carry);
		add_sample(&spans->faded, &s);
	}
	return 0;
}

static void keep_one(struct pipa_profile *part, const struct pipa_profile *p)
{
	struct pipa_profile kept = *p;

	memcpy(&kept.samples, &part->samples, sizeof(kept.samples));
	memcpy(&kept.events, &part->events, sizeof(kept.events));
	*part = kept;
}

bool pipa_live_spans_keep(struct pipa_live_spans *spans, const struct pipa_profile *profile)
{
	if (!spans->last.samples.items)
		return false;
	keep_one(&spans->last, profile);
	keep_one(&spans->faded, profile);
	return true;
}
