/* Run a command repeatedly: set-up, warm-up runs, measured runs, clean-up. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/run/run_metrics.h"
#include "analyze/run/run_name.h"
#include "analyze/run/run_rank.h"
#include "base/file/file.h"
#include "base/vec.h"
#include "job/run/run_config.h"
#include "job/run/run_own.h"
#include "kernel/event/host.h"

enum { CALIBRATION_RUNS = 50, SHORT_MS = 5 };

static const char *const hook_options[PIPA_RUN_HOOKS] = {
	[PIPA_RUN_SETUP] = "--setup",
	[PIPA_RUN_PREPARE] = "--prepare",
	[PIPA_RUN_CLEANUP] = "--cleanup",
};

/* ---- signals ------------------------------------------------------------------------------------ */

/*
 * Return a stop signal that is pending and not ignored, 0: none. The front end blocks them: while a command
 * runs they are passed on to it.
 */
static int pending_signal(const struct pipa_run_sequence *s)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action;
	sigset_t pending;
	size_t i;

	if (!s->host->owns_process)
		return 0;
	sigpending(&pending);
	for (i = 0; i < PIPA_COUNT(signals); i++)
		if (sigismember(&pending, signals[i]) > 0 &&
		    sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			return signals[i];
	return 0;
}

/* Did a signal end the sequence, during a run or between two? Completed runs are reported. */
static bool is_over(struct pipa_run_sequence *s, struct pipa_run_outcome *outcome)
{
	if (!s->stopped && s->begun) {
		s->stopped = pending_signal(s);
		if (s->stopped && !outcome->status)
			outcome->status = 128 + s->stopped;
	}
	return s->stopped != 0;
}

/* ---- one run ------------------------------------------------------------------------------------ */

static void free_bench(struct pipa_run_sequence *s)
{
	if (!s->bench)
		return;
	s->bench->run->own = s->bench->run->cpus = NULL; /* borrowed from it */
	pipa_run_measurement_close(s->bench);
	free(s->bench);
	s->bench = NULL;
}

void pipa_run_sequence_done(struct pipa_run_sequence *s)
{
	free_bench(s);
	pipa_run_done(&s->shell);
	pipa_cpus_done(&s->cores);
}

/* Set what is known before the run starts. */
static int name_run(const struct pipa_run_sequence *s, const struct pipa_run_repeats *r,
		    struct pipa_run *run, struct pipa_error *err)
{
	const struct pipa_run_options *o = &r->o;
	const char *text = r->command->text + strspn(r->command->text, " \t\n");
	char *first = strndup(text, strcspn(text, " \t\n"));
	char *program[] = { first, NULL };

	run->command = strdup(r->command->text);
	if (o->workload)
		run->workload = strdup(o->workload);
	else if (first)
		run->workload = pipa_run_name(r->command->by_shell ? program : r->command->argv,
					      NULL);
	free(first);
	run->username = o->username ? strdup(o->username) : NULL;
	if (!run->command || !run->workload || (o->username && !run->username) ||
	    pipa_cpus_copy(&s->cores, &run->cores) < 0 || pipa_run_describe(o, run) < 0)
		return pipa_fail(err, -ENOMEM, "run %s", o->command[0]);
	return 0;
}

/* Start the command and follow it until it ends; what was measured is left in s->bench. */
static int execute(struct pipa_run_sequence *s, const struct pipa_run_options *o, bool whole_tree,
		   const int *streams, struct pipa_run *run, struct pipa_run_outcome *outcome,
		   struct pipa_error *err)
{
	int rc;

	s->bench = calloc(1, sizeof(*s->bench));
	if (!s->bench)
		return pipa_fail(err, -ENOMEM, "run %s", o->command[0]);
	*s->bench = (struct pipa_run_measurement){
		.o = o,
		.host = s->host,
		.run = run,
		.number = s->n_measured,
		.record_fd = -1,
		.follow = { .command = o->command,
			    .command_signals = o->command_signals,
			    .whole_tree = whole_tree,
			    .streams = streams,
			    .spawn = o->brief && o->no_counters && o->no_record && !o->pin,
			    .host = s->host,
			    .child = { .go = -1, .failed = -1 } },
	};
	rc = pipa_run_measurement_open(s->bench, err);
	if (!rc && o->pin)
		rc = pipa_child_pin(&s->bench->follow.child, o->pin, err);
	if (!rc && !s->begun && pending_signal(s)) { /* nothing has started: it may end pipa */
		outcome->interrupted = s->bench->never_ran = true;
		rc = -EINTR;
	}
	s->begun |= !rc;
	if (!rc)
		rc = pipa_run_measurement_measure(s->bench, &outcome->exec_failed, err);
	if (!rc)
		s->stopped = s->bench->follow.stopped;
	return rc;
}

