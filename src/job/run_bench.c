#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/run_metrics.h"
#include "analyze/run_series.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/outfile.h"
#include "job/monitor.h"
#include "job/monitor_record.h"
#include "job/run_own.h"
#include "job/watch.h"
#include "kernel/root.h"

enum { SCRATCH_BYTES = 1 << 30 };

/* ---- counters ----------------------------------------------------------------------------------- */

/* Counting of an interval's rows into the kept file, in the layout of perf stat -A -x, -I. */
static int keep_interval(void *ctx, struct pipa_stat *stat)
{
	struct pipa_run_bench *b = ctx;
	const struct pipa_stat_look look = { .form = PIPA_STAT_CSV, .separator = "," };

	if (!b->stat_file)
		return 0;
	pipa_buf_reset(&b->stat_text);
	pipa_stat_export(stat, &look, &b->stat_text);
	if (b->stat_text.status)
		return b->stat_text.status;
	return pipa_outfile_put(b->stat_file, pipa_buf_str(&b->stat_text), b->stat_text.len,
				b->err);
}

/* What each set counts, and on whom. */
static void describe_counts(struct pipa_run_bench *b)
{
	const struct pipa_run_options *o = b->o;
	const struct pipa_stat_options own = {
		.command = o->command,
		.events = o->events,
		.n_events = o->n_events,
		.detail = o->detail,
	};
	size_t i;

	for (i = 0; i < PIPA_RUN_SETS; i++)
		b->counts[i].options = own;
	b->counts[PIPA_RUN_SET_CPUS].options.system_wide = !o->cores;
	b->counts[PIPA_RUN_SET_CPUS].options.cpus = o->cores;
	b->counts[PIPA_RUN_SET_CPUS].options.by = PIPA_AGGR_CPU;
	b->counts[PIPA_RUN_SET_CPUS].options.interval_ns = o->keep ? o->interval_ns : 0;
	b->counts[PIPA_RUN_SET_TOPDOWN].options.topdown = true;
	b->counts[PIPA_RUN_SET_TOPDOWN].options.n_events = 0;
	b->energy = (struct pipa_event_arg){ .text = "power/energy-pkg/" };
	b->counts[PIPA_RUN_SET_ENERGY].options = (struct pipa_stat_options){
		.command = o->command,
		.system_wide = true,
		.events = &b->energy,
		.n_events = 1,
	};
}

static void plan_counts(struct pipa_run_bench *b)
{
	size_t i;

	describe_counts(b);
	for (i = 0; i < PIPA_RUN_SETS; i++) {
		struct pipa_run_counts *counts = &b->counts[i];

		counts->counting = (struct pipa_counting){
			.o = &counts->options,
			.perf = b->perf,
			.root = b->root,
			.follow = &b->follow,
			.err = &counts->err,
			.report = i == PIPA_RUN_SET_CPUS ? keep_interval : NULL,
			.ctx = b,
		};
		counts->on = pipa_counting_plan(&counts->counting) == 0;
	}
}

static void open_counts(struct pipa_run_bench *b)
{
	size_t i;

	for (i = 0; i < PIPA_RUN_SETS; i++) {
		struct pipa_run_counts *counts = &b->counts[i];

		if (counts->on)
			counts->on = pipa_follow_aim(&b->follow, &counts->counting.plan.whom) ==
					     0 &&
				     pipa_counting_open(&counts->counting) == 0;
	}
}

static void begin_counts(struct pipa_run_bench *b)
{
	size_t i;

	for (i = 0; i < PIPA_RUN_SETS; i++)
		if (b->counts[i].on)
			b->counts[i].on = pipa_counting_begin(&b->counts[i].counting) == 0;
}

static const struct pipa_stat *finished(struct pipa_run_bench *b, enum pipa_run_set set)
{
	return b->counts[set].on ? pipa_counting_stat(&b->counts[set].counting) : NULL;
}

/* ---- samples ------------------------------------------------------------------------------------ */

