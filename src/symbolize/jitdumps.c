#include "symbolize/jitdumps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/auto.h"
#include "base/vec.h"
#include "locate/process_files.h"
#include "symbol/table/jitdump.h"

struct pipa_jitdumps_row {
	char *path;
	uint32_t pid;
	struct pipa_file_id id;
	struct pipa_span file; /* empty: not available */
	struct pipa_jitdump dump;
};

static void row_free(struct pipa_jitdumps_row *row)
{
	if (!row)
		return;
	pipa_jitdump_done(&row->dump);
	pipa_locate_unmap(&row->file);
	free(row->path);
	free(row);
}

void pipa_jitdumps_done(struct pipa_jitdumps *dumps)
{
	size_t i;

	for (i = 0; i < dumps->n; i++)
		row_free(dumps->items[i].row);
	free(dumps->items);
	*dumps = (struct pipa_jitdumps){ 0 };
}

static struct pipa_jitdumps_row *find_row(const struct pipa_jitdumps *dumps, const char *path,
					  uint32_t pid)
{
	size_t i;

	for (i = 0; i < dumps->n; i++)
		if (dumps->items[i].row->pid == pid && strcmp(dumps->items[i].row->path, path) == 0)
			return dumps->items[i].row;
	return NULL;
}

/* Copy a mapped file to memory, because a restarted runtime truncates it. */
static bool copy_file(struct pipa_span *file)
{
	struct pipa_span from = *file;
	void *to = mmap(NULL, from.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	if (to == MAP_FAILED)
		return false;
	memcpy(to, from.data, from.size);
	pipa_locate_unmap(file);
	*file = (struct pipa_span){ to, from.size };
	return true;
}

static void read_dump(const struct pipa_jitdumps *dumps, const struct pipa_locate_options *locate,
		      struct pipa_jitdumps_row *row)
{
	struct pipa_span file = { 0 };
	struct pipa_jitdump dump;

	if (!pipa_locate_process_file(locate, row->path, &row->id, row->pid, &file))
		return;
	if (file.size == row->file.size || (dumps->growing && !copy_file(&file)) ||
	    pipa_jitdump_init(&dump, file, NULL) < 0) {
		pipa_locate_unmap(&file);
		return;
	}
	pipa_jitdump_done(&row->dump);
	pipa_locate_unmap(&row->file);
	row->dump = dump; /* never moves: ingest/ points to it */
	row->file = file;
}

/*
 * Add a row; one that is not available is stored as such and not searched again. NULL on allocation
 * failure.
 */
static struct pipa_jitdumps_row *open_row(struct pipa_jitdumps *dumps,
					  const struct pipa_locate_options *locate,
					  const struct pipa_rec_map *map)
{
	struct pipa_jitdumps_row *row = calloc(1, sizeof(*row));

	if (row)
		row->path = strdup(map->path);
	if (!row || !row->path || !PIPA_VEC_ADD(dumps)) {
		row_free(row);
		return NULL;
	}
	dumps->items[dumps->n - 1].row = row;
	row->pid = map->pid;
	row->id = (struct pipa_file_id){ map->major, map->minor, map->inode, 0 };
	read_dump(dumps, locate, row);
	return row;
}

static bool find_at(const struct pipa_jitdump *dump, uint64_t address, uint64_t time,
		    uint64_t *ret_offset)
{
	const struct pipa_jit_code *code = pipa_jitdump_find(dump, address, time);

	if (code)
		*ret_offset = pipa_jit_code_place(code, address);
	return code != NULL;
}

/* Find code by address and time. The time does not matter for an address that was never reused. */
static bool find_timed(const void *ctx, uint64_t address, uint64_t time, uint64_t *ret_offset)
{
	return find_at(ctx, address, pipa_jitdump_reused(ctx, address) ? time : UINT64_MAX,
		       ret_offset);
}

static bool find_last(const void *ctx, uint64_t address, uint64_t time PIPA_UNUSED,
		      uint64_t *ret_offset)
{
	return find_at(ctx, address, UINT64_MAX, ret_offset);
}

bool pipa_jitdumps_open(struct pipa_jitdumps *dumps, const struct pipa_locate_options *locate,
			bool monotonic, const struct pipa_rec_map *map,
			struct pipa_ingest_code *ret)
{
	struct pipa_jitdumps_row *row;

	row = find_row(dumps, map->path, map->pid);
	if (!row)
		row = open_row(dumps, locate, map);
	if (!row || (!row->file.size && !dumps->growing))
		return false;
	*ret = (struct pipa_ingest_code){ .find = find_last, .ctx = &row->dump };
	if (monotonic && !row->dump.arch_clock) {
		ret->find = find_timed;
		ret->reused_from = row->dump.reused_from;
		ret->reused_to = row->dump.reused_to;
	}
	if (dumps->growing) { /* code may be added at any address */
		ret->reused_from = 0;
		ret->reused_to = UINT64_MAX;
	}
	return true;
}

void pipa_jitdumps_read_on(struct pipa_jitdumps *dumps, const struct pipa_locate_options *locate)
{
	size_t i;

	for (i = 0; i < dumps->n; i++)
		read_dump(dumps, locate, dumps->items[i].row);
}

const struct pipa_jitdump *pipa_jitdumps_find(const struct pipa_jitdumps *dumps, const char *path,
					      uint32_t pid)
{
	const struct pipa_jitdumps_row *row = find_row(dumps, path, pid);

	return row && row->file.size ? &row->dump : NULL;
}

const struct pipa_jit_code *pipa_jitdumps_code(const struct pipa_jitdumps *dumps, uint32_t pid,
					       uint64_t addr)
{
	const struct pipa_jit_code *code = NULL;
	size_t i;

	for (i = 0; !code && i < dumps->n; i++) {
		const struct pipa_jitdumps_row *row = dumps->items[i].row;

		if (row->pid == pid && row->file.size && !pipa_jitdump_reused(&row->dump, addr))
			code = pipa_jitdump_find(&row->dump, addr, UINT64_MAX);
	}
	return code;
}
