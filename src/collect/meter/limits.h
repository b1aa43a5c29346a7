/*
 * What bounds the control group that we are in, as in a container: CPUs, memory, swap, tasks, beside
 * what the machine has. Of all groups above it the tightest counts.
 */
#ifndef PIPA_COLLECT_METER_LIMITS_H
#define PIPA_COLLECT_METER_LIMITS_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_limits_source;

/* Does a limit leave less CPU or memory than the machine has? (systemd bounds tasks everywhere.) */
bool pipa_limits_in_force(struct pipa_root *root);

#endif
