#include "job/monitor_record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/outfile.h"
#include "export/series.h"

static const struct {
	const char *section;
	const char *file;
} kept[] = {
	{ "cpu-short", "sar_cpu.csv" }, { "net", "sar_network.csv" },
	{ "io", "sar_io.csv" },		{ "disk", "sar_disk.csv" },
	{ "mem", "sar_memory.csv" },	{ "paging", "sar_paging.csv" },
	{ "load", "sar_load.csv" },	{ "cswch", "sar_cswch.csv" },
};

struct file {
	struct pipa_outfile *out;
	struct pipa_series_writer *writer;
	struct pipa_buf text;
};

struct pipa_recorder {
	struct pipa_series_sink sink;
	struct file files[PIPA_COUNT(kept)];
	struct pipa_error err;
};

const char *pipa_recorder_file(const char *section)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(kept); i++)
		if (strcmp(kept[i].section, section) == 0)
			return kept[i].file;
	return NULL;
}

void pipa_recorder_close(struct pipa_recorder *recorder)
{
	size_t i;

	if (!recorder)
		return;
	for (i = 0; i < PIPA_COUNT(kept); i++) {
		pipa_series_writer_free(recorder->files[i].writer);
		pipa_outfile_free(recorder->files[i].out);
		pipa_buf_done(&recorder->files[i].text);
	}
	free(recorder);
}

static void pipa_recorder_close_auto(struct pipa_recorder **recorder)
{
	pipa_recorder_close(*recorder);
}

static int keep_row(struct pipa_series_sink *self, const struct pipa_section *section,
		    const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_recorder *r = (struct pipa_recorder *)(void *)self;
	struct pipa_series_sink *next;
	size_t i;

	for (i = 0; i < PIPA_COUNT(kept) && strcmp(kept[i].section, section->name) != 0; i++)
		;
	if (i == PIPA_COUNT(kept))
		return 0;
	next = pipa_series_writer_sink(r->files[i].writer);
	return next->row(next, section, tick, instance, values);
}

static int write_files(struct pipa_series_sink *self, const struct pipa_tick *tick PIPA_UNUSED)
{
	struct pipa_recorder *r = (struct pipa_recorder *)(void *)self;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < PIPA_COUNT(kept); i++) {
		struct file *file = &r->files[i];

		rc = file->text.status;
		if (!rc && file->text.len)
			rc = pipa_outfile_put(file->out, file->text.data, file->text.len, &r->err);
		pipa_buf_reset(&file->text);
	}
	return rc;
}

static int open_file(struct pipa_recorder *r, size_t i, const char *dir,
		     const struct pipa_series_look *look, struct pipa_error *err)
{
	char path[PATH_MAX];
	int rc;

	if (snprintf(path, sizeof(path), "%s/%s", dir, kept[i].file) >= (int)sizeof(path))
		return pipa_fail(err, -ENAMETOOLONG, "record into %s", dir);
	rc = pipa_outfile_open(path, PIPA_OUTFILE_STREAM, &r->files[i].out, err);
	if (rc < 0)
		return rc;
	r->files[i].writer = pipa_series_writer_new(look, &r->files[i].text);
	return r->files[i].writer ? 0 : pipa_fail(err, -ENOMEM, "record into %s", dir);
}

int pipa_recorder_open(const char *dir, const char *host, bool fractions,
		       struct pipa_recorder **ret, struct pipa_error *err)
{
	const struct pipa_series_look look = { .form = PIPA_SERIES_CSV,
					       .host = host,
					       .fractions = fractions };
	PIPA_AUTO(pipa_recorder_close) struct pipa_recorder *r = calloc(1, sizeof(*r));
	size_t i;
	int rc = 0;

	if (!r)
		return pipa_fail(err, -ENOMEM, "record into %s", dir);
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return pipa_fail(err, -errno, "make the folder %s", dir);
	r->sink = (struct pipa_series_sink){ .row = keep_row, .end = write_files };
	for (i = 0; !rc && i < PIPA_COUNT(kept); i++)
		rc = open_file(r, i, dir, &look, err);
	if (rc < 0)
		return rc;
	*ret = PIPA_TAKE(r);
	return 0;
}

struct pipa_series_sink *pipa_recorder_sink(struct pipa_recorder *recorder)
{
	return &recorder->sink;
}

const struct pipa_error *pipa_recorder_error(const struct pipa_recorder *recorder)
{
	return &recorder->err;
}
