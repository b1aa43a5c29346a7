#include "analyze/run/run_rank.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/auto.h"

enum {
	MEASURED_SECONDS = 3,
	REPEATS_MIN = 10,
	REPEATS_MAX = 100,
	OUTLIER_RUNS_MIN = 5,
	DEVIATION_MIN_PERMILLE =
		5, /* of the median: with few runs it can be close to 0 by chance */
};

/* Ten standard deviations of a normal distribution, as a multiple of the median absolute deviation. */
static const double outlier_score = 14.826;

enum pipa_run_key pipa_run_default_metric(const struct pipa_run_candidate *items, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (isnan(items[i].run->values[PIPA_RUN_THROUGHPUT]))
			return PIPA_RUN_TIME;
	return PIPA_RUN_THROUGHPUT;
}

static struct pipa_spread spread_of(const struct pipa_run *run, enum pipa_run_key key)
{
	double value = run->values[key];

	if (run->spread[key].n || isnan(value))
		return run->spread[key];
	return (struct pipa_spread){ 1, value, NAN, value, value, value, NAN, NAN };
}

/* Is a better than b, where a direction is? */
static bool is_better(const struct pipa_run_ranking *r, size_t a, size_t b)
{
	double delta = r->items[a].spread.mean - r->items[b].spread.mean;

	return delta * pipa_run_keys[r->key].better > 0;
}

/* Compute a / b; each has a relative standard deviation, and their squares add. */
static void set_ratio(struct pipa_run_candidate *c, const struct pipa_spread *a,
		      const struct pipa_spread *b)
{
	double x = a->sd / a->mean, y = b->sd / b->mean;

	c->ratio = a->n && b->n && b->mean > 0 ? a->mean / b->mean : NAN;
	c->ratio_sd = c->ratio * sqrt(x * x + y * y);
}

void pipa_run_rank(struct pipa_run_ranking *r)
{
	const struct pipa_spread *best;
	size_t i;

	r->reference = 0;
	for (i = 0; i < r->n; i++)
		r->items[i].spread = spread_of(r->items[i].run, r->key);
	for (i = 1; i < r->n; i++)
		if (!r->items[r->reference].spread.n || is_better(r, i, r->reference))
			r->reference = i;
	best = &r->items[r->reference].spread;
	for (i = 0; i < r->n; i++) {
		struct pipa_run_candidate *c = &r->items[i];

		if (pipa_run_keys[r->key].better > 0)
			set_ratio(c, best, &c->spread);
		else
			set_ratio(c, &c->spread, best);
		c->verdict = pipa_spread_compare(best, &c->spread);
		if (i == r->reference) {
			c->ratio_sd = NAN;
			c->verdict = PIPA_VERDICT_SAME;
		}
	}
}

const char *pipa_run_rank_text(const struct pipa_run_ranking *r, size_t index)
{
	const struct pipa_run_candidate *c = &r->items[index];
	bool moved = c->verdict == PIPA_VERDICT_LOWER || c->verdict == PIPA_VERDICT_HIGHER;

	if (index == r->reference)
		return "reference";
	return moved && pipa_run_keys[r->key].better ? "worse" : pipa_verdict_text(c->verdict);
}

unsigned int pipa_run_repeats(double first_seconds)
{
	double n = ceil(MEASURED_SECONDS / first_seconds);

	return n > REPEATS_MAX ? REPEATS_MAX : n > REPEATS_MIN ? (unsigned int)n : REPEATS_MIN;
}

/* Set the distance of each value from the median, in median absolute deviations. */
static void score(const struct pipa_run *each, size_t n, double *scores, double *scratch)
{
	struct pipa_spread spread;
	double median, deviation;
	size_t i;

	for (i = 0; i < n; i++)
		scratch[i] = each[i].values[PIPA_RUN_TIME];
	pipa_spread_of(scratch, n, &spread);
	median = spread.median;
	for (i = 0; i < n; i++)
		scratch[i] = fabs(each[i].values[PIPA_RUN_TIME] - median);
	pipa_spread_of(scratch, n, &spread);
	deviation = fmax(spread.median, median * DEVIATION_MIN_PERMILLE / 1000);
	for (i = 0; i < n; i++)
		scores[i] = (each[i].values[PIPA_RUN_TIME] - median) / fmax(deviation, 1e-9);
}

int pipa_run_note_outliers(struct pipa_run *run, const struct pipa_run *each, unsigned int warmup)
{
	size_t n = run->runs, i, outliers = 0;
	PIPA_AUTO(free) double *scores = calloc(2 * n + 1, sizeof(*scores));

	if (!scores)
		return -ENOMEM;
	if (n < OUTLIER_RUNS_MIN || isnan(run->values[PIPA_RUN_TIME]))
		return 0;
	score(each, n, scores, scores + n);
	for (i = 0; i < n; i++)
		outliers += fabs(scores[i]) > outlier_score;
	if (scores[0] > outlier_score)
		return pipa_run_note(
			run,
			"the first run was slower than the others (%.3f s, median %.3f s): "
			"caches may have been cold; use %s",
			each[0].values[PIPA_RUN_TIME], run->spread[PIPA_RUN_TIME].median,
			warmup ? "more --warmup runs, or --prepare to drop caches" :
				 "--warmup N, or --prepare to drop caches");
	if (outliers)
		return pipa_run_note(run,
				     "%zu of %zu elapsed times %s: run on a quiet "
				     "machine, or use --warmup and --prepare",
				     outliers, n, outliers == 1 ? "is an outlier" : "are outliers");
	return 0;
}
