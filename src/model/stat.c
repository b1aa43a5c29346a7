#include "model/stat.h"

#include <stdio.h>
#include <stdlib.h>

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

/* Threads are matched by name: their numbers differ from run to run. */
const char *pipa_stat_where(const char *cgroup, const struct pipa_stat_place *place, char *text,
			    size_t size)
{
	snprintf(text, size, "%s|%d|%d|%d|%d|%d|%s", cgroup ? cgroup : "", place->cpu, place->core,
		 place->die, place->socket, place->node, place->comm);
	return text;
}
