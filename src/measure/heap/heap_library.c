#include "measure/heap/heap_library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/tmp.h"
#include "preload/library.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10U
#endif

/*
 * Create a memfd. The path names this process: descendants reach it even if they close all descriptors, and
 * those that outlive pipa run their programs without the library.
 */
static bool open_memfd(struct pipa_span image, struct pipa_heap_library *library)
{
	int fd = memfd_create("libpipa-heap.so", MFD_CLOEXEC | MFD_EXEC);

	if (fd < 0 && errno == EINVAL) /* Linux before 6.3 */
		fd = memfd_create("libpipa-heap.so", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	if (pipa_file_write(fd, image.data, image.size) < 0 || fchmod(fd, 0555) < 0) {
		close(fd);
		return false;
	}
	library->fd = fd;
	snprintf(library->path, sizeof(library->path), "/proc/%d/fd/%d", (int)getpid(), fd);
	if (access(library->path, R_OK) == 0)
		return true;
	close(fd);
	library->fd = -1;
	return false;
}

/*
 * May code of a file in the directory be mapped, and can LD_PRELOAD name it? The loader separates names by spaces and
 * colons and replaces $ORIGIN; processes may change their working directory.
 */
static bool is_executable_dir(const char *dir)
{
	struct statvfs fs;

	return dir[0] == '/' && !strpbrk(dir, " :$") && statvfs(dir, &fs) == 0 &&
	       !(fs.f_flag & ST_NOEXEC);
}

static int write_file(struct pipa_span image, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc = fd < 0 ? -errno : pipa_file_write(fd, image.data, image.size);

	if (!rc && fchmod(fd, 0555) < 0)
		rc = -errno;
	if (fd >= 0 && close(fd) < 0 && !rc)
		rc = -errno;
	return rc;
}

static int open_file(struct pipa_span image, struct pipa_heap_library *library,
		     struct pipa_error *err)
{
	const char *const dirs[] = { pipa_tmp_dir(), "/tmp", "/var/tmp", "/dev/shm" };
	int rc = -ENOENT;
	size_t i;

	for (i = 0; i < PIPA_COUNT(dirs); i++) {
		char dir[PATH_MAX - 32];

		if (!is_executable_dir(dirs[i]) ||
		    snprintf(dir, sizeof(dir), "%s/pipa-heap-XXXXXX", dirs[i]) >= (int)sizeof(dir))
			continue;
		if (!mkdtemp(dir) || chmod(dir, 0755) < 0) {
			rc = -errno;
			continue;
		}
		snprintf(library->path, sizeof(library->path), "%s/libpipa-heap.so", dir);
		library->is_file = true;
		rc = write_file(image, library->path);
		if (!rc)
			return 0;
		pipa_heap_library_close(library);
	}
	pipa_fail(err, rc, "write the library that is preloaded");
	return pipa_hint(err, "set TMPDIR to a directory with free space, not mounted noexec, "
			      "whose path is absolute and has no space, colon or dollar sign");
}

struct pipa_span pipa_heap_library_image(void)
{
	return pipa_heap_library();
}

int pipa_heap_library_open(bool as_file, struct pipa_heap_library *ret, struct pipa_error *err)
{
	struct pipa_span image = pipa_heap_library();
	int rc;

	*ret = (struct pipa_heap_library){ .fd = -1 };
	if (!as_file && open_memfd(image, ret))
		return 0;
	ret->path[0] = '\0';
	rc = open_file(image, ret, err);
	if (rc < 0 && as_file && open_memfd(image, ret)) { /* other users cannot read it */
		*err = (struct pipa_error){ 0 };
		return 0;
	}
	return rc;
}

void pipa_heap_library_close(struct pipa_heap_library *library)
{
	char *slash;

	if (library->fd >= 0)
		close(library->fd);
	if (library->is_file) {
		unlink(library->path);
		slash = strrchr(library->path, '/');
		*slash = '\0';
		rmdir(library->path);
	}
	*library = (struct pipa_heap_library){ .fd = -1 };
}
