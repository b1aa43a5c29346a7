/*
 * Open counters on a target and read them.
 *
 * Each event has one slot per thread or CPU. Reading fills the slots with totals since the start
 * and allocates nothing. System-wide, the software and tracepoint events of a CPU share one
 * implicit group, so that one read(2) returns them all; hardware events are never grouped
 * implicitly, because a group competes for counters as a whole.
 */
#ifndef PIPA_COLLECT_COUNT_COUNTERS_H
#define PIPA_COLLECT_COUNT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpus.h"
#include "kernel/event/perf_event.h"
#include "kernel/process/task.h"
#include "model/count.h"

struct pipa_counters;
struct pipa_error;
struct pipa_events;
struct pipa_root;

/*
 * Threads or CPUs to count on, not both. All pointers are borrowed and must outlive the counters.
 */
struct pipa_target {
	const struct pipa_tasks *tasks; /* NULL: count on whole CPUs */
	const struct pipa_cpus *cpus;	/* with tasks: only for package-wide events */
	const int *cgroups;		/* directory fds, by the cgroup index of an event */
	bool inherit;			/* also count children and new threads */
	bool enable_on_exec;		/* the exec of the blocked command enables the counters */
};

/*
 * Open all events. An event that the machine does not support is not a failure: see
 * pipa_counters_supported(). If only kernel mode is not permitted, it is excluded: the event gets
 * user_only, and its name the suffix :u. The events must outlive the counters.
 */
int pipa_counters_open(const struct pipa_perf *perf, struct pipa_root *root,
		       struct pipa_events *events, const struct pipa_target *target,
		       struct pipa_counters **ret, struct pipa_error *err);
void pipa_counters_close(struct pipa_counters *counters);

/* Enable all counters without enable_on_exec; if `all` is set, those with it as well. */
int pipa_counters_enable(struct pipa_counters *counters, bool all, struct pipa_error *err);

/* Read all counters into their slots. */
int pipa_counters_read(struct pipa_counters *counters, struct pipa_error *err);

/* Could the event be opened? */
bool pipa_counters_supported(const struct pipa_counters *counters, size_t event);
/* Return the number of slots of an event, the slots and their counts; borrowed. */
size_t pipa_counters_slots(const struct pipa_counters *counters, size_t event,
			   const struct pipa_slot **ret_slots,
			   const struct pipa_count **ret_counts);

static inline void pipa_counters_close_auto(struct pipa_counters **counters)
{
	pipa_counters_close(*counters);
}

#endif
