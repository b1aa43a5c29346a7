#include "lib/stream_bytes.h"

#include <string.h>

enum { CGROUP = 19, ROUND = 68, BIT_13 = 1 << 13, BIT_14 = 1 << 14, HW_INDEX = 1 << 17 };

/* ---- numbers, of either byte order --------------------------------------------------------------- */

static void u16(struct stream *s, uint16_t value)
{
	value = s->swapped ? __builtin_bswap16(value) : value;
	pipa_buf_add(&s->records, &value, sizeof(value));
}

static void u32(struct stream *s, uint32_t value)
{
	value = s->swapped ? __builtin_bswap32(value) : value;
	pipa_buf_add(&s->records, &value, sizeof(value));
}

static void u64(struct stream *s, uint64_t value)
{
	value = s->swapped ? __builtin_bswap64(value) : value;
	pipa_buf_add(&s->records, &value, sizeof(value));
}

static size_t begin(struct stream *s, uint32_t type, unsigned int misc)
{
	size_t at = s->records.len;

	u32(s, type);
	u16(s, (uint16_t)misc);
	u16(s, 0);
	return at;
}

static void end(struct stream *s, size_t at)
{
	uint16_t size;

	pipa_buf_fill(&s->records, '\0', (8 - (s->records.len - at) % 8) % 8);
	size = (uint16_t)(s->records.len - at);
	size = s->swapped ? __builtin_bswap16(size) : size;
	memcpy(s->records.data + at + 6, &size, sizeof(size));
}

static void text(struct stream *s, const char *what)
{
	size_t len = strlen(what);

	pipa_buf_add(&s->records, what, len);
	pipa_buf_fill(&s->records, '\0', 8 - (s->records.len) % 8);
}

