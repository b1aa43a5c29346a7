#include "store/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/span.h"
#include "base/vec.h"
#include "codec/tar.h"
#include "import/history.h"
#include "import/sadf_csv.h"
#include "import/sar_text.h"
#include "model/sections.h"
#include "store/archive.h"
#include "store/csv_record.h"
#include "store/history_days.h"
#include "store/text_window.h"

enum { FIRST_BYTES = 256 << 10 };

void pipa_replay_close(struct pipa_replay *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		free(r->items[i].name);
	free(r->items);
	pipa_archive_close(r->archive);
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

/* Find the start of a history by its first header; 0: it cannot be read. */
static int find_begin(const void *bytes, size_t len, uint64_t *ret)
{
	struct pipa_series_sink nowhere = { 0 };
	PIPA_AUTO(pipa_history_reader_free)
	struct pipa_history_reader *reader = pipa_history_reader_new(&(struct pipa_history_read){
		.sink = &nowhere, .wants = wants_none, .head = note_head, .ctx = ret });

	*ret = 0;
	return reader ? pipa_history_reader_feed(reader, bytes,
						 len < FIRST_BYTES ? len : FIRST_BYTES) :
			-ENOMEM;
}

/* Read the first bytes of a regular file; 0 for other files and on failure. */
static size_t read_first(const char *path, char *bytes, size_t size)
{
	PIPA_AUTO(pipa_fd_close)
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	do
		n = pread(fd, bytes, size, 0);
	while (n < 0 && errno == EINTR);
	return n > 0 ? (size_t)n : 0;
}

/* Add a member of the archive as a part. */
static struct pipa_replay_part *add_member(struct pipa_replay *r, const char *path,
					   const struct pipa_archive_member *member, int kind)
{
	char name[PATH_MAX + PIPA_TAR_NAME_SIZE];
	struct pipa_replay_part *part;

	if (!member->path)
		snprintf(name, sizeof(name), "%s: %s", path, member->name);
	part = add_part(r, member->path ? member->path : name);
	if (!part)
		return NULL;
	part->kind = kind;
	if (!member->path) {
		part->bytes = (const char *)member->bytes.data;
		part->len = member->bytes.size;
	}
	return part;
}

/* Add the histories among the members, except for those in a session's directory. */
static int find_histories(struct pipa_replay *r, const struct pipa_archive *archive)
{
	PIPA_AUTO(free) char *first = malloc(FIRST_BYTES);
	const struct pipa_archive_member *member;
	size_t i;
	int rc = first ? 0 : -ENOMEM;

	for (i = 0; !rc && (member = pipa_archive_member(archive, i)); i++) {
		const void *bytes = member->path ? (const void *)first : member->bytes.data;
		size_t len = member->bytes.size;
		struct pipa_replay_part *part;

		if (member->path)
			len = strchr(member->name, '/') ?
				      0 :
				      read_first(member->path, first, FIRST_BYTES);
		if (!pipa_history_is(bytes, len))
			continue;
		part = add_member(r, pipa_archive_path(archive), member, PIPA_PART_HISTORY);
		rc = part ? find_begin(bytes, len, &part->wall_ns) : -ENOMEM;
	}
	return rc;
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

int pipa_replay_no_such_day(const char *path, int64_t day, int64_t first, int64_t last,
			    struct pipa_error *err)
{
	char text[PIPA_HISTORY_NAME_SIZE], from[PIPA_HISTORY_NAME_SIZE], to[PIPA_HISTORY_NAME_SIZE];

	date_text(day, text);
	date_text(first, from);
	date_text(last, to);
	pipa_refuse(err, -ENODATA, "%s holds no data of %s", path, text);
	return pipa_hint(err, "the data ranges from %s to %s", from, to);
}

/* Keep only the histories of one day, sorted by time. */
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
		pipa_refuse(err, -EINVAL, "invalid day '%s'", o->day);
		return pipa_hint(err, "expected a date like 2026-11-15, or -1 for yesterday");
	}
	for (i = 0; i < r->n; i++) {
		r->items[i].one_day = true;
		if (pipa_history_day_of(r->items[i].wall_ns) == day)
			r->items[n++] = r->items[i];
		else
			free(r->items[i].name);
	}
	r->n = n;
	return n ? 0 : pipa_replay_no_such_day(o->path, day, first, last, err);
}

/* ---- CSV and sar's text ---------------------------------------------------------------------- */

/*
 * Add the CSV files of the wanted sections in their order, in an archive all of one name. Of the two files of CPUs the
 * one with all columns is enough.
 */
