#include "job/load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "import/folded.h"
#include "import/perf_script.h"
#include "job/load_perf.h"
#include "perf/file_read.h"

enum { MAX_PARTS = 4096 };

/* What was named, opened: its bytes from the start, though its first ones were looked at. */
struct input {
	const struct pipa_load_options *o;
	const char *name; /* in messages */
	int fd;
	struct pipa_bytes file; /* as fd gives it */
	struct pipa_bytes bytes;
	uint8_t *peeked;
	size_t n_peeked;
	/* of a folder: its other files */
	int *part_fds;
	struct pipa_bytes *parts;
	size_t n_parts;
	struct pipa_error *err;
};

void pipa_loaded_done(struct pipa_loaded *loaded)
{
	pipa_profile_done(&loaded->profile);
	pipa_recording_done(&loaded->recording);
}

/* ---- opening --------------------------------------------------------------------------------------- */

/* A pipe cannot go back: what was looked at comes from memory. */
static ssize_t read_behind(void *ctx, void *buf, size_t size, uint64_t offset)
{
	struct input *in = ctx;

	if (offset >= in->n_peeked)
		return in->file.read(in->file.ctx, buf, size, offset);
	if (size > in->n_peeked - offset)
		size = in->n_peeked - (size_t)offset;
	memcpy(buf, in->peeked + offset, size);
	return (ssize_t)size;
}

static int peek(struct input *in)
{
	in->peeked = malloc(PIPA_KIND_BYTES);
	while (in->peeked && in->n_peeked < PIPA_KIND_BYTES) {
		ssize_t n = in->file.read(in->file.ctx, in->peeked + in->n_peeked,
					  PIPA_KIND_BYTES - in->n_peeked, in->n_peeked);

		if (n == -EINTR)
			continue;
		if (n < 0)
			return pipa_fail(in->err, (int)n, "read %s", in->name);
		if (n == 0)
			break;
		in->n_peeked += (size_t)n;
	}
	return in->peeked ? 0 : pipa_fail(in->err, -ENOMEM, "read %s", in->name);
}

/* perf's folders: "data", and "data.0" and so on with a CPU's records each. */
static int open_parts(struct input *in)
{
	char path[PATH_MAX];
	size_t i;
	int fd;

	in->part_fds = calloc(MAX_PARTS, sizeof(*in->part_fds));
	in->parts = calloc(MAX_PARTS, sizeof(*in->parts));
	if (!in->part_fds || !in->parts)
		return pipa_fail(in->err, -ENOMEM, "read %s", in->name);
	for (i = 0; i < MAX_PARTS; i++) {
		snprintf(path, sizeof(path), "%s/data.%zu", in->o->path, i);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			break;
		in->part_fds[i] = fd;
		pipa_file_bytes(&in->part_fds[i], &in->parts[i]);
		in->n_parts++;
	}
	return 0;
}

static int open_input(struct input *in)
{
	bool standard = !in->o->path || strcmp(in->o->path, "-") == 0, folder;
	char path[PATH_MAX];
	struct stat st;
	int rc = 0;

	in->name = standard ? "standard input" : in->o->path;
	in->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) :
			    open(in->o->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	folder = in->fd >= 0 && !standard && fstat(in->fd, &st) == 0 && S_ISDIR(st.st_mode);
	if (folder) {
		close(in->fd);
		snprintf(path, sizeof(path), "%s/data", in->o->path);
		in->fd = open(path, O_RDONLY | O_CLOEXEC);
		rc = in->fd < 0 ? 0 : open_parts(in);
	}
	if (in->fd < 0)
		return pipa_fail(in->err, -errno, "open %s%s", in->name, folder ? "/data" : "");
	pipa_file_bytes(&in->fd, &in->file);
	if (!rc)
		rc = peek(in);
	in->bytes = in->file;
	if (in->file.size == PIPA_BYTES_ENDLESS)
		in->bytes = (struct pipa_bytes){ read_behind, in, PIPA_BYTES_ENDLESS };
	return rc;
}

static void close_input(struct input *in)
{
	size_t i;

	for (i = 0; i < in->n_parts; i++)
		close(in->part_fds[i]);
	free(in->part_fds);
	free(in->parts);
	free(in->peeked);
	pipa_fd_close(in->fd);
}

/* ---- kinds ------------------------------------------------------------------------------------------ */

