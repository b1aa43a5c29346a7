#include "job/monitor_replay.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyze/series/means.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/str.h"
#include "base/time/zone.h"
#include "export/table/series.h"
#include "import/sadf_csv.h"
#include "import/sar_text.h"
#include "job/monitor.h"
#include "job/monitor_filters.h"
#include "store/history_days.h"
#include "store/history_replay.h"
#include "store/replay.h"
#include "store/series_filter.h"

/* Sink after the filter: passes rows to the writer and to the averages. */
struct tee {
	struct pipa_series_sink sink;
	struct pipa_series_sink *next;
	struct pipa_means *means;
	struct pipa_series_writer *writer;
	const struct pipa_monitor_options *o;
	size_t rows, intervals;
	char host[HOST_NAME_MAX + 1];
	pipa_monitor_flush_fn flush;
	void *ctx;
	struct pipa_error *err; /* of the replay, because a sink has no error */
};

static int tee_row(struct pipa_series_sink *self, const struct pipa_section *section,
		   const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct tee *tee = (struct tee *)(void *)self;
	int rc;

	if (!pipa_series_selects(&tee->o->select, section))
		return 0;
	tee->rows++;
	rc = pipa_means_add(tee->means, section, tick, instance, values);
	return rc ? rc : tee->next->row(tee->next, section, tick, instance, values);
}

static int tee_end(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	struct tee *tee = (struct tee *)(void *)self;
	int rc = tee->next->end ? tee->next->end(tee->next, tick) : 0;

	tee->intervals++;
	return rc ? rc : tee->flush(tee->ctx, tee->err);
}

static void note_skipped(const struct pipa_monitor_options *o, const char *path,
			 const struct pipa_sadf_result *result)
{
	if (result->skipped)
		pipa_log_note(&o->log, "%s: %zu malformed line%s skipped", path, result->skipped,
			      pipa_str_plural(result->skipped));
	if (result->unknown)
		pipa_log_note(&o->log, "%s: unknown table '%s' skipped", path,
			      result->unknown_name);
}

/* Decode sar's text. Averages are computed from the selected rows. */
static int decode_sar(const struct pipa_monitor_options *o, const char *bytes, size_t len,
		      struct pipa_series_sink *sink, struct pipa_sadf_result *ret)
{
	struct pipa_sar_result result = { 0 };
	int rc = pipa_sar_decode(bytes, len, o->format.zone, sink, NULL, &result);

	ret->skipped = result.skipped + result.mended;
	ret->unknown = result.unknown;
	memcpy(ret->unknown_name, result.unknown_name, sizeof(ret->unknown_name));
	return rc;
}

static int replay_part(const struct pipa_monitor_options *o, const struct pipa_replay_part *part,
		       struct pipa_series_sink *sink, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	struct pipa_sadf_result result = { 0 };
	bool is_sar = part->kind == PIPA_PART_SAR;
	int rc = is_sar && !part->bytes ? pipa_file_read(part->name, &text, err) : 0;

	if (!is_sar)
		rc = pipa_replay_csv(part, o->format.zone, sink, &result, err);
	else if (!rc)
		rc = decode_sar(o, part->bytes ? part->bytes : pipa_buf_str(&text),
				part->bytes ? part->len : text.len, sink, &result);
	if (rc < 0 && err && !err->code)
		pipa_fail(err, rc, "replay %s", part->name);
	note_skipped(o, part->name, &result);
	return rc;
}

/* Is it a history that has only a header, because its first interval has not ended? */
static bool is_just_begun(const struct pipa_monitor_options *o, const struct tee *tee,
			  const struct pipa_replay *recording)
{
	return recording->n == 1 && recording->items[0].kind == PIPA_PART_HISTORY && tee->host[0] &&
	       !tee->rows && !tee->intervals && o->select.from_s < 0 && o->select.until_s < 0;
}

