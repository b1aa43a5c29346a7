/* Compute the change of each row, its significance, and the order of rows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/noise.h"
#include "analyze/profile/diff.h"
#include "base/auto.h"

/* Runs of one side. */
struct side {
	size_t from, n;
};

struct judging {
	struct pipa_diff *d;
	size_t column;
	struct side base, now;
	struct pipa_p_value *tested; /* rows with the probability of their change by chance */
	size_t n_tested;
	double *values; /* of one row in the runs, to be sorted */
};

static struct side side_of(const struct pipa_diff *d, size_t column)
{
	struct side side;

	side.from = pipa_diff_column_runs(d, column, &side.n);
	return side;
}

static const struct pipa_weight *cell_of(const struct pipa_diff *d, size_t row, size_t run)
{
	return &d->cells[row * d->n_runs + run];
}

static double share(const struct pipa_diff *d, size_t row, size_t run)
{
	uint64_t all = d->runs[run].weight;

	return all ? (double)cell_of(d, row, run)->weight / (double)all : 0;
}

/* ---- values ------------------------------------------------------------------------------------------ */

static struct pipa_diff_value value_of(const struct pipa_diff *d, size_t row, struct side side)
{
	struct pipa_diff_value value = { 0 };
	size_t i;

	for (i = side.from; i < side.from + side.n; i++) {
		value.percent += 100 * share(d, row, i) / (double)side.n;
		value.weight += (double)cell_of(d, row, i)->weight / (double)side.n;
		value.count += d->runs[i].counted ?
				       (double)cell_of(d, row, i)->count / (double)side.n :
				       NAN;
	}
	return value;
}

static struct pipa_diff_value total_of(const struct pipa_diff *d, struct side side)
{
	struct pipa_diff_value value = { .percent = 100 };
	size_t i;

	for (i = side.from; i < side.from + side.n; i++) {
		value.weight += (double)d->runs[i].weight / (double)side.n;
		value.count += d->runs[i].counted ? (double)d->runs[i].count / (double)side.n : NAN;
	}
	return value;
}

static struct pipa_diff_change change_of(const struct pipa_diff_value *base,
					 const struct pipa_diff_value *now)
{
	return (struct pipa_diff_change){ .now = *now,
					  .points = now->percent - base->percent,
					  .weight = now->weight - base->weight };
}

static void fill_values(struct pipa_diff *d)
{
	const struct side base = { 0, d->o.n_base };
	struct pipa_diff_value now;
	size_t i, c;

	d->base_all = total_of(d, base);
	for (c = 0; c < d->n_columns; c++) {
		now = total_of(d, side_of(d, c));
		d->all[c] = change_of(&d->base_all, &now);
	}
	for (i = 0; i < d->rows.n; i++) {
		d->base[i] = value_of(d, i, base);
		for (c = 0; c < d->n_columns; c++) {
			now = value_of(d, i, side_of(d, c));
			d->changes[i * d->n_columns + c] = change_of(&d->base[i], &now);
		}
	}
}

/* ---- sampling error ---------------------------------------------------------------------------------- */

/* Estimate of a row on one side. */
struct estimate {
	double share;	 /* mean of the runs, 0 to 1 */
	double n;	 /* effective sample size of the profile */
	double hits;	 /* effective sample size of the row */
	double variance; /* of the mean weight: each sample is a Bernoulli trial */
};

static struct estimate estimate(const struct pipa_diff *d, size_t row, struct side side)
{
	struct estimate e = { 0 };
	size_t i;

	for (i = side.from; i < side.from + side.n; i++) {
		const struct pipa_diff_run *run = &d->runs[i];
		double part = share(d, row, i), weight = part * (double)run->weight;

		e.share += part / (double)side.n;
		e.n += run->effective;
		e.hits += part * run->effective;
		if (run->effective > 0)
			e.variance += weight * (double)run->weight / run->effective;
	}
	e.variance /= (double)side.n * (double)side.n;
	return e;
}

/*
 * Return the p-value of a difference. Shares use the pooled share of both sides; weights use the
 * error of each side, because a sample of one may weigh more than one of the other.
 */
