#include "codec/sqlite_vfs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/file/tmp.h"

enum { SECTOR = 4096, NAME_SIZE = 64 };

struct file {
	sqlite3_file base; /* first member: callbacks cast it */
	struct pipa_sqlite_vfs *vfs;
	int fd;
};

/* Remember why a call failed, because SQLite passes on only a class of errors. */
static int keep_error(struct pipa_sqlite_vfs *vfs, int error, int code)
{
	if (!vfs->error)
		vfs->error = error;
	return error == -ENOSPC || error == -EDQUOT || error == -EFBIG ? SQLITE_FULL : code;
}

static int file_close(sqlite3_file *base)
{
	struct file *f = (struct file *)(void *)base;

	if (f->fd != f->vfs->fd)
		close(f->fd);
	return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *bytes, int len, sqlite3_int64 offset)
{
	struct file *f = (struct file *)(void *)base;
	size_t done = 0;

	while (done < (size_t)len) {
		ssize_t n = pread(f->fd, (char *)bytes + done, (size_t)len - done,
				  (off_t)offset + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return keep_error(f->vfs, -errno, SQLITE_IOERR_READ);
		if (n == 0) {
			memset((char *)bytes + done, 0, (size_t)len - done);
			return SQLITE_IOERR_SHORT_READ;
		}
		done += (size_t)n;
	}
	return SQLITE_OK;
}

static int file_write(sqlite3_file *base, const void *bytes, int len, sqlite3_int64 offset)
{
	struct file *f = (struct file *)(void *)base;
	size_t done = 0;

	while (done < (size_t)len) {
		ssize_t n = pwrite(f->fd, (const char *)bytes + done, (size_t)len - done,
				   (off_t)offset + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return keep_error(f->vfs, -errno, SQLITE_IOERR_WRITE);
		done += (size_t)n;
	}
	return SQLITE_OK;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size)
{
	struct file *f = (struct file *)(void *)base;

	return ftruncate(f->fd, (off_t)size) == 0 ?
		       SQLITE_OK :
		       keep_error(f->vfs, -errno, SQLITE_IOERR_TRUNCATE);
}

static int file_sync(sqlite3_file *base PIPA_UNUSED, int flags PIPA_UNUSED)
{
	return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *ret)
{
	struct file *f = (struct file *)(void *)base;
	struct stat st;

	if (fstat(f->fd, &st) < 0)
		return keep_error(f->vfs, -errno, SQLITE_IOERR_FSTAT);
	*ret = st.st_size;
	return SQLITE_OK;
}

static int file_lock(sqlite3_file *base PIPA_UNUSED, int lock PIPA_UNUSED)
{
	return SQLITE_OK; /* no other process can open the file */
}

static int file_is_reserved(sqlite3_file *base PIPA_UNUSED, int *ret)
{
	*ret = 0;
	return SQLITE_OK;
}

static int file_control(sqlite3_file *base PIPA_UNUSED, int op PIPA_UNUSED, void *arg PIPA_UNUSED)
{
	return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *base PIPA_UNUSED)
{
	return SECTOR;
}

static int file_features(sqlite3_file *base PIPA_UNUSED)
{
	return 0;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_lock,
	.xCheckReservedLock = file_is_reserved,
	.xFileControl = file_control,
	.xSectorSize = file_sector,
	.xDeviceCharacteristics = file_features,
};

static int vfs_open(sqlite3_vfs *base, const char *name PIPA_UNUSED, sqlite3_file *file, int flags,
		    int *ret_flags)
{
	struct pipa_sqlite_vfs *vfs = (struct pipa_sqlite_vfs *)(void *)base;
	struct file *f = (struct file *)(void *)file;

	*f = (struct file){ .vfs = vfs, .fd = pipa_tmp_open() };
	if (f->fd < 0)
		return keep_error(vfs, f->fd, SQLITE_CANTOPEN);
	if (flags & SQLITE_OPEN_MAIN_DB)
		vfs->fd = f->fd;
	f->base.pMethods = &methods;
	if (ret_flags)
		*ret_flags = flags;
	return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *base PIPA_UNUSED, const char *name PIPA_UNUSED,
		      int sync PIPA_UNUSED)
{
	return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *base PIPA_UNUSED, const char *name PIPA_UNUSED,
		      int flags PIPA_UNUSED, int *ret)
{
	*ret = 0;
	return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *base PIPA_UNUSED, const char *name, int size, char *ret)
{
	return snprintf(ret, (size_t)size, "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int vfs_random(sqlite3_vfs *base PIPA_UNUSED, int len, char *bytes)
{
	ssize_t n = getrandom(bytes, (size_t)len, GRND_NONBLOCK);

	return n > 0 ? (int)n : 0;
}

static int vfs_sleep(sqlite3_vfs *base PIPA_UNUSED, int microseconds)
{
	return microseconds; /* nothing is ever locked */
}

static int vfs_time(sqlite3_vfs *base PIPA_UNUSED, double *ret)
{
	*ret = 2440587.5 + (double)pipa_clock_wall_ns() / 86400e9; /* Julian day */
	return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *base PIPA_UNUSED, int size PIPA_UNUSED,
			  char *text PIPA_UNUSED)
{
	return 0;
}

int pipa_sqlite_vfs_init(struct pipa_sqlite_vfs *vfs)
{
	*vfs = (struct pipa_sqlite_vfs){ .fd = -1 };
	snprintf(vfs->name, sizeof(vfs->name), "pipa-%p", (void *)vfs);
	vfs->vfs = (sqlite3_vfs){
		.iVersion = 1,
		.szOsFile = sizeof(struct file),
		.mxPathname = NAME_SIZE,
		.zName = vfs->name,
		.xOpen = vfs_open,
		.xDelete = vfs_delete,
		.xAccess = vfs_access,
		.xFullPathname = vfs_full_path,
		.xRandomness = vfs_random,
		.xSleep = vfs_sleep,
		.xCurrentTime = vfs_time,
		.xGetLastError = vfs_last_error,
	};
	return sqlite3_vfs_register(&vfs->vfs, 0) == SQLITE_OK ? 0 : -ENOMEM;
}

void pipa_sqlite_vfs_done(struct pipa_sqlite_vfs *vfs)
{
	sqlite3_vfs_unregister(&vfs->vfs);
	if (vfs->fd >= 0)
		close(vfs->fd);
	vfs->fd = -1;
}
