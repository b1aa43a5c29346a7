#include "perf/map_record.h"

#include <linux/perf_event.h>
#include <string.h>

enum {
	MISC_BUILD_ID = 1 << 14,
	/* offsets of the fields */
	PID = 8,
	START = 16,
	FILE_ID = 40,
	PROT = 64,
	PATH = 72,
};

static uint32_t u32_at(const uint8_t *record, size_t at)
{
	uint32_t value;

	memcpy(&value, record + at, sizeof(value));
	return value;
}

static uint64_t u64_at(const uint8_t *record, size_t at)
{
	uint64_t value;

	memcpy(&value, record + at, sizeof(value));
	return value;
}

bool pipa_perf_map_record_read(const uint8_t *record, size_t len, bool has_id,
			       struct pipa_rec_map *ret)
{
	struct perf_event_header header;
	struct pipa_rec_map map = { 0 };

	if (len <= PATH)
		return false;
	memcpy(&header, record, sizeof(header));
	if (header.type != PERF_RECORD_MMAP2 || header.size != len ||
	    !memchr(record + PATH, '\0', len - PATH))
		return false;
	map.pid = u32_at(record, PID);
	map.tid = u32_at(record, PID + 4);
	map.start = u64_at(record, START);
	map.len = u64_at(record, START + 8);
	map.file_offset = u64_at(record, START + 16);
	if (has_id && header.misc & MISC_BUILD_ID) {
		map.build_id.len = record[FILE_ID];
		if (map.build_id.len > PIPA_BUILD_ID_MAX)
			map.build_id.len = 0;
		memcpy(map.build_id.bytes, record + FILE_ID + 4, map.build_id.len);
	} else {
		map.major = u32_at(record, FILE_ID);
		map.minor = u32_at(record, FILE_ID + 4);
		map.inode = u64_at(record, FILE_ID + 8);
		map.inode_generation = u64_at(record, FILE_ID + 16);
	}
	map.prot = u32_at(record, PROT);
	map.flags = u32_at(record, PROT + 4);
	map.path = (const char *)record + PATH;
	*ret = map;
	return true;
}

void pipa_perf_map_record_set_id(uint8_t *record, const struct pipa_build_id *id)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	header.misc &= (uint16_t)~MISC_BUILD_ID;
	if (id->len) {
		header.misc |= MISC_BUILD_ID;
		memset(record + FILE_ID, 0, PROT - FILE_ID);
		record[FILE_ID] = id->len;
		memcpy(record + FILE_ID + 4, id->bytes, id->len);
	}
	memcpy(record, &header, sizeof(header));
}
