#include "store/archive_write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/bytes.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/outfile.h"
#include "codec/gzip.h"
#include "codec/tar_write.h"
#include "codec/zstd.h"

enum { PIECE = 1 << 20, FOLDERS = 8 };

struct pipa_archive_writer {
	struct pipa_outfile *out;
	struct pipa_zstd_compressor *zstd; /* one of the two is set */
	struct pipa_gzip *gzip;
	struct pipa_buf tar, compressed; /* pieces under construction */
};

int pipa_archive_writer_new(struct pipa_outfile *out, enum pipa_archive_packing packing, int level,
			    struct pipa_archive_writer **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_archive_writer_free)
	struct pipa_archive_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return pipa_fail(err, -ENOMEM, "write the archive");
	w->out = out;
	if (packing == PIPA_ARCHIVE_GZIP)
		w->gzip = pipa_gzip_new(level);
	else
		w->zstd = pipa_zstd_compressor_new_level(level);
	if (!w->gzip && !w->zstd)
		return pipa_fail(err, -ENOMEM, "write the archive");
	if (w->zstd)
		pipa_zstd_compressor_check(w->zstd);
	*ret = PIPA_TAKE(w);
	return 0;
}

void pipa_archive_writer_free(struct pipa_archive_writer *w)
{
	if (!w)
		return;
	pipa_zstd_compressor_free(w->zstd);
	pipa_gzip_free(w->gzip);
	pipa_buf_done(&w->tar);
	pipa_buf_done(&w->compressed);
	free(w);
}

/* ---- output ---------------------------------------------------------------------------------- */

static int compress_tar(struct pipa_archive_writer *w)
{
	if (w->tar.status)
		return w->tar.status;
	if (w->gzip)
		return pipa_gzip_put(w->gzip, pipa_buf_str(&w->tar), w->tar.len, &w->compressed);
	return pipa_zstd_compressor_put(w->zstd, pipa_buf_str(&w->tar), w->tar.len, &w->compressed);
}

static int write_compressed(struct pipa_archive_writer *w, struct pipa_error *err)
{
	int rc = pipa_outfile_put(w->out, pipa_buf_str(&w->compressed), w->compressed.len, err);

	pipa_buf_reset(&w->compressed);
	return rc;
}

static int flush(struct pipa_archive_writer *w, struct pipa_error *err)
{
	int rc = compress_tar(w);

	pipa_buf_reset(&w->tar);
	return rc < 0 ? pipa_fail(err, rc, "write the archive") : write_compressed(w, err);
}

static int put_member(struct pipa_archive_writer *w, const void *bytes, size_t len,
		      struct pipa_error *err)
{
	const char *pos = bytes;
	int rc = 0;

	while (!rc && len) {
		size_t n = len < PIECE ? len : PIECE;

		pipa_buf_add(&w->tar, pos, n);
		pos += n;
		len -= n;
		if (w->tar.len >= PIECE)
			rc = flush(w, err);
	}
	return rc;
}

/* ---- members ------------------------------------------------------------------------------------------------- */

int pipa_archive_put(struct pipa_archive_writer *w, const char *member, struct pipa_span bytes,
		     struct pipa_error *err)
{
	int rc;

	pipa_tar_put_header(&w->tar, member, bytes.size);
	rc = put_member(w, bytes.data, bytes.size, err);
	pipa_tar_put_padding(&w->tar, bytes.size);
	return rc;
}

