#include "job/exchange/series_input.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/span.h"
#include "base/str.h"
#include "import/sadf_csv.h"
#include "import/sar_text.h"
#include "import/stat_csv.h"
#include "import/stat_json.h"
#include "locate/files.h"
#include "model/counts.h"
#include "model/sections.h"
#include "store/archive.h"
#include "store/history_replay.h"
#include "store/replay.h"
#include "store/series_filter.h"

enum { COUNTS_BYTES = 256 << 10 }; /* of CSV that are decoded at once */

struct pipa_series_input {
	const char *path;
	struct pipa_archive *archive;
	struct pipa_replay statistics;
	struct pipa_span counts; /* text of the counters; empty: none */
	const char *counts_name;
	bool is_mapped; /* counts is a separate mapping */
	const struct pipa_section *sections[PIPA_SECTION_NR];
	char host[HOST_NAME_MAX + 1];
};

/* ---- open ----------------------------------------------------------------------------------- */

/* Find the file of the counters among the members. */
static void find_counts(struct pipa_series_input *s)
{
	static const char *const names[] = { "perf-stat.csv", "perf_stat.txt", "perf_stat.csv" };
	const struct pipa_archive_member *member = NULL;
	size_t i, at;

	for (i = 0; !member && i < PIPA_COUNT(names); i++) {
		at = 0;
		member = pipa_archive_find(s->archive, names[i], &at);
	}
	if (!member)
		return;
	s->counts_name = member->name;
	s->counts = member->bytes;
	if (member->path)
		s->is_mapped = pipa_locate_map(member->path, &s->counts);
	if (member->path && !s->is_mapped)
		s->counts = (struct pipa_span){ 0 };
}

/* Is it a file of `pipa stat` or `perf stat`, not of sysstat, whose CSV starts with a header? */
static bool is_counts(struct pipa_span text)
{
	static const char header[] = "hostname;interval;timestamp";
	struct pipa_stat_csv_result result = { 0 };
	PIPA_AUTO(pipa_counts_done) struct pipa_counts counts = { 0 };
	size_t len = text.size < COUNTS_BYTES ? text.size : COUNTS_BYTES, i;

	for (i = 0; i < len && isspace(text.data[i]); i++)
		;
	if (i < len && text.data[i] == '{')
		return true;
	return len && !memmem(text.data, len, header, sizeof(header) - 1) &&
	       !memchr(text.data, '\0', len) &&
	       pipa_stat_csv_decode((const char *)text.data, len, NULL, &counts, &result) == 0 &&
	       counts.n;
}

static int open_statistics(struct pipa_series_input *s, struct pipa_error *err)
{
	const struct pipa_replay_options options = { .path = s->path,
						     .archive = s->archive,
						     .all_days = true,
						     .sections = s->sections,
						     .n_sections = PIPA_SECTION_NR };
	size_t i;

	for (i = 0; i < PIPA_SECTION_NR; i++)
		s->sections[i] = &pipa_sections[i];
	return pipa_replay_open(&options, &s->statistics, err);
}

int pipa_series_input_open(const char *path, struct pipa_series_input **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_series_input_close)
	struct pipa_series_input *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return pipa_fail(err, -ENOMEM, "open %s", path);
	s->path = path;
	rc = pipa_archive_open(path, &s->archive, err);
	if (rc < 0)
		return rc;
	if (pipa_archive_kind(s->archive) != PIPA_ARCHIVE_FILE) {
		find_counts(s);
		rc = open_statistics(s, err);
	} else if (is_counts(pipa_archive_bytes(s->archive))) {
		s->counts = pipa_archive_bytes(s->archive);
		s->counts_name = path;
	} else {
		rc = open_statistics(s, err);
	}
	if (rc < 0)
		return rc;
	*ret = s;
	s = NULL;
	return 0;
}

void pipa_series_input_close(struct pipa_series_input *s)
{
	if (!s)
		return;
	pipa_replay_close(&s->statistics);
	if (s->is_mapped)
		pipa_locate_unmap(&s->counts);
	pipa_archive_close(s->archive);
	free(s);
}

const char *pipa_series_input_host(const struct pipa_series_input *s)
{
	return s->host;
}

/* ---- statistics ----------------------------------------------------------------------------- */

static int read_text(const struct pipa_replay_part *part,
		     const struct pipa_series_receiver *receiver, const struct pipa_log *log)
{
	struct pipa_span text = { (const uint8_t *)part->bytes, part->len };
	struct pipa_sadf_result csv = { 0 };
	struct pipa_sar_result sar = { 0 };
	bool is_mapped = !part->bytes;
	int rc;

	if (is_mapped && !pipa_locate_map(part->name, &text))
		return errno ? -errno : -EIO;
	if (receiver->clock)
		receiver->clock(receiver->ctx, part->kind != PIPA_PART_SAR);
	if (part->kind == PIPA_PART_SAR)
		rc = pipa_sar_decode((const char *)text.data, text.size, NULL, receiver->rows, NULL,
				     &sar);
	else
		rc = pipa_sadf_decode((const char *)text.data, text.size, NULL, receiver->rows,
				      &csv);
	if (is_mapped)
		pipa_locate_unmap(&text);
	if (csv.skipped + sar.skipped + sar.mended)
		pipa_log_note(log, "%s: %zu malformed line%s skipped", part->name,
			      csv.skipped + sar.skipped + sar.mended,
			      pipa_str_plural(csv.skipped + sar.skipped + sar.mended));
	if (csv.unknown + sar.unknown)
		pipa_log_note(log, "%s: unknown table '%s' skipped", part->name,
			      csv.unknown ? csv.unknown_name : sar.unknown_name);
	return rc;
}

