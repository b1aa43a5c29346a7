#include "import/sadf_csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/zone.h"
#include "model/metric_names.h"

enum { MAX_CELLS = 64, MAX_COLUMNS = 64 };

struct cell {
	const char *pos;
	size_t len;
};

struct decode {
	const struct pipa_section *(*section_at)(size_t index);
	const struct pipa_zone *zone;
	struct pipa_series_sink *sink;
	struct pipa_sadf_result *result;

	/* the table that the last header announced */
	const struct pipa_section *section; /* NULL: none we know */
	bool labelled;
	bool ends_in_word;	  /* which may hold semicolons */
	size_t cells;		  /* in a row */
	int column[MAX_CELLS];	  /* of the section, for each cell; -1: not among its columns */
	double factor[MAX_CELLS]; /* from the unit of the cell to the column's */
	struct pipa_tick tick;	  /* of the last row */
	bool in_tick;
	struct pipa_restart restart; /* the last one */
	bool restarted;		     /* before the next tick */
	bool marked;		     /* before this one */
};

/* At most `most` cells; the last one takes what is left. */
static size_t split(const char *line, size_t len, struct cell *cells, size_t most)
{
	const char *end = line + len;
	size_t n = 0;

	while (n < most) {
		const char *stop = n + 1 < most ? memchr(line, ';', (size_t)(end - line)) : NULL;

		cells[n].pos = line;
		cells[n++].len = (size_t)((stop ? stop : end) - line);
		if (!stop)
			break;
		line = stop + 1;
	}
	return n;
}

static bool is_cell(const struct cell *cell, const char *text)
{
	return strlen(text) == cell->len && memcmp(cell->pos, text, cell->len) == 0;
}

/* Also under the names of older sysstat. */
static int find_column(const struct pipa_section *section, const struct cell *cell,
		       double *ret_factor)
{
	char name[48];
	int slot;

	if (cell->len >= sizeof(name))
		return -1;
	memcpy(name, cell->pos, cell->len);
	name[cell->len] = '\0';
	slot = pipa_metric_slot(section, name, ret_factor);
	return slot < 0 ? -1 : slot;
}

static bool is_word(const struct pipa_section *section, size_t column)
{
	return section->columns[column].unit == PIPA_UNIT_WORD;
}

/* How many of the header's columns a section has; the most, of those with the same label, is meant. */
static size_t count_matches(const struct pipa_section *section, const struct cell *cells, size_t n)
{
	bool labelled = section->label && n > 3 && is_cell(&cells[3], section->label);
	size_t i, matches = 0;

	if (section->label && !labelled)
		return 0;
	for (i = 3 + labelled; i < n; i++)
		matches += find_column(section, &cells[i], NULL) >= 0;
	return matches;
}

static void take_header(struct decode *d, const struct cell *cells, size_t n)
{
	const struct pipa_section *section;
	size_t i, best = 0;

	d->section = NULL;
	d->ends_in_word = false;
	d->cells = n;
	for (i = 0; (section = d->section_at(i)); i++) {
		size_t matches = count_matches(section, cells, n);

		if (matches > best) {
			best = matches;
			d->section = section;
		}
	}
	if (n < 4 || 2 * best < n - 3) /* a column or two in common is chance */
		d->section = NULL;
	if (!d->section) {
		if (n > 3 && !d->result->unknown_name[0])
			snprintf(d->result->unknown_name, sizeof(d->result->unknown_name), "%.*s",
				 (int)(cells[3].len < 60 ? cells[3].len : 60), cells[3].pos);
		return;
	}
	d->labelled = d->section->label != NULL;
	i = (size_t)find_column(d->section, &cells[n - 1], &d->factor[n - 1]);
	d->ends_in_word = i < d->section->n_columns && is_word(d->section, i);
	for (i = 0; i < n; i++)
		d->column[i] = i < 3 + (size_t)d->labelled ?
				       -1 :
				       find_column(d->section, &cells[i], &d->factor[i]);
}

/* A number that fills its cell; an empty one is missing. */
static bool take_number(const struct cell *cell, double *ret)
{
	char text[48];

	*ret = NAN;
	if (!cell->len)
		return true;
	if (cell->len >= sizeof(text))
		return false;
	memcpy(text, cell->pos, cell->len);
	text[cell->len] = '\0';
	if (strchr(text, ',')) /* a locale's decimal comma */
		*strchr(text, ',') = '.';
	return pipa_str_double(text, ret) == 0;
}

/* "2026-11-15 03:03:18[.123][ UTC]"; without UTC it is a time of the zone. */
static bool take_time(const struct decode *d, const struct cell *cell, uint64_t *ret_ns)
{
	struct pipa_date date;
	char text[48], *end;
	double fraction = 0;
	int64_t seconds;
	size_t taken;

	if (cell->len >= sizeof(text))
		return false;
	memcpy(text, cell->pos, cell->len);
	text[cell->len] = '\0';
	taken = pipa_date_parse(text, &date);
	if (!taken)
		return false;
	end = text + taken;
	if (*end == '.')
		fraction = strtod(end, &end);
	if (!(fraction >= 0 && fraction < 1))
		return false;
	seconds = pipa_date_seconds(&date);
	if (strcmp(end, " UTC") != 0)
		seconds = pipa_zone_utc(d->zone, seconds);
	if ((*end && strcmp(end, " UTC") != 0) || seconds < 0 ||
	    seconds > INT64_MAX / (int64_t)PIPA_NS_PER_SEC)
		return false;
	*ret_ns = (uint64_t)seconds * PIPA_NS_PER_SEC + (uint64_t)(fraction * 1e9);
	return true;
}

