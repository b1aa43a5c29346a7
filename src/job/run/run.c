#include "job/run/run.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/run/run_metrics.h"
#include "analyze/run/run_name.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/outfile.h"
#include "import/run_json.h"
#include "job/run/run_config.h"
#include "job/run/run_from.h"
#include "job/run/run_own.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "kernel/machine/topology.h"

struct job {
	const struct pipa_run_options *o;
	const struct pipa_host *host;
	struct pipa_outfile *out;
	struct pipa_run base; /* an earlier run to compare with */
	struct pipa_cpus cores;

	struct pipa_run *runs;
	size_t n_runs;
	struct pipa_run_measurement *bench; /* of the last run: its counters are reported */
	struct pipa_run_from *from;	    /* earlier measurement, instead of a run */
	struct pipa_run_changes changes;
	sigset_t mask; /* signal mask at the start */
	bool stopped;
};

static void free_bench(struct job *job)
{
	if (!job->bench)
		return;
	pipa_run_measurement_close(job->bench);
	free(job->bench);
	job->bench = NULL;
}

static void job_done(struct job *job)
{
	size_t i;

	free_bench(job);
	pipa_run_from_close(job->from);
	for (i = 0; i < job->n_runs; i++)
		pipa_run_done(&job->runs[i]);
	free(job->runs);
	pipa_run_done(&job->base);
	pipa_cpus_done(&job->cores);
	pipa_outfile_free(job->out);
}

/* ---- before ------------------------------------------------------------------------------------- */

static int load_baseline(struct job *job, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error why = { 0 };
	int rc = pipa_file_read(job->o->baseline, &text, err);

	if (!rc) {
		rc = pipa_run_json_decode(pipa_buf_str(&text), text.len, &job->base, &why);
		if (rc < 0)
			pipa_refuse(err, rc, "cannot read %s: %s", job->o->baseline, why.what);
	}
	if (rc < 0)
		pipa_hint(err, "make one with: pipa run -f json -o FILE -- COMMAND");
	return rc;
}

/* Refuse a missing disk or core before anything runs. */
static int check_machine(struct job *job, struct pipa_error *err)
{
	const struct pipa_run_options *o = job->o;
	PIPA_AUTO(pipa_cpus_done) struct pipa_cpus online = { 0 };
	size_t i;
	int rc = 0;

	if (o->cores)
		rc = pipa_cpus_parse(o->cores, &job->cores, err);
	if (rc || o->from) /* files can come from another machine */
		return rc;
	if (o->cores)
		rc = pipa_topology_online(job->host->root, &online, err);
	for (i = 0; !rc && i < job->cores.n; i++)
		if (!pipa_cpus_has(&online, job->cores.items[i])) {
			pipa_refuse(err, -EINVAL, "--cores: CPU %d is not online",
				    job->cores.items[i]);
			rc = pipa_hint(err, "online CPUs are in /sys/devices/system/cpu/online");
		}
	if (!rc && o->dev && !pipa_root_has(job->host->root, PIPA_SYS, "class/block/%s", o->dev)) {
		pipa_refuse(err, -ENODEV, "--dev: no disk '%s'", o->dev);
		rc = pipa_hint(err, "list disks with: pipa monitor --disk");
	}
	return rc;
}

static int prepare(struct job *job, struct pipa_error *err)
{
	unsigned int most = job->o->repeat > 1 ? job->o->repeat : 1;
	int rc = check_machine(job, err);

	if (!rc && job->o->baseline)
		rc = load_baseline(job, err);
	if (!rc && job->o->output)
		rc = pipa_outfile_open(job->o->output, PIPA_OUTFILE_REPLACE, &job->out, err);
	else if (!rc)
		rc = pipa_outfile_wrap(job->o->out_fd, "standard output", &job->out, err);
	if (!rc) {
		job->runs = calloc(most, sizeof(*job->runs));
		rc = job->runs ? 0 : pipa_fail(err, -ENOMEM, "run");
	}
	return rc;
}

/* ---- one run ------------------------------------------------------------------------------------ */

static char *join_words(char **words)
{
	struct pipa_buf text = { 0 };
	size_t i;

	for (i = 0; words[i]; i++)
		pipa_buf_printf(&text, "%s%s", i ? " " : "", words[i]);
	return pipa_buf_take(&text);
}

/* Set what is known before the run starts. */
static int name_run(struct job *job, struct pipa_run *run, struct pipa_error *err)
{
	const struct pipa_run_options *o = job->o;

	run->command = join_words(o->command);
	run->workload = o->workload ? strdup(o->workload) : pipa_run_name(o->command, NULL);
	run->username = o->username ? strdup(o->username) : NULL;
	if (!run->command || !run->workload || (o->username && !run->username) ||
	    pipa_cpus_copy(&job->cores, &run->cores) < 0 || pipa_run_describe(o, run) < 0)
		return pipa_fail(err, -ENOMEM, "run %s", o->command[0]);
	return 0;
}

static int new_bench(struct job *job, struct pipa_run *run, struct pipa_error *err)
{
	const struct pipa_run_options *o = job->o;
	struct pipa_run_measurement *bench = calloc(1, sizeof(*bench));

	if (!bench)
		return pipa_fail(err, -ENOMEM, "run %s", o->command[0]);
	*bench = (struct pipa_run_measurement){
		.o = o,
		.host = job->host,
		.run = run,
		.number = job->n_runs,
		.record_fd = -1,
		.follow = { .command = o->command,
			    .command_signals = o->command_signals,
			    .host = job->host,
			    .child = { .go = -1, .failed = -1 } },
	};
	job->bench = bench;
	return 0;
}

/* ---- signals ------------------------------------------------------------------------------------ */

