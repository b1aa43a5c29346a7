/* Set up a recording: open events, rings and the output file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "collect/count/permission.h"
#include "collect/sample/synth.h"
#include "kernel/event/host.h"
#include "measure/sample/record_job.h"
#include "measure/sample/record_tracing.h"
#include "perf/encode.h"

/* Open threads that were created while the events were opened; a few rounds find all. */
static int open_new_threads(struct pipa_record_job *job, struct pipa_error *err)
{
	enum { ROUNDS = 100 };
	size_t n = 1, round;
	int rc = 0;

	for (round = 0; !rc && n && round < ROUNDS; round++) {
		rc = pipa_target_list_relist(&job->o->target, job->host->root, &job->plan.targets,
					     err);
		if (!rc)
			rc = pipa_sampler_catch_up(job->sampler, &job->plan.targets.tasks, &n, err);
	}
	return rc;
}

/*
 * Open the mapped-file tracker: mapping records are written with build IDs, read by the kernel or
 * by pipa.
 */
static int open_maps(struct pipa_record_job *job, struct pipa_error *err)
{
	struct perf_event_attr *side = &job->events.items[job->events.n - 1].attr;

	job->maps = pipa_record_maps_new(side->build_id);
	if (!job->maps)
		return pipa_fail(err, -ENOMEM, "keep a list of mapped files");
	side->build_id = 1;
	return 0;
}

/* Fail with an explanation of the missing permission. */
static int explain_refusal(struct pipa_record_job *job, struct pipa_error *err)
{
	const struct pipa_target_spec *target = &job->o->target;
	pid_t tid = job->plan.targets.by_task && job->plan.targets.tasks.n ?
			    job->plan.targets.tasks.items[0].tid :
			    0;

	if (target->pids || target->tids)
		pipa_fail(err, -EACCES, "sample %s %s", target->pids ? "process" : "thread",
			  target->pids ? target->pids : target->tids);
	return pipa_permission_hint(job->host->root, tid, err);
}

int pipa_record_open_sampler(struct pipa_record_job *job, struct pipa_error *err)
{
	struct pipa_sampler_options options;
	int last = 0, rc;
	size_t i;

	job->target = (struct pipa_target){
		.tasks = job->plan.targets.by_task ? &job->plan.targets.tasks : NULL,
		.cpus = &job->plan.targets.cpus,
		.cgroups = job->plan.targets.cgroup_fds,
	};
	options = (struct pipa_sampler_options){
		.perf = job->host->perf,
		.events = &job->plan.events,
		.target = &job->target,
		.side = job->plan.side,
		.side_cpus = job->plan.targets.by_task ? NULL : &job->plan.online,
		.ring_bytes = job->plan.ring_bytes,
		.side_bytes = job->plan.side_bytes,
		.running = job->plan.targets.by_task && !job->plan.targets.by_command,
	};
	rc = pipa_sampler_open(&options, &job->events, &job->sampler, err);
	if (rc == -EACCES)
		rc = explain_refusal(job, err);
	if (!rc && job->o->target.pids)
		rc = open_new_threads(job, err);
	for (i = 0; i < job->plan.online.n; i++)
		last = job->plan.online.items[i] > last ? job->plan.online.items[i] : last;
	if (!rc && pipa_perf_splitter_new(&job->events, (size_t)last + 1, &job->tally) < 0)
		rc = pipa_fail(err, -ENOMEM, "count samples");
	if (!rc)
		rc = open_maps(job, err);
	if (!rc && job->plan.live &&
	    pipa_record_unwind_new(&job->events, pipa_record_maps_files(job->maps), &job->live) < 0)
		rc = pipa_fail(err, -ENOMEM, "unwind stacks");
	if (!rc && (job->print || job->o->print) &&
	    pipa_record_print_new(&job->events, &job->print) < 0)
		rc = pipa_fail(err, -ENOMEM, "print samples");
	return rc;
}

const struct pipa_perf_events *pipa_record_written(const struct pipa_record_job *job)
{
	return job->live ? pipa_record_unwind_events(job->live) : &job->events;
}

int pipa_record_load_header(struct pipa_record_job *job, struct pipa_error *err)
{
	struct pipa_perf_about *about = &job->about.about;
	int rc = pipa_record_header_load(&job->about, job->host->root, &job->plan.machine.pmus,
					 pipa_record_clock(job->o));

	if (rc < 0)
		return pipa_fail(err, rc, "describe the machine");
	about->version = job->o->version;
	about->command = job->o->argv;
	about->n_command = job->o->argc;
	about->tracing = (const uint8_t *)job->tracing.data;
	about->n_tracing = job->tracing.len;
	return 0;
}

