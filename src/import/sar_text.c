#include "import/sar_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/time/zone.h"
#include "import/table_head.h"

enum { HALF_DAY = 12 * 3600, DAY = 2 * HALF_DAY, MAX_TABLES = 96 };

/* Progress of a table: sar prints tables one after the other, or alternating. */
struct progress {
	const struct pipa_section *section;
	int64_t days, second; /* of its time, last seen */
	/* seconds since midnight of the banner's day: last interval, first interval */
	int64_t now, began;
	double interval_s; /* of the last interval */
	bool averaged;	   /* the average was read: later rows are another range */
};

struct decode {
	const struct pipa_zone *zone;
	struct pipa_series_sink *sink, *averages;
	struct pipa_sar_result *result;

	int64_t midnight; /* start of the banner's day, local seconds since 1970 */
	bool new_block;	  /* the next line is a header */
	bool by_cpu;	  /* interrupts with a column per CPU, of which only the sum is used */
	struct pipa_table_head head;
	struct progress tables[MAX_TABLES], *table;
	size_t n_tables;

	struct pipa_tick tick;
	bool in_tick;
	struct pipa_restart restart;
	bool restarted;	   /* before the next interval */
	uint64_t first_ns; /* first interval after the restart */
};

/* A line split into words. */
struct words {
	struct pipa_table_cell cells[PIPA_TABLE_CELLS];
	size_t n;
	int64_t second; /* time of day; -1: an average */
};

/* ---- words --------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool next_word(const char **pos, const char *end, struct pipa_table_cell *ret)
{
	while (*pos < end && is_blank(**pos))
		(*pos)++;
	ret->pos = *pos;
	while (*pos < end && !is_blank(**pos))
		(*pos)++;
	ret->len = (size_t)(*pos - ret->pos);
	return ret->len;
}

/* Parse "12:04:23" to seconds of the day. */
static bool parse_clock(const struct pipa_table_cell *cell, int64_t *ret)
{
	static const char form[] = "dd:dd:dd";
	const char *p = cell->pos;
	int hour, minute, second;
	size_t i;

	if (cell->len != sizeof(form) - 1)
		return false;
	for (i = 0; i < cell->len; i++)
		if (form[i] == ':' ? p[i] != ':' : p[i] < '0' || p[i] > '9')
			return false;
	hour = (p[0] - '0') * 10 + p[1] - '0';
	minute = (p[3] - '0') * 10 + p[4] - '0';
	second = (p[6] - '0') * 10 + p[7] - '0';
	*ret = hour * 3600 + minute * 60 + second;
	return hour < 24 && minute < 60 && second <= 60;
}

/* Apply AM or PM to a 12-hour time, in which 12 is the first hour. False if the cell is neither. */
static bool add_half(const struct pipa_table_cell *cell, int64_t *second)
{
	bool after = cell->len == 2 && strncasecmp(cell->pos, "PM", 2) == 0;

	if (!after && (cell->len != 2 || strncasecmp(cell->pos, "AM", 2) != 0))
		return false;
	if (*second / 3600 == 12)
		*second -= HALF_DAY;
	if (after && *second < HALF_DAY)
		*second += HALF_DAY;
	return true;
}

/* Split a line. False if it starts with neither a time nor "Average:". */
static bool split_line(const char *pos, const char *end, struct words *ret)
{
	struct pipa_table_cell cell;

	ret->n = 0;
	ret->second = -1;
	if (!next_word(&pos, end, &cell))
		return false;
	if (!pipa_cell_is(&cell, "Average:") && !pipa_cell_is(&cell, "Summary:") &&
	    !parse_clock(&cell, &ret->second)) /* file systems have a summary instead */
		return false;
	while (next_word(&pos, end, &cell)) {
		if (!ret->n && ret->second >= 0 && add_half(&cell, &ret->second))
			continue;
		if (ret->n == PIPA_TABLE_CELLS)
			break;
		ret->cells[ret->n++] = cell;
	}
	return true;
}

static bool has_number(const struct words *w)
{
	double number;
	size_t i;

	for (i = 0; i < w->n; i++)
		if (pipa_cell_number(&w->cells[i], &number))
			return true;
	return false;
}

/* ---- banner -------------------------------------------------------------------------------------- */