/* Run a command without measuring it: a hook or a warm-up run. */
static int run_unmeasured(struct pipa_run_sequence *s, struct pipa_run_options o, bool whole_tree,
			  const int *streams, struct pipa_run_outcome *outcome, int *ret_status,
			  struct pipa_error *err)
{
	struct pipa_run run;
	int rc;

	o.no_counters = o.no_statistics = o.no_record = o.brief = true;
	o.keep = NULL;
	pipa_run_init(&run);
	free_bench(s);
	rc = execute(s, &o, whole_tree, streams, &run, outcome, err);
	if (!rc) {
		*ret_status = s->bench->follow.status;
		if (s->stopped && !outcome->status)
			outcome->status = *ret_status ? *ret_status : 128 + s->stopped;
	}
	free_bench(s);
	pipa_run_done(&run);
	return rc;
}

/* Run the hook of a command, if it has one. In a comparison only its errors are shown. */
static int run_hook(struct pipa_run_sequence *s, const struct pipa_run_repeats *r,
		    enum pipa_run_hook hook, struct pipa_run_outcome *outcome,
		    struct pipa_error *err)
{
	char sh[] = "sh", flag[] = "-c", *text = r->command->hooks[hook];
	char *argv[] = { sh, flag, text, NULL };
	struct pipa_run_options o = r->o;
	PIPA_AUTO(pipa_fd_close) int null = -1;
	int status = 0, rc;

	if (!text)
		return 0;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return pipa_fail(err, -errno, "open /dev/null");
	o.command = argv;
	o.no_capture = true;
	o.pin = NULL;
	rc = run_unmeasured(s, o, true, s->comparing ? (int[]){ null, null, -1 } : NULL, outcome,
			    &status, err);
	if (rc || s->stopped || !status)
		return rc;
	return pipa_refuse(err, -ECHILD, "%s failed with exit status %d: %s", hook_options[hook],
			   status, text);
}

/* Count a failed run. It ends a comparison, and its status becomes that of pipa. */
static int note_status(const struct pipa_run_sequence *s, struct pipa_run_repeats *r, int status,
		       bool warmup, struct pipa_run_outcome *outcome, struct pipa_error *err)
{
	if (!status || s->stopped)
		return 0;
	r->failed += !warmup;
	if (r->o.ignore_failure)
		return 0;
	if (!outcome->status)
		outcome->status = status;
	if (!s->comparing)
		return 0;
	pipa_refuse(err, -ECHILD, "command failed with exit status %d: %s", status,
		    r->command->text);
	pipa_hint(err, "--ignore-failure measures it anyway, --show-output shows its output");
	return -ECHILD;
}

static int run_warmup(struct pipa_run_sequence *s, struct pipa_run_repeats *r,
		      struct pipa_run_outcome *outcome, struct pipa_error *err)
{
	int status = 0, rc = run_hook(s, r, PIPA_RUN_PREPARE, outcome, err);

	if (!rc && !is_over(s, outcome))
		rc = run_unmeasured(s, r->o, r->command->by_shell, NULL, outcome, &status, err);
	return rc ? rc : note_status(s, r, status, true, outcome, err);
}

static int run_measured(struct pipa_run_sequence *s, struct pipa_run_repeats *r,
			struct pipa_run_outcome *outcome, struct pipa_error *err)
{
	struct pipa_run *run;
	int rc = run_hook(s, r, PIPA_RUN_PREPARE, outcome, err);

	if (rc || is_over(s, outcome))
		return rc;
	free_bench(s);
	if (!r->o.no_record ||
	    !r->o.no_counters) /* a fork of pipa: its heap is part of the peak RSS */
		malloc_trim(0);
	run = PIPA_VEC_ADD(r);
	if (!run)
		return pipa_fail(err, -ENOMEM, "run %s", r->o.command[0]);
	pipa_run_init(run);
	s->n_measured++;
	rc = name_run(s, r, run, err);
	if (!rc)
		rc = execute(s, &r->o, r->command->by_shell, NULL, run, outcome, err);
	if (!rc && r->command->by_shell && !isnan(s->shell.values[PIPA_RUN_TIME]))
		s->bench->shell = &s->shell;
	if (!rc)
		rc = pipa_run_measurement_note(s->bench, err);
	if (!rc && s->stopped && !outcome->status)
		outcome->status = run->status ? run->status : s->comparing ? 128 + s->stopped : 0;
	if (!rc && s->stopped && s->comparing) { /* the time of an interrupted run means nothing */
		free_bench(s);
		pipa_run_done(run);
		r->n--;
		return 0;
	}
	return rc ? rc : note_status(s, r, run->status, false, outcome, err);
}

/* ---- all runs ----------------------------------------------------------------------------------- */

static int merge_repeats(const struct pipa_run_sequence *s, struct pipa_run_repeats *r,
			 struct pipa_error *err)
{
	double shell_ms = s->shell.values[PIPA_RUN_TIME] * 1e3;
	bool calibrated = r->command->by_shell && !isnan(shell_ms);
	int rc = 0;

