#include "measure/sample/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/loop.h"
#include "measure/instrument.h"
#include "measure/sample/record_job.h"
#include "measure/sample/record_keep.h"

enum { TICK_MS = 250, LIVE_MS = 10, SIDEBAND_MS = 50, KEPT_MOST = 1 << 20 };

static void end_progress(struct pipa_record_job *job)
{
	if (job->reported)
		job->o->progress(job->o->progress_ctx, NULL);
	job->reported = false;
}

void pipa_record_done(struct pipa_record_job *job)
{
	end_progress(job);
	pipa_sampler_close(job->sampler);
	pipa_record_file_free(job->file);
	pipa_record_unwind_free(job->live);
	pipa_record_maps_free(job->maps);
	pipa_process_tree_free(job->tree);
	pipa_record_print_free(job->print);
	pipa_perf_splitter_free(job->tally);
	pipa_perf_events_done(&job->events);
	pipa_record_header_done(&job->about);
	pipa_buf_done(&job->tracing);
	pipa_buf_done(&job->round);
	pipa_buf_done(&job->kept);
	pipa_rings_done(&job->rings);
	free(job->late);
	pipa_record_plan_done(&job->plan);
}

/* ---- from the rings to the file -------------------------------------------------------------- */

/* Is it a sample of this process? Layout: id, ip, pid. */
static bool is_own(const struct pipa_perf_raw *raw)
{
	uint32_t pid;

	if (raw->type != PERF_RECORD_SAMPLE || raw->len < 20)
		return false;
	memcpy(&pid, raw->body + 16, sizeof(pid));
	return pid == (uint32_t)getpid();
}

/* Are records processed one by one before they are written? */
static bool needs_record_processing(const struct pipa_record_job *job)
{
	return job->o->exclude_self || job->live || job->tree || job->o->feed;
}

static int store_record(void *ctx, const struct pipa_perf_raw *recorded)
{
	struct pipa_record_job *job = ctx;
	struct pipa_perf_raw raw = pipa_record_maps_put(job->maps, recorded);
	size_t before = job->kept.len;
	int rc = 0;

	if (job->live) {
		rc = pipa_record_unwind_put(job->live, &raw, &job->kept);
		job->malformed += rc > 0;
		rc = rc > 0 ? 0 : rc;
	} else if (job->by_record) {
		pipa_buf_add(&job->kept, raw.body - 8, raw.len + 8);
		rc = job->kept.status;
	}
	if (!rc && job->o->feed && job->kept.len > before)
		job->o->feed->put(job->o->feed->ctx, job->kept.data + before,
				  job->kept.len - before);
	if (!rc && job->print && !job->print_status)
		rc = pipa_record_print_add(job->print, &raw);
	return rc;
}

/* Process a record. */
static int on_record(void *ctx, const struct pipa_perf_raw *raw)
{
	struct pipa_record_job *job = ctx;

	if (job->o->exclude_self && is_own(raw)) {
		job->left_out++;
		return 0;
	}
	return job->tree ? pipa_process_tree_put(job->tree, raw) : store_record(job, raw);
}

/* Count the samples in complete records. */
static uint64_t count_samples(const char *bytes, size_t len)
{
	struct perf_event_header header;
	uint64_t n = 0;
	size_t at;

	for (at = 0; len - at >= sizeof(header); at += header.size) {
		memcpy(&header, bytes + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > len - at)
			break;
		n += header.type == PERF_RECORD_SAMPLE;
	}
	return n;
}

/*
 * Write the processed records if they are more than `most` bytes. Records that did not fit into the
 * file are not counted.
 */
