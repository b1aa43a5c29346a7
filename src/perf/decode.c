#include "perf/decode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/cursor.h"
#include "perf/record_fields.h"
#include "perf/sample.h"

/* Of newer kernels than the headers we may be built with. */
enum {
	RECORD_CGROUP = 19,
	MISC_CPUMODE = 7,
	MISC_13 = 1 << 13, /* data mapping, exec, switched out: by the record's type */
	MISC_14 = 1 << 14, /* build id inside, preempted */
};

/* Index of each word of samples that have only fields of one word and a call chain. */
struct plain_layout {
	uint64_t sample_type;
	bool usable; /* the samples of this type have no other fields */
	int8_t id, ip, task, time, addr, stream_id, cpu, period; /* -1: not in the sample */
	int8_t chain;						 /* its length; the words follow */
};

struct pipa_perf_decoder {
	const struct pipa_perf_events *events;
	struct plain_layout plain; /* of the only event */
	struct pipa_perf_scratch scratch;
	uint32_t event; /* of the sample; PIPA_UNKNOWN32: it is to be cleared */
	struct pipa_rec_sample sample;
};

int pipa_perf_decoder_new(const struct pipa_perf_events *events, struct pipa_perf_decoder **ret)
{
	struct pipa_perf_decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		return -ENOMEM;
	decoder->events = events;
	decoder->event = PIPA_UNKNOWN32;
	decoder->plain.sample_type = UINT64_MAX; /* not set yet */
	*ret = decoder;
	return 0;
}

void pipa_perf_decoder_free(struct pipa_perf_decoder *decoder)
{
	free(decoder);
}

static struct pipa_cursor cursor_of(const struct pipa_perf_raw *raw)
{
	return (struct pipa_cursor){ raw->body, raw->body + raw->len, raw->swapped, 0 };
}

/* ---- whose it is --------------------------------------------------------------------------------- */

static const struct perf_event_attr *attr_of(const struct pipa_perf_events *events, uint32_t event)
{
	return event < events->n ? &events->items[event].attr : NULL;
}

/*
 * With several events, an id tells which one a record belongs to; it is at the same place for all
 * of them, or they could not be told apart, so the first event's layout finds it.
 */
static uint32_t find_event(const struct pipa_perf_events *events, uint64_t id)
{
	uint32_t event;

	if (!events->n)
		return PIPA_UNKNOWN32;
	if (id != PIPA_UNKNOWN && id) {
		event = pipa_perf_events_find(events, id);
		if (event != PIPA_UNKNOWN32)
			return event;
	}
	return events->n == 1 || id == PIPA_UNKNOWN ? 0 : PIPA_UNKNOWN32;
}

static int decode_sample_id(const struct pipa_perf_decoder *d, const struct pipa_perf_raw *raw,
			    struct pipa_rec_id *id)
{
	const struct perf_event_attr *attr = attr_of(d->events, 0);
	struct pipa_cursor c = cursor_of(raw);

	if (!attr)
		return -EBADMSG;
	/* of one event it can be no other, whatever its id */
	id->event = d->events->n == 1 ? 0 :
					find_event(d->events, pipa_perf_sample_peek_id(attr, c));
	attr = attr_of(d->events, id->event);
	return attr ? pipa_perf_sample_id(attr, &c, id) : -EBADMSG;
}

/* Filled in where it will be read: a copy of fields that were just written waits for all of them. */
int pipa_perf_decode_id(const struct pipa_perf_decoder *d, const struct pipa_perf_raw *raw,
			struct pipa_rec_id *id)
{
	const struct perf_event_attr *attr = attr_of(d->events, 0);
	int rc = 0;

	*id = (struct pipa_rec_id){ .pid = PIPA_UNKNOWN32,
				    .tid = PIPA_UNKNOWN32,
				    .time = PIPA_UNKNOWN,
				    .id = PIPA_UNKNOWN,
				    .stream_id = PIPA_UNKNOWN,
				    .cpu = PIPA_UNKNOWN32,
				    .event = PIPA_UNKNOWN32,
				    .at = raw->at };
	if (raw->type == PERF_RECORD_SAMPLE)
		rc = decode_sample_id(d, raw, id);
	else if (attr && attr->sample_id_all && raw->type < PIPA_PERF_USER_TYPES)
		rc = pipa_perf_trailer_id(attr, raw->body, raw->len, raw->swapped, id);
	if (rc < 0)
		return rc;
	if (raw->type != PERF_RECORD_SAMPLE && id->id != PIPA_UNKNOWN)
		id->event = find_event(d->events, id->id);
	if (attr && attr->sample_id_all && attr->sample_type & PERF_SAMPLE_TIME)
		id->order = id->time == PIPA_UNKNOWN ? 0 : id->time;
	else
		id->order = raw->at;
	return 0;
}