static int read_statistics(struct pipa_series_input *s, const struct pipa_series_receiver *receiver,
			   const struct pipa_log *log, struct pipa_error *err)
{
	const struct pipa_series_select select = { .sections = s->sections,
						   .n_sections = PIPA_SECTION_NR,
						   .idle = true,
						   .from_s = -1,
						   .until_s = -1 };
	const struct pipa_history_replay_options options = { .select = &select,
							     .by_tick = true,
							     .log = *log };
	size_t i;
	int rc;

	if (receiver->clock)
		receiver->clock(receiver->ctx, true);
	rc = pipa_history_replay(&s->statistics, &options, receiver->rows, NULL, s->host, err);
	for (i = 0; rc >= 0 && i < s->statistics.n; i++) {
		if (s->statistics.items[i].kind == PIPA_PART_HISTORY)
			continue;
		rc = read_text(&s->statistics.items[i], receiver, log);
		if (rc < 0 && !err->code)
			pipa_fail(err, rc, "read %s", s->statistics.items[i].name);
	}
	return rc;
}

/* ---- counts --------------------------------------------------------------------------------- */

/* Return the length of the time at the start of a line. */
static size_t time_len(const char *line, const char *end)
{
	const char *at = line;

	while (at < end && *at == ' ')
		at++;
	while (at < end && (isdigit((unsigned char)*at) || *at == '.'))
		at++;
	return (size_t)(at - line);
}

static const char *next_line(const char *at, const char *end)
{
	const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;

	return newline ? newline + 1 : end;
}

/* Return the end of the last interval that begins within COUNTS_BYTES: the first line after them with another time. */
static const char *interval_end(const char *text, const char *end)
{
	const char *line, *next;
	size_t len;

	if ((size_t)(end - text) <= COUNTS_BYTES)
		return end;
	for (line = next_line(text + COUNTS_BYTES, end); line < end; line = next) {
		next = next_line(line, end);
		len = time_len(line, end);
		if (next == end || time_len(next, end) != len || memcmp(line, next, len) != 0)
			return next;
	}
	return end;
}

static int read_csv(const struct pipa_series_input *s, const struct pipa_series_receiver *receiver,
		    const struct pipa_log *log)
{
	const char *at = (const char *)s->counts.data, *end = at + s->counts.size, *stop;
	struct pipa_stat_csv_result result = { 0 };
	int rc = 0;

	for (; rc >= 0 && at < end; at = stop) {
		PIPA_AUTO(pipa_counts_done) struct pipa_counts counts = { 0 };
		char separator[sizeof(result.separator)];

		memcpy(separator, result.separator, sizeof(separator));
		stop = interval_end(at, end);
		rc = pipa_stat_csv_decode(at, (size_t)(stop - at), *separator ? separator : NULL,
					  &counts, &result);
		if (!rc && counts.n && isnan(counts.items[0].time_s) && stop < end) {
			stop = end; /* one interval if the lines have no times */
			pipa_counts_done(&counts);
			counts = (struct pipa_counts){ 0 };
			rc = pipa_stat_csv_decode(at, (size_t)(stop - at), result.separator,
						  &counts, &result);
		}
		if (!rc)
			rc = receiver->counts(receiver->ctx, &counts);
	}
	if (result.damaged)
		pipa_log_note(log, "%s: %zu malformed line%s skipped", s->counts_name,
			      result.damaged, pipa_str_plural(result.damaged));
	return rc;
}

static int read_json(const struct pipa_series_input *s, const struct pipa_series_receiver *receiver,
		     const struct pipa_log *log, struct pipa_error *err)
{
	const char *text = (const char *)s->counts.data;
	size_t at = 0, used;
	int rc = 0;

	while (!rc) {
		PIPA_AUTO(pipa_counts_done) struct pipa_counts counts = { 0 };

		while (at < s->counts.size && isspace((unsigned char)text[at]))
			at++;
		if (at == s->counts.size)
			return 0;
		rc = pipa_stat_json_counts(text + at, s->counts.size - at, &counts, &used, err);
		if (rc == -EBADMSG && at) { /* the end of an interrupted write */
			pipa_log_note(log, "%s: %zu malformed byte%s at the end skipped",
				      s->counts_name, s->counts.size - at,
				      pipa_str_plural(s->counts.size - at));
			*err = (struct pipa_error){ 0 };
			return 0;
		}
		if (rc == 0) {
			at += used;
			rc = receiver->counts(receiver->ctx, &counts);
		}
	}
	return rc;
}

int pipa_series_input_read(struct pipa_series_input *s, const struct pipa_series_receiver *receiver,
			   const struct pipa_log *log, struct pipa_error *err)
{
	size_t i = 0;
	int rc = read_statistics(s, receiver, log, err);

	if (pipa_archive_is_truncated(s->archive))
		pipa_log_note(log, "%s is truncated or corrupt", s->path);
	while (i < s->counts.size && isspace(s->counts.data[i]))
		i++;
	if (rc < 0 || i == s->counts.size)
		return rc;
	rc = s->counts.data[i] == '{' ? read_json(s, receiver, log, err) :
					read_csv(s, receiver, log);
	if (rc < 0 && !err->code)
		pipa_fail(err, rc, "read %s", s->counts_name);
	return rc;
}