/*
 * Return a stop signal that is pending and not ignored, 0: none. The front end blocks them: while a command
 * runs they are passed on to it.
 */
static int pending_signal(const struct job *job)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action;
	sigset_t pending;
	size_t i;

	if (!job->host->owns_process)
		return 0;
	sigpending(&pending);
	for (i = 0; i < PIPA_COUNT(signals); i++)
		if (sigismember(&pending, signals[i]) > 0 &&
		    sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			return signals[i];
	return 0;
}

/* Was the series interrupted between two runs? The completed runs are reported. */
static bool is_series_over(struct job *job, struct pipa_run_outcome *outcome)
{
	int sig = job->n_runs ? pending_signal(job) : 0;

	if (sig && !outcome->status)
		outcome->status = 128 + sig;
	return sig || job->stopped;
}

static int run_once(struct job *job, struct pipa_run_outcome *outcome, struct pipa_error *err)
{
	struct pipa_run *run = &job->runs[job->n_runs++];
	int rc;

	pipa_run_init(run);
	free_bench(job);
	malloc_trim(
		0); /* return heap to the system: the child's peak RSS includes that of pipa at fork */
	rc = name_run(job, run, err);
	if (!rc)
		rc = new_bench(job, run, err);
	if (!rc)
		rc = pipa_run_measurement_open(job->bench, err);
	if (!rc && job->o->pin)
		rc = pipa_child_pin(&job->bench->follow.child, job->o->pin, err);
	if (!rc && job->n_runs == 1 && pending_signal(job)) {
		outcome->interrupted = true;
		rc = -EINTR;
	}
	if (!rc)
		rc = pipa_run_measurement_measure(job->bench, &outcome->exec_failed, err);
	if (!rc)
		rc = pipa_run_measurement_note(job->bench, err);
	if (!rc) {
		job->stopped = job->bench->follow.stopped;
		if (!outcome->status)
			outcome->status = run->status;
	}
	return rc;
}

/* Report an earlier measurement instead of running the command. */
static int read_earlier(struct job *job, struct pipa_error *err)
{
	struct pipa_run *run = &job->runs[job->n_runs++];

	pipa_run_init(run);
	if (pipa_cpus_copy(&job->cores, &run->cores) < 0 || pipa_run_describe(job->o, run) < 0)
		return pipa_fail(err, -ENOMEM, "read %s", job->o->from);
	return pipa_run_from_open(job->o, run, &job->from, err);
}

/* ---- the report --------------------------------------------------------------------------------- */

static bool has_regressed(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->changes.n; i++)
		if (pipa_run_regressed(&job->changes.items[i], job->o->fail_above))
			return true;
	return false;
}

/* List the regressions for a log that does not contain the report. */
static void note_regressed(const struct job *job)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };
	const struct pipa_run_changes *changes = &job->changes;
	const char *comma = "";
	size_t i;

	pipa_buf_printf(&line, "worse than the baseline by more than %g %%: ", job->o->fail_above);
	for (i = 0; i < changes->n; i++) {
		const struct pipa_run_change *change = &changes->items[i];

		if (!pipa_run_regressed(change, job->o->fail_above))
			continue;
		pipa_buf_printf(&line, "%s%s %+.1f %%", comma, pipa_run_keys[change->key].name,
				change->percent);
		comma = ", ";
	}
	if (!line.status)
		pipa_log_put(&job->o->log, PIPA_LOG_WARN, "%s", pipa_buf_str(&line));
}

static int write_report(struct job *job, const struct pipa_run *run, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const struct pipa_run_report report_runs = {
		.run = run,
		.each = run->runs > 1 ? job->runs : NULL,
		.changes = job->o->baseline ? &job->changes : NULL,
	};
	int rc;

	pipa_run_export(&report_runs, &job->o->look, &text);
	if (text.status)
		return pipa_fail(err, text.status, "write the report");
	rc = pipa_outfile_put(job->out, pipa_buf_str(&text), text.len, err);
	return rc ? rc : pipa_outfile_commit(job->out, err);
}

static int report_runs(struct job *job, struct pipa_run_outcome *outcome, struct pipa_error *err)
{
	struct pipa_run merged;
	struct pipa_run *run = &job->runs[0];
	int rc = 0;

	pipa_run_init(&merged);
	if (job->n_runs > 1) {
		rc = pipa_run_merge(job->runs, job->n_runs, &merged);
		merged.own = job->runs[job->n_runs - 1].own;
		merged.cpus = job->runs[job->n_runs - 1].cpus;
		merged.asked = job->runs[job->n_runs - 1].asked;
		run = &merged;
	}
	if (rc)
		rc = pipa_fail(err, rc, "report");
	if (!rc && job->o->baseline) {
		pipa_run_compare(run, &job->base, &job->changes);
		outcome->regressed = !isnan(job->o->fail_above) && has_regressed(job);
		if (pipa_run_note_differences(run, &job->base) < 0)
			rc = pipa_fail(err, -ENOMEM, "report");
	}
	if (!rc)
		rc = write_report(job, run, err);
	if (!rc && outcome->regressed)
		note_regressed(job);
	pipa_run_done(&merged);
	return rc;
}

int pipa_run_run(const struct pipa_host *host, const struct pipa_run_options *options,
		 struct pipa_run_outcome *ret, struct pipa_error *err)
{
	struct job job = { .o = options, .host = host };
	unsigned int i, most = options->repeat > 1 ? options->repeat : 1;
	int rc;

	pipa_run_init(&job.base);
	rc = prepare(&job, err);
	for (i = 0; !rc && i < most && !is_series_over(&job, ret); i++)
		rc = options->from ? read_earlier(&job, err) : run_once(&job, ret, err);
	if (!rc)
		rc = report_runs(&job, ret, err);
	job_done(&job);
	return rc;
}
