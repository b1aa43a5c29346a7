/*
 * Statistics of processes and threads, as pidstat. Read by a BPF iterator if permitted, else from
 * /proc; both give the same numbers, the first with a finer time resolution.
 */
#ifndef PIPA_COLLECT_METER_TASKS_H
#define PIPA_COLLECT_METER_TASKS_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_tasks_source;

#endif
