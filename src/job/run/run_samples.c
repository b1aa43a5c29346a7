#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/tmp.h"
#include "job/run/run_own.h"
#include "kernel/event/host.h"

enum { SCRATCH_BYTES = 1 << 30 };

static void note_line(void *ctx, enum pipa_log_level level PIPA_UNUSED, const char *text)
{
	struct pipa_run_measurement *b = ctx;

	pipa_run_note(b->run, "%s", text);
}

/* Choose the path of the recording: in the directory that is kept, or an unnamed temporary file. */
static int name_recording(struct pipa_run_measurement *b)
{
	int n;

	if (b->keep) {
		n = asprintf(&b->record_path, "%s/perf.data", b->keep);
	} else {
		n = pipa_tmp_open();
		if (n < 0)
			return n;
		b->record_fd = n;
		n = asprintf(&b->record_path, "/proc/self/fd/%d", n);
	}
	if (n < 0)
		b->record_path = NULL;
	return n < 0 ? -ENOMEM : 0;
}

static void make_plan(struct pipa_run_measurement *b)
{
	if (b->recording.o)
		pipa_record_done(&b->recording);
	b->record_err = (struct pipa_error){ 0 };
	b->recording = (struct pipa_record_job){
		.o = &b->record_options,
		.err = &b->record_err,
		.perf = b->host->perf,
		.root = b->host->root,
		.follow = &b->follow,
	};
	b->recording_on = pipa_record_plan_make(&b->record_options, b->host->perf, b->host->root,
						&b->recording.plan, &b->record_err) == 0;
}

/* What a configuration asks for may be of another machine: then what every machine can sample. */
static bool use_usual(struct pipa_run_measurement *b)
{
	if (!b->sampled.text || pipa_run_is_denied(&b->record_err) || b->record_err.code == -ENOMEM)
		return false;
	pipa_run_note(b->run, "events_record: %s; the usual event is sampled instead",
		      b->record_err.what);
	b->sampled.text = NULL;
	b->record_options.n_events = 0;
	return true;
}

void pipa_run_samples_plan(struct pipa_run_measurement *b)
{
	const struct pipa_run_options *o = b->o;
	int rc;

	if (o->no_record)
		return;
	rc = name_recording(b);
	if (rc < 0) {
		pipa_fail(&b->record_err, rc, "make a file for samples");
		return;
	}
	b->sampled.text = o->sample_events;
	b->record_options = (struct pipa_record_options){
		.target = { .command = o->command, .system_wide = true, .verb = "record" },
		.tree_only = true,
		.inside = true,
		.hz = o->hz,
		.events = &b->sampled,
		.n_events = b->sampled.text != NULL,
		.calls = o->calls,
		.output = b->record_path,
		.keep_bytes = PIPA_KEEP_BYTES,
		.max_bytes = b->keep ? 0 : SCRATCH_BYTES,
		.progress_fd = -1,
		.argv = o->argv,
		.argc = o->argc,
		.version = o->version,
		.log = { note_line, b },
	};
	make_plan(b);
	if (!b->recording_on && use_usual(b))
		make_plan(b);
}

static void open_planned(struct pipa_run_measurement *b)
{
	if (b->recording_on)
		b->recording_on = pipa_follow_aim(&b->follow, &b->recording.plan.targets) == 0 &&
				  pipa_record_open(&b->recording) == 0;
}

static void open_again(struct pipa_run_measurement *b)
{
	make_plan(b);
	open_planned(b);
}

/*
 * On CPUs, of which what is not the command's is left out: a switch of tasks then costs the same as ever.
 * Without the right to that, events of the command's own, which the kernel switches with its tasks.
 */
void pipa_run_samples_open(struct pipa_run_measurement *b)
{
	bool planned = b->recording_on;

	open_planned(b);
	if (planned && !b->recording_on && pipa_run_is_denied(&b->record_err)) {
		b->record_options.target.system_wide = b->record_options.tree_only = false;
		open_again(b);
	}
	if (planned && !b->recording_on && use_usual(b))
		open_again(b);
}

static int on_time_over(void *ctx, uint64_t expirations PIPA_UNUSED)
{
	struct pipa_run_measurement *b = ctx;

	pipa_record_pause(&b->recording);
	pipa_run_note(b->run, "samples are of the first %g s (duration_record)",
		      (double)b->o->sample_ns / 1e9);
	return 0;
}

void pipa_run_samples_begin(struct pipa_run_measurement *b)
{
	if (b->recording_on)
		b->recording_on = pipa_record_begin(&b->recording) == 0;
	if (b->recording_on && b->o->sample_ns)
		b->recording_on = pipa_loop_timer(b->follow.loop, pipa_clock_ns() + b->o->sample_ns,
						  0, on_time_over, b, &b->record_err) == 0;
}