/* The sample_id fields at the end of every record but samples. */
static void finish(struct stream *s, size_t at, const struct perf_event_attr *attr,
		   const struct pipa_rec_id *id)
{
	uint64_t type = attr->sample_id_all ? attr->sample_type : 0;

	if (type & PERF_SAMPLE_TID) {
		u32(s, id->pid);
		u32(s, id->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		u64(s, id->time);
	if (type & PERF_SAMPLE_ID)
		u64(s, id->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		u64(s, id->stream_id);
	if (type & PERF_SAMPLE_CPU) {
		u32(s, id->cpu);
		u32(s, 0);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		u64(s, id->id);
	end(s, at);
}

static unsigned int misc_of(enum pipa_mode mode)
{
	static const unsigned int bits[] = {
		[PIPA_MODE_UNKNOWN] = 0,      [PIPA_MODE_KERNEL] = 1,
		[PIPA_MODE_USER] = 2,	      [PIPA_MODE_HYPERVISOR] = 3,
		[PIPA_MODE_GUEST_KERNEL] = 4, [PIPA_MODE_GUEST_USER] = 5,
	};

	return bits[mode];
}

uint64_t stream_id_of(const struct stream *s, uint32_t event)
{
	size_t i;

	for (i = 0; i < s->events->ids.n; i++)
		if (s->events->ids.items[i].event == event)
			return s->events->ids.items[i].id;
	return event == PIPA_UNKNOWN32 ? 0 : PIPA_UNKNOWN;
}

/* ---- the records ---------------------------------------------------------------------------------- */

void stream_put_map(struct stream *s, const struct perf_event_attr *attr,
		    const struct pipa_rec_id *id, const struct pipa_rec_map *map)
{
	size_t at = begin(s, PERF_RECORD_MMAP2,
			  misc_of(map->mode) | (map->executable ? 0 : BIT_13) |
				  (map->build_id.len ? BIT_14 : 0));
	const uint8_t size[4] = { map->build_id.len };

	u32(s, map->pid);
	u32(s, map->tid);
	u64(s, map->start);
	u64(s, map->len);
	u64(s, map->file_offset);
	if (map->build_id.len) {
		pipa_buf_add(&s->records, size, sizeof(size));
		pipa_buf_add(&s->records, map->build_id.bytes, PIPA_BUILD_ID_MAX);
	} else {
		u32(s, map->major);
		u32(s, map->minor);
		u64(s, map->inode);
		u64(s, map->inode_generation);
	}
	u32(s, map->prot);
	u32(s, map->flags);
	text(s, map->path);
	finish(s, at, attr, id);
}

void stream_put_comm(struct stream *s, const struct perf_event_attr *attr,
		     const struct pipa_rec_id *id, const struct pipa_rec_comm *comm)
{
	size_t at = begin(s, PERF_RECORD_COMM, comm->exec ? BIT_13 : 0);

	u32(s, comm->pid);
	u32(s, comm->tid);
	text(s, comm->name);
	finish(s, at, attr, id);
}

void stream_put_task(struct stream *s, const struct perf_event_attr *attr,
		     const struct pipa_rec_id *id, const struct pipa_rec_task *task, uint32_t type)
{
	size_t at = begin(s, type, task->synthesized ? BIT_13 : 0);

	u32(s, task->pid);
	u32(s, task->parent_pid);
	u32(s, task->tid);
	u32(s, task->parent_tid);
	u64(s, task->time);
	finish(s, at, attr, id);
}

void stream_put_lost(struct stream *s, const struct perf_event_attr *attr,
		     const struct pipa_rec_id *id, const struct pipa_rec_lost *lost)
{
	size_t at = begin(s, lost->samples ? PERF_RECORD_LOST_SAMPLES : PERF_RECORD_LOST, 0);

	if (!lost->samples)
		u64(s, stream_id_of(s, id->event));
	u64(s, lost->lost);
	finish(s, at, attr, id);
}

void stream_put_throttle(struct stream *s, const struct perf_event_attr *attr,
			 const struct pipa_rec_id *id, const struct pipa_rec_throttle *throttle)
{
	size_t at = begin(s, throttle->on ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE, 0);

	u64(s, id->time);
	u64(s, stream_id_of(s, id->event));
	u64(s, 0);
	finish(s, at, attr, id);
}

void stream_put_switch(struct stream *s, const struct perf_event_attr *attr,
		       const struct pipa_rec_id *id, const struct pipa_rec_switch *change)
{
	bool wide = change->other_pid != PIPA_UNKNOWN32 || change->other_tid != PIPA_UNKNOWN32;
	size_t at = begin(s, wide ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH,
			  (change->out ? BIT_13 : 0) | (change->preempted ? BIT_14 : 0));

	if (wide) {
		u32(s, change->other_pid);
		u32(s, change->other_tid);
	}
	finish(s, at, attr, id);
}

void stream_put_ksymbol(struct stream *s, const struct perf_event_attr *attr,
			const struct pipa_rec_id *id, const struct pipa_rec_ksymbol *symbol)
{
	size_t at = begin(s, PERF_RECORD_KSYMBOL, 0);

	u64(s, symbol->start);
	u32(s, symbol->len);
	u16(s, symbol->bpf);
	u16(s, symbol->removed);
	text(s, symbol->name);
	finish(s, at, attr, id);
}

void stream_put_cgroup(struct stream *s, const struct perf_event_attr *attr,
		       const struct pipa_rec_id *id, const struct pipa_rec_cgroup *cgroup)
{
	size_t at = begin(s, CGROUP, 0);

	u64(s, cgroup->id);
	text(s, cgroup->path);
	finish(s, at, attr, id);
}

void stream_put_round(struct stream *s)
{
	end(s, begin(s, ROUND, 0));
}

/* ---- a sample --------------------------------------------------------------------------------------- */

static void put_values(struct stream *s, uint64_t format, const struct pipa_rec_sample *sample)
{
	size_t i;

	u64(s, format & PERF_FORMAT_GROUP ? sample->n_values : sample->values[0].value);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		u64(s, sample->enabled_ns);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		u64(s, sample->running_ns);
	for (i = 0; i < sample->n_values; i++) {
		if (format & PERF_FORMAT_GROUP)
			u64(s, sample->values[i].value);
		if (format & PERF_FORMAT_ID)
			u64(s, sample->values[i].id);
		if (format & PIPA_FORMAT_LOST)
			u64(s, sample->values[i].lost);
	}
}

/* Bit fields are filled from the other end there: 4 of one bit, 16 bits, 4, 2, 4, 3. */
static uint64_t branch_flags(const struct stream *s, uint64_t flags)
{
	static const unsigned int widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	unsigned int i, low = 0;
	uint64_t turned = 0;

	for (i = 0; i < PIPA_COUNT(widths); i++) {
		uint64_t field = flags >> low & ((UINT64_C(1) << widths[i]) - 1);

		low += widths[i];
		turned |= field << (64 - low);
	}
	return s->swapped ? turned : flags;
}

static void put_branches(struct stream *s, const struct perf_event_attr *attr,
			 const struct pipa_rec_sample *sample)
{
	size_t i;

	u64(s, sample->n_branches);
	if (attr->branch_sample_type & HW_INDEX)
		u64(s, 0);
	for (i = 0; i < sample->n_branches; i++) {
		u64(s, sample->branches[i].from);
		u64(s, sample->branches[i].to);
		u64(s, branch_flags(s, sample->branches[i].flags));
	}
}

static void put_regs(struct stream *s, const struct pipa_rec_regs *regs)
{
	int i;

	u64(s, regs->abi);
	for (i = 0; regs->abi && i < __builtin_popcountll(regs->mask); i++)
		u64(s, regs->values[i]);
}

static void put_stack(struct stream *s, const struct pipa_rec_sample *sample)
{
	u64(s, sample->stack_requested);
	if (!sample->stack_requested)
		return;
	pipa_buf_add(&s->records, sample->stack, sample->stack_requested);
	u64(s, sample->stack_len);
}

static void put_id(struct stream *s, uint64_t type, const struct pipa_rec_id *id,
		   const struct pipa_rec_sample *sample)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		u64(s, id->id);
	if (type & PERF_SAMPLE_IP)
		u64(s, sample->ip);
	if (type & PERF_SAMPLE_TID) {
		u32(s, id->pid);
		u32(s, id->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		u64(s, id->time);
	if (type & PERF_SAMPLE_ADDR)
		u64(s, sample->addr);
	if (type & PERF_SAMPLE_ID)
		u64(s, id->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		u64(s, id->stream_id);
	if (type & PERF_SAMPLE_CPU) {
		u32(s, id->cpu);
		u32(s, 0);
	}
	if (type & PERF_SAMPLE_PERIOD)
		u64(s, sample->period);
}

static void put_rest(struct stream *s, uint64_t type, const struct pipa_rec_sample *sample)
{
	if (type & (PIPA_SAMPLE_WEIGHT | PIPA_SAMPLE_WEIGHT_STRUCT))
		u64(s, sample->weight);
	if (type & PERF_SAMPLE_DATA_SRC)
		u64(s, sample->data_source);
	if (type & PERF_SAMPLE_TRANSACTION)
		u64(s, sample->transaction);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_regs(s, &sample->interrupt_regs);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		u64(s, sample->phys_addr);
	if (type & PERF_SAMPLE_CGROUP)
		u64(s, sample->cgroup);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		u64(s, sample->data_page_size);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		u64(s, sample->code_page_size);
	if (type & PERF_SAMPLE_AUX) {
		u64(s, sample->aux_size);
		pipa_buf_fill(&s->records, '\0', sample->aux_size);
	}
}

void stream_put_sample(struct stream *s, const struct perf_event_attr *attr,
		       const struct pipa_rec_id *id, const struct pipa_rec_sample *sample)
{
	uint64_t type = attr->sample_type;
	size_t at = begin(s, PERF_RECORD_SAMPLE, misc_of(sample->mode)), i;

	put_id(s, type, id, sample);
	if (type & PERF_SAMPLE_READ)
		put_values(s, attr->read_format, sample);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		u64(s, sample->chain_len);
		for (i = 0; i < sample->chain_len; i++)
			u64(s, sample->chain[i]);
	}
	if (type & PERF_SAMPLE_RAW) {
		u32(s, (uint32_t)sample->raw_len);
		pipa_buf_add(&s->records, sample->raw, sample->raw_len);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_branches(s, attr, sample);
	if (type & PERF_SAMPLE_REGS_USER)
		put_regs(s, &sample->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		put_stack(s, sample);
	put_rest(s, type, sample);
	end(s, at);
}

/* ---- the header of the other byte order --------------------------------------------------------------- */

/* As in attr.c: bit i is bit 63 - i, the field of two bits keeps its order. */
static uint64_t attr_flags(uint64_t flags)
{
	uint64_t turned = 0;
	unsigned int i;

	for (i = 0; i < 64; i++)
		if (i != 15 && i != 16)
			turned |= (flags >> i & 1) << (63 - i);
	return turned | (flags >> 15 & 3) << 47;
}

static void put_attr(struct stream *s, const struct perf_event_attr *attr)
{
	size_t at = s->records.len;
	uint64_t flags;

	u32(s, attr->type);
	u32(s, attr->size);
	u64(s, attr->config);
	u64(s, attr->sample_period);
	u64(s, attr->sample_type);
	u64(s, attr->read_format);
	memcpy(&flags, (const uint8_t *)attr + 40, sizeof(flags));
	u64(s, attr_flags(flags));
	u32(s, attr->wakeup_events);
	u32(s, attr->bp_type);
	u64(s, attr->config1);
	u64(s, attr->config2);
	u64(s, attr->branch_sample_type);
	u64(s, attr->sample_regs_user);
	u32(s, attr->sample_stack_user);
	u32(s, (uint32_t)attr->clockid);
	u64(s, attr->sample_regs_intr);
	u32(s, attr->aux_watermark);
	u16(s, attr->sample_max_stack);
	u16(s, 0);
	u32(s, attr->aux_sample_size);
	u32(s, 0);
	u64(s, attr->sig_data);
	pipa_buf_fill(&s->records, '\0', sizeof(*attr) - (s->records.len - at));
}

static void put_ids(struct stream *s, const struct pipa_perf_events *events, uint32_t event)
{
	size_t i;

	for (i = 0; i < events->ids.n; i++)
		if (events->ids.items[i].event == event)
			u64(s, events->ids.items[i].id);
}

void stream_put_swapped_head(const struct stream *of, struct pipa_buf *out)
{
	const struct pipa_perf_events *events = of->events;
	struct stream s = { .swapped = true, .records = *out };
	const size_t entry = sizeof(struct perf_event_attr) + 16;
	uint64_t ids_at = 104, attrs_at = ids_at + 8 * events->ids.n, before;
	uint32_t i;

	pipa_buf_add(&s.records, "2ELIFREP", 8);
	u64(&s, 104);
	u64(&s, entry);
	u64(&s, attrs_at);
	u64(&s, entry * events->n);
	u64(&s, attrs_at + entry * events->n);
	u64(&s, of->records.len);
	for (i = 0; i < 6; i++)
		u64(&s, 0); /* no event types, no features */
	before = s.records.len;
	for (i = 0; i < events->n; i++)
		put_ids(&s, events, i);
	for (i = 0; i < events->n; i++) {
		size_t k, n = 0;

		for (k = 0; k < events->ids.n; k++)
			n += events->ids.items[k].event == i;
		put_attr(&s, &events->items[i].attr);
		u64(&s, before);
		u64(&s, 8 * n);
		before += 8 * n;
	}
	*out = s.records;
}
