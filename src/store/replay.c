#include "store/replay.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"
#include "codec/tar.h"
#include "import/history.h"
#include "import/sar_text.h"
#include "kernel/machine/root.h"
#include "locate/files.h"
#include "store/csv_record.h"
#include "store/history_days.h"
#include "store/input.h"

enum { FIRST_BYTES = 256 << 10 };

void pipa_replay_close(struct pipa_replay *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		free(r->items[i].name);
	free(r->items);
	if (r->memory.size)
		pipa_locate_unmap(&r->memory);
	*r = (struct pipa_replay){ 0 };
}

static struct pipa_replay_part *add_part(struct pipa_replay *r, const char *name)
{
	struct pipa_replay_part *part = PIPA_VEC_ADD(r);

	if (part && !(part->name = strdup(name)))
		part = NULL;
	return part;
}

/* ---- histories ---------------------------------------------------------------------------------- */

static bool wants_none(void *ctx PIPA_UNUSED, const struct pipa_section *section PIPA_UNUSED)
{
	return false;
}

static void note_head(void *ctx, const struct pipa_history_head *head)
{
	uint64_t *wall_ns = ctx;

	if (!*wall_ns)
		*wall_ns = head->wall_ns;
}

/* When the history that begins with these bytes begins; 0: its head cannot be read. */
static int find_begin(const void *bytes, size_t len, uint64_t *ret)
{
	struct pipa_series_sink nowhere = { 0 };
	PIPA_AUTO(pipa_history_reader_free)
	struct pipa_history_reader *reader = pipa_history_reader_new(&(struct pipa_history_read){
		.sink = &nowhere, .wants = wants_none, .head = note_head, .ctx = ret });

	*ret = 0;
	return reader ? pipa_history_reader_feed(reader, bytes, len) : -ENOMEM;
}

static ssize_t read_first(int fd, char *bytes, size_t size)
{
	ssize_t n;

	do
		n = pread(fd, bytes, size, 0);
	while (n < 0 && errno == EINTR);
	return n;
}

/* Add the file if it is a history; what cannot be opened or is something else is passed over. */
static int add_history(struct pipa_replay *r, int dir, const char *name, const char *path)
{
	PIPA_AUTO(pipa_fd_close) int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	PIPA_AUTO(free) char *bytes = malloc(FIRST_BYTES);
	struct pipa_replay_part *part;
	uint64_t wall_ns;
	struct stat st;
	ssize_t n;
	int rc;

	if (!bytes)
		return -ENOMEM;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	n = read_first(fd, bytes, FIRST_BYTES);
	if (n <= 0 || !pipa_history_is(bytes, (size_t)n))
		return 0;
	rc = find_begin(bytes, (size_t)n, &wall_ns);
	if (rc < 0)
		return rc;
	part = add_part(r, path);
	if (!part)
		return -ENOMEM;
	part->kind = PIPA_PART_HISTORY;
	part->wall_ns = wall_ns;
	return 0;
}

static int find_histories(struct pipa_replay *r, const char *path, struct pipa_error *err)
{
	PIPA_AUTO(closedir) DIR *dir = opendir(path);
	struct dirent *entry;
	char name[PATH_MAX];
	int rc = 0;

	if (!dir)
		return pipa_fail(err, -errno, "open %s", path);
	while (!rc && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) < (int)sizeof(name))
			rc = add_history(r, dirfd(dir), entry->d_name, name);
	return rc < 0 ? pipa_fail(err, rc, "look into %s", path) : 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct pipa_replay_part *x = a, *y = b;

	return x->wall_ns < y->wall_ns ? -1 : x->wall_ns > y->wall_ns;
}

static void date_text(int64_t day, char text[static PIPA_HISTORY_NAME_SIZE])
{
	char name[PIPA_HISTORY_NAME_SIZE];

	pipa_history_day_name(day, name);
	snprintf(text, PIPA_HISTORY_NAME_SIZE, "%.10s", name + sizeof("pipa-") - 1);
}

