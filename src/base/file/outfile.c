#include "base/file/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/visible.h"

enum { MOST_TRIES = 100 };

struct pipa_outfile {
	int fd;
	bool owned;
	bool regular;
	bool synced;
	char *path;    /* the final name, links resolved */
	char *temp;    /* the name it is written under, NULL when written in place or nameless */
	bool nameless; /* it gets its name at commit */
	bool terminal; /* control characters are escaped */
	char part[4];  /* of a UTF-8 character that the next bytes complete */
	size_t n_part;
};

static int new_outfile(const char *path, struct pipa_outfile **ret, struct pipa_error *err)
{
	struct pipa_outfile *out = calloc(1, sizeof(*out));

	if (!out)
		return pipa_fail(err, -ENOMEM, "open %s", path);
	out->fd = -1;
	/* so that rename replaces a link's target, not the link */
	out->path = realpath(path, NULL);
	if (!out->path)
		out->path = strdup(path);
	if (!out->path) {
		pipa_outfile_free(out);
		return pipa_fail(err, -ENOMEM, "open %s", path);
	}
	*ret = out;
	return 0;
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

/* Where the file system has files without a symbol, and /proc is there to give it one; *ret_done: it did. */
static int open_nameless(struct pipa_outfile *out, mode_t mode, bool *ret_done)
{
	PIPA_AUTO(free) char *folder = folder_of(out->path);
	struct stat st;
	char self[32];

	if (!folder)
		return -ENOMEM;
	if (lstat(out->path, &st) < 0 && errno != ENOENT)
		return 0; /* a name that cannot be given: that is told at once */
	out->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (out->fd < 0)
		return 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", out->fd);
	out->nameless = access(self, F_OK) == 0 && fchmod(out->fd, mode) == 0;
	if (!out->nameless) {
		close(out->fd);
		out->fd = -1;
	}
	*ret_done = out->nameless;
	return 0;
}

static int open_temp(struct pipa_outfile *out, mode_t mode)
{
	bool done = false;
	int rc = open_nameless(out, mode, &done);

	if (rc < 0 || done)
		return rc;
	if (asprintf(&out->temp, "%s.XXXXXX", out->path) < 0) {
		out->temp = NULL;
		return -ENOMEM;
	}
	out->fd = mkostemp(out->temp, O_CLOEXEC);
	if (out->fd < 0) {
		int code = -errno;

		free(out->temp);
		out->temp = NULL;
		return code;
	}
	return fchmod(out->fd, mode) < 0 ? -errno : 0;
}

static int open_in_place(struct pipa_outfile *out, enum pipa_outfile_mode mode)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC |
		    (mode == PIPA_OUTFILE_APPEND ? O_APPEND : O_TRUNC);

	out->fd = open(out->path, flags, 0666);
	return out->fd < 0 ? -errno : 0;
}

static int open_failure(const char *path, int code, struct pipa_error *err)
{
	pipa_fail(err, code, "open %s for writing", path);
	if (code == -ENOENT)
		pipa_hint(err, "check that its directory exists");
	else if (code == -EISDIR)
		pipa_hint(err, "specify a file in it");
	else if (code == -EACCES || code == -EPERM || code == -EROFS)
		pipa_hint(err, "check the permissions of file and directory");
	return code;
}

/* A link to nothing yet: its target is to be made, by opening it. */
static bool dangles(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/*
 * Read the umask from /proc, as umask(2) can only be asked by setting it, and a file that another thread creates
 * meanwhile would be open to all. Linux before 4.7 and a missing /proc leave no other way.
 */
static mode_t read_umask(void)
{
	PIPA_AUTO(pipa_fd_close) int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char text[1024];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at;
	mode_t mask;

	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "\nUmask:");
	if (at)
		return (mode_t)strtoul(at + strlen("\nUmask:"), NULL, 8) & 0777;
	umask(mask = umask(0));
	return mask;
}

/* Under another name if that can be made beside it, else a file that is there is overwritten. */
static int open_replacement(struct pipa_outfile *out, const struct stat *old, mode_t fresh)
{
	int rc = open_temp(out, old ? old->st_mode & 07777 : fresh & ~read_umask());

	if (old && (rc == -EACCES || rc == -EPERM || rc == -EROFS))
		rc = open_in_place(out, PIPA_OUTFILE_STREAM);
	return rc;
}

