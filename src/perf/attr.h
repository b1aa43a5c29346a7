/*
 * Events of a recording: perf_event_attr of either byte order and any size, the ids that records
 * carry, names.
 */
#ifndef PIPA_PERF_ATTR_H
#define PIPA_PERF_ATTR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/cursor.h"
#include "base/index.h"

struct pipa_event_type;

/* Bits of newer kernels that older headers do not define. */
#define PIPA_SAMPLE_WEIGHT (UINT64_C(1) << 14)
#define PIPA_SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)
#define PIPA_FORMAT_LOST (UINT64_C(1) << 4)

struct pipa_perf_event {
	struct perf_event_attr attr;
	char *name; /* NULL: pipa_perf_event_name() makes a name from type and config */
	uint32_t leader, n_members;
};

struct pipa_perf_event_id {
	uint64_t id;
	uint32_t event;
};

struct pipa_perf_events {
	struct pipa_perf_event *items;
	size_t n, cap;
	struct {
		struct pipa_perf_event_id *items;
		size_t n, cap;
		struct pipa_index index;
	} ids;
};

void pipa_perf_events_done(struct pipa_perf_events *events);

/*
 * Decode an attr of `size` bytes at the cursor. Fields after `size` are set to zero; bytes after
 * sizeof(struct perf_event_attr) are skipped.
 */
int pipa_perf_attr_decode(struct pipa_cursor *c, size_t size, struct perf_event_attr *ret);

/* Add an event; add an id of an event; set the name of an event. 0 or -ENOMEM. */
int pipa_perf_events_add(struct pipa_perf_events *events, const struct perf_event_attr *attr);
int pipa_perf_events_add_id(struct pipa_perf_events *events, uint64_t id, uint32_t event);
int pipa_perf_events_rename(struct pipa_perf_events *events, uint32_t event, const char *name);

/* Copy all events and ids to an empty list. 0 or -ENOMEM. */
int pipa_perf_events_copy(struct pipa_perf_events *to, const struct pipa_perf_events *from);

/* Return the event of an id; PIPA_UNKNOWN32: unknown id. */
uint32_t pipa_perf_events_find(const struct pipa_perf_events *events, uint64_t id);

/*
 * Return the name of an event, or a name made from type and config: "cycles", "raw 0x1cd". Valid as
 * long as `buf` and the event.
 */
const char *pipa_perf_event_name(const struct pipa_perf_event *event, char buf[static 64]);

/* Fill in name, unit and period of an event. The name is valid as long as `buf` and the event. */
void pipa_perf_event_type(const struct pipa_perf_event *event, char buf[static 64],
			  struct pipa_event_type *ret);

/* Return the clock of the timestamps of an event: CLOCK_MONOTONIC unless use_clockid is set. */
static inline clockid_t pipa_attr_clock(const struct perf_event_attr *attr)
{
	return attr->use_clockid ? attr->clockid : CLOCK_MONOTONIC;
}

/* Do all events use timestamps of CLOCK_MONOTONIC, as jitdump requires? */
bool pipa_perf_events_use_monotonic(const struct pipa_perf_events *events);

#endif