static int end_tick(struct decode *d)
{
	bool was = d->in_tick;

	d->in_tick = false;
	return was && d->sink->end ? d->sink->end(d->sink, &d->tick) : 0;
}

/* Append a cell and its NUL to the instance, cut where it is too long. */
static size_t add_word(char *instance, size_t at, size_t room, const struct cell *cell)
{
	size_t len = cell->len < room - 1 ? cell->len : room - 1;

	memcpy(instance + at, cell->pos, len);
	instance[at + len] = '\0';
	return at + len + 1;
}

/* The instance with its words in the order of the section's columns; one that is not there is empty. */
static void take_instance(const struct decode *d, const struct cell *cells, char *instance)
{
	static const struct cell none = { "", 0 }, all = { "all", 3 };
	const struct cell *name = d->labelled ? &cells[3] : &none;
	size_t i, k, at;

	if (d->labelled && strcmp(d->section->label, "CPU") == 0 && is_cell(name, "-1"))
		name = &all;
	at = add_word(instance, 0, PIPA_NAME_MAX, name);
	for (i = 0; i < d->section->n_columns; i++) {
		if (!is_word(d->section, i))
			continue;
		for (k = 0; k < d->cells && d->column[k] != (int)i; k++)
			;
		at = add_word(instance, at, PIPA_WORD_MAX, k < d->cells ? &cells[k] : &none);
	}
}

static int hand_out(struct decode *d, const struct pipa_tick *tick, const struct cell *cells)
{
	double values[MAX_COLUMNS], value;
	char instance[PIPA_INSTANCE_MAX];
	size_t i;
	int rc = 0;

	for (i = 0; i < MAX_COLUMNS; i++)
		values[i] = NAN;
	for (i = 0; i < d->cells; i++) {
		if (d->column[i] < 0 || is_word(d->section, (size_t)d->column[i]))
			continue;
		if (!take_number(&cells[i], &value)) {
			d->result->skipped++;
			return 0;
		}
		values[d->column[i]] = value * d->factor[i];
	}
	take_instance(d, cells, instance);
	if (d->in_tick && tick->wall_ns != d->tick.wall_ns)
		rc = end_tick(d);
	d->tick = *tick;
	d->in_tick = true;
	d->result->rows++;
	return rc ? rc : d->sink->row(d->sink, d->section, tick, instance, values);
}

static bool starts(const struct cell *cell, const char *text)
{
	return cell->len >= strlen(text) && memcmp(cell->pos, text, strlen(text)) == 0;
}

/* "LINUX-RESTART\t(2 CPU)", or ours for the collector, in the place of the first value */
static bool take_restart(struct decode *d, const struct cell *cells, size_t n)
{
	bool machine = n >= 4 && starts(&cells[3], "LINUX-RESTART");

	if (!machine && (n < 4 || !starts(&cells[3], "COLLECTOR-RESTART")))
		return false;
	d->result->restarts++;
	d->restart = (struct pipa_restart){
		.of = machine ? PIPA_RESTART_MACHINE : PIPA_RESTART_COLLECTOR,
	};
	d->restarted = take_time(d, &cells[2], &d->restart.wall_ns);
	return true;
}

static int take_row(struct decode *d, const struct cell *cells, size_t n)
{
	struct pipa_tick tick = { 0 };

	if (take_restart(d, cells, n))
		return 0;
	if (d->cells && !d->section) {
		d->result->unknown++;
		return 0;
	}
	if (!d->cells || n != d->cells || n < 4 || !take_number(&cells[1], &tick.interval_s) ||
	    !(tick.interval_s >= 0) || !take_time(d, &cells[2], &tick.wall_ns)) {
		d->result->skipped++;
		return 0;
	}
	if (!d->in_tick || tick.wall_ns != d->tick.wall_ns) {
		d->marked = d->restarted;
		d->restarted = false;
	}
	tick.restart = d->marked ? &d->restart : NULL;
	return hand_out(d, &tick, cells);
}

int pipa_sadf_decode(const char *text, size_t len,
		     const struct pipa_section *(*section_at)(size_t index),
		     const struct pipa_zone *zone, struct pipa_series_sink *sink,
		     struct pipa_sadf_result *ret)
{
	struct decode d = { .section_at = section_at, .zone = zone, .sink = sink, .result = ret };
	const char *end = text + len;
	struct cell cells[MAX_CELLS];
	int rc = 0;

	while (!rc && text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t line = (size_t)((newline ? newline : end) - text);

		if (!newline && line) {
			ret->skipped++; /* cut off: whatever it says may be half a number */
		} else if (line > 2 && text[0] == '#') {
			rc = end_tick(&d);
			take_header(&d, cells, split(text + 2, line - 2, cells, MAX_CELLS));
		} else if (line) {
			rc = take_row(&d, cells,
				      split(text, line, cells,
					    d.ends_in_word ? d.cells : MAX_CELLS));
		}
		text = newline ? newline + 1 : end;
	}
	return rc ? rc : end_tick(&d);
}
