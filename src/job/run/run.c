#include "job/run/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/run/run_rank.h"
#include "base/buf.h"
#include "base/file/file.h"
#include "base/nearest.h"
#include "base/file/outfile.h"
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
	struct pipa_outfile **exports; /* one per pipa_run_options.exports */
	struct pipa_run base;	       /* an earlier run to compare with */
	struct pipa_run_changes changes;

	struct pipa_run_commands commands;
	struct pipa_run_options chosen; /* those of the user, with what a comparison measures */
	struct pipa_run_sequence sequence;
	struct pipa_run_repeats *repeats; /* one per command */
	struct pipa_run earlier;	  /* instead of runs */
	struct pipa_run_from *from;
};

static void job_done(struct job *job)
{
	size_t i;

	pipa_run_sequence_done(&job->sequence);
	pipa_run_from_close(job->from);
	for (i = 0; job->repeats && i < job->commands.n; i++)
		pipa_run_repeats_done(&job->repeats[i]);
	free(job->repeats);
	pipa_run_commands_done(&job->commands);
	pipa_run_done(&job->earlier);
	pipa_run_done(&job->base);
	pipa_outfile_free(job->out);
	for (i = 0; job->exports && i < job->o->n_exports; i++)
		pipa_outfile_free(job->exports[i]);
	free(job->exports);
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
		rc = pipa_cpus_parse(o->cores, &job->sequence.cores, err);
	if (rc || o->from) /* files can come from another machine */
		return rc;
	if (o->cores)
		rc = pipa_topology_online(job->host->root, &online, err);
	for (i = 0; !rc && i < job->sequence.cores.n; i++)
		if (!pipa_cpus_has(&online, job->sequence.cores.items[i])) {
			pipa_refuse(err, -EINVAL, "--cores: CPU %d is not online",
				    job->sequence.cores.items[i]);
			rc = pipa_hint(err, "online CPUs are in /sys/devices/system/cpu/online");
		}
	if (!rc && o->dev && !pipa_root_has(job->host->root, PIPA_SYS, "class/block/%s", o->dev)) {
		pipa_refuse(err, -ENODEV, "--dev: no disk '%s'", o->dev);
		rc = pipa_hint(err, "list disks with: pipa monitor --disk");
	}
	return rc;
}

static int open_outputs(struct job *job, struct pipa_error *err)
{
	const struct pipa_run_options *o = job->o;
	size_t i;
	int rc = 0;

	if (o->output)
		rc = pipa_outfile_open(o->output, PIPA_OUTFILE_REPLACE, &job->out, err);
	else if (o->out_fd >= 0 || !o->document)
		rc = pipa_outfile_wrap(o->out_fd, "standard output", &job->out, err);
	job->exports = calloc(o->n_exports + 1, sizeof(struct pipa_outfile *));
	if (!rc && !job->exports)
		rc = pipa_fail(err, -ENOMEM, "run");
	for (i = 0; !rc && i < o->n_exports; i++)
		rc = pipa_outfile_open(o->exports[i].path, PIPA_OUTFILE_REPLACE, &job->exports[i],
				       err);
	return rc;
}

/* Find the metric of the options, PIPA_RUN_KEYS if none is given. */
static int find_metric(const struct pipa_run_options *o, enum pipa_run_key *ret,
		       struct pipa_error *err)
{
	struct pipa_nearest near = { .wanted = o->metric };
	enum pipa_run_key key;
	char hint[200];

	*ret = o->metric ? pipa_run_key_find(o->metric) : PIPA_RUN_KEYS;
	if (!o->metric || *ret < PIPA_RUN_KEYS)
		return 0;
	for (key = 0; key < PIPA_RUN_KEYS; key++)
		pipa_nearest_offer(&near, pipa_run_keys[key].name);
	pipa_refuse(err, -EINVAL, "--metric: unknown metric '%s'", o->metric);
	return pipa_hint(err, "%s",
			 near.n ? pipa_nearest_hint(&near, hint, sizeof(hint)) :
				  "-f json lists the metrics of a run");
}