static int write_stored(struct pipa_record_job *job, size_t most, struct pipa_error *err)
{
	uint64_t before, written;
	int rc;

	if (job->kept.len <= most)
		return 0;
	if (!job->file) {
		pipa_buf_reset(&job->kept);
		return 0;
	}
	before = pipa_record_file_size(job->file);
	rc = pipa_record_file_pack(job->file, job->kept.data, job->kept.len, true, err);
	written = pipa_record_file_size(job->file);
	written = written > before ? written - before : 0;
	if (pipa_record_file_ended(job->file) && !job->o->level && written < job->kept.len)
		job->left_out += count_samples(job->kept.data + written, job->kept.len - written);
	pipa_buf_reset(&job->kept);
	return rc;
}

static void set_by_record(struct pipa_record_job *job, bool by_record)
{
	job->by_record = by_record;
	job->tally->fn = by_record || job->print ? on_record : NULL;
	job->tally->ctx = job;
}

/* One drain of the rings. */
struct draining {
	struct pipa_record_job *job;
	struct pipa_error *err;
};

static int on_piece(void *ctx, int cpu, const uint8_t *bytes, size_t len)
{
	const struct draining *draining = ctx;
	struct pipa_record_job *job = draining->job;
	bool whole = job->tally->held == 0;
	uint32_t type;
	uint64_t before;
	int rc;

	job->drained += len;
	if (job->file && pipa_record_file_ended(job->file))
		return 0;
	/* side-band rings have no samples; data rings rarely begin with anything else */
	if (whole && len >= sizeof(type)) {
		memcpy(&type, bytes, sizeof(type));
		set_by_record(job, needs_record_processing(job) || type != PERF_RECORD_SAMPLE);
	}
	if (!job->file || job->by_record) {
		rc = pipa_perf_splitter_add(job->tally, cpu, bytes, len);
		return rc ? rc : write_stored(job, KEPT_MOST, draining->err);
	}
	before = pipa_record_file_size(job->file);
	rc = pipa_record_file_pack(job->file, bytes, len, whole, draining->err);
	if (rc < 0)
		return rc;
	/* records that did not fit into the file are not counted */
	if (pipa_record_file_ended(job->file) && !job->o->level)
		len = (size_t)(pipa_record_file_size(job->file) > before ?
				       pipa_record_file_size(job->file) - before :
				       0);
	return pipa_perf_splitter_add(job->tally, cpu, bytes, len);
}

/* Write the rest of a drain and the FINISHED_ROUND record. */
static int finish_drain(struct pipa_record_job *job, struct pipa_error *err)
{
	int rc = 0;

	if ((!job->file && !job->o->feed) || !job->drained)
		return 0;
	if (job->tree)
		rc = pipa_process_tree_end(job->tree);
	if (!rc)
		rc = write_stored(job, 0, err);
	if (job->live)
		pipa_record_unwind_round(job->live);
	if (!rc && job->file)
		pipa_record_file_put(job->file, job->round.data, job->round.len, true);
	if (!rc && job->o->feed)
		job->o->feed->end_drain(job->o->feed->ctx);
	return rc;
}

static bool records_ended(const struct pipa_record_job *job)
{
	return job->file ? pipa_record_file_ended(job->file) != PIPA_RECORD_OPEN :
			   job->print_status != 0 && !job->o->feed;
}

/* Stop recording: a command continues without being sampled, otherwise the measurement ends. */
static void end_sampling(struct pipa_record_job *job)
{
	if (job->ended)
		return;
	job->ended = true;
	pipa_sampler_disable(job->sampler);
	pipa_rings_unwatch(&job->rings);
	if (!job->o->target.command)
		pipa_follow_stop(job->follow);
}

static int drain(void *ctx, struct pipa_error *err)
{
	struct pipa_record_job *job = ctx;
	struct draining draining = { job, err };
	int rc;

	if (job->ended)
		return 0;
	job->drained = 0;
	if (job->o->feed && job->o->feed->begin_drain)
		job->o->feed->begin_drain(job->o->feed->ctx);
	rc = pipa_sampler_drain(job->sampler, on_piece, &draining);
	if (!rc)
		rc = finish_drain(job, err);
	if (!rc && job->print && !job->print_status)
		job->print_status = pipa_record_print_flush(job->print, job->o->out_fd);
	if (!rc && records_ended(job))
		end_sampling(job);
	return rc;
}

