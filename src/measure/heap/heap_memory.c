#include "measure/heap/heap_memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/heap/heap_scan.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "kernel/process/process_memory.h"
#include "kernel/text/maps_text.h"
#include "model/heaps.h"

enum {
	CHUNK = 1 << 16,
	ARENA = 64 << 20, /* glibc aligns the memory of its arenas so */
	PAGES = 512,	  /* entries of pagemap that are read at once */
	RED_ZONE = 128,	  /* below the stack pointer, x86_64 */
};

/* Bits of an entry of /proc/PID/pagemap. */
#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)

struct region {
	uint64_t start, end;
	bool interior; /* pointers into blocks count */
	bool is_heap;  /* memory of the allocator */
};

struct search {
	uint32_t pid;
	struct pipa_heap_scan *scan;
	bool all_known;
	const char *ignored;
	struct {
		uint64_t *items;
		size_t n, cap;
	} stack_pointers; /* of all threads */
	struct {
		struct region *items;
		size_t n, cap;
	} regions;
	uint8_t *chunk;
};

/*
 * Refuse blocks that are together larger than the memory of the process: blocks do not overlap, so the process has
 * overwritten its recording.
 */
static int check_sizes(uint32_t pid, const struct pipa_heaps_block *blocks, size_t n,
		       struct pipa_error *err)
{
	char path[64], text[128];
	uint64_t left, pages = 0;
	size_t i;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/statm", pid);
	if (pipa_file_read_into(path, text, sizeof(text)) <= 0)
		return pipa_fail(err, -ESRCH, "read %s", path);
	text[strcspn(text, " ")] = '\0';
	pipa_str_u64(text, &pages);
	left = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	for (i = 0; i < n; left -= blocks[i++].size)
		if (blocks[i].size > left)
			return pipa_refuse(err, -EBADMSG,
					   "malformed heap recording: its blocks are larger than "
					   "the memory of process %" PRIu32,
					   pid);
	return 0;
}

/* ---- memory --------------------------------------------------------------------------------------- */

/* Search [start, end). Pages that cannot be read, such as guard pages, are skipped. */
static void search_range(struct search *s, uint64_t start, uint64_t end, bool interior)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	start = (start + 7) & ~UINT64_C(7);
	while (start < end) {
		size_t wanted = end - start < CHUNK ? (size_t)(end - start) : CHUNK;
		size_t n = pipa_process_read(s->pid, start, s->chunk, wanted) & ~(size_t)7;

		pipa_heap_scan_words(s->scan, (struct pipa_span){ s->chunk, n }, interior);
		if (n < (wanted & ~(size_t)7)) {
			start = (start + n + page) & ~(page - 1);
		} else {
			start += wanted;
		}
	}
}

static void search_blocks(struct search *s)
{
	const struct pipa_heaps_block *block;

	while (pipa_heap_scan_next(s->scan, &block))
		search_range(s, block->address, block->address + block->size, true);
}

/* Search a root without the blocks in it, which are searched when a pointer to them is found. */
static void search_root(struct search *s, const struct region *region)
{
	uint64_t start = region->start, end;

	if (region->is_heap && s->all_known)
		return;
	while (pipa_heap_scan_gap(s->scan, &start, region->end, &end)) {
		search_range(s, start, end, region->interior);
		start = end;
	}
}

/* ---- regions -------------------------------------------------------------------------------------- */

/*
 * Read the stack pointers of all threads, from /proc/PID/task/TID/syscall: "NUMBER ARGUMENTS SP PC". A thread
 * that runs has none; its whole stack is searched.
 */
static int read_stack_pointers(struct search *s)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", s->pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		char file[320], text[512], *last, *sp;
		uint64_t *slot, value;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s/syscall", path, entry->d_name);
		if (pipa_file_read_into(file, text, sizeof(text)) <= 0)
			continue;
		last = strrchr(text, ' ');
		if (last)
			*last = '\0';
		sp = last ? strrchr(text, ' ') : NULL;
		if (!sp || pipa_str_u64(sp + 1, &value) < 0)
			continue;
		slot = PIPA_VEC_ADD(&s->stack_pointers);
		if (slot)
			*slot = value;
	}
	closedir(dir);
	return 0;
}

static bool is_c_library(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash &&
	       (pipa_str_starts(slash + 1, "libc.so") || pipa_str_starts(slash + 1, "libc-"));
}

/* Return the stack pointer in a mapping, 0: none. */
static uint64_t stack_pointer_in(const struct search *s, const struct pipa_map_line *line)
{
	uint64_t lowest = 0;
	size_t i;

	for (i = 0; i < s->stack_pointers.n; i++) {
		uint64_t sp = s->stack_pointers.items[i];

		if (sp >= line->start && sp < line->end && (!lowest || sp < lowest))
			lowest = sp;
	}
	return lowest;
}

/*
 * Make a region of a mapping. In the data of the C library, in the unnamed memory after it and in arenas, which
 * have the allocator's state, only pointers to the start of a block count: those to free memory are often within
 * the last bytes of the block before it.
 */
static int add_region(struct search *s, const struct pipa_map_line *line, bool after_libc)
{
	struct region region = { .start = line->start, .end = line->end };
	struct region *slot;
	uint64_t sp = stack_pointer_in(s, line);

	if (strcmp(line->path, "[heap]") == 0) {
		region.is_heap = true;
	} else if (sp) {
		region.start = sp - line->start > RED_ZONE ? sp - RED_ZONE : line->start;
		region.interior = true;
	} else {
		region.interior = line->path[0] == '/' && !is_c_library(line->path);
		if (!line->path[0])
			region.interior = !after_libc && line->start % ARENA &&
					  line->end - line->start < ARENA;
	}
	slot = PIPA_VEC_ADD(&s->regions);
	if (!slot)
		return -ENOMEM;
	*slot = region;
	return 0;
}

