/*
 * Parse /proc/PID/{stat,status,io,schedstat}. Pure. Truncated or unknown text leaves fields
 * missing: a number counts only if a separator follows it.
 */
#ifndef PIPA_KERNEL_PROCESS_TASK_TEXT_H
#define PIPA_KERNEL_PROCESS_TASK_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/process/task_stat.h"

/* Units of the kernel. */
struct pipa_task_units {
	uint64_t tick_ns;
	uint64_t page_bytes;
};

/* No field is known. */
void pipa_task_stat_clear(struct pipa_task_stat *task);

/*
 * tid, comm, state and most of the fields. A comm may hold spaces, parentheses and line ends: it ends
 * at the last parenthesis. False, and the task as it was, when that much is not there.
 */
bool pipa_task_parse_stat(const char *text, size_t len, const struct pipa_task_units *units,
			  struct pipa_task_stat *task);

void pipa_task_parse_status(const char *text, size_t len, struct pipa_task_stat *task);
void pipa_task_parse_io(const char *text, size_t len, struct pipa_task_stat *task);
void pipa_task_parse_schedstat(const char *text, size_t len, struct pipa_task_stat *task);

#endif
