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

/* The map as who asked for ids, or did not, reads it when the record has those flags as well. */
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

TEST(a_build_id_that_was_asked_for_is_read)
{
	const struct pipa_rec_map map = { .path = "/bin/x", .build_id = { 8, { 5, 6, 7 } } };
	struct pipa_rec_map got = read_back(&map, true, 0);

	CHECK_EQ(got.build_id.len, 8);
	CHECK_EQ(got.build_id.bytes[2], 7);
}

TEST(an_inode_marked_as_a_build_id_for_somebody_else_stays_an_inode)
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
