/* Notes of a run: missing counters, losses, permissions. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/run/run_metrics.h"
#include "analyze/run/run_name.h"
#include "analyze/run/run_series.h"
#include "job/run/run_own.h"
#include "measure/watch.h"

enum { EXEC_KB = 512 }; /* that execve(2) touches of the old address space; 384 were measured */

static const struct pipa_stat *finished_counts(const struct pipa_run_measurement *b,
					       enum pipa_run_set set)
{
	return b->counts[set].instrument.on ? pipa_counting_stat(&b->counts[set].counting) : NULL;
}

static double seconds(struct timeval until, struct timeval from)
{
	double passed = (double)(until.tv_sec - from.tv_sec) +
			(double)(until.tv_usec - from.tv_usec) / 1e6;

	return passed > 0 ? passed :
			    0; /* the kernel estimates the split into user and system time */
}

/*
 * Set the peak RSS. A process starts with the peak of the process that forked it: a value not above
 * that of pipa is unknown.
 */
static int set_peak_rss(const struct pipa_run_measurement *b)
{
	long peak = b->follow.child.usage.ru_maxrss, ours = b->follow.child.before.ru_maxrss;

	if (peak > ours + EXEC_KB) {
		b->run->values[PIPA_RUN_PEAK_KB] = (double)peak;
		return 0;
	}
	return b->o->brief ?
		       0 :
		       pipa_run_note(b->run, "peak RSS unknown: below pipa's own RSS at fork");
}

/* Set the values of getrusage(2): the command and the children it waited for. */
static int set_usage(const struct pipa_run_measurement *b)
{
	static const enum pipa_run_key shell_keys[] = { PIPA_RUN_TIME, PIPA_RUN_USER_SECONDS,
							PIPA_RUN_SYS_SECONDS };
	const struct rusage *usage = &b->follow.child.usage, *before = &b->follow.child.before;
	double *v = b->run->values;
	size_t i;

	v[PIPA_RUN_TIME] = (double)(b->follow.end_ns - b->session.start_ns) / 1e9;
	if (!b->follow.child.ended)
		return 0;
	v[PIPA_RUN_USER_SECONDS] = seconds(usage->ru_utime, before->ru_utime);
	v[PIPA_RUN_SYS_SECONDS] = seconds(usage->ru_stime, before->ru_stime);
	v[PIPA_RUN_SWITCHES] = (double)(usage->ru_nvcsw + usage->ru_nivcsw - before->ru_nvcsw -
					before->ru_nivcsw);
	v[PIPA_RUN_FAULTS] = (double)(usage->ru_minflt + usage->ru_majflt - before->ru_minflt -
				      before->ru_majflt);
	v[PIPA_RUN_MAJOR_FAULTS] = (double)(usage->ru_majflt - before->ru_majflt);
	for (i = 0; b->shell && i < PIPA_COUNT(shell_keys); i++)
		v[shell_keys[i]] = fmax(0, v[shell_keys[i]] - b->shell->values[shell_keys[i]]);
	v[PIPA_RUN_READ_KB] = (double)(usage->ru_inblock - before->ru_inblock) / 2;
	v[PIPA_RUN_WRITTEN_KB] = (double)(usage->ru_oublock - before->ru_oublock) / 2;
	return set_peak_rss(b);
}

/* Name the workload after the recognized benchmark, which is more specific than the program. */
static int set_name(const struct pipa_run_measurement *b, const char *benchmark)
{
	char *name;

	if (b->o->workload)
		return 0;
	name = pipa_run_name(b->o->command, benchmark);
	if (!name)
		return -ENOMEM;
	free(b->run->workload);
	b->run->workload = name;
	return 0;
}

static int set_transactions(const struct pipa_run_measurement *b)
{
	struct pipa_tx tx;
	int rc;

	if (!pipa_transactions_get(b->transactions, &tx) && b->o->expression)
		return pipa_run_note(b->run,
				     "--transactions-regex found no number in the output: %s",
				     b->o->expression);
	if (!pipa_transactions_get(b->transactions, &tx) && (b->o->brief || b->o->metric))
		return 0;
	if (!pipa_transactions_get(b->transactions, &tx))
		return pipa_run_note(
			b->run, "no transactions recognized in the output. Use --transactions N or "
				"--transactions-regex RE.");
	rc = pipa_run_take_transactions(b->run, &tx,
					b->o->given_by ? b->o->given_by : "--transactions");
	if (rc < 0)
		return rc;
	return strcmp(tx.benchmark, "given") == 0 || strcmp(tx.benchmark, "expression") == 0 ?
		       0 :
		       set_name(b, tx.benchmark);
}

/* Note why counters are missing, unless that was noted before the command started. */
static int note_counts(const struct pipa_run_measurement *b, bool any)
{
	const struct pipa_run_counts *own = &b->counts[PIPA_RUN_SET_OWN];
	const struct pipa_run_counts *cpus = &b->counts[PIPA_RUN_SET_CPUS];
	int rc = 0;

	if (!any && !b->o->n_events && (own->instrument.on || own->instrument.err.code == -ENODEV))
		rc = pipa_run_note(
			b->run,
			"no cycles or instructions: no usable hardware counters. See pipa doctor.");
	else if (!own->instrument.on)
		rc = pipa_run_note(b->run, "the command was not counted: %s",
				   own->instrument.err.what);
	if (!rc && isnan(b->run->values[PIPA_RUN_MIGRATIONS]) && !own->instrument.on)
		rc = pipa_run_note(
			b->run,
			"CPU migrations not counted (they slow down context switches). Use -e "
			"cpu-migrations.");
	if (!rc && !cpus->instrument.on)
		rc = pipa_run_note(b->run, "CPUs were not counted: %s", cpus->instrument.err.what);
	if (!rc && own->instrument.on && pipa_run_is_user_only(b->run->own))
		rc = pipa_run_note(b->run, "only user space was counted");
	return rc;
}

