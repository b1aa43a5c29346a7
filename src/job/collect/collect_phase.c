/* Run one phase of a collection until its time is over or a signal ends it. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file/outfile.h"
#include "export/table/stat.h"
#include "job/collect/collect_own.h"
#include "job/record_summary.h"
#include "kernel/event/host.h"
#include "measure/count/count_plan.h"
#include "measure/count/counting.h"
#include "measure/follow.h"
#include "measure/instrument.h"
#include "measure/sample/record_job.h"
#include "measure/session.h"
#include "measure/watch.h"
#include "model/sections.h"
#include "store/csv_record.h"

/* Ten years: a time limit that a signal always precedes. */
#define UNTIL_STOPPED_NS (PIPA_NS_PER_SEC * 3600 * 24 * 365 * 10)

/*
 * A session without a command. It ends when the time is over and each instrument has all its
 * intervals: a late timer on a busy machine loses none.
 */
struct phase {
	struct pipa_collect_job *c;
	struct pipa_follow follow;
	struct pipa_session session;
	struct pipa_instrument *instruments[4];

	struct pipa_instrument counts, stat_file_instrument;
	struct pipa_count_options stat_options;
	struct pipa_counting counting;
	struct pipa_outfile *stat_file;
	struct pipa_buf text;
	uint64_t rows; /* remaining intervals of counters, 0: until the end */
	uint64_t late; /* so far */

	struct pipa_instrument statistics_instrument;
	struct pipa_statistics statistics;
	struct pipa_csv_recorder *recorder;
	const struct pipa_section *sections[PIPA_SECTION_NR];
	uint64_t ticks; /* remaining intervals of statistics, 0: until the end */

	struct pipa_instrument samples;
	struct pipa_record_options record_options;
	struct pipa_record_job recording;
	struct pipa_event_arg sampled;
	char *record_path;
};

static void add_instrument(struct phase *p, struct pipa_instrument *instrument,
			   const struct pipa_instrument_ops *ops, void *ctx,
			   enum pipa_instrument_need need)
{
	*instrument = (struct pipa_instrument){ .ops = ops, .ctx = ctx, .need = need };
	p->instruments[p->session.n++] = instrument;
}

/* Count down an interval. A late interval includes the missed ones, which count as done. */
static bool was_last(uint64_t *left, uint64_t late)
{
	bool last = *left > 0 && *left <= 1 + late;

	*left -= *left > 1 + late ? 1 + late : *left;
	return last;
}

/* ---- counting ----------------------------------------------------------------------------------- */

static int write_interval(void *ctx, struct pipa_stat *stat, struct pipa_error *err)
{
	struct phase *p = ctx;
	const struct pipa_stat_format format = { .form = PIPA_STAT_CSV, .separator = "," };
	uint64_t late = stat->late - p->late;
	int rc;

	p->late = stat->late;
	pipa_stat_export(stat, &format, &p->text);
	rc = pipa_outfile_put_buf(p->stat_file, &p->text, "write counters", err);
	if (!rc && was_last(&p->rows, late)) {
		pipa_counting_stop_reporting(&p->counting);
		pipa_session_instrument_done(&p->session, &p->counts);
	}
	return rc;
}

/* Make the file after the counters are open: without permission there is no file. */
static int begin_stat_file(void *ctx, struct pipa_error *err)
{
	struct phase *p = ctx;
	PIPA_AUTO(free) char *path = NULL;

	if (!p->counts.on)
		return 0;
	path = pipa_collect_path(p->c->session, "perf_stat.txt");
	return path ? pipa_outfile_open(path, PIPA_OUTFILE_STREAM, &p->stat_file, err) :
		      pipa_fail(err, -ENOMEM, "count");
}

static void close_stat_file(void *ctx)
{
	struct phase *p = ctx;

	pipa_outfile_free(p->stat_file);
	pipa_buf_done(&p->text);
}

static const struct pipa_instrument_ops stat_file_instrument = {
	.begin = begin_stat_file,
	.close = close_stat_file,
};

/* Add the counters, if any event can be counted. */
static void add_counts(struct phase *p)
{
	struct pipa_collect_job *c = p->c;

	if (!c->events.text) {
		pipa_collect_log(c, PIPA_LOG_WARN,
				 "no event can be counted on this machine: no perf_stat.txt");
		return;
	}
	p->stat_options = (struct pipa_count_options){
		.target.system_wide = true,
		.events = &c->events,
		.n_events = 1,
		.interval_ns = c->o->stat_interval_ns,
	};
	p->counting = (struct pipa_counting){
		.o = &p->stat_options,
		.host = c->host,
		.follow = &p->follow,
		.report = write_interval,
		.ctx = p,
	};
	add_instrument(p, &p->counts, &pipa_counting_instrument, &p->counting,
		       PIPA_INSTRUMENT_PERMITTED);
	add_instrument(p, &p->stat_file_instrument, &stat_file_instrument, p,
		       PIPA_INSTRUMENT_REQUIRED);
}

