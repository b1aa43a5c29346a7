#include "job/run/run_from.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/counts_sum.h"
#include "analyze/quality/quality.h"
#include "analyze/run/run_metrics.h"
#include "analyze/series/phases.h"
#include "base/auto.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/str.h"
#include "import/stat_csv.h"
#include "job/run/run_dataset.h"
#include "job/run/run_own.h"
#include "load/dataset.h"
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
	/* of single files, of several paths, and of damaged or unsteady data */
	struct pipa_dataset dataset;
	struct pipa_phases phases;
	struct pipa_quality quality;
	struct pipa_run_dataset series;
};

void pipa_run_from_close(struct pipa_run_from *from)
{
	if (!from)
		return;
	pipa_archive_close(from->archive);
	pipa_run_dataset_close(&from->series);
	pipa_quality_done(&from->quality);
	pipa_dataset_done(&from->dataset);
	pipa_counts_sum_done(&from->sum);
	pipa_counts_done(&from->counts);
	free(from);
}

/* ---- counters ------------------------------------------------------------------------------------ */

static int note_damage(struct pipa_run_from *f, const char *name,
		       const struct pipa_stat_csv_result *result)
{
	if (!result->damaged)
		return 0;
	return pipa_run_note(f->run, "%s: %zu malformed line%s skipped, first in line %zu", name,
			     result->damaged, pipa_str_plural(result->damaged), result->first_line);
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

static int import_counts(struct pipa_run_from *f)
{
	int rc = read_counts(f);

	if (rc || !f->counts.n)
		return rc;
	rc = pipa_counts_sum(&f->counts, &f->run->cores, &f->sum);
	if (rc < 0)
		return pipa_fail(f->err, rc, "sum the counters");
	return pipa_run_set_counts(f->run, &f->sum);
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
	int rc = pipa_run_set_names(run, f->o);

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
		rc = pipa_run_find_transactions(&(const struct pipa_archive *){ f->archive }, 1,
						f->o, run, f->err);
	return rc ? rc : set_run_time(f);
}

/* Add the hot functions of the first recording that can be read. */
static int import_recording(struct pipa_run_from *f)
{
	const struct pipa_dataset *d = &f->dataset;
	struct pipa_error why = { 0 };
	size_t i;
	int rc = -ENOENT;

	for (i = 0; !f->o->no_record && rc && rc != -ENOMEM && i < d->recordings.n; i++) {
		const struct pipa_dataset_recording *recording = &d->recordings.items[i];

		rc = pipa_run_find_hot(recording->path, d->inputs.items[recording->input].archive,
				       f->run, &why);
	}
	if (rc == -ENOENT || !rc)
		return 0;
	return rc == -ENOMEM ? rc : pipa_run_note(f->run, "no hot functions: %s", why.what);
}

/* Load all paths to series, and find their defects and phases. */
static int load_series(struct pipa_run_from *f, struct pipa_error *err)
{
	const struct pipa_run_options *o = f->o;
	struct pipa_dataset *d = &f->dataset;
	size_t i;
	int rc = 0;

	if (o->from_stat || o->from_sar) {
		rc = o->from_stat ? pipa_dataset_add(d, o->from_stat, err) : 0;
		if (!rc && o->from_sar)
			rc = pipa_dataset_add(d, o->from_sar, err);
	} else {
		rc = pipa_dataset_add(d, o->from, err);
	}
	for (i = 0; !rc && i < o->n_from_more; i++)
		rc = pipa_dataset_add(d, o->from_more[i], err);
	if (!rc)
		rc = pipa_dataset_finish(d, err);
	if (!rc)
		rc = pipa_quality_init(&f->quality, &d->series);
	return rc ? rc : pipa_phases_find(&d->series, &f->phases);
}

/* Do the metrics of the repaired series in the steady phase differ from those of the unchanged files? */
static bool differs_when_repaired(const struct pipa_run_from *f)
{
	size_t i;

	if (f->phases.reason == PIPA_PHASES_FOUND || f->quality.unlisted)
		return true;
	for (i = 0; i < f->quality.n; i++) {
		enum pipa_defect_kind kind = f->quality.items[i].kind;

		if (kind == PIPA_DEFECT_DUPLICATE || kind == PIPA_DEFECT_CLOCK_BACK ||
		    kind == PIPA_DEFECT_NEGATIVE || kind == PIPA_DEFECT_OVER_100 ||
		    kind == PIPA_DEFECT_COUNTER_RESET)
			return true;
	}
	return false;
}

/* Note each kind of repair once, with the number of repairs. */
static int note_repairs(struct pipa_run_from *f)
{
	enum pipa_defect_kind kind;
	size_t i;
	int rc = 0;

	if (f->phases.reason == PIPA_PHASES_FOUND)
		rc = pipa_run_note(f->run, "%s", pipa_phases_text(f->phases.reason));
	for (kind = 0; !rc && kind < PIPA_DEFECT_NR; kind++) {
		const struct pipa_defect *first = NULL;
		uint64_t count = 0;

		for (i = 0; i < f->quality.n; i++) {
			const struct pipa_defect *defect = &f->quality.items[i];

			if (defect->kind != kind || !defect->is_repaired)
				continue;
			first = first ? first : defect;
			count += defect->count;
		}
		if (first)
			rc = pipa_run_note(f->run, "%s%s%s: %" PRIu64 " x %s: %s", first->section,
					   *first->column ? " " : "", first->column, count,
					   pipa_defect_name(kind),
					   pipa_defect_effect(kind, PIPA_LANGUAGE_EN));
	}
	return rc;
}

/* Use the series that load_series() has loaded: metrics are those of the report of `pipa analyze`. */
static int import_dataset(struct pipa_run_from *f)
{
	const struct pipa_run_options *o = f->o;
	struct pipa_dataset *d = &f->dataset;
	size_t i;
	int rc = note_repairs(f);

	for (i = 0; !rc && i < d->notes.n; i++) {
		const struct pipa_dataset_note *note = &d->notes.items[i];

		pipa_log_put(&o->log, PIPA_LOG_WARN, "%s: %s", note->name, note->text);
		f->run->incomplete |= note->problem == PIPA_DATASET_TRUNCATED ||
				      note->problem == PIPA_DATASET_DAMAGED;
		rc = pipa_run_note(f->run, "%s: %s", note->name, note->text);
	}
	if (!rc)
		rc = import_recording(f);
	return rc ? rc : pipa_run_dataset_open(d, &f->phases.steady, o, f->run, &f->series, f->err);
}

static int import_path(struct pipa_run_from *f)
{
	char line[PIPA_ERROR_LINE_MAX];
	struct pipa_error own = { 0 };
	int rc;

	if (!f->o->n_from_more) {
		rc = pipa_archive_open(f->o->from, &f->archive, f->err);
		if (rc < 0)
			return rc;
		if (pipa_archive_kind(f->archive) != PIPA_ARCHIVE_FILE) {
			rc = load_series(f, &own);
			if (rc == -ENOMEM)
				return pipa_fail(f->err, rc, "read %s", f->o->from);
			if (rc < 0 && rc != -ENODATA) {
				rc = pipa_run_note(f->run, "metrics are of the unrepaired data: %s",
						   pipa_error_line(&own, line));
				return rc ? rc : import_all(f);
			}
			/* averages that sar has written are exact if nothing has to be repaired */
			if (rc < 0 || !differs_when_repaired(f))
				return import_all(f);
			pipa_archive_close(f->archive);
			f->archive = NULL;
			return import_dataset(f);
		}
	}
	pipa_archive_close(f->archive);
	f->archive = NULL;
	rc = load_series(f, f->err);
	return rc ? rc : import_dataset(f);
}

const struct pipa_quality *pipa_run_from_quality(const struct pipa_run_from *from)
{
	return from && from->dataset.series.values ? &from->quality : NULL;
}

const struct pipa_phases *pipa_run_from_phases(const struct pipa_run_from *from)
{
	return from && from->dataset.series.values ? &from->phases : NULL;
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
	rc = import_path(f);
	if (rc < 0)
		return err->code ? rc : pipa_fail(err, rc, "read %s", o->from);
	pipa_run_derive(run);
	return 0;
}