/* ---- the records --------------------------------------------------------------------------------- */

static enum pipa_mode mode_of(uint16_t misc)
{
	static const enum pipa_mode modes[MISC_CPUMODE + 1] = {
		[PERF_RECORD_MISC_KERNEL] = PIPA_MODE_KERNEL,
		[PERF_RECORD_MISC_USER] = PIPA_MODE_USER,
		[PERF_RECORD_MISC_HYPERVISOR] = PIPA_MODE_HYPERVISOR,
		[PERF_RECORD_MISC_GUEST_KERNEL] = PIPA_MODE_GUEST_KERNEL,
		[PERF_RECORD_MISC_GUEST_USER] = PIPA_MODE_GUEST_USER,
	};

	return modes[misc & MISC_CPUMODE];
}

/*
 * Does a build id stand where a device and an inode would? The kernel (6.18 still) leaves the flag
 * of one listener's record set for the next listener, whether that one requested ids or not. Where
 * no event did, only what we or perf wrote by themselves can be one, and theirs have one of two
 * lengths.
 */
static bool carries_id(const struct pipa_perf_events *events, const struct pipa_perf_raw *raw,
		       struct pipa_cursor c)
{
	uint32_t i, len;

	if (raw->type != PERF_RECORD_MMAP2 || !(raw->misc & MISC_14))
		return false;
	for (i = 0; i < events->n; i++) {
		if (events->items[i].attr.build_id)
			return true;
	}
	len = pipa_get_u8(&c);
	return (len == 16 || len == 20) && !pipa_get_u8(&c) && !pipa_get_u8(&c) && !pipa_get_u8(&c);
}

static int decode_map(const struct pipa_perf_events *events, struct pipa_cursor *c,
		      const struct pipa_perf_raw *raw, const struct pipa_rec_id *id,
		      struct pipa_record_sink *sink)
{
	struct pipa_rec_map map = { .executable = !(raw->misc & MISC_13),
				    .mode = mode_of(raw->misc) };
	const uint8_t *build_id;

	map.pid = pipa_get_u32(c);
	map.tid = pipa_get_u32(c);
	map.start = pipa_get_u64(c);
	map.len = pipa_get_u64(c);
	map.file_offset = pipa_get_u64(c);
	if (carries_id(events, raw, *c)) {
		map.build_id.len = pipa_get_u8(c);
		pipa_skip(c, 3);
		build_id = pipa_get_bytes(c, PIPA_BUILD_ID_MAX);
		if (map.build_id.len > PIPA_BUILD_ID_MAX)
			map.build_id.len = 0;
		if (build_id)
			memcpy(map.build_id.bytes, build_id, map.build_id.len);
	} else if (raw->type == PERF_RECORD_MMAP2) {
		map.major = pipa_get_u32(c);
		map.minor = pipa_get_u32(c);
		map.inode = pipa_get_u64(c);
		map.inode_generation = pipa_get_u64(c);
	}
	if (raw->type == PERF_RECORD_MMAP2) {
		map.prot = pipa_get_u32(c);
		map.flags = pipa_get_u32(c);
	}
	map.path = pipa_get_str(c);
	if (c->status)
		return c->status;
	return sink->map ? sink->map(sink, id, &map) : 0;
}

static int decode_comm(struct pipa_cursor *c, const struct pipa_perf_raw *raw,
		       const struct pipa_rec_id *id, struct pipa_record_sink *sink)
{
	struct pipa_rec_comm comm = { .exec = raw->misc & MISC_13 };

	comm.pid = pipa_get_u32(c);
	comm.tid = pipa_get_u32(c);
	comm.name = pipa_get_str(c);
	if (c->status)
		return c->status;
	return sink->comm ? sink->comm(sink, id, &comm) : 0;
}