/* ---- statistics --------------------------------------------------------------------------------- */

static int on_ticked(void *ctx, const struct pipa_tick *tick, struct pipa_error *err PIPA_UNUSED)
{
	struct phase *p = ctx;

	if (was_last(&p->ticks, tick->late)) {
		pipa_watch_stop(p->statistics.watch);
		pipa_session_instrument_done(&p->session, &p->statistics_instrument);
	}
	return 0;
}

static int add_statistics(struct phase *p)
{
	const struct pipa_collect_options *o = p->c->o;
	const struct pipa_csv_recorder_options record = { .dir = p->c->session,
							  .host = p->c->hostname,
							  .as_sadf = true,
							  .fractions = o->sar_interval_ns <
								       PIPA_NS_PER_SEC };
	size_t i, n = 0;
	int rc = pipa_csv_recorder_open(&record, &p->recorder, p->c->err);

	if (rc < 0)
		return rc;
	for (i = 0; i < PIPA_SECTION_NR; i++)
		if (pipa_csv_recorder_file(&pipa_sections[i]))
			p->sections[n++] = &pipa_sections[i];
	p->statistics = (struct pipa_statistics){
		.options = { .host = p->c->host,
			     .sections = p->sections,
			     .n_sections = n,
			     .interval_ns = o->sar_interval_ns,
			     .sink = pipa_csv_recorder_sink(p->recorder),
			     .ticked = on_ticked,
			     .ctx = p },
		.follow = &p->follow,
		.whole_ticks = true,
	};
	add_instrument(p, &p->statistics_instrument, &pipa_statistics_instrument, &p->statistics,
		       PIPA_INSTRUMENT_REQUIRED);
	return 0;
}

/* ---- sampling ----------------------------------------------------------------------------------- */

static void log_line(void *ctx, enum pipa_log_level level PIPA_UNUSED, const char *text)
{
	struct phase *p = ctx;

	pipa_collect_log(p->c, PIPA_LOG_WARN, "%s", text);
}

static int plan_recording(struct phase *p, struct pipa_error *err)
{
	if (p->recording.o)
		pipa_record_done(&p->recording);
	*err = (struct pipa_error){ 0 };
	p->recording = (struct pipa_record_job){ .o = &p->record_options,
						 .host = p->c->host,
						 .follow = &p->follow };
	return pipa_record_instrument.plan(&p->recording, err);
}

/* Fall back to cpu-clock if the requested events cannot be sampled on this machine. */
static bool use_clock(struct phase *p, const struct pipa_error *err)
{
	if (!p->c->o->record_events || p->sampled.text != p->c->o->record_events ||
	    err->code == -ENOMEM || err->code == -EACCES || err->code == -EPERM)
		return false;
	pipa_collect_log(p->c, PIPA_LOG_WARN, "%s; sampling cpu-clock", err->what);
	p->sampled.text = "cpu-clock";
	return true;
}

static int plan_samples(void *ctx, struct pipa_error *err)
{
	struct phase *p = ctx;
	int rc = plan_recording(p, err);

	return rc && use_clock(p, err) ? plan_recording(p, err) : rc;
}

static int open_samples(void *ctx, struct pipa_error *err)
{
	struct phase *p = ctx;
	int rc = pipa_record_instrument.open(&p->recording, err);

	if (!rc || !use_clock(p, err))
		return rc;
	rc = plan_recording(p, err);
	return rc ? rc : pipa_record_instrument.open(&p->recording, err);
}

static int begin_samples(void *ctx, struct pipa_error *err)
{
	return pipa_record_instrument.begin(&((struct phase *)ctx)->recording, err);
}

static void pause_samples(void *ctx)
{
	pipa_record_pause(&((struct phase *)ctx)->recording);
}

static int finish_samples(void *ctx, struct pipa_error *err)
{
	return pipa_record_instrument.finish(&((struct phase *)ctx)->recording, err);
}

static void close_samples(void *ctx)
{
	struct phase *p = ctx;

	if (p->recording.o)
		pipa_record_done(&p->recording);
}

static const struct pipa_instrument_ops sample_instrument = {
	.plan = plan_samples,
	.open = open_samples,
	.begin = begin_samples,
	.pause = pause_samples,
	.finish = finish_samples,
	.close = close_samples,
};

