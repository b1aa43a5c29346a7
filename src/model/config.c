#include "model/config.h"

#include <stdlib.h>

void pipa_config_done(struct pipa_config *config)
{
	pipa_cpus_done(&config->cores);
	pipa_cpus_done(&config->core_range);
	free(config->events_stat.items);
	pipa_arena_done(&config->arena);
	*config = (struct pipa_config){ 0 };
}
