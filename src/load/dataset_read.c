#include "load/dataset_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "import/facts_yaml.h"
#include "import/history.h"
#include "import/monitor_json.h"
#include "import/sadf_csv.h"
#include "import/sar_text.h"
#include "import/stat_csv.h"
#include "import/stat_json.h"
#include "load/dataset.h"
#include "load/sadf_parts.h"
#include "model/counter_section.h"
#include "model/counts.h"
#include "store/member_reader.h"
#include "store/text_window.h"

enum { READ_BYTES = 1 << 20, MAX_FACTS = 64 << 20, MAX_TEXT = 256 << 20 };

/*
 * Convert a failure of one member: the rest of the data stays usable unless memory is exhausted.
 */
static int note_failure(struct pipa_dataset *d, const char *name, int rc)
{
	if (rc == -EFBIG)
		return pipa_dataset_note(
			d, name, PIPA_DATASET_TOO_LARGE,
			"the series exceed the limit of memory; the rest is not used");
	if (rc == -ENOMEM || !rc)
		return rc;
	return pipa_dataset_note(d, name, PIPA_DATASET_UNREADABLE, "%s", strerror(-rc));
}

/* Note a file that has to be read whole and is too large for it. */
static int note_too_large(struct pipa_dataset *d, const char *name)
{
	return pipa_dataset_note(d, name, PIPA_DATASET_TOO_LARGE,
				 "larger than %d MiB, the limit for this format; not used",
				 MAX_TEXT >> 20);
}

int pipa_dataset_read_sadf(struct pipa_dataset *d, const struct pipa_dataset_file *file,
			   size_t source)
{
	const struct pipa_sadf_input input = { file->archive, file->member, d->zone, 0 };
	struct pipa_sadf_result result = { 0 };
	int rc = pipa_sadf_read(&input, &d->series, source, &result);

	if (source < d->hosts.n && !d->hosts.items[source].name[0])
		memcpy(d->hosts.items[source].name, result.host, sizeof(result.host));
	rc = note_failure(d, file->name, rc);
	if (!rc && result.skipped)
		rc = pipa_dataset_note(d, file->name, PIPA_DATASET_DAMAGED,
				       "%zu malformed line%s skipped", result.skipped,
				       pipa_str_plural(result.skipped));
	if (!rc && result.unknown)
		rc = pipa_dataset_note(d, file->name, PIPA_DATASET_UNKNOWN,
				       "unknown table '%s' skipped", result.unknown_name);
	if (!rc && !result.rows && !result.skipped && !result.unknown)
		rc = pipa_dataset_note(d, file->name, PIPA_DATASET_EMPTY, "no rows");
	return rc;
}

int pipa_dataset_read_history(struct pipa_dataset *d, const struct pipa_dataset_file *file,
			      struct pipa_series_feed *feed)
{
	PIPA_AUTO(pipa_history_reader_free)
	struct pipa_history_reader *reader = pipa_history_reader_new(
		&(struct pipa_history_read){ .sink = &feed->sink });
	PIPA_AUTO(pipa_member_reader_close) struct pipa_member_reader member = { .fd = -1 };
	PIPA_AUTO(free) char *window = malloc(READ_BYTES);
	const struct pipa_history_result *result;
	ssize_t n = 1;
	int rc = reader && window ? pipa_member_reader_open(&member, file->archive, file->member) :
				    -ENOMEM;

	while (!rc && n > 0) {
		n = pipa_member_reader_fill(&member, window, READ_BYTES);
		rc = n > 0 ? pipa_history_reader_feed(reader, window, (size_t)n) : (int)n;
	}
	if (!rc)
		rc = pipa_history_reader_finish(reader);
	rc = note_failure(d, file->name, rc);
	result = reader ? pipa_history_reader_result(reader) : NULL;
	if (!rc && result && result->damaged)
		rc = pipa_dataset_note(d, file->name, PIPA_DATASET_DAMAGED,
				       "%zu corrupt byte%s skipped", result->damaged,
				       pipa_str_plural(result->damaged));
	if (!rc && result && result->newer)
		rc = pipa_dataset_note(d, file->name, PIPA_DATASET_UNKNOWN,
				       "%zu part%s of a newer pipa skipped", result->newer,
				       pipa_str_plural(result->newer));
	return rc;
}