int pipa_record_open_file(struct pipa_record_job *job, struct pipa_error *err)
{
	const struct pipa_record_file_options options = {
		.path = job->o->output,
		.out_fd = job->o->out_fd,
		.max_bytes = job->o->max_bytes,
		.level = job->o->level,
		.ring_bytes = (uint32_t)(job->plan.ring_bytes > job->plan.side_bytes ?
						 job->plan.ring_bytes :
						 job->plan.side_bytes),
	};
	int rc;

	if (!job->o->output)
		return 0;
	rc = pipa_record_trace(job->host->root, &job->plan.events, &job->tracing, err);
	if (!rc)
		rc = pipa_record_file_open(&options, &job->file, err);
	if (!rc && pipa_record_file_piped(job->file))
		rc = pipa_record_load_header(job, err);
	if (!rc)
		rc = pipa_record_file_begin(job->file, pipa_record_written(job), &job->about.about,
					    err);
	pipa_perf_put_round(&job->round);
	if (!rc && job->round.status)
		rc = pipa_fail(err, job->round.status, "write %s", job->o->output);
	return rc;
}

/* Pass complete records to the second consumer, one by one. */
static void feed_records(const struct pipa_record_feed *feed, const uint8_t *bytes, size_t len)
{
	struct perf_event_header header;
	size_t at;

	for (at = 0; len - at >= sizeof(header); at += header.size) {
		memcpy(&header, bytes + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > len - at)
			break;
		feed->put(feed->ctx, bytes + at, header.size);
	}
}

static int put_synth(void *ctx, void *bytes, size_t len)
{
	struct pipa_record_job *job = ctx;

	pipa_record_maps_change(job->maps, bytes, len);
	if (job->learn)
		return job->learn(job->learn_ctx, bytes, len);
	if (job->o->feed)
		feed_records(job->o->feed, bytes, len);
	if (job->file)
		pipa_record_file_put(job->file, bytes, len, true);
	return job->live ? pipa_record_unwind_learn(job->live, bytes, len) : 0;
}

uint64_t pipa_record_id(const struct pipa_record_job *job, uint32_t event)
{
	const struct pipa_perf_events *events = &job->events;
	size_t i;

	for (i = 0; i < events->ids.n; i++)
		if (events->ids.items[i].event == event)
			return events->ids.items[i].id;
	return 0;
}

static bool samples_kernel(const struct pipa_record_job *job)
{
	size_t i;

	for (i = 0; i < job->plan.events.n; i++)
		if (!job->plan.events.items[i].attr.exclude_kernel)
			return true;
	return false;
}

int pipa_record_synthesize(struct pipa_record_job *job, struct pipa_error *err)
{
	const uint32_t side = (uint32_t)job->events.n - 1;
	const struct pipa_synth_options options = {
		.root = job->host->root,
		.attr = &job->events.items[side].attr,
		.id = pipa_record_id(job, side),
		.data = job->events.items[side].attr.mmap_data,
		.put = put_synth,
		.ctx = job,
	};
	struct pipa_synth *synth;
	int rc;

	if (!job->file && !job->learn && !job->o->feed)
		return 0;
	rc = pipa_synth_new(&options, &synth);
	if (rc < 0)
		return pipa_fail(err, rc, "list processes");
	if (samples_kernel(job)) {
		rc = pipa_synth_kernel(synth);
		if (rc == -EACCES) {
			pipa_log_note(
				&job->o->log,
				"kernel addresses are hidden, kernel symbols will be unresolved; "
				"see kernel.kptr_restrict");
			rc = 0;
		}
		if (!rc && job->events.items[side].attr.bpf_event &&
		    pipa_synth_bpf(synth) ==
			    -ENOMEM) /* without permission the recording has no BPF records */
			rc = -ENOMEM;
	}
	if (!rc && !job->plan.targets.by_command && !job->plan.filter_by_tree)
		rc = pipa_synth_tasks(synth,
				      job->plan.targets.by_task ? &job->plan.targets.tasks : NULL);
	pipa_synth_free(synth);
	return rc < 0 ? pipa_fail(err, rc, "list processes") : 0;
}

void pipa_record_note_start(const struct pipa_record_job *job)
{
	const struct pipa_record_plan *plan = &job->plan;
	size_t i;

	if (plan->refused_hz)
		pipa_log_note(&job->o->log,
			      "the kernel permits %" PRIu64 " samples per second, not %" PRIu64
			      ". See kernel.perf_event_max_sample_rate.",
			      plan->max_hz, plan->refused_hz);
	for (i = 0; i < plan->events.n; i++)
		if (plan->events.items[i].user_only) {
			pipa_log_note(&job->o->log,
				      "no permission to sample the kernel: user space only. See "
				      "kernel.perf_event_paranoid.");
			break;
		}
	if (pipa_sampler_ring_bytes(job->sampler) < plan->ring_bytes)
		pipa_log_note(&job->o->log,
			      "locked-memory limit: ring buffers of %zu KiB instead of %zu. See "
			      "kernel.perf_event_mlock_kb.",
			      pipa_sampler_ring_bytes(job->sampler) >> 10, plan->ring_bytes >> 10);
}