static int no_such_day(const struct pipa_replay_options *o, int64_t day, int64_t first,
		       int64_t last, struct pipa_error *err)
{
	char text[PIPA_HISTORY_NAME_SIZE], from[PIPA_HISTORY_NAME_SIZE], to[PIPA_HISTORY_NAME_SIZE];

	date_text(day, text);
	date_text(first, from);
	date_text(last, to);
	pipa_refuse(err, -ENODATA, "%s holds nothing of %s", o->path, text);
	return pipa_hint(err, "it begins %s and ends %s", from, to);
}

/* Of all histories of the folder those of one day stay, in order. */
static int choose_day(struct pipa_replay *r, const struct pipa_replay_options *o,
		      struct pipa_error *err)
{
	int64_t first, last, day;
	size_t i, n = 0;

	qsort(r->items, r->n, sizeof(*r->items), by_begin);
	first = pipa_history_day_of(r->items[0].wall_ns);
	day = last = pipa_history_day_of(r->items[r->n - 1].wall_ns);
	if (o->day &&
	    pipa_history_day_read(o->day, pipa_history_day_of(pipa_clock_wall_ns()), &day) < 0) {
		pipa_refuse(err, -EINVAL, "'%s' is no day", o->day);
		return pipa_hint(err, "write it as 2026-11-15, or as -1 for yesterday");
	}
	for (i = 0; i < r->n; i++) {
		r->items[i].one_day = true;
		if (pipa_history_day_of(r->items[i].wall_ns) == day)
			r->items[n++] = r->items[i];
		else
			free(r->items[i].name);
	}
	r->n = n;
	return n ? 0 : no_such_day(o, day, first, last, err);
}

/* ---- CSV ---------------------------------------------------------------------------------------- */

/* The files of the chosen sections, as far as they are there; an archive has them one below. */
static int find_csv(struct pipa_replay *r, const struct pipa_replay_options *o,
		    struct pipa_error *err)
{
	static const char *const below[] = { "", "attach_session/" };
	char path[PATH_MAX];
	struct stat st;
	size_t i, k;

	for (i = 0; i < o->n_sections; i++) {
		const char *file = pipa_csv_recorder_file(o->sections[i]);

		for (k = 0; file && k < PIPA_COUNT(below); k++) {
			if (snprintf(path, sizeof(path), "%s/%s%s", o->path, below[k], file) >=
				    (int)sizeof(path) ||
			    stat(path, &st) < 0)
				continue;
			if (!add_part(r, path))
				return pipa_fail(err, -ENOMEM, "replay %s", o->path);
			break;
		}
	}
	return 0;
}

/* What `sar -A` printed, where there is nothing better. */
static int find_sar(struct pipa_replay *r, const struct pipa_replay_options *o,
		    struct pipa_error *err)
{
	struct pipa_replay_part *part;
	char path[PATH_MAX];
	struct stat st;

	if (snprintf(path, sizeof(path), "%s/%s", o->path, PIPA_SAR_FILE) >= (int)sizeof(path) ||
	    stat(path, &st) < 0)
		return 0;
	part = add_part(r, path);
	if (!part)
		return pipa_fail(err, -ENOMEM, "replay %s", o->path);
	part->kind = PIPA_PART_SAR;
	return 0;
}

static int open_folder(struct pipa_replay *r, const struct pipa_replay_options *o,
		       struct pipa_error *err)
{
	int rc = find_histories(r, o->path, err);

	if (!rc && r->n)
		return choose_day(r, o, err);
	if (!rc)
		rc = find_csv(r, o, err);
	return rc || r->n ? rc : find_sar(r, o, err);
}

/* ---- archives ----------------------------------------------------------------------------------- */

/* Is the member one of the CSV files? */
static bool is_csv_of(const struct pipa_tar_member *member, const char *file)
{
	const char *slash = strrchr(member->name, '/');

	return file && strcmp(slash ? slash + 1 : member->name, file) == 0;
}