/* Can the program keep pointers in the mapping? Shared files belong to other programs, too. */
static bool is_searched(const struct search *s, const struct pipa_map_line *line)
{
	if (!line->readable || !line->writable)
		return false;
	if (s->ignored && strstr(line->path, s->ignored))
		return false;
	return !(line->shared && line->path[0] == '/' && !pipa_str_starts(line->path, "/dev/zero"));
}

/* Has a mapping, whose lines of smaps `text` begins after the first, the flags of the library's memory (preload/sys.c)? */
static bool is_of_library(const char *text)
{
	const char *flags = strstr(text, "\nVmFlags:"),
		   *end = flags ? strchr(flags + 1, '\n') : NULL;
	const char *dump = flags ? strstr(flags, " dd") : NULL;
	const char *random = flags ? strstr(flags, " rr") : NULL;

	return end && dump && dump < end && random && random < end;
}

static int read_regions(struct search *s, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	PIPA_AUTO(free) struct pipa_map_line *line = malloc(sizeof(*line));
	bool after_libc = false, after_ignored = false;
	const char *next;
	char path[64];
	int rc;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/smaps", s->pid);
	rc = line ? pipa_file_read(path, &text, err) : -ENOMEM;
	next = pipa_buf_str(&text);
	while (!rc && pipa_map_line_next(&next, line)) {
		bool has_path = line->path[0] != '\0';

		if (has_path) {
			after_libc = is_c_library(line->path);
			after_ignored = s->ignored && strstr(line->path, s->ignored);
		}
		/* unnamed memory after a library's data is its .bss */
		if (is_searched(s, line) && (has_path || !after_ignored) && !is_of_library(next))
			rc = add_region(s, line, after_libc && !has_path);
		if (!has_path)
			after_libc = after_ignored = false;
	}
	return rc;
}

static void search_done_auto(struct search *s)
{
	pipa_heap_scan_free(s->scan);
	free(s->stack_pointers.items);
	free(s->regions.items);
	free(s->chunk);
}

int pipa_heap_find_leaks(uint32_t pid, struct pipa_heaps_block *blocks, size_t n, bool all_known,
			 const char *ignored, struct pipa_error *err)
{
	PIPA_AUTO(search_done)
	struct search s = { .pid = pid, .all_known = all_known, .ignored = ignored };
	size_t i;
	int rc = check_sizes(pid, blocks, n, err);

	if (rc < 0)
		return rc;
	rc = read_stack_pointers(&s);
	if (rc < 0)
		return pipa_fail(err, rc, "read the threads of process %" PRIu32, pid);
	rc = read_regions(&s, err);
	if (rc < 0)
		return rc;
	s.chunk = malloc(CHUNK);
	if (!s.regions.n || !s.chunk ||
	    !pipa_process_read(pid, s.regions.items[0].start, s.chunk, 8))
		return pipa_fail(err, -EPERM, "read the memory of process %" PRIu32, pid);
	s.scan = pipa_heap_scan_new(blocks, n);
	if (!s.scan)
		return pipa_fail(err, -ENOMEM, "search the memory of process %" PRIu32, pid);
	for (i = 0; i < s.regions.n; i++)
		search_root(&s, &s.regions.items[i]);
	search_blocks(&s);
	while (pipa_heap_scan_lost(s.scan))
		search_blocks(&s);
	return 0;
}

/* ---- pages ---------------------------------------------------------------------------------------- */

/* A window of pagemap. */
struct pagemap {
	int fd;
	uint64_t page;
	uint64_t first; /* number of the first page in the window */
	size_t n;
	uint64_t entries[PAGES];
};

static uint64_t page_entry(struct pagemap *map, uint64_t number)
{
	ssize_t n;

	if (number < map->first || number >= map->first + map->n) {
		n = pread(map->fd, map->entries, sizeof(map->entries), (off_t)(number * 8));
		map->first = number;
		map->n = n > 0 ? (size_t)n / 8 : 0;
	}
	return map->n ? map->entries[number - map->first] : 0;
}

static void add_pages(struct pagemap *map, struct pipa_heaps_block *block)
{
	uint64_t at = block->address, end = at + block->size;

	block->has_pages = true;
	while (at < end) {
		uint64_t next = (at / map->page + 1) * map->page;
		uint64_t bytes = (next < end ? next : end) - at;
		uint64_t entry = page_entry(map, at / map->page);

		*(entry & PAGE_PRESENT ? &block->resident :
		  entry & PAGE_SWAPPED ? &block->swapped :
					 &block->untouched) += bytes;
		at = next;
	}
}

int pipa_heap_read_pages(uint32_t pid, struct pipa_heaps_block *blocks, size_t n,
			 struct pipa_error *err)
{
	struct pagemap map = { .page = (uint64_t)sysconf(_SC_PAGESIZE) };
	char path[64];
	size_t i;
	int rc = check_sizes(pid, blocks, n, err);

	if (rc < 0)
		return rc;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/pagemap", pid);
	map.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (map.fd < 0)
		return pipa_fail(err, -errno, "open %s", path);
	for (i = 0; i < n; i++)
		add_pages(&map, &blocks[i]);
	close(map.fd);
	return 0;
}
