#include "perf/sample_chain.h"

#include <errno.h>

#include "base/buf.h"
#include "perf/decode.h"

enum { HEADER = 8, MOST = PIPA_PERF_RECORD_MAX - 8 };

void pipa_perf_attr_unwound(struct perf_event_attr *attr)
{
	attr->sample_type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	attr->sample_regs_user = 0;
	attr->exclude_callchain_user = 0;
}

bool pipa_perf_attr_is_unwound(const struct perf_event_attr *attr)
{
	return attr->sample_stack_user && attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
	       !(attr->sample_type & PERF_SAMPLE_STACK_USER);
}

static void skip_values(const struct perf_event_attr *attr, struct pipa_cursor *c)
{
	uint64_t format = attr->read_format, n = 1, each = 1;

	if (format & PERF_FORMAT_GROUP)
		n = pipa_get_u64(c);
	each += (format & PERF_FORMAT_ID) != 0;
	each += (format & PIPA_FORMAT_LOST) != 0;
	pipa_skip(c, format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 8 : 0);
	pipa_skip(c, format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 8 : 0);
	if (n > pipa_cursor_left(c) / 8)
		c->status = -EBADMSG;
	else
		pipa_skip(c, (size_t)(8 * n * each));
}

/* A number of things, each of that size, and what stands between. */
static void skip_list(struct pipa_cursor *c, size_t between, size_t size)
{
	uint64_t n = pipa_get_u64(c);

	pipa_skip(c, between);
	if (n > pipa_cursor_left(c) / size)
		c->status = -EBADMSG;
	else
		pipa_skip(c, (size_t)n * size);
}

static void skip_user(const struct perf_event_attr *attr, struct pipa_cursor *c)
{
	uint64_t size;

	if (attr->sample_type & PERF_SAMPLE_REGS_USER && pipa_get_u64(c))
		pipa_skip(c, 8 * (size_t)__builtin_popcountll(attr->sample_regs_user));
	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
		return;
	size = pipa_get_u64(c);
	if (size > pipa_cursor_left(c))
		c->status = -EBADMSG;
	else if (size)
		pipa_skip(c, (size_t)size + 8);
}

/* The body is: head, chain, middle, registers and stack, tail. */
struct parts {
	const uint8_t *chain, *middle, *user, *tail;
};

static int find_parts(const struct perf_event_attr *attr, const struct pipa_perf_raw *raw,
		      struct parts *ret)
{
	enum { HW_INDEX = 1 << 17 };
	const uint64_t words = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	struct pipa_cursor c = { raw->body, raw->body + raw->len, false, 0 };
	uint64_t type = attr->sample_type;

	pipa_skip(&c, 8 * (size_t)__builtin_popcountll(type & words));
	if (type & PERF_SAMPLE_READ)
		skip_values(attr, &c);
	ret->chain = c.pos;
	skip_list(&c, 0, 8);
	ret->middle = c.pos;
	if (type & PERF_SAMPLE_RAW)
		pipa_skip(&c, pipa_get_u32(&c));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_list(&c, attr->branch_sample_type & HW_INDEX ? 8 : 0, 24);
	ret->user = c.pos;
	skip_user(attr, &c);
	ret->tail = c.pos;
	return c.status;
}

static void put_between(struct pipa_buf *out, const uint8_t *from, const uint8_t *to)
{
	pipa_buf_add(out, from, (size_t)(to - from));
}

int pipa_perf_put_unwound(struct pipa_buf *out, const struct perf_event_attr *attr,
			  const struct pipa_perf_raw *raw, const uint64_t *words, size_t n)
{
	const uint8_t *end = raw->body + raw->len;
	struct parts at;
	uint64_t count;
	uint16_t size;
	size_t rest;
	int rc = find_parts(attr, raw, &at);

	if (rc < 0 || !(attr->sample_type & PERF_SAMPLE_CALLCHAIN))
		return -EBADMSG;
	rest = HEADER + 8 + (size_t)(at.chain - raw->body) + (size_t)(at.user - at.middle) +
	       (size_t)(end - at.tail);
	if (rest > MOST)
		return -EBADMSG;
	if (n > (MOST - rest) / 8)
		n = (MOST - rest) / 8;
	size = (uint16_t)(rest + 8 * n);
	count = n;
	pipa_buf_add(out, &raw->type, 4);
	pipa_buf_add(out, &raw->misc, 2);
	pipa_buf_add(out, &size, 2);
	put_between(out, raw->body, at.chain);
	pipa_buf_add(out, &count, 8);
	pipa_buf_add(out, words, 8 * n);
	put_between(out, at.middle, at.user);
	put_between(out, at.tail, end);
	return 0;
}
