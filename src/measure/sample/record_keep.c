#include "measure/sample/record_keep.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "codec/zstd.h"
#include "locate/bundle_files.h"
#include "locate/kept_files.h"
#include "locate/mapped_files.h"
#include "locate/process_files.h"
#include "measure/sample/record_maps.h"
#include "symbol/table/jitdump.h"

enum {
	PIECE = 1 << 20,
	LEVEL = 1,
};

/* ---- writing --------------------------------------------------------------------------------------- */

struct writing {
	int fd;
	uint64_t start, at;
	struct pipa_zstd_compressor *packer;
	struct pipa_buf packed, index;
	uint64_t n;
	uint8_t *piece;
};

static int write_all(struct writing *w, const void *bytes, size_t len)
{
	const uint8_t *from = bytes;

	while (len) {
		ssize_t n = pwrite(w->fd, from, len, (off_t)w->at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		from += n;
		w->at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static int flush_packed(struct writing *w)
{
	int rc = w->packed.status;

	if (!rc)
		rc = write_all(w, w->packed.data, w->packed.len);
	pipa_buf_reset(&w->packed);
	return rc;
}

/* Add an entry of the index for the data written since `from`. */
static int add_entry(struct writing *w, uint64_t from, const char *name)
{
	const uint64_t entry[2] = { from - w->start, w->at - from };

	pipa_buf_add(&w->index, entry, sizeof(entry));
	pipa_buf_add(&w->index, name, strlen(name) + 1);
	w->n++;
	return w->index.status;
}

/* Compress a file; if it shrinks meanwhile, it ends there. */
static int write_file(struct writing *w, int fd)
{
	off_t from = 0;
	ssize_t n = 1;
	int rc = 0;

	while (!rc && n > 0) {
		n = pread(fd, w->piece, PIECE, from);
		if (n < 0 && errno == EINTR) {
			n = 1;
			continue;
		}
		if (n > 0)
			rc = pipa_zstd_compressor_put(w->packer, w->piece, (size_t)n, &w->packed);
		if (!rc)
			rc = flush_packed(w);
		from += n > 0 ? n : 0;
	}
	if (!rc)
		rc = pipa_zstd_compressor_end(w->packer, &w->packed);
	return rc ? rc : flush_packed(w);
}

static bool name_of(const struct pipa_mapped_file *file, char *ret, size_t size)
{
	const struct pipa_span id = { file->build_id, file->build_id_len };

	return id.size ? pipa_bundle_files_id_name(PIPA_BUNDLE_CACHE, id, "elf", ret, size) :
			 pipa_bundle_files_file_name(&file->file, file->path, ret, size);
}

static int add_member(struct writing *w, const struct pipa_mapped_file *file)
{
	const uint64_t from = w->at;
	char name[PATH_MAX + 64];
	int rc;

	if (!name_of(file, name, sizeof(name)))
		return 0;
	rc = write_file(w, file->fd);
	return rc ? rc : add_entry(w, from, name);
}

/* Read the perf map of a process, through its own root directory or that of a parent. */
static int read_perf_map(const struct pipa_record_keep *keep, const struct pipa_record_jit *jit,
			 struct pipa_buf *ret)
{
	enum { ANCESTORS = 4 };
	uint32_t pid = jit->pid;
	int rc = -ENOENT, i;

	for (i = 0; rc == -ENOENT && pid && i <= ANCESTORS; i++) {
		rc = pipa_locate_perf_map_in(pid, jit->ns_pid, ret);
		pid = pipa_mapped_files_parent(keep->files, pid);
	}
	return rc;
}

static int add_perf_map(struct pipa_record_keep *keep, struct writing *w,
			const struct pipa_record_jit *jit, uint64_t *left)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	const uint64_t from = w->at;
	char name[64];
	int rc;

	if (!jit->contained || read_perf_map(keep, jit, &text) < 0 || !text.len)
		return 0;
	if (text.len > *left) {
		keep->n_left_out++;
		return 0;
	}
	*left -= text.len;
	keep->n_kept++;
	snprintf(name, sizeof(name), PIPA_BUNDLE_ROOT "/tmp/perf-%u.map", jit->pid);
	rc = pipa_zstd_compressor_put(w->packer, text.data, text.len, &w->packed);
	if (!rc)
		rc = pipa_zstd_compressor_end(w->packer, &w->packed);
	if (!rc)
		rc = flush_packed(w);
	return rc ? rc : add_entry(w, from, name);
}

static bool is_kept(const struct pipa_record_keep *keep, size_t i)
{
	const struct pipa_mapped_file *file = pipa_mapped_files_get(keep->files, i);

	return file->outside && (!keep->used || keep->used[i] || pipa_jitdump_is_name(file->path));
}

bool pipa_record_keep_any(const struct pipa_record_keep *keep)
{
	size_t i;

	for (i = 0; i < pipa_mapped_files_count(keep->files); i++)
		if (is_kept(keep, i))
			return true;
	for (i = 0; i < keep->n_jits; i++)
		if (keep->jits[i].contained)
			return true;
	return false;
}

/* Was the same file stored for another container? */
static bool is_written(const struct pipa_record_keep *keep, size_t i)
{
	const struct pipa_mapped_file *file = pipa_mapped_files_get(keep->files, i), *other;
	size_t k;

	for (k = 0; k < i && file->build_id_len; k++) {
		other = pipa_mapped_files_get(keep->files, k);
		if (other->fd >= 0 && is_kept(keep, k) &&
		    other->build_id_len == file->build_id_len &&
		    memcmp(other->build_id, file->build_id, file->build_id_len) == 0)
			return true;
	}
	return false;
}

static int write_members(struct pipa_record_keep *keep, struct writing *w)
{
	const struct pipa_mapped_file *file;
	uint64_t left = keep->max_bytes;
	struct stat st;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < pipa_mapped_files_count(keep->files); i++) {
		file = pipa_mapped_files_get(keep->files, i);
		if (!is_kept(keep, i) || is_written(keep, i))
			continue;
		if (file->fd < 0 || fstat(file->fd, &st) < 0 || (uint64_t)st.st_size > left) {
			keep->n_left_out++;
			continue;
		}
		left -= (uint64_t)st.st_size;
		keep->n_kept++;
		rc = add_member(w, file);
	}
	for (i = 0; !rc && i < keep->n_jits; i++)
		rc = add_perf_map(keep, w, &keep->jits[i], &left);
	return rc;
}

static int write_index(struct writing *w)
{
	uint64_t trailer[2] = { w->at - w->start, w->n };
	int rc = w->index.status;

	if (!rc)
		rc = write_all(w, w->index.data, w->index.len);
	if (!rc)
		rc = write_all(w, trailer, sizeof(trailer));
	return rc ? rc : write_all(w, PIPA_KEPT_MAGIC, PIPA_KEPT_MAGIC_SIZE);
}

int pipa_record_keep_write(struct pipa_record_keep *keep, int fd, uint64_t at, uint64_t *ret_size)
{
	struct writing w = { .fd = fd, .start = at, .at = at };
	int rc = 0;

	w.packer = pipa_zstd_compressor_new_level(LEVEL);
	w.piece = malloc(PIECE);
	if (!w.packer || !w.piece)
		rc = -ENOMEM;
	if (!rc)
		rc = write_members(keep, &w);
	if (!rc)
		rc = write_index(&w);
	pipa_zstd_compressor_free(w.packer);
	pipa_buf_done(&w.packed);
	pipa_buf_done(&w.index);
	free(w.piece);
	if (!rc)
		*ret_size = w.at - at;
	return rc;
}
