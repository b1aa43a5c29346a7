#include "job/run/run_from.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/counts_sum.h"
#include "analyze/run/run_metrics.h"
#include "base/auto.h"
#include "base/error.h"
#include "base/file.h"
#include "import/bench/transactions.h"
#include "import/stat_csv.h"
#include "job/run/run_own.h"
#include "store/archive.h"

enum { MOST = 1 << 30 };

struct pipa_run_from {
	const struct pipa_run_options *o;
	struct pipa_run *run;
	struct pipa_error *err;
	struct pipa_archive *archive;
	struct pipa_counts counts;
	struct pipa_counts_sum sum;
	double statistics_s; /* time covered by the statistics; NaN: none */
	bool any;	     /* a known file was found */
};

void pipa_run_from_close(struct pipa_run_from *from)
{
	if (!from)
		return;
	pipa_archive_close(from->archive);
	pipa_counts_sum_done(&from->sum);
	pipa_counts_done(&from->counts);
	free(from);
}

/* Return the last component of the real path, for paths such as ".". */
static char *name_of(const char *path)
{
	PIPA_AUTO(free) char *whole = realpath(path, NULL);
	const char *slash = whole ? strrchr(whole, '/') : NULL;

	return strdup(slash && slash[1] ? slash + 1 : path);
}

static int name_run(struct pipa_run_from *f)
{
	struct pipa_run *run = f->run;
	const struct pipa_run_options *o = f->o;

	run->data_location = strdup(o->from);
	run->workload = o->workload ? strdup(o->workload) : name_of(o->from);
	run->username = o->username ? strdup(o->username) : NULL;
	return run->data_location && run->workload && (run->username || !o->username) ? 0 : -ENOMEM;
}

/* ---- counters ------------------------------------------------------------------------------------ */

static int note_damage(struct pipa_run_from *f, const char *name,
		       const struct pipa_stat_csv_result *result)
{
	if (!result->damaged)
		return 0;
	return pipa_run_note(f->run, "%s: %zu malformed lines skipped, first in line %zu", name,
			     result->damaged, result->first_line);
}

/* Find the text of the counters: the file that was named, or one with a known name. */
static int find_counts(struct pipa_run_from *f, const char **ret_name, struct pipa_buf *ret)
{
	static const char *const names[] = { "perf-stat.csv", "perf_stat.txt", "perf_stat.csv" };
	int rc = -ENOENT;
	size_t i;

	if (f->o->from_stat) {
		*ret_name = f->o->from_stat;
		ret->max = MOST;
		return pipa_file_read(f->o->from_stat, ret, f->err);
	}
	for (i = 0; rc == -ENOENT && i < PIPA_COUNT(names); i++) {
		*ret_name = names[i];
		rc = pipa_archive_read(f->archive, names[i], ret, f->err);
	}
	return rc;
}

static int read_counts(struct pipa_run_from *f)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_stat_csv_result result = { 0 };
	const char *name;
	int rc = find_counts(f, &name, &text);

	if (rc == -ENOENT && !f->o->from_stat)
		return pipa_run_note(f->run,
				     "no counters: neither perf-stat.csv nor perf_stat.txt found");
	if (rc < 0)
		return rc;
	rc = pipa_stat_csv_decode(pipa_buf_str(&text), text.len, NULL, &f->counts, &result);
	if (rc < 0)
		return pipa_fail(f->err, rc, "read %s of %s", name, f->o->from);
	f->any |= f->counts.n;
	if (!f->counts.n)
		rc = pipa_run_note(f->run, "no counters: %s holds none", name);
	return rc ? rc : note_damage(f, name, &result);
}

/* Note the sources of the numbers. */
static int note_counts(struct pipa_run_from *f)
{
	const struct pipa_counts_sum *sum = &f->sum;
	struct pipa_run *run = f->run;
	size_t i;
	int rc = 0;

	if (run->cores.n && !sum->by_cpu)
		rc = pipa_run_note(
			run, "the counters are not per CPU: they are of all CPUs, not of --cores");
	for (i = 0; !rc && sum->by_cpu && i < run->cores.n; i++)
		if (!pipa_counts_sum_has(sum, run->cores.items[i]))
			rc = pipa_run_note(run, "no counters of CPU %d", run->cores.items[i]);
	if (!rc && sum->least)
		rc = pipa_run_note(
			run, "%s was multiplexed (running %.1f %% of the time): counts are scaled",
			sum->least, sum->least_percent);
	if (!rc && !run->scope)
		rc = pipa_run_note(run, "no cycles or instructions were counted");
	return rc;
}

static int import_counts(struct pipa_run_from *f)
{
	struct pipa_run *run = f->run;
	int rc = read_counts(f);

	if (rc || !f->counts.n)
		return rc;
	rc = pipa_counts_sum(&f->counts, &run->cores, &f->sum);
	if (rc < 0)
		return pipa_fail(f->err, rc, "sum the counters");
	run->cpus = &f->sum.stat;
	if (pipa_run_take_counts(run, run->cpus))
		run->scope = run->cores.n && f->sum.by_cpu ? "cores" : "system";
	run->values[PIPA_RUN_JOULES] = pipa_run_count(run->cpus, "energy-pkg");
	return note_counts(f);
}

/* ---- work ---------------------------------------------------------------------------------------- */

/*
 * Set the run time: from the intervals of the counters without the first, which PIPA omitted; else
 * the elapsed time of perf stat; else the time of the statistics.
 */
