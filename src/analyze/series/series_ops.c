#include "analyze/series/series_ops.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/counter.h"
#include "model/metric_names.h"
#include "model/table.h"

static void copy_cell(const struct pipa_table_column *from, size_t tick,
		      struct pipa_table_column *to, size_t at)
{
	if (from->type == PIPA_TYPE_NUMBER)
		to->numbers[at] = from->numbers[tick];
	else
		to->counters[at] = from->counters[tick];
}

/* ---- select ------------------------------------------------------------------------------------- */

/* Does any entry of the list match? */
static bool any_word(const char *list, bool (*says)(const char *word, const void *what),
		     const void *what)
{
	char word[256];

	for (; *list; list += *list == ',') {
		size_t len = strcspn(list, ",");

		if (len < sizeof(word)) {
			memcpy(word, list, len);
			word[len] = '\0';
			if (says(word, what))
				return true;
		}
		list += len;
	}
	return false;
}

static bool is_glob_of(const char *word, const void *what)
{
	return fnmatch(word, what, 0) == 0;
}

static bool is_name_of(const char *word, const void *what)
{
	const struct pipa_table_column *c = what;
	const struct pipa_column column = { .id = c->id, .name = c->name };

	if (c->section)
		return pipa_metric_names(c->section, &column, word);
	return fnmatch(word, c->id, 0) == 0 || strcmp(word, c->name) == 0;
}

static bool is_selected(const struct pipa_selection *s, const struct pipa_table_column *c)
{
	if (s->columns && !any_word(s->columns, is_name_of, c))
		return false;
	if (s->sections && !(c->section && any_word(s->sections, is_glob_of, c->section->name)))
		return false;
	return !s->instances || any_word(s->instances, is_glob_of, c->instance);
}

static int copy_ticks(const struct pipa_table *from, uint64_t from_ns, uint64_t until_ns,
		      size_t *ret_first, struct pipa_table *ret)
{
	ptrdiff_t rc = 0;
	size_t i;

	for (i = 0; i < from->n_ticks && from->wall_ns[i] < from_ns; i++)
		;
	*ret_first = i;
	for (; rc >= 0 && i < from->n_ticks && (!until_ns || from->wall_ns[i] <= until_ns); i++)
		rc = pipa_table_add_tick(ret, from->wall_ns[i], from->interval_s[i]);
	return rc < 0 ? (int)rc : 0;
}

static int copy_column(const struct pipa_table_column *from, size_t first, struct pipa_table *ret)
{
	ptrdiff_t added = pipa_table_add_column(ret, from);
	size_t i;

	if (added < 0)
		return (int)added;
	for (i = 0; i < ret->n_ticks; i++)
		copy_cell(from, first + i, &ret->items[added], i);
	return 0;
}

int pipa_series_select(const struct pipa_table *from, const struct pipa_selection *s,
		       struct pipa_table *ret)
{
	size_t first, i;
	int rc = copy_ticks(from, s->from_ns, s->until_ns, &first, ret);

	for (i = 0; !rc && i < from->n; i++)
		if (is_selected(s, &from->items[i]))
			rc = copy_column(&from->items[i], first, ret);
	return rc;
}

/* ---- resample ----------------------------------------------------------------------------------- */

/* Return the start of an interval. */
static uint64_t begin_ns(const struct pipa_table *t, size_t tick, uint64_t interval_ns)
{
	uint64_t end = t->wall_ns[tick];
	double length = t->interval_s[tick] * 1e9;

	if (t->interval_s[tick] <= 0 && tick)
		return t->wall_ns[tick - 1];
	if (t->interval_s[tick] <= 0)
		length = (double)interval_ns;
	return length < (double)end ? end - (uint64_t)llround(length) : 0;
}

/* Return the end of the new interval that contains a time: (end - interval, end]. */
static uint64_t end_of(uint64_t at_ns, uint64_t interval_ns)
{
	return at_ns ? ((at_ns - 1) / interval_ns + 1) * interval_ns : interval_ns;
}

/* Make intervals from the first to the last without a gap. */
static int make_ticks(const struct pipa_table *from, uint64_t interval_ns, struct pipa_table *ret)
{
	double seconds = (double)interval_ns / 1e9;
	uint64_t end, last;
	ptrdiff_t rc = 0;

	if (!from->n_ticks)
		return 0;
	end = end_of(begin_ns(from, 0, interval_ns) + 1, interval_ns);
	last = end_of(from->wall_ns[from->n_ticks - 1], interval_ns);
	for (; rc >= 0 && end <= last; end += interval_ns)
		rc = pipa_table_add_tick(ret, end, seconds);
	return rc < 0 ? (int)rc : 0;
}

struct overlap {
	uint64_t begin_ns, end_ns;
};

/* Return the overlap of an old interval with a new one. */
static double seconds_in(const struct overlap *old, uint64_t end_ns, uint64_t interval_ns)
{
	uint64_t begin = end_ns - interval_ns;
	uint64_t from = old->begin_ns > begin ? old->begin_ns : begin;
	uint64_t until = old->end_ns < end_ns ? old->end_ns : end_ns;

	return until > from ? (double)(until - from) / 1e9 : 0;
}