static double p_value(const struct pipa_diff *d, const struct estimate *a, const struct estimate *b,
		      double weight)
{
	double pooled = (a->share * a->n + b->share * b->n) / (a->n + b->n);
	double delta = d->o.absolute ? weight : b->share - a->share;
	double variance = d->o.absolute ? a->variance + b->variance :
					  pooled * (1 - pooled) * (1 / a->n + 1 / b->n);

	if (!(variance > 0))
		return fabs(delta) > 0 ? 0 : 1;
	return erfc(fabs(delta) / sqrt(2 * variance));
}

static enum pipa_diff_verdict direction(const struct pipa_diff *d,
					const struct pipa_diff_value *base,
					const struct pipa_diff_change *change)
{
	double delta = d->o.absolute ? change->weight : change->points;

	if (delta > 0)
		return base->weight > 0 ? PIPA_DIFF_MORE : PIPA_DIFF_NEW;
	if (delta < 0)
		return change->now.weight > 0 ? PIPA_DIFF_LESS : PIPA_DIFF_GONE;
	return PIPA_DIFF_SAME;
}

static struct pipa_diff_change *change_at(const struct judging *j, size_t row)
{
	return &j->d->changes[row * j->d->n_columns + j->column];
}

/* Collect the rows with enough samples for a test; the others are unknown. */
static void choose_tested(struct judging *j)
{
	const struct pipa_diff *d = j->d;
	size_t i;

	for (i = 0; i < d->rows.n; i++) {
		struct pipa_diff_change *change = change_at(j, i);
		struct estimate base = estimate(d, i, j->base), now = estimate(d, i, j->now);

		change->verdict = direction(d, &d->base[i], change) == PIPA_DIFF_SAME ?
					  PIPA_DIFF_SAME :
					  PIPA_DIFF_UNKNOWN;
		if (!(base.n > 0 && now.n > 0) || base.hits + now.hits < PIPA_DIFF_MIN)
			continue;
		change->verdict = PIPA_DIFF_SAME;
		j->tested[j->n_tested++] =
			(struct pipa_p_value){ p_value(d, &base, &now, change->weight), i };
	}
}

/* ---- spread of runs ---------------------------------------------------------------------------------- */

static struct pipa_spread spread_of(const struct judging *j, size_t row, struct side side)
{
	struct pipa_spread spread;
	size_t i;

	for (i = 0; i < side.n; i++)
		j->values[i] = j->d->o.absolute ?
				       (double)cell_of(j->d, row, side.from + i)->weight :
				       share(j->d, row, side.from + i);
	pipa_spread_of(j->values, side.n, &spread);
	return spread;
}

static bool is_beyond(const struct pipa_spread *base, const struct pipa_spread *now)
{
	enum pipa_verdict verdict = now->n > 1 ? pipa_spread_compare(base, now) :
						 pipa_spread_place(base, now->mean);

	return verdict == PIPA_VERDICT_LOWER || verdict == PIPA_VERDICT_HIGHER;
}

/* Does a row exceed the spread of the baseline's runs? A single run has no spread. */
static bool is_beyond_runs(const struct judging *j, size_t row)
{
	struct pipa_spread base, now;

	if (j->base.n < 2)
		return true;
	base = spread_of(j, row, j->base);
	now = spread_of(j, row, j->now);
	return is_beyond(&base, &now);
}

/* Judge the total. Its sampling error is negligible, so only several runs can decide. */
static void judge_total(const struct judging *j)
{
	struct pipa_diff *d = j->d;
	struct pipa_spread spreads[2];
	const struct side sides[2] = { j->base, j->now };
	size_t i, k;

	d->all[j->column].verdict = PIPA_DIFF_UNKNOWN;
	if (j->base.n < 2)
		return;
	for (k = 0; k < 2; k++) {
		for (i = 0; i < sides[k].n; i++)
			j->values[i] = (double)d->runs[sides[k].from + i].weight;
		pipa_spread_of(j->values, sides[k].n, &spreads[k]);
	}
	d->all[j->column].verdict = !is_beyond(&spreads[0], &spreads[1]) ? PIPA_DIFF_SAME :
				    d->all[j->column].weight > 0	 ? PIPA_DIFF_MORE :
									   PIPA_DIFF_LESS;
}

/* ---- verdicts ---------------------------------------------------------------------------------------- */

