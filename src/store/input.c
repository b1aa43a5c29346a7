#include "store/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/tmp.h"
#include "codec/decompress.h"
#include "import/history.h"
#include "perf/file_read.h"
#include "store/tar_index.h"

enum { MAX_PARTS = 4096, UNZIPPED = 64 << 10, COMMENTS_MAX = 64 << 20 };

/*
 * Decompressed content of more than RATIO_FROM bytes may be RATIO_MAX times the size of the file: statistics and
 * recordings stay below 100, content made to fill the disk reaches 1000 with gzip and more with zstd.
 */
enum { RATIO_FROM = 256 << 20, RATIO_MAX = 500 };

struct opened {
	struct pipa_input input; /* first: the public part */
	const char *path;
	int fd;
	struct pipa_bytes file;			/* read from fd */
	struct pipa_decompressor *decompressor; /* for a compressed file */
	struct pipa_tar_index *archive;
	uint8_t *peeked;
	size_t n_peeked;
	int *part_fds;
	struct pipa_bytes *parts;
	struct pipa_error *err; /* of the call that opens it */
	uint64_t unzipped;	/* decompressed bytes so far */
	uint64_t zipped;	/* bytes of the file that were read for it */
	bool unknown_content;	/* the decompressed content is of no known kind */
	bool whole;		/* any kind, completely */
};

/* Read from a pipe, which cannot seek: the bytes used for detection are in memory. */
static ssize_t read_after_peek(void *ctx, void *buf, size_t size, uint64_t offset)
{
	struct opened *in = ctx;

	if (offset >= in->n_peeked)
		return in->file.read(in->file.ctx, buf, size, offset);
	if (size > in->n_peeked - offset)
		size = in->n_peeked - (size_t)offset;
	memcpy(buf, in->peeked + offset, size);
	return (ssize_t)size;
}

/* Fill the buffer up to its size or the end of the input; its first byte is at `offset`. */
static int fill_buffer(struct opened *in, const struct pipa_bytes *bytes, uint64_t offset)
{
	if (!in->peeked)
		in->peeked = malloc(PIPA_KIND_BYTES);
	while (in->peeked && in->n_peeked < PIPA_KIND_BYTES) {
		ssize_t n = bytes->read(bytes->ctx, in->peeked + in->n_peeked,
					PIPA_KIND_BYTES - in->n_peeked, offset + in->n_peeked);

		if (n == -EINTR)
			continue;
		if (n < 0)
			return pipa_fail(in->err, (int)n, "read %s", in->input.name);
		if (n == 0)
			break;
		in->n_peeked += (size_t)n;
	}
	if (!in->peeked)
		return pipa_fail(in->err, -ENOMEM, "read %s", in->input.name);
	return 0;
}

static bool is_text(enum pipa_kind kind)
{
	return kind == PIPA_KIND_UNKNOWN || kind == PIPA_KIND_PERF_SCRIPT ||
	       kind == PIPA_KIND_FOLDED;
}

/*
 * Read the first bytes and detect the kind. Comments at the start of a text are skipped, because a
 * header of perf script may exceed the buffer. Skipped bytes of a pipe are lost, which does not
 * matter.
 */
static int detect_kind(struct opened *in, const struct pipa_bytes *bytes)
{
	bool inside = false, header;
	uint64_t at = 0;
	size_t skipped;
	int rc;

	in->n_peeked = 0;
	rc = fill_buffer(in, bytes, at);
	if (rc)
		return rc;
	in->input.kind = pipa_kind_find(in->peeked, in->n_peeked);
	if (!is_text(in->input.kind) || in->whole)
		return 0;
	header = in->n_peeked > 10 && memcmp(in->peeked, "# ========", 10) == 0;
	while (!rc && at < COMMENTS_MAX) {
		skipped = pipa_kind_skip(in->peeked, in->n_peeked, &inside);
		if (!skipped)
			break;
		memmove(in->peeked, in->peeked + skipped, in->n_peeked - skipped);
		in->n_peeked -= skipped;
		at += skipped;
		rc = fill_buffer(in, bytes, at);
	}
	if (rc)
		return rc;
	in->input.kind = pipa_kind_find(in->peeked, in->n_peeked);
	if (at && !in->n_peeked) /* only comments */
		in->input.kind = header ? PIPA_KIND_PERF_SCRIPT : PIPA_KIND_UNKNOWN;
	return 0;
}