static int decode_task(struct pipa_cursor *c, const struct pipa_perf_raw *raw,
		       const struct pipa_rec_id *id, struct pipa_record_sink *sink)
{
	struct pipa_rec_task task = { .synthesized = raw->misc & MISC_13 };

	task.pid = pipa_get_u32(c);
	task.parent_pid = pipa_get_u32(c);
	task.tid = pipa_get_u32(c);
	task.parent_tid = pipa_get_u32(c);
	task.time = pipa_get_u64(c);
	if (c->status)
		return c->status;
	if (raw->type == PERF_RECORD_FORK)
		return sink->fork ? sink->fork(sink, id, &task) : 0;
	return sink->exit ? sink->exit(sink, id, &task) : 0;
}

static int decode_lost(struct pipa_cursor *c, const struct pipa_perf_raw *raw,
		       const struct pipa_rec_id *id, const struct pipa_perf_events *events,
		       struct pipa_record_sink *sink)
{
	struct pipa_rec_lost lost = { .samples = raw->type == PERF_RECORD_LOST_SAMPLES };
	struct pipa_rec_id whose = *id;
	uint64_t event_id;

	if (!lost.samples) {
		event_id = pipa_get_u64(c);
		whose.event = find_event(events, event_id);
	}
	lost.lost = pipa_get_u64(c);
	if (c->status)
		return c->status;
	return sink->lost ? sink->lost(sink, &whose, &lost) : 0;
}

static int decode_throttle(struct pipa_cursor *c, const struct pipa_perf_raw *raw,
			   const struct pipa_rec_id *id, const struct pipa_perf_events *events,
			   struct pipa_record_sink *sink)
{
	struct pipa_rec_throttle throttle = { .on = raw->type == PERF_RECORD_THROTTLE };
	struct pipa_rec_id whose = *id;
	uint64_t time = pipa_get_u64(c), event_id = pipa_get_u64(c);

	pipa_skip(c, 8);
	if (c->status)
		return c->status;
	if (whose.time == PIPA_UNKNOWN)
		whose.time = time;
	whose.event = find_event(events, event_id);
	return sink->throttle ? sink->throttle(sink, &whose, &throttle) : 0;
}

static int decode_switch(struct pipa_cursor *c, const struct pipa_perf_raw *raw,
			 const struct pipa_rec_id *id, struct pipa_record_sink *sink)
{
	struct pipa_rec_switch change = { .out = raw->misc & MISC_13,
					  .preempted = raw->misc & MISC_14,
					  .other_pid = PIPA_UNKNOWN32,
					  .other_tid = PIPA_UNKNOWN32 };

	if (raw->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		change.other_pid = pipa_get_u32(c);
		change.other_tid = pipa_get_u32(c);
	}
	if (c->status)
		return c->status;
	return sink->switched ? sink->switched(sink, id, &change) : 0;
}

static int decode_ksymbol(struct pipa_cursor *c, const struct pipa_rec_id *id,
			  struct pipa_record_sink *sink)
{
	struct pipa_rec_ksymbol symbol;
	uint16_t type, flags;

	symbol.start = pipa_get_u64(c);
	symbol.len = pipa_get_u32(c);
	type = pipa_get_u16(c);
	flags = pipa_get_u16(c);
	symbol.bpf = type == 1;
	symbol.removed = flags & 1;
	symbol.name = pipa_get_str(c);
	if (c->status)
		return c->status;
	return sink->ksymbol ? sink->ksymbol(sink, id, &symbol) : 0;
}

static int decode_cgroup(struct pipa_cursor *c, const struct pipa_rec_id *id,
			 struct pipa_record_sink *sink)
{
	struct pipa_rec_cgroup cgroup;

	cgroup.id = pipa_get_u64(c);
	cgroup.path = pipa_get_str(c);
	if (c->status)
		return c->status;
	return sink->cgroup ? sink->cgroup(sink, id, &cgroup) : 0;
}

/*
 * Samples of one event have the same fields, and decoding writes all of them: the others stay clear. The sample
 * of another event, or one after a malformed one, begins with none.
 */
