#include "perf/file_write.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"

enum {
	FILE_HEADER = 104,
	TEXT_ALIGN = 64,
	MAX_RECORD = 65535 & ~7,
	USER_ATTR = 64,
	USER_TRACING_DATA = 66,
	USER_BUILD_ID = 67,
	USER_EVENT_UPDATE = 78,
	USER_FEATURE = 80,
	UPDATE_NAME = 2,
};

static void put_u32(struct pipa_buf *out, uint32_t value)
{
	pipa_buf_add(out, &value, sizeof(value));
}

static void put_u64(struct pipa_buf *out, uint64_t value)
{
	pipa_buf_add(out, &value, sizeof(value));
}

/* Length with padding, then the text with its NUL and zeros. */
static void put_text(struct pipa_buf *out, const char *text)
{
	size_t len = strlen(text) + 1, padded = (len + TEXT_ALIGN - 1) / TEXT_ALIGN * TEXT_ALIGN;

	put_u32(out, (uint32_t)padded);
	pipa_buf_add(out, text, len);
	pipa_buf_fill(out, '\0', padded - len);
}

/* ---- before the records ---------------------------------------------------------------------------- */

static uint64_t ids_of(const struct pipa_perf_events *events, uint32_t event)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < events->ids.n; i++)
		n += events->ids.items[i].event == event;
	return n;
}

static void put_ids(struct pipa_buf *out, const struct pipa_perf_events *events, uint32_t event)
{
	size_t i;

	for (i = 0; i < events->ids.n; i++)
		if (events->ids.items[i].event == event)
			put_u64(out, events->ids.items[i].id);
}

size_t pipa_perf_put_head(struct pipa_buf *out, const struct pipa_perf_events *events,
			  uint64_t data_size, const uint64_t features[4])
{
	const size_t entry = sizeof(struct perf_event_attr) + 16;
	uint64_t attrs_at = FILE_HEADER + 8 * events->ids.n, ids_at = FILE_HEADER;
	uint64_t data_at = attrs_at + entry * events->n;
	uint32_t i;

	pipa_buf_add(out, "PERFILE2", 8);
	put_u64(out, FILE_HEADER);
	put_u64(out, entry);
	put_u64(out, attrs_at);
	put_u64(out, entry * events->n);
	put_u64(out, data_at);
	put_u64(out, data_size);
	put_u64(out, 0); /* event types: none */
	put_u64(out, 0);
	for (i = 0; i < 4; i++)
		put_u64(out, features[i]);
	for (i = 0; i < events->n; i++)
		put_ids(out, events, i);
	for (i = 0; i < events->n; i++) {
		uint64_t size = 8 * ids_of(events, i);

		pipa_buf_add(out, &events->items[i].attr, sizeof(struct perf_event_attr));
		put_u64(out, ids_at);
		put_u64(out, size);
		ids_at += size;
	}
	return (size_t)data_at;
}

/* ---- after them ----------------------------------------------------------------------------------- */

struct writing {
	struct pipa_buf *out;
	const struct pipa_perf_events *events;
	const struct pipa_perf_about *about;
};

typedef void (*put_fn)(const struct writing *w);

#define PUT_TEXT(name, field)                                                                      \
	static void name(const struct writing *w)                                                  \
	{                                                                                          \
		if (w->about->field)                                                               \
			put_text(w->out, w->about->field);                                         \
	}

PUT_TEXT(put_hostname, hostname)
PUT_TEXT(put_os_release, os_release)
PUT_TEXT(put_version, version)
PUT_TEXT(put_arch, arch)
PUT_TEXT(put_cpu, cpu)
PUT_TEXT(put_cpu_id, cpu_id)

static void put_tracing(const struct writing *w)
{
	if (w->about->n_tracing)
		pipa_buf_add(w->out, w->about->tracing, w->about->n_tracing);
}

