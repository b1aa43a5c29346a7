#include "import/sadf_csv.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/time/zone.h"
#include "import/table_head.h"

/* Host, interval and time precede the cells of the table. */
enum { OWN = 3, MAX_CELLS = OWN + PIPA_TABLE_CELLS };

struct decode {
	const struct pipa_zone *zone;
	struct pipa_series_sink *sink;
	struct pipa_sadf_result *result;

	struct pipa_table_head head; /* table of the last header */
	size_t cells;		     /* per row; 0: no header yet */
	struct pipa_tick tick;	     /* of the last row */
	bool in_tick;
	struct pipa_restart restart; /* last restart */
	bool restarted;		     /* before the next interval */
	bool marked;		     /* before this interval */
};

/* Split a line into at most `most` cells; the last one has the rest. */
static size_t split_line(const char *line, size_t len, struct pipa_table_cell *cells, size_t most)
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

static void read_header(struct decode *d, const struct pipa_table_cell *cells, size_t n)
{
	d->cells = n;
	pipa_table_head_find(&d->head, cells + OWN, n > OWN ? n - OWN : 0);
	if (!d->head.section && n > OWN && !d->result->unknown_name[0])
		snprintf(d->result->unknown_name, sizeof(d->result->unknown_name), "%.*s",
			 (int)(cells[OWN].len < 60 ? cells[OWN].len : 60), cells[OWN].pos);
}

/* Parse "2026-11-15 03:03:18[.123][ UTC]"; without UTC it is in the time zone. */
static bool parse_time(const struct decode *d, const struct pipa_table_cell *cell, uint64_t *ret_ns)
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

static int pass_row(struct decode *d, const struct pipa_tick *tick,
		    const struct pipa_table_cell *cells)
{
	double values[PIPA_TABLE_COLUMNS];
	char instance[PIPA_INSTANCE_MAX];
	int rc = 0;

	if (pipa_table_head_row(&d->head, cells + OWN, instance, values)) {
		d->result->skipped++;
		return 0;
	}
	if (d->in_tick && tick->wall_ns != d->tick.wall_ns)
		rc = end_tick(d);
	d->tick = *tick;
	d->in_tick = true;
	d->result->rows++;
	return rc ? rc : d->sink->row(d->sink, d->head.section, tick, instance, values);
}

/* Parse "LINUX-RESTART\t(2 CPU)", or pipa's mark for the collector, instead of the first value. */
static bool parse_restart(struct decode *d, const struct pipa_table_cell *cells, size_t n)
{
	bool machine = n > OWN && pipa_cell_starts(&cells[OWN], "LINUX-RESTART");

	if (!machine && (n <= OWN || !pipa_cell_starts(&cells[OWN], "COLLECTOR-RESTART")))
		return false;
	d->result->restarts++;
	d->restart = (struct pipa_restart){
		.of = machine ? PIPA_RESTART_MACHINE : PIPA_RESTART_COLLECTOR,
	};
	d->restarted = parse_time(d, &cells[2], &d->restart.wall_ns);
	return true;
}

static int read_row(struct decode *d, const struct pipa_table_cell *cells, size_t n)
{
	struct pipa_tick tick = { 0 };

	if (parse_restart(d, cells, n))
		return 0;
	if (d->cells && !d->head.section) {
		d->result->unknown++;
		return 0;
	}
	if (!d->cells || n != d->cells || n <= OWN ||
	    !pipa_cell_number(&cells[1], &tick.interval_s) || !(tick.interval_s >= 0) ||
	    !parse_time(d, &cells[2], &tick.wall_ns)) {
		d->result->skipped++;
		return 0;
	}
	if (!d->in_tick || tick.wall_ns != d->tick.wall_ns) {
		d->marked = d->restarted;
		d->restarted = false;
	}
	tick.restart = d->marked ? &d->restart : NULL;
	return pass_row(d, &tick, cells);
}

int pipa_sadf_decode(const char *text, size_t len, const struct pipa_zone *zone,
		     struct pipa_series_sink *sink, struct pipa_sadf_result *ret)
{
	struct decode d = { .zone = zone, .sink = sink, .result = ret };
	const char *end = text + len;
	struct pipa_table_cell cells[MAX_CELLS];
	int rc = 0;

	while (!rc && text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t line = (size_t)((newline ? newline : end) - text);

		if (!newline && line) {
			ret->skipped++; /* truncated: the last number may be incomplete */
		} else if (line > 2 && text[0] == '#') {
			rc = end_tick(&d);
			read_header(&d, cells, split_line(text + 2, line - 2, cells, MAX_CELLS));
		} else if (line) {
			rc = read_row(&d, cells,
				      split_line(text, line, cells,
						 d.head.ends_in_word ? d.cells : MAX_CELLS));
		}
		text = newline ? newline + 1 : end;
	}
	return rc ? rc : end_tick(&d);
}