int pipa_outfile_check(const char *path, struct pipa_error *err)
{
	PIPA_AUTO(free) char *folder = folder_of(path);
	struct stat st;

	if (!folder)
		return pipa_fail(err, -ENOMEM, "open %s", path);
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return open_failure(path, -EISDIR, err);
		if (access(path, W_OK) == 0)
			return 0;
		if (!S_ISREG(st.st_mode))
			return open_failure(path, -errno, err);
	}
	return access(folder, W_OK | X_OK) < 0 ? open_failure(path, -errno, err) : 0;
}

int pipa_outfile_open(const char *path, enum pipa_outfile_mode mode, struct pipa_outfile **ret,
		      struct pipa_error *err)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	struct stat st;
	bool there = stat(path, &st) == 0;
	int rc = new_outfile(path, &out, err);

	if (rc < 0)
		return rc;

	out->owned = true;
	out->regular = !there || S_ISREG(st.st_mode);
	if (there && S_ISDIR(st.st_mode)) {
		rc = -EISDIR;
	} else if (there && access(path, W_OK) < 0) {
		rc = -errno;
	} else if (mode <= PIPA_OUTFILE_PRIVATE && out->regular && (there || !dangles(path))) {
		rc = open_replacement(out, there ? &st : NULL,
				      mode == PIPA_OUTFILE_PRIVATE ? 0600 : 0666);
	} else {
		rc = open_in_place(out, mode);
	}
	if (rc < 0)
		return open_failure(path, rc, err);

	*ret = PIPA_TAKE(out);
	return 0;
}

int pipa_outfile_wrap(int fd, const char *name, struct pipa_outfile **ret, struct pipa_error *err)
{
	struct pipa_outfile *out = calloc(1, sizeof(*out));

	/* the name is for messages: no path to resolve */
	if (!out || !(out->path = strdup(name))) {
		free(out);
		return pipa_fail(err, -ENOMEM, "open %s", name);
	}
	out->fd = fd;
	*ret = out;
	return 0;
}

/* Return the length of an incomplete UTF-8 character or end of line at the end. */
static size_t incomplete_len(const char *bytes, size_t len)
{
	size_t n;

	if (len && bytes[len - 1] == '\r')
		return 1;
	for (n = 1; n <= 3 && n <= len; n++) {
		unsigned char ch = (unsigned char)bytes[len - n];

		if (ch >= 0xc0)
			return n < (ch >= 0xf0 ? 4u : ch >= 0xe0 ? 3u : 2u) ? n : 0;
		if (ch < 0x80)
			return 0;
	}
	return 0;
}

/* Escape all control characters but tabs and ends of lines. */
static void add_visible(struct pipa_buf *out, const char *bytes, size_t len)
{
	const char *end = bytes + len, *start = bytes;

	for (; bytes < end; bytes++) {
		size_t n = *bytes == '\n' || *bytes == '\t'			 ? 1 :
			   *bytes == '\r' && bytes + 1 < end && bytes[1] == '\n' ? 2 :
										   0;

		if (!n)
			continue;
		pipa_visible_add(out, start, (size_t)(bytes - start));
		pipa_buf_add(out, bytes, n);
		bytes += n - 1;
		start = bytes + 1;
	}
	pipa_visible_add(out, start, (size_t)(end - start));
}

/* Write to a terminal; a character that is split between two calls is written by the second. */
static int write_visible(struct pipa_outfile *out, const char *bytes, size_t len, bool last)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf all = { .max = SIZE_MAX / 4 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = SIZE_MAX / 4 };
	size_t rest;

	pipa_buf_add(&all, out->part, out->n_part);
	pipa_buf_add(&all, bytes, len);
	if (all.status)
		return all.status;
	rest = last ? 0 : incomplete_len(all.data, all.len);
	add_visible(&text, all.data, all.len - rest);
	if (text.status)
		return text.status;
	memcpy(out->part, all.data + all.len - rest, rest);
	out->n_part = rest;
	return pipa_file_write(out->fd, pipa_buf_str(&text), text.len);
}

int pipa_outfile_put(struct pipa_outfile *out, const void *bytes, size_t len,
		     struct pipa_error *err)
{
	off_t before = out->owned && out->regular ? lseek(out->fd, 0, SEEK_END) : -1;
	int rc = out->terminal ? write_visible(out, bytes, len, false) :
				 pipa_file_write(out->fd, bytes, len);

