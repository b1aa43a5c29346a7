#include "store/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/vec.h"
#include "codec/tar.h"
#include "kernel/machine/root.h"
#include "locate/files.h"
#include "store/collection.h"
#include "store/input.h"
#include "store/tar_index.h"

enum { READ_MAX = 1 << 30, MAX_LEVELS = 3, MAX_FILES = 65536 };

struct pipa_archive {
	const char *path;
	enum pipa_archive_kind kind;
	bool truncated;		/* as a compressed file or as an archive */
	bool cut;		/* as a compressed file */
	int fd;			/* of the archive, decompressed; -1: a directory */
	struct pipa_span whole; /* its mapping */
	struct pipa_tar_index *index;
	struct {
		struct pipa_archive_member *items;
		size_t n, cap;
	} members;
};

void pipa_archive_close(struct pipa_archive *a)
{
	size_t i;

	if (!a)
		return;
	for (i = 0; i < a->members.n; i++) {
		free(a->members.items[i].name);
		free(a->members.items[i].path);
	}
	free(a->members.items);
	pipa_tar_index_close(a->index);
	if (a->whole.size)
		pipa_locate_unmap(&a->whole);
	pipa_fd_close(a->fd);
	free(a);
}

/* ---- directories -------------------------------------------------------------------------------- */

