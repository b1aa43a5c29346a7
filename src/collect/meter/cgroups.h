/*
 * Statistics of control groups: CPU time, throttling, memory, I/O and tasks, with any mixture of
 * v1 and v2. A group includes its descendants.
 */
#ifndef PIPA_COLLECT_METER_CGROUPS_H
#define PIPA_COLLECT_METER_CGROUPS_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_cgroups_source;

#endif
