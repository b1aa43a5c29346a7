#include "store/measurement_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/file.h"
#include "codec/tar.h"
#include "locate/files.h"
#include "store/input.h"

enum { MOST = 1 << 30 };

/* Is a member missing its end, or the archive members? */
static bool is_truncated(struct pipa_span bytes)
{
	struct pipa_tar tar = { bytes.data, bytes.data + bytes.size, false };
	struct pipa_tar_member member;

	while (pipa_tar_next(&tar, &member))
		;
	return tar.damaged;
}

static int read_archive(struct pipa_run_files *files, struct pipa_error *err)
{
	int rc = pipa_input_map(files->path, &files->bytes, &files->cut, err);

	if (rc < 0)
		return rc;
	if (!files->bytes.size || !pipa_tar_is(files->bytes.data, files->bytes.size)) {
		pipa_refuse(err, -EINVAL, "%s is neither a folder nor an archive", files->path);
		return pipa_hint(err, "it takes what pipa run --keep or pipa collect made, or a "
				      "folder with perf-stat.csv and sar.txt");
	}
	files->cut |= is_truncated(files->bytes);
	return 0;
}

int pipa_run_files_open(const char *path, struct pipa_run_files *ret, struct pipa_error *err)
{
	struct stat st;
	int rc = 0;

	*ret = (struct pipa_run_files){ .path = path };
	if (stat(path, &st) < 0)
		return pipa_fail(err, -errno, "open %s", path);
	ret->is_folder = S_ISDIR(st.st_mode);
	if (!ret->is_folder)
		rc = read_archive(ret, err);
	if (rc < 0)
		pipa_run_files_close(ret);
	return rc;
}

void pipa_run_files_close(struct pipa_run_files *files)
{
	if (files->bytes.size)
		pipa_locate_unmap(&files->bytes);
	files->bytes = (struct pipa_span){ 0 };
}

bool pipa_run_files_find(const struct pipa_run_files *files, const char *name, char *ret,
			 size_t size)
{
	static const char *const below[] = { "", "attach_session/" };
	struct stat st;
	size_t i;

	for (i = 0; files->is_folder && i < PIPA_COUNT(below); i++)
		if (snprintf(ret, size, "%s/%s%s", files->path, below[i], name) < (int)size &&
		    stat(ret, &st) == 0)
			return true;
	return false;
}

static int read_member(const struct pipa_run_files *files, const char *name, struct pipa_buf *ret)
{
	struct pipa_tar tar = { files->bytes.data, files->bytes.data + files->bytes.size, false };
	struct pipa_tar_member member;

	while (pipa_tar_next(&tar, &member)) {
		const char *slash = strrchr(member.name, '/');

		if (strcmp(slash ? slash + 1 : member.name, name) != 0)
			continue;
		pipa_buf_add(ret, member.bytes, member.len);
		return ret->status;
	}
	return -ENOENT;
}

int pipa_run_files_read(const struct pipa_run_files *files, const char *name, struct pipa_buf *ret,
			struct pipa_error *err)
{
	char path[PATH_MAX];
	int rc;

	ret->max = MOST;
	if (!files->is_folder) {
		rc = read_member(files, name, ret);
		return rc < 0 && rc != -ENOENT ?
			       pipa_fail(err, rc, "read %s: %s", files->path, name) :
			       rc;
	}
	if (!pipa_run_files_find(files, name, path, sizeof(path)))
		return -ENOENT;
	return pipa_file_read(path, ret, err);
}
