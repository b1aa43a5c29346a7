#include "import/sadf_csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/decimal.h"
#include "base/time/zone.h"
#include "import/table_head.h"

/* Host, interval and time precede the cells of the table. */
enum { OWN = 3, MAX_CELLS = OWN + PIPA_TABLE_CELLS, MAX_PREFIX = 256 };

struct pipa_sadf_reader {
	const struct pipa_zone *zone;
	struct pipa_series_sink *sink;
	struct pipa_sadf_result *result;

	char separator;		     /* of the last header */
	struct pipa_table_head head; /* table of the last header */
	size_t cells;		     /* per row; 0: no header yet */
	struct pipa_tick tick;	     /* of the last row */
	bool in_tick;
	struct pipa_restart restart; /* last restart */
	bool restarted;		     /* before the next interval */
	bool marked;		     /* before this interval */

	/* host, interval and time of the last row with their separators; 0: parse them */
	char prefix[MAX_PREFIX];
	size_t prefix_len;
	bool has_words;			   /* the table has columns of words */
	bool is_plain;			   /* all cells but the label are columns of the section */
	double values[PIPA_TABLE_COLUMNS]; /* NaN in columns that the table does not have */
};

/* Split a line into at most `most` cells; the last one has the rest. */
static size_t split_line(const char *line, size_t len, char separator,
			 struct pipa_table_cell *cells, size_t most)
{
	const char *end = line + len;
	size_t n = 0;

	while (n < most) {
		const char *stop = n + 1 < most ? memchr(line, separator, (size_t)(end - line)) :
						  NULL;

		cells[n].pos = line;
		cells[n++].len = (size_t)((stop ? stop : end) - line);
		if (!stop)
			break;
		line = stop + 1;
	}
	return n;
}

/* Has the table each column of its section once, in its unit, and no other one except a label before the last? */
static bool has_all_columns(const struct pipa_table_head *head)
{
	uint64_t found = 0;
	size_t i, columns = 0;

	for (i = 0; head->section && i < head->n; i++) {
		if (i == head->label)
			continue;
		if (head->column[i] < 0 || head->factor[i] != 1)
			return false;
		found |= UINT64_C(1) << head->column[i];
		columns++;
	}
	return head->section && columns == head->section->n_columns &&
	       columns <= PIPA_HUNDREDTHS_COLUMNS && head->label + 1 != head->n &&
	       (size_t)__builtin_popcountll(found) == columns;
}

static void read_header(struct pipa_sadf_reader *d, const char *line, size_t len)
{
	struct pipa_table_cell cells[MAX_CELLS];
	size_t i, n;

	d->separator = memchr(line, ';', len) || !memchr(line, ',', len) ? ';' : ',';
	n = split_line(line, len, d->separator, cells, MAX_CELLS);
	d->cells = n;
	d->prefix_len = 0;
	d->result->headers++;
	pipa_table_head_find(&d->head, cells + OWN, n > OWN ? n - OWN : 0);
	for (i = 0; i < PIPA_TABLE_COLUMNS; i++)
		d->values[i] = NAN;
	d->has_words = false;
	for (i = 0; d->head.section && i < d->head.section->n_columns; i++)
		d->has_words |= d->head.section->columns[i].unit == PIPA_UNIT_WORD;
	d->is_plain = d->sink->row_hundredths && !d->has_words && has_all_columns(&d->head);
	if (!d->head.section && n > OWN && !d->result->unknown_name[0])
		snprintf(d->result->unknown_name, sizeof(d->result->unknown_name), "%.*s",
			 (int)(cells[OWN].len < 60 ? cells[OWN].len : 60), cells[OWN].pos);
}

/* Parse "2026-11-15 03:03:18[.123][ UTC]"; without UTC it is in the time zone. */
static bool parse_time(const struct pipa_sadf_reader *d, const struct pipa_table_cell *cell,
		       uint64_t *ret_ns)
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

static int end_tick(struct pipa_sadf_reader *d)
{
	bool was = d->in_tick;

	d->in_tick = false;
	return was && d->sink->end ? d->sink->end(d->sink, &d->tick) : 0;
}

