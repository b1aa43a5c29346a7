/* Write the report of a run as JSON or YAML. */
#include <math.h>

#include "analyze/quality/quality.h"
#include "analyze/run/run_metrics.h"
#include "analyze/series/phases.h"
#include "base/buf.h"
#include "codec/doc.h"
#include "export/table/run.h"
#include "export/text/number.h"

static void put_value(struct pipa_doc *doc, enum pipa_run_key key, const struct pipa_run *run)
{
	double value = run->values[key];

	if (isnan(value))
		return;
	if (pipa_run_keys[key].is_whole && value >= 0 && value < 1e18 && value == floor(value))
		pipa_doc_u64(doc, pipa_run_keys[key].name, (uint64_t)value);
	else
		pipa_doc_double(doc, pipa_run_keys[key].name, value);
}

static void put_text(struct pipa_doc *doc, const char *key, const char *text)
{
	if (text)
		pipa_doc_str(doc, key, text);
}

/* Write the top-level keys: those of PIPA's dump, then ours. */
static void put_top(struct pipa_doc *doc, const struct pipa_run *run)
{
	enum pipa_run_key key;
	size_t i;

	pipa_doc_str(doc, "schema", "pipa-run/1");
	put_text(doc, "command", run->command);
	put_text(doc, "workload", run->workload);
	put_text(doc, "username", run->username);
	put_text(doc, "data_location", run->data_location);
	put_text(doc, "hw_info", run->hw_info);
	put_text(doc, "sw_info", run->sw_info);
	put_text(doc, "platform", run->platform);
	put_text(doc, "comment", run->comment);
	if (!run->data_location)
		pipa_doc_int(doc, "exit_status", run->status);
	pipa_doc_u64(doc, "runs", run->runs);
	put_text(doc, "scope", run->scope);
	if (run->cores.n) {
		pipa_doc_list(doc, "used_threads");
		for (i = 0; i < run->cores.n; i++)
			pipa_doc_int(doc, NULL, run->cores.items[i]);
		pipa_doc_end(doc);
	}
	put_text(doc, "DEV", run->dev);
	put_text(doc, "IFACE", run->iface);
	for (key = 0; key < PIPA_RUN_KEYS; key++)
		put_value(doc, key, run);
}

static void put_source(struct pipa_doc *doc, const struct pipa_run_source *source)
{
	if (!source->pattern)
		return;
	pipa_doc_map(doc, "transactions_source");
	pipa_doc_str(doc, "pattern", source->pattern);
	put_text(doc, "line", source->line);
	put_text(doc, "unit", source->unit);
	pipa_doc_bool(doc, "from_rate", source->by_rate);
	pipa_doc_end(doc);
}

static void put_row(struct pipa_doc *doc, const struct pipa_stat *stat,
		    const struct pipa_stat_row *row)
{
	static const char *const states[] = {
		[PIPA_NOT_COUNTED] = "not counted", [PIPA_NOT_SUPPORTED] = "not supported"
	};
	char place[64];

	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "event", row->name);
	if (stat->places[row->place].by != PIPA_AGGR_GLOBAL)
		pipa_doc_str(doc, "location",
			     pipa_number_place(&stat->places[row->place], place, sizeof(place)));
	if (row->state == PIPA_COUNTED) {
		pipa_doc_double(doc, "value", row->value);
		if (row->unit && row->unit[0])
			pipa_doc_str(doc, "unit", row->unit);
		pipa_doc_double(doc, "running_percent",
				row->enabled_ns ?
					100 * (double)row->running_ns / (double)row->enabled_ns :
					100);
	} else {
		pipa_doc_str(doc, "state", states[row->state]);
	}
	pipa_doc_end(doc);
}

static void put_counters(struct pipa_doc *doc, const char *key, const struct pipa_stat *stat)
{
	size_t i;

	if (!stat)
		return;
	pipa_doc_list(doc, key);
	for (i = 0; i < stat->n_rows; i++)
		put_row(doc, stat, &stat->rows[i]);
	pipa_doc_end(doc);
}