static void note_line(void *ctx, const char *line)
{
	struct pipa_run_bench *b = ctx;

	pipa_run_note(b->run, "%s", line);
}

/* Into the folder that is kept, or into one of our own that is gone as soon as the file is open. */
static int name_recording(struct pipa_run_bench *b)
{
	const char *dir = getenv("TMPDIR");

	if (b->o->keep)
		return asprintf(&b->record_path, "%s/perf.data", b->o->keep) < 0 ? -ENOMEM : 0;
	if (asprintf(&b->scratch, "%s/pipa-run-XXXXXX", dir && *dir ? dir : "/tmp") < 0)
		return -ENOMEM;
	if (!mkdtemp(b->scratch)) {
		int code = -errno;

		free(b->scratch);
		b->scratch = NULL;
		return code;
	}
	return asprintf(&b->record_path, "%s/perf.data", b->scratch) < 0 ? -ENOMEM : 0;
}

/* From here on the recording has a descriptor and no name: nothing stays behind, whatever happens. */
static int hide_recording(struct pipa_run_bench *b)
{
	int rc = 0;

	if (!b->scratch)
		return 0;
	b->record_fd = open(b->record_path, O_RDONLY | O_CLOEXEC);
	if (b->record_fd < 0)
		rc = -errno;
	unlink(b->record_path);
	rmdir(b->scratch);
	free(b->record_path);
	free(b->scratch);
	b->scratch = NULL;
	if (rc || asprintf(&b->record_path, "/proc/self/fd/%d", b->record_fd) < 0) {
		b->record_path = NULL;
		return pipa_fail(&b->record_err, rc ? rc : -ENOMEM, "record samples");
	}
	return 0;
}

static void plan_recording(struct pipa_run_bench *b)
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
	b->record_options = (struct pipa_record_options){
		.whom = { .command = o->command, .verb = "record" },
		.hz = o->hz,
		.calls = o->calls,
		.output = b->record_path,
		.max_bytes = o->keep ? 0 : SCRATCH_BYTES,
		.progress_fd = -1,
		.argv = o->argv,
		.argc = o->argc,
		.version = o->version,
		.say = note_line,
		.ctx = b,
	};
	b->recording = (struct pipa_record_job){
		.o = &b->record_options,
		.err = &b->record_err,
		.perf = b->perf,
		.root = b->root,
		.follow = &b->follow,
	};
	b->recording_on = pipa_record_plan_make(&b->record_options, b->perf, b->root,
						&b->recording.plan, &b->record_err) == 0;
}

static void open_recording(struct pipa_run_bench *b)
{
	if (b->recording_on)
		b->recording_on = pipa_follow_aim(&b->follow, &b->recording.plan.whom) == 0 &&
				  pipa_record_open(&b->recording) == 0 && hide_recording(b) == 0;
}

/* ---- statistics --------------------------------------------------------------------------------- */

static int drop_row(struct pipa_series_sink *self PIPA_UNUSED,
		    const struct pipa_section *section PIPA_UNUSED,
		    const struct pipa_tick *tick PIPA_UNUSED, const char *instance PIPA_UNUSED,
		    const double *values PIPA_UNUSED)
{
	return 0;
}

/* Sections that the report is made of, and those that are kept. */
static size_t choose_sections(const struct pipa_section **ret, size_t max, bool keep)
{
	static const char *const wanted[] = { "cpu", "mem", "disk", "net", "freq", "cswch" };
	const struct pipa_section *section;
	size_t i, k, n = 0;

	for (i = 0; (section = pipa_monitor_section(i)) && n < max; i++) {
		bool is_wanted = keep && pipa_recorder_file(section->name);

		for (k = 0; k < PIPA_COUNT(wanted); k++)
			is_wanted |= strcmp(section->name, wanted[k]) == 0;
		if (is_wanted)
			ret[n++] = section;
	}
	return n;
}

