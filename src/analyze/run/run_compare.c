#include "analyze/run/run_compare.h"

#include <math.h>
#include <string.h>

static struct pipa_spread spread_of(const struct pipa_run *run, enum pipa_run_key key)
{
	struct pipa_spread one = { .n = 1, .mean = run->values[key], .sd = NAN };

	if (run->spread[key].n)
		return run->spread[key];
	if (isnan(one.mean))
		one.n = 0;
	return one;
}

void pipa_run_compare(const struct pipa_run *run, const struct pipa_run *base,
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

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

static bool has_same_cores(const struct pipa_run *a, const struct pipa_run *b)
{
	return a->cores.n == b->cores.n &&
	       (!a->cores.n ||
		memcmp(a->cores.items, b->cores.items, a->cores.n * sizeof(*a->cores.items)) == 0);
}

int pipa_run_note_differences(struct pipa_run *run, const struct pipa_run *base)
{
	int rc = 0;

	if (differ(run->workload, base->workload))
		rc = pipa_run_note(run, "baseline has a different workload: %s", base->workload);
	if (!rc && !has_same_cores(run, base))
		rc = pipa_run_note(run, "baseline has different --cores");
	if (!rc && differ(run->scope, base->scope))
		rc = pipa_run_note(run, "baseline counters are of the %s, these of the %s",
				   base->scope, run->scope);
	if (!rc && differ(run->dev, base->dev))
		rc = pipa_run_note(run, "baseline disk is %s, this one is %s", base->dev, run->dev);
	return rc;
}

bool pipa_run_regressed(const struct pipa_run_change *change, double percent)
{
	return pipa_run_keys[change->key].judged && change->worse &&
	       change->verdict != PIPA_VERDICT_SAME && fabs(change->percent) > percent;
}
