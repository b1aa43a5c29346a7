#include "store/csv_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "export/table/series.h"
#include "model/sections.h"

/*
 * Sections that are recorded: those of PIPA, then those that only pipa records. The file of the latter is created by
 * its first row, because few machines have all of them.
 */
static const struct kept {
	enum pipa_section_id section;
	const char *file;
	size_t columns; /* number of columns that sadf prints without ALL or -x; 0: all */
	bool additional;
	const char *instance; /* the only one that is recorded; NULL: all */
} kept[] = {
	{ PIPA_SECTION_CPU_SHORT, "sar_cpu.csv", 0, false, NULL },
	{ PIPA_SECTION_NET, "sar_network.csv", 0, false, NULL },
	{ PIPA_SECTION_IO, "sar_io.csv", 0, false, NULL },
	{ PIPA_SECTION_DISK, "sar_disk.csv", PIPA_COL_DISK_READ_AWAIT, false, NULL },
	{ PIPA_SECTION_MEM, "sar_memory.csv", PIPA_COL_MEM_ANONYMOUS, false, NULL },
	{ PIPA_SECTION_PAGING, "sar_paging.csv", 0, false, NULL },
	{ PIPA_SECTION_LOAD, "sar_load.csv", 0, false, NULL },
	{ PIPA_SECTION_CSWCH, "sar_cswch.csv", 0, false, NULL },

	{ PIPA_SECTION_CPU, "sar_cpu_all.csv", 0, true, NULL },
	{ PIPA_SECTION_FREQ, "sar_frequency.csv", 0, true, NULL },
	{ PIPA_SECTION_INTERRUPTS, "sar_interrupts.csv", 0, true, "sum" },
	{ PIPA_SECTION_SOFTNET, "sar_softnet.csv", 0, true, "all" },
	{ PIPA_SECTION_LIMITS, "sar_limits.csv", 0, true, NULL },
	{ PIPA_SECTION_NUMA, "sar_numa.csv", 0, true, NULL },
	{ PIPA_SECTION_PSI_CPU, "sar_psi_cpu.csv", 0, true, NULL },
	{ PIPA_SECTION_PSI_IO, "sar_psi_io.csv", 0, true, NULL },
	{ PIPA_SECTION_PSI_MEMORY, "sar_psi_memory.csv", 0, true, NULL },
	{ PIPA_SECTION_SWAP, "sar_swap.csv", 0, true, NULL },
	{ PIPA_SECTION_SWAPPING, "sar_swapping.csv", 0, true, NULL },
	{ PIPA_SECTION_HUGEPAGES, "sar_hugepages.csv", 0, true, NULL },
	{ PIPA_SECTION_NET_ERRORS, "sar_network_errors.csv", 0, true, NULL },
	{ PIPA_SECTION_TCP, "sar_tcp.csv", 0, true, NULL },
	{ PIPA_SECTION_TCP_ERRORS, "sar_tcp_errors.csv", 0, true, NULL },
	{ PIPA_SECTION_UDP, "sar_udp.csv", 0, true, NULL },
};

struct file {
	struct pipa_outfile *out;
	struct pipa_series_writer *writer;
	struct pipa_buf text;
	struct pipa_section section; /* with the limited columns, after the first row */
};

struct pipa_csv_recorder {
	struct pipa_series_sink sink;
	struct file files[PIPA_COUNT(kept)];
	bool as_sadf;
	char *dir;
	struct pipa_error err;
};

/* Return the index of a section in kept[], PIPA_COUNT(kept) if it is not recorded. */
static size_t index_of(const struct pipa_section *section)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(kept) && section != &pipa_sections[kept[i].section]; i++)
		;
	return i;
}

const char *pipa_csv_recorder_file(const struct pipa_section *section)
{
	size_t i = index_of(section);

	return i < PIPA_COUNT(kept) ? kept[i].file : NULL;
}

void pipa_csv_recorder_close(struct pipa_csv_recorder *recorder)
{
	size_t i;

	if (!recorder)
		return;
	for (i = 0; i < PIPA_COUNT(kept); i++) {
		pipa_series_writer_free(recorder->files[i].writer);
		pipa_outfile_free(recorder->files[i].out);
		pipa_buf_done(&recorder->files[i].text);
	}
	free(recorder->dir);
	free(recorder);
}