static int open_watch(struct pipa_run_bench *b)
{
	const struct pipa_section *sections[16];
	struct pipa_watch_options options = {
		.root = b->root,
		.sections = sections,
		.n_sections = choose_sections(sections, PIPA_COUNT(sections), b->recorder),
		.interval_ns = b->o->interval_ns,
		.sink = b->recorder ? pipa_recorder_sink(b->recorder) : &b->nobody,
	};

	b->nobody.row = drop_row;
	return pipa_watch_open(b->follow.loop, &options, &b->watch, b->err);
}

/* ---- output ------------------------------------------------------------------------------------- */

/* Called by the thread that passes it on. */
static void on_output(void *ctx, int stream, const char *bytes, size_t len)
{
	struct pipa_run_bench *b = ctx;

	if (b->transactions)
		pipa_transactions_put(b->transactions,
				      stream == 2 ? PIPA_TX_STDERR : PIPA_TX_STDOUT, bytes, len);
	if (b->outputs[stream] && pipa_outfile_put(b->outputs[stream], bytes, len, NULL) < 0) {
		pipa_outfile_free(
			b->outputs[stream]); /* the disk is full, say: the rest is not kept */
		b->outputs[stream] = NULL;
	}
}

static void on_resize(void *ctx)
{
	struct pipa_run_bench *b = ctx;

	pipa_capture_resize(b->capture, b->follow.child.pid);
}

static int open_capture(struct pipa_run_bench *b)
{
	int rc = pipa_transactions_new(b->o->expression, &b->transactions, b->err);

	if (!rc && !isnan(b->o->transactions))
		pipa_transactions_give(b->transactions, b->o->transactions);
	if (rc || b->o->no_capture)
		return rc;
	rc = pipa_capture_open(&b->capture, b->err);
	if (!rc) {
		b->follow.streams = pipa_capture_streams(b->capture);
		b->follow.resized = on_resize;
		b->follow.ctx = b;
	}
	return rc;
}

/* ---- what is kept -------------------------------------------------------------------------------- */

static int keep_file(struct pipa_run_bench *b, const char *name, struct pipa_outfile **ret)
{
	char *path = NULL;
	int rc;

	if (asprintf(&path, "%s/%s", b->o->keep, name) < 0)
		return pipa_fail(b->err, -ENOMEM, "keep %s", name);
	rc = pipa_outfile_open(path, PIPA_OUTFILE_STREAM, ret, b->err);
	free(path);
	return rc;
}

static int open_kept(struct pipa_run_bench *b)
{
	char host[256] = "";
	int rc;

	if (!b->o->keep)
		return 0;
	if (mkdir(b->o->keep, 0777) < 0 && errno != EEXIST)
		return pipa_fail(b->err, -errno, "make %s", b->o->keep);
	gethostname(host, sizeof(host) - 1);
	rc = keep_file(b, "perf-stat.csv", &b->stat_file);
	if (!rc && !b->o->no_capture)
		rc = keep_file(b, "stdout.txt", &b->outputs[1]);
	if (!rc && !b->o->no_capture)
		rc = keep_file(b, "stderr.txt", &b->outputs[2]);
	if (!rc)
		rc = pipa_recorder_open(
			&(struct pipa_recorder_options){ .dir = b->o->keep,
							 .host = host,
							 .fractions = b->o->interval_ns <
								      PIPA_NS_PER_SEC },
			&b->recorder, b->err);
	return rc;
}

/* ---- one run ------------------------------------------------------------------------------------ */

int pipa_run_bench_open(struct pipa_run_bench *b)
{
	int rc = open_kept(b);

	if (!rc)
		rc = open_capture(b);
	if (rc)
		return rc;
	plan_counts(b);
	plan_recording(b);
	rc = pipa_follow_begin(&b->follow);
	if (rc)
		return rc;
	open_counts(b);
	open_recording(b);
	return open_watch(b);
}

static void finish_parts(struct pipa_run_bench *b)
{
	size_t i;

	pipa_watch_end(b->watch);
	for (i = 0; i < PIPA_RUN_SETS; i++)
		if (b->counts[i].on)
			b->counts[i].on = pipa_counting_finish(&b->counts[i].counting) == 0;
	if (b->recording_on)
		b->recording_on = pipa_record_finish(&b->recording, &b->recorded) == 0;
	if (b->capture)
		b->captured = pipa_capture_finish(b->capture);
	pipa_transactions_end(b->transactions);
}

