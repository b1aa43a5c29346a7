#include "measure/count/counting.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/loop.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "kernel/machine/topology.h"
#include "measure/follow.h"
#include "measure/instrument.h"

struct pipa_stat *pipa_counting_stat(const struct pipa_counting *c)
{
	return c->table ? pipa_aggr_stat(c->table) : NULL;
}

static void close_counters(struct pipa_counting *c)
{
	pipa_counters_close(c->counters);
	c->counters = NULL;
}

static void close_counting(void *ctx)
{
	struct pipa_counting *c = ctx;

	close_counters(c);
	pipa_aggr_free(c->table);
	free(c->cpu_places);
	free(c->task_places);
	free(c->banks);
	pipa_count_plan_done(&c->plan);
}

/* ---- before the first run ---------------------------------------------------------------- */

/* Load the location of each CPU and the name of each thread, for grouping and naming rows. */
static int load_cpus_and_threads(struct pipa_counting *c, struct pipa_error *err)
{
	const struct pipa_cpus *cpus = &c->plan.targets.cpus;
	const struct pipa_tasks *tasks = &c->plan.targets.tasks;
	PIPA_AUTO(free) struct pipa_cpu_place *found = calloc(cpus->n + 1, sizeof(*found));
	size_t i;

	free(c->cpu_places);
	free(c->task_places);
	c->cpu_places = calloc(cpus->n + 1, sizeof(*c->cpu_places));
	c->task_places = calloc(tasks->n + 1, sizeof(*c->task_places));
	if (!found || !c->cpu_places || !c->task_places)
		return pipa_fail(err, -ENOMEM, "read the topology");
	if (c->o->by != PIPA_AGGR_GLOBAL && c->o->by != PIPA_AGGR_THREAD)
		pipa_topology_places(c->host->root, cpus, found);
	for (i = 0; i < cpus->n; i++)
		c->cpu_places[i] = (struct pipa_stat_place){
			.by = PIPA_AGGR_CPU,
			.cpu = cpus->items[i],
			.core = found[i].core,
			.die = found[i].die,
			.socket = found[i].socket,
			.node = found[i].node,
			.tid = -1,
		};
	for (i = 0; i < tasks->n; i++) {
		struct pipa_stat_place *place = &c->task_places[i];

		*place = (struct pipa_stat_place){ PIPA_AGGR_THREAD,	-1, -1, -1, -1, -1,
						   tasks->items[i].tid, "" };
		memcpy(place->comm, tasks->items[i].comm, sizeof(place->comm));
	}
	return 0;
}

static int plan_counting(void *ctx, struct pipa_error *err)
{
	struct pipa_counting *c = ctx;
	int rc = pipa_count_plan_make(c->o, c->host->root, &c->plan, err);

	return rc ? rc : load_cpus_and_threads(c, err);
}

/* ---- one run ----------------------------------------------------------------------------- */

static void refresh_counters(struct pipa_counting *c)
{
	size_t e;

	for (e = 0; e < c->plan.events.n; e++) {
		struct pipa_event_counts *bank = &c->banks[e];

		bank->supported = pipa_counters_supported(c->counters, e);
		bank->n = pipa_counters_slots(c->counters, e, &bank->slots, &bank->counts);
	}
}

static int make_table(struct pipa_counting *c, struct pipa_error *err)
{
	const struct pipa_aggr_input input = {
		.events = &c->plan.events,
		.banks = c->banks,
		.by = c->o->by,
		.cpus = c->cpu_places,
		.n_cpus = c->plan.targets.cpus.n,
		.tasks = c->task_places,
		.cgroups = (const char *const *)c->plan.targets.cgroups,
		.metrics = &c->plan.metrics,
	};
	int rc;

	if (c->table)
		return 0;
	rc = pipa_aggr_new(&input, &c->table, err);
	if (rc == 0) {
		pipa_aggr_stat(c->table)->hide_idle = c->o->by == PIPA_AGGR_THREAD &&
						      c->o->target.system_wide;
		pipa_aggr_stat(c->table)->target = c->plan.targets.text;
		pipa_aggr_stat(c->table)->runs = 1;
	}
	return rc;
}

/*
 * Open the counters of all threads. Threads created during that are a problem: if the parent was
 * not open yet, they inherited nothing; if they are listed and the parent was open, they are
 * counted twice. So list and open again until no new thread was listed: then all are open, and
 * later ones inherit.
 */
static int open_all_threads(struct pipa_counting *c, struct pipa_error *err)
{
	enum { ROUNDS = 30 };
	int round, rc = 0;

	for (round = 0; !rc && round < ROUNDS; round++) {
		close_counters(c);
		rc = pipa_counters_open(c->host->perf, c->host->root, &c->plan.events, &c->target,
					&c->counters, err);
		if (rc < 0 || !c->o->target.pids || round + 1 == ROUNDS)
			break;
		rc = pipa_target_list_add_new_threads(&c->o->target, c->host->root,
						      &c->plan.targets, err);
		if (rc <= 0)
			return rc;
		rc = load_cpus_and_threads(c, err);
	}
	c->threads_missed = !rc && round + 1 == ROUNDS;
	return rc;
}

