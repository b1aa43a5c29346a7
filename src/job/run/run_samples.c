/* Sample a run into an unnamed temporary file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/file/tmp.h"
#include "job/record_summary.h"
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

static int make_plan(struct pipa_run_measurement *b, struct pipa_error *err)
{
	if (b->recording.o)
		pipa_record_done(&b->recording);
	*err = (struct pipa_error){ 0 };
	b->recording = (struct pipa_record_job){
		.o = &b->record_options,
		.host = b->host,
		.follow = &b->follow,
	};
	return pipa_record_instrument.plan(&b->recording, err);
}

/* Fall back to the default event if that of a configuration cannot be sampled on this machine. */
static bool use_default_event(struct pipa_run_measurement *b, const struct pipa_error *err)
{
	if (!b->sampled.text || pipa_run_is_denied(err) || err->code == -ENOMEM)
		return false;
	pipa_run_note(b->run, "events_record: %s; sampling the default event", err->what);
	b->sampled.text = NULL;
	b->record_options.n_events = 0;
	return true;
}

static int plan_samples(void *ctx, struct pipa_error *err)
{
	struct pipa_run_measurement *b = ctx;
	const struct pipa_run_options *o = b->o;
	int rc = name_recording(b);

	if (rc < 0)
		return pipa_fail(err, rc, "create a file for samples");
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
		.argv = o->argv,
		.argc = o->argc,
		.version = o->version,
		.log = { .write = note_line, .ctx = b },
	};
	rc = make_plan(b, err);
	return rc && use_default_event(b, err) ? make_plan(b, err) : rc;
}

static int open_again(struct pipa_run_measurement *b, struct pipa_error *err)
{
	int rc = make_plan(b, err);

	return rc ? rc : pipa_record_instrument.open(&b->recording, err);
}

/*
 * Open per-CPU events and keep only the samples of the command: a context switch then costs the same as
 * without them. Without permission for that, open events of the command, which the kernel switches with
 * its tasks.
 */
static int open_samples(void *ctx, struct pipa_error *err)
{
	struct pipa_run_measurement *b = ctx;
	int rc = pipa_record_instrument.open(&b->recording, err);

	if (rc && pipa_run_is_denied(err)) {
		b->record_options.target.system_wide = b->record_options.tree_only = false;
		rc = open_again(b, err);
	}
	return rc && use_default_event(b, err) ? open_again(b, err) : rc;
}

static int on_time_over(void *ctx, uint64_t expirations PIPA_UNUSED,
			struct pipa_error *err PIPA_UNUSED)
{
	struct pipa_run_measurement *b = ctx;

	pipa_record_pause(&b->recording);
	pipa_run_note(b->run, "samples cover the first %g s (duration_record)",
		      (double)b->o->sample_ns / 1e9);
	return 0;
}

static int begin_samples(void *ctx, struct pipa_error *err)
{
	struct pipa_run_measurement *b = ctx;
	int rc = pipa_record_instrument.begin(&b->recording, err);

	if (!rc && b->o->sample_ns)
		rc = pipa_loop_timer(b->follow.loop, pipa_clock_ns() + b->o->sample_ns, 0,
				     on_time_over, b, err);
	return rc;
}

static void pause_samples(void *ctx)
{
	pipa_record_pause(&((struct pipa_run_measurement *)ctx)->recording);
}

static int finish_samples(void *ctx, struct pipa_error *err)
{
	struct pipa_run_measurement *b = ctx;
	int rc = pipa_record_instrument.finish(&b->recording, err);

	pipa_record_summarize(&b->recording);
	return rc;
}

static void close_samples(void *ctx)
{
	struct pipa_run_measurement *b = ctx;

	if (b->recording.o)
		pipa_record_done(&b->recording);
}

const struct pipa_instrument_ops pipa_run_samples_instrument = {
	.plan = plan_samples,
	.open = open_samples,
	.begin = begin_samples,
	.pause = pause_samples,
	.finish = finish_samples,
	.close = close_samples,
};