/* Choose the instruments of a comparison: those that its metric and the options need. */
static int choose_instruments(struct job *job, struct pipa_error *err)
{
	struct pipa_run_options *o = &job->chosen;
	enum pipa_run_key key;
	enum pipa_run_group group;
	int rc = find_metric(o, &key, err);

	if (rc || !job->sequence.comparing)
		return rc;
	group = key < PIPA_RUN_KEYS ? pipa_run_keys[key].group : PIPA_RUN_COMMAND;
	o->no_counters = group != PIPA_RUN_COUNTS && group != PIPA_RUN_ENERGY && !o->n_events &&
			 !o->detail && !o->cores;
	o->no_statistics = group < PIPA_RUN_CPU || group == PIPA_RUN_ENERGY;
	o->no_record = !o->record;
	o->hide_output = !o->show_output;
	o->brief = group <= PIPA_RUN_COMMAND && key != PIPA_RUN_PEAK_KB;
	return 0;
}

static bool is_table(enum pipa_run_form form)
{
	return form == PIPA_RUN_MARKDOWN || form == PIPA_RUN_CSV;
}

static int prepare(struct job *job, struct pipa_error *err)
{
	const struct pipa_run_options *o = job->o;
	size_t i;
	int rc = check_machine(job, err);

	if (!rc && o->baseline)
		rc = load_baseline(job, err);
	if (!rc && !o->from)
		rc = pipa_run_commands_list(o, &job->commands, err);
	job->sequence.comparing = job->commands.n > 1 || o->metric || is_table(o->format.form);
	for (i = 0; i < o->n_exports; i++)
		job->sequence.comparing |= is_table(o->exports[i].form);
	if (!rc && job->commands.n > 1 && (o->baseline || o->keep))
		rc = pipa_refuse(err, -EINVAL,
				 "--baseline and --keep cannot be combined with several commands");
	if (!rc)
		rc = choose_instruments(job, err);
	if (!rc)
		rc = open_outputs(job, err);
	job->repeats = calloc(job->commands.n + 1, sizeof(*job->repeats));
	return rc || job->repeats ? rc : pipa_fail(err, -ENOMEM, "run");
}

/* ---- the runs ----------------------------------------------------------------------------------- */

/* Does the start-up time of sh matter? Not to a single run. */
static bool needs_calibration(const struct job *job)
{
	size_t i;

	if (!job->sequence.comparing && job->o->repeat < 2)
		return false;
	for (i = 0; i < job->commands.n; i++)
		if (job->commands.items[i].by_shell)
			return true;
	return false;
}

static int run_commands(struct job *job, struct pipa_run_outcome *outcome, struct pipa_error *err)
{
	struct pipa_run_sequence *s = &job->sequence;
	size_t i;
	int rc = 0;

	s->n_commands = job->commands.n;
	if (needs_calibration(job))
		rc = pipa_run_sequence_calibrate(s, outcome, err);
	for (i = 0; !rc && i < job->commands.n && !s->stopped; i++) {
		job->repeats[i].command = &job->commands.items[i];
		job->repeats[i].number = i + 1;
		job->repeats[i].o = job->chosen;
		rc = pipa_run_repeats_measure(s, &job->repeats[i], outcome, err);
	}
	pipa_log_progress_end(&job->o->log);
	return rc;
}