static int decode_sample(struct pipa_perf_decoder *d, const struct pipa_perf_raw *raw,
			 const struct pipa_rec_id *id, struct pipa_record_sink *sink)
{
	const struct perf_event_attr *attr = attr_of(d->events, id->event);
	struct pipa_cursor c = cursor_of(raw);
	int rc;

	if (!sink->sample)
		return 0;
	if (!attr)
		return -EBADMSG;
	if (id->event != d->event)
		d->sample = (struct pipa_rec_sample){ 0 };
	d->sample.mode = mode_of(raw->misc);
	rc = pipa_perf_sample_decode(attr, &c, &d->scratch, &d->sample);
	d->event = rc < 0 ? PIPA_UNKNOWN32 : id->event;
	return rc < 0 ? rc : sink->sample(sink, id, &d->sample);
}

int pipa_perf_decode(struct pipa_perf_decoder *d, const struct pipa_perf_raw *raw,
		     const struct pipa_rec_id *id, struct pipa_record_sink *sink)
{
	struct pipa_cursor c = cursor_of(raw);

	switch (raw->type) {
	case PERF_RECORD_SAMPLE: return decode_sample(d, raw, id, sink);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return decode_map(d->events, &c, raw, id, sink);
	case PERF_RECORD_COMM: return decode_comm(&c, raw, id, sink);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: return decode_task(&c, raw, id, sink);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES: return decode_lost(&c, raw, id, d->events, sink);
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE: return decode_throttle(&c, raw, id, d->events, sink);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: return decode_switch(&c, raw, id, sink);
	case PERF_RECORD_KSYMBOL: return decode_ksymbol(&c, id, sink);
	case RECORD_CGROUP: return decode_cgroup(&c, id, sink);
	default: return pipa_perf_decode_other(d, raw, id, false, sink);
	}
}

int pipa_perf_decode_other(const struct pipa_perf_decoder *d, const struct pipa_perf_raw *raw,
			   const struct pipa_rec_id *id, bool malformed,
			   struct pipa_record_sink *sink)
{
	const struct perf_event_attr *attr = attr_of(d->events,
						     id->event < d->events->n ? id->event : 0);
	struct pipa_rec_field fields[PIPA_PERF_FIELDS_MAX];
	struct pipa_rec_other other = { .body = raw->body,
					.len = raw->len,
					.malformed = malformed };

	if (!sink->other)
		return 0;
	if (!malformed) {
		other.fields = fields;
		other.n_fields = pipa_perf_record_fields(raw, attr ? attr->read_format : 0, fields,
							 &other.complete);
	}
	return sink->other(sink, id, &other);
}

/* ---- plain samples ------------------------------------------------------------------------------- */

/* Find the words of samples of a type; see perf/sample.c for their order. */
static void set_plain_layout(struct plain_layout *layout, uint64_t type)
{
	const struct {
		uint64_t bit;
		int8_t *index;
	} words[] = {
		{ PERF_SAMPLE_IDENTIFIER, &layout->id },
		{ PERF_SAMPLE_IP, &layout->ip },
		{ PERF_SAMPLE_TID, &layout->task },
		{ PERF_SAMPLE_TIME, &layout->time },
		{ PERF_SAMPLE_ADDR, &layout->addr },
		{ PERF_SAMPLE_ID, &layout->id },
		{ PERF_SAMPLE_STREAM_ID, &layout->stream_id },
		{ PERF_SAMPLE_CPU, &layout->cpu },
		{ PERF_SAMPLE_PERIOD, &layout->period },
		{ PERF_SAMPLE_CALLCHAIN, &layout->chain },
	};
	uint64_t rest = type;
	int8_t next = 0;
	size_t i;

	layout->sample_type = type;
	layout->id = -1;
	for (i = 0; i < PIPA_COUNT(words); i++) {
		rest &= ~words[i].bit;
		if (type & words[i].bit)
			*words[i].index = next++;
		else if (words[i].index != &layout->id)
			*words[i].index = -1;
	}
	layout->usable = !rest && layout->chain >= 0;
}

/* Return the layout of all samples, or NULL if they have several events or other fields. */
static const struct plain_layout *plain_layout_of(struct pipa_perf_decoder *d)
{
	if (d->events->n != 1)
		return NULL;
	if (d->plain.sample_type != d->events->items[0].attr.sample_type)
		set_plain_layout(&d->plain, d->events->items[0].attr.sample_type);
	return d->plain.usable ? &d->plain : NULL;
}

static inline uint64_t plain_word(const uint64_t *words, int8_t index)
{
	return index < 0 ? PIPA_UNKNOWN : words[index];
}

/*
 * Decode a sample of the only event in one step: nearly all records of most files are such samples.
 * The record is at least as long as its chain.
 */