/* ---- the loop ---------------------------------------------------------------------------------- */

static int on_poll(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err)
{
	return drain(ctx, err);
}

static void report_progress(struct pipa_record_job *job)
{
	const struct pipa_record_progress progress = {
		.elapsed_ns = pipa_clock_ns() - job->start_ns,
		.samples = job->tally->all.samples,
		.lost = job->tally->all.lost,
		.bytes = job->file ? pipa_record_file_size(job->file) : 0,
	};

	job->o->progress(job->o->progress_ctx, &progress);
	job->reported = true;
}

static int on_tick(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err)
{
	struct pipa_record_job *job = ctx;
	int rc = drain(job, err);

	if (!rc && job->o->progress)
		report_progress(job);
	return rc;
}

static int watch_rings(struct pipa_record_job *job, struct pipa_error *err)
{
	bool ticks = job->o->progress || job->print ||
		     (job->file && pipa_record_file_piped(job->file));
	uint64_t poll_ns = (job->live ? LIVE_MS : SIDEBAND_MS) * PIPA_NS_PER_MS;
	int rc = pipa_rings_watch(&job->rings, job->follow->loop, job->sampler, drain, job, err);

	if (!rc && ticks)
		rc = pipa_loop_timer(job->follow->loop, pipa_clock_ns() + TICK_MS * PIPA_NS_PER_MS,
				     TICK_MS * PIPA_NS_PER_MS, on_tick, job, err);
	/*
	 * short, so that files of short-lived processes can still be opened, and dumps are in the
	 * cache
	 */
	if (!rc)
		rc = pipa_loop_timer(job->follow->loop, pipa_clock_ns() + poll_ns, poll_ns, on_poll,
				     job, err);
	return rc;
}

/* ---- beginning --------------------------------------------------------------------------------- */

static int on_delay_over(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err)
{
	struct pipa_record_job *job = ctx;

	return job->ended ? 0 : pipa_sampler_enable(job->sampler, err);
}

/* Sample from now on, from the command's exec on, or after the delay. */
static int begin_sampling(struct pipa_record_job *job, struct pipa_error *err)
{
	int rc = 0;

	job->start_ns = pipa_clock_ns();
	if (job->o->delay_ns)
		rc = pipa_loop_timer(job->follow->loop, job->start_ns + job->o->delay_ns, 0,
				     on_delay_over, job, err);
	else if (!job->plan.targets.by_command)
		rc = pipa_sampler_enable(job->sampler, err);
	if (!rc && job->o->duration_ns)
		rc = pipa_follow_limit(job->follow, job->start_ns + job->o->duration_ns, err);
	return rc;
}

static int open_recording(void *ctx, struct pipa_error *err)
{
	struct pipa_record_job *job = ctx;
	int rc = pipa_follow_aim(job->follow, &job->plan.targets, err);

	if (!rc)
		rc = pipa_record_open_sampler(job, err);
	if (!rc && job->plan.filter_by_tree &&
	    pipa_process_tree_new(job->follow->child.pid, store_record, job, &job->tree) < 0)
		rc = pipa_fail(err, -ENOMEM, "follow the command's processes");
	if (!rc)
		rc = pipa_record_open_file(job, err);
	if (!rc && job->o->feed)
		rc = job->o->feed->begin(job->o->feed->ctx, pipa_record_written(job), err);
	if (!rc && (job->o->target.pids || job->o->target.tids))
		rc = pipa_follow_tasks(job->follow, &job->plan.targets.tasks, err);
	return rc ? rc : watch_rings(job, err);
}

static int begin_recording(void *ctx, struct pipa_error *err)
{
	struct pipa_record_job *job = ctx;
	int rc = 0;

	pipa_record_note_start(job);
	if (!job->plan.targets.by_command)
		rc = pipa_sampler_enable_sideband(job->sampler, err);
	if (!rc)
		rc = pipa_record_synthesize(job, err);
	return rc ? rc : begin_sampling(job, err);
}

