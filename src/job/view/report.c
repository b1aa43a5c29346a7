#include "job/view/report.h"

#include <errno.h>
#include <inttypes.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/visible.h"
#include "job/view/choose_event.h"
#include "job/view/filter_notes.h"
#include "job/view/symbol_hints.h"
#include "perf/decode.h"

enum { FLUSHED = 1 << 20, BATCH_CALLS = 2 << 20, BATCH_ROWS = 1 << 16 };

static int flush(const struct pipa_report_options *o, struct pipa_buf *out, size_t most)
{
	if (out->status)
		return out->status;
	return o->flush && out->len > most ? o->flush(out) : 0;
}

/*
 * Write the table with a tree below each row, some rows at a time: a stack has a path below each of
 * its frames, so all trees together take memory quadratic in its depth.
 */
static int write_trees(const struct pipa_report_options *o, struct pipa_report *report,
		       struct pipa_buf *out)
{
	size_t depth = o->max_depth ? o->max_depth : PIPA_REPORT_DEPTH, i;
	size_t batch = BATCH_CALLS / depth, last;
	struct pipa_report_widths widths;
	uint64_t deeper = 0;
	int rc = 0;

	batch = batch < 1 ? 1 : batch > BATCH_ROWS ? BATCH_ROWS : batch;
	report->deeper = &deeper;
	/* branches of lighter rows are below the limit, unless percentages are of the row */
	last = pipa_report_rows(report->top, !o->fractal && o->branch_limit > o->percent_limit ?
						     o->branch_limit :
						     o->percent_limit);
	pipa_report_head(report, &widths, out);
	for (i = 0; !rc && i < widths.rows;) {
		const struct pipa_calltree_options calls = {
			.callees = o->callees,
			.from_root = !o->top.children, /* such rows have no callees */
			.first_row = i,
			.max_rows = i + batch < last ? i + batch : last,
			.max_depth = depth,
		};
		size_t end = i + batch < widths.rows ? i + batch : widths.rows;
		struct pipa_calltree tree = { 0 };

		rc = i < last ? pipa_calltree_make(report->top, &calls, &tree) : 0;
		report->tree = tree.rows ? &tree : NULL;
		for (; !rc && i < end; i++) {
			pipa_report_row(report, &widths, i, out);
			rc = flush(o, out, FLUSHED);
		}
		report->tree = NULL;
		pipa_calltree_done(&tree);
	}
	report->deeper = NULL;
	if (!rc && deeper)
		pipa_buf_printf(out, "# branches cut at --max-depth %zu: %" PRIu64 "\n", depth,
				deeper);
	return rc;
}

static int write_table(const struct pipa_report_options *o, const struct pipa_loaded *loaded,
		       const struct pipa_top *top, struct pipa_buf *out)
{
	struct pipa_report report = {
		.profile = &loaded->profile,
		.recording = &loaded->recording,
		.top = top,
		.fields = o->fields,
		.verbose = o->verbose,
		.full_names = o->full_names,
		.columns = o->columns,
		.branch = o->branch,
		.fractal = o->fractal,
		.max_branch = o->max_branch,
		.percent_limit = o->percent_limit,
		.branch_limit = o->branch_limit,
	};

	if (!report.fields.n)
		pipa_report_fields_default(&report.fields, &top->o, o->samples);
	if (o->tree && o->form == PIPA_REPORT_TEXT)
		return write_trees(o, &report, out);
	pipa_report_write(&report, o->form, out);
	return 0;
}

static int make_table(const struct pipa_report_options *o, const struct pipa_loaded *loaded,
		      struct pipa_buf *out, struct pipa_error *err)
{
	PIPA_AUTO(pipa_top_done) struct pipa_top top = { 0 };
	struct pipa_top_options options = o->top;
	regex_t parent;
	char text[120];
	int rc;

