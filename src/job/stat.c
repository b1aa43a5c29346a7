#include "job/stat.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/aggregate.h"
#include "analyze/compare.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/loop.h"
#include "base/outfile.h"
#include "base/vec.h"
#include "collect/counters.h"
#include "import/stat_json.h"
#include "job/follow.h"
#include "job/stat_notes.h"
#include "job/stat_plan.h"
#include "kernel/root.h"
#include "kernel/topology.h"

struct job {
	const struct pipa_stat_options *o;
	struct pipa_error *err;
	const struct pipa_perf *perf;
	struct pipa_root *root;
	struct pipa_root *own_root; /* when the caller handed in none */
	struct pipa_stat_plan plan;
	struct pipa_outfile *out;
	struct pipa_buf text;
	struct pipa_base base;

	/* one run */
	struct pipa_follow follow;
	struct pipa_target target;
	struct pipa_counters *counters;
	struct pipa_bank *banks;
	uint64_t start_ns, tick_ns;
	uint64_t ticks, late;
	bool counting, done_reporting;
	int report_failure; /* of an interval, while the command goes on */

	/* all runs */
	struct pipa_aggr_table *table;
	struct pipa_stat_place *cpu_places, *task_places;
	struct pipa_stat_notes notes;
};

/* Apart from pipa_follow_end(), so that the report need not wait: closing a tracepoint takes some 40 ms. */
static void close_counters(struct job *job)
{
	pipa_counters_close(job->counters);
	job->counters = NULL;
}

static void job_done(struct job *job)
{
	pipa_follow_end(&job->follow);
	close_counters(job);
	pipa_aggr_free(job->table);
	free(job->cpu_places);
	free(job->task_places);
	free(job->banks);
	pipa_base_done(&job->base);
	pipa_buf_done(&job->text);
	pipa_outfile_free(job->out);
	pipa_stat_plan_done(&job->plan);
	pipa_root_close(job->own_root);
}

/* ---- before the first run ---------------------------------------------------------------- */

static int load_baseline(struct job *job)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error why = { 0 };
	int rc = pipa_file_read(job->o->compare, &text, job->err);

	if (rc < 0) {
		pipa_hint(job->err, "make one with: pipa stat --json -o FILE");
		return rc;
	}
	rc = pipa_stat_json_decode(pipa_buf_str(&text), text.len, &job->base, &why);
	if (rc < 0) {
		pipa_refuse(job->err, rc, "read %s: %s", job->o->compare, why.what);
		pipa_hint(job->err, "%s",
			  why.hint[0] ? why.hint : "make one with: pipa stat --json -o FILE");
	}
	return rc;
}

static int open_output(struct job *job)
{
	const struct pipa_stat_options *o = job->o;

	if (!o->output)
		return pipa_outfile_wrap(o->out_fd,
					 o->out_fd == 2 ? "standard error" : "the output",
					 &job->out, job->err);
	return pipa_outfile_open(o->output,
				 o->append	? PIPA_OUTFILE_APPEND :
				 o->interval_ns ? PIPA_OUTFILE_STREAM :
						  PIPA_OUTFILE_REPLACE,
				 &job->out, job->err);
}

/* Where each CPU and thread is, for grouping and naming rows. */
static int load_places(struct job *job)
{
	const struct pipa_cpus *cpus = &job->plan.whom.cpus;
	const struct pipa_tasks *tasks = &job->plan.whom.tasks;
	PIPA_AUTO(free) struct pipa_cpu_place *found = calloc(cpus->n + 1, sizeof(*found));
	size_t i;

	job->cpu_places = calloc(cpus->n + 1, sizeof(*job->cpu_places));
	job->task_places = calloc(tasks->n + 1, sizeof(*job->task_places));
	if (!found || !job->cpu_places || !job->task_places)
		return pipa_fail(job->err, -ENOMEM, "read the topology");
	if (job->o->by != PIPA_AGGR_GLOBAL && job->o->by != PIPA_AGGR_THREAD)
		pipa_topology_places(job->root, cpus, found);
	for (i = 0; i < cpus->n; i++)
		job->cpu_places[i] = (struct pipa_stat_place){
			.by = PIPA_AGGR_CPU,
			.cpu = cpus->items[i],
			.core = found[i].core,
			.die = found[i].die,
			.socket = found[i].socket,
			.node = found[i].node,
			.tid = -1,
		};
	for (i = 0; i < tasks->n; i++) {
		struct pipa_stat_place *place = &job->task_places[i];

		*place = (struct pipa_stat_place){ PIPA_AGGR_THREAD,	-1, -1, -1, -1, -1,
						   tasks->items[i].tid, "" };
		memcpy(place->comm, tasks->items[i].comm, sizeof(place->comm));
	}
	return 0;
}

