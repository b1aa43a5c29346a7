/* Read the statistics of an earlier measurement. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analyze/run/run_series.h"
#include "analyze/series/means.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/str.h"
#include "import/sadf_csv.h"
#include "import/sar_text.h"
#include "job/run/run_from.h"
#include "model/sections.h"
#include "store/replay.h"

/* Means of rows; those of intervals and sar's averages are separate. */
struct gather {
	struct pipa_series_sink sink;
	struct pipa_means *means;
	bool sections[PIPA_SECTION_NR + 1]; /* sections of the rows; the last: unknown section */
	size_t n;			    /* number of rows */
};

/* Copies means into the run, except for sections that sar's averages cover. */
struct mean_sink {
	struct pipa_series_sink sink;
	struct pipa_run_series *series;
	const struct gather *averages;
	double seconds;
};

static int gather_row(struct pipa_series_sink *self, const struct pipa_section *section,
		      const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct gather *g = (struct gather *)(void *)self;
	enum pipa_section_id id = pipa_section_id(section);

	g->n += !g->sections[id];
	g->sections[id] = true;
	return pipa_means_add(g->means, section, tick, instance, values);
}

static int store_mean(struct pipa_series_sink *self, const struct pipa_section *section,
		      const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct mean_sink *s = (struct mean_sink *)(void *)self;

	if (s->averages && s->averages->sections[pipa_section_id(section)])
		return 0;
	s->seconds = fmax(s->seconds, tick->interval_s);
	return s->series->sink.row(&s->series->sink, section, tick, instance, values);
}

/* ---- files --------------------------------------------------------------------------------------- */

static int note_oddities(struct pipa_run *run, const char *name, size_t lines)
{
	return lines ? pipa_run_note(run, "%s: %zu malformed line%s skipped", name, lines,
				     pipa_str_plural(lines)) :
		       0;
}

static int read_member(const struct pipa_replay_part *part, struct pipa_run *run,
		       struct gather *ticks, struct gather *averages, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	struct pipa_sadf_result csv = { 0 };
	struct pipa_sar_result sar = { 0 };
	bool is_sar = part->kind == PIPA_PART_SAR;
	int rc = is_sar && !part->bytes ? pipa_file_read(part->name, &text, err) : 0;

	if (rc < 0)
		return rc;
	if (is_sar)
		rc = pipa_sar_decode(part->bytes ? part->bytes : pipa_buf_str(&text),
				     part->bytes ? part->len : text.len, NULL, &ticks->sink,
				     &averages->sink, &sar);
	else if (part->kind == PIPA_PART_CSV)
		rc = pipa_replay_csv(part, NULL, &ticks->sink, &csv, err);
	if (!rc)
		rc = note_oddities(run, part->name, csv.skipped + sar.skipped + sar.mended);
	return rc < 0 && !(err && err->code) ? pipa_fail(err, rc, "read %s", part->name) : rc;
}

static int read_members(const char *path, const struct pipa_archive *archive, struct pipa_run *run,
			struct gather *ticks, struct gather *averages, struct pipa_error *err)
{
	PIPA_AUTO(pipa_replay_close) struct pipa_replay recording = { 0 };
	const struct pipa_section *sections[PIPA_SECTION_NR];
	const struct pipa_replay_options options = { .path = path,
						     .archive = archive,
						     .sections = sections,
						     .n_sections = PIPA_SECTION_NR };
	size_t i;
	int rc;

	for (i = 0; i < PIPA_SECTION_NR; i++)
		sections[i] = &pipa_sections[i];
	rc = pipa_replay_open(&options, &recording, err);
	for (i = 0; !rc && i < recording.n; i++)
		rc = read_member(&recording.items[i], run, ticks, averages, err);
	return rc;
}

/* ---- averages ------------------------------------------------------------------------------------ */

/* Note what is less precise than in a measured run. */
static int note_gaps(const struct gather *ticks, const struct gather *averages,
		     const struct pipa_run_series *series, struct pipa_run *run)
{
	bool in_short = ticks->sections[PIPA_SECTION_CPU_SHORT] ||
			averages->sections[PIPA_SECTION_CPU_SHORT];
	bool in_full = ticks->sections[PIPA_SECTION_CPU] || averages->sections[PIPA_SECTION_CPU];
	int rc = 0;

	if (in_short && !in_full)
		rc = pipa_run_note(run,
				   "CPU statistics have six columns: guest is in %%usr and %%nice, "
				   "interrupts in %%sys");
	if (!rc && series->dev && !series->has_dev)
		rc = pipa_run_note(run, "no statistics of disk '%s'", series->dev);
	if (!rc && run->cores.n && isnan(run->values[PIPA_RUN_IDLE]))
		rc = pipa_run_note(run, "no statistics of --cores");
	return rc;
}

static int store_means(const struct gather *ticks, const struct gather *averages, const char *dev,
		       struct pipa_run *run, double *ret_seconds)
{
	struct pipa_run_series series;
	struct mean_sink s = { .sink = { .row = store_mean }, .series = &series };
	int rc;

	pipa_run_series_init(&series, run, dev);
	rc = pipa_means_emit(averages->means, &s.sink);
	s.averages = averages;
	if (!rc)
		rc = pipa_means_emit(ticks->means, &s.sink);
	if (!rc)
		rc = pipa_run_series_finish(&series);
	*ret_seconds = s.seconds > 0 ? s.seconds : NAN;
	return rc ? rc : note_gaps(ticks, averages, &series, run);
}

int pipa_run_from_statistics(const char *path, const struct pipa_archive *archive, const char *dev,
			     struct pipa_run *run, double *ret_seconds, struct pipa_error *err)
{
	struct gather ticks = { .sink = { .row = gather_row }, .means = pipa_means_new() };
	struct gather averages = { .sink = { .row = gather_row }, .means = pipa_means_new() };
	int rc = 0;

	*ret_seconds = NAN;
	if (!ticks.means || !averages.means)
		rc = pipa_fail(err, -ENOMEM, "read %s", path);
	if (!rc)
		rc = read_members(path, archive, run, &ticks, &averages, err);
	if (!rc && (ticks.n || averages.n)) {
		rc = store_means(&ticks, &averages, dev, run, ret_seconds);
		if (rc < 0)
			pipa_fail(err, rc, "read %s", path);
	} else if (!rc) {
		rc = pipa_run_note(
			run, "no statistics of the machine: neither sar.txt nor sar_*.csv found");
	}
	pipa_means_free(ticks.means);
	pipa_means_free(averages.means);
	return rc;
}