	if (o->parent) {
		rc = regcomp(&parent, o->parent, REG_EXTENDED | REG_NOSUB);
		if (rc) {
			regerror(rc, &parent, text, sizeof(text));
			return pipa_refuse(err, -EINVAL, "--parent: '%s': %s", o->parent, text);
		}
		options.parent = &parent;
	}
	options.modes = pipa_report_fields_has(&o->fields, PIPA_REPORT_OVERHEAD_SYS) ||
			pipa_report_fields_has(&o->fields, PIPA_REPORT_OVERHEAD_US);
	rc = pipa_top_make(&loaded->profile, &options, &top);
	if (!rc && !top.n)
		pipa_note_filters(&loaded->profile,
				  &(struct pipa_filter_names){ .comms = o->top.comms,
							       .objects = o->top.objects,
							       .symbols = o->top.symbols,
							       .time = o->load.ingest.from_ns ||
								       o->load.ingest.until_ns },
				  &o->load.log);
	if (!rc)
		rc = write_table(o, loaded, &top, out);
	if (o->parent)
		regfree(&parent);
	if (rc == -EPIPE)
		return rc;
	return rc < 0 ? pipa_fail(err, rc, "make the report") : 0;
}

/* Copy the samples of an event, as those of event 0. NULL on allocation failure. */
static struct pipa_sample *samples_of(const struct pipa_profile *p, uint32_t event, size_t *ret_n)
{
	struct pipa_sample *samples = malloc((p->samples.n + 1) * sizeof(*samples));
	size_t i, n = 0;

	for (i = 0; samples && i < p->samples.n; i++)
		if (p->samples.items[i].event == event) {
			samples[n] = p->samples.items[i];
			samples[n++].event = 0;
		}
	*ret_n = n;
	return samples;
}

/* Write a table for each event with samples. It is made of the profile with only that event. */
static int make_tables(const struct pipa_report_options *o, const struct pipa_loaded *loaded,
		       struct pipa_buf *out, struct pipa_error *err)
{
	const struct pipa_profile *all = &loaded->profile;
	struct pipa_profile_event event;
	bool written = false;
	uint32_t e;
	int rc = 0;

	for (e = 0; !rc && e < all->events.n; e++) {
		struct pipa_loaded one = *loaded;
		PIPA_AUTO(free) struct pipa_sample *samples = NULL;

		if (!all->events.items[e].count && all->events.n > 1)
			continue;
		samples = samples_of(all, e, &one.profile.samples.n);
		if (!samples)
			return pipa_fail(err, -ENOMEM, "make the report");
		event = all->events.items[e];
		event.negative_of = PIPA_NONE;
		one.profile.events.items = &event;
		one.profile.events.n = 1;
		one.profile.samples.items = samples;
		if (written)
			pipa_buf_putc(out, '\n');
		written = true;
		rc = make_table(o, &one, out, err);
	}
	return rc;
}

static bool has_lines(const struct pipa_profile *p)
{
	size_t i;

	for (i = 0; i < p->lines.n; i++)
		if (p->lines.items[i].line)
			return true;
	return false;
}

/* Note each requested key that no sample has, because the format lacks it. */
static void note_missing_keys(const struct pipa_report_options *o, const struct pipa_loaded *loaded)
{
	const struct pipa_profile *p = &loaded->profile;
	const char *name = pipa_choose_title(NULL, o->load.path);
	bool cpus = false, threads = false, labels = false;
	size_t i;

	for (i = 0; i < p->samples.n; i++) {
		cpus |= p->samples.items[i].cpu != PIPA_NONE;
		threads |= p->samples.items[i].thread != PIPA_NONE;
		labels |= p->samples.items[i].labels != 0;
	}
	if (!p->samples.n)
		return;
	if (pipa_top_has_key(&o->top, PIPA_KEY_CPU) && !cpus)
		pipa_log_note(&o->load.log, "--sort cpu: %s has no CPU numbers", name);
	if ((pipa_top_has_key(&o->top, PIPA_KEY_PID) || pipa_top_has_key(&o->top, PIPA_KEY_TID)) &&
	    !threads)
		pipa_log_note(&o->load.log, "--sort %s: %s has no process and thread ids",
			      pipa_top_has_key(&o->top, PIPA_KEY_PID) ? "pid" : "tid", name);
	if (pipa_top_has_key(&o->top, PIPA_KEY_SRCLINE) && !has_lines(p) &&
	    loaded->kind != PIPA_KIND_PERF_DATA)
		pipa_log_note(&o->load.log, "--sort srcline: %s has no source lines", name);
	if (pipa_top_has_key(&o->top, PIPA_KEY_LABEL) && !labels)
		pipa_log_note(&o->load.log, "--sort %s: %s has no labels",
			      pipa_key_name(&o->top, PIPA_KEY_LABEL), name);
}