/* struct perf_record_header_build_id: header, pid, build id with its size, path padded to 64 bytes. */
static void put_one_build_id(struct pipa_buf *out, uint16_t mode, const char *path,
			     const struct pipa_build_id *id)
{
	size_t len = strlen(path) + 1, padded = (len + 63) & ~(size_t)63;
	const uint16_t misc = mode | 1 << 15, size = (uint16_t)(8 + 4 + 24 + padded);
	uint8_t field[24] = { 0 };

	if (!id->len || padded > PATH_MAX + 64)
		return;
	memcpy(field, id->bytes, id->len);
	field[PIPA_BUILD_ID_MAX] = id->len;
	put_u32(out, USER_BUILD_ID);
	pipa_buf_add(out, &misc, sizeof(misc));
	pipa_buf_add(out, &size, sizeof(size));
	put_u32(out, UINT32_MAX); /* the host, not a guest */
	pipa_buf_add(out, field, sizeof(field));
	pipa_buf_add(out, path, len);
	pipa_buf_fill(out, '\0', padded - len);
}

static void put_build_id(const struct writing *w)
{
	size_t i;

	if (w->about->kernel_build_id)
		put_one_build_id(w->out, PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]",
				 w->about->kernel_build_id);
	for (i = 0; i < w->about->n_files; i++)
		put_one_build_id(w->out, PERF_RECORD_MISC_USER, w->about->files[i].path,
				 &w->about->files[i].build_id);
}

static void put_cpus(const struct writing *w)
{
	if (!w->about->cpus_online)
		return;
	put_u32(w->out, w->about->cpus_available);
	put_u32(w->out, w->about->cpus_online);
}

static void put_memory(const struct writing *w)
{
	if (w->about->memory_kb)
		put_u64(w->out, w->about->memory_kb);
}

static void put_texts(struct pipa_buf *out, const char *const *texts, size_t n)
{
	size_t i;

	put_u32(out, (uint32_t)n);
	for (i = 0; i < n; i++)
		put_text(out, texts[i]);
}

static void put_command(const struct writing *w)
{
	if (w->about->n_command)
		put_texts(w->out, w->about->command, w->about->n_command);
}

static void put_event_desc(const struct writing *w)
{
	char name[64];
	uint32_t i;

	put_u32(w->out, (uint32_t)w->events->n);
	put_u32(w->out, sizeof(struct perf_event_attr));
	for (i = 0; i < w->events->n; i++) {
		const struct pipa_perf_event *event = &w->events->items[i];

		pipa_buf_add(w->out, &event->attr, sizeof(event->attr));
		put_u32(w->out, (uint32_t)ids_of(w->events, i));
		put_text(w->out, pipa_perf_event_name(event, name));
		put_ids(w->out, w->events, i);
	}
}

static void put_topology(const struct writing *w)
{
	const struct pipa_perf_topology *t = &w->about->topology;
	size_t i;

	if (!t->n_cpus)
		return;
	put_texts(w->out, t->cores, t->n_cores);
	put_texts(w->out, t->threads, t->n_threads);
	for (i = 0; i < t->n_cpus; i++) {
		put_u32(w->out, t->core_ids[i]);
		put_u32(w->out, t->socket_ids[i]);
	}
	/* readers take what a pipe's record is padded with for the beginning of this */
	put_texts(w->out, t->dies, t->n_dies);
	for (i = 0; i < t->n_cpus; i++)
		put_u32(w->out, t->die_ids ? t->die_ids[i] : UINT32_MAX);
}

static void put_pmus(const struct writing *w)
{
	size_t i;

	if (!w->about->n_pmus)
		return;
	put_u32(w->out, (uint32_t)w->about->n_pmus);
	for (i = 0; i < w->about->n_pmus; i++) {
		put_u32(w->out, w->about->pmus[i].type);
		put_text(w->out, w->about->pmus[i].name);
	}
}