/* Parse "11/15/26", "11/15/2026" or "2026-11-15". */
static bool parse_date(const struct pipa_table_cell *cell, int64_t *ret)
{
	struct pipa_date date = { 0 };
	int part[3] = { 0 }, n = 0;
	size_t i;

	for (i = 0; i < cell->len; i++) {
		char c = cell->pos[i];

		if (c >= '0' && c <= '9' && part[n] < 1000)
			part[n] = part[n] * 10 + c - '0';
		else if ((c != '/' && c != '-') || ++n > 2)
			return false;
	}
	if (n != 2)
		return false;
	if (part[0] > 31)
		date = (struct pipa_date){ part[0], part[1], part[2], 0, 0, 0 };
	else if (part[0] > 12) /* a locale with the day first */
		date = (struct pipa_date){ part[2], part[1], part[0], 0, 0, 0 };
	else
		date = (struct pipa_date){ part[2], part[0], part[1], 0, 0, 0 };
	if (date.year < 100)
		date.year += 2000;
	*ret = pipa_date_seconds(&date);
	return date.year >= 1970 && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
	       date.day <= 31;
}

bool pipa_sar_is(const char *text, size_t len)
{
	const char *end;

	if (len < 6 || memcmp(text, "Linux ", 6) != 0)
		return false;
	end = memchr(text, '\n', len < 1024 ? len : 1024);
	return end && memmem(text, (size_t)(end - text), " CPU)", 5);
}

/* Parse a banner and reset the state. */
static void read_banner(struct decode *d, const char *pos, const char *end)
{
	struct pipa_table_cell cell;
	int64_t midnight;

	d->n_tables = 0;
	d->table = NULL;
	d->head.section = NULL;
	d->head.n = 0;
	while (next_word(&pos, end, &cell))
		if (parse_date(&cell, &midnight)) {
			d->midnight = midnight;
			return;
		}
}

/* ---- time ---------------------------------------------------------------------------------------- */

static int64_t advance_time(struct progress *table, int64_t second)
{
	if (second < table->second)
		table->days++;
	table->second = second;
	return table->days * DAY + second;
}

static uint64_t wall_of(const struct decode *d, int64_t seconds)
{
	int64_t utc = pipa_zone_utc(d->zone, d->midnight + seconds);

	return utc > 0 && utc < INT64_MAX / (int64_t)PIPA_NS_PER_SEC ?
		       (uint64_t)utc * PIPA_NS_PER_SEC :
		       0;
}

/* Return the current table of a section, or a new one; NULL if there are too many. */
static struct progress *find_table(struct decode *d, const struct pipa_section *section,
				   int64_t second)
{
	struct progress *table;
	size_t i;

	for (i = 0; i < d->n_tables; i++)
		if (d->tables[i].section == section)
			return &d->tables[i];
	if (d->n_tables == MAX_TABLES)
		return NULL;
	table = &d->tables[d->n_tables++];
	*table = (struct progress){ .section = section, .second = second };
	table->now = table->began = second > 0 ? second : 0;
	return table;
}

static int end_tick(struct decode *d)
{
	bool was = d->in_tick;

	d->in_tick = false;
	return was && d->sink->end ? d->sink->end(d->sink, &d->tick) : 0;
}

/* Set the interval of a row. */
static int enter_tick(struct decode *d, int64_t second)
{
	struct progress *table = d->table;
	int64_t now = advance_time(table, second), before = table->now;
	int rc = 0;

	if (table->averaged)
		table->began = before;
	table->averaged = false;
	if (now != before) {
		table->interval_s = (double)(now - before);
		table->now = now;
	}
	if (d->in_tick && d->tick.wall_ns != wall_of(d, now))
		rc = end_tick(d);
	d->tick = (struct pipa_tick){ .wall_ns = wall_of(d, now), .interval_s = table->interval_s };
	if (d->restarted)
		d->first_ns = d->tick.wall_ns;
	d->restarted = false;
	if (d->result->restarts && d->tick.wall_ns == d->first_ns)
		d->tick.restart = &d->restart;
	d->in_tick = true;
	return rc;
}

/* ---- lines --------------------------------------------------------------------------------------- */

/* Convert "INTR all CPU0 CPU1 ..." to the other format of the table, which has only the sum. */
static bool convert_interrupts(struct words *w)
{
	static const struct pipa_table_cell rate = { "intr/s", 6 };

	if (w->n < 2 || !pipa_cell_is(&w->cells[0], "INTR") || !pipa_cell_is(&w->cells[1], "all"))
		return false;
	w->cells[1] = rate;
	w->n = 2;
	return true;
}

static int read_header(struct decode *d, struct words *w)
{
	int rc = end_tick(d);

	d->by_cpu = convert_interrupts(w);
	pipa_table_head_find(&d->head, w->cells, w->n);
	d->table = d->head.section ? find_table(d, d->head.section, w->second) : NULL;
	if (d->table && w->second >= 0) {
		int64_t now = advance_time(d->table, w->second);

		if (now > d->table->now) /* no interval in between */
			d->table->now = now;
	} else if (!d->table && w->n && !d->result->unknown_name[0]) {
		snprintf(d->result->unknown_name, sizeof(d->result->unknown_name), "%.*s",
			 (int)(w->cells[0].len < 60 ? w->cells[0].len : 60), w->cells[0].pos);
	}
	return rc;
}

