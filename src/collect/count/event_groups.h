/*
 * Default events of a collection: groups per architecture as in PIPA, and for riscv64 the events
 * of the SBI PMU. Events that a machine lacks are left out.
 */
#ifndef PIPA_COLLECT_COUNT_EVENT_GROUPS_H
#define PIPA_COLLECT_COUNT_EVENT_GROUPS_H

#include <stddef.h>

#include "collect/count/probe.h"

struct pipa_buf;
struct pipa_error;
struct pipa_machine;

/* Return comma-separated lists of names, the last one NULL. `architecture` is that of uname -m. */
const char *const *pipa_event_groups(const char *architecture);

/*
 * Append the events of a list that can be counted on this machine, comma-separated; pass the other
 * events to `lacking`. Returns the number of appended events, or a negative errno.
 */
int pipa_event_groups_cut(const char *group, struct pipa_machine *machine,
			  const struct pipa_perf *perf,
			  void (*lacking)(void *ctx, const char *event, enum pipa_probe why),
			  void *ctx, struct pipa_buf *ret, struct pipa_error *err);

#endif