static int prepare(struct job *job)
{
	int rc = 0;

	if (!job->root) {
		rc = pipa_root_open(NULL, &job->own_root, job->err);
		job->root = job->own_root;
	}
	job->follow = (struct pipa_follow){
		.command = job->o->command,
		.command_mask = job->o->command_mask,
		.limited = job->o->timeout_ns > 0,
		.root = job->root,
		.whom = &job->plan.whom,
		.err = job->err,
		.child = { .go = -1, .failed = -1 },
	};
	if (!rc)
		rc = pipa_stat_plan_make(job->o, job->root, &job->plan, job->err);
	if (!rc && job->o->compare)
		rc = load_baseline(job);
	if (!rc)
		rc = open_output(job);
	if (!rc)
		rc = load_places(job);
	return rc;
}

/* ---- reporting --------------------------------------------------------------------------- */

static void refresh_banks(struct job *job)
{
	size_t e;

	for (e = 0; e < job->plan.events.n; e++) {
		struct pipa_bank *bank = &job->banks[e];

		bank->supported = pipa_counters_supported(job->counters, e);
		bank->n = pipa_counters_slots(job->counters, e, &bank->slots, &bank->counts);
	}
}

static int make_table(struct job *job)
{
	const struct pipa_aggr_input input = {
		.events = &job->plan.events,
		.banks = job->banks,
		.by = job->o->by,
		.cpus = job->cpu_places,
		.n_cpus = job->plan.whom.cpus.n,
		.tasks = job->task_places,
		.cgroups = (const char *const *)job->plan.whom.cgroups,
		.metrics = &job->plan.metrics,
	};
	int rc;

	if (job->table)
		return 0;
	rc = pipa_aggr_new(&input, &job->table, job->err);
	if (rc == 0) {
		pipa_aggr_stat(job->table)->hide_idle = job->o->by == PIPA_AGGR_THREAD &&
							job->o->system_wide;
		pipa_aggr_stat(job->table)->target = job->plan.whom.text;
		pipa_aggr_stat(job->table)->runs = 1;
	}
	return rc;
}

static int write_report(struct job *job, const struct pipa_stat_look *look)
{
	pipa_buf_reset(&job->text);
	pipa_stat_export(pipa_aggr_stat(job->table), look, &job->text);
	if (job->text.status)
		return pipa_fail(job->err, job->text.status, "write the report");
	return pipa_outfile_put(job->out, pipa_buf_str(&job->text), job->text.len, job->err);
}

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static struct pipa_times run_times(const struct job *job, uint64_t from_ns, uint64_t to_ns)
{
	struct pipa_times times = { (double)(to_ns - from_ns) / 1e9, NAN, NAN };

	if (job->follow.child.ended) {
		times.user_s = seconds(job->follow.child.usage.ru_utime);
		times.sys_s = seconds(job->follow.child.usage.ru_stime);
	}
	return times;
}

/* One interval: what came since the last, stamped with its end. */
static int report_interval(struct job *job, uint64_t now)
{
	struct pipa_stat *stat = pipa_aggr_stat(job->table);
	struct pipa_stat_look look = job->o->look;
	struct pipa_times times = run_times(job, job->tick_ns, now);
	int rc = pipa_counters_read(job->counters, job->err);

	if (rc < 0)
		return rc;
	pipa_aggr_update(job->table, job->banks, true, &times);
	stat->interval = true;
	stat->time_s = (double)(now - job->start_ns) / 1e9;
	stat->late = job->late;
	look.header = job->ticks == 0;
	job->tick_ns = now;
	job->ticks++;
	return write_report(job, &look);
}

/* ---- one run ----------------------------------------------------------------------------- */

static int on_tick(void *ctx, uint64_t expirations)
{
	struct job *job = ctx;
	int rc;

	if (!job->counting || job->done_reporting)
		return 0;
	job->late += expirations - 1;
	rc = report_interval(job, pipa_clock_ns());
	if (rc < 0 && job->o->command) { /* a reader that went away must not end the command */
		job->report_failure = rc;
		job->done_reporting = true;
		return 0;
	}
	if (rc == 0 && job->o->intervals && job->ticks >= job->o->intervals) {
		job->done_reporting = true;
		if (!job->o->command)
			pipa_follow_stop(&job->follow);
	}
	return rc;
}

static int open_counters(struct job *job)
{
	int rc;

	job->target = (struct pipa_target){
		.tasks = job->plan.whom.by_task ? &job->plan.whom.tasks : NULL,
		.cpus = &job->plan.whom.cpus,
		.cgroups = job->plan.whom.cgroup_fds,
		.inherit = !job->o->no_inherit,
		.enable_on_exec = job->plan.whom.by_command && !job->o->delay_ns,
	};
	rc = pipa_counters_open(job->perf, job->root, &job->plan.events, &job->target,
				&job->counters, job->err);
	if (rc < 0)
		return rc;
	if (!job->banks)
		job->banks = calloc(job->plan.events.n + 1, sizeof(*job->banks));
	if (!job->banks)
		return pipa_fail(job->err, -ENOMEM, "count");
	refresh_banks(job);
	return make_table(job);
}

