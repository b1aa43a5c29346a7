#include "job/view/selection.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "job/view/choose_event.h"
#include "job/view/filter_notes.h"
#include "load/load.h"
#include "model/value_columns.h"

/* ---- value column ------------------------------------------------------------------------------ */

void pipa_value_columns_list(const struct pipa_profile *p, struct pipa_buf *out)
{
	struct pipa_value_column column;
	char buf[PIPA_VALUE_NAME_MAX];
	size_t i;

	for (i = 0; pipa_value_column_get(p, i, &column); i++)
		pipa_buf_printf(out, "%s%s (%s)", i ? ", " : "",
				pipa_value_column_name(p, &column, buf),
				pipa_value_column_unit(p, &column));
	if (!i)
		pipa_buf_puts(out, "no columns");
}

static int refuse_column(const struct pipa_profile *p, const char *name, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf all = { 0 };

	pipa_value_columns_list(p, &all);
	pipa_refuse(err, -EINVAL, "--value: no column '%s' in the input", name);
	return all.len ? pipa_hint(err, "available: %s", pipa_buf_str(&all)) : err->code;
}

/* Choose the column. The default matters only for files of other tools with several columns. */
int pipa_select_value(struct pipa_loaded *loaded, const struct pipa_profile_selection *s,
		      const struct pipa_log *log, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf all = { 0 };
	struct pipa_profile *p = &loaded->profile;
	struct pipa_value_column column, other;
	char buf[PIPA_VALUE_NAME_MAX];
	int rc;

	if (s->value && !pipa_value_column_find(p, s->value, &column))
		return refuse_column(p, s->value, err);
	if (!s->value && (s->all_values || !p->n_column_groups || p->events.n < 2 ||
			  !pipa_value_column_default(p, &column)))
		return 0;
	if (!s->value && pipa_value_column_get(p, 1, &other)) {
		pipa_value_columns_list(p, &all);
		if (all.status)
			return pipa_fail(err, all.status, "list the values");
		pipa_log_note(log, "using value %s of %s. Select another one with --value NAME.",
			      pipa_value_column_name(p, &column, buf), pipa_buf_str(&all));
	}
	rc = pipa_value_column_keep(p, &loaded->timeline, &column);
	return rc < 0 ? pipa_fail(err, rc, "select the value") : 0;
}

/* ---- filters ----------------------------------------------------------------------------------- */

static void note_no_match(const struct pipa_log *log, const char *option, const char *text,
			  bool matched)
{
	if (text && !matched)
		pipa_log_note(log, "%s: no frame matches '%s'", option, text);
}

static void note_result(const struct pipa_profile *p, const struct pipa_filter_options *o,
			const struct pipa_filter_result *found, const struct pipa_log *log)
{
	note_no_match(log, "--focus", o->focus, found->focus);
	note_no_match(log, "--ignore", o->ignore, found->ignore);
	note_no_match(log, "--hide", o->hide, found->hide);
	note_no_match(log, "--show", o->show, found->show);
	note_no_match(log, "--show-from", o->show_from, found->show_from);
	if (found->before && !found->after)
		pipa_note_filters(p,
				  &(struct pipa_filter_names){ .comms = o->comms,
							       .pids = o->pids,
							       .tids = o->tids,
							       .cpus = o->cpus,
							       .trace_id = o->trace_id,
							       .frames = o->focus || o->ignore ||
									 o->hide || o->show ||
									 o->show_from,
							       .labels = o->labels.items,
							       .n_labels = o->labels.n },
				  log); /* the commands note the time range */
}

static int apply_filter(const struct pipa_load_options *load,
			const struct pipa_profile_selection *s, struct pipa_loaded *loaded,
			struct pipa_error *err)
{
	struct pipa_filter_options filter = s->filter;
	struct pipa_filter_result found;
	int rc;

	if (!pipa_load_selects_times(loaded->kind)) {
		filter.from_ns = load->ingest.from_ns;
		filter.until_ns = load->ingest.until_ns;
	}
	if (!pipa_filter_is_set(&filter))
		return 0;
	if ((filter.from_ns || filter.until_ns) && !loaded->timeline.n && loaded->profile.samples.n)
		return pipa_refuse(err, -EINVAL,
				   "cannot select samples by time: %s has no timestamps",
				   pipa_choose_title(NULL, load->path));
	rc = pipa_filter_apply(&filter, &loaded->profile, &loaded->timeline, &found, err);
	if (rc < 0)
		return rc;
	if (filter.trace_id && !found.has_trace_ids)
		return pipa_refuse(err, -EINVAL,
				   "cannot select samples by trace id: %s has no trace ids",
				   pipa_choose_title(NULL, load->path));
	note_result(&loaded->profile, &filter, &found, &load->log);
	return 0;
}

int pipa_load_selected(const struct pipa_load_options *o, const struct pipa_profile_selection *s,
		       struct pipa_loaded *ret, struct pipa_error *err)
{
	const struct pipa_filter_options *filter = &s->filter;
	struct pipa_load_options load = *o;
	int rc;

	load.timeline |= filter->trace_id != NULL;
	load.ingest.by_cpu |= filter->cpus != NULL;
	if (filter->focus || filter->ignore || filter->hide || filter->show || filter->show_from) {
		load.symbols.no_places = false; /* names of files are searched, too */
		load.ingest.no_stacks = false;
	}
	rc = pipa_load(&load, ret, err);
	if (rc < 0)
		return rc;
	rc = pipa_select_value(ret, s, &o->log, err);
	if (!rc)
		rc = apply_filter(o, s, ret, err);
	if (rc < 0) {
		pipa_loaded_done(ret);
		*ret = (struct pipa_loaded){ 0 };
	}
	return rc;
}