static void resample_numbers(const struct pipa_table *from, const struct pipa_table_column *c,
			     uint64_t interval_ns, const struct pipa_table *ret, double *to)
{
	size_t i, k, first = 0;

	for (k = 0; k < ret->n_ticks; k++) {
		uint64_t end = ret->wall_ns[k];
		double sum = 0, weight = 0;

		while (first < from->n_ticks && from->wall_ns[first] <= end - interval_ns)
			first++;
		for (i = first; i < from->n_ticks; i++) {
			struct overlap old = { begin_ns(from, i, interval_ns), from->wall_ns[i] };
			double seconds = seconds_in(&old, end, interval_ns);

			if (old.begin_ns >= end)
				break;
			if (!isnan(c->numbers[i])) {
				sum += seconds * c->numbers[i];
				weight += seconds;
			}
		}
		if (weight > 0)
			to[k] = sum / weight;
	}
}

static void resample_counters(const struct pipa_table *from, const struct pipa_table_column *c,
			      uint64_t interval_ns, const struct pipa_table *ret, uint64_t *to)
{
	size_t i, k = 0;

	for (i = 0; i < from->n_ticks; i++) {
		uint64_t end = end_of(from->wall_ns[i], interval_ns);

		while (k < ret->n_ticks && ret->wall_ns[k] < end)
			k++;
		if (k < ret->n_ticks && c->counters[i] != PIPA_COUNTER_MISSING)
			to[k] = c->counters[i];
	}
}

int pipa_series_resample(const struct pipa_table *from, uint64_t interval_ns,
			 struct pipa_table *ret)
{
	size_t i;
	int rc;

	if (!interval_ns || interval_ns > INT64_MAX)
		return -EINVAL;
	rc = make_ticks(from, interval_ns, ret);
	for (i = 0; !rc && i < from->n; i++) {
		const struct pipa_table_column *c = &from->items[i];
		ptrdiff_t added = pipa_table_add_column(ret, c);

		if (added < 0)
			return (int)added;
		if (c->type == PIPA_TYPE_NUMBER)
			resample_numbers(from, c, interval_ns, ret, ret->items[added].numbers);
		else
			resample_counters(from, c, interval_ns, ret, ret->items[added].counters);
	}
	return rc;
}

/* ---- join --------------------------------------------------------------------------------------- */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Both tables are sorted, so the nearest tick only moves forward. */
static void join_column(const struct pipa_table *right, const struct pipa_table_column *from,
			uint64_t tolerance_ns, const struct pipa_table *ret,
			struct pipa_table_column *to)
{
	size_t i, near = 0;

	for (i = 0; right->n_ticks && i < ret->n_ticks; i++) {
		uint64_t at = ret->wall_ns[i];

		while (near + 1 < right->n_ticks &&
		       distance(right->wall_ns[near + 1], at) < distance(right->wall_ns[near], at))
			near++;
		if (distance(right->wall_ns[near], at) <= tolerance_ns)
			copy_cell(from, near, to, i);
	}
}

int pipa_series_join(const struct pipa_table *left, const struct pipa_table *right,
		     uint64_t tolerance_ns, struct pipa_table *ret)
{
	size_t i, first;
	int rc = copy_ticks(left, 0, 0, &first, ret);

	for (i = 0; !rc && i < left->n; i++)
		rc = copy_column(&left->items[i], 0, ret);
	for (i = 0; !rc && i < right->n; i++) {
		ptrdiff_t added = pipa_table_add_column(ret, &right->items[i]);

		if (added < 0)
			return (int)added;
		join_column(right, &right->items[i], tolerance_ns, ret, &ret->items[added]);
	}
	return rc;
}

/* ---- rate --------------------------------------------------------------------------------------- */

/*
 * Return the time between intervals by their lengths, which exclude suspend; by their end times if
 * a length is unknown.
 */
static double seconds_between(const struct pipa_table *t, size_t from, size_t to)
{
	double seconds = 0;
	size_t i;

	for (i = from + 1; i <= to; i++) {
		if (t->interval_s[i] <= 0)
			return (double)(t->wall_ns[to] - t->wall_ns[from]) / 1e9;
		seconds += t->interval_s[i];
	}
	return seconds;
}

ptrdiff_t pipa_series_rate(struct pipa_table *t, size_t column)
{
	struct pipa_table_column rate;
	const uint64_t *counters;
	ptrdiff_t added;
	size_t i, last = SIZE_MAX;

	if (column >= t->n || t->items[column].type != PIPA_TYPE_COUNTER)
		return -EINVAL;
	rate = t->items[column];
	rate.type = PIPA_TYPE_NUMBER;
	rate.unit = rate.unit == PIPA_UNIT_KB ? PIPA_UNIT_KB_PER_SECOND : PIPA_UNIT_PER_SECOND;
	rate.digits = 2;
	added = pipa_table_add_column(t, &rate);
	if (added < 0)
		return added;
	counters = t->items[column].counters;
	for (i = 0; i < t->n_ticks; i++) {
		if (counters[i] == PIPA_COUNTER_MISSING)
			continue;
		if (last != SIZE_MAX)
			t->items[added].numbers[i] = pipa_counter_growth(counters[last],
									 counters[i]) /
						     seconds_between(t, last, i);
		last = i;
	}
	return added;
}
