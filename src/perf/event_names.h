/*
 * Event names that mean the same on every machine: generic hardware events, the cache matrix,
 * software events and tool events. Events named by a PMU are in kernel/event/pmu.h.
 */
#ifndef PIPA_PERF_EVENT_NAMES_H
#define PIPA_PERF_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/event.h"

/* An event with a fixed name. `alias` is a second spelling or NULL. */
struct pipa_event_name {
	const char *name;
	const char *alias;
	enum pipa_event_kind kind;
	uint32_t type;
	uint64_t config;
	enum pipa_tool_event tool;
};

/* Return the *ret_n fixed names, without cache events. */
const struct pipa_event_name *pipa_event_names(size_t *ret_n);

/* Find a fixed name or alias, cache spellings included ("l1d-read-miss"). False if unknown. */
bool pipa_event_name_find(const char *text, struct pipa_event_name *ret);

/*
 * Return the Arm architecture's name of a generic event, or NULL. Kernels before 6.7 cannot select
 * one of several core PMUs for a generic event, but each PMU names its own events.
 */
const char *pipa_event_arm_name(uint32_t type, uint64_t config);

/* Format the canonical name of a cache event ("L1-dcache-load-misses"); false: no such event. */
bool pipa_event_cache_name(unsigned int cache, unsigned int op, unsigned int result, char *text,
			   size_t size);

/* Call fn with the canonical name of every possible cache event. */
void pipa_event_cache_each(void (*fn)(void *ctx, const char *name, uint64_t config), void *ctx);

#endif
