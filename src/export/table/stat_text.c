/* Write counts as text in the layout of perf stat. */
#include "export/table/stat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/visible.h"
#include "export/text/number.h"
#include "export/text/plain.h"

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define YELLOW "\033[33m"
#define RESET "\033[0m"

enum { VALUE_WIDTH = 18, NAME_WIDTH = 32, METRIC_WIDTH = 8, METRIC_UNIT_WIDTH = 24 };

struct text {
	const struct pipa_stat *stat;
	const struct pipa_stat_format *format;
	struct pipa_buf *out;
	int unit_width;
	int name_width;
	int cgroup_width;
	char time[32]; /* of the interval, the same on every row */
};

/* Append right-aligned. Not by printf, in which a report every 100 ms spent most of its time. */
static void put_right(struct pipa_buf *out, const char *text, int width)
{
	size_t len = pipa_plain_width(text);

	if (len < (size_t)width)
		pipa_buf_fill(out, ' ', (size_t)width - len);
	pipa_visible_put(out, text);
}

static void put_left(struct pipa_buf *out, const char *text, int width)
{
	size_t len = pipa_plain_width(text);

	pipa_visible_put(out, text);
	if (len < (size_t)width)
		pipa_buf_fill(out, ' ', (size_t)width - len);
}

static void put_colored(const struct text *t, const char *color, const char *text)
{
	if (t->format->color)
		pipa_buf_printf(t->out, "%s%s%s", color, text, RESET);
	else
		pipa_buf_puts(t->out, text);
}

/* Write the column of a value. */
static void put_cell(const struct text *t, const char *color, const char *text)
{
	if (t->format->color)
		pipa_buf_puts(t->out, color);
	put_right(t->out, text, VALUE_WIDTH);
	if (t->format->color)
		pipa_buf_puts(t->out, RESET);
}

static void measure_columns(struct text *t)
{
	size_t i;

	t->name_width = NAME_WIDTH;
	for (i = 0; i < t->stat->n_rows; i++) {
		int unit = (int)pipa_plain_width(t->stat->rows[i].unit),
		    name = (int)pipa_plain_width(t->stat->rows[i].name),
		    cgroup = t->stat->rows[i].cgroup ?
				     (int)pipa_plain_width(t->stat->rows[i].cgroup) :
				     0;

		t->unit_width = unit > t->unit_width ? unit : t->unit_width;
		t->name_width = name > t->name_width ? name : t->name_width;
		t->cgroup_width = cgroup > t->cgroup_width ? cgroup : t->cgroup_width;
	}
}

static void put_time(const struct text *t)
{
	if (!t->time[0])
		return;
	put_right(t->out, t->time, 16);
	pipa_buf_putc(t->out, ' ');
}

/* Write the aggregation column; global reports have none. */
static void put_place(const struct text *t, size_t index, size_t members)
{
	const struct pipa_stat_place *place = &t->stat->places[index];
	char name[64];

	if (!pipa_number_place(place, name, sizeof(name))[0])
		return;
	if (place->by == PIPA_AGGR_THREAD)
		pipa_buf_printf(t->out, "%24s ", name);
	else if (place->by == PIPA_AGGR_CPU)
		pipa_buf_printf(t->out, "%-9s ", name);
	else
		pipa_buf_printf(t->out, "%-14s %4zu ", name, members);
}

static void put_value(const struct text *t, const struct pipa_stat_row *row)
{
	char number[64];

	if (row->state == PIPA_NOT_COUNTED)
		put_cell(t, YELLOW, "<not counted>");
	else if (row->state != PIPA_COUNTED)
		put_cell(t, DIM, "<not supported>");
	else
		put_cell(t, BOLD,
			 pipa_number_text(row->value, floor(row->scale) != row->scale ? 2 : 0,
					  t->format->plain_numbers, number, sizeof(number)));
	pipa_buf_putc(t->out, ' ');
	put_left(t->out, row->unit, t->unit_width);
	pipa_buf_putc(t->out, ' ');
	put_left(t->out, row->name, t->name_width);
	if (row->cgroup) {
		pipa_buf_putc(t->out, ' ');
		put_left(t->out, row->cgroup, t->cgroup_width);
	}
}