int pipa_run_bench_measure(struct pipa_run_bench *b, bool *ret_exec_failed)
{
	int rc = 0;

	begin_counts(b);
	if (b->recording_on)
		b->recording_on = pipa_record_begin(&b->recording) == 0;
	if (b->capture)
		rc = pipa_capture_begin(b->capture, on_output, b, b->err);
	if (rc)
		return rc;
	b->start_ns = pipa_clock_ns();
	rc = pipa_follow_release(&b->follow, ret_exec_failed);
	if (!rc)
		rc = pipa_loop_run(b->follow.loop, b->err);
	if (rc)
		return rc;
	pipa_follow_finish(&b->follow);
	finish_parts(b);
	return 0;
}

/* ---- what came of it ---------------------------------------------------------------------------- */

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

/* The kernel's own account of the command and of the children it waited for. */
static void tell_usage(const struct pipa_run_bench *b)
{
	const struct rusage *usage = &b->follow.child.usage;
	double *v = b->run->values;

	v[PIPA_RUN_TIME] = (double)(b->follow.end_ns - b->start_ns) / 1e9;
	if (!b->follow.child.ended)
		return;
	v[PIPA_RUN_USER_SECONDS] = seconds(usage->ru_utime);
	v[PIPA_RUN_SYS_SECONDS] = seconds(usage->ru_stime);
	v[PIPA_RUN_SWITCHES] = (double)(usage->ru_nvcsw + usage->ru_nivcsw);
	v[PIPA_RUN_FAULTS] = (double)(usage->ru_minflt + usage->ru_majflt);
	v[PIPA_RUN_MAJOR_FAULTS] = (double)usage->ru_majflt;
	v[PIPA_RUN_PEAK_KB] = (double)usage->ru_maxrss;
	v[PIPA_RUN_READ_KB] = (double)usage->ru_inblock / 2;
	v[PIPA_RUN_WRITTEN_KB] = (double)usage->ru_oublock / 2;
}

static int tell_transactions(const struct pipa_run_bench *b)
{
	struct pipa_run_source *source = &b->run->transactions;
	struct pipa_tx tx;
	int n;

	if (!pipa_transactions_get(b->transactions, &tx))
		return pipa_run_note(b->run,
				     "no transactions were recognised in the output: "
				     "--transactions N or --transactions-regex RE tells them");
	b->run->values[PIPA_RUN_TRANSACTIONS] = tx.count;
	b->run->values[PIPA_RUN_REPORTED_RATE] = tx.rate;
	source->by_rate = isnan(tx.count);
	if (strcmp(tx.benchmark, "given") == 0)
		n = asprintf(&source->pattern, "--transactions");
	else
		n = asprintf(&source->pattern, "%s: %s", tx.benchmark, tx.pattern);
	source->line = tx.line[0] ? strdup(tx.line) : NULL;
	source->unit = tx.unit ? strdup(tx.unit) : NULL;
	if (n < 0)
		source->pattern = NULL;
	return source->pattern && (source->line || !tx.line[0]) && (source->unit || !tx.unit) ?
		       0 :
		       -ENOMEM;
}

