#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/loop.h"
#include "collect/count/probe.h"
#include "job/record_summary.h"
#include "job/run/run_own.h"
#include "kernel/event/host.h"
#include "measure/watch.h"
#include "model/sections.h"
#include "store/csv_record.h"

/* ---- counters ----------------------------------------------------------------------------------- */

/* What each set counts, and on whom. */
static void describe_counts(struct pipa_run_measurement *b)
{
	const struct pipa_run_options *o = b->o;
	const struct pipa_count_options own = {
		.target.command = o->command,
		.events = o->events,
		.n_events = o->n_events,
		.detail = o->detail,
	};
	size_t i;

	for (i = 0; i < PIPA_RUN_SETS; i++)
		b->counts[i].options = own;
	b->counts[PIPA_RUN_SET_CPUS].options.target.system_wide = !o->cores;
	b->counts[PIPA_RUN_SET_CPUS].options.target.cpus = o->cores;
	b->counts[PIPA_RUN_SET_CPUS].options.by = PIPA_AGGR_CPU;
	b->counts[PIPA_RUN_SET_CPUS].options.interval_ns = o->keep ? o->interval_ns : 0;
	b->counts[PIPA_RUN_SET_TOPDOWN].options.topdown = true;
	b->counts[PIPA_RUN_SET_TOPDOWN].options.n_events = 0;
	b->energy = (struct pipa_event_arg){ .text = "power/energy-pkg/" };
	b->counts[PIPA_RUN_SET_ENERGY].options = (struct pipa_count_options){
		.target.command = o->command,
		.target.system_wide = true,
		.events = &b->energy,
		.n_events = 1,
	};
}

/* Events that the user asked for are counted or refused; the usual ones where they can be. */
static int check_own(struct pipa_run_measurement *b)
{
	const struct pipa_run_counts *own = &b->counts[PIPA_RUN_SET_OWN];

	if (own->on || (!b->o->n_events && own->err.code != -ENOMEM))
		return 0;
	if (b->err)
		*b->err = own->err;
	return own->err.code;
}

static int plan_counts(struct pipa_run_measurement *b)
{
	size_t i;

	describe_counts(b);
	for (i = 0; i < PIPA_RUN_SETS; i++) {
		struct pipa_run_counts *counts = &b->counts[i];

		counts->counting = (struct pipa_counting){
			.o = &counts->options,
			.perf = b->host->perf,
			.root = b->host->root,
			.follow = &b->follow,
			.err = &counts->err,
			.report = pipa_run_keep_interval,
			.ctx = b,
		};
		counts->on = pipa_counting_plan(&counts->counting) == 0;
	}
	return check_own(b);
}

/* Is there anything to count that the kernel does not tell of every process anyway? */
static bool has_hardware(const struct pipa_run_measurement *b)
{
	const struct pipa_events *events = &b->counts[PIPA_RUN_SET_OWN].counting.plan.events;
	size_t i;

	for (i = 0; i < events->n; i++)
		if (events->items[i].kind != PIPA_EVENT_SW &&
		    pipa_probe_event(b->host->perf, &events->items[i]) != PIPA_PROBE_MISSING)
			return true;
	return false;
}

/*
 * Counters of the command's own make each switch of its tasks dearer, by a sixth where it does nothing
 * else, and without hardware they tell no more than getrusage(2) but for moves between CPUs: then
 * they are for those who ask for events, and for intervals that would be kept of nobody else.
 */
static bool is_worth_it(const struct pipa_run_measurement *b, size_t set)
{
	return set != PIPA_RUN_SET_OWN || b->o->n_events || b->o->detail ||
	       (b->keep && !b->counts[PIPA_RUN_SET_CPUS].on) || has_hardware(b);
}