/* Copy exactly the number of bytes that the header has. */
static int copy_bytes(struct pipa_archive_writer *w, const struct pipa_bytes *bytes, uint64_t size,
		      const char *name, struct pipa_error *err)
{
	PIPA_AUTO(free) char *piece = malloc(PIECE);
	uint64_t offset = 0;
	ssize_t n;
	int rc = piece ? 0 : pipa_fail(err, -ENOMEM, "read %s", name);

	while (!rc && offset < size) {
		uint64_t left = size - offset;

		n = bytes->read(bytes->ctx, piece, left < PIECE ? (size_t)left : PIECE, offset);
		if (n == -EINTR)
			continue;
		if (n < 0)
			return pipa_fail(err, (int)n, "read %s", name);
		if (n == 0)
			return pipa_refuse(err, -EIO, "%s became shorter while it was read", name);
		rc = put_member(w, piece, (size_t)n, err);
		offset += (uint64_t)n;
	}
	return rc;
}

int pipa_archive_put_bytes(struct pipa_archive_writer *w, const char *member,
			   const struct pipa_bytes *bytes, const char *name, struct pipa_error *err)
{
	uint64_t size = bytes->size;
	int rc;

	pipa_tar_put_header(&w->tar, member, size);
	rc = copy_bytes(w, bytes, size, name, err);
	pipa_tar_put_padding(&w->tar, size);
	return rc;
}

int pipa_archive_put_file(struct pipa_archive_writer *w, const char *member, const char *path,
			  struct pipa_error *err)
{
	PIPA_AUTO(pipa_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct pipa_bytes bytes;

	if (fd < 0)
		return pipa_fail(err, -errno, "open %s", path);
	pipa_file_bytes(&fd, &bytes);
	if (bytes.size == PIPA_BYTES_ENDLESS)
		return pipa_refuse(err, -EINVAL, "%s is not a regular file", path);
	return pipa_archive_put_bytes(w, member, &bytes, path, err);
}

/* ---- directories ------------------------------------------------------------------------------------------------- */

static int is_shown(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Independent of the locale: the same directory gives the same archive. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static char *join_path(const char *directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static int put_directory(struct pipa_archive_writer *w, const char *directory, const char *member,
			 unsigned int depth, struct pipa_error *err);

/* Add a file or directory; `path` is its location, `member` its name in the archive. */
static int put_entry(struct pipa_archive_writer *w, const char *path, const char *member,
		     unsigned int depth, struct pipa_error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return pipa_fail(err, -errno, "stat %s", path);
	if (S_ISREG(st.st_mode))
		return pipa_archive_put_file(w, member, path, err);
	return S_ISDIR(st.st_mode) && depth ? put_directory(w, path, member, depth, err) : 0;
}

static int put_directory(struct pipa_archive_writer *w, const char *directory, const char *member,
			 unsigned int depth, struct pipa_error *err)
{
	struct dirent **entries;
	int i, rc = 0, n = scandir(directory, &entries, is_shown, by_name);

	if (n < 0)
		return pipa_fail(err, -errno, "read directory %s", directory);
	for (i = 0; i < n; i++) {
		PIPA_AUTO(free) char *path = NULL, *name = NULL;

		path = join_path(directory, entries[i]->d_name);
		name = join_path(member, entries[i]->d_name);
		free(entries[i]);
		if (!rc && (!path || !name))
			rc = pipa_fail(err, -ENOMEM, "archive %s", directory);
		if (!rc)
			rc = put_entry(w, path, name, depth - 1, err);
	}
	free(entries);
	return rc;
}

int pipa_archive_put_directory(struct pipa_archive_writer *w, const char *directory,
			       struct pipa_error *err)
{
	return put_directory(w, directory, ".", FOLDERS, err);
}

int pipa_archive_end(struct pipa_archive_writer *w, struct pipa_error *err)
{
	int rc;

	pipa_tar_put_end(&w->tar);
	rc = flush(w, err);
	if (rc < 0)
		return rc;
	rc = w->gzip ? pipa_gzip_end(w->gzip, &w->compressed) :
		       pipa_zstd_compressor_end(w->zstd, &w->compressed);
	if (rc < 0)
		return pipa_fail(err, rc, "write the archive");
	rc = write_compressed(w, err);
	return rc ? rc : pipa_outfile_sync(w->out, err);
}
