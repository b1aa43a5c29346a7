#include "job/analyze/compare.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/diff.h"
#include "analyze/profile/flame.h"
#include "analyze/report/compare.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "codec/deflate.h"
#include "export/report/html_report.h"
#include "export/report/report_compare.h"
#include "export/table/diff.h"
#include "export/text/event_unit.h"
#include "job/view/choose_event.h"

/* Functions below this share on both sides are not listed. */
#define HOT_PERCENT 0.05

/* Samples of both sides. */
struct profiles {
	bool is_compared;
	uint32_t events[PIPA_SIDES];
	struct pipa_diff diff;
	struct pipa_diff_file files[PIPA_SIDES];
	struct pipa_diff_report report;
	struct pipa_flame flame;
	struct pipa_view view;
};

/* A comparison and its parts, which refer to each other. */
struct work {
	const struct pipa_analyze_options *o;
	struct pipa_analysis sides[PIPA_SIDES];
	struct pipa_compare_side compared[PIPA_SIDES];
	struct pipa_comparison comparison;
	struct profiles profiles;
	struct pipa_report_compare report;
	char title[500];
};

static void work_done(struct work *w)
{
	pipa_flame_done(&w->profiles.flame);
	pipa_diff_done(&w->profiles.diff);
	pipa_comparison_done(&w->comparison);
	pipa_analysis_close(&w->sides[PIPA_SIDE_A]);
	pipa_analysis_close(&w->sides[PIPA_SIDE_B]);
}

/* ---- samples ------------------------------------------------------------------------------------- */

/* Choose the event of A, and the one of the same name or unit in B. False: there is none. */
static bool choose_events(struct work *w)
{
	const struct pipa_profile *a = &w->sides[PIPA_SIDE_A].loaded.profile;
	const struct pipa_profile *b = &w->sides[PIPA_SIDE_B].loaded.profile;
	uint32_t *events = w->profiles.events;
	const char *name;
	int rc;

	if (pipa_choose_event(a, NULL, NULL, &events[PIPA_SIDE_A], NULL) < 0)
		return false;
	name = pipa_chosen_name(a, events[PIPA_SIDE_A]);
	rc = pipa_choose_event(b, name[0] ? name : NULL, NULL, &events[PIPA_SIDE_B], NULL);
	if (rc < 0) /* its first event, if both measure the same unit */
		rc = pipa_choose_event(b, NULL, NULL, &events[PIPA_SIDE_B], NULL);
	if (rc < 0)
		return false;
	if (!a->events.n || !b->events.n)
		return false;
	if (events[PIPA_SIDE_A] == PIPA_NONE)
		events[PIPA_SIDE_A] = 0;
	if (events[PIPA_SIDE_B] == PIPA_NONE)
		events[PIPA_SIDE_B] = 0;
	return a->events.items[events[PIPA_SIDE_A]].weight &&
	       b->events.items[events[PIPA_SIDE_B]].weight &&
	       strcmp(pipa_event_unit_text(a, events[PIPA_SIDE_A]),
		      pipa_event_unit_text(b, events[PIPA_SIDE_B])) == 0;
}

/* Compare the functions of both sides, and draw them as one flame graph. */
static int compare_profiles(struct work *w)
{
	const struct pipa_diff_options options = { .by = PIPA_DIFF_BY_SYMBOL,
						   .n_base = 1,
						   .n_now = 1 };
	struct profiles *p = &w->profiles;
	const struct pipa_loaded *a = &w->sides[PIPA_SIDE_A].loaded;
	const struct pipa_loaded *b = &w->sides[PIPA_SIDE_B].loaded;
	struct pipa_flame_options flame;
	int rc;

	if (!w->sides[PIPA_SIDE_A].has_profile || !w->sides[PIPA_SIDE_B].has_profile ||
	    !choose_events(w))
		return 0;
	rc = pipa_diff_init(&p->diff, &options);
	if (!rc)
		rc = pipa_diff_add(&p->diff, 0, &a->profile, p->events[PIPA_SIDE_A]);
	if (!rc)
		rc = pipa_diff_add(&p->diff, 1, &b->profile, p->events[PIPA_SIDE_B]);
	if (!rc)
		rc = pipa_diff_finish(&p->diff);
	flame = (struct pipa_flame_options){ .event = p->events[PIPA_SIDE_B],
					     .base_event = p->events[PIPA_SIDE_A] };
	if (!rc)
		rc = pipa_flame_make_diff(&a->profile, &b->profile, &flame, &p->flame);
	if (rc < 0)
		return rc;
	p->files[0] = (struct pipa_diff_file){ .path = w->report.titles[0], .complete = true };
	p->files[1] = (struct pipa_diff_file){ .path = w->report.titles[1], .complete = true };
	p->report = (struct pipa_diff_report){
		.diff = &p->diff,
		.basis = "percentages",
		.files = p->files,
		.event = pipa_chosen_name(&a->profile, p->events[PIPA_SIDE_A]),
		.unit = pipa_event_unit_text(&a->profile, p->events[PIPA_SIDE_A]),
		.percent_limit = HOT_PERCENT,
		.full_names = true,
	};
	p->view = (struct pipa_view){ .view = "diff",
				      .title = w->report.titles[PIPA_SIDE_B],
				      .base_title = w->report.titles[PIPA_SIDE_A],
				      .event = p->report.event,
				      .unit = p->report.unit,
				      .flame = &p->flame,
				      .profile = &b->profile,
				      .recording = &b->recording,
				      .pack = pipa_deflate };
	w->report.hot = &p->report;
	p->is_compared = true;
	return 0;
}

