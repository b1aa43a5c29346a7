/*
 * perf stat -x, column for column (docs/format/stat-csv.md):
 *
 *	[time,|summary,][place,[cpus,]]value,unit,event,[cgroup,][noise%,]running_ns,running_percent,metric,unit
 *
 * A second metric of an event goes on a line of its own, all columns before it empty.
 */
#include "export/table/stat.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/visible.h"
#include "export/text/number.h"

struct csv {
	const struct pipa_stat *stat;
	const char *sep;
	struct pipa_buf *out;
};

static void put_time(const struct csv *csv)
{
	if (csv->stat->interval)
		pipa_buf_printf(csv->out, "%16.9f%s", csv->stat->time_s, csv->sep);
	else if (csv->stat->summary)
		pipa_buf_printf(csv->out, "%16s%s", "summary", csv->sep);
}

/* Write the aggregation columns: "CPU0,", or "S0,4," for an aggregate of several CPUs. */
static void put_place(const struct csv *csv, size_t index, size_t members)
{
	const struct pipa_stat_place *place = &csv->stat->places[index];
	char name[64];

	if (!pipa_number_place(place, name, sizeof(name))[0])
		return;
	pipa_buf_printf(csv->out, "%s%s", name, csv->sep);
	if (place->by != PIPA_AGGR_CPU && place->by != PIPA_AGGR_THREAD)
		pipa_buf_printf(csv->out, "%zu%s", members, csv->sep);
}

static void put_value(const struct csv *csv, const struct pipa_stat_row *row)
{
	if (row->state == PIPA_COUNTED)
		pipa_buf_printf(csv->out, "%.*f%s", floor(row->scale) != row->scale ? 2 : 0,
				row->value, csv->sep);
	else
		pipa_buf_printf(csv->out, "%s%s",
				row->state == PIPA_NOT_COUNTED ? "<not counted>" :
								 "<not supported>",
				csv->sep);
}

static void put_metric(const struct csv *csv, const struct pipa_derived *derived)
{
	char value[40], unit[64];

	if (!derived || isnan(derived->value)) {
		pipa_buf_printf(csv->out, "%s%s", csv->sep, csv->sep);
		return;
	}
	pipa_number_derived(derived, value, sizeof(value), unit, sizeof(unit));
	pipa_buf_printf(csv->out, "%s%s%s", csv->sep, value, csv->sep);
	pipa_visible_put(csv->out, unit);
}

static void put_row(const struct csv *csv, const struct pipa_stat_row *row)
{
	const char *sep = csv->sep;
	double share = row->enabled_ns ? 100.0 * (double)row->running_ns / (double)row->enabled_ns :
					 100;
	size_t columns = 4, i, shown = 0;

	put_time(csv);
	put_place(csv, row->place, row->members);
	put_value(csv, row);
	pipa_visible_put(csv->out, row->unit);
	pipa_buf_puts(csv->out, sep);
	pipa_visible_put(csv->out, row->name);
	if (row->cgroup) {
		pipa_buf_puts(csv->out, sep);
		pipa_visible_put(csv->out, row->cgroup);
		columns++;
	}
	if (csv->stat->runs > 1) {
		pipa_buf_printf(csv->out, "%s%.2f%%", sep, pipa_number_noise(&row->spread));
		columns++;
	}
	pipa_buf_printf(csv->out, "%s%" PRIu64 "%s%.2f", sep, row->running_ns, sep, share);
	for (i = 0; i < row->n_derived; i++) {
		if (row->derived[i].extra)
			continue;
		if (shown++) {
			size_t k;

			pipa_buf_putc(csv->out, '\n');
			put_time(csv);
			put_place(csv, row->place, row->members);
			for (k = 0; k < columns; k++)
				pipa_buf_puts(csv->out, sep);
		}
		put_metric(csv, &row->derived[i]);
	}
	if (!shown)
		put_metric(csv, NULL);
	pipa_buf_putc(csv->out, '\n');
}

/* ---- metrics only: a header of names, a line of values per place ---------------------------- */

