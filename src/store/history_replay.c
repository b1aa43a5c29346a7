#include "store/history_replay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "export/table/series.h"
#include "import/history.h"
#include "store/history_days.h"
#include "store/replay.h"
#include "store/series_filter.h"

enum { WINDOW = 64 << 10 };

struct replay {
	const struct pipa_history_replay_options *o;
	struct pipa_series_sink *sink;
	struct pipa_series_writer *writer;
	char *host;
	const struct pipa_section *section; /* of this pass, NULL: all selected ones */
	bool noted;			    /* corruption was reported in an earlier pass */
};

static bool wants(void *ctx, const struct pipa_section *section)
{
	const struct replay *r = ctx;

	return r->section ? section == r->section : pipa_series_selects(r->o->select, section);
}

static void set_header(void *ctx, const struct pipa_history_head *head)
{
	struct replay *r = ctx;

	snprintf(r->host, HOST_NAME_MAX + 1, "%s", head->host);
	if (r->writer)
		pipa_series_writer_source(r->writer, r->host,
					  head->interval_ns % PIPA_NS_PER_SEC != 0);
}

static void note_corruption(const struct replay *r, const char *name,
			    const struct pipa_history_result *result)
{
	if (r->noted)
		return;
	if (result->damaged)
		pipa_log_note(&r->o->log, "%s: %zu corrupt bytes skipped", name, result->damaged);
	if (result->newer)
		pipa_log_note(&r->o->log, "%s: %zu parts were written by a newer pipa", name,
			      result->newer);
}

/* Limit the read to -s and -e of the day on which the part starts, unless they span midnight. */
static void limit_read(const struct replay *r, const struct pipa_replay_part *part,
		       struct pipa_history_read *read)
{
	const struct pipa_series_select *o = r->o->select;
	uint64_t midnight = pipa_history_day_start(pipa_history_day_of(part->wall_ns));

	if (o->from_s >= 0 && o->until_s >= 0 && o->from_s > o->until_s)
		return;
	if (o->from_s > 0)
		read->from_wall_ns = midnight + (uint64_t)o->from_s * PIPA_NS_PER_SEC - 1;
	if (o->until_s >= 0 && part->one_day)
		read->until_wall_ns = midnight + ((uint64_t)o->until_s + 1) * PIPA_NS_PER_SEC;
}

/* Feed a file to the reader, one window at a time. */
static int feed_file(struct pipa_history_reader *reader, const char *path)
{
	PIPA_AUTO(pipa_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	PIPA_AUTO(free) char *window = malloc(WINDOW);
	ssize_t n;
	int rc = 0;

	if (!window)
		return -ENOMEM;
	if (fd < 0)
		return -errno;
	while (!rc && !pipa_history_reader_is_done(reader) && (n = read(fd, window, WINDOW)) != 0) {
		if (n > 0)
			rc = pipa_history_reader_feed(reader, window, (size_t)n);
		else if (errno != EINTR)
			rc = -errno;
	}
	return rc;
}

/* Feed mapped bytes to the reader in pieces: it buffers what it has not decoded. */
static int feed_bytes(struct pipa_history_reader *reader, const char *bytes, size_t len)
{
	size_t at, n;
	int rc = 0;

	for (at = 0; !rc && at < len && !pipa_history_reader_is_done(reader); at += n) {
		n = len - at < WINDOW ? len - at : WINDOW;
		rc = pipa_history_reader_feed(reader, bytes + at, n);
	}
	return rc;
}

static int replay_part(struct replay *r, const struct pipa_replay_part *part,
		       struct pipa_error *err)
{
	struct pipa_history_read read = {
		.sink = r->sink, .wants = wants, .head = set_header, .ctx = r
	};
	PIPA_AUTO(pipa_history_reader_free) struct pipa_history_reader *reader = NULL;
	int rc;

	limit_read(r, part, &read);
	reader = pipa_history_reader_new(&read);
	if (!reader)
		return pipa_fail(err, -ENOMEM, "replay %s", part->name);
	rc = part->bytes ? feed_bytes(reader, part->bytes, part->len) :
			   feed_file(reader, part->name);
	if (!rc)
		rc = pipa_history_reader_finish(reader);
	note_corruption(r, part->name, pipa_history_reader_result(reader));
	if (rc < 0 && err && !err->code)
		pipa_fail(err, rc, "replay %s", part->name);
	return rc;
}

static int replay_all(struct replay *r, const struct pipa_replay *recording, struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < recording->n; i++)
		if (recording->items[i].kind == PIPA_PART_HISTORY)
			rc = replay_part(r, &recording->items[i], err);
	r->noted = true;
	return rc;
}

int pipa_history_replay(const struct pipa_replay *recording,
			const struct pipa_history_replay_options *o, struct pipa_series_sink *sink,
			struct pipa_series_writer *writer, char host[static HOST_NAME_MAX + 1],
			struct pipa_error *err)
{
	struct replay r = { .o = o, .sink = sink, .writer = writer, .host = host };
	size_t i;
	int rc = 0;

	if (o->by_tick)
		return replay_all(&r, recording, err);
	for (i = 0; !rc && i < o->select->n_sections; i++) {
		r.section = o->select->sections[i];
		rc = replay_all(&r, recording, err);
	}
	return rc;
}