/* Read a whole member, at most `max` bytes. */
static int read_whole(const struct pipa_dataset_file *file, size_t max, struct pipa_buf *ret)
{
	PIPA_AUTO(pipa_member_reader_close) struct pipa_member_reader reader = { .fd = -1 };
	PIPA_AUTO(free) char *window = malloc(READ_BYTES);
	ssize_t n = 1;
	int rc = window ? pipa_member_reader_open(&reader, file->archive, file->member) : -ENOMEM;

	ret->max = max;
	while (!rc && n > 0) {
		n = pipa_member_reader_fill(&reader, window, READ_BYTES);
		if (n > 0)
			pipa_buf_add(ret, window, (size_t)n);
		rc = n < 0 ? (int)n : ret->status;
	}
	return rc;
}

/* Read sar's text. Its averages are not series. */
int pipa_dataset_read_sar(struct pipa_dataset *d, const struct pipa_dataset_file *file,
			  struct pipa_series_feed *feed)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_sar_result result = { 0 };
	int rc = read_whole(file, MAX_TEXT, &text);

	if (rc == -EFBIG)
		return note_too_large(d, file->name);
	if (!rc)
		rc = pipa_sar_decode(pipa_buf_str(&text), text.len, d->zone, &feed->sink, NULL,
				     &result);
	rc = note_failure(d, file->name, rc);
	if (!rc && result.skipped + result.mended)
		rc = pipa_dataset_note(d, file->name, PIPA_DATASET_DAMAGED, "%zu malformed line%s",
				       result.skipped + result.mended,
				       pipa_str_plural(result.skipped + result.mended));
	if (!rc && !result.rows)
		rc = pipa_dataset_note(d, file->name, PIPA_DATASET_EMPTY, "no intervals");
	return rc;
}

/* Read the lines of pipa monitor --json. */
int pipa_dataset_read_monitor_json(struct pipa_dataset *d, const struct pipa_dataset_file *file,
				   struct pipa_series_feed *feed)
{
	PIPA_AUTO(pipa_text_window_done) struct pipa_text_window r = { .member.fd = -1 };
	size_t damaged = 0;
	int rc = pipa_member_reader_open(&r.member, file->archive, file->member);

	while (!rc && !r.last) {
		rc = pipa_text_window_fill(&r);
		while (!rc && r.used < r.len) {
			const char *line = r.text + r.used;
			const char *newline = memchr(line, '\n', r.len - r.used);
			size_t len = newline ? (size_t)(newline - line) : r.len - r.used;

			if (!newline && !r.last)
				break;
			if (len)
				rc = pipa_monitor_json_decode(line, len, &feed->sink);
			damaged += rc == -EBADMSG;
			rc = rc == -EBADMSG ? 0 : rc;
			r.used += len + (newline != NULL);
		}
	}
	rc = note_failure(d, file->name, rc);
	if (!rc && damaged)
		rc = pipa_dataset_note(d, file->name, PIPA_DATASET_DAMAGED,
				       "%zu malformed line%s skipped", damaged,
				       pipa_str_plural(damaged));
	return rc;
}

/* ---- counters ------------------------------------------------------------------------------- */

struct count_feed {
	struct pipa_series_feed *feed;
	uint64_t base_ns; /* wall time of time 0 */
	double last_s;	  /* end of the interval before */
	double time_s;	  /* end of the current interval */
	char *instance;
	size_t cap;
	uint64_t untimed; /* rows without a time */
};

/* Make the instance "EVENT PLACE" with its unit. 0 or -ENOMEM. */
static int set_instance(struct count_feed *f, const struct pipa_counts *counts,
			const struct pipa_counts_row *row)
{
	const char *event = pipa_counts_text(counts, row->event);
	const char *place = pipa_counts_text(counts, row->place);
	const char *cgroup = pipa_counts_text(counts, row->cgroup);
	const char *unit = pipa_counts_text(counts, row->unit);
	size_t size = strlen(event) + strlen(place) + strlen(cgroup) + strlen(unit) + 4;
	int n;

	if (size > f->cap) {
		char *bigger = realloc(f->instance, 2 * size);

		if (!bigger)
			return -ENOMEM;
		f->instance = bigger;
		f->cap = 2 * size;
	}
	n = snprintf(f->instance, f->cap, "%s%s%s%s%s", event, *place ? " " : "", place,
		     *cgroup ? " " : "", cgroup);
	memcpy(f->instance + n + 1, unit, strlen(unit) + 1);
	return 0;
}

