/*
 * The machine's own statistics: every number that sar shows, and more, from /proc and /sys. A row per
 * metric in meter_*.c says what it is called, in which unit, and how it is computed; a row per file in
 * kernel/text/proc_text.c where its raw numbers come from. Each file is opened once and read once a tick.
 *
 * The meaning of each column is that of sysstat 12's column of that name.
 */
#ifndef PIPA_COLLECT_METER_METERS_H
#define PIPA_COLLECT_METER_METERS_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_meters_source;

#endif