/* "{cycles,faults}": leader and members, for each group of more than one */
static void put_groups(const struct writing *w)
{
	const struct pipa_perf_events *events = w->events;
	uint32_t i, n = 0;

	for (i = 0; i < events->n; i++)
		n += events->items[i].n_members > 1;
	if (!n)
		return;
	put_u32(w->out, n);
	for (i = 0; i < events->n; i++) {
		if (events->items[i].n_members <= 1)
			continue;
		put_text(w->out, "{anon_group}");
		put_u32(w->out, i);
		put_u32(w->out, events->items[i].n_members);
	}
}

static void put_sample_time(const struct writing *w)
{
	if (!w->about->last_ns)
		return;
	put_u64(w->out, w->about->first_ns);
	put_u64(w->out, w->about->last_ns);
}

static void put_clock_res(const struct writing *w)
{
	if (w->about->clock_res_ns)
		put_u64(w->out, w->about->clock_res_ns);
}

static void put_compressed(const struct writing *w)
{
	if (!w->about->compressed.ring_bytes)
		return;
	put_u32(w->out, 1); /* version */
	put_u32(w->out, 1); /* zstd */
	put_u32(w->out, w->about->compressed.level);
	put_u32(w->out, w->about->compressed.ratio);
	put_u32(w->out, w->about->compressed.ring_bytes);
}

static void put_clock_data(const struct writing *w)
{
	if (!w->about->clock_ns)
		return;
	put_u32(w->out, 1); /* version */
	put_u32(w->out, w->about->clock_id);
	put_u64(w->out, w->about->clock_wall_ns);
	put_u64(w->out, w->about->clock_ns);
}

static const put_fn puts_of[] = {
	[PIPA_FEATURE_TRACING_DATA] = put_tracing,  [PIPA_FEATURE_BUILD_ID] = put_build_id,
	[PIPA_FEATURE_HOSTNAME] = put_hostname,	    [PIPA_FEATURE_OSRELEASE] = put_os_release,
	[PIPA_FEATURE_VERSION] = put_version,	    [PIPA_FEATURE_ARCH] = put_arch,
	[PIPA_FEATURE_NRCPUS] = put_cpus,	    [PIPA_FEATURE_CPUDESC] = put_cpu,
	[PIPA_FEATURE_CPUID] = put_cpu_id,	    [PIPA_FEATURE_TOTAL_MEM] = put_memory,
	[PIPA_FEATURE_CMDLINE] = put_command,	    [PIPA_FEATURE_EVENT_DESC] = put_event_desc,
	[PIPA_FEATURE_CPU_TOPOLOGY] = put_topology, [PIPA_FEATURE_PMU_MAPPINGS] = put_pmus,
	[PIPA_FEATURE_GROUP_DESC] = put_groups,	    [PIPA_FEATURE_SAMPLE_TIME] = put_sample_time,
	[PIPA_FEATURE_CLOCKID] = put_clock_res,	    [PIPA_FEATURE_COMPRESSED] = put_compressed,
	[PIPA_FEATURE_CLOCK_DATA] = put_clock_data,
};

void pipa_perf_put_features(struct pipa_buf *out, const struct pipa_perf_events *events,
			    const struct pipa_perf_about *about, uint64_t at, uint64_t bits[4])
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bodies = { 0 };
	const struct writing w = { &bodies, events, about };
	uint64_t sections[PIPA_COUNT(puts_of) + 1][2], table;
	size_t i, n = 0;

	memset(bits, 0, 4 * sizeof(*bits));
	for (i = 0; i < PIPA_COUNT(puts_of); i++) {
		size_t before = bodies.len;

		if (!puts_of[i])
			continue;
		puts_of[i](&w);
		if (bodies.len == before)
			continue;
		bits[0] |= UINT64_C(1) << i;
		sections[n][0] = before;
		sections[n++][1] = bodies.len - before;
	}
	if (about->keeps_files) {
		bits[PIPA_FEATURE_KEPT_FILES / 64] |= UINT64_C(1) << PIPA_FEATURE_KEPT_FILES % 64;
		sections[n][0] = bodies.len;
		sections[n++][1] = 0;
	}
	table = 16 * n;
	for (i = 0; i < n; i++) {
		put_u64(out, at + table + sections[i][0]);
		put_u64(out, sections[i][1]);
	}
	pipa_buf_add(out, pipa_buf_str(&bodies), bodies.len);
	if (bodies.status)
		out->status = bodies.status;
}