/* Add rows of counters as series. Counts without intervals are one interval that ends at 0. */
static int feed_counts(struct count_feed *f, const struct pipa_counts *counts)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < counts->n; i++) {
		const struct pipa_counts_row *row = &counts->items[i];
		double time_s = isnan(row->time_s) ? 0 : row->time_s;
		const double values[PIPA_COL_COUNTER_NR] = { row->value, row->percent, NAN };
		struct pipa_tick tick = { 0 };

		f->untimed += isnan(row->time_s);
		if (!(time_s >= 0 && time_s < 1e9))
			continue;
		if (time_s > f->time_s) {
			f->last_s = f->time_s;
			f->time_s = time_s;
		}
		tick.wall_ns = f->base_ns + (uint64_t)llround(time_s * 1e9);
		tick.interval_s = time_s - f->last_s;
		rc = set_instance(f, counts, row);
		if (!rc)
			rc = f->feed->sink.row(&f->feed->sink, &pipa_counter_section, &tick,
					       f->instance, values);
	}
	return rc;
}

int pipa_dataset_read_counts(struct pipa_dataset *d, const struct pipa_dataset_file *file,
			     struct pipa_series_feed *feed, uint64_t base_ns)
{
	struct count_feed f = { .feed = feed, .base_ns = base_ns };
	struct pipa_stat_csv_result result = { 0 };
	size_t rows = 0, damaged = 0, first_line = 0, lines = 0;
	PIPA_AUTO(pipa_text_window_done) struct pipa_text_window r = { .member.fd = -1 };
	int rc = pipa_member_reader_open(&r.member, file->archive, file->member);

	while (!rc && !r.last) {
		PIPA_AUTO(pipa_counts_done) struct pipa_counts counts = { 0 };
		struct pipa_stat_csv_result part = { .wants_slots = true };
		const char *end, *pos;

		rc = pipa_text_window_fill(&r);
		if (rc < 0)
			break;
		end = memrchr(r.text, '\n', r.len);
		r.used = r.last || !end ? (r.last ? r.len : 0) : (size_t)(end + 1 - r.text);
		rc = pipa_stat_csv_decode(r.text, r.used,
					  result.separator[0] ? result.separator : NULL, &counts,
					  &part);
		if (!rc)
			rc = feed_counts(&f, &counts);
		if (part.separator[0])
			memcpy(result.separator, part.separator, sizeof(part.separator));
		if (part.damaged && !damaged)
			first_line = lines + part.first_line;
		damaged += part.damaged;
		rows += counts.n;
		for (pos = r.text; (pos = memchr(pos, '\n', r.used - (size_t)(pos - r.text)));
		     pos++)
			lines++;
	}
	free(f.instance);
	rc = note_failure(d, file->name, rc);
	if (!rc && damaged)
		rc = pipa_dataset_note(d, file->name, PIPA_DATASET_DAMAGED,
				       "%zu malformed line%s skipped, first in line %zu", damaged,
				       pipa_str_plural(damaged), first_line);
	if (!rc && !rows)
		rc = pipa_dataset_note(d, file->name, PIPA_DATASET_EMPTY, "no counters");
	return rc;
}

/* Read the reports of pipa stat --json; with -I each interval is one. */
int pipa_dataset_read_counts_json(struct pipa_dataset *d, const struct pipa_dataset_file *file,
				  struct pipa_series_feed *feed, uint64_t base_ns)
{
	struct count_feed f = { .feed = feed, .base_ns = base_ns };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	size_t at = 0, used = 0;
	int rc = read_whole(file, MAX_TEXT, &text);

	if (rc == -EFBIG)
		return note_too_large(d, file->name);
	while (!rc && at < text.len) {
		PIPA_AUTO(pipa_counts_done) struct pipa_counts counts = { 0 };
		struct pipa_error own = { 0 };

		rc = pipa_stat_json_counts(text.data + at, text.len - at, &counts, &used, &own);
		if (!rc)
			rc = feed_counts(&f, &counts);
		at += rc ? 0 : used;
		while (at < text.len && strchr(" \t\r\n", text.data[at]))
			at++;
	}
	free(f.instance);
	if (rc == -EBADMSG)
		return pipa_dataset_note(d, file->name, PIPA_DATASET_DAMAGED,
					 "%zu malformed byte%s at the end skipped", text.len - at,
					 pipa_str_plural(text.len - at));
	return note_failure(d, file->name, rc);
}

/* ---- description of the machine ------------------------------------------------------------- */

int pipa_dataset_read_facts(struct pipa_dataset *d, const struct pipa_dataset_file *file)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error own = { 0 };
	int rc = read_whole(file, MAX_FACTS, &text);

	if (rc < 0)
		return note_failure(d, file->name, rc);
	rc = pipa_facts_yaml_decode(pipa_buf_str(&text), text.len, &d->facts, &own);
	if (rc == -ENOMEM)
		return rc;
	d->has_facts = d->facts.top.first;
	return rc < 0 ? pipa_dataset_note(d, file->name, PIPA_DATASET_DAMAGED, "%s", own.what) : 0;
}
