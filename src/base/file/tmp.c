#include "base/file/tmp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"

const char *pipa_tmp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && dir[0] ? dir : "/tmp";
}

int pipa_tmp_open(void)
{
	char path[PATH_MAX];
	int fd = open(pipa_tmp_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/pipa-XXXXXX", pipa_tmp_dir()) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

void pipa_tmp_remove_dir(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(fd, entry->d_name, 0) < 0 && errno == EISDIR)
			pipa_tmp_remove_dir(fd, entry->d_name);
	}
	if (dir)
		closedir(dir);
	else
		pipa_fd_close(fd);
	unlinkat(at, path, AT_REMOVEDIR);
}

char *pipa_tmp_make_dir(void)
{
	char *path;

	if (asprintf(&path, "%s/pipa-XXXXXX", pipa_tmp_dir()) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}
