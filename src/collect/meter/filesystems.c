#include "collect/meter/filesystems.h"

#include <errno.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"
#include "collect/meter/meter_columns.h"
#include "kernel/machine/reread.h"
#include "kernel/machine/root.h"
#include "kernel/text/mounts.h"

/* ---- formulas ----------------------------------------------------------------------------------- */

enum { FS_BYTES, FS_FREE, FS_AVAILABLE, FS_INODES, FS_INODES_FREE, FS_FIELDS };

static double fs_used(const struct pipa_metric_input *m)
{
	return (value(m, FS_BYTES) - value(m, FS_FREE)) / (1 << 20);
}

static double fs_used_share(const struct pipa_metric_input *m)
{
	return percent(value(m, FS_BYTES) - value(m, FS_FREE), value(m, FS_BYTES));
}

/* Return the used share for users: space reserved for root counts as used. */
static double fs_user_share(const struct pipa_metric_input *m)
{
	return percent(value(m, FS_BYTES) - value(m, FS_AVAILABLE), value(m, FS_BYTES));
}

static double fs_inodes_used(const struct pipa_metric_input *m)
{
	return value(m, FS_INODES) - value(m, FS_INODES_FREE);
}

static double fs_inodes_share(const struct pipa_metric_input *m)
{
	return percent(fs_inodes_used(m), value(m, FS_INODES));
}

static const struct pipa_formula formulas[] = {
	[PIPA_COL_FS_FREE] = GAUGE(FS_FREE, 1.0 / (1 << 20)),
	[PIPA_COL_FS_USED] = STATE(fs_used),
	[PIPA_COL_FS_USED_SHARE] = STATE(fs_used_share),
	[PIPA_COL_FS_USER_SHARE] = STATE(fs_user_share),
	[PIPA_COL_FS_INODES_FREE] = GAUGE(FS_INODES_FREE, 1),
	[PIPA_COL_FS_INODES_USED] = STATE(fs_inodes_used),
	[PIPA_COL_FS_INODES_SHARE] = STATE(fs_inodes_share),
};

SECTION(fs, FS, formulas, NR);

/* ---- mounts ------------------------------------------------------------------------------------- */

struct filesystem {
	char device[PIPA_RAW_NAME];
	char *place;
};

struct filesystems {
	struct pipa_source source;
	struct filesystem *items;
	size_t n, cap;
	struct pipa_raw raw;
	struct pipa_reread mounts;
	bool told;     /* the kernel signals changes of mounts (poll) */
	uint64_t text; /* checksum of the mounts otherwise */
	bool missing;
};

static bool filesystems_has(const struct pipa_section *section)
{
	return section == pipa_meter_fs.section;
}

/* Cast: the source is the first member. */
static struct filesystems *filesystems_of(struct pipa_source *source)
{
	return (struct filesystems *)(void *)source;
}

static void drop_filesystems(struct filesystems *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		free(f->items[i].place);
	f->n = 0;
}

static void filesystems_free(struct filesystems *f)
{
	if (!f)
		return;
	drop_filesystems(f);
	free(f->items);
	pipa_reread_close(&f->mounts);
	pipa_raw_done(&f->raw);
	free(f);
}

PIPA_DEFINE_AUTO(filesystems_free, struct filesystems *)

/* Is it on a local device? sar also reads //server/share and blocks if the server is gone. */
static bool is_local(const struct pipa_mount *mount)
{
	static const char *const others[] = { "autofs", "cifs", "smb3", "smbfs", "ncpfs", "afs" };
	size_t i;

	if (mount->field[PIPA_MOUNT_DEVICE][0] != '/')
		return false;
	for (i = 0; i < PIPA_COUNT(others); i++)
		if (pipa_mount_is(mount, PIPA_MOUNT_TYPE, others[i]))
			return false;
	return true;
}

static bool is_listed(const struct filesystems *f, const char *device)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (strcmp(f->items[i].device, device) == 0)
			return true;
	return false;
}

static int list_mounts(struct filesystems *f, const char *pos, const char *end)
{
	char device[PIPA_RAW_NAME], place[4096];
	struct pipa_mount mount;

	drop_filesystems(f);
	while (pipa_mount_next(&pos, end, &mount)) {
		struct filesystem *fs;

		if (!is_local(&mount) ||
		    !pipa_mount_copy(&mount, PIPA_MOUNT_PLACE, place, sizeof(place)))
			continue;
		pipa_mount_copy(&mount, PIPA_MOUNT_DEVICE, device,
				sizeof(device)); /* or truncated */
		if (is_listed(f, device))
			continue;
		fs = PIPA_VEC_ADD(f);
		if (!fs)
			return -ENOMEM;
		memcpy(fs->device, device, sizeof(device));
		fs->place = strdup(place);
		if (!fs->place)
			return -ENOMEM;
	}
	return 0;
}