/* Intervals are kept of the CPUs, or of the command where those may not be counted. */
static int open_counts(struct pipa_run_measurement *b)
{
	size_t i;

	for (i = 0; i < PIPA_RUN_SETS; i++) {
		struct pipa_run_counts *counts = &b->counts[i];

		if (counts->on && !is_worth_it(b, i)) {
			counts->on = false;
			pipa_refuse(&counts->err, -ENODEV, "there are no hardware counters");
		}
		if (counts->on)
			counts->on = pipa_follow_aim(&b->follow, &counts->counting.plan.targets) ==
					     0 &&
				     pipa_counting_open(&counts->counting) == 0;
	}
	if (b->keep && !b->counts[PIPA_RUN_SET_CPUS].on)
		b->counts[PIPA_RUN_SET_OWN].options.interval_ns = b->o->interval_ns;
	return check_own(b);
}

static void begin_counts(struct pipa_run_measurement *b)
{
	size_t i;

	for (i = 0; i < PIPA_RUN_SETS; i++)
		if (b->counts[i].on)
			b->counts[i].on = pipa_counting_begin(&b->counts[i].counting) == 0;
}

/* ---- statistics --------------------------------------------------------------------------------- */

/* Select the sections that the report is made of, and those that are kept. */
static size_t choose_sections(const struct pipa_section *ret[static PIPA_SECTION_NR], bool keep)
{
	static const bool reported[PIPA_SECTION_NR] = {
		[PIPA_SECTION_CPU] = true, [PIPA_SECTION_MEM] = true,  [PIPA_SECTION_DISK] = true,
		[PIPA_SECTION_NET] = true, [PIPA_SECTION_FREQ] = true, [PIPA_SECTION_CSWCH] = true,
	};
	size_t i, n = 0;

	for (i = 0; i < PIPA_SECTION_NR; i++)
		if (reported[i] || (keep && pipa_csv_recorder_file(&pipa_sections[i])))
			ret[n++] = &pipa_sections[i];
	return n;
}

static int open_watch(struct pipa_run_measurement *b)
{
	const struct pipa_section *sections[PIPA_SECTION_NR];
	struct pipa_watch_options options = {
		.host = b->host,
		.sections = sections,
		.n_sections = choose_sections(sections, b->recorder),
		.interval_ns = b->o->interval_ns,
		.sink = pipa_run_kept_rows(b),
	};

	return pipa_watch_open(b->follow.loop, &options, &b->watch, b->err);
}

/* ---- output ------------------------------------------------------------------------------------- */

/* Called by the thread that passes it on. */
static void on_output(void *ctx, int stream, const char *bytes, size_t len)
{
	struct pipa_run_measurement *b = ctx;

	if (b->transactions)
		pipa_transactions_put(b->transactions,
				      stream == 2 ? PIPA_TX_STDERR : PIPA_TX_STDOUT, bytes, len);
	pipa_run_keep_output(b, stream, bytes, len);
}

static void on_resize(void *ctx)
{
	struct pipa_run_measurement *b = ctx;

	pipa_capture_resize(b->capture);
}

static int open_capture(struct pipa_run_measurement *b)
{
	int rc;

	if (!isnan(b->o->transactions))
		pipa_transactions_give(b->transactions, b->o->transactions);
	if (b->o->no_capture)
		return 0;
	rc = pipa_capture_open(&b->capture, b->err);
	if (!rc) {
		b->follow.streams = pipa_capture_streams(b->capture);
		b->follow.resized = on_resize;
		b->follow.ctx = b;
	}
	return rc;
}

/* ---- rights ------------------------------------------------------------------------------------- */

static bool is_user_only(const struct pipa_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (events->items[i].user_only)
			return true;
	return false;
}

static void warn_denied(const struct pipa_run_measurement *b, const char *what,
			const struct pipa_error *err)
{
	pipa_log_put(&b->o->log, PIPA_LOG_WARN, "%s: %s%s%s", what, err->what,
		     err->hint[0] ? "; " : "", err->hint);
}