/* Report an earlier measurement instead of running the command. */
static int read_earlier(struct job *job, struct pipa_error *err)
{
	struct pipa_run *run = &job->earlier;

	if (pipa_cpus_copy(&job->sequence.cores, &run->cores) < 0 ||
	    pipa_run_describe(job->o, run) < 0)
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

/* Write one report in the form of each output. */
static int write_reports(struct job *job, const struct pipa_run_report *report,
			 struct pipa_error *err)
{
	static const struct pipa_run_format json = { .form = PIPA_RUN_JSON };
	size_t i;
	int rc = 0;

	if (job->o->document) {
		pipa_run_export(report, &json, job->o->document);
		if (job->o->document->status)
			return pipa_fail(err, job->o->document->status, "write the report");
	}
	for (i = job->out ? 0 : 1; !rc && i <= job->o->n_exports; i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
		struct pipa_outfile *file = i ? job->exports[i - 1] : job->out;
		struct pipa_run_format format = job->o->format;

		if (i)
			format = (struct pipa_run_format){ .form = job->o->exports[i - 1].form };
		pipa_run_export(report, &format, &text);
		if (text.status)
			return pipa_fail(err, text.status, "write the report");
		rc = pipa_outfile_put(file, pipa_buf_str(&text), text.len, err);
		if (!rc)
			rc = pipa_outfile_commit(file, err);
	}
	return rc;
}

/* Rank the commands that were measured, and set the ranking of the report. */
static int rank_commands(struct job *job, struct pipa_run_ranking *r, struct pipa_error *err)
{
	size_t i;
	int rc;

	r->items = calloc(job->commands.n + 1, sizeof(*r->items));
	if (!r->items)
		return pipa_fail(err, -ENOMEM, "report");
	for (i = 0; i < job->commands.n; i++) {
		const struct pipa_run_repeats *repeats = &job->repeats[i];

		if (repeats->run)
			r->items[r->n++] = (struct pipa_run_candidate){
				.run = repeats->run,
				.each = repeats->items,
				.values = repeats->command->values,
				.failed = repeats->failed,
			};
	}
	r->parameters = job->commands.parameters;
	r->n_parameters = job->commands.n_parameters;
	r->warmup = job->o->warmup;
	r->shell_seconds = job->sequence.shell.values[PIPA_RUN_TIME];
	rc = find_metric(job->o, &r->key, err);
	if (!rc && r->key == PIPA_RUN_KEYS)
		r->key = pipa_run_default_metric(r->items, r->n);
	pipa_run_rank(r);
	if (rc || !r->n || r->items[r->reference].spread.n)
		return rc;
	pipa_refuse(err, -ENODATA, "--metric: %s was not measured", pipa_run_keys[r->key].name);
	return pipa_hint(err, "%s",
			 r->items[0].run->notes.n ? r->items[0].run->notes.items[0] :
						    "see pipa doctor");
}

static int report_runs(struct job *job, struct pipa_run_outcome *outcome, struct pipa_error *err)
{
	struct pipa_run *run = job->o->from ? &job->earlier : job->repeats[0].run;
	struct pipa_run_ranking ranking = { 0 };
	struct pipa_run_report report = { .run = run,
					  .quality = pipa_run_from_quality(job->from),
					  .phases = pipa_run_from_phases(job->from) };
	int rc = 0;

	if (!run) /* a signal came before the first run */
		return 0;
	report.each = run->runs > 1 ? job->repeats[0].items : NULL;
	if (job->o->baseline) {
		pipa_run_compare(run, &job->base, &job->changes);
		report.changes = &job->changes;
		outcome->regressed = !isnan(job->o->fail_above) && has_regressed(job);
		if (pipa_run_note_differences(run, &job->base) < 0)
			rc = pipa_fail(err, -ENOMEM, "report");
	}
	if (!rc && job->sequence.comparing) {
		rc = rank_commands(job, &ranking, err);
		report.ranking = &ranking;
	}
	if (!rc)
		rc = write_reports(job, &report, err);
	if (!rc && outcome->regressed)
		note_regressed(job);
	free(ranking.items);
	return rc;
}

int pipa_run_run(const struct pipa_host *host, const struct pipa_run_options *options,
		 struct pipa_run_outcome *ret, struct pipa_error *err)
{
	struct job job = { .o = options, .host = host, .chosen = *options };
	int rc;

	job.sequence.o = &job.chosen;
	job.sequence.host = host;
	pipa_run_init(&job.base);
	pipa_run_init(&job.sequence.shell);
	pipa_run_init(&job.earlier);
	rc = prepare(&job, err);
	if (!rc)
		rc = options->from ? read_earlier(&job, err) : run_commands(&job, ret, err);
	if (!rc)
		rc = report_runs(&job, ret, err);
	job_done(&job);
	return rc;
}