static int add_member(struct pipa_replay *r, const char *path, const struct pipa_tar_member *member,
		      int kind)
{
	char name[PATH_MAX + PIPA_TAR_NAME_SIZE];
	struct pipa_replay_part *part;
	int rc = 0;

	snprintf(name, sizeof(name), "%s: %s", path, member->name);
	part = add_part(r, name);
	if (!part)
		return -ENOMEM;
	part->kind = kind;
	part->bytes = member->bytes;
	part->len = member->len;
	if (kind == PIPA_PART_HISTORY)
		rc = find_begin(part->bytes, part->len, &part->wall_ns);
	return rc;
}

/* The histories in it, or else the files of the chosen sections, in their order. */
static int open_archive(struct pipa_replay *r, const struct pipa_replay_options *o,
			struct pipa_error *err)
{
	const unsigned char *bytes = r->memory.data;
	struct pipa_tar tar = { bytes, bytes + r->memory.size, false };
	struct pipa_tar_member member;
	size_t i;
	int rc = 0;

	while (!rc && pipa_tar_next(&tar, &member))
		if (pipa_history_is(member.bytes, member.len))
			rc = add_member(r, o->path, &member, PIPA_PART_HISTORY);
	r->cut |= tar.damaged;
	if (!rc && r->n)
		return choose_day(r, o, err);
	for (i = 0; !rc && i < o->n_sections; i++) {
		tar = (struct pipa_tar){ bytes, bytes + r->memory.size, false };
		while (!rc && pipa_tar_next(&tar, &member))
			if (is_csv_of(&member, pipa_csv_recorder_file(o->sections[i])))
				rc = add_member(r, o->path, &member, PIPA_PART_CSV);
	}
	tar = (struct pipa_tar){ bytes, bytes + r->memory.size, false };
	while (!rc && !r->n && pipa_tar_next(&tar, &member))
		if (is_csv_of(&member, PIPA_SAR_FILE))
			rc = add_member(r, o->path, &member, PIPA_PART_SAR);
	return rc < 0 ? pipa_fail(err, rc, "replay %s", o->path) : 0;
}

/* ---- files -------------------------------------------------------------------------------------- */

static int open_file(struct pipa_replay *r, const struct pipa_replay_options *o,
		     struct pipa_error *err)
{
	struct pipa_replay_part *part;
	int rc = add_history(r, AT_FDCWD, o->path, o->path);

	if (rc < 0)
		return pipa_fail(err, rc, "replay %s", o->path);
	if (r->n)
		return 0;
	rc = pipa_input_map(o->path, &r->memory, &r->cut, err);
	if (rc < 0)
		return rc;
	if (r->memory.size && pipa_tar_is(r->memory.data, r->memory.size))
		return open_archive(r, o, err);
	part = add_part(r, o->path);
	if (!part)
		return pipa_fail(err, -ENOMEM, "replay %s", o->path);
	part->bytes = r->memory.size ? (const char *)r->memory.data : "";
	part->len = r->memory.size;
	if (pipa_sar_is(part->bytes, part->len))
		part->kind = PIPA_PART_SAR;
	if (!pipa_history_is(part->bytes, part->len))
		return 0;
	part->kind = PIPA_PART_HISTORY;
	rc = find_begin(part->bytes, part->len, &part->wall_ns);
	return rc < 0 ? pipa_fail(err, rc, "replay %s", o->path) : 0;
}

int pipa_replay_open(const struct pipa_replay_options *o, struct pipa_replay *ret,
		     struct pipa_error *err)
{
	struct pipa_replay r = { 0 };
	struct stat st;
	int rc;

	if (stat(o->path, &st) < 0)
		return pipa_fail(err, -errno, "open %s", o->path);
	rc = S_ISDIR(st.st_mode) ? open_folder(&r, o, err) : open_file(&r, o, err);
	if (rc < 0)
		pipa_replay_close(&r);
	else
		*ret = r;
	return rc;
}
