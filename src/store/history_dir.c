#include "store/history_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/vec.h"
#include "export/exchange/history.h"
#include "kernel/machine/root.h"
#include "kernel/machine/topology.h"
#include "store/history_days.h"

#define LOCK ".pipa-monitor.lock"

struct days {
	struct pipa_history_day *items;
	size_t n, cap;
};

struct pipa_history_dir {
	struct pipa_series_sink sink;
	struct pipa_history_dir_options o;
	struct pipa_history_head head;
	char boot_id[64];
	int dir, lock;

	struct pipa_history_writer *writer;
	struct pipa_buf bytes; /* not yet written */
	struct pipa_outfile *file;
	int64_t day; /* of the file */
	bool headed; /* the file has the header that the next interval needs */
	bool in_tick;
	int failed; /* the current interval cannot be written */
	uint64_t lost;
	struct days days; /* existing files */
	uint64_t size;	  /* total size */
};

/* ---- files -------------------------------------------------------------------------------------- */

static int list_days(struct pipa_history_dir *f)
{
	int fd = openat(f->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	PIPA_AUTO(closedir) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;
	int64_t day;

	f->days.n = 0;
	f->size = 0;
	if (!dir) {
		pipa_fd_close(fd);
		return -errno;
	}
	while ((entry = readdir(dir))) {
		struct pipa_history_day *item;

		if (!pipa_history_day_parse(entry->d_name, &day) ||
		    fstatat(f->dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		item = PIPA_VEC_ADD(&f->days);
		if (!item)
			return -ENOMEM;
		item->day = day;
		item->size = (uint64_t)st.st_size;
		f->size += item->size;
	}
	return 0;
}

/* Delete expired files. -EDQUOT if `more` bytes still exceed the limit. */
static int expire_files(struct pipa_history_dir *f, int64_t today, uint64_t more)
{
	char name[PIPA_HISTORY_NAME_SIZE];
	int rc = list_days(f);
	bool fits;
	size_t i;

	if (rc < 0)
		return rc;
	fits = pipa_history_days_expire(f->days.items, f->days.n, today, f->o.keep_days,
					f->o.max_size, more);
	for (i = 0; i < f->days.n; i++) {
		if (!f->days.items[i].expired)
			continue;
		pipa_history_day_name(f->days.items[i].day, name);
		if (unlinkat(f->dir, name, 0) == 0)
			f->size -= f->days.items[i].size;
		else
			fits = fits && !f->o.max_size;
	}
	return fits ? 0 : -EDQUOT;
}

static int open_day(struct pipa_history_dir *f, int64_t day, struct pipa_error *err)
{
	char path[PATH_MAX], name[PIPA_HISTORY_NAME_SIZE];
	int rc;

	pipa_outfile_free(f->file);
	f->file = NULL;
	pipa_history_day_name(day, name);
	if (snprintf(path, sizeof(path), "%s/%s", f->o.dir, name) >= (int)sizeof(path))
		return pipa_fail(err, -ENAMETOOLONG, "record into %s", f->o.dir);
	rc = expire_files(f, day, 0);
	if (rc < 0 && rc != -EDQUOT)
		return pipa_fail(err, rc, "read directory %s", f->o.dir);
	rc = pipa_outfile_open(path, PIPA_OUTFILE_APPEND, &f->file, err);
	f->day = day;
	f->headed = false;
	return rc;
}

/* ---- headers --------------------------------------------------------------------------------- */

static int32_t utc_offset(uint64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / PIPA_NS_PER_SEC);
	struct tm tm;

	localtime_r(&seconds, &tm);
	return (int32_t)tm.tm_gmtoff;
}

static uint32_t count_cpus(struct pipa_root *root)
{
	struct pipa_cpus cpus = { 0 };
	uint32_t n = 0;

	if (pipa_topology_online(root, &cpus, NULL) == 0)
		n = (uint32_t)cpus.n;
	pipa_cpus_done(&cpus);
	return n;
}

/*
 * Fill in the description of the machine. Unknown fields stay empty: a header without a boot id is
 * valid.
 */
static void describe_machine(struct pipa_history_dir *f)
{
	if (pipa_root_read(f->o.root, PIPA_PROC, f->boot_id, sizeof(f->boot_id),
			   "sys/kernel/random/boot_id") < 0)
		f->boot_id[0] = '\0';
	f->head = (struct pipa_history_head){ .reason = PIPA_HISTORY_STARTED,
					      .interval_ns = f->o.interval_ns,
					      .cpus = count_cpus(f->o.root),
					      .host = f->o.host,
					      .boot_id = f->boot_id };
}

static void write_header(struct pipa_history_dir *f, uint64_t wall_ns)
{
	f->head.wall_ns = wall_ns;
	f->head.utc_offset_s = utc_offset(wall_ns);
	pipa_history_writer_begin(f->writer, &f->head);
}

/* ---- intervals ------------------------------------------------------------------------------- */

static void drop_tick(struct pipa_history_dir *f, const struct pipa_error *why)
{
	pipa_history_writer_lost(f->writer);
	if (f->lost++)
		return;
	pipa_log_put(&f->o.log, PIPA_LOG_WARN, "%s; intervals are lost until there is space",
		     why->what);
}

static void store_tick(struct pipa_history_dir *f)
{
	f->headed = true;
	f->head.reason = PIPA_HISTORY_CONTINUED;
	f->size += f->bytes.len;
	if (f->lost)
		pipa_log_put(&f->o.log, PIPA_LOG_WARN,
			     "recording continues; %llu intervals were lost",
			     (unsigned long long)f->lost);
	f->lost = 0;
}

/* Write the buffer in one call and empty it, also on failure. */
static int write_bytes(struct pipa_history_dir *f, struct pipa_error *err)
{
	int rc = f->bytes.status;

	if (rc < 0)
		pipa_fail(err, rc, "write an interval");
	if (!rc && f->o.max_size && f->size + f->bytes.len > f->o.max_size &&
	    expire_files(f, f->day, f->bytes.len) < 0)
		rc = pipa_refuse(err, -EDQUOT, "%s has reached --max-size", f->o.dir);
	if (!rc)
		rc = pipa_outfile_put(f->file, f->bytes.data, f->bytes.len, err);
	if (!rc)
		store_tick(f);
	pipa_buf_reset(&f->bytes);
	return rc;
}

static int begin_tick(struct pipa_history_dir *f, const struct pipa_tick *tick,
		      struct pipa_error *err)
{
	int64_t day = pipa_history_day_of(tick->wall_ns);
	int rc = 0;

	f->in_tick = true;
	if (!f->file || day != f->day)
		rc = open_day(f, day, err);
	if (!rc && !f->headed)
		write_header(f, tick->wall_ns);
	return rc;
}

static int store_row(struct pipa_series_sink *self, const struct pipa_section *section,
		     const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_history_dir *f = (struct pipa_history_dir *)(void *)self;
	struct pipa_series_sink *next = pipa_history_writer_sink(f->writer);
	struct pipa_error err = { 0 };

	if (!f->in_tick) {
		f->failed = begin_tick(f, tick, &err);
		if (f->failed)
			drop_tick(f, &err);
	}
	if (!f->failed && (f->failed = next->row(next, section, tick, instance, values))) {
		pipa_fail(&err, f->failed, "write an interval");
		drop_tick(f, &err);
	}
	return 0;
}

static int end_tick(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	struct pipa_history_dir *f = (struct pipa_history_dir *)(void *)self;
	struct pipa_series_sink *next = pipa_history_writer_sink(f->writer);
	struct pipa_error err = { 0 };

	if (f->in_tick && !f->failed) {
		int rc = next->end(next, tick);

		if (rc < 0)
			pipa_fail(&err, rc, "write an interval");
		else
			rc = write_bytes(f, &err);
		if (rc < 0)
			drop_tick(f, &err);
	}
	pipa_buf_reset(&f->bytes);
	f->in_tick = false;
	f->failed = 0;
	return 0;
}

/* ---- directory ------------------------------------------------------------------------------- */

static int lock_directory(struct pipa_history_dir *f, struct pipa_error *err)
{
	if (mkdir(f->o.dir, 0755) < 0 && errno != EEXIST)
		return pipa_fail(err, -errno, "create directory %s", f->o.dir);
	f->dir = open(f->o.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->dir < 0)
		return pipa_fail(err, -errno, "open %s", f->o.dir);
	f->lock = openat(f->dir, LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (f->lock < 0)
		return pipa_fail(err, -errno, "write into %s", f->o.dir);
	if (flock(f->lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return pipa_fail(err, -errno, "lock %s", f->o.dir);
	pipa_refuse(err, -EBUSY, "another pipa monitor is recording into %s", f->o.dir);
	return pipa_hint(err, "use one directory per collector");
}

int pipa_history_dir_open(const struct pipa_history_dir_options *options, uint64_t wall_ns,
			  struct pipa_history_dir **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_history_dir_close)
	struct pipa_history_dir *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return pipa_fail(err, -ENOMEM, "record into %s", options->dir);
	f->sink = (struct pipa_series_sink){ .row = store_row, .end = end_tick };
	f->o = *options;
	f->dir = f->lock = -1;
	rc = lock_directory(f, err);
	if (rc < 0)
		return rc;
	describe_machine(f);
	f->writer = pipa_history_writer_new(f->o.sections, f->o.n_sections, PIPA_HISTORY_ZSTD,
					    &f->bytes);
	if (!f->writer)
		return pipa_fail(err, -ENOMEM, "record into %s", f->o.dir);
	rc = open_day(f, pipa_history_day_of(wall_ns), err);
	if (!rc) {
		write_header(f, wall_ns);
		rc = write_bytes(f, err);
	}
	if (rc == -ENOSPC || rc == -EDQUOT) /* maybe temporary: reported with the first interval */
		rc = 0;
	if (rc < 0)
		return rc;
	if (err)
		*err = (struct pipa_error){ 0 };
	*ret = PIPA_TAKE(f);
	return 0;
}

void pipa_history_dir_close(struct pipa_history_dir *dir)
{
	if (!dir)
		return;
	pipa_outfile_free(dir->file);
	pipa_history_writer_free(dir->writer);
	pipa_buf_done(&dir->bytes);
	free(dir->days.items);
	pipa_fd_close(dir->lock);
	pipa_fd_close(dir->dir);
	free(dir);
}

struct pipa_series_sink *pipa_history_dir_sink(struct pipa_history_dir *dir)
{
	return &dir->sink;
}

void pipa_history_dir_reopen(struct pipa_history_dir *dir)
{
	pipa_outfile_free(dir->file);
	dir->file = NULL;
}