/* ---- both sides ---------------------------------------------------------------------------------- */

static int open_sides(struct work *w, const char *const *other, struct pipa_error *err)
{
	struct pipa_analysis_options options = w->o->analysis;
	int rc = pipa_analysis_open(&options, &w->sides[PIPA_SIDE_A], err);

	if (rc < 0)
		return rc;
	options.paths = other;
	options.n_paths = 1;
	return pipa_analysis_open(&options, &w->sides[PIPA_SIDE_B], err);
}

static int compare_sides(struct work *w, const char *const *other)
{
	int side, rc;

	for (side = 0; side < PIPA_SIDES; side++) {
		const struct pipa_analysis *a = &w->sides[side];

		w->compared[side] = (struct pipa_compare_side){
			.series = &a->dataset.series,
			.phases = &a->phases,
			.run = &a->run,
			.context = &a->context,
			.rules = &a->rules,
			.findings = &a->findings,
			.facts = a->dataset.has_facts ? &a->dataset.facts : NULL,
		};
	}
	w->report = (struct pipa_report_compare){
		.comparison = &w->comparison,
		.sides = w->compared,
		.titles = { pipa_choose_title(NULL, w->o->analysis.paths[0]),
			    pipa_choose_title(NULL, other[0]) },
		.inputs = { w->o->analysis.paths, other },
		.n_inputs = { w->o->analysis.n_paths, 1 },
		.version = w->o->version,
	};
	rc = pipa_compare(w->compared, &w->comparison);
	return rc ? rc : compare_profiles(w);
}

/* ---- output -------------------------------------------------------------------------------------- */

struct output {
	struct pipa_outfile *file;
	struct pipa_error *err;
};

static int put_bytes(void *ctx, const char *bytes, size_t len)
{
	struct output *out = ctx;

	return pipa_outfile_put(out->file, bytes, len, out->err);
}

static int write_html(struct work *w, struct output *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf json = { .max = 256 << 20 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf time = { 0 };
	const char *inputs[PIPA_SIDES] = { w->report.inputs[0][0], w->report.inputs[1][0] };
	struct pipa_view_part parts[2];
	struct pipa_html_report page;
	int rc = pipa_report_put_compare(&w->report, &json);

	pipa_report_put_compare_time(&w->report, &time);
	if (!rc)
		rc = json.status ? json.status : time.status;
	if (rc < 0)
		return rc;
	parts[0] = (struct pipa_view_part){ "compare", pipa_buf_str(&json), json.len };
	parts[1] = (struct pipa_view_part){ "time", pipa_buf_str(&time), time.len };
	page = (struct pipa_html_report){
		.title = w->o->title ? w->o->title : w->title,
		.version = w->o->version,
		.language = w->o->analysis.language,
		.inputs = inputs,
		.n_inputs = PIPA_SIDES,
		.profile = w->profiles.is_compared ? &w->profiles.view : NULL,
		.parts = parts,
		.n_parts = PIPA_COUNT(parts),
		.pack = pipa_deflate,
	};
	return pipa_html_report_write(&page, put_bytes, out);
}

static int write_document(struct work *w, enum pipa_compare_form form, struct output *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 256 << 20 };

	pipa_report_compare_write(&w->report,
				  form == PIPA_COMPARE_JSON ? PIPA_DOC_JSON : PIPA_DOC_YAML, &text);
	return text.status ? text.status : put_bytes(out, pipa_buf_str(&text), text.len);
}

static int write_out(struct work *w, enum pipa_compare_form form, struct pipa_error *err)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *file = NULL;
	struct output out = { .err = err };
	int rc = pipa_outfile_open_or_wrap(w->o->output, w->o->out_fd, &file, err);

	if (rc < 0)
		return rc;
	out.file = file;
	rc = form == PIPA_COMPARE_HTML ? write_html(w, &out) : write_document(w, form, &out);
	if (rc < 0)
		return err->code ? rc : pipa_fail(err, rc, "write the comparison");
	return pipa_outfile_commit(file, err);
}

int pipa_compare_run(const struct pipa_analyze_options *o, const char *other,
		     enum pipa_compare_form form, struct pipa_error *err)
{
	const char *const others[] = { other };
	struct work w = { .o = o };
	int rc = open_sides(&w, others, err);

	if (!rc) {
		pipa_log_progress(&o->analysis.log, "comparing", 0, 0);
		rc = compare_sides(&w, others);
		pipa_log_progress_end(&o->analysis.log);
		if (rc < 0)
			pipa_fail(err, rc, "compare the measurements");
	}
	if (!rc) {
		snprintf(w.title, sizeof(w.title), "%s | %s", w.report.titles[PIPA_SIDE_A],
			 w.report.titles[PIPA_SIDE_B]);
		rc = write_out(&w, form, err);
	}
	work_done(&w);
	return rc;
}