/* Judge the rows of a column, corrected over all of them by Holm's procedure. */
static void judge_column(struct judging *j)
{
	struct pipa_diff *d = j->d;
	size_t i, n;

	j->n_tested = 0;
	choose_tested(j);
	judge_total(j);
	n = pipa_holm(j->tested, j->n_tested);
	for (i = 0; i < n; i++) {
		size_t row = j->tested[i].item;
		struct pipa_diff_change *change = change_at(j, row);

		if (is_beyond_runs(j, row))
			change->verdict = direction(d, &d->base[row], change);
		d->moved[j->column] += pipa_diff_is_move(change->verdict);
	}
}

static int judge(struct pipa_diff *d)
{
	PIPA_AUTO(free) struct pipa_p_value *tested = malloc((d->rows.n + 1) * sizeof(*tested));
	PIPA_AUTO(free) double *values = malloc((d->n_runs + 1) * sizeof(*values));
	struct judging j = {
		.d = d, .base = { 0, d->o.n_base }, .tested = tested, .values = values
	};

	if (!tested || !values)
		return -ENOMEM;
	for (j.column = 0; j.column < d->n_columns; j.column++) {
		j.now = side_of(d, j.column);
		judge_column(&j);
	}
	return 0;
}

/* ---- order ------------------------------------------------------------------------------------------- */

/*
 * Return the sort key of a row: the largest of its columns. Shares are rounded to a millionth, so
 * that the last bits, which depend on the compiler, do not decide.
 */
static double rank_of(const struct pipa_diff *d, size_t row)
{
	const struct pipa_diff_change *changes = &d->changes[row * d->n_columns];
	double most = 0, one = 0;
	size_t c;

	for (c = 0; c < d->n_columns; c++) {
		switch (d->o.order) {
		case PIPA_DIFF_ORDER_DELTA: one = fabs(changes[c].points); break;
		case PIPA_DIFF_ORDER_ABSOLUTE: one = fabs(changes[c].weight); break;
		case PIPA_DIFF_ORDER_BASE: one = d->base[row].percent; break;
		case PIPA_DIFF_ORDER_NOW: one = changes[c].now.percent; break;
		case PIPA_DIFF_ORDER_NR: break;
		}
		most = one > most ? one : most;
	}
	return d->o.order == PIPA_DIFF_ORDER_ABSOLUTE ? most : round(most * 1e6);
}

static int by_text(const struct pipa_diff *d, uint32_t a, uint32_t b)
{
	return strcmp(pipa_diff_text(d, a), pipa_diff_text(d, b));
}

/* Sort by rank, then by weight, name and stack, so that the order is deterministic. */
static int by_rank(const void *x, const void *y, void *ctx)
{
	const struct pipa_diff *d = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct pipa_diff_frame *f = &d->frames.items[d->rows.items[a].frame];
	const struct pipa_diff_frame *g = &d->frames.items[d->rows.items[b].frame];
	double r = rank_of(d, a), s = rank_of(d, b);
	int order;

	if (r > s || r < s)
		return r > s ? -1 : 1;
	r = round(1e6 * (d->base[a].percent + d->changes[a * d->n_columns].now.percent));
	s = round(1e6 * (d->base[b].percent + d->changes[b * d->n_columns].now.percent));
	if (r > s || r < s)
		return r > s ? -1 : 1;
	order = by_text(d, f->object, g->object);
	if (!order)
		order = by_text(d, f->symbol, g->symbol);
	if (!order)
		order = by_text(d, f->place, g->place);
	return order ? order : a < b ? -1 : a > b;
}

int pipa_diff_finish(struct pipa_diff *d)
{
	size_t i, n = d->rows.n;
	int rc;

	d->base = calloc(n + 1, sizeof(*d->base));
	d->changes = calloc(n * d->n_columns + 1, sizeof(*d->changes));
	d->sorted = calloc(n + 1, sizeof(*d->sorted));
	if (!d->base || !d->changes || !d->sorted)
		return -ENOMEM;
	fill_values(d);
	rc = judge(d);
	for (i = 0; i < n; i++)
		d->sorted[i] = (uint32_t)i;
	qsort_r(d->sorted, n, sizeof(*d->sorted), by_rank, d);
	return rc;
}
