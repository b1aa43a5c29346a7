/*
 * Usage of file systems on local devices, each once, as sar -F. Network file systems are left out,
 * so that a dead server cannot block an interval. Mounts are listed again when they change.
 */
#ifndef PIPA_COLLECT_METER_FILESYSTEMS_H
#define PIPA_COLLECT_METER_FILESYSTEMS_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_filesystems_source;

#endif