	if (!r->n)
		return 0;
	r->run = &r->items[0];
	if (r->n > 1) {
		rc = pipa_run_merge(r->items, r->n, &r->merged);
		r->merged.own = r->items[r->n - 1].own;
		r->merged.cpus = r->items[r->n - 1].cpus;
		r->merged.asked = r->items[r->n - 1].asked;
		r->run = &r->merged;
	}
	if (!rc && r->n > 1)
		rc = pipa_run_note_outliers(r->run, r->items, r->o.warmup);
	if (!rc && calibrated && !s->comparing)
		rc = pipa_run_note(r->run, "the start-up time of sh is subtracted: %.3f ms",
				   shell_ms);
	if (!rc && calibrated && r->run->values[PIPA_RUN_TIME] * 1e3 < SHORT_MS)
		rc = pipa_run_note(r->run,
				   "less than %d ms: the start-up time of sh cannot be subtracted "
				   "precisely; use --shell=none",
				   SHORT_MS);
	if (!rc && r->failed && s->comparing)
		rc = pipa_run_note(r->run, "%zu of %zu runs failed", r->failed, r->n);
	return rc ? pipa_fail(err, rc, "report") : 0;
}

/* Report run i of n, unless the command prints to the terminal itself. */
static void report_progress(const struct pipa_run_sequence *s, const struct pipa_run_repeats *r,
			    const char *kind, unsigned int i, unsigned int n)
{
	char text[200];

	if (!r->o.hide_output || !s->o->log.progress)
		return;
	if (!r->number)
		snprintf(text, sizeof(text), "measuring the start-up time of sh");
	else if (s->n_commands > 1)
		snprintf(text, sizeof(text), "command %zu of %zu, %s %u of %u: %s", r->number,
			 s->n_commands, kind, i + 1, n, r->command->text);
	else
		snprintf(text, sizeof(text), "%s %u of %u: %s", kind, i + 1, n, r->command->text);
	pipa_log_progress(&s->o->log, text, 0, 0);
}

int pipa_run_repeats_measure(struct pipa_run_sequence *s, struct pipa_run_repeats *r,
			     struct pipa_run_outcome *outcome, struct pipa_error *err)
{
	unsigned int i, n = r->o.repeat ? r->o.repeat : 1;
	struct pipa_error why = { 0 };
	int rc;

	pipa_run_init(&r->merged);
	r->o.command = r->command->argv;
	rc = run_hook(s, r, PIPA_RUN_SETUP, outcome, err);
	for (i = 0; !rc && i < r->o.warmup && !is_over(s, outcome); i++) {
		report_progress(s, r, "warm-up run", i, r->o.warmup);
		rc = run_warmup(s, r, outcome, err);
	}
	for (i = 0; !rc && i < n && !is_over(s, outcome); i++) {
		report_progress(s, r, "run", i, n);
		rc = run_measured(s, r, outcome, err);
		if (!rc && r->n == 1 && !r->o.repeat && s->comparing)
			n = pipa_run_repeats(r->items[0].values[PIPA_RUN_TIME]);
	}
	if (r->command->hooks[PIPA_RUN_CLEANUP] && s->begun) {
		struct pipa_run_outcome unused = { .status = 1 };
		int stopped = s->stopped;

		free_bench(s);
		s->stopped = 0;
		if (run_hook(s, r, PIPA_RUN_CLEANUP, &unused, &why) < 0) /* does not end it */
			pipa_log_put(&s->o->log, PIPA_LOG_WARN, "%s", why.what);
		s->stopped = stopped ? stopped : s->stopped;
	}
	return rc ? rc : merge_repeats(s, r, err);
}

void pipa_run_repeats_done(struct pipa_run_repeats *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		pipa_run_done(&r->items[i]);
	free(r->items);
	pipa_run_done(&r->merged);
}

int pipa_run_sequence_calibrate(struct pipa_run_sequence *s, struct pipa_run_outcome *outcome,
				struct pipa_error *err)
{
	char sh[] = "sh", flag[] = "-c", nothing[] = "", text[] = "sh -c ''";
	char *argv[] = { sh, flag, nothing, NULL };
	const struct pipa_run_command command = { .text = text, .argv = argv };
	struct pipa_run_repeats r = { .command = &command, .o = *s->o };
	enum pipa_run_key key;
	int rc;

	r.o.repeat = CALIBRATION_RUNS;
	r.o.warmup = 1;
	r.o.keep = NULL;
	r.o.no_record = r.o.no_capture = true;
	rc = pipa_run_repeats_measure(s, &r, outcome, err);
	free_bench(s);
	for (key = 0; !rc && !s->stopped && r.n > 1 && key < PIPA_RUN_KEYS; key++)
		s->shell.values[key] = r.run->spread[key].median;
	pipa_run_repeats_done(&r);
	s->n_measured = 0;
	return rc;
}
