#include "store/results/wal_file.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GATHERED_MAX = 64 << 10 }; /* SQLite writes less than 128 KiB at once */

/* SQLite's own file follows it. */
struct wal_file {
	sqlite3_file base; /* first member: callbacks cast it */
	sqlite3_int64 at;  /* of the first gathered byte in the file */
	size_t n;
	uint8_t *bytes; /* GATHERED_MAX, or NULL: all is written at once */
};

static struct wal_file *file_of(sqlite3_file *base)
{
	return (struct wal_file *)(void *)base;
}

static sqlite3_file *own_file(sqlite3_file *base)
{
	return (sqlite3_file *)(void *)(file_of(base) + 1);
}

/* Write the gathered bytes. They are dropped if that fails: the commit fails, and SQLite rolls it back. */
static int flush(sqlite3_file *base)
{
	struct wal_file *f = file_of(base);
	sqlite3_file *own = own_file(base);
	size_t n = f->n;

	f->n = 0;
	return n ? own->pMethods->xWrite(own, f->bytes, (int)n, f->at) : SQLITE_OK;
}

static int close_file(sqlite3_file *base)
{
	sqlite3_file *own = own_file(base);
	int code = flush(base), closed = own->pMethods->xClose(own);

	free(file_of(base)->bytes);
	return code == SQLITE_OK ? closed : code;
}

static int read_bytes(sqlite3_file *base, void *bytes, int len, sqlite3_int64 offset)
{
	struct wal_file *f = file_of(base);
	sqlite3_file *own = own_file(base);
	int code = SQLITE_OK;

	if (f->n && offset < f->at + (sqlite3_int64)f->n && offset + len > f->at)
		code = flush(base);
	return code == SQLITE_OK ? own->pMethods->xRead(own, bytes, len, offset) : code;
}

static int write_bytes(sqlite3_file *base, const void *bytes, int len, sqlite3_int64 offset)
{
	struct wal_file *f = file_of(base);
	sqlite3_file *own = own_file(base);
	int code = SQLITE_OK;

	if (offset != f->at + (sqlite3_int64)f->n || f->n + (size_t)len > GATHERED_MAX)
		code = flush(base);
	if (code != SQLITE_OK)
		return code;
	if (!f->bytes || len > GATHERED_MAX)
		return own->pMethods->xWrite(own, bytes, len, offset);
	if (!f->n)
		f->at = offset;
	memcpy(f->bytes + f->n, bytes, (size_t)len);
	f->n += (size_t)len;
	return SQLITE_OK;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size)
{
	sqlite3_file *own = own_file(base);
	int code = flush(base);

	return code == SQLITE_OK ? own->pMethods->xTruncate(own, size) : code;
}

static int sync_file(sqlite3_file *base, int flags)
{
	sqlite3_file *own = own_file(base);
	int code = flush(base);

	return code == SQLITE_OK ? own->pMethods->xSync(own, flags) : code;
}

static int read_size(sqlite3_file *base, sqlite3_int64 *ret)
{
	sqlite3_file *own = own_file(base);
	int code = flush(base);

	return code == SQLITE_OK ? own->pMethods->xFileSize(own, ret) : code;
}

static int lock_file(sqlite3_file *base, int lock)
{
	sqlite3_file *own = own_file(base);

	return own->pMethods->xLock(own, lock);
}

static int unlock_file(sqlite3_file *base, int lock)
{
	sqlite3_file *own = own_file(base);

	return own->pMethods->xUnlock(own, lock);
}

static int check_reserved_lock(sqlite3_file *base, int *ret)
{
	sqlite3_file *own = own_file(base);

	return own->pMethods->xCheckReservedLock(own, ret);
}

static int control_file(sqlite3_file *base, int op, void *arg)
{
	sqlite3_file *own = own_file(base);

	return own->pMethods->xFileControl(own, op, arg);
}

static int read_sector_size(sqlite3_file *base)
{
	sqlite3_file *own = own_file(base);

	return own->pMethods->xSectorSize(own);
}

static int read_characteristics(sqlite3_file *base)
{
	sqlite3_file *own = own_file(base);

	return own->pMethods->xDeviceCharacteristics(own);
}

/* Those of version 1: a log is neither mapped nor has it shared memory of its own. */
static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = close_file,
	.xRead = read_bytes,
	.xWrite = write_bytes,
	.xTruncate = truncate_file,
	.xSync = sync_file,
	.xFileSize = read_size,
	.xLock = lock_file,
	.xUnlock = unlock_file,
	.xCheckReservedLock = check_reserved_lock,
	.xFileControl = control_file,
	.xSectorSize = read_sector_size,
	.xDeviceCharacteristics = read_characteristics,
};

static sqlite3_vfs *own_vfs, vfs;

static int open_file(sqlite3_vfs *base, const char *name, sqlite3_file *file, int flags,
		     int *ret_flags)
{
	struct wal_file *f = file_of(file);
	int code;

	(void)base;
	if (!(flags & SQLITE_OPEN_WAL))
		return own_vfs->xOpen(own_vfs, name, file, flags, ret_flags);
	*f = (struct wal_file){ 0 };
	code = own_vfs->xOpen(own_vfs, name, own_file(file), flags, ret_flags);
	if (code != SQLITE_OK)
		return code;
	f->bytes = malloc(GATHERED_MAX);
	f->base.pMethods = &methods;
	return SQLITE_OK;
}

static void register_vfs(void)
{
	sqlite3_vfs *own = sqlite3_vfs_find(NULL);

	if (!own)
		return;
	vfs = *own;
	vfs.pNext = NULL;
	vfs.zName = "pipa-wal";
	vfs.szOsFile += (int)sizeof(struct wal_file);
	vfs.xOpen = open_file;
	own_vfs = own;
	if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK)
		own_vfs = NULL;
}

const char *pipa_wal_file_vfs(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, register_vfs);
	return own_vfs ? vfs.zName : NULL;
}
