/* State of a resolution: shared by the resolve_*.c files only. */
#ifndef PIPA_COLLECT_COUNT_RESOLVE_OWN_H
#define PIPA_COLLECT_COUNT_RESOLVE_OWN_H

#include "collect/count/resolve.h"
#include "perf/event_names.h"
#include "perf/event_spec.h"

struct pipa_resolving {
	struct pipa_machine *machine;
	const struct pipa_spec *spec; /* spec that is being resolved */
	struct pipa_events *events;
	struct pipa_error *err;
};

int pipa_resolving_no_memory(struct pipa_resolving *r);

/*
 * Append an event with the given type and config; its name is the text of the spec. NULL on
 * allocation failure.
 */
struct pipa_event *pipa_resolving_add(struct pipa_resolving *r, enum pipa_event_kind kind,
				      uint32_t type, uint64_t config);

/* Return the text of the spec's modifiers, for names that are rebuilt. */
const char *pipa_resolving_mods(const struct pipa_spec *spec);

/* Set the key by which metrics find the event: the first spelling of its name. */
int pipa_resolving_set_key(struct pipa_resolving *r, struct pipa_event *event, const char *key);

static inline void pipa_resolving_set_family(struct pipa_event *event, size_t first, bool apart)
{
	event->family = first;
	event->apart = apart;
}

/* Return the number of core PMUs: more than one on a hybrid machine. */
size_t pipa_resolving_core_pmus(const struct pipa_pmus *pmus);

/*
 * Select one of several core PMUs for an event. A raw code gets the type of the PMU. A generic
 * event of Arm is replaced by the event that the PMU names. For other events, the upper half of
 * config selects the PMU (x86 since 5.13).
 */
void pipa_resolving_aim(struct pipa_resolving *r, const struct pipa_pmu *pmu, uint32_t *type,
			uint64_t *config);

/* Offer events of a PMU as suggestions; ctx is a struct pipa_nearest. */
int pipa_resolving_offer_alias(void *ctx, const char *event);

/* Resolve one kind of spec each. 0 or a negative errno with a message in err. */
int pipa_resolving_fixed(struct pipa_resolving *r, const struct pipa_event_name *name);
int pipa_resolving_generic(struct pipa_resolving *r, enum pipa_event_kind kind, uint32_t type,
			   uint64_t config);
int pipa_resolving_pmu(struct pipa_resolving *r);
int pipa_resolving_alias(struct pipa_resolving *r); /* a bare name; may add no event */
int pipa_resolving_tracepoint(struct pipa_resolving *r);

#endif
