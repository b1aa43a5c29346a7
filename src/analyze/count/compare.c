#include "analyze/count/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/noise.h"

static const struct pipa_base_row *find_base(const struct pipa_base *base, const char *name,
					     const char *where)
{
	size_t i;

	for (i = 0; i < base->n; i++)
		if (strcmp(base->items[i].name, name) == 0 &&
		    strcmp(base->items[i].where, where) == 0)
			return &base->items[i];
	return NULL;
}

static struct pipa_change change(const char *name, const char *unit, double scale, double value,
				 const struct pipa_spread *spread, const struct pipa_base_row *base)
{
	struct pipa_spread now = *spread;

	if (!now.n)
		now = (struct pipa_spread){ .n = 1, .mean = value };
	return (struct pipa_change){
		.name = name,
		.unit = unit,
		.scale = scale,
		.before = base->spread.mean,
		.after = value,
		.percent = base->spread.mean != 0 ?
				   100 * (value - base->spread.mean) / fabs(base->spread.mean) :
				   NAN,
		.verdict = pipa_verdict_text(pipa_spread_compare(&base->spread, &now)),
	};
}

int pipa_stat_compare(const struct pipa_stat *stat, const struct pipa_base *base,
		      struct pipa_change **ret, size_t *ret_n)
{
	struct pipa_change *changes = calloc(stat->n_rows + 1, sizeof(*changes));
	const struct pipa_base_row *before;
	char where[300];
	size_t i, n = 0;

	if (!changes)
		return -ENOMEM;
	for (i = 0; i < stat->n_rows; i++) {
		const struct pipa_stat_row *row = &stat->rows[i];

		pipa_stat_where(row->cgroup, &stat->places[row->place], where, sizeof(where));
		before = find_base(base, row->name, where);
		if (before && row->state == PIPA_COUNTED)
			changes[n++] = change(row->name, row->unit, row->scale, row->value,
					      &row->spread, before);
	}
	before = find_base(base, "elapsed", "");
	if (before)
		changes[n++] = change("elapsed", "s", 1e-9, stat->elapsed_s, &stat->elapsed,
				      before);
	*ret = changes;
	*ret_n = n;
	return 0;
}
