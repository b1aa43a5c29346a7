/*
 * Resolve event names on a machine: names to perf_event_attr, globs to lists, a generic event on a
 * hybrid machine to one event per core PMU, an uncore event to one per instance.
 */
#ifndef PIPA_COLLECT_COUNT_RESOLVE_H
#define PIPA_COLLECT_COUNT_RESOLVE_H

#include "kernel/event/pmu.h"
#include "model/event.h"

struct pipa_error;
struct pipa_root;
struct pipa_specs;

/*
 * PMUs of a machine. no_merge: each instance of an uncore PMU has a row of its own.
 */
struct pipa_machine {
	struct pipa_root *root;
	struct pipa_pmus pmus;
	bool no_merge;
};

int pipa_machine_load(struct pipa_machine *machine, struct pipa_root *root, struct pipa_error *err);
void pipa_machine_done(struct pipa_machine *machine);

/*
 * Resolve specs on this machine and append their events in order, with groups and families set.
 */
int pipa_resolve(struct pipa_machine *machine, const struct pipa_specs *specs,
		 struct pipa_events *events, struct pipa_error *err);

/* Does a PMU of this machine have an event of that name? For choosing between metric variants. */
bool pipa_machine_has_alias(struct pipa_machine *machine, const char *name);

#endif
