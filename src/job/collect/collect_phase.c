#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/outfile.h"
#include "export/table/stat.h"
#include "job/collect/collect_own.h"
#include "job/record_summary.h"
#include "kernel/event/host.h"
#include "measure/count/count_plan.h"
#include "measure/count/counting.h"
#include "measure/follow.h"
#include "measure/sample/record_job.h"
#include "measure/watch.h"
#include "model/sections.h"
#include "store/csv_record.h"

/*
 * Everything that runs during one phase; the follow has no command. A phase is over when the time is and
 * every part has its whole intervals: a timer that comes late on a busy machine cuts none.
 */
struct phase {
	struct pipa_collect_job *c;
	struct pipa_follow follow;
	unsigned waits; /* parts that have not said yet that they are done */

	bool counts;
	struct pipa_count_options stat_options;
	struct pipa_counting counting;
	struct pipa_outfile *stat_file;
	struct pipa_buf text;
	uint64_t rows; /* that are still to come, 0: until the end */
	uint64_t late; /* so far */

	struct pipa_csv_recorder *recorder;
	struct pipa_watch *watch;
	uint64_t ticks; /* of statistics, the same */

	bool samples;
	struct pipa_record_options record_options;
	struct pipa_record_job recording;
	struct pipa_record_outcome recorded;
	struct pipa_event_arg clock;
	char *record_path;
};

static void part_done(struct phase *p)
{
	if (--p->waits == 0)
		pipa_follow_stop(&p->follow);
}

/* What came late is in the interval that followed: it counts as having come. */
static bool was_last(uint64_t *left, uint64_t late)
{
	bool last = *left > 0 && *left <= 1 + late;

	*left -= *left > 1 + late ? 1 + late : *left;
	return last;
}

/* ---- counting ----------------------------------------------------------------------------------- */

static int write_interval(void *ctx, struct pipa_stat *stat)
{
	struct phase *p = ctx;
	const struct pipa_stat_format look = { .form = PIPA_STAT_CSV, .separator = "," };
	uint64_t late = stat->late - p->late;
	int rc;

	p->late = stat->late;
	pipa_buf_reset(&p->text);
	pipa_stat_export(stat, &look, &p->text);
	if (p->text.status)
		return pipa_fail(p->c->err, p->text.status, "write counters");
	rc = pipa_outfile_put(p->stat_file, pipa_buf_str(&p->text), p->text.len, p->c->err);
	if (!rc && was_last(&p->rows, late)) {
		p->counting.done_reporting = true;
		part_done(p);
	}
	return rc;
}

static int open_stat_file(struct phase *p)
{
	PIPA_AUTO(free) char *path = pipa_collect_path(p->c->session, "perf_stat.txt");

	return path ? pipa_outfile_open(path, PIPA_OUTFILE_STREAM, &p->stat_file, p->c->err) :
		      pipa_fail(p->c->err, -ENOMEM, "count");
}

/* Without one event that can be counted the statistics go on alone. */
static int open_counting(struct phase *p)
{
	struct pipa_collect_job *c = p->c;
	int rc;

	if (!c->events.text) {
		pipa_collect_log(c, PIPA_LOG_WARN,
				 "no event can be counted here: there will be no perf_stat.txt");
		return 0;
	}
	p->stat_options = (struct pipa_count_options){
		.target.system_wide = true,
		.events = &c->events,
		.n_events = 1,
		.interval_ns = c->o->stat_interval_ns,
	};
	p->counting = (struct pipa_counting){
		.o = &p->stat_options,
		.perf = c->host->perf,
		.root = c->host->root,
		.follow = &p->follow,
		.err = c->err,
		.report = write_interval,
		.ctx = p,
	};
	rc = pipa_counting_plan(&p->counting);
	if (rc < 0)
		return rc;
	rc = pipa_counting_open(&p->counting);
	if (rc == -EACCES || rc == -EPERM) { /* was told at the start */
		pipa_collect_log(c, PIPA_LOG_WARN, "there will be no perf_stat.txt: %s",
				 c->err->what);
		return 0;
	}
	p->counts = rc == 0;
	return rc ? rc : open_stat_file(p);
}

