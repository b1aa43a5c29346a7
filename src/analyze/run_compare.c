#include "analyze/run_compare.h"

#include <math.h>

static struct pipa_spread spread_of(const struct pipa_run *run, enum pipa_run_key key)
{
	struct pipa_spread one = { .n = 1, .mean = run->values[key], .sd = NAN };

	if (run->spread[key].n)
		return run->spread[key];
	if (isnan(one.mean))
		one.n = 0;
	return one;
}

void pipa_run_compare(const struct pipa_run *run, const struct pipa_run_base *base,
		      struct pipa_run_changes *ret)
{
	enum pipa_run_key key;

	ret->n = 0;
	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		const struct pipa_spread now = spread_of(run, key), *before = &base->spread[key];
		struct pipa_run_change *change = &ret->items[ret->n];
		double moved;

		if (!now.n || !before->n)
			continue;
		moved = now.mean - before->mean;
		*change = (struct pipa_run_change){
			.key = key,
			.before = before->mean,
			.after = now.mean,
			.percent = before->mean != 0 ? 100 * moved / fabs(before->mean) : NAN,
			.verdict = pipa_spread_compare(before, &now),
			.worse = moved * pipa_run_keys[key].better < 0,
		};
		ret->n++;
	}
}

bool pipa_run_regressed(const struct pipa_run_change *change, double percent)
{
	return pipa_run_keys[change->key].judged && change->worse &&
	       change->verdict != PIPA_VERDICT_SAME && fabs(change->percent) > percent;
}