int pipa_report_load(const struct pipa_report_options *o, struct pipa_loaded *ret,
		     struct pipa_error *err)
{
	struct pipa_load_options load = o->load;

	load.drop_frames = true;
	load.ingest.by_cpu |= pipa_top_has_key(&o->top, PIPA_KEY_CPU);
	if (pipa_top_has_key(&o->top, PIPA_KEY_SRCLINE))
		load.symbols.lines = PIPA_LINES_PLAIN;
	if (o->inlined != PIPA_LINES_NONE)
		load.symbols.lines = load.symbols.lines ? PIPA_LINES_INLINED : o->inlined;
	load.no_names = load.offline = o->stats || o->header_only;
	load.ingest.no_stacks |= !o->top.children && !o->tree && !o->parent;
	return pipa_load_selected(&load, &o->selection, ret, err);
}

/* List the events: all that a recording has at its beginning, if it is truncated. */
static void list_events(const struct pipa_profile *p, struct pipa_buf *out)
{
	uint32_t i;

	for (i = 0; i < p->events.n; i++) {
		pipa_buf_puts(out, "# event : ");
		pipa_visible_put(out, pipa_chosen_name(p, i));
		pipa_buf_putc(out, '\n');
	}
}

int pipa_report_run(const struct pipa_report_options *o, struct pipa_buf *out,
		    struct pipa_error *err)
{
	struct pipa_report_options own = *o;
	struct pipa_loaded loaded;
	int rc;

	own.load.symbols.no_places = !pipa_top_has_key(&o->top, PIPA_KEY_SRCLINE);
	rc = pipa_report_load(&own, &loaded, err);
	if (rc < 0)
		return rc;
	if (o->form == PIPA_REPORT_CSV || /* the other formats include them */
	    (o->header_only && loaded.recording.damage.count))
		pipa_note_losses(&loaded, NULL, &o->load.log);
	if (o->header_only && loaded.kind != PIPA_KIND_PERF_DATA) {
		pipa_refuse(err, -EINVAL, "cannot print the header: %s has none, it is %s",
			    pipa_choose_title(NULL, o->load.path), pipa_kind_name(loaded.kind));
		pipa_loaded_done(&loaded);
		return err->code;
	}
	if (o->header || o->header_only)
		pipa_report_header(&loaded.recording, out);
	if (o->header_only && loaded.recording.damage.count && !loaded.recording.facts.n)
		list_events(&loaded.profile, out);
	if (o->stats)
		pipa_report_stats(&loaded.profile, &loaded.recording, pipa_perf_record_name,
				  o->form, out);
	else if (!o->header_only) {
		note_missing_keys(o, &loaded);
		pipa_log_progress(&o->load.log, "making the table", 0, 0);
		rc = o->no_group ? make_tables(o, &loaded, out, err) :
				   make_table(o, &loaded, out, err);
		if (!rc && o->form == PIPA_REPORT_TEXT && !o->load.symbols.symfs &&
		    pipa_symbol_hints_text(&loaded.profile, NULL, out) < 0)
			rc = pipa_fail(err, -ENOMEM, "make the report");
		pipa_log_progress_end(&o->load.log);
	}
	pipa_loaded_done(&loaded);
	return rc;
}
