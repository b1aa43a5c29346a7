/* Resolve addresses of a running process: its mappings, the kernel, its JIT code. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/vec.h"
#include "kernel/text/maps_text.h"
#include "locate/kernel_files.h"
#include "locate/process_files.h"
#include "symbol/table/image.h"
#include "symbol/table/perf_map.h"
#include "symbol/table/table.h"
#include "symbolize/code_file.h"
#include "symbolize/kallsyms_reader.h"
#include "symbolize/resolver_own.h"

int pipa_resolver_read_maps(struct pipa_resolver *r, struct pipa_error *err)
{
	char path[40];
	int rc;

	snprintf(path, sizeof(path), "/proc/%u/maps", r->o.pid);
	pipa_buf_reset(&r->maps);
	r->jit_read = false; /* the process may have compiled more code */
	rc = pipa_file_read(path, &r->maps, NULL);
	if (rc == -ENOENT || rc == -ESRCH)
		return pipa_refuse(err, -ESRCH, "no process %u", r->o.pid);
	if (rc < 0) {
		pipa_fail(err, rc, "read the maps of process %u", r->o.pid);
		return rc == -EACCES || rc == -EPERM ?
			       pipa_hint(err, "run as its owner or as root") :
			       rc;
	}
	if (!r->maps.len)
		return pipa_refuse(
			err, -ESRCH,
			"process %u has no mappings: it has exited or is a kernel thread",
			r->o.pid);
	return 0;
}

/* ---- mappings -------------------------------------------------------------------------------- */

static bool is_deleted(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path);

	return len >= sizeof(mark) && strcmp(path + len - (sizeof(mark) - 1), mark) == 0;
}

/*
 * Open a mapped file through the process. A file that was replaced or deleted is opened through
 * /proc/PID/map_files.
 */
static int open_mapped(struct pipa_resolver *r, const struct pipa_map_line *map,
		       struct pipa_code_file **ret)
{
	char path[96];
	int rc = -ENOENT;

	if (!is_deleted(map->path))
		rc = pipa_resolver_open_file(map->path[0] == '[' ? &r->plain : &r->locate,
					     map->path, ret);
	if (rc != -ENOENT || map->path[0] != '/')
		return rc;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, r->o.pid,
		 map->start, map->end);
	return pipa_resolver_open_file(&r->plain, path, ret);
}

/* Return the file of a mapping, opened at the first call; NULL on allocation failure. */
static struct pipa_process_code *code_of(struct pipa_resolver *r, const struct pipa_map_line *map)
{
	struct pipa_process_code *code;
	size_t i;

	for (i = 0; i < r->codes.n; i++) {
		code = &r->codes.items[i];
		if (code->inode == map->inode && strcmp(code->path, map->path) == 0)
			return code;
	}
	code = PIPA_VEC_ADD(&r->codes);
	if (!code)
		return NULL;
	*code = (struct pipa_process_code){ strdup(map->path), map->inode, NULL };
	if (!code->path || open_mapped(r, map, &code->file) == -ENOMEM) {
		free(code->path);
		r->codes.n--;
		return NULL;
	}
	return code;
}

static int in_file(struct pipa_resolver *r, const struct pipa_map_line *map, size_t first, size_t n)
{
	const struct pipa_process_code *code = code_of(r, map);
	const struct pipa_image *image;
	size_t i;

	if (!code)
		return -ENOMEM;
	if (!code->file || pipa_code_file_image(code->file, &image) < 0)
		return pipa_resolver_in_none(r, code->path, first, n);
	for (i = 0; i < n; i++) {
		uint64_t offset = r->lookups[first + i].address - map->start + map->offset;

		if (!pipa_image_addr(image, offset, &r->linked[i]))
			r->linked[i] = UINT64_MAX; /* not code: no symbol extends to there */
	}
	return pipa_resolver_in_file(r, code->file, code->path, first, n);
}

/* Resolve addresses of anonymous memory with the perf map. */
static int in_memory(struct pipa_resolver *r, size_t first, size_t n)
{
	int rc = 0;

	if (!r->jit_read) {
		r->jit_read = true;
		pipa_symbols_free(PIPA_TAKE(r->jit));
		pipa_buf_reset(&r->jit_text);
		rc = pipa_locate_perf_map(&r->plain, NULL, r->o.pid, &r->jit_text);
		if (!rc)
			rc = pipa_perf_map_decode(pipa_buf_str(&r->jit_text), r->jit_text.len,
						  &r->jit, NULL);
	}
	if (rc == -ENOMEM)
		return rc;
	return r->jit ? pipa_resolver_in_table(r, r->jit, "[anon]", first, n) :
			pipa_resolver_in_none(r, "[anon]", first, n);
}

