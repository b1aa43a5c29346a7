#include "perf/decode.h"

#include <string.h>

#include "base/buf.h"
#include "lib/test.h"
#include "perf/encode.h"

enum { MISC_BUILD_ID = 1 << 14 };

struct seen {
	struct pipa_record_sink sink;
	struct pipa_rec_map map;
};

static int see_map(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_map *map)
{
	(void)id;
	((struct seen *)self)->map = *map;
	return 0;
}

/* Decode the map of an event that requested ids or not, with additional flags of the record. */
static struct pipa_rec_map read_back(const struct pipa_rec_map *map, bool asked, uint16_t flags)
{
	struct seen seen = { .sink = { .map = see_map } };
	struct perf_event_attr attr = { .size = sizeof(attr), .build_id = asked };
	struct pipa_perf_events events = { 0 };
	struct pipa_buf out = { 0 };
	struct pipa_perf_decoder *decoder;
	struct pipa_perf_raw raw = { 0 };
	struct pipa_rec_id id = { 0 };

	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_decoder_new(&events, &decoder), 0);
	pipa_perf_put_map(&out, &attr, &id, map);
	memcpy(&raw.type, out.data, 4);
	memcpy(&raw.misc, out.data + 4, 2);
	raw.misc |= flags;
	raw.body = (const uint8_t *)out.data + 8;
	raw.len = out.len - 8;
	CHECK_EQ(pipa_perf_decode(decoder, &raw, &id, &seen.sink), 0);
	pipa_perf_decoder_free(decoder);
	pipa_perf_events_done(&events);
	pipa_buf_done(&out);
	return seen.map;
}

TEST(a_requested_build_id_is_read)
{
	const struct pipa_rec_map map = { .path = "/bin/x", .build_id = { 8, { 5, 6, 7 } } };
	struct pipa_rec_map got = read_back(&map, true, 0);

	CHECK_EQ(got.build_id.len, 8);
	CHECK_EQ(got.build_id.bytes[2], 7);
}

TEST(an_inode_stays_one_if_the_event_did_not_request_build_ids)
{
	struct pipa_rec_map map = { .path = "/bin/x", .major = 8, .minor = 1, .inode = 77 };
	struct pipa_rec_map got = read_back(&map, false, MISC_BUILD_ID);

	CHECK_EQ(got.build_id.len, 0);
	CHECK_EQ(got.major, 8);
	CHECK_EQ(got.inode, 77);
	map.major = 259;
	got = read_back(&map, false, MISC_BUILD_ID);
	CHECK_EQ(got.build_id.len, 0);
	CHECK_EQ(got.inode, 77);
}

/* Older kernels know no ids; those of what was mapped before are found without them. */
TEST(a_build_id_that_the_recorder_found_itself_is_read)
{
	const struct pipa_rec_map map = { .path = "/bin/x", .build_id = { 20, { [19] = 9 } } };
	struct pipa_rec_map got = read_back(&map, false, 0);

	CHECK_EQ(got.build_id.len, 20);
	CHECK_EQ(got.build_id.bytes[19], 9);
}

struct sampled {
	struct pipa_record_sink sink;
	struct pipa_rec_id id;
	struct pipa_rec_sample sample;
	int n;
};

static int see_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		      const struct pipa_rec_sample *sample)
{
	struct sampled *seen = (struct sampled *)self;

	seen->id = *id;
	seen->sample = *sample;
	seen->n++;
	return 0;
}

/* Decode a sample of one-word fields and a chain in one step and in two; both must agree. */
static void check_both_ways(uint64_t type, bool id_all, uint64_t chain_len, size_t words)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_type = type,
					.sample_id_all = id_all,
					.sample_period = 7 };
	size_t head = (size_t)__builtin_popcountll(type & ~(uint64_t)PERF_SAMPLE_CALLCHAIN), i;
	struct sampled one = { .sink = { .sample = see_sample } }, two = one;
	struct pipa_perf_events events = { 0 };
	struct pipa_perf_decoder *decoder, *other;
	struct pipa_rec_id id;
	uint64_t body[64];
	struct pipa_perf_raw raw = { .type = PERF_RECORD_SAMPLE,
				     .misc = PERF_RECORD_MISC_USER,
				     .body = (const uint8_t *)body,
				     .len = words * sizeof(*body),
				     .at = 4096 };
	int rc;

	for (i = 0; i < 64; i++)
		body[i] = (i + 1) * UINT64_C(0x100000001);
	body[head] = chain_len;
	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_decoder_new(&events, &decoder), 0);
	CHECK_EQ(pipa_perf_decoder_new(&events, &other), 0);
	rc = pipa_perf_decode_id(other, &raw, &id);
	if (!rc)
		rc = pipa_perf_decode(other, &raw, &id, &two.sink);
	CHECK_EQ(pipa_perf_decode_record(decoder, &raw, &one.sink), rc);
	CHECK_EQ(one.n, two.n);
	CHECK(memcmp(&one.id, &two.id, sizeof(one.id)) == 0);
	CHECK(memcmp(&one.sample, &two.sample, sizeof(one.sample)) == 0);
	pipa_perf_decoder_free(decoder);
	pipa_perf_decoder_free(other);
	pipa_perf_events_done(&events);
}

TEST(a_sample_is_the_same_decoded_in_one_step_and_in_two)
{
	static const uint64_t bits[] = { PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,
					 PERF_SAMPLE_TID,	 PERF_SAMPLE_TIME,
					 PERF_SAMPLE_ADDR,	 PERF_SAMPLE_ID,
					 PERF_SAMPLE_STREAM_ID,	 PERF_SAMPLE_CPU,
					 PERF_SAMPLE_PERIOD };
	unsigned int set, i;

	for (set = 0; set < 1u << 9; set++) {
		uint64_t type = PERF_SAMPLE_CALLCHAIN;
		size_t head;

		for (i = 0; i < 9; i++)
			type |= set >> i & 1 ? bits[i] : 0;
		head = (size_t)__builtin_popcount(set);
		check_both_ways(type, set % 2, 5, head + 6);
		check_both_ways(type, set % 2, 0, head + 1);
		check_both_ways(type, set % 2, 6, head + 6);	      /* one word is missing */
		check_both_ways(type, set % 2, UINT64_MAX, head + 6); /* and nearly all */
		check_both_ways(type, set % 2, 5, head);	      /* the length is missing */
		check_both_ways(type | PERF_SAMPLE_WEIGHT, set % 2, 5, head + 8);
	}
}