/* All of the input in pieces to put(). */
static int pour(struct input *in, int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	enum { PIECE = 1 << 20 };
	PIPA_AUTO(free) char *piece = malloc(PIECE);
	uint64_t offset = 0;
	ssize_t n;
	int rc = piece ? 0 : -ENOMEM;

	while (!rc) {
		n = in->bytes.read(in->bytes.ctx, piece, PIECE, offset);
		if (n == -EINTR)
			continue;
		if (n < 0)
			return pipa_fail(in->err, (int)n, "read %s", in->name);
		if (n == 0)
			break;
		rc = put(ctx, piece, (size_t)n);
		offset += (uint64_t)n;
	}
	return rc;
}

static int put_script(void *ctx, const char *bytes, size_t len)
{
	return pipa_perf_script_put(ctx, bytes, len);
}

static int load_script(struct input *in, struct pipa_loaded *ret)
{
	PIPA_AUTO(pipa_perf_script_free)
	struct pipa_perf_script *script = pipa_perf_script_new(&ret->profile);
	int rc = script ? pour(in, put_script, script) : -ENOMEM;

	return rc ? rc : pipa_perf_script_end(script);
}

static int put_folded(void *ctx, const char *bytes, size_t len)
{
	return pipa_folded_put(ctx, bytes, len);
}

static int load_folded(struct input *in, struct pipa_loaded *ret)
{
	PIPA_AUTO(pipa_folded_free) struct pipa_folded *folded = pipa_folded_new(&ret->profile);
	int rc = folded ? pour(in, put_folded, folded) : -ENOMEM;

	return rc ? rc : pipa_folded_end(folded);
}

static int write_to(void *ctx, const char *bytes, size_t len)
{
	return pipa_file_write(*(const int *)ctx, bytes, len);
}

/* A file that comes through a pipe has its end at its front: it is kept on disk, without a name. */
static int spool(struct input *in)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && dir[0] ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), rc;

	if (fd < 0) {
		pipa_fail(in->err, -errno, "keep %s on disk", in->name);
		return pipa_hint(in->err, "TMPDIR names a folder to use");
	}
	rc = pour(in, write_to, &fd);
	pipa_fd_close(in->fd);
	in->fd = fd;
	pipa_file_bytes(&in->fd, &in->bytes);
	return rc < 0 && !in->err->code ? pipa_fail(in->err, rc, "keep %s on disk", in->name) : rc;
}

static int load_perf(struct input *in, struct pipa_loaded *ret)
{
	int rc = in->bytes.size == PIPA_BYTES_ENDLESS &&
				 !pipa_perf_is_piped(in->peeked, in->n_peeked) ?
			 spool(in) :
			 0;

	if (!rc)
		rc = pipa_load_perf(in->o, &in->bytes, in->parts, in->n_parts, ret, in->err);
	if (rc < 0 || in->o->no_names)
		return rc;
	return pipa_symbolize(&ret->profile, &ret->recording, &in->o->symbols, in->err);
}

/* A row per kind that holds stacks; without .load the hint tells what to do instead. */
static const struct {
	int (*load)(struct input *in, struct pipa_loaded *ret);
	const char *hint;
} loaders[PIPA_KIND_NR] = {
	[PIPA_KIND_UNKNOWN] = { .hint = "perf.data, perf script's text and folded stacks are read" },
	[PIPA_KIND_EMPTY] = { .hint = "perf.data, perf script's text and folded stacks are read" },
	[PIPA_KIND_GZIP] = { .hint = "unpack it first: zcat FILE | pipa fold" },
	[PIPA_KIND_ZSTD] = { .hint = "unpack it first: zstdcat FILE | pipa fold" },
	[PIPA_KIND_PERF_DATA] = { .load = load_perf },
	[PIPA_KIND_PERF_SCRIPT] = { .load = load_script },
	[PIPA_KIND_FOLDED] = { .load = load_folded },
};

static int load(struct input *in, struct pipa_loaded *ret)
{
	int rc = open_input(in);

	if (rc < 0)
		return rc;
	ret->kind = pipa_kind_find(in->peeked, in->n_peeked);
	if (!loaders[ret->kind].load) {
		pipa_refuse(in->err, -EINVAL, "%s is %s", in->name, pipa_kind_name(ret->kind));
		return pipa_hint(in->err, "%s", loaders[ret->kind].hint);
	}
	rc = loaders[ret->kind].load(in, ret);
	return rc < 0 && !in->err->code ? pipa_fail(in->err, rc, "read %s", in->name) : rc;
}

int pipa_load(const struct pipa_load_options *o, struct pipa_loaded *ret, struct pipa_error *err)
{
	struct pipa_error own = { 0 };
	struct input in = { .o = o, .fd = -1, .err = err ? err : &own };
	struct pipa_loaded loaded = { 0 };
	int rc = load(&in, &loaded);

	close_input(&in);
	if (rc < 0) {
		pipa_loaded_done(&loaded);
		return rc;
	}
	*ret = loaded;
	return 0;
}