static bool knows_any(const double *values, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!isnan(values[i]))
			return true;
	return false;
}

/* Adjust the number of cells to that of the header; false if something was repaired. */
static bool fit_cells(const struct decode *d, struct words *w, const char *end)
{
	size_t n = d->head.n;
	bool fits = w->n == n;

	if (w->n > n && d->by_cpu)
		return true;
	if (w->n > n) {
		while (end > w->cells[n - 1].pos && is_blank(end[-1]))
			end--;
		w->cells[n - 1].len = (size_t)(end - w->cells[n - 1].pos);
		return d->head.ends_in_word;
	}
	for (; w->n < n; w->n++)
		w->cells[w->n] = (struct pipa_table_cell){ "", 0 };
	return fits;
}

static int pass_average(struct decode *d, const char *instance, const double *values)
{
	struct progress *table = d->table;
	struct pipa_tick tick = { .wall_ns = wall_of(d, table->now),
				  .interval_s = (double)(table->now - table->began) };

	table->averaged = true;
	d->result->averages++;
	if (!d->averages)
		return 0;
	return d->averages->row(d->averages, d->head.section, &tick, instance, values);
}

static int read_row(struct decode *d, struct words *w, const char *end)
{
	double values[PIPA_TABLE_COLUMNS];
	char instance[PIPA_INSTANCE_MAX];
	bool fits;
	int rc;

	if (!d->table) {
		d->head.n ? d->result->unknown++ : d->result->skipped++;
		return 0;
	}
	fits = fit_cells(d, w, end);
	fits &= !pipa_table_head_row(&d->head, w->cells, instance, values);
	if (!knows_any(values, d->head.section->n_columns)) {
		d->result->skipped++;
		return 0;
	}
	d->result->mended += !fits;
	if (w->second < 0)
		return pass_average(d, instance, values);
	rc = enter_tick(d, w->second);
	d->result->rows++;
	return rc ? rc : d->sink->row(d->sink, d->head.section, &d->tick, instance, values);
}

static bool read_restart(struct decode *d, const struct words *w)
{
	struct progress table = d->table ? *d->table : (struct progress){ 0 };

	if (w->second < 0 || w->n < 2 || !pipa_cell_is(&w->cells[0], "LINUX") ||
	    !pipa_cell_is(&w->cells[1], "RESTART"))
		return false;
	d->result->restarts++;
	d->restarted = true;
	d->restart = (struct pipa_restart){
		.of = PIPA_RESTART_MACHINE,
		.wall_ns = wall_of(d, advance_time(&table, w->second)),
	};
	return true;
}

/* Is it a header? Inside a block only if its table is known. */
static bool is_head(const struct words *w)
{
	struct pipa_table_head head;

	pipa_table_head_find(&head, w->cells, w->n);
	return head.section;
}

static int read_line(struct decode *d, const char *pos, const char *end)
{
	struct words w;
	bool is_first = d->new_block;

	if (pipa_sar_is(pos, (size_t)(end + 1 - pos))) {
		read_banner(d, pos, end);
		return 0;
	}
	if (!split_line(pos, end, &w) || !w.n) {
		d->result->skipped++;
		return 0;
	}
	d->new_block = false;
	if (read_restart(d, &w) || (w.second >= 0 && pipa_cell_is(&w.cells[0], "COM")))
		return 0;
	if (!has_number(&w) && (is_first || is_head(&w)))
		return read_header(d, &w);
	return read_row(d, &w, end);
}

int pipa_sar_decode(const char *text, size_t len, const struct pipa_zone *zone,
		    struct pipa_series_sink *sink, struct pipa_series_sink *averages,
		    struct pipa_sar_result *ret)
{
	struct decode d = {
		.zone = zone, .sink = sink, .averages = averages, .result = ret, .new_block = true
	};
	const char *end = text + len;
	int rc = 0;

	while (!rc && text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)), *pos = text;

		while (newline && pos < newline && is_blank(*pos))
			pos++;
		if (!newline)
			ret->skipped++; /* truncated: the last number may be incomplete */
		else if (pos == newline)
			d.new_block = true;
		else
			rc = read_line(&d, text, newline);
		text = newline ? newline + 1 : end;
	}
	return rc ? rc : end_tick(&d);
}