static void pipa_csv_recorder_close_auto(struct pipa_csv_recorder **recorder)
{
	pipa_csv_recorder_close(*recorder);
}

static int store_row(struct pipa_series_sink *self, const struct pipa_section *section,
		     const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_csv_recorder *r = (struct pipa_csv_recorder *)(void *)self;
	struct pipa_series_sink *next;
	struct pipa_section *shown;
	size_t i = index_of(section);

	if (i == PIPA_COUNT(kept) ||
	    (kept[i].instance && instance && strcmp(kept[i].instance, instance) != 0))
		return 0;
	shown = &r->files[i].section;
	if (!shown->name) {
		*shown = *section;
		if (r->as_sadf && kept[i].columns && kept[i].columns < shown->n_columns)
			shown->n_columns = kept[i].columns;
	}
	next = pipa_series_writer_sink(r->files[i].writer);
	return next->row(next, shown, tick, instance, values);
}

/* Return the path of a file, or NULL. The caller frees it. */
static char *file_path(const struct pipa_csv_recorder *r, size_t i)
{
	char *path;

	return asprintf(&path, "%s/%s", r->dir, kept[i].file) < 0 ? NULL : path;
}

static int create_file(struct pipa_csv_recorder *r, size_t i, struct pipa_error *err)
{
	PIPA_AUTO(free) char *path = file_path(r, i);

	if (!path)
		return pipa_fail(err, -ENOMEM, "record into %s", r->dir);
	return pipa_outfile_open(path, PIPA_OUTFILE_STREAM, &r->files[i].out, err);
}

static int write_files(struct pipa_series_sink *self, const struct pipa_tick *tick PIPA_UNUSED)
{
	struct pipa_csv_recorder *r = (struct pipa_csv_recorder *)(void *)self;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < PIPA_COUNT(kept); i++) {
		struct file *file = &r->files[i];

		rc = file->text.status;
		if (!rc && file->text.len && !file->out)
			rc = create_file(r, i, &r->err);
		if (!rc && file->text.len)
			rc = pipa_outfile_put(file->out, file->text.data, file->text.len, &r->err);
		pipa_buf_reset(&file->text);
	}
	return rc;
}

/* Create a file of PIPA; remove the one of a section that may have no rows. */
static int prepare_file(struct pipa_csv_recorder *r, size_t i,
			const struct pipa_series_format *format, struct pipa_error *err)
{
	PIPA_AUTO(free) char *path = file_path(r, i);

	r->files[i].writer = pipa_series_writer_new(format, &r->files[i].text);
	if (!path || !r->files[i].writer)
		return pipa_fail(err, -ENOMEM, "record into %s", r->dir);
	if (!kept[i].additional)
		return create_file(r, i, err);
	if (unlink(path) < 0 && errno != ENOENT)
		return pipa_fail(err, -errno, "remove %s", path);
	return 0;
}

int pipa_csv_recorder_open(const struct pipa_csv_recorder_options *options,
			   struct pipa_csv_recorder **ret, struct pipa_error *err)
{
	const struct pipa_series_format format = { .form = PIPA_SERIES_CSV,
						   .host = options->host,
						   .fractions = options->fractions };
	const char *dir = options->dir;
	PIPA_AUTO(pipa_csv_recorder_close) struct pipa_csv_recorder *r = calloc(1, sizeof(*r));
	size_t i;
	int rc = 0;

	if (!r)
		return pipa_fail(err, -ENOMEM, "record into %s", dir);
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return pipa_fail(err, -errno, "create directory %s", dir);
	r->dir = strdup(dir);
	if (!r->dir)
		return pipa_fail(err, -ENOMEM, "record into %s", dir);
	r->as_sadf = options->as_sadf;
	r->sink = (struct pipa_series_sink){ .row = store_row, .end = write_files };
	for (i = 0; !rc && i < PIPA_COUNT(kept); i++)
		rc = prepare_file(r, i, &format, err);
	if (rc < 0)
		return rc;
	*ret = PIPA_TAKE(r);
	return 0;
}

struct pipa_series_sink *pipa_csv_recorder_sink(struct pipa_csv_recorder *recorder)
{
	return &recorder->sink;
}

const struct pipa_error *pipa_csv_recorder_error(const struct pipa_csv_recorder *recorder)
{
	return &recorder->err;
}
