#include "measure/sample/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "codec/zstd.h"
#include "measure/sample/record_keep.h"
#include "perf/encode.h"
#include "perf/split.h"

enum { MARK_EVERY = 1 << 20, WALK_BYTES = 256 << 10 };

struct pipa_record_file {
	struct pipa_record_file_options o;
	const char *name; /* for messages */
	char *temporary;  /* temporary name until it is renamed; NULL: the final name */
	int fd;
	bool piped, kept;
	enum pipa_record_end end;
	int failure;	      /* that ended the records */
	uint64_t data_at;     /* offset of the first record */
	uint64_t at;	      /* offset of the next byte */
	uint64_t whole;	      /* records before it are complete */
	uint64_t features;    /* bytes after the records */
	uint64_t marks[2];    /* offsets of record starts, some distance apart */
	struct pipa_buf head; /* from the start on, so that the end needs no memory */
	struct pipa_zstd_compressor *zstd;
	struct pipa_buf packed;
	uint64_t unpacked_bytes, packed_bytes;
};

/* ---- opening --------------------------------------------------------------------------------------- */

/* Is it a nonempty regular file, which must not be lost? */
static bool has_content(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size;
}

static int rename_file(const char *from, const char *to, struct pipa_error *err)
{
	return rename(from, to) == 0 ? 0 : pipa_fail(err, -errno, "rename %s to %s", from, to);
}

int pipa_record_file_keep(struct pipa_record_file *f, struct pipa_error *err)
{
	PIPA_AUTO(free) char *old = NULL;
	int rc = 0;

	f->kept = true;
	if (!f->temporary)
		return 0;
	if (asprintf(&old, "%s.old", f->o.path) < 0) {
		old = NULL;
		return pipa_fail(err, -ENOMEM, "rename %s", f->o.path);
	}
	if (has_content(f->o.path))
		rc = rename_file(f->o.path, old, err);
	if (!rc)
		rc = rename_file(f->temporary, f->o.path, err);
	if (rc < 0)
		return rc;
	free(f->temporary);
	f->temporary = NULL;
	return 0;
}

/* Open a temporary file in the same directory, to be renamed. */
static int open_temporary(struct pipa_record_file *f, struct pipa_error *err)
{
	if (asprintf(&f->temporary, "%s.XXXXXX", f->o.path) < 0) {
		f->temporary = NULL;
		return pipa_fail(err, -ENOMEM, "open %s", f->o.path);
	}
	f->fd = mkostemp(f->temporary, O_CLOEXEC);
	if (f->fd < 0) {
		int rc = pipa_fail(err, -errno, "create a file beside %s", f->o.path);

		free(f->temporary);
		f->temporary = NULL;
		return rc;
	}
	return 0;
}

