#include "model/stat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pipa_base_done(struct pipa_base *base)
{
	size_t i;

	for (i = 0; i < base->n; i++) {
		free(base->items[i].name);
		free(base->items[i].where);
	}
	free(base->items);
	*base = (struct pipa_base){ 0 };
}

/* Threads are matched by name, because tids differ between runs. */
const char *pipa_stat_where(const char *cgroup, const struct pipa_stat_place *place, char *text,
			    size_t size)
{
	snprintf(text, size, "%s|%d|%d|%d|%d|%d|%s", cgroup ? cgroup : "", place->cpu, place->core,
		 place->die, place->socket, place->node, place->comm);
	return text;
}

static bool same_line(const struct pipa_stat_row *a, const struct pipa_stat_row *b)
{
	return a->is_sum == b->is_sum && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->cgroup ? a->cgroup : "", b->cgroup ? b->cgroup : "") == 0;
}

bool pipa_stat_is_head(const struct pipa_stat *stat, size_t row)
{
	size_t i;

	for (i = 0; i < row; i++)
		if (same_line(&stat->rows[i], &stat->rows[row]))
			return false;
	return true;
}

const struct pipa_derived *pipa_stat_metric_at(const struct pipa_stat *stat, size_t head,
					       size_t metric, size_t place)
{
	const char *name = stat->rows[head].derived[metric].name;
	size_t i, k;

	for (i = head; i < stat->n_rows; i++) {
		const struct pipa_stat_row *row = &stat->rows[i];

		if (row->place != place || !same_line(row, &stat->rows[head]))
			continue;
		for (k = 0; k < row->n_derived; k++)
			if (strcmp(row->derived[k].name, name) == 0)
				return &row->derived[k];
	}
	return NULL;
}
