/*
 * Limits of the control group of pipa, as in a container, beside the resources of the machine:
 * CPUs, memory, swap, tasks. The lowest limit of the group and its ancestors is used.
 */
#ifndef PIPA_COLLECT_METER_LIMITS_H
#define PIPA_COLLECT_METER_LIMITS_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_limits_source;

/*
 * Is a limit of CPUs or memory below the resources of the machine? (systemd always limits tasks.)
 */
bool pipa_limits_in_force(struct pipa_root *root);

#endif
