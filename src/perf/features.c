#include "perf/features.h"

#include <errno.h>
#include <stdio.h>

#include "base/auto.h"
#include "base/buf.h"
#include "model/recording.h"
#include "perf/attr.h"

struct feature {
	const char *name; /* as perf's header listing calls it */
	int (*decode)(struct pipa_cursor *c, const struct feature *feature,
		      struct pipa_recording *r, struct pipa_perf_events *events);
};

/* u32 length, then that many bytes with the text's NUL and padding among them. */
static const char *get_text(struct pipa_cursor *c)
{
	uint32_t len = pipa_get_u32(c);
	const uint8_t *bytes = pipa_get_bytes(c, len);

	if (!bytes || !memchr(bytes, 0, len)) {
		c->status = -EBADMSG;
		return "";
	}
	return (const char *)bytes;
}

static int add_fact(struct pipa_cursor *c, const struct feature *feature, struct pipa_recording *r,
		    const char *text)
{
	return c->status ? c->status : pipa_recording_add_fact(r, feature->name, text);
}

static int decode_text(struct pipa_cursor *c, const struct feature *feature,
		       struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	return add_fact(c, feature, r, get_text(c));
}

static int decode_arch(struct pipa_cursor *c, const struct feature *feature,
		       struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	int rc = add_fact(c, feature, r, get_text(c));

	r->arch = pipa_recording_fact(r, feature->name);
	return rc;
}

static int decode_cpus(struct pipa_cursor *c, const struct feature *feature PIPA_UNUSED,
		       struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	uint32_t available = pipa_get_u32(c), online = pipa_get_u32(c);
	char text[16];
	int rc;

	if (c->status)
		return c->status;
	snprintf(text, sizeof(text), "%u", online);
	rc = pipa_recording_add_fact(r, "nrcpus online", text);
	snprintf(text, sizeof(text), "%u", available);
	return rc ? rc : pipa_recording_add_fact(r, "nrcpus avail", text);
}

static int decode_memory(struct pipa_cursor *c, const struct feature *feature,
			 struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu kB", (unsigned long long)pipa_get_u64(c));
	return add_fact(c, feature, r, text);
}

/* Texts one after the other, as many as a number before them says. */
static int add_texts(struct pipa_cursor *c, const struct feature *feature, const char *separator,
		     struct pipa_recording *r)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf all = { .max = 1 << 20 };
	uint32_t n = pipa_get_u32(c), i;

	for (i = 0; !c->status && i < n; i++)
		pipa_buf_printf(&all, "%s%s", i ? separator : "", get_text(c));
	return add_fact(c, feature, r, pipa_buf_str(&all));
}

static int decode_cmdline(struct pipa_cursor *c, const struct feature *feature,
			  struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	return add_texts(c, feature, " ", r);
}

static int decode_topology(struct pipa_cursor *c, const struct feature *feature PIPA_UNUSED,
			   struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	static const struct feature cores = { "sibling sockets", NULL };
	static const struct feature threads = { "sibling threads", NULL };
	int rc = add_texts(c, &cores, "; ", r);

	return rc ? rc : add_texts(c, &threads, "; ", r);
}

static int decode_pmus(struct pipa_cursor *c, const struct feature *feature,
		       struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf all = { .max = 1 << 20 };
	uint32_t n = pipa_get_u32(c), i, type;

	for (i = 0; !c->status && i < n; i++) {
		type = pipa_get_u32(c);
		pipa_buf_printf(&all, "%s%s = %u", i ? ", " : "", get_text(c), type);
	}
	return add_fact(c, feature, r, pipa_buf_str(&all));
}

