/*
 * Parse files of /sys and /proc/cpuinfo to raw numbers. Pure. Unknown or truncated text leaves
 * fields missing and never fails.
 */
#ifndef PIPA_KERNEL_TEXT_SYS_TEXT_H
#define PIPA_KERNEL_TEXT_SYS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/text/raw.h"

enum {
	NODE_HIT,
	NODE_MISS,
	NODE_FOREIGN,
	NODE_INTERLEAVE,
	NODE_LOCAL,
	NODE_OTHER,
	NODE_MEMORY_FREE, /* kB */
	NODE_MEMORY_USED,
	NODE_FIELDS,
};

/* Parse node/nodeN/numastat: "numa_hit 4711" */
void pipa_sys_numastat(const char *text, size_t len, uint64_t *fields);

/* Parse node/nodeN/meminfo: "Node 0 MemFree:  4711 kB" */
void pipa_sys_node_memory(const char *text, size_t len, uint64_t *fields);

/* Parse a file with one number. */
void pipa_sys_number(const char *text, size_t len, uint64_t *ret);

/* Parse thousandths of a degree Celsius and convert them to millikelvin, which are unsigned. */
void pipa_sys_millikelvin(const char *text, size_t len, uint64_t *ret);

/* Parse /proc/cpuinfo: one row per CPU, whose only field is the frequency in kHz. */
void pipa_sys_cpuinfo(const char *text, size_t len, struct pipa_raw *raw);

#endif
