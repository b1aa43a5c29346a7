/*
 * Statistics of devices from /sys: NUMA nodes, CPU frequencies, temperatures. One row per device,
 * each with a few files that are opened once; CPUs and nodes are detected when they come or go,
 * sensors only at the start.
 */
#ifndef PIPA_COLLECT_METER_DEVICES_H
#define PIPA_COLLECT_METER_DEVICES_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_devices_source;

#endif
