#include "job/exchange/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "import/folded.h"
#include "job/view/choose_event.h"
#include "load/load.h"
#include "model/profile_compact.h"
#include "model/value_columns.h"

static const char *shown(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* ---- compatibility ----------------------------------------------------------------------------- */

/* Are the names equal? The event of folded stacks is unnamed; a pprof file calls it "value". */
static bool is_same_name(const char *a, const char *b)
{
	return strcmp(a[0] ? a : "value", b[0] ? b : "value") == 0;
}

static bool is_same_unit(const char *a, const char *b)
{
	return strcmp(a[0] ? a : PIPA_VALUE_COUNT, b[0] ? b : PIPA_VALUE_COUNT) == 0;
}

/*
 * Do both events measure the same? perf.data and pprof files name time on a CPU differently, and a
 * count may be without a unit.
 */
static bool is_same_event(const struct pipa_profile *p, const struct pipa_profile_event *a,
			  const struct pipa_profile *q, const struct pipa_profile_event *b)
{
	if (a->negative_of != PIPA_NONE || b->negative_of != PIPA_NONE)
		return false;
	if (pipa_event_is_cpu_time(p, a) && pipa_event_is_cpu_time(q, b))
		return true;
	return is_same_name(pipa_profile_string(p, a->name), pipa_profile_string(q, b->name)) &&
	       is_same_unit(pipa_profile_string(p, a->unit), pipa_profile_string(q, b->unit));
}

/* Give the events of `from` the names and units that the sum has for them. */
static int rename_events(const struct pipa_profile *sum, struct pipa_profile *from)
{
	size_t i, k, n;

	for (i = 0; i < from->events.n; i++) {
		struct pipa_profile_event *event = &from->events.items[i];

		for (k = 0; k < sum->events.n; k++) {
			const struct pipa_profile_event *known = &sum->events.items[k];
			const struct {
				uint32_t from;
				uint32_t *to;
			} texts[] = { { known->name, &event->name },
				      { known->unit, &event->unit },
				      { known->count_name, &event->count_name },
				      { known->count_unit, &event->count_unit } };

			if (!is_same_event(sum, known, from, event))
				continue;
			for (n = 0; n < PIPA_COUNT(texts); n++) {
				*texts[n].to = pipa_profile_text(
					from, pipa_profile_string(sum, texts[n].from));
				if (*texts[n].to == PIPA_NO_STRING)
					return -ENOMEM;
			}
			break;
		}
	}
	return 0;
}

/*
 * Give the event of folded stacks its name in the sum, so that both are one event: their names are those
 * of their fractions, which merging makes the same. 0 or -ENOMEM.
 */
static int rename_fractions(const struct pipa_profile *sum, struct pipa_profile *from)
{
	uint32_t name;

	if (sum->events.n != 1 || from->events.n != 1)
		return 0;
	name = pipa_profile_text(from, pipa_profile_string(sum, sum->events.items[0].name));
	if (name == PIPA_NO_STRING)
		return -ENOMEM;
	from->events.items[0].name = name;
	return 0;
}

/* Is every column of `a` one of `b`, with the same unit? */
static bool has_columns_of(const struct pipa_profile *a, const struct pipa_profile *b)
{
	char buf_a[PIPA_VALUE_NAME_MAX], buf_b[PIPA_VALUE_NAME_MAX];
	struct pipa_value_column x, y;
	size_t i, k;

	for (i = 0; pipa_value_column_get(a, i, &x); i++) {
		const char *name = pipa_value_column_name(a, &x, buf_a);
		const char *unit = pipa_value_column_unit(a, &x);

		for (k = 0; pipa_value_column_get(b, k, &y); k++)
			if (strcmp(name, pipa_value_column_name(b, &y, buf_b)) == 0 &&
			    strcmp(unit, pipa_value_column_unit(b, &y)) == 0)
				break;
		if (!pipa_value_column_get(b, k, &y))
			return false;
	}
	return true;
}

/* Append the first period type of a file, "cpu/nanoseconds", if it has one. */
static void put_period_type(const struct pipa_profile *p, struct pipa_buf *out)
{
	size_t i;

	for (i = 0; i < p->events.n && !out->len; i++)
		if (p->events.items[i].period_name || p->events.items[i].period_unit)
			pipa_buf_printf(out, "%s/%s",
					pipa_profile_string(p, p->events.items[i].period_name),
					pipa_profile_string(p, p->events.items[i].period_unit));
}

static int check_columns(const struct pipa_merge_options *o, size_t i,
			 const struct pipa_profile *sum, const struct pipa_profile *from,
			 struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf known = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf other = { 0 };

	if (!has_columns_of(sum, from) || !has_columns_of(from, sum)) {
		pipa_value_columns_list(sum, &known);
		pipa_value_columns_list(from, &other);
		pipa_refuse(err, -EINVAL,
			    "cannot merge %s: its value columns differ from those of %s",
			    shown(o->paths[i]), shown(o->paths[0]));
		return pipa_hint(err, "columns: %s; before: %s", pipa_buf_str(&other),
				 pipa_buf_str(&known));
	}
	put_period_type(sum, &known);
	put_period_type(from, &other);
	if (known.status || other.status)
		return known.status ? known.status : other.status;
	if (known.len && other.len && strcmp(pipa_buf_str(&known), pipa_buf_str(&other)) != 0)
		return pipa_refuse(err, -EINVAL,
				   "cannot merge %s with %s: its period type is %s, not %s",
				   shown(o->paths[i]), shown(o->paths[0]), pipa_buf_str(&other),
				   pipa_buf_str(&known));
	return 0;
}

/* ---- all files --------------------------------------------------------------------------------- */

static bool is_empty(const struct pipa_profile *p)
{
	struct pipa_value_column column;

	return !pipa_value_column_get(p, 0, &column);
}

static int add_file(const struct pipa_merge_options *o, size_t i, struct pipa_loaded *sum,
		    struct pipa_error *err)
{
	const struct pipa_export_options *out = &o->out;
	struct pipa_load_options load = {
		.path = o->paths[i],
		.log = out->log,
		.ingest = out->ingest,
		.symbols = out->symbols,
	};
	struct pipa_profile_selection selection = out->selection;
	struct pipa_loaded loaded;
	int rc;

	load.symbols.lines = out->not_inlined ? PIPA_LINES_NONE : PIPA_LINES_STACKS;
	selection.all_values = true;
	rc = pipa_load_selected(&load, &selection, &loaded, err);
	if (rc < 0)
		return rc;
	pipa_note_losses(&loaded, o->paths[i], &out->log);
	/* only if all files are folded stacks, their names are written unchanged */
	sum->kind = i == 0 || sum->kind == loaded.kind ? loaded.kind : PIPA_KIND_PPROF;
	if (i && sum->kind == PIPA_KIND_FOLDED)
		rc = rename_fractions(&sum->profile, &loaded.profile);
	if (!rc)
		rc = rename_events(&sum->profile, &loaded.profile);
	if (!rc && !is_empty(&sum->profile) && !is_empty(&loaded.profile))
		rc = check_columns(o, i, &sum->profile, &loaded.profile, err);
	if (!rc)
		rc = pipa_profile_merge(&sum->profile, &loaded.profile);
	if (rc == -ERANGE)
		pipa_refuse(err, rc, "cannot merge %s: the sum of its values exceeds 64 bits",
			    shown(o->paths[i]));
	pipa_loaded_done(&loaded);
	return rc < 0 && !err->code ? pipa_fail(err, rc, "merge %s", shown(o->paths[i])) : rc;
}

int pipa_merge_run(const struct pipa_merge_options *o, struct pipa_error *err)
{
	struct pipa_profile_selection selection = o->out.selection;
	struct pipa_loaded sum = { 0 };
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < o->n; i++)
		rc = add_file(o, i, &sum, err);
	if (!rc && sum.kind == PIPA_KIND_FOLDED && sum.profile.events.n)
		rc = pipa_folded_name_event(&sum.profile, 0);
	if (!rc && pipa_filter_is_set(&o->out.selection.filter))
		rc = pipa_profile_compact(&sum.profile);
	selection.all_values = o->out.format != PIPA_EXPORT_FOLDED || o->out.event;
	if (!rc)
		rc = pipa_select_value(&sum, &selection, &o->out.log, err);
	if (!rc)
		rc = pipa_export_write(&o->out, &sum, err);
	else if (!err->code)
		pipa_fail(err, rc, "merge the profiles");
	pipa_loaded_done(&sum);
	return rc;
}