/*
 * Open the files of perf's directory format: "data", and "data.0" and so on with the records of one
 * CPU each.
 */
static int open_parts(struct opened *in)
{
	char path[PATH_MAX];
	size_t i;
	int fd;

	in->part_fds = calloc(MAX_PARTS, sizeof(*in->part_fds));
	in->parts = calloc(MAX_PARTS, sizeof(*in->parts));
	if (!in->part_fds || !in->parts)
		return pipa_fail(in->err, -ENOMEM, "read %s", in->input.name);
	in->input.parts = in->parts;
	for (i = 0; i < MAX_PARTS; i++) {
		snprintf(path, sizeof(path), "%s/data.%zu", in->path, i);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			break;
		in->part_fds[i] = fd;
		pipa_file_bytes(&in->part_fds[i], &in->parts[i]);
		in->input.n_parts++;
	}
	return 0;
}

static int open_file(struct opened *in)
{
	bool standard = !in->path || strcmp(in->path, "-") == 0, directory;
	char path[PATH_MAX];
	struct stat st;
	int rc = 0;

	in->input.name = standard ? "standard input" : in->path;
	in->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) :
			    open(in->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	directory = in->fd >= 0 && !standard && fstat(in->fd, &st) == 0 && S_ISDIR(st.st_mode);
	if (directory) {
		close(in->fd);
		snprintf(path, sizeof(path), "%s/data", in->path);
		in->fd = open(path, O_RDONLY | O_CLOEXEC);
		rc = in->fd < 0 ? 0 : open_parts(in);
	}
	if (in->fd < 0 && directory && errno == ENOENT)
		return pipa_refuse(in->err, -ENOENT,
				   "%s: not a perf.data directory (no file named \"data\")",
				   in->input.name);
	if (in->fd < 0)
		return pipa_fail(in->err, -errno, "open %s%s", in->input.name,
				 directory ? "/data" : "");
	pipa_file_bytes(&in->fd, &in->file);
	if (!rc)
		rc = detect_kind(in, &in->file);
	in->input.bytes = in->file;
	if (in->file.size == PIPA_BYTES_ENDLESS)
		in->input.bytes = (struct pipa_bytes){ .read = read_after_peek,
						       .ctx = in,
						       .size = PIPA_BYTES_ENDLESS };
	return rc;
}

/* Open the unnamed temporary file for the copy of a pipe or the content of a compressed file. */
static int open_spool(struct opened *in, const char **ret_directory)
{
	int fd = pipa_tmp_open();

	*ret_directory = pipa_tmp_dir();
	if (fd >= 0)
		return fd;
	pipa_fail(in->err, fd, "keep %s in %s", in->input.name, *ret_directory);
	return pipa_hint(in->err,
			 "set TMPDIR to a writable directory, or save the input to a file first");
}

static int write_spool(struct opened *in, int fd, const char *directory, const void *bytes,
		       size_t len)
{
	int rc = pipa_file_write(fd, bytes, len);

	if (rc == 0)
		return 0;
	pipa_fail(in->err, rc, "keep %s in %s", in->input.name, directory);
	return pipa_hint(in->err, "set TMPDIR to a directory with free space");
}

/*
 * Is the decompressed content of no known kind, so that the rest is not needed? A few kilobytes of
 * zeros can expand to gigabytes. Tested once, when there are enough bytes for detection. Comments
 * may be longer.
 */
