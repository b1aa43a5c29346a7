#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/outfile.h"
#include "job/collect_own.h"
#include "job/counting.h"
#include "job/follow.h"
#include "job/monitor.h"
#include "job/monitor_record.h"
#include "job/record_job.h"
#include "job/stat.h"
#include "job/watch.h"

/* Everything that runs during one phase; the follow has no command and ends by time or signal. */
struct phase {
	struct pipa_collect_job *c;
	struct pipa_follow follow;

	bool counts;
	struct pipa_stat_options stat_options;
	struct pipa_counting counting;
	struct pipa_outfile *stat_file;
	struct pipa_buf text;

	struct pipa_recorder *recorder;
	struct pipa_watch *watch;

	bool samples;
	struct pipa_record_options record_options;
	struct pipa_record_job recording;
	struct pipa_record_outcome recorded;
	struct pipa_event_arg clock;
	char *record_path;
};

/* ---- counting ----------------------------------------------------------------------------------- */

static int write_interval(void *ctx, struct pipa_stat *stat)
{
	struct phase *p = ctx;
	const struct pipa_stat_look look = { .form = PIPA_STAT_CSV, .separator = "," };

	pipa_buf_reset(&p->text);
	pipa_stat_export(stat, &look, &p->text);
	if (p->text.status)
		return pipa_fail(p->c->err, p->text.status, "write counters");
	return pipa_outfile_put(p->stat_file, pipa_buf_str(&p->text), p->text.len, p->c->err);
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
		pipa_collect_log(c, PIPA_COLLECT_WARN,
				 "no event can be counted here: there will be no perf_stat.txt");
		return 0;
	}
	p->stat_options = (struct pipa_stat_options){
		.system_wide = true,
		.events = &c->events,
		.n_events = 1,
		.interval_ns = c->o->stat_interval_ns,
	};
	p->counting = (struct pipa_counting){
		.o = &p->stat_options,
		.perf = c->perf,
		.root = c->root,
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
		pipa_collect_log(c, PIPA_COLLECT_WARN, "there will be no perf_stat.txt: %s",
				 c->err->what);
		return 0;
	}
	p->counts = rc == 0;
	return rc ? rc : open_stat_file(p);
}

static int open_statistics(struct phase *p)
{
	const struct pipa_collect_options *o = p->c->o;
	const struct pipa_section *sections[16], *section;
	struct pipa_watch_options options = { .root = p->c->root,
					      .sections = sections,
					      .interval_ns = o->sar_interval_ns };
	size_t i;
	const struct pipa_recorder_options record = { .dir = p->c->session,
						      .host = p->c->host,
						      .fractions = o->sar_interval_ns <
								   PIPA_NS_PER_SEC };
	int rc = pipa_recorder_open(&record, &p->recorder, p->c->err);

	if (rc < 0)
		return rc;
	for (i = 0;
	     (section = pipa_monitor_section(i)) && options.n_sections < PIPA_COUNT(sections); i++)
		if (pipa_recorder_file(section->name))
			sections[options.n_sections++] = section;
	options.sink = pipa_recorder_sink(p->recorder);
	return pipa_watch_open(p->follow.loop, &options, &p->watch, p->c->err);
}

/* ---- sampling ----------------------------------------------------------------------------------- */

static void log_line(void *ctx, const char *line)
{
	struct phase *p = ctx;

	pipa_collect_log(p->c, PIPA_COLLECT_WARN, "%s", line);
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
		.whom = { .system_wide = true, .verb = "record" },
		.events = &p->clock,
		.n_events = 1,
		.hz = c->o->hz,
		.calls = PIPA_CALLS_DWARF,
		.keep_stacks = c->o->keep_stacks,
		.output = p->record_path,
		.progress_fd = -1,
		.version = c->o->version,
		.say = log_line,
		.ctx = p,
	};
	p->recording = (struct pipa_record_job){ .o = &p->record_options,
						 .err = &why,
						 .perf = c->perf,
						 .root = c->root,
						 .follow = &p->follow };
	rc = pipa_record_plan_make(&p->record_options, c->perf, c->root, &p->recording.plan, &why);
	if (!rc)
		rc = pipa_record_open(&p->recording);
	p->recording.err = c->err;
	p->samples = rc == 0;
	if (rc < 0)
		pipa_collect_log(c, PIPA_COLLECT_WARN, "no samples can be taken: %s%s%s", why.what,
				 why.hint[0] ? "; " : "", why.hint);
	return rc == -ENOMEM ? pipa_fail(c->err, rc, "sample") : 0;
}

/* ---- a phase ------------------------------------------------------------------------------------ */

static uint64_t duration(const struct pipa_collect_options *o, bool count, bool sample)
{
	uint64_t stat_ns = count ? o->stat_ns : 0, record_ns = sample ? o->record_ns : 0;

	return stat_ns > record_ns ? stat_ns : record_ns;
}

static int begin(struct phase *p, uint64_t duration_ns)
{
	int rc = 0;

	if (p->counts)
		rc = pipa_counting_begin(&p->counting);
	if (!rc && p->samples)
		rc = pipa_record_begin(&p->recording);
	/* a little longer, so that the last whole interval is not cut */
	if (!rc)
		rc = pipa_follow_limit(&p->follow, pipa_clock_ns() + duration_ns + PIPA_NS_PER_MS);
	return rc;
}

static int finish(struct phase *p)
{
	int rc = 0, sampled = 0;

	if (p->watch && p->follow.stopped)
		rc = pipa_watch_end(p->watch);
	if (p->counts && !rc)
		rc = pipa_counting_finish(&p->counting);
	if (p->samples) {
		sampled = pipa_record_finish(&p->recording, &p->recorded);
		pipa_collect_log(p->c, PIPA_COLLECT_INFO, "%llu samples, %llu lost, %.2f MB",
				 (unsigned long long)p->recorded.samples,
				 (unsigned long long)p->recorded.lost,
				 (double)p->recorded.bytes / 1e6);
	}
	return rc ? rc : sampled;
}

static void close_phase(struct phase *p)
{
	pipa_watch_close(p->watch);
	if (p->counting.o)
		pipa_counting_done(&p->counting);
	if (p->recording.o)
		pipa_record_done(&p->recording);
	pipa_follow_end(&p->follow);
	pipa_recorder_close(p->recorder);
	pipa_outfile_free(p->stat_file);
	pipa_buf_done(&p->text);
	free(p->record_path);
}

int pipa_collect_phase(struct pipa_collect_job *c, bool count, bool sample)
{
	struct phase p = { .c = c,
			   .follow = { .limited = true,
				       .root = c->root,
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
		if (!rc) {
			int failed = pipa_loop_run(p.follow.loop, c->err);

			rc = finish(&p);
			rc = failed ? failed : rc;
		}
		c->interrupted |= p.follow.stopped;
	}
	close_phase(&p);
	return rc;
}
