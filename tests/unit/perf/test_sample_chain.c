#include "perf/sample_chain.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "lib/test.h"
#include "perf/decode.h"

enum { STACK = 64 };

static const struct perf_event_attr attr = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_READ |
		       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
		       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT,
	.read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP,
	.sample_regs_user = 0x5,
	.sample_stack_user = STACK,
	.exclude_callchain_user = 1,
};

static void put(struct pipa_buf *b, uint64_t word)
{
	pipa_buf_add(b, &word, 8);
}

/* id, ip, two values, a chain of one, raw, a branch; registers and stack if `user`; weight */
static void make(struct pipa_buf *b, const uint64_t *words, size_t n, bool user)
{
	static const uint8_t raw[] = { 4, 0, 0, 0, 'a', 'b', 'c', 'd' };
	size_t i;

	for (i = 0; i < 2; i++)
		put(b, 0x100 + i);
	put(b, 2);
	for (i = 0; i < 4; i++)
		put(b, 0x200 + i);
	put(b, n);
	for (i = 0; i < n; i++)
		put(b, words[i]);
	pipa_buf_add(b, raw, sizeof(raw));
	put(b, 1);
	for (i = 0; i < 3; i++)
		put(b, 0x300 + i);
	if (user) {
		put(b, 2); /* the ABI */
		put(b, 0x400);
		put(b, 0x401);
		put(b, STACK);
		pipa_buf_fill(b, 's', STACK);
		put(b, STACK);
	}
	put(b, 0x500);
}

static const uint64_t before[] = { PIPA_CHAIN_KERNEL, 7 };
static const uint64_t after[] = { PIPA_CHAIN_KERNEL, 7, PIPA_CHAIN_USER, 8, 9 };

static struct pipa_perf_raw raw_of(const struct pipa_buf *b)
{
	return (struct pipa_perf_raw){ .type = PERF_RECORD_SAMPLE,
				       .misc = 2,
				       .body = (const uint8_t *)b->data,
				       .len = b->len };
}

TEST(a_sample_keeps_all_but_its_registers_and_stack)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf from = { 0 }, want = { 0 }, out = { 0 };
	struct pipa_perf_raw raw;
	uint16_t size;

	make(&from, before, 2, true);
	make(&want, after, 5, false);
	raw = raw_of(&from);
	CHECK_EQ(pipa_perf_put_unwound(&out, &attr, &raw, after, 5), 0);
	CHECK_EQ(out.len, want.len + 8);
	memcpy(&size, out.data + 6, 2);
	CHECK_EQ(size, out.len);
	CHECK_EQ(out.data[0], PERF_RECORD_SAMPLE);
	CHECK_EQ(out.data[4], 2);
	CHECK(memcmp(out.data + 8, want.data, want.len) == 0);
}

TEST(a_kernel_only_sample_without_a_dump_is_rewritten)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf from = { 0 }, out = { 0 };
	struct perf_event_attr small = attr;
	struct pipa_perf_raw raw;

	small.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			    PERF_SAMPLE_STACK_USER;
	put(&from, 7);
	put(&from, 0);
	put(&from, 0); /* no ABI: no registers */
	put(&from, 0); /* no stack, and then no size of it */
	raw = raw_of(&from);
	CHECK_EQ(pipa_perf_put_unwound(&out, &small, &raw, NULL, 0), 0);
	CHECK_EQ(out.len, 24);
}

TEST(a_truncated_sample_is_refused_and_writes_nothing)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf from = { 0 }, out = { 0 };
	struct pipa_perf_raw raw;

	make(&from, before, 2, true);
	raw = raw_of(&from);
	for (raw.len -= 8; raw.len; raw.len--) { /* the weight may be missing: it is not read */
		CHECK_EQ(pipa_perf_put_unwound(&out, &attr, &raw, after, raw.len > 9 ? 1 : 0),
			 raw.len == from.len - 8 ? 0 : -EBADMSG);
		pipa_buf_reset(&out);
	}
}

TEST(a_chain_is_as_long_as_a_record_has_room_for)
{
	static uint64_t words[9000];
	PIPA_AUTO(pipa_buf_done) struct pipa_buf from = { 0 }, out = { 0 };
	struct pipa_perf_raw raw;
	uint16_t size;

	make(&from, before, 2, true);
	raw = raw_of(&from);
	CHECK_EQ(pipa_perf_put_unwound(&out, &attr, &raw, words, 9000), 0);
	memcpy(&size, out.data + 6, 2);
	CHECK_EQ(size, out.len);
	CHECK(out.len > 65000);
	CHECK_EQ(out.len % 8, 0);
}

TEST(an_attr_is_marked_as_unwound)
{
	struct perf_event_attr a = attr;

	CHECK(!pipa_perf_attr_is_unwound(&a));
	pipa_perf_attr_unwound(&a);
	CHECK(pipa_perf_attr_is_unwound(&a));
	CHECK(!(a.sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)));
	CHECK(!a.exclude_callchain_user);
}