static int on_ticked(void *ctx, const struct pipa_tick *tick)
{
	struct phase *p = ctx;

	if (was_last(&p->ticks, tick->late)) {
		pipa_watch_stop(p->watch);
		part_done(p);
	}
	return 0;
}

static int open_statistics(struct phase *p)
{
	const struct pipa_collect_options *o = p->c->o;
	const struct pipa_section *sections[PIPA_SECTION_NR];
	struct pipa_watch_options options = { .host = p->c->host,
					      .sections = sections,
					      .interval_ns = o->sar_interval_ns,
					      .ticked = on_ticked,
					      .ctx = p };
	size_t i;
	const struct pipa_csv_recorder_options record = { .dir = p->c->session,
							  .host = p->c->hostname,
							  .as_sadf = true,
							  .fractions = o->sar_interval_ns <
								       PIPA_NS_PER_SEC };
	int rc = pipa_csv_recorder_open(&record, &p->recorder, p->c->err);

	if (rc < 0)
		return rc;
	for (i = 0; i < PIPA_SECTION_NR; i++)
		if (pipa_csv_recorder_file(&pipa_sections[i]))
			sections[options.n_sections++] = &pipa_sections[i];
	options.sink = pipa_csv_recorder_sink(p->recorder);
	return pipa_watch_open(p->follow.loop, &options, &p->watch, p->c->err);
}

/* ---- sampling ----------------------------------------------------------------------------------- */

static void log_line(void *ctx, enum pipa_log_level level PIPA_UNUSED, const char *text)
{
	struct phase *p = ctx;

	pipa_collect_log(p->c, PIPA_LOG_WARN, "%s", text);
}

static int open_sampling(struct phase *p)
{
	struct pipa_collect_job *c = p->c;
	struct pipa_error why = { 0 };
	int rc;

	p->record_path = pipa_collect_path(c->session, "perf.data");
	if (!p->record_path)
		return pipa_fail(c->err, -ENOMEM, "sample");
	p->clock = (struct pipa_event_arg){ .text = "cpu-clock" };
	p->record_options = (struct pipa_record_options){
		.target = { .system_wide = true, .verb = "record" },
		.events = &p->clock,
		.n_events = 1,
		.hz = c->o->hz,
		.calls = PIPA_CALLS_DWARF,
		.keep_stacks = c->o->keep_stacks,
		.output = p->record_path,
		.inside = true,
		.keep_bytes = PIPA_KEEP_BYTES,
		.progress_fd = -1,
		.version = c->o->version,
		.log = { log_line, p },
	};
	p->recording = (struct pipa_record_job){ .o = &p->record_options,
						 .err = &why,
						 .perf = c->host->perf,
						 .root = c->host->root,
						 .follow = &p->follow };
	rc = pipa_record_plan_make(&p->record_options, c->host->perf, c->host->root,
				   &p->recording.plan, &why);
	if (!rc)
		rc = pipa_record_open(&p->recording);
	p->recording.err = c->err;
	p->samples = rc == 0;
	if (rc == -EACCES || rc == -EPERM) { /* was told at the start */
		pipa_collect_log(c, PIPA_LOG_WARN, "there will be no perf.data: %s%s%s", why.what,
				 why.hint[0] ? "; " : "", why.hint);
		return 0;
	}
	if (rc && c->err)
		*c->err = why;
	return rc;
}

/* ---- a phase ------------------------------------------------------------------------------------ */

static uint64_t duration(const struct pipa_collect_options *o, bool count, bool sample)
{
	uint64_t stat_ns = count ? o->stat_ns : 0, record_ns = sample ? o->record_ns : 0;

	return stat_ns > record_ns ? stat_ns : record_ns;
}