static int pass_row(struct pipa_sadf_reader *d, const struct pipa_tick *tick,
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
static bool parse_restart(struct pipa_sadf_reader *d, const struct pipa_table_cell *cells, size_t n)
{
	bool machine = n > OWN && pipa_cell_starts(&cells[OWN], "LINUX-RESTART");

	if (!machine && (n <= OWN || !pipa_cell_starts(&cells[OWN], "COLLECTOR-RESTART")))
		return false;
	d->result->restarts++;
	d->prefix_len = 0;
	d->restart = (struct pipa_restart){
		.of = machine ? PIPA_RESTART_MACHINE : PIPA_RESTART_COLLECTOR,
	};
	d->restarted = parse_time(d, &cells[2], &d->restart.wall_ns);
	d->result->in_restart = d->restarted;
	return true;
}

static int read_row(struct pipa_sadf_reader *d, const struct pipa_table_cell *cells, size_t n)
{
	struct pipa_tick tick = { 0 };
	int rc;

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
		d->result->in_restart = false;
	}
	tick.restart = d->marked ? &d->restart : NULL;
	if (!d->result->host[0] && cells[0].len < sizeof(d->result->host))
		memcpy(d->result->host, cells[0].pos, cells[0].len);
	rc = pass_row(d, &tick, cells);
	d->prefix_len = (size_t)(cells[OWN].pos - cells[0].pos);
	if (d->prefix_len > MAX_PREFIX || !d->in_tick || d->tick.wall_ns != tick.wall_ns)
		d->prefix_len = 0;
	memcpy(d->prefix, cells[0].pos, d->prefix_len);
	return rc;
}

/* Parse a cell up to a separator or the newline at `end`; an empty one is NaN. Returns its end; NULL: another form. */
static inline const char *parse_cell(const char *pos, const char *end, char separator, double *ret)
{
	if (pos == end || *pos == separator) {
		*ret = NAN;
		return pos;
	}
	pos = pipa_decimal_parse(pos, ret);
	return pos && (pos == end || *pos == separator) ? pos : NULL;
}

/* Copy a label, mostly a few digits, and append a NUL. */
static inline void copy_label(const char *label, size_t len, char *ret)
{
	size_t i;

	for (i = 0; i < len; i++)
		ret[i] = label[i];
	ret[len] = '\0';
}

/* Return the name of an instance: the sum of all CPUs is -1 in the file. */
static inline const char *name_instance(const struct pipa_sadf_reader *d, const char *label)
{
	return label[0] == '-' && strcmp(label, "-1") == 0 &&
			       strcmp(d->head.section->label, "CPU") == 0 ?
		       "all" :
		       label;
}

/*
 * Read a row of the interval of the row before it, in one pass over its text. Sets *ret_done
 * unless the row needs read_row(). Most of the time of a large file is spent here.
 */
static int read_plain_row(struct pipa_sadf_reader *d, const char *line, size_t len, bool *ret_done)
{
	const struct pipa_table_head *head = &d->head;
	const char *pos = line + d->prefix_len, *end = line + len;
	const char separator = d->separator;
	char instance[PIPA_NAME_MAX];
	size_t i;

	instance[0] = '\0';
	*ret_done = false;
	if (!d->prefix_len || !d->in_tick || !head->section || d->has_words ||
	    len <= d->prefix_len || memcmp(line, d->prefix, d->prefix_len) != 0)
		return 0;
	for (i = 0; i < head->n; i++) {
		double value;

		if (head->column[i] >= 0 && end - pos >= 4 && memcmp(pos, "0.00", 4) == 0 &&
		    (pos + 4 == end || pos[4] == separator)) { /* half of all cells */
			pos += 4;
			d->values[head->column[i]] = 0;
		} else if (head->column[i] >= 0) {
			pos = parse_cell(pos, end, separator, &value);
			if (!pos)
				return 0;
			d->values[head->column[i]] = value * head->factor[i];
		} else {
			const char *cell = pos;

			while (pos < end && *pos != separator)
				pos++;
			if (i == head->label) {
				if (pos - cell >= PIPA_NAME_MAX)
					return 0;
				copy_label(cell, (size_t)(pos - cell), instance);
			}
		}
		if (i + 1 < head->n && (pos == end || *pos++ != separator))
			return 0;
	}
	if (pos != end)
		return 0;
	*ret_done = true;
	d->result->rows++;
	return d->sink->row(d->sink, head->section, &d->tick, name_instance(d, instance),
			    d->values);
}

/* Is the text that of the last row up to its values? */
static inline bool has_prefix(const struct pipa_sadf_reader *d, const char *text)
{
	const size_t n = d->prefix_len;
	size_t i;

	if (n < PIPA_DECIMAL_WORD)
		return memcmp(text, d->prefix, n) == 0;
	for (i = 0; i + PIPA_DECIMAL_WORD <= n; i += PIPA_DECIMAL_WORD)
		if (pipa_decimal_load(text + i) != pipa_decimal_load(d->prefix + i))
			return false;
	i = n - PIPA_DECIMAL_WORD;
	return pipa_decimal_load(text + i) == pipa_decimal_load(d->prefix + i);
}