/* The counters that keys are of: of the named cores where that is permitted, else of the command. */
static void tell_counts(struct pipa_run_bench *b)
{
	struct pipa_run *run = b->run;
	const struct pipa_stat *topdown = finished(b, PIPA_RUN_SET_TOPDOWN);
	const struct pipa_stat *energy = finished(b, PIPA_RUN_SET_ENERGY);
	bool any = false;

	run->own = finished(b, PIPA_RUN_SET_OWN);
	run->cpus = finished(b, PIPA_RUN_SET_CPUS);
	if (topdown)
		pipa_run_take_counts(run, topdown);
	if (b->o->cores && run->cpus && pipa_run_take_counts(run, run->cpus)) {
		run->scope = "cores";
		any = true;
	} else if (run->own && pipa_run_take_counts(run, run->own)) {
		run->scope = "command";
		any = true;
	}
	if (energy)
		run->values[PIPA_RUN_JOULES] = pipa_run_count(energy, "energy-pkg");
	if (run->own)
		run->values[PIPA_RUN_MIGRATIONS] = pipa_run_count(run->own, "cpu-migrations");
	if (!b->counts[PIPA_RUN_SET_OWN].on)
		pipa_run_note(run, "the command was not counted: %s",
			      b->counts[PIPA_RUN_SET_OWN].err.what);
	else if (!any)
		pipa_run_note(run, "no cycles or instructions: this machine has no hardware "
				   "counters that we may use; pipa doctor says more");
	if (!b->counts[PIPA_RUN_SET_CPUS].on)
		pipa_run_note(run, "CPUs were not counted: %s",
			      b->counts[PIPA_RUN_SET_CPUS].err.what);
}

static int tell_machine(struct pipa_run_bench *b)
{
	struct pipa_run_series series;
	int rc;

	pipa_run_series_init(&series, b->run, b->o->dev);
	rc = pipa_watch_emit_whole(b->watch, &series.sink);
	if (!rc)
		rc = pipa_run_series_finish(&series);
	b->run->late_ticks = pipa_watch_count(b->watch).late;
	if (isnan(b->run->values[PIPA_RUN_MHZ]))
		b->run->values[PIPA_RUN_MHZ] = b->o->mhz;
	if (!rc && b->o->dev && !series.has_dev)
		rc = pipa_run_note(b->run, "%s did nothing that the kernel tells of", b->o->dev);
	return rc;
}

static int tell_samples(struct pipa_run_bench *b)
{
	struct pipa_run *run = b->run;
	struct pipa_error err = { 0 };

	if (b->o->no_record)
		return 0;
	if (!b->recording_on)
		return pipa_run_note(run, "no samples were taken: %s", b->record_err.what);
	run->samples = b->recorded.samples;
	run->lost_samples = b->recorded.lost;
	if (!run->samples)
		return pipa_run_note(run, "no samples: the command took too little CPU time");
	if (pipa_run_find_hot(b->record_path, run, &err) < 0)
		return pipa_run_note(run, "no hot functions: %s", err.what);
	return 0;
}

static int tell_output(const struct pipa_run_bench *b)
{
	int fd, rc = 0;

	for (fd = 1; !rc && fd <= 2; fd++)
		if (b->captured.failed[fd] && b->captured.failed[fd] != -EPIPE)
			rc = pipa_run_note(b->run, "the command's standard %s was cut: %s",
					   fd == 1 ? "output" : "error",
					   strerror(-b->captured.failed[fd]));
	if (!rc && b->captured.held)
		rc = pipa_run_note(b->run, "the command left processes behind that still hold its "
					   "output; --no-capture leaves it to them");
	return rc;
}

int pipa_run_bench_tell(struct pipa_run_bench *b)
{
	int rc;

	b->run->status = b->follow.status;
	tell_usage(b);
	tell_counts(b);
	rc = tell_transactions(b);
	if (!rc)
		rc = tell_machine(b);
	if (!rc)
		rc = tell_samples(b);
	if (!rc)
		rc = tell_output(b);
	if (rc)
		return pipa_fail(b->err, rc, "tell what was measured");
	pipa_run_derive(b->run);
	return 0;
}

static void close_kept(struct pipa_run_bench *b)
{
	size_t i;

	pipa_recorder_close(b->recorder);
	pipa_outfile_free(b->stat_file);
	for (i = 0; i < PIPA_COUNT(b->outputs); i++)
		pipa_outfile_free(b->outputs[i]);
	pipa_buf_done(&b->stat_text);
}

void pipa_run_bench_close(struct pipa_run_bench *b)
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
	close_kept(b);
	hide_recording(b);
	pipa_fd_close(b->record_fd);
	free(b->record_path);
}
