/*
 * How full file systems are: those on a device of this machine, each once, as sar -F. What comes over a
 * network is left out, so a server that is gone cannot stop a tick. Mounts are looked at again when they
 * change.
 */
#ifndef PIPA_COLLECT_METER_FILESYSTEMS_H
#define PIPA_COLLECT_METER_FILESYSTEMS_H

#include "collect/meter/source.h"

extern const struct pipa_source_kind pipa_filesystems_source;

#endif
