#include "perf/map_record.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"
#include "perf/encode.h"

static void put_map(struct pipa_buf *out)
{
	static const struct perf_event_attr attr = { .size = sizeof(attr) };
	const struct pipa_rec_map map = { .pid = 7,
					  .tid = 8,
					  .start = 0x1000,
					  .len = 0x2000,
					  .file_offset = 0x3000,
					  .major = 259,
					  .minor = 2,
					  .inode = 4711,
					  .inode_generation = 99,
					  .prot = 5,
					  .executable = true,
					  .mode = PIPA_MODE_USER,
					  .path = "/usr/bin/program" };

	pipa_perf_put_map(out, &attr, &(struct pipa_rec_id){ 0 }, &map);
}

TEST(build_id_takes_the_place_of_device_and_inode)
{
	static const struct pipa_build_id id = { 8, { 1, 2, 3, 4, 5, 6, 7, 8 } };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_rec_map map;
	size_t len;

	put_map(&out);
	len = out.len;
	CHECK(pipa_perf_map_record_read((uint8_t *)out.data, len, true, &map));
	CHECK_EQ(map.pid, 7);
	CHECK_EQ(map.inode, 4711);
	CHECK_EQ(map.inode_generation, 99);
	CHECK_EQ(map.major, 259);
	CHECK_EQ(map.build_id.len, 0);
	CHECK_STR(map.path, "/usr/bin/program");
	pipa_perf_map_record_set_id((uint8_t *)out.data, &id);
	CHECK(pipa_perf_map_record_read((uint8_t *)out.data, len, true, &map));
	CHECK_EQ(map.build_id.len, 8);
	CHECK(memcmp(map.build_id.bytes, id.bytes, 8) == 0);
	CHECK_EQ(map.inode, 0);
	CHECK_EQ(map.prot, 5);
	CHECK_EQ(map.file_offset, 0x3000);
	CHECK_STR(map.path, "/usr/bin/program");
}

TEST(flag_that_another_listener_caused_is_cleared)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct perf_event_header header;
	struct pipa_rec_map map;

	put_map(&out);
	memcpy(&header, out.data, sizeof(header));
	header.misc |= 1 << 14;
	memcpy(out.data, &header, sizeof(header));
	CHECK(pipa_perf_map_record_read((uint8_t *)out.data, out.len, false, &map));
	CHECK_EQ(map.inode, 4711);
	pipa_perf_map_record_set_id((uint8_t *)out.data, &(struct pipa_build_id){ 0 });
	CHECK(pipa_perf_map_record_read((uint8_t *)out.data, out.len, true, &map));
	CHECK_EQ(map.inode, 4711);
	CHECK_EQ(map.build_id.len, 0);
}

TEST(malformed_map_record_is_refused)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct perf_event_header header;
	struct pipa_rec_map map;
	uint8_t *record;

	put_map(&out);
	record = (uint8_t *)out.data;
	CHECK(!pipa_perf_map_record_read(record, 72, true, &map));
	CHECK(!pipa_perf_map_record_read(record, out.len - 8, true, &map));
	memset(record + 72, 'x', out.len - 72); /* no end of the path */
	CHECK(!pipa_perf_map_record_read(record, out.len, true, &map));
	memcpy(&header, record, sizeof(header));
	header.type = PERF_RECORD_COMM;
	memcpy(record, &header, sizeof(header));
	CHECK(!pipa_perf_map_record_read(record, out.len, true, &map));
}