/* Pass the rows of all parts to a sink. The writer can be NULL. */
static int pass_rows(const struct pipa_monitor_options *o, const struct pipa_replay *recording,
		     struct pipa_series_sink *sink, struct pipa_series_writer *writer,
		     char host[static HOST_NAME_MAX + 1], struct pipa_error *err)
{
	size_t i;
	int rc = pipa_history_replay(recording,
				     &(struct pipa_history_replay_options){
					     .select = &o->select,
					     .by_tick = o->format.form == PIPA_SERIES_JSON,
					     .log = o->log },
				     sink, writer, host, err);

	for (i = 0; !rc && i < recording->n; i++)
		if (recording->items[i].kind != PIPA_PART_HISTORY)
			rc = replay_part(o, &recording->items[i], sink, err);
	return rc;
}

/* ---- replays without a row -------------------------------------------------------------------- */

/* First and last time of rows. */
struct span {
	uint64_t first_ns, last_ns;
	bool any;
};

/* Sink of all rows of the selected sections, to find the filter that left none. */
struct search {
	struct pipa_series_sink sink;
	const struct pipa_series_filter *filter; /* of the replay */
	struct pipa_series_filter of_day;	 /* with its day only */
	struct pipa_series_sink *unmatched;
	struct span all, day, range; /* rows of the recording, of the day, and of the time range */
};

static void extend_span(struct span *span, uint64_t wall_ns)
{
	if (!span->any || wall_ns < span->first_ns)
		span->first_ns = wall_ns;
	if (!span->any || wall_ns > span->last_ns)
		span->last_ns = wall_ns;
	span->any = true;
}

static int search_row(struct pipa_series_sink *self, const struct pipa_section *section,
		      const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct search *search = (struct search *)(void *)self;

	if (!pipa_series_selects(search->filter->select, section))
		return 0;
	extend_span(&search->all, tick->wall_ns);
	if (!pipa_series_filter_in_range(&search->of_day, tick))
		return 0;
	extend_span(&search->day, tick->wall_ns);
	if (!pipa_series_filter_in_range(search->filter, tick))
		return 0;
	extend_span(&search->range, tick->wall_ns);
	return search->unmatched->row(search->unmatched, section, tick, instance, values);
}

static void format_time(const struct pipa_zone *zone, uint64_t wall_ns, char text[static 32])
{
	time_t local = (time_t)(wall_ns / PIPA_NS_PER_SEC);
	struct tm tm;

	local += pipa_zone_offset(zone, local);
	gmtime_r(&local, &tm);
	strftime(text, 32, "%Y-%m-%d %H:%M:%S", &tm);
}