static bool is_unknown_content(struct opened *in, int fd)
{
	PIPA_AUTO(free) uint8_t *first = malloc(PIPA_KIND_BYTES);
	bool inside = false;
	ssize_t n = first ? pread(fd, first, PIPA_KIND_BYTES, 0) : -1;

	if (n < (ssize_t)PIPA_KIND_BYTES || pipa_kind_find(first, (size_t)n) != PIPA_KIND_UNKNOWN)
		return false;
	if (in->whole) /* statistics are text or have their own magic number */
		return memchr(first, 0, (size_t)n) && !pipa_history_is(first, (size_t)n);
	return !pipa_kind_skip(first, (size_t)n, &inside);
}

/* Decompress a piece to the temporary file. Corruption ends it: earlier content is used. */
static int spool_decompressed(struct opened *in, int fd, const char *directory, const char *piece,
			      size_t len)
{
	struct pipa_cursor c = { (const uint8_t *)piece, (const uint8_t *)piece + len, false, 0 };
	char out[UNZIPPED];
	ssize_t n;
	int rc = 0;

	do {
		n = pipa_decompressor_next(in->decompressor, &c, out, sizeof(out));
		if (n == -EBADMSG) {
			in->input.cut = in->input.compressed_cut = true;
			return 0;
		}
		if (n < 0)
			return pipa_fail(in->err, (int)n, "decompress %s", in->input.name);
		rc = write_spool(in, fd, directory, out, (size_t)n);
		in->unknown_content = !rc && in->unzipped < PIPA_KIND_BYTES &&
				      in->unzipped + (uint64_t)n >= PIPA_KIND_BYTES &&
				      is_unknown_content(in, fd);
		in->unzipped += (uint64_t)n;
		if (!rc && in->unzipped > RATIO_FROM && in->unzipped / RATIO_MAX > in->zipped) {
			pipa_refuse(in->err, -EFBIG, "%s expands to more than %d times its size",
				    in->input.name, RATIO_MAX);
			return pipa_hint(in->err, "decompress it yourself if you trust it");
		}
	} while (!rc && !in->unknown_content && ((size_t)n == sizeof(out) || pipa_cursor_left(&c)));
	return rc;
}

/* Copy the whole input to another file. */
static int copy_input(struct opened *in, int fd, const char *directory)
{
	enum { PIECE = 1 << 20 };
	PIPA_AUTO(free) char *piece = malloc(PIECE);
	uint64_t offset = 0;
	ssize_t n;
	int rc = piece ? 0 : pipa_fail(in->err, -ENOMEM, "read %s", in->input.name);

	while (!rc && !in->input.cut && !in->unknown_content) {
		n = in->input.bytes.read(in->input.bytes.ctx, piece, PIECE, offset);
		if (n == -EINTR)
			continue;
		if (n < 0)
			return pipa_fail(in->err, (int)n, "read %s", in->input.name);
		if (n == 0)
			break;
		in->zipped += (uint64_t)n;
		rc = in->decompressor ? spool_decompressed(in, fd, directory, piece, (size_t)n) :
					write_spool(in, fd, directory, piece, (size_t)n);
		offset += (uint64_t)n;
	}
	return rc;
}

/* Copy the input to a temporary file and read from there. */
static int spool(struct opened *in)
{
	const char *directory;
	int fd = open_spool(in, &directory), rc;

	if (fd < 0)
		return fd;
	rc = copy_input(in, fd, directory);
	close(in->fd);
	in->fd = fd;
	pipa_file_bytes(&in->fd, &in->file);
	in->input.bytes = in->file;
	return rc;
}

/* Replace a compressed input by its content. */
static int decompress(struct opened *in)
{
	int rc;

	in->decompressor = pipa_decompressor_new((struct pipa_span){ in->peeked, in->n_peeked });
	if (!in->decompressor)
		return pipa_fail(in->err, -ENOMEM, "decompress %s", in->input.name);
	rc = spool(in);
	in->input.compressed_cut |= !in->unknown_content &&
				    !pipa_decompressor_is_whole(in->decompressor);
	in->input.cut |= in->input.compressed_cut;
	return rc < 0 ? rc : detect_kind(in, &in->file);
}

