/*
 * Counters as a section of series: an instance per event and place ("cycles", "cycles CPU3"), with
 * the unit of its counts as its word.
 */
#ifndef PIPA_MODEL_COUNTER_SECTION_H
#define PIPA_MODEL_COUNTER_SECTION_H

#include "model/series.h"

enum {
	PIPA_COL_COUNTER_VALUE,
	PIPA_COL_COUNTER_RUNNING,
	PIPA_COL_COUNTER_UNIT,
	PIPA_COL_COUNTER_NR
};

extern const struct pipa_section pipa_counter_section;

/* Does "cpu_core/cycles/u", "cycles:D" or "cpu-cycles CPU3" count the event? */
bool pipa_counter_is_of(const char *instance, const char *event);

/* Return where an instance was counted: "CPU3" of "cycles CPU3"; "" for everything. */
const char *pipa_counter_place(const char *instance);

#endif