static void put_metric(const struct text *t, const struct pipa_derived *derived)
{
	char value[48], unit[64];

	pipa_number_derived(derived, value, sizeof(value) - 1, unit, sizeof(unit));
	if (derived->style == PIPA_STYLE_PERCENT)
		snprintf(value + strlen(value), 2, "%%");
	pipa_buf_puts(t->out, " # ");
	put_right(t->out, value, METRIC_WIDTH);
	pipa_buf_putc(t->out, ' ');
	put_left(t->out, unit, METRIC_UNIT_WIDTH);
}

/* Write after the metric: the standard error over runs, and the share of time it was counted. */
static void put_quality(const struct text *t, const struct pipa_stat_row *row)
{
	double noise = pipa_number_noise(&row->spread);
	char cell[40];

	if (t->stat->runs > 1 && noise > 0) {
		snprintf(cell, sizeof(cell), "  ( +-%6.2f%% )", noise);
		put_colored(t, DIM, cell);
	}
	if (row->state == PIPA_COUNTED && row->running_ns < row->enabled_ns) {
		snprintf(cell, sizeof(cell), "  (%.2f%%)",
			 100.0 * (double)row->running_ns / (double)row->enabled_ns);
		put_colored(t, YELLOW, cell);
	}
}

/* Remove trailing spaces of the line. */
static void trim_line(struct pipa_buf *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	pipa_buf_putc(out, '\n');
}

static void put_row(const struct text *t, const struct pipa_stat_row *row)
{
	size_t i, shown = 0;
	int indent = VALUE_WIDTH + 1 + t->unit_width + 1 + t->name_width +
		     (row->cgroup ? 1 + t->cgroup_width : 0);

	put_time(t);
	put_place(t, row->place, row->members);
	put_value(t, row);
	for (i = 0; i < row->n_derived; i++) {
		if (isnan(row->derived[i].value))
			continue;
		if (shown) {
			trim_line(t->out);
			put_time(t);
			put_place(t, row->place, row->members);
			pipa_buf_fill(t->out, ' ', (size_t)indent);
		}
		put_metric(t, &row->derived[i]);
		if (!shown++)
			put_quality(t, row);
	}
	if (!shown)
		put_quality(t, row);
	trim_line(t->out);
}

/* ---- metrics only -------------------------------------------------------------------------- */

enum { COLUMN_WIDTH = 20 };

/*
 * Return the title of a metric's column, with the event where the unit is incomplete without it
 * ("/sec").
 */
static const char *column_title(const struct pipa_stat_row *row, const struct pipa_derived *derived,
				char *text, size_t size)
{
	char raw[160];

	snprintf(raw, sizeof(raw), "%s%s%s%s", derived->style == PIPA_STYLE_RATE ? row->name : "",
		 derived->unit, row->cgroup ? " " : "", row->cgroup ? row->cgroup : "");
	pipa_visible_copy(text, size, raw);
	return text;
}

static int column_width(const char *title)
{
	int len = (int)strlen(title);

	return len > COLUMN_WIDTH ? len : COLUMN_WIDTH;
}

static size_t members_at(const struct pipa_stat *stat, size_t place)
{
	size_t i, most = 0;

	for (i = 0; i < stat->n_rows; i++)
		if (stat->rows[i].place == place && stat->rows[i].members > most)
			most = stat->rows[i].members;
	return most;
}

static void put_metric_titles(const struct text *t)
{
	const struct pipa_stat *stat = t->stat;
	char title[160];
	size_t i, k;

	if (stat->interval)
		pipa_buf_printf(t->out, "#%15s ", "time");
	pipa_buf_printf(t->out, "%*s",
			stat->by == PIPA_AGGR_GLOBAL ? 0 :
			stat->by == PIPA_AGGR_CPU    ? 10 :
			stat->by == PIPA_AGGR_THREAD ? 25 :
						       20,
			"");
	for (i = 0; i < stat->n_rows; i++)
		for (k = 0; pipa_stat_is_head(stat, i) && k < stat->rows[i].n_derived; k++) {
			column_title(&stat->rows[i], &stat->rows[i].derived[k], title,
				     sizeof(title));
			pipa_buf_printf(t->out, " %*s", column_width(title), title);
		}
	trim_line(t->out);
}