static const char *format_clock(int seconds, char text[static 32])
{
	snprintf(text, 32, "%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
	return text;
}

/* Refuse the time range, with the one of the recording. */
static int no_such_time(const struct pipa_monitor_options *o, const struct span *span,
			struct pipa_error *err)
{
	const struct pipa_series_select *select = &o->select;
	char from[32], to[32];

	format_clock(select->from_s, from);
	format_clock(select->until_s, to);
	if (select->until_s < 0)
		pipa_refuse(err, -ENODATA, "%s holds no data after %s", o->replay, from);
	else if (select->from_s < 0)
		pipa_refuse(err, -ENODATA, "%s holds no data before %s", o->replay, to);
	else
		pipa_refuse(err, -ENODATA, "%s holds no data from %s to %s", o->replay, from, to);
	format_time(select->zone, span->first_ns, from);
	format_time(select->zone, span->last_ns, to);
	return pipa_hint(err, "the data ranges from %s to %s", from, to);
}

static int no_such_section(const struct pipa_monitor_options *o, struct pipa_error *err)
{
	pipa_refuse(err, -ENODATA, "%s holds none of the selected statistics", o->replay);
	return pipa_hint(
		err, "supported: output of pipa monitor -o, archives, output of sadf -d and sar");
}

/* Read the recording again without time range and names, and refuse the filter that left no row. */
static int explain_nothing(const struct pipa_monitor_options *options,
			   const struct pipa_series_filter *filter,
			   const struct pipa_replay *recording, struct pipa_error *err)
{
	PIPA_AUTO(pipa_monitor_filters_free)
	struct pipa_monitor_filters *unmatched = pipa_monitor_filters_new(
		&(struct pipa_monitor_filters_options){ .filter = filter,
							.recording = options->replay });
	struct pipa_monitor_options o = *options;
	struct search search = { .sink = { .row = search_row }, .filter = filter };
	char host[HOST_NAME_MAX + 1] = "";
	int rc;

	if (!unmatched)
		return pipa_fail(err, -ENOMEM, "replay %s", o.replay);
	search.unmatched = pipa_monitor_filters_sink(unmatched);
	o.log = (struct pipa_log){ 0 };
	o.select.from_s = o.select.until_s = -1;
	search.of_day = (struct pipa_series_filter){ .select = &o.select, .day = filter->day };
	rc = pass_rows(&o, recording, &search.sink, NULL, host, err);
	if (rc < 0)
		return rc;
	if (search.all.any && !search.day.any)
		return pipa_replay_no_such_day(o.replay, filter->day,
					       pipa_history_day_of(search.all.first_ns),
					       pipa_history_day_of(search.all.last_ns), err);
	if (search.day.any && !search.range.any)
		return no_such_time(options, &search.day, err);
	if (search.range.any && pipa_monitor_filters_report(unmatched, &options->log, err))
		return -ENODATA;
	return no_such_section(options, err);
}

static int replay_path(const struct pipa_monitor_options *o, struct tee *tee,
		       struct pipa_series_filter *filter, struct pipa_error *err)
{
	PIPA_AUTO(pipa_replay_close) struct pipa_replay recording = { 0 };
	PIPA_AUTO(pipa_monitor_filters_free)
	struct pipa_monitor_filters *unmatched = pipa_monitor_filters_new(
		&(struct pipa_monitor_filters_options){
			.filter = filter, .next = &filter->sink, .recording = o->replay });
	int rc = unmatched ? 0 : pipa_fail(err, -ENOMEM, "replay %s", o->replay);

	if (!rc)
		rc = pipa_replay_open(
			&(struct pipa_replay_options){ .path = o->replay,
						       .day = o->select.day,
						       .sections = o->select.sections,
						       .n_sections = o->select.n_sections },
			&recording, err);
	if (!rc && recording.cut)
		pipa_log_note(&o->log, "%s is truncated or corrupt", o->replay);
	if (!rc)
		rc = pass_rows(o, &recording, pipa_monitor_filters_sink(unmatched), tee->writer,
			       tee->host, err);
	if (!rc && is_just_begun(o, tee, &recording)) {
		pipa_refuse(err, -ENODATA, "%s has no interval yet", o->replay);
		return pipa_hint(err, "the first one is written when the interval of pipa monitor "
				      "--daemon (default: 60 seconds) has passed");
	}
	if (!rc && !tee->rows)
		return explain_nothing(o, filter, &recording, err);
	if (!rc)
		pipa_monitor_filters_report(unmatched, &o->log, NULL);
	return rc;
}

int pipa_monitor_replay(const struct pipa_monitor_options *o, struct pipa_series_writer *writer,
			pipa_monitor_flush_fn flush, void *ctx, struct pipa_error *err)
{
	struct tee tee = { .sink = { .row = tee_row, .end = tee_end },
			   .next = pipa_series_writer_sink(writer),
			   .means = pipa_means_new(),
			   .writer = writer,
			   .o = o,
			   .flush = flush,
			   .ctx = ctx,
			   .err = err };
	struct pipa_series_filter filter;
	int rc = pipa_series_filter_init(&filter, &o->select, err);

	filter.next = &tee.sink;
	if (!rc && !tee.means)
		rc = pipa_fail(err, -ENOMEM, "replay %s", o->replay);
	if (!rc)
		rc = replay_path(o, &tee, &filter, err);
	if (!rc) {
		pipa_series_writer_average(writer);
		rc = pipa_means_emit(tee.means, pipa_series_writer_sink(writer));
	}
	pipa_means_free(tee.means);
	pipa_series_filter_done(&filter);
	return rc;
}