/* From here on it counts. */
static int begin_counting(struct job *job)
{
	const struct pipa_stat_options *o = job->o;
	int rc = pipa_counters_enable(job->counters, o->delay_ns > 0, job->err);

	job->start_ns = job->tick_ns = pipa_clock_ns();
	job->counting = true;
	if (!rc && o->interval_ns)
		rc = pipa_loop_timer(job->follow.loop, job->start_ns + o->interval_ns,
				     o->interval_ns, on_tick, job, job->err);
	if (!rc && o->timeout_ns)
		rc = pipa_follow_limit(&job->follow, job->start_ns + o->timeout_ns);
	return rc;
}

static int on_delay_over(void *ctx, uint64_t expirations PIPA_UNUSED)
{
	return begin_counting(ctx);
}

static int start_run(struct job *job, struct pipa_stat_outcome *outcome)
{
	const struct pipa_stat_options *o = job->o;
	int rc;

	if (o->delay_ns)
		rc = pipa_loop_timer(job->follow.loop, pipa_clock_ns() + o->delay_ns, 0,
				     on_delay_over, job, job->err);
	else
		rc = begin_counting(job);
	if (rc < 0 || !o->command)
		return rc;
	return pipa_follow_release(&job->follow, &outcome->exec_failed);
}

/* Ready to run: loop, command, counters. */
static int set_up_run(struct job *job)
{
	int rc;

	close_counters(job); /* of the run before */
	job->start_ns = job->tick_ns = 0;
	job->counting = job->done_reporting = false;
	job->report_failure = 0;
	job->ticks = 0;
	rc = pipa_follow_begin(&job->follow);
	if (!rc)
		rc = open_counters(job);
	if (!rc && (job->o->pids || job->o->tids))
		rc = pipa_follow_tasks(&job->follow);
	return rc;
}

/* What is left to say when a run is over. */
static int finish_run(struct job *job)
{
	struct pipa_times times;
	int rc = 0;

	pipa_follow_finish(&job->follow);
	if (job->report_failure)
		return job->report_failure;
	if (!job->follow.end_ns)
		job->follow.end_ns = pipa_clock_ns();
	if (!job->counting) /* ended before its delay was over */
		job->start_ns = job->tick_ns = job->follow.end_ns;
	if (job->o->interval_ns && !job->done_reporting && job->follow.end_ns > job->tick_ns)
		rc = report_interval(job, job->follow.end_ns);
	if (!rc)
		rc = pipa_counters_read(job->counters, job->err);
	if (rc < 0)
		return rc;
	times = run_times(job, job->start_ns, job->follow.end_ns);
	pipa_aggr_update(job->table, job->banks, false, &times);
	pipa_aggr_stat(job->table)->interval = false;
	return job->o->repeat > 1 ? pipa_aggr_keep_run(job->table, job->err) : 0;
}

static int run_once(struct job *job, struct pipa_stat_outcome *outcome)
{
	int rc = set_up_run(job);

	if (!rc)
		rc = start_run(job, outcome);
	if (!rc)
		rc = pipa_loop_run(job->follow.loop, job->err);
	if (!rc)
		rc = finish_run(job);
	pipa_follow_end(&job->follow);
	return rc;
}

/* ---- the end ------------------------------------------------------------------------------ */

static int compare(struct job *job, struct pipa_change **ret)
{
	struct pipa_stat *stat = pipa_aggr_stat(job->table);
	size_t n = 0;
	int rc;

	if (!job->o->compare)
		return 0;
	rc = pipa_stat_compare(stat, &job->base, ret, &n);
	if (rc < 0)
		return pipa_fail(job->err, rc, "compare with %s", job->o->compare);
	if (!n)
		pipa_stat_note(&job->notes, "%s has no event in common with this report",
			       job->o->compare);
	stat->changes = *ret;
	stat->n_changes = n;
	return 0;
}

static int final_report(struct job *job)
{
	struct pipa_stat *stat = pipa_aggr_stat(job->table);
	PIPA_AUTO(free) struct pipa_change *changes = NULL;
	struct pipa_stat_look look = job->o->look;
	int rc;

	stat->summary = job->o->interval_ns > 0;
	if (job->o->repeat > 1)
		pipa_aggr_finish_runs(job->table);
	stat->late = job->late;
	pipa_stat_notes_make(&job->notes, stat, &job->plan.events, job->root);
	rc = compare(job, &changes);
	stat->notes = job->notes.items;
	stat->n_notes = job->notes.n;
	look.notes_only = job->o->interval_ns && !job->o->summary;
	if (!rc && (!look.notes_only || look.form == PIPA_STAT_TEXT))
		rc = write_report(job, &look);
	return rc ? rc : pipa_outfile_commit(job->out, job->err);
}

int pipa_stat_run(const struct pipa_stat_options *options, struct pipa_stat_outcome *ret,
		  struct pipa_error *err)
{
	struct job job = {
		.o = options,
		.err = err,
		.perf = options->perf ? options->perf : &pipa_perf_live,
		.root = options->root,
	};
	unsigned int run, runs = options->repeat > 1 ? options->repeat : 1;
	int rc = prepare(&job);

	for (run = 0; !rc && run < runs && !job.follow.stopped; run++)
		rc = run_once(&job, ret);
	if (!rc)
		rc = final_report(&job);
	ret->status = job.follow.status;
	job_done(&job);
	return rc;
}
