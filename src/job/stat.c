#include "job/stat.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/count/aggregate.h"
#include "analyze/count/compare.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/interrupt.h"
#include "base/file/outfile.h"
#include "import/stat_json.h"
#include "job/stat_notes.h"
#include "kernel/event/host.h"
#include "measure/count/counting.h"
#include "measure/follow.h"
#include "measure/instrument.h"
#include "measure/session.h"

struct job {
	const struct pipa_stat_options *o;
	const struct pipa_host *host;
	struct pipa_outfile *out;
	struct pipa_buf text;
	struct pipa_base base;
	struct pipa_follow follow;
	struct pipa_counting counting;
	struct pipa_instrument instrument, *instruments[1];
	struct pipa_session session;
	struct pipa_stat_notes notes;
};

static void job_done(struct job *job)
{
	pipa_session_close(&job->session);
	pipa_base_done(&job->base);
	pipa_buf_done(&job->text);
	pipa_outfile_free(job->out);
}

/* ---- before the first run ---------------------------------------------------------------- */

static int load_baseline(struct job *job, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error why = { 0 };
	int rc = pipa_file_read(job->o->compare, &text, err);

	if (rc < 0) {
		pipa_hint(err, "make one with: pipa stat --json -o FILE");
		return rc;
	}
	rc = pipa_stat_json_decode(pipa_buf_str(&text), text.len, &job->base, &why);
	if (rc < 0) {
		pipa_refuse(err, rc, "cannot read %s: %s", job->o->compare, why.what);
		pipa_hint(err, "%s",
			  why.hint[0] ? why.hint : "make one with: pipa stat --json -o FILE");
	}
	return rc;
}

static int open_output(struct job *job, struct pipa_error *err)
{
	const struct pipa_stat_options *o = job->o;

	if (!o->output)
		return pipa_outfile_wrap(o->out_fd,
					 o->out_fd == 2 ? "standard error" : "the output",
					 &job->out, err);
	return pipa_outfile_open(o->output,
				 o->append	      ? PIPA_OUTFILE_APPEND :
				 o->count.interval_ns ? PIPA_OUTFILE_STREAM :
							PIPA_OUTFILE_REPLACE,
				 &job->out, err);
}

/* ---- reporting --------------------------------------------------------------------------- */

static int write_report(struct job *job, const struct pipa_stat_format *format,
			struct pipa_error *err)
{
	pipa_stat_export(pipa_counting_stat(&job->counting), format, &job->text);
	return pipa_outfile_put_buf(job->out, &job->text, "write the report", err);
}

static int report_interval(void *ctx, struct pipa_stat *stat PIPA_UNUSED, struct pipa_error *err)
{
	struct job *job = ctx;
	struct pipa_stat_format format = job->o->format;

	format.header = job->counting.ticks == 1;
	return write_report(job, &format, err);
}

/* Plan the counters, then open the files: an invalid event leaves an earlier report unchanged. */
static int prepare(struct job *job, struct pipa_error *err)
{
	int rc;

	job->follow = (struct pipa_follow){
		.command = job->o->count.target.command,
		.command_signals = job->o->command_signals,
		.limited = job->o->count.timeout_ns > 0,
		.host = job->host,
		.child = { .go = -1, .failed = -1 },
	};
	job->counting = (struct pipa_counting){
		.o = &job->o->count,
		.host = job->host,
		.follow = &job->follow,
		.report = report_interval,
		.ctx = job,
	};
	job->instrument = (struct pipa_instrument){ .ops = &pipa_counting_instrument,
						    .ctx = &job->counting };
	job->instruments[0] = &job->instrument;
	job->session = (struct pipa_session){ .follow = &job->follow,
					      .instruments = job->instruments,
					      .n = 1 };
	rc = pipa_session_plan(&job->session, err);
	if (!rc && job->o->compare)
		rc = load_baseline(job, err);
	if (!rc)
		rc = open_output(job, err);
	return rc;
}

static int run_once(struct job *job, struct pipa_error *err)
{
	int rc = pipa_session_open(&job->session, err);

	if (!rc)
		rc = pipa_session_begin(&job->session, err);
	if (!rc)
		rc = pipa_session_wait(&job->session, err);
	pipa_session_end(&job->session);
	return rc;
}

/* ---- the end ------------------------------------------------------------------------------ */

static int compare_baseline(struct job *job, struct pipa_change **ret, struct pipa_error *err)
{
	struct pipa_stat *stat = pipa_counting_stat(&job->counting);
	size_t n = 0;
	int rc;

	if (!job->o->compare)
		return 0;
	rc = pipa_stat_compare(stat, &job->base, ret, &n);
	if (rc < 0)
		return pipa_fail(err, rc, "compare with %s", job->o->compare);
	if (!n)
		pipa_stat_note(&job->notes, "%s has no event in common with this report",
			       job->o->compare);
	stat->changes = *ret;
	stat->n_changes = n;
	return 0;
}

static int final_report(struct job *job, struct pipa_error *err)
{
	struct pipa_stat *stat = pipa_counting_stat(&job->counting);
	PIPA_AUTO(free) struct pipa_change *changes = NULL;
	struct pipa_stat_format format = job->o->format;
	int rc;

	stat->summary = job->o->count.interval_ns > 0;
	if (job->o->count.repeat > 1)
		pipa_aggr_finish_runs(job->counting.table);
	stat->late = job->counting.late;
	if (job->counting.threads_missed)
		pipa_stat_note(&job->notes,
			       "threads were created faster than they could be listed; some may be "
			       "missing");
	pipa_stat_notes_make(&job->notes, stat, &job->counting.plan.events, job->host->root);
	rc = compare_baseline(job, &changes, err);
	stat->notes = job->notes.items;
	stat->n_notes = job->notes.n;
	format.notes_only = job->o->count.interval_ns && !job->o->summary;
	if (!rc && (!format.notes_only || format.form == PIPA_STAT_TEXT))
		rc = write_report(job, &format, err);
	return rc ? rc : pipa_outfile_commit(job->out, err);
}

/* Was the series stopped? A signal can also arrive between two runs. */
static bool is_stopped(struct job *job)
{
	if (!job->host->owns_process)
		return false;
	if (pipa_interrupt_count() && !job->follow.stopped && !job->follow.status)
		job->follow.status = 128 + pipa_interrupt_signal();
	return job->follow.stopped || pipa_interrupt_count();
}

int pipa_stat_run(const struct pipa_host *host, const struct pipa_stat_options *options,
		  struct pipa_stat_outcome *ret, struct pipa_error *err)
{
	struct job job = {
		.o = options,
		.host = host,
	};
	unsigned int run, runs = options->count.repeat > 1 ? options->count.repeat : 1;
	int rc = prepare(&job, err);

	for (run = 0; !rc && run < runs && !is_stopped(&job); run++)
		rc = run_once(&job, err);
	if (!rc)
		rc = final_report(&job, err);
	ret->exec_failed = job.session.exec_failed;
	ret->status = job.follow.status;
	job_done(&job);
	return rc;
}