static const char *const place_titles[PIPA_AGGR_NR] = {
	[PIPA_AGGR_GLOBAL] = "",
	[PIPA_AGGR_CPU] = "cpu",
	[PIPA_AGGR_CORE] = "core,cpus",
	[PIPA_AGGR_DIE] = "die,cpus",
	[PIPA_AGGR_SOCKET] = "socket,cpus",
	[PIPA_AGGR_NODE] = "node,cpus",
	[PIPA_AGGR_THREAD] = "comm-pid",
};

/* Is the metric a column? perf omits utilization and rates unless they were requested. */
static bool is_column(const struct csv *csv, const struct pipa_derived *derived)
{
	return csv->stat->asked || (!derived->extra && derived->style != PIPA_STYLE_RATE &&
				    strcmp(derived->name, "cpus_utilized") != 0);
}

/*
 * Write the title of a metric, with the event where the unit is incomplete without it ("of all
 * branches").
 */
static void put_metric_title(const struct csv *csv, const struct pipa_stat_row *row,
			     const struct pipa_derived *derived)
{
	size_t start = csv->out->len;

	if (strncmp(derived->unit, "of all", strlen("of all")) == 0)
		pipa_buf_printf(csv->out, "%s ", row->name);
	pipa_buf_printf(csv->out, "%s%s%s", derived->unit, row->cgroup ? " " : "",
			row->cgroup ? row->cgroup : "");
	pipa_visible_since(csv->out, start);
	pipa_buf_puts(csv->out, csv->sep);
}

static void put_place_title(const struct csv *csv)
{
	const char *p;

	for (p = place_titles[csv->stat->by]; *p; p++) {
		if (*p == ',')
			pipa_buf_puts(csv->out, csv->sep);
		else
			pipa_buf_putc(csv->out, *p);
	}
	if (csv->stat->by != PIPA_AGGR_GLOBAL)
		pipa_buf_puts(csv->out, csv->sep);
}

static void put_metric_titles(const struct csv *csv)
{
	const struct pipa_stat *stat = csv->stat;
	size_t i, k;

	if (stat->interval || stat->summary)
		pipa_buf_printf(csv->out, "time%s", csv->sep);
	put_place_title(csv);
	for (i = 0; i < stat->n_rows; i++)
		for (k = 0; pipa_stat_is_head(stat, i) && k < stat->rows[i].n_derived; k++)
			if (is_column(csv, &stat->rows[i].derived[k]))
				put_metric_title(csv, &stat->rows[i], &stat->rows[i].derived[k]);
	pipa_buf_putc(csv->out, '\n');
}

static void put_metric_line(const struct csv *csv, size_t place)
{
	const struct pipa_stat *stat = csv->stat;
	char value[40], unit[64];
	size_t i, k, members = 0;

	for (i = 0; i < stat->n_rows; i++)
		if (stat->rows[i].place == place && stat->rows[i].members > members)
			members = stat->rows[i].members;
	put_time(csv);
	put_place(csv, place, members);
	for (i = 0; i < stat->n_rows; i++)
		for (k = 0; pipa_stat_is_head(stat, i) && k < stat->rows[i].n_derived; k++) {
			const struct pipa_derived *derived;

			if (!is_column(csv, &stat->rows[i].derived[k]))
				continue;
			derived = pipa_stat_metric_at(stat, i, k, place);
			value[0] = '\0';
			if (derived && !isnan(derived->value))
				pipa_number_derived(derived, value, sizeof(value), unit,
						    sizeof(unit));
			pipa_buf_printf(csv->out, "%s%s", value, csv->sep);
		}
	pipa_buf_putc(csv->out, '\n');
}

void pipa_stat_csv(const struct pipa_stat *stat, const struct pipa_stat_format *format,
		   struct pipa_buf *out)
{
	struct csv csv = { stat, format->separator, out };
	size_t i;

	if (!format->metric_only) {
		for (i = 0; i < stat->n_rows; i++)
			if (pipa_stat_shows(stat, &stat->rows[i]))
				put_row(&csv, &stat->rows[i]);
		return;
	}
	if (!stat->interval || format->header)
		put_metric_titles(&csv);
	for (i = 0; i < stat->n_places; i++)
		put_metric_line(&csv, i);
}
