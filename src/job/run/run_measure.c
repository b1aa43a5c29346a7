/* Measure one execution: counters, samples, statistics and output. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/loop.h"
#include "collect/count/probe.h"
#include "job/run/run_own.h"
#include "kernel/event/host.h"
#include "store/csv_record.h"

/* ---- counters ----------------------------------------------------------------------------------- */

/* Set the events and the target of each set of counters. */
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

/* Can any event be counted that getrusage(2) does not report? */
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
 * Decide whether to count the command's tasks: counters slow down each context switch, by a sixth
 * in a program that does nothing else. Without hardware events they add only CPU migrations to
 * getrusage(2); then they are opened only for -e, and for intervals if those of the CPUs cannot be
 * stored.
 */
static bool should_count_command(const struct pipa_run_measurement *b)
{
	return b->o->n_events || b->o->detail ||
	       (b->keep && !b->counts[PIPA_RUN_SET_CPUS].instrument.on) || has_hardware(b);
}

/*
 * Open the counters of the command. Intervals are those of the CPUs, opened before, else those of
 * the command.
 */
static int open_own_counts(void *ctx, struct pipa_error *err)
{
	struct pipa_counting *counting = ctx;
	struct pipa_run_measurement *b = counting->ctx;

	if (!should_count_command(b))
		return pipa_refuse(err, -ENODEV, "no hardware counters");
	if (b->keep && !b->counts[PIPA_RUN_SET_CPUS].instrument.on)
		b->counts[PIPA_RUN_SET_OWN].options.interval_ns = b->o->interval_ns;
	return pipa_counting_instrument.open(counting, err);
}

/* Add the sets of counters. Events of -e are required; default events are optional. */
static void add_counts(struct pipa_run_measurement *b)
{
	size_t i;

	describe_counts(b);
	b->own_ops = pipa_counting_instrument;
	b->own_ops.open = open_own_counts;
	for (i = 0; i < PIPA_RUN_SETS; i++) {
		struct pipa_run_counts *counts = &b->counts[i];

		counts->counting = (struct pipa_counting){
			.o = &counts->options,
			.host = b->host,
			.follow = &b->follow,
			.report = pipa_run_keep_interval,
			.ctx = b,
		};
		counts->instrument = (struct pipa_instrument){
			.ops = i == PIPA_RUN_SET_OWN ? &b->own_ops : &pipa_counting_instrument,
			.ctx = &counts->counting,
			.need = i == PIPA_RUN_SET_OWN && b->o->n_events ? PIPA_INSTRUMENT_REQUIRED :
									  PIPA_INSTRUMENT_OPTIONAL,
		};
		b->instruments[b->session.n++] = &counts->instrument;
	}
}

/* ---- statistics --------------------------------------------------------------------------------- */

/* Select the sections that the report and the stored files need. */
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

/*
 * Add the statistics. Without a finish operation: a failure to read the last interval is not an
 * error.
 */
static void add_statistics(struct pipa_run_measurement *b)
{
	b->statistics = (struct pipa_statistics){
		.options = { .host = b->host,
			     .sections = b->sections,
			     .interval_ns = b->o->interval_ns },
		.follow = &b->follow,
	};
	b->statistics_ops = pipa_statistics_instrument;
	b->statistics_ops.finish = NULL;
	b->statistics_instrument = (struct pipa_instrument){ .ops = &b->statistics_ops,
							     .ctx = &b->statistics };
	b->instruments[b->session.n++] = &b->statistics_instrument;
}

/* ---- output ------------------------------------------------------------------------------------- */

/* Parse and store output; called on the capture thread. */
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

/* Redirect the output before the command starts, because it inherits the descriptors. */
static int plan_output(void *ctx, struct pipa_error *err)
{
	struct pipa_run_measurement *b = ctx;
	int rc;

	if (!isnan(b->o->transactions))
		pipa_transactions_give(b->transactions, b->o->transactions);
	if (b->o->no_capture)
		return 0;
	rc = pipa_capture_open(b->o->hide_output ? NULL : b->o->command_outputs, &b->capture, err);
	if (!rc) {
		b->follow.streams = pipa_capture_streams(b->capture);
		b->follow.resized = b->o->hide_output ? NULL : on_resize;
		b->follow.ctx = b;
	}
	return rc;
}

static void read_hidden(struct pipa_run_measurement *b, int stream)
{
	int fd = pipa_capture_fd(b->capture, stream);

	if (!pipa_capture_read(b->capture, stream))
		pipa_loop_unwatch(b->follow.loop, fd);
}

static int on_hidden_stdout(void *ctx, struct pipa_error *err PIPA_UNUSED)
{
	read_hidden(ctx, 1);
	return 0;
}

static int on_hidden_stderr(void *ctx, struct pipa_error *err PIPA_UNUSED)
{
	read_hidden(ctx, 2);
	return 0;
}

static int begin_output(void *ctx, struct pipa_error *err)
{
	struct pipa_run_measurement *b = ctx;
	int rc = b->capture ? pipa_capture_begin(b->capture, on_output, b, err) : 0;

	if (rc || !b->capture || !b->o->hide_output)
		return rc;
	rc = pipa_loop_watch(b->follow.loop, pipa_capture_fd(b->capture, 1), on_hidden_stdout, b,
			     err);
	return rc ? rc :
		    pipa_loop_watch(b->follow.loop, pipa_capture_fd(b->capture, 2),
				    on_hidden_stderr, b, err);
}