static int set_run_time(struct pipa_run_from *f)
{
	double seconds = f->counts.n ? pipa_counts_seconds(&f->counts) : NAN;

	if (!(seconds > 0))
		seconds = f->counts.n ? pipa_run_count(&f->sum.stat, "duration_time") / 1e9 : NAN;
	if (!(seconds > 0) && f->statistics_s > 0) {
		seconds = f->statistics_s;
		if (pipa_run_note(f->run, "run time taken from the statistics, not exact") < 0)
			return -ENOMEM;
	}
	f->run->values[PIPA_RUN_TIME] = seconds > 0 ? seconds : NAN;
	return seconds > 0 ? 0 : pipa_run_note(f->run, "run time unknown: rates are missing");
}

static int read_output(struct pipa_run_from *f, struct pipa_transactions *tx, const char *name,
		       enum pipa_tx_stream stream)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	int rc = pipa_archive_read(f->archive, name, &text, f->err);

	if (!rc)
		pipa_transactions_put(tx, stream, pipa_buf_str(&text), text.len);
	return rc == -ENOENT ? 0 : rc;
}

static int import_transactions(struct pipa_run_from *f)
{
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *finder = NULL;
	struct pipa_tx tx;
	int rc = pipa_transactions_new(f->o->expression, &finder, f->err);

	if (!rc && !isnan(f->o->transactions))
		pipa_transactions_give(finder, f->o->transactions);
	if (!rc)
		rc = read_output(f, finder, "stdout.txt", PIPA_TX_STDOUT);
	if (!rc)
		rc = read_output(f, finder, "stderr.txt", PIPA_TX_STDERR);
	if (rc < 0)
		return rc;
	pipa_transactions_end(finder);
	if (!pipa_transactions_get(finder, &tx))
		return pipa_run_note(f->run, "transactions unknown: use --transactions N");
	return pipa_run_take_transactions(f->run, &tx,
					  f->o->given_by ? f->o->given_by : "--transactions");
}

/* ---- samples ------------------------------------------------------------------------------------- */

static int import_samples(struct pipa_run_from *f)
{
	const struct pipa_archive_member *member;
	const char *path = f->o->from;
	struct pipa_error why = { 0 };
	size_t index = 0;

	if (f->o->no_record)
		return 0;
	if (pipa_archive_kind(f->archive) == PIPA_ARCHIVE_DIRECTORY) {
		member = pipa_archive_find(f->archive, "perf.data", &index);
		if (!member)
			return pipa_run_note(f->run, "no hot functions: no perf.data");
		path = member->path;
	}
	if (pipa_run_find_hot(path, f->archive, f->run, &why) < 0)
		return pipa_run_note(f->run, "no hot functions: %s", why.what);
	f->any = true;
	return 0;
}

static int import_all(struct pipa_run_from *f)
{
	struct pipa_run *run = f->run;
	int rc = name_run(f);

	if (!rc && pipa_archive_is_truncated(f->archive)) {
		run->incomplete = true;
		rc = pipa_run_note(run, "%s is truncated or corrupt: parts of it are missing",
				   f->o->from);
		if (!rc)
			pipa_log_put(&f->o->log, PIPA_LOG_WARN, "%s",
				     run->notes.items[run->notes.n - 1]);
	}
	if (!rc)
		rc = import_counts(f);
	if (!rc)
		rc = pipa_run_from_statistics(f->o->from_sar ? f->o->from_sar : f->o->from,
					      f->o->from_sar ? NULL : f->archive, f->o->dev, run,
					      &f->statistics_s, f->err);
	f->any |= !isnan(f->statistics_s);
	if (!rc && isnan(run->values[PIPA_RUN_MHZ]))
		run->values[PIPA_RUN_MHZ] = f->o->mhz;
	if (!rc)
		rc = import_samples(f);
	if (!rc && !f->any) {
		pipa_refuse(f->err, -ENODATA, "%s holds no measurements", f->o->from);
		return pipa_hint(
			f->err,
			"expected perf-stat.csv or perf_stat.txt, sar.txt or sar_*.csv, and "
			"perf.data");
	}
	if (!rc)
		rc = import_transactions(f);
	return rc ? rc : set_run_time(f);
}

static int open_archive(struct pipa_run_from *f)
{
	int rc = pipa_archive_open(f->o->from, &f->archive, f->err);

	if (rc < 0 || pipa_archive_kind(f->archive) != PIPA_ARCHIVE_FILE)
		return rc;
	pipa_refuse(f->err, -EINVAL, "%s is neither a directory nor an archive", f->o->from);
	return pipa_hint(f->err,
			 "expected output of pipa run --keep or pipa collect, or a directory with "
			 "perf-stat.csv and sar.txt");
}

int pipa_run_from_open(const struct pipa_run_options *o, struct pipa_run *run,
		       struct pipa_run_from **ret, struct pipa_error *err)
{
	struct pipa_run_from *f = calloc(1, sizeof(*f));
	struct pipa_error own = { 0 };
	int rc;

	err = err ? err : &own;
	if (!f)
		return pipa_fail(err, -ENOMEM, "read %s", o->from);
	*f = (struct pipa_run_from){ .o = o, .run = run, .err = err, .statistics_s = NAN };
	*ret = f;
	rc = open_archive(f);
	if (!rc)
		rc = import_all(f);
	if (rc < 0)
		return err->code ? rc : pipa_fail(err, rc, "read %s", o->from);
	pipa_run_derive(run);
	return 0;
}
