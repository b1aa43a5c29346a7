/*
 * Processes and threads: what each did, as pidstat shows it. Read through a BPF iterator where that is
 * allowed and from the text of /proc elsewhere; both give the same numbers, the first with times finer
 * than a clock tick.
 */
#ifndef PIPA_COLLECT_METER_TASKS_H
#define PIPA_COLLECT_METER_TASKS_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_tasks_source;

#endif