	if (rc < 0 && before >= 0 && ftruncate(out->fd, before) < 0)
		rc = -errno;
	return rc < 0 ? pipa_fail(err, rc, "write %s", out->path) : 0;
}

int pipa_outfile_put_buf(struct pipa_outfile *out, struct pipa_buf *text, const char *what,
			 struct pipa_error *err)
{
	int rc = text->status;

	if (rc < 0)
		pipa_fail(err, rc, "%s", what);
	else if (text->len)
		rc = pipa_outfile_put(out, text->data, text->len, err);
	pipa_buf_reset(text);
	return rc;
}

int pipa_outfile_sync(struct pipa_outfile *out, struct pipa_error *err)
{
	if (out->owned && out->regular && fsync(out->fd) < 0)
		return pipa_fail(err, -errno, "write %s", out->path);
	out->synced = true;
	return 0;
}

/* A name is on the disk when its directory is. */
static int sync_folder(const char *path)
{
	PIPA_AUTO(free) char *folder = folder_of(path);
	PIPA_AUTO(pipa_fd_close) int fd = -1;

	if (!folder)
		return -ENOMEM;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == EACCES ? 0 : -errno; /* one that only takes files in */
	return fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

/* Straight to the final name, or to one beside it where something is there to be replaced. */
static int give_name(struct pipa_outfile *out)
{
	char self[32];
	int try;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", out->fd);
	if (linkat(AT_FDCWD, self, AT_FDCWD, out->path, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	for (try = 0; errno == EEXIST && try < MOST_TRIES; try++) {
		free(out->temp);
		if (asprintf(&out->temp, "%s.%d-%d", out->path, (int)getpid(), try) < 0) {
			out->temp = NULL;
			return -ENOMEM;
		}
		if (linkat(AT_FDCWD, self, AT_FDCWD, out->temp, AT_SYMLINK_FOLLOW) == 0)
			return 0;
	}
	free(out->temp); /* not ours */
	out->temp = NULL;
	return -errno;
}

int pipa_outfile_commit(struct pipa_outfile *out, struct pipa_error *err)
{
	int fd = out->fd, rc;

	rc = out->n_part ? write_visible(out, "", 0, true) : 0;
	if (rc < 0)
		return pipa_fail(err, rc, "write %s", out->path);
	if (!out->owned)
		return 0;
	rc = out->nameless ? give_name(out) : 0;
	if (rc < 0)
		return pipa_fail(err, rc, "write %s", out->path);
	out->fd = -1;
	if (close(fd) < 0) /* NFS tells of a full disk only here */
		return pipa_fail(err, -errno, "write %s", out->path);
	if (out->temp && rename(out->temp, out->path) < 0)
		return pipa_fail(err, -errno, "rename %s to %s", out->temp, out->path);
	rc = out->synced && (out->temp || out->nameless) ? sync_folder(out->path) : 0;
	free(out->temp);
	out->temp = NULL;
	return rc < 0 ? pipa_fail(err, rc, "write %s to the disk", out->path) : 0;
}

void pipa_outfile_free(struct pipa_outfile *out)
{
	if (!out)
		return;
	if (out->owned)
		pipa_fd_close(out->fd);
	if (out->temp)
		unlink(out->temp);
	free(out->temp);
	free(out->path);
	free(out);
}

int pipa_outfile_open_or_wrap(const char *path, int fd, struct pipa_outfile **ret,
			      struct pipa_error *err)
{
	int rc = path ? pipa_outfile_open(path, PIPA_OUTFILE_REPLACE, ret, err) :
			pipa_outfile_wrap(fd, "standard output", ret, err);

	if (!rc)
		(*ret)->terminal = isatty((*ret)->fd);
	return rc;
}

int pipa_outfile_write(const char *path, int fd, const void *bytes, size_t len,
		       struct pipa_error *err)
{
	struct pipa_outfile *out = NULL;
	int rc = pipa_outfile_open_or_wrap(path, fd, &out, err);

	if (!rc)
		rc = pipa_outfile_put(out, bytes, len, err);
	if (!rc)
		rc = pipa_outfile_commit(out, err);
	pipa_outfile_free(out);
	return rc;
}
