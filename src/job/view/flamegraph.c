#include "job/view/flamegraph.h"

#include <errno.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "codec/deflate.h"
#include "export/text/event_unit.h"
#include "job/view/choose_event.h"
#include "job/view/filter_notes.h"

static int write_graph(const struct pipa_flamegraph_options *o, const struct pipa_loaded *loaded,
		       const struct pipa_flame *flame, uint32_t event, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	struct pipa_view view = {
		.view = o->base ? "diff" : "flame",
		.title = pipa_choose_title(o->title, o->load.path),
		.base_title = o->base ? pipa_choose_title(NULL, o->base) : NULL,
		.event = pipa_chosen_name(&loaded->profile, event),
		.unit = pipa_event_unit_text(&loaded->profile, event),
		.by = o->by,
		.flame = flame,
		.profile = &loaded->profile,
		.recording = &loaded->recording,
		.show = o->show,
		.pack = pipa_deflate,
	};

	if (o->form == PIPA_FLAMEGRAPH_SVG)
		pipa_flame_svg_write(&view, &o->svg, &text);
	else
		pipa_view_write_page(&view, &text);
	if (text.status)
		return pipa_fail(err, text.status, "draw the flame graph");
	return pipa_outfile_write(o->output, o->out_fd, text.data, text.len, err);
}

/* Does the profile name its event? Folded stacks do not. */
static bool has_event_name(const struct pipa_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->events.n; i++)
		if (pipa_chosen_name(p, i)[0])
			return true;
	return false;
}

/* Load a file with the column of --value or, unless an event is given, its default. */
static int load_file(const struct pipa_flamegraph_options *o, const struct pipa_load_options *load,
		     struct pipa_loaded *ret, struct pipa_error *err)
{
	struct pipa_profile_selection selection = o->selection;

	selection.all_values = o->event != NULL;
	return pipa_load_selected(load, &selection, ret, err);
}

/* Load the baseline likewise and find its event by name, if it has one. */
static int load_base(const struct pipa_flamegraph_options *o, const char *event,
		     struct pipa_loaded *base, uint32_t *ret_event, struct pipa_error *err)
{
	struct pipa_load_options load = o->load;
	const char *name = event[0] ? event : o->event;
	int rc;

	load.path = o->base;
	load.drop_frames = true;
	rc = load_file(o, &load, base, err);
	if (rc < 0)
		return rc;
	rc = pipa_choose_event(&base->profile, has_event_name(&base->profile) ? name : NULL,
			       &o->load.log, ret_event, err);
	if (rc < 0)
		pipa_loaded_done(base);
	else
		pipa_note_losses(base, o->base, &o->load.log);
	return rc;
}

static int make_difference(const struct pipa_flamegraph_options *o,
			   const struct pipa_loaded *loaded, struct pipa_flame_options *options,
			   struct pipa_flame *flame, struct pipa_error *err)
{
	struct pipa_loaded base;
	int rc = load_base(o, pipa_chosen_name(&loaded->profile, options->event), &base,
			   &options->base_event, err);

	if (rc < 0)
		return rc;
	if ((base.kind == PIPA_KIND_FOLDED) != (loaded->kind == PIPA_KIND_FOLDED)) {
		/* its stacks begin with the command, and frames have no object */
		options->names_alone = true;
		options->by = options->by ? options->by : PIPA_FLAME_BY_COMM;
	}
	rc = pipa_flame_make_diff(&base.profile, &loaded->profile, options, flame);
	pipa_loaded_done(&base);
	return rc < 0 ? pipa_fail(err, rc, "compare the stacks") : 0;
}

static int make_graph(const struct pipa_flamegraph_options *o, const struct pipa_loaded *loaded,
		      struct pipa_error *err)
{
	PIPA_AUTO(pipa_flame_done) struct pipa_flame flame = { 0 };
	struct pipa_flame_options options = { .by = o->by, .reverse = o->reverse };
	int rc = pipa_choose_event(&loaded->profile, o->event, &o->load.log, &options.event, err);

	if (rc < 0)
		return rc;
	pipa_note_losses(loaded, o->base ? o->load.path : NULL, &o->load.log);
	if (o->base) {
		rc = make_difference(o, loaded, &options, &flame, err);
	} else {
		pipa_note_empty(&loaded->profile, options.event, &o->load.log);
		if (!loaded->profile.samples.n)
			pipa_note_filters(
				&loaded->profile,
				&(struct pipa_filter_names){ .time = o->load.ingest.from_ns ||
								     o->load.ingest.until_ns },
				&o->load.log);
		rc = pipa_flame_make(&loaded->profile, &options, &flame);
		if (rc < 0)
			pipa_fail(err, rc, "merge the stacks");
	}
	if (rc < 0)
		return rc;
	return write_graph(o, loaded, &flame, options.event, err);
}

int pipa_flamegraph_run(const struct pipa_flamegraph_options *o, struct pipa_error *err)
{
	struct pipa_loaded loaded;
	struct pipa_load_options load = o->load;
	int rc;

	load.drop_frames = true;
	rc = load_file(o, &load, &loaded, err);
	if (rc < 0)
		return rc;
	pipa_log_progress(&o->load.log, "drawing", 0, 0);
	rc = make_graph(o, &loaded, err);
	pipa_log_progress_end(&o->load.log);
	pipa_loaded_done(&loaded);
	return rc;
}
