#include "job/view/heatmap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "codec/deflate.h"
#include "export/text/event_unit.h"
#include "export/view/view_times.h"
#include "job/view/filter_notes.h"

/* Refuse a recording that has samples but no timestamps. */
static int check_times(const struct pipa_heatmap_options *o, const struct pipa_loaded *loaded,
		       struct pipa_error *err)
{
	const struct pipa_timeline *timeline = &loaded->timeline;

	if (!timeline->n && (timeline->untimed || loaded->profile.samples.n)) {
		pipa_refuse(err, -EINVAL, "cannot draw the %s: %s has no timestamps",
			    strcmp(o->view, "chart") == 0 ? "flame chart" : "heat map",
			    pipa_choose_title(NULL, o->load.path));
		return pipa_hint(
			err, loaded->kind == PIPA_KIND_PERF_DATA ?
				     "record timestamps with perf record -T; pipa record always "
				     "does" :
				     "use the recording or its perf script output");
	}
	if (timeline->resolution_ns) {
		double ms = (double)timeline->resolution_ns / 1e6;

		pipa_log_note(
			&o->load.log,
			"times are rounded to %.3g %s: too many samples for the HTML report. Use "
			"--time START,STOP for a part.",
			ms < 1000 ? ms : ms / 1000, ms < 1000 ? "ms" : "s");
	}
	if (timeline->untimed)
		pipa_log_note(&o->load.log, "samples without a time skipped: %" PRIu64,
			      timeline->untimed);
	return 0;
}

/* Write the page from its parts. */
static void make_page(const struct pipa_heatmap_options *o, const struct pipa_loaded *loaded,
		      uint32_t event, const struct pipa_flame *flame, struct pipa_view_times *times,
		      struct pipa_buf *page)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf json = { .max = page->max };
	const struct pipa_profile *p = &loaded->profile;
	struct pipa_view_part part = { .name = "timeline" };
	const struct pipa_view view = {
		.view = o->view,
		.title = pipa_choose_title(o->title, o->load.path),
		.event = pipa_chosen_name(p, event),
		.unit = pipa_event_unit_text(p, event),
		.by = o->by,
		.flame = flame,
		.profile = p,
		.recording = &loaded->recording,
		.show = o->show,
		.pack = pipa_deflate,
		.parts = &part,
		.n_parts = 1,
	};

	pipa_view_times_write(times, p, o->rows, view.pack, &json);
	part.json = pipa_buf_str(&json);
	part.len = json.len;
	pipa_view_write_page(&view, page);
	if (json.status && !page->status)
		page->status = json.status;
}

static int write_heatmap(const struct pipa_heatmap_options *o, const struct pipa_loaded *loaded,
			 struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf page = { .max = SIZE_MAX / 4 };
	struct pipa_flame_options options = { .by = o->by, .ends = true };
	struct pipa_view_times times;
	struct pipa_flame flame;
	int rc = pipa_choose_event(&loaded->profile, o->event, &o->load.log, &options.event, err);

	if (rc < 0)
		return rc;
	pipa_note_losses(loaded, NULL, &o->load.log);
	pipa_note_empty(&loaded->profile, options.event, &o->load.log);
	if (!loaded->profile.samples.n)
		pipa_note_filters(&loaded->profile,
				  &(struct pipa_filter_names){ .time = o->load.ingest.from_ns ||
								       o->load.ingest.until_ns },
				  &o->load.log);
	rc = pipa_flame_make(&loaded->profile, &options, &flame);
	if (rc < 0)
		return pipa_fail(err, rc, "make the flame graph");
	rc = pipa_view_times_make(&loaded->profile, &loaded->timeline, &flame, options.event,
				  &times);
	if (!rc) {
		make_page(o, loaded, options.event, &flame, &times, &page);
		pipa_view_times_done(&times);
		rc = page.status;
	}
	pipa_flame_done(&flame);
	return rc < 0 ? pipa_fail(err, rc, "create the HTML report") :
			pipa_outfile_write(o->output, o->out_fd, page.data, page.len, err);
}

int pipa_heatmap_run(const struct pipa_heatmap_options *o, struct pipa_error *err)
{
	struct pipa_load_options load = o->load;
	struct pipa_profile_selection selection = o->selection;
	struct pipa_loaded loaded;
	int rc;

	load.timeline = true;
	selection.all_values = o->event != NULL;
	rc = pipa_load_selected(&load, &selection, &loaded, err);
	if (rc < 0)
		return rc;
	rc = check_times(o, &loaded, err);
	if (!rc)
		rc = write_heatmap(o, &loaded, err);
	pipa_loaded_done(&loaded);
	return rc;
}
