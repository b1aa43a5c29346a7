/*
 * Statistics of the system from /proc and /sys: every column of sar, and more. A row per metric in
 * meter_*.c has its formula; a row per file in kernel/text/proc_text.c has its raw numbers. Each
 * file is opened once and read once per interval.
 *
 * Columns have the meaning of the columns of the same name in sysstat 12.
 */
#ifndef PIPA_COLLECT_METER_METERS_H
#define PIPA_COLLECT_METER_METERS_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_meters_source;

#endif
