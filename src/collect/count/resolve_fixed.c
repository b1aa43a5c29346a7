/* Resolve fixed names and raw codes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect/count/resolve_own.h"

/* Add one event per core PMU. */
static int add_per_core_pmu(struct pipa_resolving *r, enum pipa_event_kind kind, uint32_t type,
			    uint64_t config)
{
	struct pipa_pmus *pmus = &r->machine->pmus;
	size_t i, first = r->events->n;

	for (i = 0; i < pmus->n; i++) {
		struct pipa_pmu *pmu = &pmus->items[i];
		struct pipa_event *event;
		uint64_t own_config;
		uint32_t own_type;
		int rc;

		if (!pmu->core)
			continue;
		rc = pipa_pmu_load(r->machine->root, pmu, r->err);
		if (rc < 0)
			return rc;
		own_type = type;
		own_config = config;
		pipa_resolving_aim(r, pmu, &own_type, &own_config);
		event = pipa_resolving_add(r, kind, own_type, own_config);
		if (!event || !(event->pmu = strdup(pmu->name)) ||
		    !(event->sum = strdup(r->spec->text)) ||
		    pipa_cpus_copy(&pmu->cpus, &event->cpus) < 0 ||
		    pipa_event_rename(event, "%s/%s/%s", pmu->name, r->spec->head,
				      pipa_resolving_mods(r->spec)) < 0)
			return pipa_resolving_no_memory(r);
		pipa_resolving_set_family(event, first, true);
	}
	return 0;
}

int pipa_resolving_generic(struct pipa_resolving *r, enum pipa_event_kind kind, uint32_t type,
			   uint64_t config)
{
	if (pipa_resolving_core_pmus(&r->machine->pmus) > 1)
		return add_per_core_pmu(r, kind, type, config);
	return pipa_resolving_add(r, kind, type, config) ? 0 : pipa_resolving_no_memory(r);
}

static int set_keys(struct pipa_resolving *r, size_t first, const struct pipa_event_name *name)
{
	char cache[64];
	const char *key = name->name;
	size_t i;
	int rc = 0;

	if (name->kind == PIPA_EVENT_CACHE &&
	    pipa_event_cache_name(name->config & 0xff, name->config >> 8 & 0xff,
				  name->config >> 16 & 0xff, cache, sizeof(cache)))
		key = cache;
	for (i = first; key && !rc && i < r->events->n; i++)
		rc = pipa_resolving_set_key(r, &r->events->items[i], key);
	return rc;
}

int pipa_resolving_fixed(struct pipa_resolving *r, const struct pipa_event_name *name)
{
	size_t first = r->events->n;
	struct pipa_event *event;
	int rc;

	if (name->kind == PIPA_EVENT_HW || name->kind == PIPA_EVENT_CACHE) {
		rc = pipa_resolving_generic(r, name->kind, name->type, name->config);
		return rc < 0 ? rc : set_keys(r, first, name);
	}
	event = pipa_resolving_add(r, name->kind, name->type, name->config);
	if (!event)
		return pipa_resolving_no_memory(r);
	event->tool = name->tool;
	if (name->tool) {
		snprintf(event->unit, sizeof(event->unit), "ns");
	} else if (name->config == PERF_COUNT_SW_CPU_CLOCK ||
		   name->config == PERF_COUNT_SW_TASK_CLOCK) {
		snprintf(event->unit, sizeof(event->unit), "msec");
		event->scale = 1e-6;
	}
	return set_keys(r, first, name);
}