static int decode_sample_time(struct pipa_cursor *c, const struct feature *feature,
			      struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	uint64_t first = pipa_get_u64(c), last = pipa_get_u64(c);
	char text[80];

	if (c->status)
		return c->status;
	r->first_ns = first;
	r->last_ns = last;
	snprintf(text, sizeof(text), "%.6f to %.6f, %.3f ms", (double)first / 1e9,
		 (double)last / 1e9, last > first ? (double)(last - first) / 1e6 : 0);
	return add_fact(c, feature, r, text);
}

static int decode_clock_data(struct pipa_cursor *c, const struct feature *feature,
			     struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	uint32_t version = pipa_get_u32(c), id = pipa_get_u32(c);
	uint64_t wall = pipa_get_u64(c), clock = pipa_get_u64(c);
	char text[120];

	if (c->status || version != 1)
		return c->status;
	r->has_clock = true;
	r->clock_id = id;
	r->clock_wall_ns = wall;
	r->clock_ns = clock;
	snprintf(text, sizeof(text), "clock %u: %llu ns = %llu ns wall clock", id,
		 (unsigned long long)clock, (unsigned long long)wall);
	return add_fact(c, feature, r, text);
}

static int decode_clockid(struct pipa_cursor *c, const struct feature *feature,
			  struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	uint64_t ns = pipa_get_u64(c);
	char text[40];

	snprintf(text, sizeof(text), "%.0f MHz", ns ? 1e3 / (double)ns : 0);
	return add_fact(c, feature, r, text);
}

static int decode_compressed(struct pipa_cursor *c, const struct feature *feature,
			     struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	uint32_t type, level, ratio;
	char text[80];

	pipa_skip(c, 4); /* version */
	type = pipa_get_u32(c);
	level = pipa_get_u32(c);
	ratio = pipa_get_u32(c);
	r->compressed = true;
	snprintf(text, sizeof(text), "%s, level = %u, ratio = %u", type == 1 ? "Zstd" : "Unknown",
		 level, ratio);
	return add_fact(c, feature, r, text);
}

/* ---- what the events are called --------------------------------------------------------------- */

/* Which of the events has one of these ids, or, without ids, the same attr; else the n-th. */
static uint32_t match_event(const struct pipa_perf_events *events, struct pipa_cursor ids,
			    uint32_t n_ids, uint32_t nth)
{
	uint32_t i, event;

	for (i = 0; i < n_ids; i++) {
		event = pipa_perf_events_find(events, pipa_get_u64(&ids));
		if (!ids.status && event != PIPA_UNKNOWN32)
			return event;
	}
	return nth;
}

static int decode_event_desc(struct pipa_cursor *c, const struct feature *feature PIPA_UNUSED,
			     struct pipa_recording *r PIPA_UNUSED, struct pipa_perf_events *events)
{
	uint32_t n = pipa_get_u32(c), attr_size = pipa_get_u32(c), i, n_ids, event;
	const char *name;
	int rc = 0;

	for (i = 0; !rc && !c->status && i < n; i++) {
		pipa_skip(c, attr_size);
		n_ids = pipa_get_u32(c);
		name = get_text(c);
		if (c->status || n_ids > pipa_cursor_left(c) / 8)
			return -EBADMSG;
		event = match_event(events, *c, n_ids, i);
		rc = pipa_perf_events_rename(events, event, name);
		for (; !rc && n_ids; n_ids--) {
			uint64_t id = pipa_get_u64(c);

			if (event < events->n)
				rc = pipa_perf_events_add_id(events, id, event);
		}
	}
	return rc ? rc : c->status;
}

static int decode_groups(struct pipa_cursor *c, const struct feature *feature PIPA_UNUSED,
			 struct pipa_recording *r PIPA_UNUSED, struct pipa_perf_events *events)
{
	uint32_t n = pipa_get_u32(c), i, k, leader, members;

	for (i = 0; !c->status && i < n; i++) {
		get_text(c);
		leader = pipa_get_u32(c);
		members = pipa_get_u32(c);
		for (k = 0; !c->status && k < members && leader < events->n - k; k++) {
			events->items[leader + k].leader = leader;
			events->items[leader].n_members = k + 1;
		}
	}
	return c->status;
}

