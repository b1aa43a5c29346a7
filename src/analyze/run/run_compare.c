#include "analyze/run/run_compare.h"

#include <math.h>
#include <string.h>

enum { MACHINE_PERCENT = 10 }; /* smaller changes of the machine's metrics are not listed */

static struct pipa_spread spread_of(const struct pipa_run *run, enum pipa_run_key key)
{
	struct pipa_spread one = { .n = 1, .mean = run->values[key], .sd = NAN };

	if (run->spread[key].n)
		return run->spread[key];
	if (isnan(one.mean))
		one.n = 0;
	return one;
}

/* Does it print as zero? Seconds and joules are printed in units down to 1e-9. */
static bool is_zero(enum pipa_run_key key, double value)
{
	const struct pipa_run_key_info *info = &pipa_run_keys[key];
	bool scaled = strcmp(info->unit, "s") == 0 || strcmp(info->unit, "J") == 0;

	return fabs(value) * pow(10, scaled ? 9 : info->digits) < 0.5;
}

static bool has_moved(const struct pipa_run_change *change)
{
	return change->verdict == PIPA_VERDICT_LOWER || change->verdict == PIPA_VERDICT_HIGHER;
}

static bool is_notable(const struct pipa_run_change *change)
{
	switch (pipa_run_keys[change->key].group) {
	case PIPA_RUN_WORK:
	case PIPA_RUN_COUNTS:
	case PIPA_RUN_COMMAND:
	case PIPA_RUN_ENERGY: return true;
	case PIPA_RUN_CPU:
	case PIPA_RUN_DISK:
	case PIPA_RUN_NETWORK:
		return has_moved(change) &&
		       !(fabs(change->percent) < MACHINE_PERCENT); /* NaN: `before` was zero */
	case PIPA_RUN_MEMORY:
	case PIPA_RUN_GROUPS: break;
	}
	return false;
}

void pipa_run_compare(const struct pipa_run *run, const struct pipa_run *base,
		      struct pipa_run_changes *ret)
{
	enum pipa_run_key key;

	ret->n = 0;
	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		const struct pipa_spread now = spread_of(run, key), *before = &base->spread[key];
		struct pipa_run_change *change = &ret->items[ret->n];
		bool from_zero = is_zero(key, before->mean);
		double moved;

		if (!now.n || !before->n)
			continue;
		moved = now.mean - before->mean;
		*change = (struct pipa_run_change){
			.key = key,
			.before = before->mean,
			.after = now.mean,
			.percent = from_zero ? NAN : 100 * moved / fabs(before->mean),
			.verdict = pipa_spread_compare(before, &now),
			.worse = moved * pipa_run_keys[key].better < 0,
		};
		if (from_zero && is_zero(key, now.mean))
			change->verdict = PIPA_VERDICT_SAME;
		else
			change->notable = is_notable(change);
		ret->n++;
	}
}

const char *pipa_run_change_text(const struct pipa_run_change *change)
{
	if (!has_moved(change) || !pipa_run_keys[change->key].better)
		return pipa_verdict_text(change->verdict);
	return change->worse ? "worse" : "better";
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