static int add_file(struct pipa_archive *a, const char *below, const char *name)
{
	struct pipa_archive_member *member = PIPA_VEC_ADD(&a->members);

	if (!member)
		return -ENOMEM;
	*member = (struct pipa_archive_member){ 0 };
	if (asprintf(&member->name, "%s%s", below, name) < 0)
		member->name = NULL;
	if (asprintf(&member->path, "%s/%s%s", a->path, below, name) < 0)
		member->path = NULL;
	return member->name && member->path ? 0 : -ENOMEM;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* List the files of a directory, then those of its subdirectories in the order of their names. */
static int list_below(struct pipa_archive *a, const char *below, unsigned int levels)
{
	PIPA_AUTO(free) char *path = NULL;
	PIPA_AUTO(closedir) DIR *dir = NULL;
	struct {
		char **items;
		size_t n, cap;
	} subdirs = { 0 };
	struct dirent *entry;
	size_t i;
	int rc = 0;

	if (asprintf(&path, "%s/%s", a->path, below) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	dir = opendir(path);
	if (!dir)
		return below[0] ? 0 : -errno; /* the caller cannot read all of them */
	while (!rc && (entry = readdir(dir))) {
		struct stat st;
		char **name;

		if (entry->d_name[0] == '.')
			continue;
		rc = a->members.n == MAX_FILES ? -E2BIG : add_file(a, below, entry->d_name);
		if (rc < 0 || !levels ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISDIR(st.st_mode) || strcmp(entry->d_name, PIPA_BUNDLE_RECORDING) == 0)
			continue; /* a recording may be a directory */
		name = PIPA_VEC_ADD(&subdirs);
		if (name && asprintf(name, "%s%s/", below, entry->d_name) < 0)
			*name = NULL;
		rc = name && *name ? 0 : -ENOMEM;
	}
	if (!rc && subdirs.n)
		qsort(subdirs.items, subdirs.n, sizeof(*subdirs.items), compare_texts);
	for (i = 0; !rc && i < subdirs.n; i++)
		rc = list_below(a, subdirs.items[i], levels - 1);
	for (i = 0; i < subdirs.n; i++)
		free(subdirs.items[i]);
	free(subdirs.items);
	return rc;
}

static int list_directory(struct pipa_archive *a, struct pipa_error *err)
{
	int rc = list_below(a, "", MAX_LEVELS);

	if (rc == -E2BIG)
		return pipa_refuse(err, rc, "cannot open %s: it holds more than %d files", a->path,
				   MAX_FILES);
	return rc < 0 ? pipa_fail(err, rc, "open %s", a->path) : 0;
}

/* ---- archives ----------------------------------------------------------------------------------- */

static int add_members(struct pipa_archive *a)
{
	const struct pipa_tar_entry *entries;
	size_t i, n;

	entries = pipa_tar_index_entries(a->index, &n);
	for (i = 0; i < n; i++) {
		struct pipa_archive_member *member = PIPA_VEC_ADD(&a->members);

		if (!member)
			return -ENOMEM;
		*member = (struct pipa_archive_member){
			.name = strdup(entries[i].name),
			.bytes = { a->whole.data + entries[i].offset, (size_t)entries[i].size },
		};
		if (!member->name)
			return -ENOMEM;
	}
	return 0;
}

static int open_file(struct pipa_archive *a, struct pipa_error *err)
{
	struct stat st;
	int rc;

	a->fd = pipa_input_open_plain(a->path, &a->cut, err);
	if (a->fd < 0)
		return a->fd;
	a->truncated = a->cut;
	if (fstat(a->fd, &st) < 0 || (st.st_size && !pipa_locate_map_fd(a->fd, &a->whole)))
		return pipa_fail(err, -errno, "map %s", a->path);
	if (!a->whole.size || !pipa_tar_is(a->whole.data, a->whole.size)) {
		a->kind = PIPA_ARCHIVE_FILE;
		return 0;
	}
	a->kind = PIPA_ARCHIVE_TAR;
	rc = pipa_tar_index_open(a->fd, a->path, &a->index, err);
	if (rc < 0)
		return rc;
	a->truncated |= pipa_tar_index_is_truncated(a->index);
	rc = add_members(a);
	return rc < 0 ? pipa_fail(err, rc, "open %s", a->path) : 0;
}

int pipa_archive_open(const char *path, struct pipa_archive **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_archive_close) struct pipa_archive *a = NULL;
	struct stat st;
	int rc;

	if (stat(path, &st) < 0)
		return pipa_fail(err, -errno, "open %s", path);
	a = calloc(1, sizeof(*a));
	if (!a)
		return pipa_fail(err, -ENOMEM, "open %s", path);
	a->path = path;
	a->fd = -1;
	rc = S_ISDIR(st.st_mode) ? list_directory(a, err) : open_file(a, err);
	if (rc < 0)
		return rc;
	*ret = PIPA_TAKE(a);
	return 0;
}

/* ---- members ------------------------------------------------------------------------------------ */

const char *pipa_archive_path(const struct pipa_archive *a)
{
	return a->path;
}

enum pipa_archive_kind pipa_archive_kind(const struct pipa_archive *a)
{
	return a->kind;
}

bool pipa_archive_is_truncated(const struct pipa_archive *a)
{
	return a->truncated;
}

struct pipa_span pipa_archive_bytes(const struct pipa_archive *a)
{
	return a->whole;
}

int pipa_archive_fd(const struct pipa_archive *a)
{
	return a->fd;
}

const struct pipa_archive_member *pipa_archive_member(const struct pipa_archive *a, size_t index)
{
	return index < a->members.n ? &a->members.items[index] : NULL;
}

/* Is a file directly in the directory, or in one that is named as a session? */
static bool is_of_session(const char *name)
{
	const char *slash = strchr(name, '/');

	return !slash || (!strchr(slash + 1, '/') &&
			  strncmp(name, PIPA_SESSION_DIR, strlen(PIPA_SESSION_DIR)) == 0);
}

const struct pipa_archive_member *pipa_archive_find(const struct pipa_archive *a, const char *name,
						    size_t *index)
{
	const struct pipa_archive_member *member;

	while ((member = pipa_archive_member(a, *index))) {
		const char *slash = strrchr(member->name, '/');

		++*index;
		if (strcmp(slash ? slash + 1 : member->name, name) == 0 &&
		    (a->kind != PIPA_ARCHIVE_DIRECTORY || is_of_session(member->name)))
			return member;
	}
	return NULL;
}

int pipa_archive_read(const struct pipa_archive *a, const char *name, struct pipa_buf *ret,
		      struct pipa_error *err)
{
	size_t index = 0;
	const struct pipa_archive_member *member = pipa_archive_find(a, name, &index);

	if (!member)
		return -ENOENT;
	ret->max = READ_MAX;
	if (member->path)
		return pipa_file_read(member->path, ret, err);
	pipa_buf_add(ret, member->bytes.data, member->bytes.size);
	return ret->status < 0 ? pipa_fail(err, ret->status, "read %s: %s", a->path, name) : 0;
}

int pipa_archive_open_recording(const struct pipa_archive *a, struct pipa_input **ret,
				struct pipa_error *err)
{
	return pipa_input_open_index(a->index, a->path, a->cut, ret, err);
}