/* ---- build ids ---------------------------------------------------------------------------------- */

int pipa_perf_build_id_decode(uint16_t misc, struct pipa_cursor *c, struct pipa_recording *r)
{
	enum { HAS_SIZE = 1 << 15, FIELD = 24 };
	struct pipa_recorded_file file = { .mode = (misc & 7) == 1 ? PIPA_MODE_KERNEL :
								     PIPA_MODE_USER };
	const uint8_t *bytes;

	pipa_skip(c, 4); /* pid */
	bytes = pipa_get_bytes(c, FIELD);
	file.path = pipa_get_str(c);
	if (c->status)
		return c->status;
	file.build_id.len = misc & HAS_SIZE ? bytes[PIPA_BUILD_ID_MAX] : PIPA_BUILD_ID_MAX;
	if (file.build_id.len > PIPA_BUILD_ID_MAX)
		return -EBADMSG;
	memcpy(file.build_id.bytes, bytes, file.build_id.len);
	return pipa_recording_add_file(r, &file);
}

static int decode_build_ids(struct pipa_cursor *c, const struct feature *feature PIPA_UNUSED,
			    struct pipa_recording *r, struct pipa_perf_events *events PIPA_UNUSED)
{
	int rc = 0;

	while (!rc && pipa_cursor_left(c) >= 8) {
		struct pipa_cursor entry = *c;
		uint16_t misc, size;

		pipa_skip(c, 4);
		misc = pipa_get_u16(c);
		size = pipa_get_u16(c);
		if (size < 8 || size - 8U > pipa_cursor_left(c))
			return -EBADMSG;
		entry.pos += 8;
		entry.end = entry.pos + size - 8;
		rc = pipa_perf_build_id_decode(misc, &entry, r);
		pipa_skip(c, size - 8U);
	}
	return rc;
}

static const struct feature features[] = {
	[PIPA_FEATURE_BUILD_ID] = { "build IDs", decode_build_ids },
	[PIPA_FEATURE_HOSTNAME] = { "hostname", decode_text },
	[PIPA_FEATURE_OSRELEASE] = { "os release", decode_text },
	[PIPA_FEATURE_VERSION] = { "perf version", decode_text },
	[PIPA_FEATURE_ARCH] = { "arch", decode_arch },
	[PIPA_FEATURE_NRCPUS] = { "nrcpus", decode_cpus },
	[PIPA_FEATURE_CPUDESC] = { "cpudesc", decode_text },
	[PIPA_FEATURE_CPUID] = { "cpuid", decode_text },
	[PIPA_FEATURE_TOTAL_MEM] = { "total memory", decode_memory },
	[PIPA_FEATURE_CMDLINE] = { "cmdline", decode_cmdline },
	[PIPA_FEATURE_EVENT_DESC] = { "event desc", decode_event_desc },
	[PIPA_FEATURE_CPU_TOPOLOGY] = { "cpu topology", decode_topology },
	[PIPA_FEATURE_PMU_MAPPINGS] = { "pmu mappings", decode_pmus },
	[PIPA_FEATURE_GROUP_DESC] = { "group desc", decode_groups },
	[PIPA_FEATURE_SAMPLE_TIME] = { "sample duration", decode_sample_time },
	[PIPA_FEATURE_CLOCKID] = { "clockid frequency", decode_clockid },
	[PIPA_FEATURE_COMPRESSED] = { "compressed", decode_compressed },
	[PIPA_FEATURE_CLOCK_DATA] = { "clock data", decode_clock_data },
};

int pipa_perf_feature_decode(unsigned int number, struct pipa_cursor *c,
			     struct pipa_recording *recording, struct pipa_perf_events *events)
{
	if (number >= PIPA_COUNT(features) || !features[number].decode)
		return 0;
	return features[number].decode(c, &features[number], recording, events);
}
