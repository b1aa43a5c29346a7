/*
 * What /sys knows of things that come in numbers: NUMA nodes, clocks of CPUs, temperatures. A row per
 * thing, each with a few small files that are opened once; CPUs and nodes that come or go are seen,
 * sensors are those that were there at the start.
 */
#ifndef PIPA_COLLECT_METER_DEVICES_H
#define PIPA_COLLECT_METER_DEVICES_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_devices_source;

#endif