static bool is_fifo(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* Is a signal pending? Signals are blocked for the signalfd and do not interrupt a wait. */
static bool is_interrupted(void)
{
	sigset_t set;

	return sigpending(&set) == 0 && (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
					 sigismember(&set, SIGHUP) || sigismember(&set, SIGQUIT));
}

/*
 * Open a FIFO and wait for its reader. Opened O_RDWR it would not wait, but the data written before
 * the reader comes would be lost, and a closed reader would not be noticed.
 */
static int open_fifo(struct pipa_record_file *f, struct pipa_error *err)
{
	static const struct timespec moment = { .tv_nsec = 10000000 };

	while ((f->fd = open(f->o.path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO) {
		if (is_interrupted())
			return pipa_refuse(err, -EINTR, "no reader opened %s", f->o.path);
		nanosleep(&moment, NULL);
	}
	if (f->fd < 0 || fcntl(f->fd, F_SETFL, O_WRONLY) < 0)
		return pipa_fail(err, -errno, "open %s", f->o.path);
	f->piped = true;
	return 0;
}

static int open_path(struct pipa_record_file *f, struct pipa_error *err)
{
	int rc;

	if (is_fifo(f->o.path))
		return open_fifo(f, err);
	if (has_content(f->o.path))
		return open_temporary(f, err);
	f->fd = open(f->o.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	rc = f->fd < 0 ? -errno : 0;
	if (rc == -EACCES) { /* a device can be write-only */
		f->fd = open(f->o.path, O_WRONLY | O_CLOEXEC);
		rc = f->fd >= 0 ? 0 : errno == ENOENT ? rc : -errno;
	}
	if (rc < 0)
		return pipa_fail(err, rc, "open %s", f->o.path);
	f->piped = lseek(f->fd, 0, SEEK_CUR) < 0;
	return 0;
}

int pipa_record_file_open(const struct pipa_record_file_options *options,
			  struct pipa_record_file **ret, struct pipa_error *err)
{
	struct pipa_record_file *f = calloc(1, sizeof(*f));
	int rc = 0;

	if (!f)
		return pipa_fail(err, -ENOMEM, "open %s", options->path);
	f->o = *options;
	f->name = options->path;
	f->fd = -1;
	if (strcmp(options->path, "-") == 0) {
		f->name = "standard output";
		f->piped = true;
		f->fd = fcntl(options->out_fd, F_DUPFD_CLOEXEC, 3);
		rc = f->fd < 0 ? pipa_fail(err, -errno, "write standard output") : 0;
	} else {
		rc = open_path(f, err);
	}
	if (!rc && options->level) {
		f->zstd = pipa_zstd_compressor_new_level((int)options->level);
		rc = f->zstd ? 0 : pipa_fail(err, -ENOMEM, "compress records");
	}
	if (rc < 0) {
		pipa_record_file_free(f);
		return rc;
	}
	*ret = f;
	return 0;
}

void pipa_record_file_free(struct pipa_record_file *f)
{
	struct stat st;

	if (!f)
		return;
	/* remove a file that was not kept, unless it is a device */
	if (f->temporary)
		unlink(f->temporary);
	else if (!f->kept && !f->piped && f->fd >= 0 && fstat(f->fd, &st) == 0 &&
		 S_ISREG(st.st_mode))
		unlink(f->o.path);
	pipa_fd_close(f->fd);
	pipa_zstd_compressor_free(f->zstd);
	pipa_buf_done(&f->head);
	pipa_buf_done(&f->packed);
	free(f->temporary);
	free(f);
}

bool pipa_record_file_piped(const struct pipa_record_file *f)
{
	return f->piped;
}

/* ---- records --------------------------------------------------------------------------------------- */

static bool is_full(int code)
{
	return code == -ENOSPC || code == -EDQUOT || code == -EFBIG;
}

static void truncate_to(struct pipa_record_file *f, uint64_t at)
{
	if (ftruncate(f->fd, (off_t)at) == 0)
		lseek(f->fd, (off_t)at, SEEK_SET);
	f->at = f->whole = at;
}

static void describe_compression(const struct pipa_record_file *f, struct pipa_perf_about *about)
{
	if (!f->zstd)
		return;
	about->compressed.level = f->o.level;
	about->compressed.ratio = f->packed_bytes ?
					  (uint32_t)(f->unpacked_bytes / f->packed_bytes) :
					  1;
	about->compressed.ring_bytes = f->o.ring_bytes;
}

int pipa_record_file_begin(struct pipa_record_file *f, const struct pipa_perf_events *events,
			   struct pipa_perf_about *about, struct pipa_error *err)
{
	static const uint64_t none[4];
	int rc = 0;

	f->head.max = 1 << 30;
	describe_compression(f, about);
	if (f->piped)
		rc = pipa_perf_put_pipe_head(&f->head, events, about);
	else
		pipa_perf_put_head(&f->head, events, 0, none);
	if (rc == -E2BIG)
		return pipa_refuse(err, rc, "too many threads and CPUs to record to a pipe");
	if (!rc)
		rc = f->head.status;
	if (!rc)
		rc = pipa_file_write(f->fd, f->head.data, f->head.len);
	if (rc < 0)
		return pipa_fail(err, rc, "write %s", f->name);
	f->data_at = f->at = f->whole = f->marks[0] = f->marks[1] = f->head.len;
	return 0;
}

/* End the records after a limit or a full disk; complete records stay. */
static void end_records(struct pipa_record_file *f, enum pipa_record_end end, const uint8_t *bytes,
			size_t written, bool whole)
{
	f->end = end;
	if (!f->piped)
		truncate_to(f, whole ? f->at + pipa_perf_whole(bytes, written) : f->whole);
}

void pipa_record_file_put(struct pipa_record_file *f, const void *bytes, size_t len, bool whole)
{
	bool limited = f->o.max_bytes && f->at + len > f->o.max_bytes;
	size_t written;
	int rc;

	if (f->end)
		return;
	if (whole)
		f->whole = f->at;
	if (limited)
		len = whole && f->o.max_bytes > f->at ?
			      pipa_perf_whole(bytes, (size_t)(f->o.max_bytes - f->at)) :
			      0;
	rc = pipa_file_write_some(f->fd, bytes, len, &written);
	if (rc < 0 || limited) {
		f->failure = rc;
		end_records(f,
			    rc == -EPIPE ? PIPA_RECORD_GONE :
			    rc < 0	 ? PIPA_RECORD_FAILED :
					   PIPA_RECORD_LIMIT,
			    bytes, written, whole);
		return;
	}
	f->at += len;
	if (whole && f->whole > f->marks[0] + MARK_EVERY) {
		f->marks[1] = f->marks[0];
		f->marks[0] = f->whole;
	}
}

/* Write a chunk as one or more COMPRESSED records of the maximum size. */
static int compress_chunk(struct pipa_record_file *f, const uint8_t *bytes, size_t len,
			  struct pipa_error *err)
{
	struct pipa_cursor in = { .pos = bytes, .end = bytes + len };
	uint8_t room[PIPA_PERF_COMPRESSED_MAX];
	ssize_t n;

	pipa_buf_reset(&f->packed);
	do {
		n = pipa_zstd_compressor_next(f->zstd, &in, room, sizeof(room));
		if (n > 0)
			pipa_perf_put_compressed(&f->packed, room, (size_t)n);
	} while (n == sizeof(room) || (n >= 0 && pipa_cursor_left(&in)));
	if (n >= 0)
		n = f->packed.status;
	if (n < 0)
		return pipa_fail(err, (int)n, "compress records");
	f->unpacked_bytes += len;
	f->packed_bytes += f->packed.len;
	pipa_record_file_put(f, f->packed.data, f->packed.len, true);
	return 0;
}

int pipa_record_file_pack(struct pipa_record_file *f, const void *bytes, size_t len, bool whole,
			  struct pipa_error *err)
{
	const uint8_t *at = bytes;
	size_t n;
	int rc = 0;

	if (!f->zstd) {
		pipa_record_file_put(f, bytes, len, whole);
		return 0;
	}
	for (; !rc && len && !f->end; at += n, len -= n) {
		n = len < f->o.ring_bytes ? len : f->o.ring_bytes;
		rc = compress_chunk(f, at, n, err);
	}
	return rc;
}

enum pipa_record_end pipa_record_file_ended(const struct pipa_record_file *f)
{
	return f->end;
}

uint64_t pipa_record_file_size(const struct pipa_record_file *f)
{
	return f->at + f->features;
}

/* ---- the end --------------------------------------------------------------------------------------- */

/* Return the last record start at or before `limit`. */
static uint64_t record_before(const struct pipa_record_file *f, uint64_t limit)
{
	PIPA_AUTO(free) uint8_t *bytes = malloc(WALK_BYTES);
	uint64_t at = f->marks[0] <= limit ? f->marks[0] :
		      f->marks[1] <= limit ? f->marks[1] :
					     f->data_at;
	ssize_t n;
	size_t whole;

	while (bytes && at < limit) {
		n = pread(f->fd, bytes,
			  limit - at < WALK_BYTES ? (size_t)(limit - at) : (size_t)WALK_BYTES,
			  (off_t)at);
		whole = n > 0 ? pipa_perf_whole(bytes, (size_t)n) : 0;
		if (!whole)
			break;
		at += whole;
	}
	return at;
}

/* Write the features after the records; on a full disk, drop the last records to make space. */
static int put_features(struct pipa_record_file *f, const struct pipa_perf_events *events,
			const struct pipa_perf_about *about, uint64_t bits[4])
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	size_t written;
	int rc, tries = 0;

	for (;;) {
		pipa_buf_reset(&text);
		pipa_perf_put_features(&text, events, about, f->at, bits);
		if (text.status)
			return text.status;
		rc = pipa_file_write_some(f->fd, text.data, text.len, &written);
		if (!rc)
			f->features = text.len;
		if (!rc || !is_full(rc) || tries++ == 2 || f->at == f->data_at)
			return rc;
		f->end = PIPA_RECORD_FAILED;
		f->failure = rc;
		/* file systems free whole blocks: drop somewhat more than needed */
		written = text.len + (8192U << tries);
		truncate_to(f, f->at > f->data_at + written ? record_before(f, f->at - written) :
							      f->data_at);
	}
}

/*
 * Append the stored files and set the size of their section; if there is no space, the section is
 * empty.
 */
static void put_stored_files(struct pipa_record_file *f, const uint64_t bits[4],
			     struct pipa_record_keep *keep)
{
	uint64_t end = f->at + f->features, size = 0, entries = 0;
	size_t i;

	for (i = 0; i < 4; i++)
		entries += (uint64_t)__builtin_popcountll(bits[i]);
	if (pipa_record_keep_write(keep, f->fd, end, &size) < 0 ||
	    pwrite(f->fd, &size, sizeof(size), (off_t)(f->at + 16 * (entries - 1) + 8)) !=
		    sizeof(size)) {
		keep->n_left_out += keep->n_kept;
		keep->n_kept = 0;
		size = ftruncate(f->fd, (off_t)end) < 0 ? size : 0;
	}
	f->features += size;
}

/*
 * Complete the header. Stop signals are blocked here and cannot interrupt it: the file is readable from
 * now on.
 */
static int put_head(struct pipa_record_file *f, const struct pipa_perf_events *events,
		    const uint64_t bits[4])
{
	struct pipa_buf *head = &f->head;
	size_t written = 0;
	ssize_t n;

	pipa_buf_reset(head);
	pipa_perf_put_head(head, events, f->at - f->data_at, bits);
	if (head->status)
		return head->status;
	while (written < head->len) {
		n = pwrite(f->fd, head->data + written, head->len - written, (off_t)written);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		written += (size_t)n;
	}
	return 0;
}

/* Has the reader closed the pipe, even if data is left in it? */
static bool reader_has_gone(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };

	return poll(&poll_fd, 1, 0) > 0 && poll_fd.revents & POLLERR;
}

int pipa_record_file_finish(struct pipa_record_file *f, const struct pipa_perf_events *events,
			    struct pipa_perf_about *about, struct pipa_record_keep *keep,
			    struct pipa_error *err)
{
	uint64_t bits[4] = { 0 };
	int rc = pipa_record_file_keep(f, err);

	if (rc < 0)
		return rc;
	if (f->piped && !f->end && reader_has_gone(f->fd))
		f->end = PIPA_RECORD_GONE;
	if (f->piped)
		return f->end == PIPA_RECORD_FAILED ?
			       pipa_fail(err, f->failure, "write %s", f->name) :
			       0;
	describe_compression(f, about);
	about->keeps_files = keep && pipa_record_keep_any(keep);
	rc = put_features(f, events, about, bits);
	if (!rc && about->keeps_files)
		put_stored_files(f, bits, keep);
	if (rc < 0) { /* a file without features is readable, one without its header is not */
		memset(bits, 0, sizeof(bits));
		f->failure = rc;
		truncate_to(f, f->at);
	}
	rc = put_head(f, events, bits);
	if (rc < 0) {
		pipa_fail(err, rc, "write %s", f->name);
		return pipa_hint(err, "its header is incomplete, its records can be read");
	}
	if (!f->failure)
		return 0;
	pipa_fail(err, f->failure, "write %s", f->name);
	return pipa_hint(err, "it holds the data recorded so far");
}
