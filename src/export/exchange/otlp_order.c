/* Sort the samples of OTLP profiles, and join those that are one Sample. */
#include "export/exchange/otlp_own.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "base/auto.h"
#include "model/timeline.h"

/* Compare the properties that samples of one event and process must share to be one Sample. */
static int compare_keys(const struct pipa_otlp_writer *w, const struct pipa_sample *a,
			const struct pipa_sample *b)
{
	uint32_t x = pipa_otlp_same_stack(&w->tables, a->stack);
	uint32_t y = pipa_otlp_same_stack(&w->tables, b->stack);

	if (x != y)
		return x < y ? -1 : 1;
	if (!w->format->no_threads && a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->labels < b->labels ? -1 : a->labels > b->labels;
}

static int compare_order(const void *a, const void *b, void *ctx)
{
	const struct pipa_otlp_writer *w = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pipa_sample *x = &w->p->samples.items[i], *y = &w->p->samples.items[k];
	uint32_t p = pipa_otlp_resource_of(w, x), q = pipa_otlp_resource_of(w, y);
	int order;

	if (p != q)
		return p < q ? -1 : 1;
	p = w->base_events[x->event];
	q = w->base_events[y->event];
	if (p != q)
		return p < q ? -1 : 1;
	order = compare_keys(w, x, y);
	return order ? order : i < k ? -1 : 1;
}

/* Sort order[] by resource, or else by event, by counting: samples keep their order otherwise. 0 or -ENOMEM. */
static int sort_by_count(struct pipa_otlp_writer *w, bool by_resource)
{
	size_t keys = by_resource ? w->resources.n : w->p->events.n, i, sum = 0;
	PIPA_AUTO(free) size_t *starts = calloc(keys + 1, sizeof(*starts));
	uint32_t *sorted = malloc(w->n_order * sizeof(*sorted) + 1);
#define KEY(number)                                                                                \
	(by_resource ? pipa_otlp_resource_of(w, &w->p->samples.items[number]) :                    \
		       w->base_events[w->p->samples.items[number].event])

	if (!starts || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	for (i = 0; i < w->n_order; i++)
		starts[KEY(w->order[i])]++;
	for (i = 0; i < keys; i++) {
		size_t n = starts[i];

		starts[i] = sum;
		sum += n;
	}
	for (i = 0; i < w->n_order; i++)
		sorted[starts[KEY(w->order[i])]++] = w->order[i];
#undef KEY
	free(w->order);
	w->order = sorted;
	return 0;
}

int pipa_otlp_sort_samples(struct pipa_otlp_writer *w)
{
	size_t i;
	int rc = 0;

	w->n_order = w->until - w->from;
	w->order = malloc(w->n_order * sizeof(*w->order) + 1);
	w->base_events = malloc(w->p->events.n * sizeof(*w->base_events) + 1);
	if (!w->order || !w->base_events)
		return -ENOMEM;
	w->is_joined = w->tables.joined || w->format->no_threads;
	for (i = 0; i < w->p->events.n; i++) {
		uint32_t base = w->p->events.items[i].negative_of;

		w->base_events[i] = base == PIPA_NONE ? (uint32_t)i : base;
		w->is_joined = w->is_joined || base != PIPA_NONE;
	}
	for (i = 0; i < w->n_order; i++)
		w->order[i] = (uint32_t)(w->from + i);
	if (w->is_joined) {
		qsort_r(w->order, w->n_order, sizeof(*w->order), compare_order, w);
		return 0;
	}
	if (w->p->events.n > 1)
		rc = sort_by_count(w, false);
	if (!rc && w->resources.n > 1)
		rc = sort_by_count(w, true);
	return rc;
}

static void add_value(struct pipa_otlp_writer *w, int64_t *to, uint64_t value, bool is_negative)
{
	int64_t number = (int64_t)value;

	if (value > INT64_MAX || (is_negative ? __builtin_sub_overflow(*to, number, to) :
						__builtin_add_overflow(*to, number, to)))
		pipa_otlp_set_failure(w, -ERANGE);
}

void pipa_otlp_next_row(struct pipa_otlp_writer *w, size_t *at, size_t end,
			struct pipa_otlp_row *ret)
{
	const struct pipa_sample *samples = w->p->samples.items, *s;

	*ret = (struct pipa_otlp_row){ .sample = &samples[w->order[*at]] };
	do {
		s = &samples[w->order[*at]];
		add_value(w, &ret->weight, s->weight, w->base_events[s->event] != s->event);
		add_value(w, &ret->count, s->count, w->base_events[s->event] != s->event);
		++*at;
	} while (w->is_joined && *at < end &&
		 compare_keys(w, ret->sample, &samples[w->order[*at]]) == 0);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Extend the time range of the profiles, whose end is exclusive, to a timestamp. */
static void include_time(struct pipa_otlp_writer *w, uint64_t ns)
{
	uint64_t end = w->start_ns + w->duration_ns;

	if (ns < w->start_ns || !w->start_ns)
		w->start_ns = ns;
	if (end <= ns)
		end = ns + 1;
	w->duration_ns = end - w->start_ns;
}

/* Do the timestamps count all samples [from, until)? Sums of several events of a file cannot be counted. */
static bool has_all_times(const struct pipa_otlp_writer *w)
{
	const struct pipa_timeline *t = w->format->times;
	uint64_t timed = 0, samples = 0;
	size_t i;

	if (!t || !t->n || t->untimed)
		return false;
	for (i = 0; i < t->n; i++)
		if (t->items[i].sample >= w->from && t->items[i].sample < w->until)
			timed += UINT64_C(1) + t->items[i].more;
	for (i = w->from; i < w->until; i++)
		samples += w->p->samples.items[i].count;
	return timed == samples;
}

int pipa_otlp_sort_times(struct pipa_otlp_writer *w)
{
	const struct pipa_timeline *t = w->format->times;
	size_t n = w->until - w->from, total = 0, i, k;

	w->start_ns = w->p->start_ns;
	w->duration_ns = w->p->duration_ns;
	w->sample_times.max = SIZE_MAX;
	if (!has_all_times(w))
		return 0;
	w->time_starts = calloc(n + 2, sizeof(*w->time_starts));
	if (!w->time_starts)
		return -ENOMEM;
	/* number of times of sample i in [i + 2], then its start in [i + 1], then its end there */
	for (i = 0; i < t->n; i++)
		if (t->items[i].sample - w->from < n)
			w->time_starts[t->items[i].sample - w->from + 2] +=
				(size_t)t->items[i].more + 1;
	for (i = 2; i < n + 2; i++)
		w->time_starts[i] += w->time_starts[i - 1];
	total = w->time_starts[n + 1];
	w->times = malloc(total * sizeof(*w->times) + 1);
	if (!w->times)
		return -ENOMEM;
	for (i = 0; i < t->n; i++) {
		uint64_t ns = t->items[i].time + w->format->utc_offset_ns;

		if (t->items[i].sample - w->from >= n)
			continue;
		include_time(w, ns);
		for (k = 0; k <= t->items[i].more; k++)
			w->times[w->time_starts[t->items[i].sample - w->from + 1]++] = htole64(ns);
	}
	return 0;
}

void pipa_otlp_collect_times(struct pipa_otlp_writer *w, size_t from, size_t until)
{
	size_t i;

	pipa_buf_reset(&w->sample_times);
	for (i = from; w->times && i < until; i++) {
		const size_t *starts = &w->time_starts[w->order[i] - w->from];

		pipa_buf_add(&w->sample_times, w->times + starts[0],
			     (starts[1] - starts[0]) * sizeof(*w->times));
	}
	if (w->sample_times.status)
		pipa_otlp_set_failure(w, w->sample_times.status);
}