static int finish_output(void *ctx, struct pipa_error *err PIPA_UNUSED)
{
	struct pipa_run_measurement *b = ctx;

	if (b->capture)
		b->captured = pipa_capture_finish(b->capture);
	pipa_transactions_end(b->transactions);
	return 0;
}

/* The capture is closed after the command has ended (pipa_run_measurement_close()). */
static const struct pipa_instrument_ops output_instrument = {
	.plan = plan_output,
	.begin = begin_output,
	.finish = finish_output,
};

/* Open the files of --keep; they determine which statistics are read. */
static int plan_files(void *ctx, struct pipa_error *err)
{
	struct pipa_run_measurement *b = ctx;
	int rc = pipa_run_kept_open(b, err);

	b->statistics.options.n_sections = choose_sections(b->sections, b->recorder);
	b->statistics.options.sink = pipa_run_kept_rows(b);
	return rc;
}

/* Describe the machine after the command has ended, so that it is not disturbed. */
static int finish_files(void *ctx, struct pipa_error *err PIPA_UNUSED)
{
	pipa_run_keep_machine(ctx);
	return 0;
}

static const struct pipa_instrument_ops files_instrument = { .plan = plan_files,
							     .finish = finish_files };

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
	char line[PIPA_ERROR_LINE_MAX];

	pipa_log_put(&b->o->log, PIPA_LOG_WARN, "%s: %s", what, pipa_error_line(err, line));
}

/* Report missing permissions before the first run, while the user can still change them. */
static void note_permissions(const struct pipa_run_measurement *b)
{
	const struct pipa_run_counts *own = &b->counts[PIPA_RUN_SET_OWN];
	const struct pipa_run_counts *cpus = &b->counts[PIPA_RUN_SET_CPUS];

	if (b->number > 1)
		return;
	if (!own->instrument.on && pipa_run_is_denied(&own->instrument.err))
		warn_denied(b, "the command will not be counted", &own->instrument.err);
	else if (own->instrument.on && is_user_only(&own->counting.plan.events))
		pipa_log_note(&b->o->log,
			      "only user space will be counted. Include the kernel with: sudo "
			      "sysctl kernel.perf_event_paranoid=1");
	else if (b->samples.on && is_user_only(&b->recording.plan.events))
		pipa_log_note(&b->o->log,
			      "only user space will be sampled. Include the kernel with: sudo "
			      "sysctl kernel.perf_event_paranoid=1");
	if (!cpus->instrument.on && pipa_run_is_denied(&cpus->instrument.err))
		warn_denied(b, "CPUs will not be counted", &cpus->instrument.err);
	if (!b->o->no_record && !b->samples.on && pipa_run_is_denied(&b->samples.err))
		warn_denied(b, "no samples will be taken", &b->samples.err);
	else if (b->samples.on && !b->record_options.tree_only)
		pipa_log_note(
			&b->o->log,
			"per-task sampling (no permission for per-CPU): expect overhead with many "
			"context switches. --no-record disables sampling.");
}

/* ---- one run ------------------------------------------------------------------------------------ */

static void add_instrument(struct pipa_run_measurement *b, struct pipa_instrument *instrument,
			   const struct pipa_instrument_ops *ops, enum pipa_instrument_need need)
{
	*instrument = (struct pipa_instrument){ .ops = ops, .ctx = b, .need = need };
	b->instruments[b->session.n++] = instrument;
}

int pipa_run_measurement_open(struct pipa_run_measurement *b, struct pipa_error *err)
{
	int rc = pipa_transactions_new(b->o->expression, &b->transactions, err);

	if (rc)
		return rc;
	b->session = (struct pipa_session){ .follow = &b->follow, .instruments = b->instruments };
	if (!b->o->no_counters)
		add_counts(b);
	add_instrument(b, &b->files, &files_instrument, PIPA_INSTRUMENT_REQUIRED);
	if (!b->o->no_record)
		add_instrument(b, &b->samples, &pipa_run_samples_instrument,
			       PIPA_INSTRUMENT_OPTIONAL);
	add_instrument(b, &b->output, &output_instrument, PIPA_INSTRUMENT_REQUIRED);
	if (!b->o->no_statistics)
		add_statistics(b);
	rc = pipa_session_open(&b->session, err);
	if (!rc)
		note_permissions(b);
	return rc;
}

int pipa_run_measurement_measure(struct pipa_run_measurement *b, bool *ret_exec_failed,
				 struct pipa_error *err)
{
	int rc = pipa_session_begin(&b->session, err);

	*ret_exec_failed = b->never_ran = b->session.exec_failed;
	return rc ? rc : pipa_session_wait(&b->session, err);
}

void pipa_run_measurement_close(struct pipa_run_measurement *b)
{
	if (b->session.follow)
		pipa_session_close(&b->session);
	pipa_capture_close(b->capture);
	pipa_transactions_free(b->transactions);
	pipa_run_kept_close(b);
	pipa_fd_close(b->record_fd);
	free(b->record_path);
}