void pipa_record_pause(struct pipa_record_job *job)
{
	pipa_sampler_disable(job->sampler);
}

static void pause_recording(void *ctx)
{
	pipa_record_pause(ctx);
}

/* ---- the end ------------------------------------------------------------------------------------- */

int pipa_record_put(struct pipa_record_job *job, int cpu, const uint8_t *bytes, size_t len)
{
	set_by_record(job, true);
	return pipa_perf_splitter_add(job->tally, cpu, bytes, len);
}

/* Finish the file, with those files in it that only the recorded processes can reach. */
static int finish_file(struct pipa_record_job *job, struct pipa_error *err)
{
	const struct pipa_mapped_files *files = pipa_record_maps_files(job->maps);
	PIPA_AUTO(free) bool *used = job->live ? pipa_record_unwind_used(job->live, files) : NULL;
	struct pipa_record_keep keep = { .files = files,
					 .used = used,
					 .max_bytes = job->o->keep_bytes };
	int rc;

	keep.jits = pipa_record_maps_jits(job->maps, &keep.n_jits);
	rc = pipa_record_file_finish(job->file, pipa_record_written(job), &job->about.about, &keep,
				     err);

	if (keep.n_left_out)
		pipa_log_note(&job->o->log,
			      "%zu mapped file%s accessible only to the recorded processes %s not "
			      "stored in the recording. See --keep-files.",
			      keep.n_left_out, keep.n_left_out == 1 ? "" : "s",
			      keep.n_left_out == 1 ? "is" : "are");
	return rc;
}

/* Read the rest of the rings, compare it with the counts of the kernel, and finish the file. */
static int finish_recording(void *ctx, struct pipa_error *err)
{
	struct pipa_record_job *job = ctx;
	struct pipa_record_outcome *outcome = &job->outcome;
	int rc = 0;

	if (!job->ended) {
		rc = drain(job, err);
		if (!rc && !job->ended)
			rc = pipa_record_account(job, err);
		if (!rc && job->tree)
			rc = pipa_process_tree_end(job->tree);
		if (!rc)
			rc = write_stored(job, 0, err);
	}
	end_progress(job);
	if (job->print && !job->print_status)
		job->print_status = pipa_record_print_flush(job->print, job->o->out_fd);
	if (!rc && job->file && !pipa_record_file_piped(job->file))
		rc = pipa_record_load_header(job, err);
	if (!rc && pipa_record_maps_about(job->maps, &job->about.about) < 0)
		rc = pipa_fail(err, -ENOMEM, "list build ids");
	job->about.about.first_ns = job->tally->first_ns;
	job->about.about.last_ns = job->tally->last_ns;
	if (!rc && job->file)
		rc = finish_file(job, err);
	else if (
		job->file) /* the records so far stay readable, without a description of the machine */
		pipa_record_file_finish(job->file, pipa_record_written(job),
					&(struct pipa_perf_about){ 0 }, NULL, NULL);
	outcome->samples = job->tally->all.samples - job->left_out - job->malformed;
	if (job->tree)
		outcome->samples -= pipa_process_tree_left_out(job->tree);
	outcome->lost = job->tally->all.lost -
			pipa_perf_splitter_of(job->tally, job->plan.events.n, -1).lost;
	outcome->bytes = job->file ? pipa_record_file_size(job->file) : 0;
	return rc;
}

static int plan_recording(void *ctx, struct pipa_error *err)
{
	struct pipa_record_job *job = ctx;

	return pipa_record_plan_make(job->o, job->host, &job->plan, err);
}

static void close_recording(void *ctx)
{
	pipa_record_done(ctx);
}

const struct pipa_instrument_ops pipa_record_instrument = {
	.plan = plan_recording,
	.open = open_recording,
	.begin = begin_recording,
	.pause = pause_recording,
	.finish = finish_recording,
	.close = close_recording,
};