/* Read a label of at most seven bytes and append a NUL. False: it is longer, or the line ends before the separator. */
static inline bool read_label(uint64_t word, char separator, char ret[PIPA_DECIMAL_WORD],
			      size_t *ret_len)
{
	const size_t len = pipa_decimal_find(word, separator);

	if (len == PIPA_DECIMAL_WORD || pipa_decimal_find(word, '\n') < len)
		return false;
	pipa_decimal_store(word & ((UINT64_C(1) << 8 * len) - 1), ret);
	*ret_len = len;
	return true;
}

/*
 * Read a row of the interval of the row before it whose values are decimals with two digits, as sysstat prints them.
 * Returns the text after its newline; NULL: the row has another form. Nearly all of a large file is read here.
 */
static const char *read_hundredths(struct pipa_sadf_reader *d, const char *text, const char *end,
				   int *ret_rc)
{
	const struct pipa_table_head *head = &d->head;
	const char separator = d->separator;
	int32_t hundredths[PIPA_HUNDREDTHS_COLUMNS];
	char instance[PIPA_DECIMAL_WORD] = "";
	size_t i, len;

	if (!d->prefix_len || !d->in_tick ||
	    (size_t)(end - text) < d->prefix_len + head->n * PIPA_DECIMAL_WORD ||
	    !has_prefix(d, text))
		return NULL;
	text += d->prefix_len;
	for (i = 0; i + 1 < head->n; i++, text += len + 1) { /* at most eight bytes each */
		const uint64_t word = pipa_decimal_load(text);

		if (i == head->label) {
			if (!read_label(word, separator, instance, &len))
				return NULL;
			continue;
		}
		len = pipa_decimal_hundredths(word, separator, &hundredths[head->column[i]]);
		if (!len)
			return NULL;
	}
	len = pipa_decimal_hundredths(pipa_decimal_load(text), '\n', &hundredths[head->column[i]]);
	if (!len)
		return NULL;
	text += len + 1;
	d->result->rows++;
	*ret_rc = d->sink->row_hundredths(d->sink, head->section, &d->tick,
					  name_instance(d, instance), hundredths);
	return text;
}

struct pipa_sadf_reader *pipa_sadf_reader_new(const struct pipa_zone *zone,
					      struct pipa_series_sink *sink,
					      struct pipa_sadf_result *result)
{
	struct pipa_sadf_reader *d = calloc(1, sizeof(*d));

	if (d)
		*d = (struct pipa_sadf_reader){
			.zone = zone, .sink = sink, .result = result, .separator = ';'
		};
	return d;
}

void pipa_sadf_reader_free(struct pipa_sadf_reader *reader)
{
	free(reader);
}

int pipa_sadf_reader_feed(struct pipa_sadf_reader *reader, const char *text, size_t len, bool last,
			  size_t *ret_used)
{
	const char *begin = text, *end = text + len;
	struct pipa_table_cell cells[MAX_CELLS];
	bool done;
	int rc = 0;

	while (!rc && text < end) {
		const char *next = reader->is_plain ? read_hundredths(reader, text, end, &rc) :
						      NULL;
		const char *newline;
		size_t line;

		if (next) {
			text = next;
			continue;
		}
		newline = memchr(text, '\n', (size_t)(end - text));
		line = (size_t)((newline ? newline : end) - text);
		if (!newline && !last)
			break;
		if (!newline) {
			reader->result
				->skipped++; /* truncated: the last number may be incomplete */
		} else if (line > 2 && text[0] == '#') {
			rc = end_tick(reader);
			read_header(reader, text + 2, line - 2);
		} else if (!reader->cells && line > 8 && memcmp(text, "hostname", 8) == 0) {
			read_header(reader, text, line);
		} else if (line) {
			rc = read_plain_row(reader, text, line, &done);
			if (!done)
				rc = read_row(reader, cells,
					      split_line(text, line, reader->separator, cells,
							 reader->head.ends_in_word ? reader->cells :
										     MAX_CELLS));
		}
		text = newline ? newline + 1 : end;
	}
	*ret_used = (size_t)(text - begin);
	return rc || !last ? rc : end_tick(reader);
}

int pipa_sadf_decode(const char *text, size_t len, const struct pipa_zone *zone,
		     struct pipa_series_sink *sink, struct pipa_sadf_result *ret)
{
	struct pipa_sadf_reader d = { .zone = zone, .sink = sink, .result = ret, .separator = ';' };
	size_t used;

	return pipa_sadf_reader_feed(&d, text, len, true, &used);
}