static int find_csv(struct pipa_replay *r, const struct pipa_replay_options *o,
		    const struct pipa_archive *archive)
{
	const char *all_columns = pipa_csv_recorder_file(&pipa_sections[PIPA_SECTION_CPU]);
	bool all = pipa_archive_kind(archive) == PIPA_ARCHIVE_TAR;
	size_t i, first = 0;

	for (i = 0; i < o->n_sections; i++) {
		const char *file = pipa_csv_recorder_file(o->sections[i]);
		const struct pipa_archive_member *member;
		size_t at = 0;

		if (o->sections[i] == &pipa_sections[PIPA_SECTION_CPU_SHORT] &&
		    pipa_archive_find(archive, all_columns, &first))
			continue;
		while (file && (member = pipa_archive_find(archive, file, &at))) {
			if (!add_member(r, pipa_archive_path(archive), member, PIPA_PART_CSV))
				return -ENOMEM;
			if (!all)
				break;
		}
	}
	return 0;
}

/* Add the output of `sar -A`, except for that in a session's directory. */
static int find_sar(struct pipa_replay *r, const struct pipa_archive *archive)
{
	size_t at = 0;
	const struct pipa_archive_member *member = pipa_archive_find(archive, PIPA_SAR_FILE, &at);

	if (!member || (member->path && strchr(member->name, '/')))
		return 0;
	return add_member(r, pipa_archive_path(archive), member, PIPA_PART_SAR) ? 0 : -ENOMEM;
}

/* ---- open ------------------------------------------------------------------------------------ */

/* Add the histories, else the CSV files of the wanted sections, else sar's text. */
static int open_members(struct pipa_replay *r, const struct pipa_replay_options *o,
			const struct pipa_archive *archive, struct pipa_error *err)
{
	int rc = find_histories(r, archive);

	if (!rc && r->n && o->all_days) {
		qsort(r->items, r->n, sizeof(*r->items), by_begin);
		return 0;
	}
	if (!rc && r->n)
		return choose_day(r, o, err);
	if (!rc)
		rc = find_csv(r, o, archive);
	if (!rc && !r->n)
		rc = find_sar(r, archive);
	return rc < 0 ? pipa_fail(err, rc, "replay %s", o->path) : 0;
}

/* Add a single file by its content. */
static int open_file(struct pipa_replay *r, const struct pipa_replay_options *o,
		     const struct pipa_archive *archive, struct pipa_error *err)
{
	struct pipa_span bytes = pipa_archive_bytes(archive);
	struct pipa_replay_part *part = add_part(r, o->path);
	int rc;

	if (!part)
		return pipa_fail(err, -ENOMEM, "replay %s", o->path);
	part->bytes = bytes.size ? (const char *)bytes.data : "";
	part->len = bytes.size;
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
	const struct pipa_archive *archive = o->archive;
	struct pipa_replay r = { 0 };
	int rc = archive ? 0 : pipa_archive_open(o->path, &r.archive, err);

	if (rc < 0)
		return rc;
	archive = archive ? archive : r.archive;
	r.cut = pipa_archive_is_truncated(archive);
	rc = pipa_archive_kind(archive) == PIPA_ARCHIVE_FILE ? open_file(&r, o, archive, err) :
							       open_members(&r, o, archive, err);
	if (rc < 0)
		pipa_replay_close(&r);
	else
		*ret = r;
	return rc;
}

int pipa_replay_csv(const struct pipa_replay_part *part, const struct pipa_zone *zone,
		    struct pipa_series_sink *sink, struct pipa_sadf_result *ret,
		    struct pipa_error *err)
{
	PIPA_AUTO(pipa_sadf_reader_free) struct pipa_sadf_reader *reader = NULL;
	PIPA_AUTO(pipa_text_window_done) struct pipa_text_window lines = { .member.fd = -1 };
	int rc = 0;

	if (part->bytes)
		return pipa_sadf_decode(part->bytes, part->len, zone, sink, ret);
	reader = pipa_sadf_reader_new(zone, sink, ret);
	rc = reader ? pipa_member_reader_open_path(&lines.member, part->name) : -ENOMEM;
	if (rc < 0)
		return pipa_fail(err, rc, "open %s", part->name);
	while (!rc && !lines.last) {
		rc = pipa_text_window_fill(&lines);
		if (rc < 0)
			return pipa_fail(err, rc, "read %s", part->name);
		rc = pipa_sadf_reader_feed(reader, lines.text, lines.len, lines.last, &lines.used);
	}
	return rc;
}