static void put_hot(struct pipa_doc *doc, const struct pipa_run *run)
{
	size_t i;

	if (!run->samples)
		return;
	pipa_doc_list(doc, "hot_functions");
	for (i = 0; i < run->n_hot && i < PIPA_RUN_HOT_TOLD; i++) {
		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "symbol", run->hot[i].symbol);
		pipa_doc_str(doc, "dso", run->hot[i].object);
		pipa_doc_double(doc, "percent", run->hot[i].percent);
		pipa_doc_u64(doc, "samples", run->hot[i].samples);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static void put_losses(struct pipa_doc *doc, const struct pipa_run *run)
{
	pipa_doc_map(doc, "lost");
	pipa_doc_u64(doc, "samples", run->lost_samples);
	pipa_doc_u64(doc, "truncated_stacks", run->cut_stacks);
	pipa_doc_u64(doc, "missed_intervals", run->late_ticks);
	pipa_doc_end(doc);
}

static void put_spread(struct pipa_doc *doc, const struct pipa_run_report *r, enum pipa_run_key key)
{
	const struct pipa_spread *spread = &r->run->spread[key];
	size_t i;

	pipa_doc_map(doc, pipa_run_keys[key].name);
	pipa_doc_u64(doc, "n", spread->n);
	pipa_doc_double(doc, "mean", spread->mean);
	pipa_doc_double(doc, "sd", spread->sd);
	pipa_doc_double(doc, "min", spread->min);
	pipa_doc_double(doc, "max", spread->max);
	pipa_doc_double(doc, "median", spread->median);
	pipa_doc_double(doc, "low", spread->low);
	pipa_doc_double(doc, "high", spread->high);
	pipa_doc_list(doc, "outliers");
	for (i = 0; r->each && i < r->run->runs; i++)
		if (pipa_run_is_outlier(r->each, r->run->runs, key, i))
			pipa_doc_u64(doc, NULL, i + 1);
	pipa_doc_end(doc);
	pipa_doc_end(doc);
}

static void put_spreads(struct pipa_doc *doc, const struct pipa_run_report *r)
{
	enum pipa_run_key key;

	if (r->run->runs < 2)
		return;
	pipa_doc_map(doc, "spread");
	for (key = 0; key < PIPA_RUN_KEYS; key++)
		if (r->run->spread[key].n)
			put_spread(doc, r, key);
	pipa_doc_end(doc);
}

static void put_changes(struct pipa_doc *doc, const struct pipa_run_changes *changes)
{
	size_t i;

	if (!changes)
		return;
	pipa_doc_list(doc, "changes");
	for (i = 0; i < changes->n; i++) {
		const struct pipa_run_change *change = &changes->items[i];

		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "metric", pipa_run_keys[change->key].name);
		pipa_doc_double(doc, "before", change->before);
		pipa_doc_double(doc, "after", change->after);
		pipa_doc_double(doc, "percent", change->percent);
		pipa_doc_str(doc, "verdict", pipa_run_change_text(change));
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

/* Write the steady phase that the metrics are those of. */
static void put_phases(struct pipa_doc *doc, const struct pipa_phases *phases)
{
	if (!phases || !phases->end_ns)
		return;
	pipa_doc_map(doc, "phases");
	pipa_doc_str(doc, "reason", pipa_phases_key(phases->reason));
	pipa_doc_u64(doc, "from_ms", phases->steady.from_ns / 1000000);
	pipa_doc_u64(doc, "until_ms", phases->steady.until_ns / 1000000);
	pipa_doc_u64(doc, "begin_ms", phases->begin_ns / 1000000);
	pipa_doc_u64(doc, "end_ms", phases->end_ns / 1000000);
	pipa_doc_end(doc);
}

/* Write the defects of the data, repaired or not. */
static void put_quality(struct pipa_doc *doc, const struct pipa_quality *quality)
{
	size_t i;

	if (!quality)
		return;
	pipa_doc_list(doc, "quality");
	for (i = 0; i < quality->n; i++) {
		const struct pipa_defect *defect = &quality->items[i];

		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "kind", pipa_defect_name(defect->kind));
		pipa_doc_str(doc, "section", defect->section);
		pipa_doc_str(doc, "instance", defect->instance);
		pipa_doc_str(doc, "column", defect->column);
		pipa_doc_u64(doc, "count", defect->count);
		pipa_doc_double(doc, "share", defect->share);
		pipa_doc_bool(doc, "repaired", defect->is_repaired);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
	if (quality->unlisted)
		pipa_doc_u64(doc, "unlisted_defects", quality->unlisted);
}

/* Write the members of a report. */
static void put_report(struct pipa_doc *doc, const struct pipa_run_report *r)
{
	const struct pipa_run *run = r->run;
	size_t i;

	put_top(doc, run);
	put_source(doc, &run->transactions);
	put_counters(doc, "counters_command", run->own);
	/* imported counts can lack per-CPU values: then they are for all CPUs */
	put_counters(doc,
		     run->cpus && run->cpus->by == PIPA_AGGR_CPU && run->cores.n ?
			     "counters_cores" :
			     "counters_system",
		     run->cpus);
	put_hot(doc, run);
	pipa_doc_bool(doc, "complete", !run->incomplete);
	put_phases(doc, r->phases);
	put_quality(doc, r->quality);
	put_losses(doc, run);
	put_spreads(doc, r);
	put_changes(doc, r->changes);
	pipa_doc_list(doc, "notes");
	for (i = 0; i < run->notes.n; i++)
		pipa_doc_str(doc, NULL, run->notes.items[i]);
	pipa_doc_end(doc);
}

/* Write a command of a comparison: its place in the ranking, then its report. */
static void put_candidate(struct pipa_doc *doc, const struct pipa_run_ranking *r, size_t index)
{
	const struct pipa_run_candidate *c = &r->items[index];
	const struct pipa_run_report report = { .run = c->run,
						.each = c->run->runs > 1 ? c->each : NULL };
	size_t i;

	pipa_doc_map(doc, NULL);
	put_text(doc, "command", c->run->command);
	pipa_doc_map(doc, "parameters");
	for (i = 0; i < r->n_parameters; i++)
		if (c->values[i][0])
			pipa_doc_str(doc, r->parameters[i], c->values[i]);
	pipa_doc_end(doc);
	pipa_doc_double(doc, "mean", c->spread.mean);
	pipa_doc_double(doc, "ratio", c->ratio);
	pipa_doc_double(doc, "ratio_sd", c->ratio_sd);
	pipa_doc_str(doc, "verdict", pipa_run_rank_text(r, index));
	pipa_doc_u64(doc, "failed_runs", c->failed);
	pipa_doc_list(doc, "values");
	for (i = 0; i < c->run->runs; i++)
		pipa_doc_double(doc, NULL, c->each[i].values[r->key]);
	pipa_doc_end(doc);
	pipa_doc_map(doc, "report");
	put_report(doc, &report);
	pipa_doc_end(doc);
	pipa_doc_end(doc);
}

static void put_ranking(struct pipa_doc *doc, const struct pipa_run_ranking *r)
{
	size_t i;

	pipa_doc_str(doc, "schema", "pipa-run-comparison/1");
	pipa_doc_str(doc, "metric", pipa_run_keys[r->key].name);
	pipa_doc_str(doc, "unit", pipa_run_keys[r->key].unit);
	pipa_doc_u64(doc, "reference", r->reference);
	pipa_doc_u64(doc, "warmup_runs", r->warmup);
	pipa_doc_double(doc, "shell_seconds", r->shell_seconds);
	pipa_doc_list(doc, "commands");
	for (i = 0; i < r->n; i++)
		put_candidate(doc, r, i);
	pipa_doc_end(doc);
}

void pipa_run_doc(const struct pipa_run_report *r, const struct pipa_run_format *format,
		  struct pipa_buf *out)
{
	struct pipa_doc doc;

	pipa_doc_begin(&doc, format->form == PIPA_RUN_YAML ? PIPA_DOC_YAML : PIPA_DOC_JSON, out);
	if (r->ranking && r->ranking->n > 1)
		put_ranking(&doc, r->ranking);
	else
		put_report(&doc, r);
	pipa_doc_finish(&doc);
}
