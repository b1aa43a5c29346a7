/*
 * Configuration files: either all of it is taken, and what was given is there, or it is refused with a
 * place in the file and nothing is taken.
 */
#include "fuzz.h"

#include "base/error.h"
#include "import/config.h"
#include "model/config.h"

static void check_taken(const struct pipa_config *c)
{
	size_t i;

	MUST(c->given >> PIPA_CONFIG_NR == 0);
	MUST(pipa_config_has(c, PIPA_CONFIG_WORKLOAD) == (c->workload != NULL));
	MUST(pipa_config_has(c, PIPA_CONFIG_CORES) || !c->cores.n);
	MUST(c->pipad_port <= 65535 && c->duration_stat >= -1 && c->cpu_frequency_mhz >= 0);
	for (i = 0; i < c->cores.n; i++)
		MUST(c->cores.items[i] >= 0 && c->cores.items[i] < PIPA_CPU_MAX);
	for (i = 0; i < c->events_stat.n; i++)
		MUST(c->events_stat.items[i][0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_config config = { 0 };
	struct pipa_error err = { 0 };
	char *text = malloc(size ? size : 1);

	MUST(text);
	if (size)
		memcpy(text, data, size);
	if (pipa_config_decode(text, size, "c", &config, &err) == 0) {
		check_taken(&config);
	} else {
		MUST(strncmp(err.what, "c:", 2) == 0 && err.code < 0);
		MUST(!config.given && !config.cores.items);
	}
	pipa_config_done(&config);
	free(text);
	return 0;
}