static int open_counting(void *ctx, struct pipa_error *err)
{
	struct pipa_counting *c = ctx;
	int rc = pipa_follow_aim(c->follow, &c->plan.targets, err);

	if (rc < 0)
		return rc;
	c->start_ns = c->tick_ns = 0;
	c->active = c->done_reporting = false;
	c->report_failure = 0;
	c->ticks = 0;
	c->target = (struct pipa_target){
		.tasks = c->plan.targets.by_task ? &c->plan.targets.tasks : NULL,
		.cpus = &c->plan.targets.cpus,
		.cgroups = c->plan.targets.cgroup_fds,
		.inherit = !c->o->no_inherit,
		.enable_on_exec = c->plan.targets.by_command && !c->o->delay_ns,
	};
	rc = open_all_threads(c, err);
	if (rc < 0)
		return rc;
	if (!c->banks)
		c->banks = calloc(c->plan.events.n + 1, sizeof(*c->banks));
	if (!c->banks)
		return pipa_fail(err, -ENOMEM, "count");
	refresh_counters(c);
	rc = make_table(c, err);
	if (!rc && (c->o->target.pids || c->o->target.tids))
		rc = pipa_follow_tasks(c->follow, &c->plan.targets.tasks, err);
	return rc;
}

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static struct pipa_times run_times(const struct pipa_counting *c, uint64_t from_ns, uint64_t to_ns)
{
	struct pipa_times times = { (double)(to_ns - from_ns) / 1e9, NAN, NAN };

	if (c->follow->child.ended) {
		times.user_s = seconds(c->follow->child.usage.ru_utime);
		times.sys_s = seconds(c->follow->child.usage.ru_stime);
	}
	return times;
}

/* Read an interval: the counts since the last one, with the time of its end. */
static int read_interval(struct pipa_counting *c, uint64_t now, struct pipa_error *err)
{
	struct pipa_stat *stat = pipa_aggr_stat(c->table);
	struct pipa_times times = run_times(c, c->tick_ns, now);
	int rc = pipa_counters_read(c->counters, err);

	if (rc < 0)
		return rc;
	pipa_aggr_update(c->table, c->banks, true, &times);
	stat->interval = true;
	stat->time_s = (double)(now - c->start_ns) / 1e9;
	stat->late = c->late;
	c->tick_ns = now;
	c->ticks++;
	return c->report ? c->report(c->ctx, stat, err) : 0;
}

static int on_tick(void *ctx, uint64_t expirations, struct pipa_error *err)
{
	struct pipa_counting *c = ctx;
	bool has_command = c->o->target.command != NULL;
	int rc;

	if (!c->active || c->done_reporting)
		return 0;
	c->late += expirations - 1;
	rc = read_interval(c, pipa_clock_ns(), has_command ? &c->report_error : err);
	if (rc < 0 && has_command) { /* a closed output must not end the command */
		c->report_failure = rc;
		c->done_reporting = true;
		return 0;
	}
	if (rc == 0 && c->o->intervals && c->ticks >= c->o->intervals) {
		c->done_reporting = true;
		if (!has_command)
			pipa_follow_stop(c->follow);
	}
	return rc;
}

/* Start counting now, or at the exec of a command. */
static int enable_counters(struct pipa_counting *c, struct pipa_error *err)
{
	const struct pipa_count_options *o = c->o;
	int rc = pipa_counters_enable(c->counters, o->delay_ns > 0, err);

	/* a thread cloned while its parent's events are being enabled may inherit disabled ones */
	if (!rc && o->target.pids)
		rc = pipa_counters_enable(c->counters, o->delay_ns > 0, err);
	c->start_ns = c->tick_ns = pipa_clock_ns();
	c->active = true;
	if (!rc && o->interval_ns)
		rc = pipa_loop_timer(c->follow->loop, c->start_ns + o->interval_ns, o->interval_ns,
				     on_tick, c, err);
	if (!rc && o->timeout_ns)
		rc = pipa_follow_limit(c->follow, c->start_ns + o->timeout_ns, err);
	return rc;
}

static int on_delay_over(void *ctx, uint64_t expirations PIPA_UNUSED, struct pipa_error *err)
{
	return enable_counters(ctx, err);
}

static int begin_counting(void *ctx, struct pipa_error *err)
{
	struct pipa_counting *c = ctx;

	if (c->o->delay_ns)
		return pipa_loop_timer(c->follow->loop, pipa_clock_ns() + c->o->delay_ns, 0,
				       on_delay_over, c, err);
	return enable_counters(c, err);
}

/* Read the last interval and the totals. */
static int finish_counting(void *ctx, struct pipa_error *err)
{
	struct pipa_counting *c = ctx;
	uint64_t end_ns = c->follow->end_ns ? c->follow->end_ns : pipa_clock_ns();
	struct pipa_times times;
	int rc = c->report_failure;

	if (rc) {
		if (err)
			*err = c->report_error;
		return rc;
	}
	if (!c->active) /* ended before the delay was over */
		c->start_ns = c->tick_ns = end_ns;
	if (c->o->interval_ns && !c->done_reporting && end_ns > c->tick_ns)
		rc = read_interval(c, end_ns, err);
	if (!rc)
		rc = pipa_counters_read(c->counters, err);
	if (rc < 0)
		return rc;
	times = run_times(c, c->start_ns, end_ns);
	pipa_aggr_update(c->table, c->banks, false, &times);
	pipa_aggr_stat(c->table)->interval = false;
	return c->o->repeat > 1 ? pipa_aggr_keep_run(c->table, err) : 0;
}

void pipa_counting_stop_reporting(struct pipa_counting *c)
{
	c->done_reporting = true;
}

const struct pipa_instrument_ops pipa_counting_instrument = {
	.plan = plan_counting,
	.open = open_counting,
	.begin = begin_counting,
	.finish = finish_counting,
	.close = close_counting,
};
