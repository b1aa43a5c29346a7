#include "job/monitor.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/loop.h"
#include "base/notify.h"
#include "base/str.h"
#include "base/file/outfile.h"
#include "base/time/local_zone.h"
#include "base/time/zone.h"
#include "collect/meter/limits.h"
#include "job/monitor_filters.h"
#include "job/monitor_replay.h"
#include "kernel/event/host.h"
#include "measure/watch.h"
#include "store/csv_record.h"
#include "store/history_dir.h"
#include "store/series_filter.h"

struct job {
	const struct pipa_host *host;
	const struct pipa_monitor_options *o;
	struct pipa_watch *watch_machine;
	struct pipa_series_filter filter;
	struct pipa_monitor_filters *unmatched; /* of live output */
	bool noted;				/* unmatched filters were noted */
	struct pipa_series_writer *writer;
	struct pipa_csv_recorder *recorder;
	struct pipa_history_dir *history;
	struct pipa_loop *loop;
	struct pipa_outfile *out;
	struct pipa_buf text;
};

bool pipa_monitor_is_limited(const struct pipa_host *host)
{
	return pipa_limits_in_force(host->root);
}

static void job_done(struct job *job)
{
	pipa_watch_close(job->watch_machine);
	pipa_loop_free(job->loop);
	pipa_series_writer_free(job->writer);
	pipa_csv_recorder_close(job->recorder);
	pipa_history_dir_close(job->history);
	pipa_monitor_filters_free(job->unmatched);
	pipa_series_filter_done(&job->filter);
	pipa_outfile_free(job->out);
	pipa_buf_done(&job->text);
}

/* ---- ticks -------------------------------------------------------------------------------------- */

static int flush(struct job *job, struct pipa_error *err)
{
	return pipa_outfile_put_buf(job->out, &job->text, "write the statistics", err);
}

/* Write the buffered text of a long replay before it fills the memory. */
static int flush_some(void *ctx, struct pipa_error *err)
{
	struct job *job = ctx;

	return job->text.len > 1 << 16 ? flush(job, err) : 0;
}

/* Note unmatched filters once: what they select may appear later. */
static void note_unmatched(struct job *job)
{
	if (!job->noted && job->unmatched)
		pipa_monitor_filters_report(job->unmatched, &job->o->log, NULL);
	job->noted = true;
}

static int on_ticked(void *ctx, const struct pipa_tick *tick PIPA_UNUSED, struct pipa_error *err)
{
	struct job *job = ctx;
	int rc = job->writer ? flush(job, err) : 0;

	if (job->o->count != 1)
		note_unmatched(job);
	return rc;
}

static int on_signal(void *ctx, const struct signalfd_siginfo *info,
		     struct pipa_error *err PIPA_UNUSED)
{
	struct job *job = ctx;

	if (job->history && info->ssi_signo == SIGHUP)
		pipa_history_dir_reopen(job->history);
	else
		pipa_loop_stop(job->loop);
	return 0;
}

static int watch_signals(struct job *job, struct pipa_error *err)
{
	sigset_t set;

	if (!job->host->owns_process)
		return 0;
	if (job->history)
		pipa_interrupt_exclude(SIGHUP);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return pipa_loop_signals(job->loop, &set, on_signal, job, err);
}

static int open_history(struct job *job, struct pipa_error *err)
{
	const struct pipa_monitor_options *o = job->o;
	int rc = pipa_history_dir_open(
		&(struct pipa_history_dir_options){ .dir = o->record,
						    .sections = o->select.sections,
						    .n_sections = o->select.n_sections,
						    .interval_ns = o->interval_ns,
						    .keep_days = o->keep_days,
						    .max_size = o->max_size,
						    .host = o->format.host,
						    .root = job->host->root,
						    .log = o->log },
		pipa_clock_wall_ns(), &job->history, err);

	if (!rc)
		job->filter.next = pipa_history_dir_sink(job->history);
	return rc;
}

static int open_output(struct job *job, struct pipa_error *err)
{
	const struct pipa_monitor_options *o = job->o;
	int rc;

	if (o->history)
		return open_history(job, err);
	if (o->record)
		return pipa_csv_recorder_open(
			&(struct pipa_csv_recorder_options){ .dir = o->record,
							     .host = o->format.host,
							     .fractions = o->format.fractions,
							     .as_sadf = o->as_sadf },
			&job->recorder, err);
	rc = pipa_outfile_wrap(o->out_fd, "standard output", &job->out, err);
	if (rc < 0)
		return rc;
	job->writer = pipa_series_writer_new(&o->format, &job->text);
	if (!job->writer)
		return pipa_fail(err, -ENOMEM, "watch the machine");
	job->filter.next = pipa_series_writer_sink(job->writer);
	return 0;
}

/* Note missing sources once, at the start. */
static void note_missing(struct job *job)
{
	char path[PATH_MAX];
	size_t i;

	for (i = 0; !job->o->may_lack && pipa_watch_missing(job->watch_machine, i, path); i++)
		pipa_log_note(&job->o->log, "%s not available; its columns are missing", path);
}

