#include "job/analyze/analyze.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/report/characterize.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "base/vec.h"
#include "codec/deflate.h"
#include "export/report/html_report.h"
#include "export/report/report_next.h"
#include "export/report/report_work.h"
#include "job/analyze/hot_spots.h"
#include "job/analyze/next_steps.h"
#include "job/analyze/profile_view.h"
#include "job/view/choose_event.h"

char *pipa_analyze_free_path(void)
{
	char *path = NULL;
	struct stat info;
	unsigned int i;

	for (i = 0;; i++) {
		if ((i ? asprintf(&path, "report_%u.html", i) : asprintf(&path, "report.html")) < 0)
			return NULL;
		if (lstat(path, &info) < 0)
			return path;
		free(path);
	}
}

/* ---- contents ------------------------------------------------------------------------------------- */

/* The contents of the page beside those of the analysis. */
struct page {
	struct {
		struct pipa_html_note *items;
		size_t n, cap;
	} notes;
	struct pipa_arena texts; /* of notes */
	struct pipa_profile_view profile;
	struct pipa_buf work, next, hot; /* JSON of the parts */
	struct {
		struct pipa_view_part *items;
		size_t n, cap;
	} parts;
};

static void page_done(struct page *page)
{
	free(page->notes.items);
	pipa_arena_done(&page->texts);
	pipa_profile_view_done(&page->profile);
	pipa_buf_done(&page->work);
	pipa_buf_done(&page->next);
	pipa_buf_done(&page->hot);
	free(page->parts.items);
}

static int add_note(struct page *page, const char *name, const char *text)
{
	struct pipa_html_note *note = name && text ? PIPA_VEC_ADD(&page->notes) : NULL;

	if (!note)
		return -ENOMEM;
	*note = (struct pipa_html_note){ name, text };
	return 0;
}

/* Add a note with a formatted name and text. 0 or -ENOMEM. */
static int add_problem(struct page *page, const struct pipa_rule_problem *problem)
{
	char name[300];

	snprintf(name, sizeof(name), "%s:%zu:%zu", problem->file, problem->line, problem->column);
	return add_note(page, pipa_arena_text(&page->texts, name, strlen(name)), problem->what);
}

/* List everything that could not be used: parts of the input, and rules. 0 or -ENOMEM. */
static int add_notes(const struct pipa_analysis *a, struct page *page)
{
	const struct pipa_dataset *dataset = &a->dataset;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < dataset->notes.n; i++)
		rc = add_note(page, dataset->notes.items[i].name, dataset->notes.items[i].text);
	for (i = 0; !rc && i < a->rules.problems.n; i++)
		rc = add_problem(page, &a->rules.problems.items[i]);
	return rc;
}

static int add_part(struct page *page, const char *name, const struct pipa_buf *json)
{
	struct pipa_view_part *part = json->status ? NULL : PIPA_VEC_ADD(&page->parts);

	if (!part)
		return -ENOMEM;
	*part = (struct pipa_view_part){ .name = name, .json = json->data, .len = json->len };
	return 0;
}

/* Add the characterization of the workload. 0 or -ENOMEM. */
static int add_work(const struct pipa_analysis *a, struct page *page)
{
	PIPA_AUTO(pipa_characterization_done) struct pipa_characterization work = { 0 };
	const struct pipa_characterize_input input = {
		.context = &a->context, .cpus = &a->cpus, .disks = &a->disks, .run = &a->run
	};
	int rc = pipa_characterize(&input, &work);

	if (rc < 0)
		return rc;
	pipa_report_put_work(&work, &page->work);
	return add_part(page, "characterization", &page->work);
}

/* Add the proposals for the next measurement. 0 or -ENOMEM. */
static int add_next(const struct pipa_analysis *a, struct page *page)
{
	PIPA_AUTO(pipa_next_steps_done) struct pipa_next_steps steps = { 0 };
	int rc = pipa_next_steps_of(a, &steps);

	if (rc < 0)
		return rc;
	pipa_report_put_next(&steps, &page->next);
	return add_part(page, "next", &page->next);
}

/* Add the hot functions of the recording. 0 or -ENOMEM. */
static int add_hot(const struct pipa_analysis *a, struct page *page)
{
	int rc = pipa_hot_spots_write(a, &page->hot);

	return rc < 0 ? rc : add_part(page, "hot", &page->hot);
}

static int make_page(const struct pipa_analysis *a, struct page *page)
{
	int rc = add_notes(a, page);

	if (!rc)
		rc = add_work(a, page);
	if (!rc)
		rc = add_next(a, page);
	if (!rc && a->has_profile)
		rc = add_hot(a, page);
	if (!rc && a->has_profile)
		rc = pipa_profile_view_make(a, &page->profile);
	return rc;
}

/* ---- output --------------------------------------------------------------------------------------- */

struct page_output {
	struct pipa_outfile *file;
	struct pipa_error *err;
};

static int put_bytes(void *ctx, const char *bytes, size_t len)
{
	struct page_output *out = ctx;

	return pipa_outfile_put(out->file, bytes, len, out->err);
}

static int write_page(const struct pipa_analyze_options *o, const struct pipa_analysis *a,
		      const struct page *page, struct pipa_error *err)
{
	const struct pipa_html_report report = {
		.title = pipa_choose_title(o->title, o->analysis.paths[0]),
		.version = o->version,
		.language = o->analysis.language,
		.inputs = o->analysis.source ? &o->analysis.source : o->analysis.paths,
		.n_inputs = o->analysis.source ? 1 : o->analysis.n_paths,
		.notes = page->notes.items,
		.n_notes = page->notes.n,
		.series = &a->dataset.series,
		.facts = a->dataset.has_facts ? &a->dataset.facts : NULL,
		.hardware = &a->dataset.hardware,
		.quality = &a->quality,
		.phases = &a->phases,
		.rules = &a->rules,
		.context = &a->context,
		.findings = &a->findings,
		.cpus = &a->cpus,
		.expected = &a->expected,
		.nodes = a->nodes,
		.n_nodes = a->n_nodes,
		.disks = &a->disks,
		.run = &a->run,
		.profile = a->has_profile ? &page->profile.view : NULL,
		.profile_wall_ns = page->profile.wall_ns,
		.parts = page->parts.items,
		.n_parts = page->parts.n,
		.pack = pipa_deflate,
	};
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *file = NULL;
	struct pipa_error own = { 0 };
	struct page_output out = { .err = err ? err : &own };
	int rc = pipa_outfile_open_or_wrap(o->output, o->out_fd, &file, out.err);

	if (rc < 0)
		return rc;
	out.file = file;
	rc = pipa_html_report_write(&report, put_bytes, &out);
	if (rc < 0)
		return out.err->code ? rc : pipa_fail(out.err, rc, "write the report");
	return pipa_outfile_commit(file, out.err);
}

int pipa_analyze_run(const struct pipa_analyze_options *o, struct pipa_error *err)
{
	PIPA_AUTO(pipa_analysis_close) struct pipa_analysis analysis = { 0 };
	struct page page = { 0 };
	int rc = pipa_analysis_open(&o->analysis, &analysis, err);

	if (rc < 0)
		return rc;
	pipa_log_progress(&o->analysis.log, "writing the report", 0, 0);
	rc = make_page(&analysis, &page);
	rc = rc < 0 ? pipa_fail(err, rc, "make the report") : write_page(o, &analysis, &page, err);
	pipa_log_progress_end(&o->analysis.log);
	page_done(&page);
	return rc;
}
