#include "model/counter_section.h"

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
