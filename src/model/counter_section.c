#include "model/counter_section.h"

#include <string.h>

#include "base/auto.h"

static const struct pipa_column columns[PIPA_COL_COUNTER_NR] = {
	[PIPA_COL_COUNTER_VALUE] = { "counter.value", "count", PIPA_UNIT_NONE, 0, PIPA_METRIC_DELTA,
				     "count in the interval, scaled if multiplexed" },
	[PIPA_COL_COUNTER_RUNNING] = { "counter.running", "%running", PIPA_UNIT_PERCENT, 2,
				       PIPA_METRIC_SHARE,
				       "share of the interval in which the counter was running" },
	[PIPA_COL_COUNTER_UNIT] = { "counter.unit", "unit", PIPA_UNIT_WORD, 0, PIPA_METRIC_TEXT,
				    "unit of the counts" },
};

const struct pipa_section pipa_counter_section = { "counters", "EVENT", "counters", columns,
						   PIPA_COL_COUNTER_NR };

/* Return the name that an alias of perf stands for. */
static const char *plain_event(const char *name, size_t *len)
{
	static const char *const aliases[][2] = { { "cpu-cycles", "cycles" },
						  { "branch-instructions", "branches" } };
	size_t i;

	for (i = 0; i < PIPA_COUNT(aliases); i++)
		if (strlen(aliases[i][0]) == *len && memcmp(aliases[i][0], name, *len) == 0) {
			*len = strlen(aliases[i][1]);
			return aliases[i][1];
		}
	return name;
}

bool pipa_counter_is_of(const char *instance, const char *event)
{
	const char *slash = strchr(instance, '/');
	const char *plain = slash && slash < instance + strcspn(instance, " ") ? slash + 1 :
										 instance;
	size_t len = strcspn(plain, ":/ ");

	plain = plain_event(plain, &len);
	return strlen(event) == len && strncmp(plain, event, len) == 0;
}

const char *pipa_counter_place(const char *instance)
{
	const char *space = strchr(instance, ' ');

	return space ? space + 1 : "";
}