static int on_time_over(void *ctx, uint64_t expirations PIPA_UNUSED)
{
	part_done(ctx);
	return 0;
}

/* How many intervals of each kind there will be, before the first can come. */
static void expect(struct phase *p, uint64_t duration_ns)
{
	const struct pipa_collect_options *o = p->c->o;

	p->waits = 1; /* the time itself */
	if (p->counts && duration_ns % o->stat_interval_ns == 0)
		p->rows = duration_ns / o->stat_interval_ns;
	if (p->watch)
		p->ticks = duration_ns / o->sar_interval_ns;
	p->waits += (p->rows > 0) + (p->ticks > 0);
}

static int begin(struct phase *p, uint64_t duration_ns)
{
	int rc = 0;

	expect(p, duration_ns);
	if (p->counts)
		rc = pipa_counting_begin(&p->counting);
	if (!rc && p->samples)
		rc = pipa_record_begin(&p->recording);
	if (!rc)
		rc = pipa_loop_timer(p->follow.loop, pipa_clock_ns() + duration_ns, 0, on_time_over,
				     p, p->c->err);
	return rc;
}

static int finish(struct phase *p)
{
	int rc = 0, sampled = 0;

	/* a part of an interval: interrupted, or the whole time was shorter than one */
	if (p->watch && (p->follow.stopped || !pipa_watch_count(p->watch).ticks))
		rc = pipa_watch_end(p->watch);
	if (p->counts && !rc)
		rc = pipa_counting_finish(&p->counting);
	if (p->samples) {
		sampled = pipa_record_finish(&p->recording, &p->recorded);
		pipa_record_summarize(&p->recording);
		pipa_collect_log(p->c, PIPA_LOG_INFO, "%llu samples, %llu lost, %.2f MB",
				 (unsigned long long)p->recorded.samples,
				 (unsigned long long)p->recorded.lost,
				 (double)p->recorded.bytes / 1e6);
	}
	return rc ? rc : sampled;
}

/* What is written by a sink fails without a word to us. */
static int tell(struct phase *p, int rc)
{
	struct pipa_error *err = p->c->err;
	const struct pipa_error *why = p->recorder ? pipa_csv_recorder_error(p->recorder) : NULL;

	if (rc && err && why && why->code)
		*err = *why;
	else if (rc && err && !err->what[0])
		pipa_fail(err, rc, "write statistics");
	return rc;
}

/* The first failure is the one to tell: what follows from it fails too. */
static int run(struct phase *p)
{
	struct pipa_error *err = p->c->err, why;
	int failed = tell(p, pipa_loop_run(p->follow.loop, err));

	if (!failed)
		return tell(p, finish(p));
	why = err ? *err : (struct pipa_error){ 0 };
	finish(p); /* what is there is kept */
	if (err)
		*err = why;
	return failed;
}

static void close_phase(struct phase *p)
{
	pipa_watch_close(p->watch);
	if (p->counting.o)
		pipa_counting_done(&p->counting);
	if (p->recording.o)
		pipa_record_done(&p->recording);
	pipa_follow_end(&p->follow);
	pipa_csv_recorder_close(p->recorder);
	pipa_outfile_free(p->stat_file);
	pipa_buf_done(&p->text);
	free(p->record_path);
}

int pipa_collect_phase(struct pipa_collect_job *c, bool count, bool sample)
{
	struct phase p = { .c = c,
			   .follow = { .limited = true,
				       .root = c->host->root,
				       .err = c->err,
				       .child = { .go = -1, .failed = -1 } } };
	int rc = pipa_follow_begin(&p.follow);

	if (!rc && count)
		rc = open_counting(&p);
	if (!rc && count)
		rc = open_statistics(&p);
	if (!rc && sample)
		rc = open_sampling(&p);
	if (!rc && (count || p.samples)) {
		rc = begin(&p, duration(c->o, count, p.samples));
		if (!rc)
			rc = run(&p);
		c->interrupted |= p.follow.stopped;
	}
	close_phase(&p);
	return rc;
}