/* ---- through a pipe -------------------------------------------------------------------------------- */

/* Zeros up to a multiple of 8, and its size into the header at `at`; false when it is too long. */
static bool end_record(struct pipa_buf *out, size_t at)
{
	uint16_t size;

	pipa_buf_fill(out, '\0', (8 - (out->len - at) % 8) % 8);
	if (out->status || out->len - at > MAX_RECORD)
		return false;
	size = (uint16_t)(out->len - at);
	memcpy(out->data + at + 6, &size, sizeof(size));
	return true;
}

static size_t begin_record(struct pipa_buf *out, uint32_t type)
{
	size_t at = out->len;

	put_u32(out, type);
	put_u32(out, 0);
	return at;
}

static bool put_attr_record(struct pipa_buf *out, const struct pipa_perf_events *events,
			    uint32_t event)
{
	size_t at = begin_record(out, USER_ATTR);

	pipa_buf_add(out, &events->items[event].attr, sizeof(struct perf_event_attr));
	put_ids(out, events, event);
	return end_record(out, at);
}

static void put_name_record(struct pipa_buf *out, const struct pipa_perf_events *events,
			    uint32_t event)
{
	char name[64];
	size_t at, i;

	for (i = 0; i < events->ids.n && events->ids.items[i].event != event; i++)
		;
	if (i == events->ids.n)
		return;
	at = begin_record(out, USER_EVENT_UPDATE);
	put_u64(out, UPDATE_NAME);
	put_u64(out, events->ids.items[i].id);
	pipa_buf_puts(out, pipa_perf_event_name(&events->items[event], name));
	pipa_buf_putc(out, '\0');
	end_record(out, at);
}

/* The size is in the record, the data after it: it may be longer than a record. */
static void put_tracing_record(struct pipa_buf *out, const struct pipa_perf_about *about)
{
	const uint16_t size = 12;
	size_t at, padded = (about->n_tracing + 7) & ~(size_t)7;

	if (!about->n_tracing)
		return;
	at = begin_record(out, USER_TRACING_DATA);
	put_u32(out, (uint32_t)padded);
	if (!out->status)
		memcpy(out->data + at + 6, &size, sizeof(size));
	pipa_buf_add(out, about->tracing, about->n_tracing);
	pipa_buf_fill(out, '\0', padded - about->n_tracing);
}

/* One that is too long for a record is left out: none is needed to read the samples. */
static void put_feature_record(const struct writing *w, unsigned int number)
{
	size_t at = begin_record(w->out, USER_FEATURE), before;

	put_u64(w->out, number);
	before = w->out->len;
	puts_of[number](w);
	if (w->out->status)
		return;
	if (w->out->len == before || w->out->len - at > MAX_RECORD)
		w->out->len = at;
	else
		end_record(w->out, at);
}

int pipa_perf_put_pipe_head(struct pipa_buf *out, const struct pipa_perf_events *events,
			    const struct pipa_perf_about *about)
{
	const struct writing w = { out, events, about };
	uint32_t i;

	pipa_buf_add(out, "PERFILE2", 8);
	put_u64(out, 16);
	for (i = 0; i < events->n; i++)
		if (!put_attr_record(out, events, i))
			return out->status ? out->status : -E2BIG;
	for (i = 0; i < events->n; i++)
		put_name_record(out, events, i);
	for (i = PIPA_FEATURE_HOSTNAME; i < PIPA_COUNT(puts_of); i++)
		if (puts_of[i])
			put_feature_record(&w, i);
	put_tracing_record(out, about);
	put_build_id(&w);
	return out->status;
}