/* Set the metrics from counters: of the named cores if permitted, else of the command. */
static int set_counts(struct pipa_run_measurement *b)
{
	struct pipa_run *run = b->run;
	const struct pipa_stat *topdown = finished_counts(b, PIPA_RUN_SET_TOPDOWN);
	const struct pipa_stat *energy = finished_counts(b, PIPA_RUN_SET_ENERGY);
	bool any = false;

	run->own = finished_counts(b, PIPA_RUN_SET_OWN);
	run->asked = b->o->n_events || b->o->detail;
	run->cpus = finished_counts(b, PIPA_RUN_SET_CPUS);
	if (b->o->cores && run->cpus && pipa_run_take_counts(run, run->cpus)) {
		run->scope = "cores";
		any = true;
	} else if (run->own && pipa_run_take_counts(run, run->own)) {
		run->scope = "command";
		any = true;
	}
	if (topdown)
		pipa_run_take_slots(run, topdown);
	if (energy)
		run->values[PIPA_RUN_JOULES] = pipa_run_count(energy, "energy-pkg");
	if (run->own)
		run->values[PIPA_RUN_MIGRATIONS] = pipa_run_count(run->own, "cpu-migrations");
	if (run->own && pipa_run_is_user_only(run->own)) /* context switches happen in the kernel */
		run->values[PIPA_RUN_MIGRATIONS] = NAN;
	return note_counts(b, any);
}

static int set_machine(struct pipa_run_measurement *b)
{
	struct pipa_run_series series;
	int rc;

	pipa_run_series_init(&series, b->run, b->o->dev);
	rc = pipa_watch_emit_whole(b->statistics.watch, &series.sink);
	if (!rc)
		rc = pipa_run_series_finish(&series);
	b->run->late_ticks = pipa_watch_count(b->statistics.watch).late;
	if (isnan(b->run->values[PIPA_RUN_MHZ]))
		b->run->values[PIPA_RUN_MHZ] = b->o->mhz;
	if (!rc && b->o->dev && !series.has_dev)
		rc = pipa_run_note(b->run, "no I/O statistics for %s", b->o->dev);
	return rc;
}

static int set_samples(struct pipa_run_measurement *b)
{
	struct pipa_run *run = b->run;
	struct pipa_error err = { 0 };

	if (b->o->no_record)
		return 0;
	if (!b->samples.on && !b->recording.outcome.samples)
		return pipa_run_note(run, "no samples were taken: %s", b->samples.err.what);
	run->samples = b->recording.outcome.samples;
	run->lost_samples = b->recording.outcome.lost;
	if (!b->samples.on && /* disk full: report the samples written so far */
	    pipa_run_note(run, "samples are incomplete: %s", b->samples.err.what) < 0)
		return -ENOMEM;
	if (!run->samples)
		return pipa_run_note(run, "no samples: the command used too little CPU time");
	if (pipa_run_find_hot(b->record_path, NULL, run, &err) < 0)
		return pipa_run_note(run, "no hot functions: %s", err.what);
	return 0;
}

static int note_output(const struct pipa_run_measurement *b)
{
	int fd, rc = 0;

	for (fd = 1; !rc && fd <= 2; fd++)
		if (b->captured.failed[fd] && b->captured.failed[fd] != -EPIPE)
			rc = pipa_run_note(b->run, "the command's standard %s was truncated: %s",
					   fd == 1 ? "output" : "error",
					   pipa_error_text(b->captured.failed[fd]));
	if (!rc && b->captured.held)
		rc = pipa_run_note(
			b->run, "processes started by the command still hold its output open. Use "
				"--no-capture.");
	return rc;
}

/* Note that counters cover only a part of the run: they cannot be related to transactions. */
static int note_limit(const struct pipa_run_measurement *b)
{
	return !b->o->stat_ns || b->follow.end_ns - b->session.start_ns <= b->o->stat_ns ?
		       0 :
		       pipa_run_note(
			       b->run,
			       "counters and statistics cover the whole run, which was longer "
			       "than duration_stat");
}

int pipa_run_measurement_note(struct pipa_run_measurement *b, struct pipa_error *err)
{
	int rc;

	b->run->status = b->follow.status;
	rc = set_usage(b);
	if (!rc)
		rc = note_limit(b);
	if (!rc && !b->o->no_counters)
		rc = set_counts(b);
	if (!rc)
		rc = set_transactions(b);
	if (!rc && !b->o->no_statistics)
		rc = set_machine(b);
	if (!rc)
		rc = set_samples(b);
	if (!rc)
		rc = note_output(b);
	if (!rc)
		rc = pipa_run_keep_note(b);
	if (rc)
		return pipa_fail(err, rc, "report the measurements");
	pipa_run_derive(b->run);
	return 0;
}