static int decode_plain(struct pipa_perf_decoder *d, const struct plain_layout *layout,
			const struct pipa_perf_raw *raw, struct pipa_record_sink *sink)
{
	const struct perf_event_attr *attr = &d->events->items[0].attr;
	const uint64_t *words = (const void *)raw->body;
	struct pipa_rec_sample *s = &d->sample;
	struct pipa_rec_id id;

	id.pid = id.tid = id.cpu = PIPA_UNKNOWN32;
	if (layout->task >= 0) {
		memcpy(&id.pid, &words[layout->task], sizeof(id.pid));
		memcpy(&id.tid, (const char *)&words[layout->task] + sizeof(id.pid),
		       sizeof(id.tid));
	}
	if (layout->cpu >= 0)
		memcpy(&id.cpu, &words[layout->cpu], sizeof(id.cpu));
	id.time = plain_word(words, layout->time);
	id.id = plain_word(words, layout->id);
	id.stream_id = plain_word(words, layout->stream_id);
	id.event = 0;
	id.at = raw->at;
	id.order = raw->at;
	if (attr->sample_id_all && layout->time >= 0)
		id.order = id.time == PIPA_UNKNOWN ? 0 : id.time;

	if (d->event != 0)
		*s = (struct pipa_rec_sample){ 0 };
	d->event = 0;
	s->mode = mode_of(raw->misc);
	s->ip = plain_word(words, layout->ip);
	s->addr = plain_word(words, layout->addr);
	s->period = layout->period < 0 ? attr->sample_period : words[layout->period];
	s->chain_len = (size_t)words[layout->chain];
	s->chain = &words[layout->chain + 1];
	return sink->sample(sink, &id, s);
}

int pipa_perf_decode_record(struct pipa_perf_decoder *d, const struct pipa_perf_raw *raw,
			    struct pipa_record_sink *sink)
{
	struct pipa_rec_id id;
	int rc;

	if (raw->type == PERF_RECORD_SAMPLE && !raw->swapped && sink->sample) {
		const struct plain_layout *layout = plain_layout_of(d);
		size_t n = raw->len / sizeof(uint64_t);

		if (layout && n > (size_t)layout->chain &&
		    ((const uint64_t *)(const void *)raw->body)[layout->chain] <
			    n - (size_t)layout->chain)
			return decode_plain(d, layout, raw, sink);
	}
	rc = pipa_perf_decode_id(d, raw, &id);
	return rc < 0 ? rc : pipa_perf_decode(d, raw, &id, sink);
}

const char *pipa_perf_record_name(uint32_t type, char buf[static 24])
{
	static const char *const kernel[] = {
		[1] = "MMAP",
		"LOST",
		"COMM",
		"EXIT",
		"THROTTLE",
		"UNTHROTTLE",
		"FORK",
		"READ",
		"SAMPLE",
		"MMAP2",
		"AUX",
		"ITRACE_START",
		"LOST_SAMPLES",
		"SWITCH",
		"SWITCH_CPU_WIDE",
		"NAMESPACES",
		"KSYMBOL",
		"BPF_EVENT",
		"CGROUP",
		"TEXT_POKE",
		"AUX_OUTPUT_HW_ID",
		"CALLCHAIN_DEFERRED",
	};
	static const char *const user[] = {
		"ATTR",		"EVENT_TYPE",	 "TRACING_DATA", "BUILD_ID",	   "FINISHED_ROUND",
		"ID_INDEX",	"AUXTRACE_INFO", "AUXTRACE",	 "AUXTRACE_ERROR", "THREAD_MAP",
		"CPU_MAP",	"STAT_CONFIG",	 "STAT",	 "STAT_ROUND",	   "EVENT_UPDATE",
		"TIME_CONV",	"FEATURE",	 "COMPRESSED",	 "FINISHED_INIT",  "COMPRESSED2",
		"BPF_METADATA",
	};
	const char *name = NULL;

	if (type < PIPA_COUNT(kernel))
		name = kernel[type];
	else if (type >= PIPA_PERF_USER_TYPES && type - PIPA_PERF_USER_TYPES < PIPA_COUNT(user))
		name = user[type - PIPA_PERF_USER_TYPES];
	if (!name)
		snprintf(buf, 24, "type %u", type);
	return name ? name : buf;
}
