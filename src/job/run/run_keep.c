/* Write the files of --keep. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file/outfile.h"
#include "collect/spec/spec.h"
#include "export/table/facts.h"
#include "export/table/stat.h"
#include "job/run/run_own.h"
#include "kernel/event/host.h"
#include "model/facts.h"
#include "model/sections.h"
#include "store/csv_record.h"

/* ---- the directory --------------------------------------------------------------------------------- */

static int make_directory(const char *path, bool *ret_made, struct pipa_error *err)
{
	struct stat st;

	*ret_made = mkdir(path, 0777) == 0;
	if (*ret_made || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	pipa_fail(err, -errno, "create directory %s", path);
	if (errno == ENOENT)
		return pipa_hint(err, "check that its parent directory exists");
	return err ? err->code : -errno;
}

/* Name the directory; with several runs each has its own. */
static int name_directory(struct pipa_run_measurement *b, struct pipa_error *err)
{
	int rc = make_directory(b->o->keep, &b->made_keep, err), n;

	if (rc)
		return rc;
	if (b->o->repeat > 1)
		n = asprintf(&b->keep, "%s/run-%zu", b->o->keep, b->number);
	else
		n = asprintf(&b->keep, "%s", b->o->keep);
	if (n < 0) {
		b->keep = NULL;
		return pipa_fail(err, -ENOMEM, "keep recordings in %s", b->o->keep);
	}
	return b->o->repeat > 1 ? make_directory(b->keep, &b->made_own, err) : 0;
}

static int open_file(struct pipa_run_measurement *b, const char *name, struct pipa_outfile **ret,
		     struct pipa_error *err)
{
	char *path = NULL;
	int rc;

	if (asprintf(&path, "%s/%s", b->keep, name) < 0)
		return pipa_fail(err, -ENOMEM, "keep %s", name);
	rc = pipa_outfile_open(path, PIPA_OUTFILE_STREAM, ret, err);
	free(path);
	return rc;
}

int pipa_run_kept_open(struct pipa_run_measurement *b, struct pipa_error *err)
{
	int rc;

	if (!b->o->keep)
		return 0;
	gethostname(b->hostname, sizeof(b->hostname) - 1); /* the recorder borrows it */
	rc = name_directory(b, err);
	if (!rc)
		rc = open_file(b, "perf-stat.csv", &b->stat_file, err);
	if (!rc && !b->o->no_capture)
		rc = open_file(b, "stdout.txt", &b->outputs[1], err);
	if (!rc && !b->o->no_capture)
		rc = open_file(b, "stderr.txt", &b->outputs[2], err);
	if (!rc)
		rc = pipa_csv_recorder_open(
			&(struct pipa_csv_recorder_options){
				.dir = b->keep,
				.host = b->hostname,
				/* the last interval may end in the second of the one before */
				.fractions = true },
			&b->recorder, err);
	return rc;
}

static void drop_file(const struct pipa_run_measurement *b, const char *name)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s", b->keep, name) < 0)
		return;
	unlink(path);
	free(path);
}

void pipa_run_keep_machine(struct pipa_run_measurement *b)
{
	PIPA_AUTO(pipa_facts_done) struct pipa_facts facts = { 0 };
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	PIPA_AUTO(free) char *path = NULL;
	struct pipa_error why = { 0 };
	int rc;

	if (!b->keep)
		return;
	if (asprintf(&path, "%s/spec_info.yaml", b->keep) < 0)
		path = NULL;
	rc = path ? pipa_spec_collect(b->host->root, &pipa_spec_host, &facts, &why) : -ENOMEM;
	if (!rc) {
		pipa_facts_export(&facts, PIPA_DOC_YAML, &text);
		rc = text.status;
	}
	if (!rc)
		rc = pipa_outfile_open(path, PIPA_OUTFILE_REPLACE, &out, &why);
	if (!rc)
		rc = pipa_outfile_put(out, text.data, text.len, &why);
	if (!rc)
		rc = pipa_outfile_commit(out, &why);
	if (rc)
		pipa_run_note(b->run, "no description of the machine: %s",
			      why.what[0] ? why.what : strerror(-rc));
}

