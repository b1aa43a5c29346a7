#include "screen/report/report.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "job/view/annotate.h"
#include "job/view/report.h"
#include "screen/cells/tui.h"
#include "screen/report/report_view.h"
#include "screen/report/report_write.h"

struct screen {
	struct pipa_report_options o;
	struct pipa_loaded loaded;
	struct pipa_report_model model;
	struct pipa_report_view view;
	struct pipa_tui tui;
	regex_t parent;
};

static int paint(void *ctx, struct pipa_canvas *canvas)
{
	pipa_report_view_paint(&((struct screen *)ctx)->view, canvas);
	return 0;
}

/* ---- what is looked at ------------------------------------------------------------------------- */

/* Return the first event that has samples. */
static uint32_t first_event(const struct pipa_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->events.n; i++)
		if (p->events.items[i].count)
			return i;
	return 0;
}

static bool has_places(const struct pipa_profile *p)
{
	size_t i;

	for (i = 0; i < p->lines.n; i++)
		if (p->lines.items[i].line)
			return true;
	return false;
}

/* Reset the view to the loaded profile. */
static int show_profile(struct screen *s)
{
	s->view.recording = &s->loaded.recording;
	s->view.has_cpus |= pipa_top_has_key(&s->o.top, PIPA_KEY_CPU);
	s->view.has_places |= pipa_top_has_key(&s->o.top, PIPA_KEY_SRCLINE) ||
			      has_places(&s->loaded.profile);
	s->model.profile = &s->loaded.profile;
	s->model.n_zooms = 0;
	s->model.event = first_event(&s->loaded.profile);
	return pipa_report_model_update(&s->model);
}

/* Load the profile again, with the key that was not recorded in it the first time. */
static int reload(struct screen *s, enum pipa_key key)
{
	struct pipa_report_options o = s->o;
	struct pipa_error err = { 0 };
	struct pipa_loaded loaded;
	int rc;

	if (!o.load.path || strcmp(o.load.path, "-") == 0) {
		pipa_report_view_message(&s->view, "cannot read a pipe again: use -s %s",
					 pipa_key_name(&s->o.top, key));
		return 0;
	}
	o.load.ingest.by_cpu |= key == PIPA_KEY_CPU || s->view.has_cpus;
	if (key == PIPA_KEY_SRCLINE || s->view.has_places)
		o.load.symbols.lines = PIPA_LINES_PLAIN;
	o.load.log = (struct pipa_log){ 0 };
	if (pipa_report_load(&o, &loaded, &err) < 0) {
		pipa_report_view_message(&s->view, "%s", err.what);
		return 0;
	}
	pipa_report_view_forget(&s->view);
	pipa_loaded_done(&s->loaded);
	pipa_loaded_move(&s->loaded, &loaded);
	s->view.has_cpus |= key == PIPA_KEY_CPU;
	s->view.has_places |= key == PIPA_KEY_SRCLINE;
	rc = show_profile(s);
	return rc ? rc : pipa_report_view_regroup(&s->view, key);
}

/* ---- keys -------------------------------------------------------------------------------------- */

static int show_source(struct screen *s)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 28 };
	struct pipa_annotate_options o = { .symbol = s->view.typed, .code = true, .source = true };
	struct pipa_error err = { 0 };
	const struct pipa_profile *p = &s->loaded.profile;
	int rc;

	o.event = s->model.event < p->events.n ?
			  pipa_profile_string(p, p->events.items[s->model.event].name) :
			  NULL;
	rc = pipa_annotate_profile(&o, &s->model.part, s->loaded.symbolizer, &text, &err);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0) {
		pipa_report_view_message(&s->view, "%s", err.what);
		return 0;
	}
	return pipa_report_view_show(&s->view, s->view.typed, &text);
}

static int do_action(struct screen *s, enum pipa_report_action action)
{
	switch (action) {
	case PIPA_REPORT_QUIT: pipa_tui_quit(&s->tui); return 0;
	case PIPA_REPORT_SOURCE: return show_source(s);
	case PIPA_REPORT_EXPORT: pipa_report_write_file(&s->view, false); return 0;
	case PIPA_REPORT_EXPORT_OVER: pipa_report_write_file(&s->view, true); return 0;
	case PIPA_REPORT_WITH_CPUS: return reload(s, PIPA_KEY_CPU);
	case PIPA_REPORT_WITH_PLACES: return reload(s, PIPA_KEY_SRCLINE);
	case PIPA_REPORT_NO_MEMORY: return -ENOMEM;
	default: return 0;
	}
}

static int on_key(void *ctx, int key, struct pipa_error *err)
{
	struct screen *s = ctx;
	int rc = do_action(s, pipa_report_view_key(&s->view, key));

	return rc < 0 ? pipa_fail(err, rc, "show the report") : 0;
}

/* ---- start and end ----------------------------------------------------------------------------- */

static int compile_parent(struct screen *s, struct pipa_error *err)
{
	char text[120];
	int rc;

	if (!s->o.parent)
		return 0;
	rc = regcomp(&s->parent, s->o.parent, REG_EXTENDED | REG_NOSUB);
	if (!rc) {
		s->o.top.parent = &s->parent;
		return 0;
	}
	regerror(rc, &s->parent, text, sizeof(text));
	return pipa_refuse(err, -EINVAL, "--parent: '%s': %s", s->o.parent, text);
}

/* Load the profile before the TUI starts, so that messages go to the normal terminal. */
static int load(struct screen *s, struct pipa_error *err)
{
	int rc = compile_parent(s, err);

	if (!rc)
		rc = pipa_report_load(&s->o, &s->loaded, err);
	if (rc < 0)
		return rc;
	s->model.o = s->view.first = s->o.top;
	s->model.percent_limit = s->o.percent_limit;
	s->model.callees = s->o.callees;
	s->view.model = &s->model;
	s->view.name = s->o.load.path && strcmp(s->o.load.path, "-") != 0 ? s->o.load.path :
									    "standard input";
	rc = show_profile(s);
	return rc < 0 ? pipa_fail(err, rc, "make the report") : 0;
}

int pipa_screen_report_run(const struct pipa_report_options *options, struct pipa_error *err)
{
	struct screen *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return pipa_fail(err, -ENOMEM, "show the report");
	s->o = *options;
	s->o.top.children = true;
	s->tui = (struct pipa_tui){ .paint = paint, .key = on_key, .ctx = s };
	rc = load(s, err);
	if (!rc)
		rc = pipa_tui_open(&s->tui, err);
	if (!rc)
		rc = pipa_tui_run(&s->tui, err);
	pipa_tui_close(&s->tui);
	pipa_report_view_done(&s->view);
	pipa_report_model_done(&s->model);
	if (s->o.top.parent)
		regfree(&s->parent);
	pipa_loaded_done(&s->loaded);
	free(s);
	return rc;
}