static int add_samples(struct phase *p)
{
	struct pipa_collect_job *c = p->c;

	p->record_path = pipa_collect_path(c->session, "perf.data");
	if (!p->record_path)
		return pipa_fail(c->err, -ENOMEM, "sample");
	p->sampled.text = c->o->record_events ? c->o->record_events : "cpu-clock";
	p->record_options = (struct pipa_record_options){
		.target = { .system_wide = true, .verb = "record" },
		.events = &p->sampled,
		.n_events = 1,
		.hz = c->o->hz,
		.calls = PIPA_CALLS_DWARF,
		.keep_stacks = c->o->keep_stacks,
		.output = p->record_path,
		.inside = true,
		.keep_bytes = PIPA_KEEP_BYTES,
		.version = c->o->version,
		.log = { .write = log_line, .ctx = p },
	};
	add_instrument(p, &p->samples, &sample_instrument, p, PIPA_INSTRUMENT_PERMITTED);
	return 0;
}

/* ---- a phase ------------------------------------------------------------------------------------ */

static uint64_t phase_duration(const struct pipa_collect_options *o, bool count, bool sample)
{
	uint64_t stat_ns = count ? o->stat_ns : 0, record_ns = sample ? o->record_ns : 0;

	if (o->until_stopped)
		return UNTIL_STOPPED_NS;
	return stat_ns > record_ns ? stat_ns : record_ns;
}

/* Set the number of intervals of each kind, before the first one. */
static void expect_intervals(struct phase *p)
{
	const struct pipa_collect_options *o = p->c->o;
	uint64_t duration_ns = p->session.duration_ns;

	if (p->counts.on && duration_ns % o->stat_interval_ns == 0)
		p->rows = duration_ns / o->stat_interval_ns;
	if (p->statistics.watch)
		p->ticks = duration_ns / o->sar_interval_ns;
	p->counts.bounded = p->rows > 0;
	p->statistics_instrument.bounded = p->ticks > 0;
}

/* Log an instrument that is not permitted; the user was warned at the start. */
static void log_left_out(void *ctx, const struct pipa_instrument *instrument)
{
	struct phase *p = ctx;
	const struct pipa_error *err = &instrument->err;
	char line[PIPA_ERROR_LINE_MAX];

	if (instrument == &p->samples)
		pipa_collect_log(p->c, PIPA_LOG_WARN, "no perf.data: %s",
				 pipa_error_line(err, line));
	else
		pipa_collect_log(p->c, PIPA_LOG_WARN, "no perf_stat.txt: %s", err->what);
}

static void log_samples(struct phase *p)
{
	pipa_record_summarize(&p->recording);
	pipa_collect_log(p->c, PIPA_LOG_INFO, "%llu samples, %llu lost, %.2f MB",
			 (unsigned long long)p->recording.outcome.samples,
			 (unsigned long long)p->recording.outcome.lost,
			 (double)p->recording.outcome.bytes / 1e6);
}

/* Describe the failure of a sink, which returns only a code to the loop. */
static int describe_failure(struct phase *p, int rc)
{
	struct pipa_error *err = p->c->err;
	const struct pipa_error *why = p->recorder ? pipa_csv_recorder_error(p->recorder) : NULL;

	if (rc && err && !err->what[0]) {
		if (why && why->code)
			*err = *why;
		else
			pipa_fail(err, rc, "write statistics");
	}
	return rc;
}

static int run_session(struct phase *p, bool count)
{
	bool sampled = p->samples.on;
	int rc;

	p->session.duration_ns = phase_duration(p->c->o, count, sampled);
	expect_intervals(p);
	rc = pipa_session_begin(&p->session, p->c->err);
	if (rc)
		return rc;
	rc = describe_failure(p, pipa_session_wait(&p->session, p->c->err));
	if (sampled)
		log_samples(p);
	return rc;
}

static void close_phase(struct phase *p)
{
	pipa_session_close(&p->session);
	pipa_csv_recorder_close(p->recorder);
	free(p->record_path);
}

int pipa_collect_phase(struct pipa_collect_job *c, bool count, bool sample)
{
	struct phase p = {
		.c = c,
		.follow = { .limited = true, .host = c->host, .child = { .go = -1, .failed = -1 } }
	};
	int rc = 0;

	p.session = (struct pipa_session){ .follow = &p.follow,
					   .instruments = p.instruments,
					   .left_out = log_left_out,
					   .ctx = &p };
	if (count)
		add_counts(&p);
	if (count)
		rc = add_statistics(&p);
	if (!rc && sample)
		rc = add_samples(&p);
	if (!rc)
		rc = pipa_session_open(&p.session, c->err);
	if (!rc && (count || p.samples.on))
		rc = run_session(&p, count);
	c->interrupted |= p.follow.stopped;
	close_phase(&p);
	return rc;
}
