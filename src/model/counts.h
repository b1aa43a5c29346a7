/* Counts of an earlier measurement: a row per event, CPU or thread, and interval. */
#ifndef PIPA_MODEL_COUNTS_H
#define PIPA_MODEL_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "model/stat.h"

struct pipa_counts_row {
	double time_s;	/* end of the interval, since the start; NaN: no intervals */
	double value;	/* in the unit, scaled if multiplexed; NaN: see state */
	double percent; /* share of the time in which the counter was running; NaN: unknown */
	uint64_t running_ns;
	uint64_t integer; /* the value with all digits if is_integer: a double has 53 bits */
	bool is_integer;
	int cpu;			     /* -1: not a single CPU */
	uint32_t event, unit, place, cgroup; /* indexes of texts; 0: none */
	enum pipa_count_state state;
};

struct pipa_counts {
	struct pipa_counts_row *items;
	size_t n, cap;
	struct pipa_strings texts;
	double interval_s; /* length of the interval; 0: unknown, or several intervals */
	uint64_t missed;   /* intervals skipped until now because they were late, if has_missed */
	bool has_missed;
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
