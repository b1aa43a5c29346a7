/* Counts of an earlier measurement: a row per event, CPU or thread, and interval. */
#ifndef PIPA_MODEL_COUNTS_H
#define PIPA_MODEL_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "model/stat.h"

struct pipa_counts_row {
	double time_s;	/* end of the interval, since the start; NaN: no intervals */
	double value;	/* in the unit, scaled if multiplexed; NaN: see state */
	double percent; /* share of the time in which the counter was running; NaN: unknown */
	uint64_t running_ns;
	int cpu;			     /* -1: not a single CPU */
	uint32_t event, unit, place, cgroup; /* indexes of texts; 0: none */
	enum pipa_count_state state;
};

struct pipa_counts {
	struct pipa_counts_row *items;
	size_t n, cap;
	struct pipa_strings texts;
};

void pipa_counts_done(struct pipa_counts *counts);

static inline const char *pipa_counts_text(const struct pipa_counts *counts, uint32_t number)
{
	return pipa_strings_get(&counts->texts, number);
}

static inline void pipa_counts_done_auto(struct pipa_counts *counts)
{
	pipa_counts_done(counts);
}

#endif
