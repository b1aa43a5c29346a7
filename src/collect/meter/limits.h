/*
 * Limits of our own control group, as in a container: CPUs, memory, swap, tasks, beside those of
 * the machine. The tightest of all ancestors counts.
 */
#ifndef PIPA_COLLECT_METER_LIMITS_H
#define PIPA_COLLECT_METER_LIMITS_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_limits_source;

/* Does a limit leave less CPU or memory than the machine has? (systemd limits tasks everywhere.) */
bool pipa_limits_in_force(struct pipa_root *root);

#endif
