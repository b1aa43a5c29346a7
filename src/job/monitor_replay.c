#include "job/monitor_replay.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/means.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "export/series.h"
#include "import/sadf_csv.h"
#include "job/monitor.h"
#include "job/monitor_filter.h"
#include "job/monitor_record.h"

/* Behind the filter: rows go on to the writer and into the means. */
struct tee {
	struct pipa_series_sink sink;
	struct pipa_series_sink *next;
	struct pipa_means *means;
	const struct pipa_monitor_options *o;
	size_t rows;
};

/* A recording may hold more than what was asked for. */
static bool is_chosen(const struct pipa_monitor_options *o, const struct pipa_section *section)
{
	size_t i;

	for (i = 0; i < o->n_sections; i++)
		if (o->sections[i] == section)
			return true;
	return false;
}

static int tee_row(struct pipa_series_sink *self, const struct pipa_section *section,
		   const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct tee *tee = (struct tee *)(void *)self;
	int rc;

	if (!is_chosen(tee->o, section))
		return 0;
	tee->rows++;
	rc = pipa_means_add(tee->means, section, tick, instance, values);
	return rc ? rc : tee->next->row(tee->next, section, tick, instance, values);
}

static int tee_end(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	struct tee *tee = (struct tee *)(void *)self;

	return tee->next->end ? tee->next->end(tee->next, tick) : 0;
}

static void note_oddities(const struct pipa_monitor_options *o, const char *path,
			  const struct pipa_sadf_result *result)
{
	char text[PATH_MAX + 200];

	if (!o->note)
		return;
	if (result->skipped) {
		snprintf(text, sizeof(text), "%s: %zu lines make no sense and were left out", path,
			 result->skipped);
		o->note(text);
	}
	if (result->unknown) {
		snprintf(text, sizeof(text), "%s: the table of '%s' is not known and was left out",
			 path, result->unknown_name);
		o->note(text);
	}
}

static int replay_file(const struct pipa_monitor_options *o, const char *path,
		       struct pipa_series_sink *sink, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	struct pipa_sadf_result result = { 0 };
	int rc = pipa_file_read(path, &text, err);

	if (!rc)
		rc = pipa_sadf_decode(pipa_buf_str(&text), text.len, pipa_monitor_section,
				      o->look.zone, sink, &result);
	if (rc < 0 && err && !err->code)
		pipa_fail(err, rc, "replay %s", path);
	note_oddities(o, path, &result);
	return rc;
}

/* The files of the chosen sections, as far as they are there. */
static int replay_folder(const struct pipa_monitor_options *o, struct pipa_series_sink *sink,
			 struct pipa_error *err)
{
	char path[PATH_MAX];
	struct stat st;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < o->n_sections; i++) {
		const char *file = pipa_recorder_file(o->sections[i]->name);

		if (!file ||
		    snprintf(path, sizeof(path), "%s/%s", o->replay, file) >= (int)sizeof(path))
			continue;
		if (stat(path, &st) == 0)
			rc = replay_file(o, path, sink, err);
	}
	return rc;
}

static int replay_path(const struct pipa_monitor_options *o, struct tee *tee,
		       struct pipa_series_sink *sink, struct pipa_error *err)
{
	struct stat st;
	int rc;

	if (stat(o->replay, &st) < 0)
		return pipa_fail(err, -errno, "open %s", o->replay);
	rc = S_ISDIR(st.st_mode) ? replay_folder(o, sink, err) :
				   replay_file(o, o->replay, sink, err);
	if (!rc && !tee->rows) {
		pipa_refuse(err, -ENODATA, "%s holds nothing of what was asked for", o->replay);
		rc = pipa_hint(err, "it takes folders of pipa monitor -o and files of sadf -d");
	}
	return rc;
}

int pipa_monitor_replay(const struct pipa_monitor_options *o, struct pipa_series_writer *writer,
			struct pipa_error *err)
{
	struct tee tee = { .sink = { .row = tee_row, .end = tee_end },
			   .next = pipa_series_writer_sink(writer),
			   .means = pipa_means_new(),
			   .o = o };
	struct pipa_monitor_filter filter;
	int rc = pipa_monitor_filter_init(&filter, o, err);

	filter.next = &tee.sink;
	if (!rc && !tee.means)
		rc = pipa_fail(err, -ENOMEM, "replay %s", o->replay);
	if (!rc)
		rc = replay_path(o, &tee, &filter.sink, err);
	if (!rc) {
		pipa_series_writer_average(writer);
		rc = pipa_means_emit(tee.means, pipa_series_writer_sink(writer));
	}
	pipa_means_free(tee.means);
	pipa_monitor_filter_done(&filter);
	return rc;
}