/* FNV-1a: sufficient to detect a change. */
static uint64_t sum_text(const char *text, size_t len)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < len; i++)
		sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return sum;
}

/* List the mounts again if they may have changed: poll(2) on the kernel's file, else a checksum. */
static int update_mounts(struct filesystems *f)
{
	struct pollfd changed = { .fd = f->mounts.fd, .events = POLLPRI };
	uint64_t sum;
	ssize_t n;

	if (f->missing || (f->told && f->raw.tick && poll(&changed, 1, 0) == 0))
		return 0;
	n = pipa_reread_read(&f->mounts);
	if (n < 0) {
		f->missing = n != -ENOMEM;
		return n == -ENOMEM ? -ENOMEM : 0;
	}
	sum = sum_text(f->mounts.data, (size_t)n);
	if (f->raw.tick && sum == f->text)
		return 0;
	f->text = sum;
	return list_mounts(f, f->mounts.data, f->mounts.data + n);
}

/* ---- the source --------------------------------------------------------------------------------- */

static int filesystems_open(struct pipa_root *root, const struct pipa_section *const *sections,
			    size_t n, struct pipa_source **ret, struct pipa_error *err)
{
	PIPA_AUTO(filesystems_free) struct filesystems *f = calloc(1, sizeof(*f));
	struct statfs where;
	int fd;

	(void)sections, (void)n;
	if (!f)
		return pipa_fail(err, -ENOMEM, "open the file systems");
	fd = pipa_root_file(root, PIPA_PROC, 0, "self/mounts");
	f->source.kind = &pipa_filesystems_source;
	f->missing = fd < 0;
	f->told = fd >= 0 && fstatfs(fd, &where) == 0 && where.f_type == PROC_SUPER_MAGIC;
	pipa_reread_open(&f->mounts, fd < 0 ? -1 : fd, 4096);
	f->mounts.long_records = true; /* options of an overlay can be long */
	pipa_raw_init(&f->raw, FS_FIELDS);
	*ret = &PIPA_TAKE(f)->source;
	return 0;
}

static void filesystems_close(struct pipa_source *source)
{
	filesystems_free(filesystems_of(source));
}

static int put_filesystem(struct pipa_raw *raw, const struct filesystem *fs)
{
	struct statvfs s;
	uint64_t *fields;

	if (statvfs(fs->place, &s) < 0 || !s.f_blocks)
		return 0; /* not accessible, unmounted, or without space of its own */
	fields = pipa_raw_put(raw, fs->device, strlen(fs->device));
	if (!fields)
		return -ENOMEM;
	fields[FS_BYTES] = (uint64_t)s.f_blocks * s.f_frsize;
	fields[FS_FREE] = (uint64_t)s.f_bfree * s.f_frsize;
	fields[FS_AVAILABLE] = (uint64_t)s.f_bavail * s.f_frsize;
	fields[FS_INODES] = s.f_files;
	fields[FS_INODES_FREE] = s.f_ffree;
	return 0;
}

static int filesystems_read(struct pipa_source *source, struct pipa_error *err)
{
	struct filesystems *f = filesystems_of(source);
	size_t i;
	int rc = update_mounts(f);

	pipa_raw_begin(&f->raw);
	for (i = 0; !rc && i < f->n; i++)
		rc = put_filesystem(&f->raw, &f->items[i]);
	pipa_raw_end(&f->raw);
	return rc < 0 ? pipa_fail(err, rc, "read the file systems") : 0;
}

static int filesystems_emit(struct pipa_source *source, const struct pipa_tick *tick, bool whole,
			    struct pipa_series_sink *sink)
{
	return pipa_meter_emit(&pipa_meter_fs, &filesystems_of(source)->raw, tick, whole, sink);
}

static bool filesystems_missing(struct pipa_source *source, size_t index, char *path, size_t size)
{
	if (!filesystems_of(source)->missing || index)
		return false;
	snprintf(path, size, "/proc/self/mounts");
	return true;
}

const struct pipa_source_kind pipa_filesystems_source = {
	.has = filesystems_has,
	.open = filesystems_open,
	.close = filesystems_close,
	.read = filesystems_read,
	.emit = filesystems_emit,
	.missing = filesystems_missing,
};