/* Report missing permissions before the first run, while the user can still change them. */
static void note_permissions(const struct pipa_run_measurement *b)
{
	const struct pipa_run_counts *own = &b->counts[PIPA_RUN_SET_OWN];
	const struct pipa_run_counts *cpus = &b->counts[PIPA_RUN_SET_CPUS];

	if (b->number > 1)
		return;
	if (!own->on && pipa_run_is_denied(&own->err))
		warn_denied(b, "the command will not be counted", &own->err);
	else if (own->on && is_user_only(&own->counting.plan.events))
		pipa_log_note(&b->o->log,
			      "only user space will be counted; the kernel too with: sudo "
			      "sysctl kernel.perf_event_paranoid=1");
	else if (b->recording_on && is_user_only(&b->recording.plan.events))
		pipa_log_note(&b->o->log,
			      "only user space will be sampled; the kernel too with: sudo "
			      "sysctl kernel.perf_event_paranoid=1");
	if (!cpus->on && pipa_run_is_denied(&cpus->err))
		warn_denied(b, "CPUs will not be counted", &cpus->err);
	if (!b->o->no_record && !b->recording_on && pipa_run_is_denied(&b->record_err))
		warn_denied(b, "no samples will be taken", &b->record_err);
	else if (b->recording_on && !b->record_options.tree_only)
		pipa_log_note(&b->o->log,
			      "samples will be taken task by task, which slows a program "
			      "that switches much; --no-record takes none");
}

/* ---- one run ------------------------------------------------------------------------------------ */

int pipa_run_measurement_open(struct pipa_run_measurement *b)
{
	int rc = pipa_transactions_new(b->o->expression, &b->transactions, b->err);

	if (!rc)
		rc = plan_counts(b);
	if (!rc)
		rc = pipa_run_kept_open(b);
	if (!rc)
		rc = open_capture(b);
	if (rc)
		return rc;
	pipa_run_samples_plan(b);
	rc = pipa_follow_begin(&b->follow);
	if (!rc)
		rc = open_counts(b);
	if (rc)
		return rc;
	pipa_run_samples_open(b);
	rc = open_watch(b);
	if (!rc)
		note_permissions(b);
	return rc;
}

static void finish_parts(struct pipa_run_measurement *b)
{
	size_t i;

	pipa_watch_end(b->watch);
	for (i = 0; i < PIPA_RUN_SETS; i++)
		if (b->counts[i].on)
			b->counts[i].on = pipa_counting_finish(&b->counts[i].counting) == 0;
	if (b->recording_on) {
		b->recording_on = pipa_record_finish(&b->recording, &b->recorded) == 0;
		pipa_record_summarize(&b->recording);
	}
	if (b->capture)
		b->captured = pipa_capture_finish(b->capture);
	pipa_transactions_end(b->transactions);
}

int pipa_run_measurement_measure(struct pipa_run_measurement *b, bool *ret_exec_failed)
{
	int rc = 0;

	begin_counts(b);
	pipa_run_samples_begin(b);
	if (b->capture)
		rc = pipa_capture_begin(b->capture, on_output, b, b->err);
	if (rc)
		return rc;
	b->start_ns = pipa_clock_ns();
	rc = pipa_follow_release(&b->follow, ret_exec_failed);
	b->never_ran = *ret_exec_failed;
	if (!rc)
		rc = pipa_loop_run(b->follow.loop, b->err);
	if (rc)
		return rc;
	pipa_follow_finish(&b->follow);
	finish_parts(b);
	return 0;
}

void pipa_run_measurement_close(struct pipa_run_measurement *b)
{
	size_t i;

	pipa_watch_close(b->watch);
	for (i = 0; i < PIPA_RUN_SETS; i++)
		pipa_counting_done(&b->counts[i].counting);
	if (b->recording.o)
		pipa_record_done(&b->recording);
	pipa_follow_end(&b->follow);
	pipa_capture_close(b->capture);
	pipa_transactions_free(b->transactions);
	pipa_run_kept_close(b);
	pipa_fd_close(b->record_fd);
	free(b->record_path);
}
