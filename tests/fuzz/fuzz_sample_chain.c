/*
 * A sample that is unwound while recording: any bytes are refused, or become a record that is
 * whole, has the chain it was given, and the size in its header.
 */
#include <string.h>

#include "base/buf.h"
#include "fuzz.h"
#include "perf/decode.h"
#include "perf/sample.h"
#include "perf/sample_chain.h"

static const uint64_t words[] = { PIPA_CHAIN_USER, 0x1000, 0x2000, PIPA_CHAIN_USER };

static void check(const struct perf_event_attr *before, const struct pipa_buf *out)
{
	static struct pipa_perf_scratch scratch;
	struct perf_event_attr attr = *before;
	struct pipa_cursor c = { (const uint8_t *)out->data + 8,
				 (const uint8_t *)out->data + out->len, false, 0 };
	struct pipa_rec_sample sample = { 0 };
	uint16_t size;

	memcpy(&size, out->data + 6, sizeof(size));
	MUST(size == out->len);
	pipa_perf_attr_unwound(&attr);
	/* fields after the stack were not read, and may be too short */
	attr.sample_type &= (2 * PERF_SAMPLE_STACK_USER - 1) | PERF_SAMPLE_IDENTIFIER;
	if (attr.sample_type & PERF_SAMPLE_READ)
		return; /* only the decoder refuses more values than its capacity */
	MUST(pipa_perf_sample_decode(&attr, &c, &scratch, &sample) == 0);
	MUST(sample.chain_len == PIPA_COUNT(words));
	MUST(memcmp(sample.chain, words, sizeof(words)) == 0);
}

/* sample_type, read_format, registers, branches: u64 each; then the body */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t body[PIPA_PERF_RECORD_MAX / 8];
	struct perf_event_attr attr = { 0 };
	struct pipa_buf out = { 0 };
	struct pipa_perf_raw raw = { .type = PERF_RECORD_SAMPLE, .body = (const uint8_t *)body };
	uint64_t head[4];

	if (size < sizeof(head) || size - sizeof(head) > PIPA_PERF_RECORD_MAX - 8)
		return 0;
	memcpy(head, data, sizeof(head));
	attr.sample_type = head[0];
	attr.read_format = head[1];
	attr.sample_regs_user = head[2];
	attr.branch_sample_type = head[3];
	raw.len = size - sizeof(head);
	memcpy(body, data + sizeof(head), raw.len);
	if (pipa_perf_put_unwound(&out, &attr, &raw, words, PIPA_COUNT(words)) == 0)
		check(&attr, &out);
	else
		MUST(out.len == 0);
	pipa_buf_done(&out);
	return 0;
}
