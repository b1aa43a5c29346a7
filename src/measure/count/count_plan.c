#include "measure/count/count_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "kernel/machine/root.h"
#include "measure/target.h"
#include "perf/event_names.h"

/* perf's default events and those that each -d adds. For CPUs, cpu-clock replaces task-clock. */
#define DEFAULTS                                                                                   \
	"context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses"

static const char *const details[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

void pipa_count_plan_done(struct pipa_count_plan *plan)
{
	pipa_events_done(&plan->events);
	pipa_metric_uses_done(&plan->metrics);
	pipa_machine_done(&plan->machine);
	pipa_target_list_done(&plan->targets);
}

/* ---- events ------------------------------------------------------------------------------ */

static int add_events(struct pipa_count_plan *plan, const char *text, const char *filter,
		      struct pipa_error *err)
{
	return pipa_events_ask(&plan->machine, text, filter, &plan->events, err);
}

/* Add the default events unless others were given, and those of each -d. */
static int add_default_events(const struct pipa_count_options *o, struct pipa_count_plan *plan,
			      struct pipa_error *err)
{
	unsigned int i;
	int rc = 0;

	if (o->null_run)
		return 0;
	if (!o->n_events)
		rc = add_events(plan,
				plan->targets.by_task ? "task-clock," DEFAULTS :
							"cpu-clock," DEFAULTS,
				NULL, err);
	for (i = 0; !rc && i < o->detail && i < PIPA_COUNT(details); i++)
		rc = add_events(plan, details[i], NULL, err);
	return rc;
}

static bool machine_has_event(void *ctx, const char *name)
{
	struct pipa_event_name fixed;

	return pipa_event_name_find(name, &fixed) || pipa_machine_has_alias(ctx, name);
}

static bool is_counted(const struct pipa_count_plan *plan, const char *key)
{
	size_t i;

	for (i = 0; i < plan->events.n; i++)
		if (strcmp(plan->events.items[i].key, key) == 0)
			return true;
	return false;
}

static void add_word(struct pipa_buf *list, const struct pipa_count_plan *plan, const char *name)
{
	if (pipa_str_listed(pipa_buf_str(list), name, false) || is_counted(plan, name))
		return;
	if (list->len)
		pipa_buf_putc(list, ',');
	pipa_buf_puts(list, name);
}

/*
 * Add the events that the metrics need and that are not counted yet. Events of a grouped metric
 * form one group; events without a metric come first, because `slots` must lead its group.
 */
static int add_metric_events(struct pipa_count_plan *plan, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf alone = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf lead = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf group = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	size_t i, k;

	for (i = 0; i < plan->metrics.n; i++) {
		const struct pipa_metric_use *use = &plan->metrics.items[i];
		const char *anchor = pipa_metric_anchor(use);

		for (k = 0; k < use->expr.n_names; k++) {
			const char *name = use->expr.names[k].text;

			if (strcmp(name, "clock") == 0 && !use->expr.names[k].is_event)
				add_word(&alone, plan,
					 plan->targets.by_task ? "task-clock" : "cpu-clock");
			else if (use->expr.names[k].is_event && !use->metric.grouped)
				add_word(&alone, plan, name);
			else if (use->expr.names[k].is_event && strcmp(name, anchor) != 0)
				add_word(&lead, plan, name);
		}
		if (!use->metric.grouped)
			add_word(&alone, plan, anchor);
	}
	for (i = 0; i < plan->metrics.n; i++)
		if (plan->metrics.items[i].metric.grouped &&
		    !pipa_str_listed(pipa_buf_str(&lead),
				     pipa_metric_anchor(&plan->metrics.items[i]), false))
			add_word(&group, plan, pipa_metric_anchor(&plan->metrics.items[i]));

	pipa_buf_puts(&text, pipa_buf_str(&alone));
	if (lead.len || group.len)
		pipa_buf_printf(&text, "%s{%s%s%s}", text.len ? "," : "", pipa_buf_str(&lead),
				lead.len && group.len ? "," : "", pipa_buf_str(&group));
	if (alone.status || lead.status || group.status || text.status)
		return pipa_fail(err, -ENOMEM, "set up metrics");
	return text.len ? add_events(plan, text.data, NULL, err) : 0;
}

static int plan_events(const struct pipa_count_options *o, struct pipa_count_plan *plan,
		       struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < o->n_events; i++)
		rc = add_events(plan, o->events[i].text, o->events[i].filter, err);
	if (!rc && o->metrics)
		rc = pipa_metric_uses_ask(&plan->metrics, o->metrics, machine_has_event,
					  &plan->machine, err);
	if (!rc && o->topdown)
		rc = pipa_metric_uses_ask(&plan->metrics, "topdown", machine_has_event,
					  &plan->machine, err);
	if (rc)
		return rc;
	if (plan->metrics.asked)
		return add_metric_events(plan, err);
	rc = add_default_events(o, plan, err);
	return rc ? rc : pipa_metric_uses_default(&plan->metrics, &plan->events, err);
}

/*
 * Does the event need CPUs? Events of threads follow the thread; only package-wide events need
 * CPUs.
 */
static bool needs_cpus(const struct pipa_count_options *o, const struct pipa_count_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->events.n; i++)
		if (plan->events.items[i].uncore)
			return true;
	return o->target.cpus || !plan->targets.by_task;
}

static int check_aggregation(const struct pipa_count_options *o,
			     const struct pipa_target_spec *target, struct pipa_error *err)
{
	bool places = o->by != PIPA_AGGR_GLOBAL && o->by != PIPA_AGGR_THREAD;

	if (places && pipa_target_spec_by_task(target)) {
		pipa_refuse(err, -EINVAL,
			    "per CPU, core, die, socket or node counts need whole CPUs");
		return pipa_hint(err, "add -a");
	}
	if (o->by == PIPA_AGGR_THREAD && !o->target.pids && !o->target.tids &&
	    !o->target.system_wide) {
		pipa_refuse(err, -EINVAL, "--per-thread needs existing threads");
		return pipa_hint(err, "add -p PID, -t TID, or -a for all threads");
	}
	return 0;
}

int pipa_count_plan_make(const struct pipa_count_options *o, struct pipa_root *root,
			 struct pipa_count_plan *plan, struct pipa_error *err)
{
	struct pipa_target_spec target = o->target;
	int rc = pipa_machine_load(&plan->machine, root, err);

	target.each_thread = o->by == PIPA_AGGR_THREAD;
	target.verb = "count";
	plan->machine.no_merge = o->no_merge;
	if (!rc)
		rc = pipa_target_spec_check(&target, err);
	if (!rc)
		rc = check_aggregation(o, &target, err);
	if (!rc)
		rc = pipa_target_list_make(&target, root, &plan->targets, err);
	if (!rc)
		rc = plan_events(o, plan, err);
	if (!rc && (o->user_only || o->kernel_only))
		pipa_events_restrict(&plan->events, o->user_only, o->kernel_only);
	if (!rc && needs_cpus(o, plan))
		rc = pipa_target_list_cpus(&target, root, &plan->targets, err);
	if (!rc && plan->targets.n_cgroups)
		rc = pipa_target_list_spread(&plan->targets, &plan->events, err);
	return rc;
}