/* Replace an archive by the recording in it, if there is one. */
static int use_recording(struct opened *in, const struct pipa_tar_index *archive)
{
	const struct pipa_bytes *recording = pipa_tar_index_recording(archive);

	in->input.cut |= pipa_tar_index_is_truncated(archive);
	if (!recording)
		return 0;
	in->input.bytes = in->file = *recording;
	in->input.parts = pipa_tar_index_parts(archive, &in->input.n_parts);
	in->input.pack = pipa_tar_index_files(archive);
	return detect_kind(in, recording);
}

static int open_archive(struct opened *in)
{
	int rc = in->file.size == PIPA_BYTES_ENDLESS ? spool(in) : 0;

	if (!rc)
		rc = pipa_tar_index_open(in->fd, in->input.name, &in->archive, in->err);
	return rc ? rc : use_recording(in, in->archive);
}

int pipa_input_open(const char *path, bool again, struct pipa_input **ret, struct pipa_error *err)
{
	struct opened *in = calloc(1, sizeof(*in));
	int rc;

	if (!in)
		return pipa_fail(err, -ENOMEM, "open %s", path ? path : "standard input");
	in->path = path;
	in->fd = -1;
	in->err = err;
	rc = open_file(in);
	if (!rc && (in->input.kind == PIPA_KIND_GZIP || in->input.kind == PIPA_KIND_ZSTD))
		rc = decompress(in);
	if (!rc && in->input.kind == PIPA_KIND_TAR)
		rc = open_archive(in);
	/* other kinds are read once or refused; a recording in file format needs seeking */
	if (!rc && in->file.size == PIPA_BYTES_ENDLESS && in->input.kind == PIPA_KIND_PERF_DATA &&
	    (again || !pipa_perf_is_piped(in->peeked, in->n_peeked)))
		rc = spool(in);
	if (rc < 0) {
		pipa_input_close(&in->input);
		return rc;
	}
	*ret = &in->input;
	return 0;
}

int pipa_input_open_index(const struct pipa_tar_index *archive, const char *name, bool cut,
			  struct pipa_input **ret, struct pipa_error *err)
{
	struct opened *in = calloc(1, sizeof(*in));
	int rc;

	if (!in)
		return pipa_fail(err, -ENOMEM, "open %s", name);
	*in = (struct opened){
		.input = { .name = name, .kind = PIPA_KIND_TAR, .cut = cut, .compressed_cut = cut },
		.fd = -1,
		.err = err
	};
	rc = use_recording(in, archive);
	if (rc < 0)
		pipa_input_close(&in->input);
	else
		*ret = &in->input;
	return rc;
}

int pipa_input_open_plain(const char *path, bool *ret_cut, struct pipa_error *err)
{
	struct opened *in = calloc(1, sizeof(*in));
	int rc, fd;

	if (!in)
		return pipa_fail(err, -ENOMEM, "open %s", path);
	*in = (struct opened){ .path = path, .fd = -1, .err = err, .whole = true };
	rc = open_file(in);
	if (!rc && (in->input.kind == PIPA_KIND_GZIP || in->input.kind == PIPA_KIND_ZSTD))
		rc = decompress(in);
	else if (!rc && in->file.size == PIPA_BYTES_ENDLESS)
		rc = spool(in);
	*ret_cut = in->input.cut;
	fd = rc ? rc : in->fd;
	if (!rc)
		in->fd = -1;
	pipa_input_close(&in->input);
	return fd;
}

void pipa_input_close(struct pipa_input *input)
{
	struct opened *in = (struct opened *)(void *)input;
	size_t i;

	if (!in)
		return;
	for (i = 0; in->part_fds && i < in->input.n_parts; i++)
		close(in->part_fds[i]);
	pipa_tar_index_close(in->archive);
	free(in->part_fds);
	free(in->parts);
	free(in->peeked);
	pipa_decompressor_free(in->decompressor);
	pipa_fd_close(in->fd);
	free(in);
}
