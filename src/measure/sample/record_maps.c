#include "measure/sample/record_maps.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "locate/mapped_files.h"
#include "locate/process_files.h"
#include "perf/file_write.h"
#include "perf/map_record.h"

enum {
	MAP_RECORD_MAX = 8 << 10, /* a path of PATH_MAX, the fields before it and the sample_id */
	OPEN_MAX = 512,
	JITS_MAX = 256,
};

struct pipa_record_maps {
	struct pipa_mapped_files *files;
	bool kernel_ids;
	struct pipa_perf_file_build_id *ids;
	struct pipa_record_jit jits[JITS_MAX];
	size_t n_jits;
	uint64_t changed[MAP_RECORD_MAX / 8];
};

struct pipa_record_maps *pipa_record_maps_new(bool kernel_ids)
{
	struct pipa_record_maps *maps = calloc(1, sizeof(*maps));

	if (!maps)
		return NULL;
	maps->kernel_ids = kernel_ids;
	maps->files = pipa_mapped_files_new(OPEN_MAX);
	if (!maps->files) {
		free(maps);
		return NULL;
	}
	return maps;
}

void pipa_record_maps_free(struct pipa_record_maps *maps)
{
	if (!maps)
		return;
	pipa_mapped_files_free(maps->files);
	free(maps->ids);
	free(maps);
}

const struct pipa_mapped_files *pipa_record_maps_files(const struct pipa_record_maps *maps)
{
	return maps->files;
}

/* ---- records --------------------------------------------------------------------------------------- */

const struct pipa_record_jit *pipa_record_maps_jits(const struct pipa_record_maps *maps,
						    size_t *ret_n)
{
	*ret_n = maps->n_jits;
	return maps->jits;
}

/* Note a process with anonymous executable memory, while its PID in its namespace can be read. */
static void note_jit(struct pipa_record_maps *maps, uint32_t pid)
{
	size_t i;

	for (i = 0; i < maps->n_jits; i++)
		if (maps->jits[i].pid == pid)
			return;
	if (maps->n_jits == JITS_MAX)
		return;
	maps->jits[maps->n_jits++] =
		(struct pipa_record_jit){ .pid = pid,
					  .ns_pid = pipa_locate_ns_pid(pid),
					  .contained = pipa_locate_is_contained(pid) };
}

static void change_map(struct pipa_record_maps *maps, uint8_t *record, size_t len)
{
	const struct pipa_mapped_file *file;
	struct pipa_file_mapping mapping;
	struct pipa_build_id id = { 0 };
	struct pipa_rec_map map;

	if (!pipa_perf_map_record_read(record, len, maps->kernel_ids, &map) ||
	    map.pid == PIPA_KERNEL_PID)
		return;
	mapping = (struct pipa_file_mapping){
		.pid = map.pid,
		.start = map.start,
		.end = map.start + map.len,
		.path = map.path,
		.file = { map.major, map.minor, map.inode, map.inode_generation },
		.build_id = { map.build_id.bytes, map.build_id.len },
	};
	file = pipa_mapped_files_add(maps->files, &mapping);
	if (!file && map.prot & PROT_EXEC && map.path[0] == '/')
		note_jit(maps, map.pid);
	if (map.build_id.len)
		return; /* a kernel mapping */
	if (file && file->build_id_len) {
		id.len = file->build_id_len;
		memcpy(id.bytes, file->build_id, id.len);
	}
	pipa_perf_map_record_set_id(record, &id);
}

/* Copy the entry of the parent: header | pid, ppid. */
static void copy_parent(struct pipa_record_maps *maps, const uint8_t *record, size_t len)
{
	uint32_t pids[2];

	if (len < 8 + sizeof(pids))
		return;
	memcpy(pids, record + 8, sizeof(pids));
	pipa_mapped_files_fork(maps->files, pids[0], pids[1]);
}

struct pipa_perf_raw pipa_record_maps_put(struct pipa_record_maps *maps,
					  const struct pipa_perf_raw *raw)
{
	struct pipa_perf_raw changed = *raw;
	struct perf_event_header header;
	size_t len = raw->len + sizeof(header);

	if (raw->type == PERF_RECORD_FORK)
		copy_parent(maps, raw->body - sizeof(header), len);
	if (raw->type != PERF_RECORD_MMAP2 || len > sizeof(maps->changed))
		return changed;
	memcpy(maps->changed, raw->body - sizeof(header), len);
	change_map(maps, (uint8_t *)maps->changed, len);
	memcpy(&header, maps->changed, sizeof(header));
	changed.misc = header.misc;
	changed.body = (const uint8_t *)maps->changed + sizeof(header);
	return changed;
}

void pipa_record_maps_change(struct pipa_record_maps *maps, uint8_t *bytes, size_t len)
{
	struct perf_event_header header;
	size_t at;

	for (at = 0; len - at >= sizeof(header); at += header.size) {
		memcpy(&header, bytes + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > len - at)
			break;
		if (header.type == PERF_RECORD_FORK)
			copy_parent(maps, bytes + at, header.size);
		else if (header.type == PERF_RECORD_MMAP2)
			change_map(maps, bytes + at, header.size);
	}
}

/* ---- the end --------------------------------------------------------------------------------------- */

size_t pipa_record_maps_unverified(const struct pipa_record_maps *maps, const char **ret_first)
{
	size_t i, n = 0;

	*ret_first = NULL;
	for (i = 0; i < pipa_mapped_files_count(maps->files); i++) {
		const struct pipa_mapped_file *file = pipa_mapped_files_get(maps->files, i);

		if (file->state == PIPA_MAPPED_VERIFIED)
			continue;
		if (!n++)
			*ret_first = file->path;
	}
	return n;
}

int pipa_record_maps_about(struct pipa_record_maps *maps, struct pipa_perf_about *about)
{
	size_t count = pipa_mapped_files_count(maps->files), i, n = 0;

	free(maps->ids);
	maps->ids = calloc(count + 1, sizeof(*maps->ids));
	if (!maps->ids)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		const struct pipa_mapped_file *file = pipa_mapped_files_get(maps->files, i);

		/* readers of the header find files by path only: one build ID per path */
		if (!file->build_id_len ||
		    pipa_mapped_files_of_path(maps->files, file->path) != file)
			continue;
		maps->ids[n].path = file->path;
		maps->ids[n].build_id.len = file->build_id_len;
		memcpy(maps->ids[n++].build_id.bytes, file->build_id, file->build_id_len);
	}
	about->files = maps->ids;
	about->n_files = n;
	return 0;
}