/* ---- kernel ---------------------------------------------------------------------------------- */

/*
 * Is it in the upper half of the address space, which is the kernel's on all three architectures?
 */
static bool is_kernel(uint64_t addr)
{
	return addr >> 63;
}

/*
 * Find the image of the running kernel unless the user gave one. 0, also if there is none, or
 * -ENOMEM.
 */
static int find_image(struct pipa_resolver *r)
{
	struct pipa_located located;
	struct pipa_code_file *file;

	if (r->vmlinux || !pipa_kallsyms_reader_table(r->kallsyms)->text)
		return 0;
	pipa_locate_running_kernel(&r->plain, &located);
	file = pipa_code_file_new(&r->plain, &located);
	if (!file || pipa_resolver_read_file(file, &r->vmlinux) == -ENOMEM)
		return -ENOMEM;
	return 0;
}

static int in_kernel(struct pipa_resolver *r, size_t first, size_t n)
{
	const struct pipa_kallsyms *kallsyms = pipa_kallsyms_reader_table(r->kallsyms);
	uint64_t linked;
	int rc = 0;

	if (!r->kallsyms_asked) {
		r->kallsyms_asked = true;
		rc = pipa_kallsyms_reader_decode_running(r->kallsyms);
		if (!rc)
			rc = find_image(r);
	}
	if (rc == -ENOMEM)
		return rc;
	if (!kallsyms->symbols)
		return pipa_resolver_in_none(r, "[kernel]", first, n);
	linked = r->vmlinux && kallsyms->text ? pipa_code_file_kernel_text(r->vmlinux) : 0;
	/* Addresses outside of the image, such as those of modules, are resolved with kallsyms. */
	return linked ? pipa_resolver_in_moved(r, r->vmlinux, kallsyms->text - linked,
					       kallsyms->symbols, "[kernel]", first, n) :
			pipa_resolver_in_table(r, kallsyms->symbols, "[kernel]", first, n);
}

/* ---- batch ----------------------------------------------------------------------------------- */

static bool has_file(const struct pipa_map_line *map)
{
	return (map->path[0] == '/' && map->path[1] != '/' && map->inode) ||
	       strcmp(map->path, "[vdso]") == 0;
}

/*
 * Resolve the lookups before `end`, which are not in the kernel, in one pass over lookups and
 * mappings: both ascend.
 */
static int in_maps(struct pipa_resolver *r, struct pipa_map_line *map, size_t end)
{
	const char *text = pipa_buf_str(&r->maps);
	size_t at = 0, first;
	int rc = 0;

	while (!rc && at < end && pipa_map_line_next(&text, map)) {
		for (first = at; at < end && r->lookups[at].address < map->start;)
			at++;
		if (at > first)
			rc = pipa_resolver_in_none(r, NULL, first, at - first);
		for (first = at; at < end && r->lookups[at].address < map->end;)
			at++;
		if (!rc && at > first)
			rc = has_file(map) ? in_file(r, map, first, at - first) :
					     in_memory(r, first, at - first);
	}
	return rc || at == end ? rc : pipa_resolver_in_none(r, NULL, at, end - at);
}

int pipa_resolver_in_process(struct pipa_resolver *r, size_t n)
{
	struct pipa_map_line *map = malloc(sizeof(*map));
	size_t end = n;
	int rc;

	while (end && is_kernel(r->lookups[end - 1].address))
		end--;
	rc = map ? in_maps(r, map, end) : -ENOMEM;
	free(map);
	return rc || end == n ? rc : in_kernel(r, end, n - end);
}

void pipa_resolver_process_done(struct pipa_resolver *r)
{
	size_t i;

	for (i = 0; i < r->codes.n; i++) {
		pipa_code_file_free(r->codes.items[i].file);
		free(r->codes.items[i].path);
	}
	free(r->codes.items);
	pipa_symbols_free(r->jit);
	pipa_buf_done(&r->jit_text);
	pipa_buf_done(&r->maps);
}
