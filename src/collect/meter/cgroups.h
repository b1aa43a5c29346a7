/*
 * Control groups: CPU time, throttling, memory, I/O and tasks of each, whatever mixture of v1 and v2
 * the machine has. A group counts what is below it too.
 */
#ifndef PIPA_COLLECT_METER_CGROUPS_H
#define PIPA_COLLECT_METER_CGROUPS_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_cgroups_source;

#endif