static void put_metric_cell(const struct text *t, const struct pipa_derived *derived, int width)
{
	char value[48] = "", unit[64];

	if (derived && !isnan(derived->value))
		pipa_number_derived(derived, value, sizeof(value) - 1, unit, sizeof(unit));
	if (value[0] && derived->style == PIPA_STYLE_PERCENT)
		snprintf(value + strlen(value), 2, "%%");
	else if (value[0] && derived->style == PIPA_STYLE_RATE && unit[0] != '/')
		snprintf(value + strlen(value), 2, "%c", unit[0]);
	pipa_buf_printf(t->out, " %*s", width, value);
}

/*
 * Write a line per CPU, thread or group and a column per metric; the cell is empty if the event is
 * missing.
 */
static void put_metric_table(const struct text *t)
{
	const struct pipa_stat *stat = t->stat;
	char title[160];
	size_t p, i, k;

	if (!stat->interval || t->format->header)
		put_metric_titles(t);
	for (p = 0; p < stat->n_places; p++) {
		put_time(t);
		put_place(t, p, members_at(stat, p));
		for (i = 0; i < stat->n_rows; i++)
			for (k = 0; pipa_stat_is_head(stat, i) && k < stat->rows[i].n_derived; k++)
				put_metric_cell(t, pipa_stat_metric_at(stat, i, k, p),
						column_width(column_title(&stat->rows[i],
									  &stat->rows[i].derived[k],
									  title, sizeof(title))));
		trim_line(t->out);
	}
}

/* ---- the frame ----------------------------------------------------------------------------- */

static void put_title(const struct text *t)
{
	pipa_buf_puts(t->out, "\n Performance counter stats for ");
	pipa_visible_put(t->out, t->stat->target);
	if (t->stat->runs > 1)
		pipa_buf_printf(t->out, " (%u runs)", t->stat->runs);
	pipa_buf_puts(t->out, ":\n\n");
}

static void put_elapsed(const struct text *t)
{
	const struct pipa_stat *stat = t->stat;
	const struct pipa_spread *spread = &stat->elapsed;

	if (stat->runs > 1 && spread->n > 1)
		pipa_buf_printf(t->out, "\n %17.9f +- %.9f seconds time elapsed  ( +-%6.2f%% )\n",
				stat->elapsed_s, spread->sd / sqrt((double)spread->n),
				pipa_number_noise(spread));
	else
		pipa_buf_printf(t->out, "\n %17.9f seconds time elapsed\n", stat->elapsed_s);
	if (!isnan(stat->user_s))
		pipa_buf_printf(t->out, "\n %17.9f seconds user\n %17.9f seconds sys\n",
				stat->user_s, stat->sys_s);
	pipa_buf_putc(t->out, '\n');
}

static void put_spread_row(const struct text *t, const char *name, const char *unit, int digits,
			   const struct pipa_spread *s, const struct pipa_stat_row *row)
{
	char cell[5][48];
	const double values[] = { s->min, s->median, s->max, s->low, s->high };
	size_t i, start = t->out->len;

	for (i = 0; i < 5; i++)
		pipa_number_text(values[i], digits, t->format->plain_numbers, cell[i],
				 sizeof(cell[i]));
	pipa_buf_printf(t->out, " %*s %*s %*s %*s .. %-*s %-*s %s", VALUE_WIDTH - 1, cell[0],
			VALUE_WIDTH - 2, cell[1], VALUE_WIDTH - 2, cell[2], VALUE_WIDTH - 2,
			cell[3], VALUE_WIDTH - 2, cell[4], t->unit_width, unit, name);
	pipa_visible_since(t->out, start);
	if (row && row->cgroup) {
		pipa_buf_putc(t->out, ' ');
		pipa_visible_put(t->out, row->cgroup);
	}
	if (row)
		pipa_buf_printf(t->out, " %s",
				pipa_number_place(&t->stat->places[row->place], cell[0],
						  sizeof(cell[0])));
	trim_line(t->out);
}

static void put_spreads(const struct text *t)
{
	const struct pipa_stat *stat = t->stat;
	size_t i;

	pipa_buf_printf(t->out, " %*s %*s %*s   %*s\n", VALUE_WIDTH - 1, "min", VALUE_WIDTH - 2,
			"median", VALUE_WIDTH - 2, "max", 2 * VALUE_WIDTH - 3,
			"95 % interval of the mean");
	for (i = 0; i < stat->n_rows; i++) {
		const struct pipa_stat_row *row = &stat->rows[i];
		int digits = floor(row->scale) != row->scale ? 2 : 0;

		if (row->spread.n > 1)
			put_spread_row(t, row->name, row->unit, digits, &row->spread, row);
	}
	if (stat->elapsed.n > 1)
		put_spread_row(t, "seconds elapsed", "", 9, &stat->elapsed, NULL);
	pipa_buf_putc(t->out, '\n');
}

