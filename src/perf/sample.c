#include "perf/sample.h"

#include <errno.h>

#include "base/auto.h"

/*
 * A sample's body, each part only if its bit of sample_type is set:
 *
 *	u64 identifier | u64 ip | u32 pid, tid | u64 time | u64 addr | u64 id | u64 stream_id |
 *	u32 cpu, res | u64 period | read values | u64 n, ips[n] | u32 size, raw[size] |
 *	u64 n, (u64 hw_idx), branches[n] | u64 abi, regs[] | u64 size, stack[size], u64 dyn_size |
 *	u64 weight | u64 data_src | u64 transaction | u64 abi, regs[] | u64 phys_addr | u64 cgroup |
 *	u64 data_page_size | u64 code_page_size | u64 size, aux[size]
 */

uint64_t pipa_perf_sample_peek_id(const struct perf_event_attr *attr, struct pipa_cursor c)
{
	uint64_t type = attr->sample_type;
	uint64_t before = type &
			  (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);
	uint64_t id;

	if (!(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		return PIPA_UNKNOWN;
	if (!(type & PERF_SAMPLE_IDENTIFIER))
		pipa_skip(&c, 8 * (size_t)__builtin_popcountll(before));
	id = pipa_get_u64(&c);
	return c.status ? PIPA_UNKNOWN : id;
}

/* Words before the lists of a sample; each is there if its bit of sample_type is set. */
enum { HEAD_WORDS = 9 }; /* identifier, ip, pid and tid, time, addr, id, stream_id, cpu, period */

/* May they be read where they are, without a check for each? All of them have room. */
static bool is_plain(const struct pipa_cursor *c)
{
	return !c->swapped && !c->status && (uintptr_t)c->pos % 8 == 0 &&
	       pipa_cursor_left(c) >= (size_t)8 * HEAD_WORDS;
}

static void read_plain_id(uint64_t type, const uint64_t *word, struct pipa_rec_id *id)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		id->id = *word++;
	word += !!(type & PERF_SAMPLE_IP);
	if (type & PERF_SAMPLE_TID) {
		memcpy(&id->pid, word, sizeof(id->pid));
		memcpy(&id->tid, (const char *)word + sizeof(id->pid), sizeof(id->tid));
		word++;
	}
	if (type & PERF_SAMPLE_TIME)
		id->time = *word++;
	word += !!(type & PERF_SAMPLE_ADDR);
	if (type & PERF_SAMPLE_ID)
		id->id = *word++;
	if (type & PERF_SAMPLE_STREAM_ID)
		id->stream_id = *word++;
	if (type & PERF_SAMPLE_CPU)
		memcpy(&id->cpu, word, sizeof(id->cpu));
}

static void get_task(struct pipa_cursor *c, struct pipa_rec_id *id)
{
	id->pid = pipa_get_u32(c);
	id->tid = pipa_get_u32(c);
}

static void get_cpu(struct pipa_cursor *c, struct pipa_rec_id *id)
{
	id->cpu = pipa_get_u32(c);
	pipa_skip(c, 4);
}

int pipa_perf_sample_id(const struct perf_event_attr *attr, const struct pipa_cursor *from,
			struct pipa_rec_id *id)
{
	uint64_t type = attr->sample_type;
	struct pipa_cursor c = *from;

	if (is_plain(from)) {
		read_plain_id(type, (const void *)from->pos, id);
		return 0;
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		id->id = pipa_get_u64(&c);
	if (type & PERF_SAMPLE_IP)
		pipa_skip(&c, 8);
	if (type & PERF_SAMPLE_TID)
		get_task(&c, id);
	if (type & PERF_SAMPLE_TIME)
		id->time = pipa_get_u64(&c);
	if (type & PERF_SAMPLE_ADDR)
		pipa_skip(&c, 8);
	if (type & PERF_SAMPLE_ID)
		id->id = pipa_get_u64(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		id->stream_id = pipa_get_u64(&c);
	if (type & PERF_SAMPLE_CPU)
		get_cpu(&c, id);
	return c.status;
}

int pipa_perf_trailer_id(const struct perf_event_attr *attr, const uint8_t *body, size_t len,
			 bool swapped, struct pipa_rec_id *id)
{
	uint64_t type = attr->sample_type;
	uint64_t in_it = type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
	size_t size = 8 * (size_t)__builtin_popcountll(in_it);
	struct pipa_cursor c = { body + len - size, body + len, swapped, 0 };

	if (len < size)
		return -EBADMSG;
	if (type & PERF_SAMPLE_TID)
		get_task(&c, id);
	if (type & PERF_SAMPLE_TIME)
		id->time = pipa_get_u64(&c);
	if (type & PERF_SAMPLE_ID)
		id->id = pipa_get_u64(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		id->stream_id = pipa_get_u64(&c);
	if (type & PERF_SAMPLE_CPU)
		get_cpu(&c, id);
	if (type & PERF_SAMPLE_IDENTIFIER)
		id->id = pipa_get_u64(&c);
	return 0;
}

/* ---- the lists ----------------------------------------------------------------------------------- */

/* n words: lent where they stand, or turned into room. NULL when there are not as many. */
static const uint64_t *get_words(struct pipa_cursor *c, uint64_t n, uint64_t *room)
{
	const uint8_t *bytes = n <= pipa_cursor_left(c) / 8 ? pipa_get_bytes(c, 8 * (size_t)n) :
							      NULL;
	size_t i;

	if (!bytes) {
		c->status = -EBADMSG;
		return NULL;
	}
	if (!c->swapped && (uintptr_t)bytes % 8 == 0)
		return (const uint64_t *)(const void *)bytes;
	memcpy(room, bytes, 8 * (size_t)n);
	for (i = 0; c->swapped && i < n; i++)
		room[i] = __builtin_bswap64(room[i]);
	return room;
}

static void get_chain(struct pipa_cursor *c, struct pipa_perf_scratch *scratch,
		      struct pipa_rec_sample *s)
{
	uint64_t n = pipa_get_u64(c);

	s->chain = get_words(c, n, scratch->words[0]);
	s->chain_len = s->chain ? (size_t)n : 0;
}

static void get_values(const struct perf_event_attr *attr, struct pipa_cursor *c,
		       struct pipa_perf_scratch *scratch, struct pipa_rec_sample *s)
{
	uint64_t format = attr->read_format, n = 1, i;
	bool group = format & PERF_FORMAT_GROUP;

	s->values = scratch->values;
	if (group)
		n = pipa_get_u64(c);
	else
		scratch->values[0].value = pipa_get_u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		s->enabled_ns = pipa_get_u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		s->running_ns = pipa_get_u64(c);
	if (n > pipa_cursor_left(c) / 8 + 1 || n > PIPA_COUNT(scratch->values))
		c->status = -EBADMSG;
	for (i = 0; !c->status && i < n; i++) {
		struct pipa_rec_value *value = &scratch->values[i];

		if (group)
			value->value = pipa_get_u64(c);
		value->id = format & PERF_FORMAT_ID ? pipa_get_u64(c) : PIPA_UNKNOWN;
		value->lost = format & PIPA_FORMAT_LOST ? pipa_get_u64(c) : 0;
	}
	s->n_values = c->status ? 0 : (size_t)n;
}

/*
 * The flags of a branch are bit fields, which the other byte order fills from the other end: each keeps
 * its own order, all stand in the opposite one.
 */
static uint64_t turn_branch_flags(uint64_t flags)
{
	/* mispredicted, predicted, in a transaction, aborted, cycles, type, speculation, new type,
	   privilege, the rest */
	static const unsigned int widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	unsigned int i, low = 0;
	uint64_t turned = 0;

	for (i = 0; i < PIPA_COUNT(widths); i++) {
		uint64_t mask = (UINT64_C(1) << widths[i]) - 1;

		turned |= (flags >> (64 - low - widths[i]) & mask) << low;
		low += widths[i];
	}
	return turned;
}

static void get_branches(const struct perf_event_attr *attr, struct pipa_cursor *c,
			 struct pipa_perf_scratch *scratch, struct pipa_rec_sample *s)
{
	enum { HW_INDEX = 1 << 17 };
	uint64_t n = pipa_get_u64(c), i;

	if (attr->branch_sample_type & HW_INDEX)
		pipa_skip(c, 8);
	if (n > pipa_cursor_left(c) / 24)
		c->status = -EBADMSG;
	for (i = 0; !c->status && i < n; i++) {
		scratch->branches[i].from = pipa_get_u64(c);
		scratch->branches[i].to = pipa_get_u64(c);
		scratch->branches[i].flags = pipa_get_u64(c);
		if (c->swapped)
			scratch->branches[i].flags = turn_branch_flags(scratch->branches[i].flags);
	}
	s->branches = scratch->branches;
	s->n_branches = c->status ? 0 : (size_t)n;
}

static void get_raw(struct pipa_cursor *c, struct pipa_rec_sample *s)
{
	uint32_t size = pipa_get_u32(c);

	s->raw = pipa_get_bytes(c, size);
	s->raw_len = s->raw ? size : 0;
}

static void get_regs(struct pipa_cursor *c, uint64_t mask, uint64_t *room,
		     struct pipa_rec_regs *regs)
{
	*regs = (struct pipa_rec_regs){ .abi = pipa_get_u64(c) };
	if (!regs->abi)
		return; /* a kernel thread has no user registers */
	regs->mask = mask;
	regs->values = get_words(c, (uint64_t)__builtin_popcountll(mask), room);
}

static void get_stack(struct pipa_cursor *c, struct pipa_rec_sample *s)
{
	uint64_t size = pipa_get_u64(c), valid;

	s->stack = NULL;
	s->stack_requested = s->stack_len = 0;
	if (!size)
		return;
	s->stack = size <= pipa_cursor_left(c) ? pipa_get_bytes(c, (size_t)size) : NULL;
	if (!s->stack) {
		c->status = -EBADMSG;
		return;
	}
	valid = pipa_get_u64(c);
	s->stack_requested = (size_t)size;
	s->stack_len = valid < size ? (size_t)valid : (size_t)size;
}

#define REST_BITS                                                                                  \
	(PIPA_SAMPLE_WEIGHT | PIPA_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |                   \
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR |                 \
	 PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE |            \
	 PERF_SAMPLE_AUX)

/* The parts after the stack, whose bits are REST_BITS; each is a word but for the registers. */
static void get_rest(const struct perf_event_attr *attr, struct pipa_cursor *c,
		     struct pipa_perf_scratch *scratch, struct pipa_rec_sample *s)
{
	uint64_t type = attr->sample_type;

	if (type & (PIPA_SAMPLE_WEIGHT | PIPA_SAMPLE_WEIGHT_STRUCT))
		s->weight = pipa_get_u64(c);
	if (type & PIPA_SAMPLE_WEIGHT_STRUCT)
		s->weight &= UINT32_MAX;
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_source = pipa_get_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = pipa_get_u64(c);
	if (type & PERF_SAMPLE_REGS_INTR)
		get_regs(c, attr->sample_regs_intr, scratch->words[2], &s->interrupt_regs);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = pipa_get_u64(c);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = pipa_get_u64(c);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = pipa_get_u64(c);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = pipa_get_u64(c);
	if (type & PERF_SAMPLE_AUX)
		s->aux_size = pipa_get_u64(c);
}

/* The same words as pipa_perf_sample_id() passes over, and the period. */
static void get_head(const struct perf_event_attr *attr, struct pipa_cursor *c,
		     struct pipa_rec_sample *s)
{
	uint64_t type = attr->sample_type, word;

	if (type & PERF_SAMPLE_IDENTIFIER)
		pipa_skip(c, 8);
	s->ip = type & PERF_SAMPLE_IP ? pipa_get_u64(c) : PIPA_UNKNOWN;
	for (word = PERF_SAMPLE_TID; word <= PERF_SAMPLE_TIME; word <<= 1)
		if (type & word)
			pipa_skip(c, 8);
	s->addr = type & PERF_SAMPLE_ADDR ? pipa_get_u64(c) : PIPA_UNKNOWN;
	if (type & PERF_SAMPLE_ID)
		pipa_skip(c, 8);
	if (type & PERF_SAMPLE_STREAM_ID)
		pipa_skip(c, 8);
	if (type & PERF_SAMPLE_CPU)
		pipa_skip(c, 8);
	s->period = type & PERF_SAMPLE_PERIOD ? pipa_get_u64(c) : attr->sample_period;
}

static void get_plain_head(const struct perf_event_attr *attr, struct pipa_cursor *c,
			   struct pipa_rec_sample *s)
{
	const uint64_t *word = (const void *)c->pos;
	uint64_t type = attr->sample_type;

	word += !!(type & PERF_SAMPLE_IDENTIFIER);
	s->ip = type & PERF_SAMPLE_IP ? *word++ : PIPA_UNKNOWN;
	word += !!(type & PERF_SAMPLE_TID) + !!(type & PERF_SAMPLE_TIME);
	s->addr = type & PERF_SAMPLE_ADDR ? *word++ : PIPA_UNKNOWN;
	word += !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID) +
		!!(type & PERF_SAMPLE_CPU);
	s->period = type & PERF_SAMPLE_PERIOD ? *word++ : attr->sample_period;
	c->pos = (const void *)word;
}

int pipa_perf_sample_decode(const struct perf_event_attr *attr, struct pipa_cursor *c,
			    struct pipa_perf_scratch *scratch, struct pipa_rec_sample *s)
{
	uint64_t type = attr->sample_type;

	if (is_plain(c))
		get_plain_head(attr, c, s);
	else
		get_head(attr, c, s);
	if (type & PERF_SAMPLE_READ)
		get_values(attr, c, scratch, s);
	if (type & PERF_SAMPLE_CALLCHAIN)
		get_chain(c, scratch, s);
	if (type & PERF_SAMPLE_RAW)
		get_raw(c, s);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		get_branches(attr, c, scratch, s);
	if (type & PERF_SAMPLE_REGS_USER)
		get_regs(c, attr->sample_regs_user, scratch->words[1], &s->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		get_stack(c, s);
	if (type & REST_BITS)
		get_rest(attr, c, scratch, s);
	return c->status;
}