/* Remove the files, because the command did not run. The recording is removed already. */
static void remove_files(const struct pipa_run_measurement *b)
{
	const char *file;
	size_t i;

	drop_file(b, "perf-stat.csv");
	drop_file(b, "spec_info.yaml");
	if (!b->o->no_capture) {
		drop_file(b, "stdout.txt");
		drop_file(b, "stderr.txt");
	}
	for (i = 0; i < PIPA_SECTION_NR; i++)
		if ((file = pipa_csv_recorder_file(&pipa_sections[i])))
			drop_file(b, file);
	if (b->made_own)
		rmdir(b->keep);
	if (b->made_keep)
		rmdir(b->o->keep);
}

void pipa_run_kept_close(struct pipa_run_measurement *b)
{
	size_t i;

	pipa_csv_recorder_close(b->recorder);
	pipa_outfile_free(b->stat_file);
	for (i = 0; i < PIPA_COUNT(b->outputs); i++)
		pipa_outfile_free(b->outputs[i]);
	pipa_buf_done(&b->stat_text);
	if (b->keep && b->never_ran)
		remove_files(b);
	free(b->keep);
}

/* ---- what is put into it ------------------------------------------------------------------------- */

/*
 * Write one interval. A failure ends neither the command nor the measurement: the file is not
 * continued.
 */

int pipa_run_keep_interval(void *ctx, struct pipa_stat *stat, struct pipa_error *err PIPA_UNUSED)
{
	struct pipa_run_measurement *b = ctx;
	const struct pipa_stat_format format = { .form = PIPA_STAT_CSV, .separator = "," };

	if (!b->stat_file || b->file_errors[PIPA_RUN_KEPT_STAT])
		return 0;
	pipa_buf_reset(&b->stat_text);
	pipa_stat_export(stat, &format, &b->stat_text);
	b->file_errors[PIPA_RUN_KEPT_STAT] = b->stat_text.status;
	if (!b->stat_text.status)
		b->file_errors[PIPA_RUN_KEPT_STAT] = pipa_outfile_put(
			b->stat_file, pipa_buf_str(&b->stat_text), b->stat_text.len, NULL);
	return 0;
}

void pipa_run_keep_output(struct pipa_run_measurement *b, int stream, const char *bytes, size_t len)
{
	int *file_error =
		&b->file_errors[stream == 2 ? PIPA_RUN_KEPT_STDERR : PIPA_RUN_KEPT_STDOUT];

	if (b->outputs[stream] && !*file_error)
		*file_error = pipa_outfile_put(b->outputs[stream], bytes, len, NULL);
}

static struct pipa_run_measurement *measurement_of_sink(struct pipa_series_sink *sink)
{
	return (struct pipa_run_measurement *)(void *)((char *)sink -
						       offsetof(struct pipa_run_measurement, rows));
}

static int keep_row(struct pipa_series_sink *self, const struct pipa_section *section,
		    const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_run_measurement *b = measurement_of_sink(self);
	struct pipa_series_sink *next;

	if (!b->recorder || b->file_errors[PIPA_RUN_KEPT_STATISTICS])
		return 0;
	next = pipa_csv_recorder_sink(b->recorder);
	b->file_errors[PIPA_RUN_KEPT_STATISTICS] = next->row(next, section, tick, instance, values);
	return 0;
}

static int keep_tick(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	struct pipa_run_measurement *b = measurement_of_sink(self);
	struct pipa_series_sink *next;

	if (!b->recorder || b->file_errors[PIPA_RUN_KEPT_STATISTICS])
		return 0;
	next = pipa_csv_recorder_sink(b->recorder);
	b->file_errors[PIPA_RUN_KEPT_STATISTICS] = next->end(next, tick);
	return 0;
}

struct pipa_series_sink *pipa_run_kept_rows(struct pipa_run_measurement *b)
{
	b->rows = (struct pipa_series_sink){ .row = keep_row, .end = keep_tick };
	return &b->rows;
}

int pipa_run_keep_note(const struct pipa_run_measurement *b)
{
	static const char *const names[PIPA_RUN_KEPT_FILES] = {
		[PIPA_RUN_KEPT_STAT] = "perf-stat.csv",
		[PIPA_RUN_KEPT_STDOUT] = "stdout.txt",
		[PIPA_RUN_KEPT_STDERR] = "stderr.txt",
		[PIPA_RUN_KEPT_STATISTICS] = "sar_*.csv",
	};
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < PIPA_RUN_KEPT_FILES; i++)
		if (b->file_errors[i])
			rc = pipa_run_note(b->run, "%s/%s is incomplete: %s", b->keep, names[i],
					   strerror(-b->file_errors[i]));
	return rc;
}
