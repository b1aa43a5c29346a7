#include "perf/attr.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/profile.h"
#include "perf/event_names.h"

void pipa_perf_events_done(struct pipa_perf_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		free(events->items[i].name);
	free(events->items);
	free(events->ids.items);
	pipa_index_done(&events->ids.index);
	*events = (struct pipa_perf_events){ 0 };
}

/*
 * The flags are bit fields, which the other byte order also fills from the other end: bit i is bit
 * 63 - i there. The one field of two bits keeps its own order.
 */
static uint64_t turn_flags(uint64_t flags)
{
	uint64_t turned = 0, precise;
	unsigned int i;

	for (i = 0; i < 64; i++)
		turned |= (flags >> i & 1) << (63 - i);
	precise = turned >> 15 & 3;
	turned &= ~(UINT64_C(3) << 15);
	return turned | ((precise & 1) << 1 | precise >> 1) << 15;
}

int pipa_perf_attr_decode(struct pipa_cursor *c, size_t size, struct perf_event_attr *ret)
{
	const uint8_t *bytes = size >= PERF_ATTR_SIZE_VER0 ? pipa_get_bytes(c, size) : NULL;
	uint8_t full[sizeof(*ret)] = { 0 };
	struct perf_event_attr attr = { 0 };
	struct pipa_cursor in = { full, full + sizeof(full), c->swapped, 0 };
	uint64_t flags;

	if (!bytes)
		return c->status = -EBADMSG;
	memcpy(full, bytes, size < sizeof(full) ? size : sizeof(full));
	attr.type = pipa_get_u32(&in);
	attr.size = pipa_get_u32(&in);
	attr.config = pipa_get_u64(&in);
	attr.sample_period = pipa_get_u64(&in);
	attr.sample_type = pipa_get_u64(&in);
	attr.read_format = pipa_get_u64(&in);
	flags = pipa_get_u64(&in);
	flags = c->swapped ? turn_flags(flags) : flags;
	memcpy((uint8_t *)&attr + offsetof(struct perf_event_attr, read_format) + 8, &flags,
	       sizeof(flags));
	attr.wakeup_events = pipa_get_u32(&in);
	attr.bp_type = pipa_get_u32(&in);
	attr.config1 = pipa_get_u64(&in);
	attr.config2 = pipa_get_u64(&in);
	attr.branch_sample_type = pipa_get_u64(&in);
	attr.sample_regs_user = pipa_get_u64(&in);
	attr.sample_stack_user = pipa_get_u32(&in);
	attr.clockid = (int32_t)pipa_get_u32(&in);
	attr.sample_regs_intr = pipa_get_u64(&in);
	attr.aux_watermark = pipa_get_u32(&in);
	attr.sample_max_stack = pipa_get_u16(&in);
	pipa_skip(&in, 2);
	attr.aux_sample_size = pipa_get_u32(&in);
	pipa_skip(&in, 4);
	attr.sig_data = pipa_get_u64(&in);
	*ret = attr;
	return 0;
}

int pipa_perf_events_add(struct pipa_perf_events *events, const struct perf_event_attr *attr)
{
	struct pipa_perf_event *event = PIPA_VEC_ADD(events);

	if (!event)
		return -ENOMEM;
	event->attr = *attr;
	event->leader = (uint32_t)(events->n - 1);
	return 0;
}

int pipa_perf_events_add_id(struct pipa_perf_events *events, uint64_t id, uint32_t event)
{
	struct pipa_perf_event_id *row;

	if (pipa_perf_events_find(events, id) != PIPA_UNKNOWN32)
		return 0;
	row = PIPA_VEC_ADD(&events->ids);
	if (!row)
		return -ENOMEM;
	*row = (struct pipa_perf_event_id){ id, event };
	return pipa_index_add(&events->ids.index, pipa_hash_u64(id, PIPA_HASH_SEED),
			      (uint32_t)(events->ids.n - 1));
}

int pipa_perf_events_rename(struct pipa_perf_events *events, uint32_t event, const char *name)
{
	char *copy;

	if (event >= events->n)
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free(events->items[event].name);
	events->items[event].name = copy;
	return 0;
}

int pipa_perf_events_copy(struct pipa_perf_events *to, const struct pipa_perf_events *from)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < from->n; i++) {
		const struct pipa_perf_event *event = &from->items[i];

		rc = pipa_perf_events_add(to, &event->attr);
		if (!rc && event->name)
			rc = pipa_perf_events_rename(to, (uint32_t)i, event->name);
		if (!rc) {
			to->items[i].leader = event->leader;
			to->items[i].n_members = event->n_members;
		}
	}
	for (i = 0; !rc && i < from->ids.n; i++)
		rc = pipa_perf_events_add_id(to, from->ids.items[i].id, from->ids.items[i].event);
	return rc;
}

uint32_t pipa_perf_events_find(const struct pipa_perf_events *events, uint64_t id)
{
	uint64_t hash = pipa_hash_u64(id, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&events->ids.index, hash);

	for (; slot->id; slot = pipa_index_after(&events->ids.index, slot))
		if (events->ids.items[slot->id - 1].id == id)
			return events->ids.items[slot->id - 1].event;
	return PIPA_UNKNOWN32;
}

static const char *fixed_name(uint32_t type, uint64_t config)
{
	const struct pipa_event_name *names;
	size_t i, n;

	names = pipa_event_names(&n);
	for (i = 0; i < n; i++)
		if (names[i].tool == PIPA_TOOL_NONE && names[i].type == type &&
		    names[i].config == config)
			return names[i].name;
	return NULL;
}

const char *pipa_perf_event_name(const struct pipa_perf_event *event, char buf[static 64])
{
	uint64_t config = event->attr.config;
	const char *name = event->name ? event->name : fixed_name(event->attr.type, config);

	if (name)
		return name;
	if (event->attr.type == PERF_TYPE_HW_CACHE &&
	    pipa_event_cache_name(config & 0xff, config >> 8 & 0xff, config >> 16 & 0xff, buf, 64))
		return buf;
	if (event->attr.type == PERF_TYPE_RAW)
		snprintf(buf, 64, "raw 0x%llx", (unsigned long long)config);
	else
		snprintf(buf, 64, "type %u config 0x%llx", event->attr.type,
			 (unsigned long long)config);
	return buf;
}

void pipa_perf_event_type(const struct pipa_perf_event *event, char buf[static 64],
			  struct pipa_event_type *ret)
{
	const struct perf_event_attr *attr = &event->attr;
	bool clock = attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
							  attr->config == PERF_COUNT_SW_TASK_CLOCK);

	*ret = (struct pipa_event_type){ .name = pipa_perf_event_name(event, buf),
					 .unit = clock ? PIPA_VALUE_NS : PIPA_VALUE_COUNT,
					 .count_unit = PIPA_VALUE_COUNT };
	if (!attr->freq) {
		ret->period = attr->sample_period;
		return;
	}
	ret->frequency = attr->sample_freq < UINT32_MAX ? (uint32_t)attr->sample_freq : UINT32_MAX;
	if (clock &&
	    attr->sample_freq) /* other events count unevenly: the kernel varies the period */
		ret->period = PIPA_NS_PER_SEC / attr->sample_freq;
}

bool pipa_perf_events_use_monotonic(const struct pipa_perf_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (!events->items[i].attr.use_clockid ||
		    events->items[i].attr.clockid != CLOCK_MONOTONIC)
			return false;
	return events->n > 0;
}
