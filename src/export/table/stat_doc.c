/*
 * Write counts as JSON or YAML (docs/format/stat.schema.json); intervals as one JSON object per
 * line.
 */
#include "export/table/stat.h"

#include <math.h>

#include "base/buf.h"
#include "codec/doc.h"

static const char *const aggr_names[PIPA_AGGR_NR] = {
	[PIPA_AGGR_GLOBAL] = "global", [PIPA_AGGR_CPU] = "cpu",	      [PIPA_AGGR_CORE] = "core",
	[PIPA_AGGR_DIE] = "die",       [PIPA_AGGR_SOCKET] = "socket", [PIPA_AGGR_NODE] = "node",
	[PIPA_AGGR_THREAD] = "thread",
};

static const char *const state_names[] = {
	[PIPA_COUNTED] = "counted",
	[PIPA_NOT_COUNTED] = "not counted",
	[PIPA_NOT_SUPPORTED] = "not supported",
};

static void put_spread(struct pipa_doc *doc, const struct pipa_spread *spread)
{
	if (!spread->n)
		return;
	pipa_doc_map(doc, "spread");
	pipa_doc_u64(doc, "n", spread->n);
	pipa_doc_double(doc, "mean", spread->mean);
	pipa_doc_double(doc, "sd", spread->sd);
	pipa_doc_double(doc, "min", spread->min);
	pipa_doc_double(doc, "median", spread->median);
	pipa_doc_double(doc, "max", spread->max);
	pipa_doc_double(doc, "low", spread->low);
	pipa_doc_double(doc, "high", spread->high);
	pipa_doc_end(doc);
}

static void put_time(struct pipa_doc *doc, const char *key, double seconds,
		     const struct pipa_spread *spread)
{
	if (isnan(seconds))
		return;
	pipa_doc_map(doc, key);
	pipa_doc_double(doc, "value", seconds);
	pipa_doc_str(doc, "unit", "s");
	put_spread(doc, spread);
	pipa_doc_end(doc);
}

static void put_number(struct pipa_doc *doc, const char *key, int number)
{
	if (number >= 0)
		pipa_doc_int(doc, key, number);
}

static void put_place(struct pipa_doc *doc, const struct pipa_stat_place *place, size_t members)
{
	if (place->by == PIPA_AGGR_GLOBAL)
		return;
	pipa_doc_map(doc, "location");
	put_number(doc, "cpu", place->cpu);
	put_number(doc, "core", place->core);
	put_number(doc, "die", place->die);
	put_number(doc, "socket", place->socket);
	put_number(doc, "node", place->node);
	if (place->by == PIPA_AGGR_THREAD) {
		pipa_doc_int(doc, "tid", place->tid);
		pipa_doc_str(doc, "comm", place->comm);
	} else {
		pipa_doc_u64(doc, "cpus", members);
	}
	pipa_doc_end(doc);
}

static void put_metrics(struct pipa_doc *doc, const struct pipa_stat_row *row)
{
	size_t i;

	if (!row->n_derived)
		return;
	pipa_doc_list(doc, "metrics");
	for (i = 0; i < row->n_derived; i++) {
		if (isnan(row->derived[i].value))
			continue;
		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "name", row->derived[i].name);
		pipa_doc_double(doc, "value", row->derived[i].value);
		pipa_doc_str(doc, "unit", row->derived[i].unit);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static void put_row(struct pipa_doc *doc, const struct pipa_stat *stat,
		    const struct pipa_stat_row *row, bool metric_only)
{
	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "event", row->name);
	if (row->cgroup)
		pipa_doc_str(doc, "cgroup", row->cgroup);
	put_place(doc, &stat->places[row->place], row->members);
	if (!metric_only) {
		pipa_doc_str(doc, "state", state_names[row->state]);
		pipa_doc_double(doc, "value", row->state == PIPA_COUNTED ? row->value : NAN);
		pipa_doc_str(doc, "unit", row->unit);
		pipa_doc_u64(doc, "enabled_ns", row->enabled_ns);
		pipa_doc_u64(doc, "running_ns", row->running_ns);
		if (row->is_sum)
			pipa_doc_bool(doc, "sum", true);
		if (row->user_only)
			pipa_doc_bool(doc, "user_only", true);
		put_spread(doc, &row->spread);
	}
	put_metrics(doc, row);
	pipa_doc_end(doc);
}

static void put_changes(struct pipa_doc *doc, const struct pipa_stat *stat)
{
	size_t i;

	if (!stat->changes)
		return;
	pipa_doc_list(doc, "changes");
	for (i = 0; i < stat->n_changes; i++) {
		const struct pipa_change *change = &stat->changes[i];

		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "event", change->name);
		pipa_doc_str(doc, "unit", change->unit);
		pipa_doc_double(doc, "before", change->before);
		pipa_doc_double(doc, "after", change->after);
		pipa_doc_double(doc, "percent", change->percent);
		pipa_doc_str(doc, "verdict", change->verdict);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

void pipa_stat_doc(const struct pipa_stat *stat, const struct pipa_stat_format *format,
		   struct pipa_buf *out)
{
	struct pipa_doc doc;
	size_t i;

	pipa_doc_begin(&doc,
		       format->form == PIPA_STAT_YAML  ? PIPA_DOC_YAML :
		       stat->interval || stat->summary ? PIPA_DOC_JSON_LINE :
							 PIPA_DOC_JSON,
		       out);
	pipa_doc_str(&doc, "schema", "pipa-stat/1");
	pipa_doc_str(&doc, "target", stat->target);
	pipa_doc_u64(&doc, "runs", stat->runs);
	pipa_doc_str(&doc, "aggregation", aggr_names[stat->by]);
	if (stat->interval) {
		pipa_doc_double(&doc, "time", stat->time_s);
		pipa_doc_u64(&doc, "missed_intervals", stat->late);
	}
	put_time(&doc, "elapsed", stat->elapsed_s, &stat->elapsed);
	put_time(&doc, "user", stat->user_s, &stat->user);
	put_time(&doc, "system", stat->sys_s, &stat->sys);
	pipa_doc_list(&doc, "events");
	for (i = 0; i < stat->n_rows; i++)
		if (pipa_stat_shows(stat, &stat->rows[i]))
			put_row(&doc, stat, &stat->rows[i], format->metric_only);
	pipa_doc_end(&doc);
	put_changes(&doc, stat);
	pipa_doc_list(&doc, "notes");
	for (i = 0; i < stat->n_notes; i++)
		pipa_doc_str(&doc, NULL, stat->notes[i]);
	pipa_doc_end(&doc);
	pipa_doc_finish(&doc);
}