static void put_changes(const struct text *t)
{
	const struct pipa_stat *stat = t->stat;
	char before[48], after[48];
	size_t i;

	pipa_buf_printf(t->out, " %*s %*s %9s  %-12s event\n", VALUE_WIDTH - 1, "before",
			VALUE_WIDTH - 1, "now", "change", "verdict");
	for (i = 0; i < stat->n_changes; i++) {
		const struct pipa_change *c = &stat->changes[i];
		int digits = strcmp(c->unit, "s") == 0 ? 9 : floor(c->scale) != c->scale ? 2 : 0;
		bool moved = strcmp(c->verdict, "higher") == 0 || strcmp(c->verdict, "lower") == 0;
		char verdict[16];

		pipa_number_text(c->before, digits, t->format->plain_numbers, before,
				 sizeof(before));
		pipa_number_text(c->after, digits, t->format->plain_numbers, after, sizeof(after));
		pipa_buf_printf(t->out, " %*s %*s ", VALUE_WIDTH - 1, before, VALUE_WIDTH - 1,
				after);
		if (isnan(c->percent))
			pipa_buf_printf(t->out, "%9s  ", "-");
		else
			pipa_buf_printf(t->out, "%+8.2f%%  ", c->percent);
		snprintf(verdict, sizeof(verdict), "%-12s", c->verdict);
		put_colored(t, moved ? YELLOW : DIM, verdict);
		pipa_buf_putc(t->out, ' ');
		pipa_visible_put(t->out, c->name);
		pipa_buf_puts(t->out, c->unit[0] ? ", " : "");
		pipa_visible_put(t->out, c->unit);
		trim_line(t->out);
	}
	pipa_buf_putc(t->out, '\n');
}

static void put_note(const struct text *t, const char *note)
{
	pipa_buf_puts(t->out, " note: ");
	pipa_visible_put(t->out, note);
	pipa_buf_putc(t->out, '\n');
}

static void put_notes(const struct text *t)
{
	size_t i;

	for (i = 0; i < t->stat->n_notes; i++)
		put_note(t, t->stat->notes[i]);
	if (t->stat->n_notes)
		pipa_buf_putc(t->out, '\n');
}

/* Write count, time enabled and time running of each event in ns, as perf stat -v does. */
static void put_raw_counts(const struct text *t)
{
	size_t i;

	for (i = 0; i < t->stat->n_rows; i++) {
		const struct pipa_stat_row *row = &t->stat->rows[i];

		pipa_visible_put(t->out, row->name);
		pipa_buf_printf(t->out, ": %.0f %llu %llu\n",
				row->scale > 0 ? row->value / row->scale : row->value,
				(unsigned long long)row->enabled_ns,
				(unsigned long long)row->running_ns);
	}
}

void pipa_stat_text(const struct pipa_stat *stat, const struct pipa_stat_format *format,
		    struct pipa_buf *out)
{
	struct text t = { .stat = stat, .format = format, .out = out };
	size_t i;

	if (format->notes_only) {
		put_notes(&t);
		return;
	}
	measure_columns(&t);
	if (stat->interval)
		pipa_number_fixed(stat->time_s, 9, t.time, sizeof(t.time));
	if (format->verbose)
		put_raw_counts(&t);
	if (!stat->interval)
		put_title(&t);
	else if (format->header && !format->metric_only)
		pipa_buf_printf(out, "#%15s %*s unit events\n", "time", VALUE_WIDTH, "counts");
	if (format->metric_only)
		put_metric_table(&t);
	for (i = 0; !format->metric_only && i < stat->n_rows; i++)
		if (pipa_stat_shows(stat, &stat->rows[i]))
			put_row(&t, &stat->rows[i]);
	if (stat->interval)
		return;
	put_elapsed(&t);
	if (stat->runs > 1 && !format->metric_only)
		put_spreads(&t);
	if (stat->changes)
		put_changes(&t);
	put_notes(&t);
}