static int average(struct job *job, struct pipa_error *err)
{
	struct pipa_watch_count count = pipa_watch_count(job->watch_machine);
	int rc;

	if (!count.ticks || !job->writer)
		return 0;
	pipa_series_writer_average(job->writer);
	rc = pipa_watch_emit_whole(job->watch_machine, &job->filter.sink);
	if (count.late && job->o->format.form == PIPA_SERIES_TEXT)
		pipa_buf_printf(&job->text,
				"\n# %llu interval%s missed and merged into the next one\n",
				(unsigned long long)count.late, pipa_str_plural(count.late));
	if (count.suspended_s > 0 && job->o->format.form == PIPA_SERIES_TEXT)
		pipa_buf_printf(&job->text,
				"\n# the machine was suspended for %.1f s, not included in rates\n",
				count.suspended_s);
	return rc ? rc : flush(job, err);
}

/* Fail if the filters left nothing in all intervals; note those that matched nothing. */
static int check_shown(struct job *job, struct pipa_error *err)
{
	if (!job->unmatched || !pipa_watch_count(job->watch_machine).ticks)
		return 0;
	if (job->writer && !job->filter.passed) {
		struct pipa_log none = { 0 };

		if (!pipa_monitor_filters_report(job->unmatched, job->noted ? &none : &job->o->log,
						 err))
			return 0;
		return job->noted ? pipa_refuse(err, -ENODATA, "no statistics match the filters") :
				    -ENODATA;
	}
	note_unmatched(job);
	return 0;
}

/*
 * Read the machine at each interval: all sections to a CSV recording, otherwise the selected ones.
 */
static int watch_machine(struct job *job, struct pipa_error *err)
{
	const struct pipa_monitor_options *o = job->o;
	struct pipa_watch_options options = {
		.host = job->host,
		.sections = o->select.sections,
		.n_sections = o->select.n_sections,
		.interval_ns = o->interval_ns,
		.count = o->count,
		.sink = job->recorder ? pipa_csv_recorder_sink(job->recorder) :
					pipa_monitor_filters_sink(job->unmatched),
		.ticked = on_ticked,
		.ctx = job,
	};
	int rc = pipa_loop_new(&job->loop, err);

	if (!rc)
		rc = watch_signals(job, err);
	if (!rc)
		rc = pipa_watch_open(job->loop, &options, &job->watch_machine, err);
	if (rc < 0)
		return rc;
	note_missing(job);
	if (job->history)
		pipa_notify("READY=1");
	rc = pipa_loop_run(job->loop, err);
	if (job->history)
		pipa_notify("STOPPING=1");
	if (rc < 0 && err && job->recorder && pipa_csv_recorder_error(job->recorder)->code)
		*err = *pipa_csv_recorder_error(job->recorder);
	if (!rc)
		rc = check_shown(job, err);
	return rc ? rc : average(job, err);
}

/* Watch with the rows compared with the filters; a CSV recording has all rows. */
static int watch_filtered(struct job *job, struct pipa_error *err)
{
	if (!job->recorder) {
		job->unmatched = pipa_monitor_filters_new(
			&(struct pipa_monitor_filters_options){ .filter = &job->filter,
								.next = &job->filter.sink,
								.root = job->host->root });
		if (!job->unmatched)
			return pipa_fail(err, -ENOMEM, "watch the machine");
	}
	return watch_machine(job, err);
}

/* Load the time zone: from now on for live output, of any time for a replay. */
static int load_zone(struct pipa_monitor_options *o, struct pipa_zone *zone, struct pipa_error *err)
{
	const int64_t day = 86400, year = 365 * day;
	int64_t now = (int64_t)(pipa_clock_wall_ns() / PIPA_NS_PER_SEC);

	o->format.zone = o->select.zone = zone;
	if (o->replay)
		return pipa_local_zone_load(zone, 0, now + year, err);
	return o->format.form == PIPA_SERIES_TEXT && !o->record ?
		       pipa_local_zone_load(zone, now - day, now + 5 * year, err) :
		       0;
}

int pipa_monitor_run(const struct pipa_host *host, const struct pipa_monitor_options *options,
		     struct pipa_error *err)
{
	PIPA_AUTO(pipa_zone_done) struct pipa_zone zone = { 0 };
	struct pipa_monitor_options o = *options;
	struct job job = { .host = host, .o = &o };
	int rc;

	o.select.zone = o.format.zone;
	rc = pipa_series_filter_init(&job.filter, &o.select, err);

	if (!rc && !o.format.zone)
		rc = load_zone(&o, &zone, err);
	if (!rc)
		rc = open_output(&job, err);
	if (!rc && options->replay)
		rc = pipa_monitor_replay(&o, job.writer, flush_some, &job, err);
	else if (!rc)
		rc = watch_filtered(&job, err);
	if (!rc && options->replay)
		rc = flush(&job, err);
	job_done(&job);
	return rc;
}
