#include "import/stat_csv.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/cpus.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/counts.h"

enum { MAX_CELLS = 64, MAX_NAME = 4096, MAX_ROWS = 1 << 25 };

struct cell {
	const char *pos;
	size_t len;
};

struct line {
	struct cell cells[MAX_CELLS];
	size_t n;
};

/* A parsed line, borrowed from the text. */
struct parts {
	struct pipa_counts_row row;
	struct cell place, unit, event, cgroup;
	struct cell metric, metric_unit; /* empty: none */
	bool whole;			 /* complete up to the run time, so not truncated */
};

enum verdict { DAMAGED, ROW, METRIC, SUMMARY };

struct decode {
	struct pipa_counts *counts;
	struct pipa_stat_csv_result *result;
	struct pipa_index index; /* rows by event, place and time */
	size_t line;		 /* number, from 1 */
	size_t cells;		 /* of the last row */
	bool timed;		 /* rows have times */
};

/* ---- cells --------------------------------------------------------------------------------------- */

static struct cell trim_cell(const char *pos, size_t len)
{
	while (len && *pos == ' ') {
		pos++;
		len--;
	}
	while (len && pos[len - 1] == ' ')
		len--;
	return (struct cell){ pos, len };
}

/* Split a line. False if it has more cells than the limit. */
static bool split_line(struct cell text, const char *separator, struct line *ret)
{
	const char *end = text.pos + text.len, *pos = text.pos;
	size_t len = strlen(separator);

	ret->n = 0;
	for (;;) {
		const char *stop = memmem(pos, (size_t)(end - pos), separator, len);

		if (ret->n == MAX_CELLS)
			return false;
		ret->cells[ret->n++] = trim_cell(pos, (size_t)((stop ? stop : end) - pos));
		if (!stop)
			return true;
		pos = stop + len;
	}
}

/* Return the n-th cell; an empty one after the last. */
static struct cell cell_at(const struct line *line, size_t n)
{
	return n < line->n ? line->cells[n] : (struct cell){ "", 0 };
}

static bool cell_is(struct cell cell, const char *text)
{
	return strlen(text) == cell.len && memcmp(cell.pos, text, cell.len) == 0;
}

static bool parse_number(struct cell cell, double *ret)
{
	char text[48];

	if (!cell.len || cell.len >= sizeof(text))
		return false;
	memcpy(text, cell.pos, cell.len);
	text[cell.len] = '\0';
	return pipa_str_double(text, ret) == 0;
}

static bool parse_integer(struct cell cell, uint64_t *ret)
{
	char text[24];

	if (!cell.len || cell.len >= sizeof(text) || memchr(cell.pos, 'x', cell.len))
		return false;
	memcpy(text, cell.pos, cell.len);
	text[cell.len] = '\0';
	return pipa_str_u64(text, ret) == 0;
}

static bool is_whole(struct cell cell)
{
	uint64_t value;

	return parse_integer(cell, &value);
}

static bool parse_value(struct cell cell, struct pipa_counts_row *row)
{
	row->state = PIPA_COUNTED;
	row->is_integer = parse_integer(cell, &row->integer);
	if (parse_number(cell, &row->value))
		return true;
	row->value = NAN;
	row->state = cell_is(cell, "<not counted>") ? PIPA_NOT_COUNTED : PIPA_NOT_SUPPORTED;
	return row->state == PIPA_NOT_COUNTED || cell_is(cell, "<not supported>");
}

static bool is_value(struct cell cell)
{
	struct pipa_counts_row row = { 0 };

	return parse_value(cell, &row);
}

/* Is it a place, a word with a value after it: "CPU3", "S0-D0-C1", "bash-4711"? */
static bool is_place(const struct line *line, size_t n)
{
	return cell_at(line, n).len && !is_value(cell_at(line, n)) &&
	       is_value(cell_at(line, n + 1));
}

/* Parse "100.00", from 0 to 100 plus rounding. */
static bool parse_share(struct cell cell, double *ret)
{
	return cell.len && memchr(cell.pos, '.', cell.len) && parse_number(cell, ret) &&
	       *ret >= 0 && *ret < 101;
}

/* ---- lines --------------------------------------------------------------------------------------- */

static int cpu_of(struct cell place)
{
	uint64_t cpu;

	if (place.len < 4 || memcmp(place.pos, "CPU", 3) != 0 ||
	    !parse_integer((struct cell){ place.pos + 3, place.len - 3 }, &cpu) ||
	    cpu >= PIPA_CPU_MAX)
		return -1;
	return (int)cpu;
}

static size_t count_slashes(struct cell cell)
{
	size_t i, n = 0;

	for (i = 0; i < cell.len; i++)
		n += cell.pos[i] == '/';
	return n;
}

static bool is_modifier(struct cell cell)
{
	size_t i;

	for (i = 0; i < cell.len; i++)
		if (!strchr("ukhGHpPSDIWeb", cell.pos[i]))
			return false;
	return cell.len;
}

/*
 * Parse an event. "cpu/event=0x3c", "umask=1/" are one name whose comma is not a separator. Returns
 * its last cell.
 */
static size_t parse_event(const struct line *line, size_t n, struct cell *ret)
{
	size_t last = n, slashes = count_slashes(cell_at(line, n));
	struct cell first = cell_at(line, n);

	while (slashes % 2 && last + 1 < line->n)
		slashes += count_slashes(cell_at(line, ++last));
	if (slashes % 2) /* no closing slash */
		last = n;
	if (last + 1 < line->n && cell_at(line, last).len && is_modifier(cell_at(line, last + 1)) &&
	    cell_at(line, last).pos + cell_at(line, last).len + 1 == cell_at(line, last + 1).pos &&
	    cell_at(line, last).pos[cell_at(line, last).len] == ':')
		last++;
	*ret = (struct cell){ first.pos, (size_t)(cell_at(line, last).pos +
						  cell_at(line, last).len - first.pos) };
	return last;
}

/* Parse the run time, after cgroup and noise if present. */
static void parse_rest(const struct line *line, size_t n, struct parts *ret)
{
	size_t i;

	ret->row.percent = NAN;
	for (i = n; i + 1 < line->n; i++)
		if (parse_integer(cell_at(line, i), &ret->row.running_ns) &&
		    parse_share(cell_at(line, i + 1), &ret->row.percent))
			break;
	ret->whole = i + 1 < line->n;
	ret->metric = cell_at(line, i + 2);
	ret->metric_unit = cell_at(line, i + 3);
	if (!ret->whole) {
		ret->row.running_ns = 0;
		ret->row.percent = NAN;
	} else if (i > n && cell_at(line, n).len &&
		   cell_at(line, n).pos[cell_at(line, n).len - 1] != '%') {
		ret->cgroup = cell_at(line, n);
	}
}

/* Is there anything after the n-th cell? */
static bool has_rest(const struct line *line, size_t n)
{
	while (++n < line->n)
		if (line->cells[n].len)
			return true;
	return false;
}

/* Find the metric of a line without a count: the last number and the name after it, with time and CPU. */
static enum verdict parse_metric(const struct line *line, struct parts *ret)
{
	double number;
	size_t i, at = 0;

	for (i = 0; i + 1 < line->n; i++)
		if (parse_number(cell_at(line, i), &number) && cell_at(line, i + 1).len) {
			ret->metric = cell_at(line, i);
			ret->metric_unit = cell_at(line, i + 1);
			at = i;
		}
	if (at && parse_number(cell_at(line, 0), &number) && number >= 0)
		ret->row.time_s = number;
	i = !isnan(ret->row.time_s);
	if (at > i && cpu_of(cell_at(line, i)) >= 0) {
		ret->place = cell_at(line, i);
		ret->row.cpu = cpu_of(ret->place);
	}
	return METRIC;
}

/* Parse time, place and number of CPUs. Returns the index of the value. */
static size_t parse_where(const struct line *line, struct parts *ret)
{
	double time;
	size_t n = 0;

	ret->row.time_s = NAN;
	ret->row.cpu = -1;
	if (parse_number(cell_at(line, 0), &time) && time >= 0 &&
	    (is_value(cell_at(line, 1)) || is_place(line, 1))) {
		ret->row.time_s = time;
		n++;
	} else if (cell_is(cell_at(line, 0), "summary")) {
		n++;
	}
	if (!is_place(line, n))
		return n;
	ret->place = cell_at(line, n++);
	ret->row.cpu = cpu_of(ret->place);
	return is_whole(cell_at(line, n)) && is_value(cell_at(line, n + 1)) ? n + 1 : n;
}

static enum verdict parse_line(const struct line *line, struct parts *ret)
{
	double number;
	size_t n;

	*ret = (struct parts){ 0 };
	n = parse_where(line, ret);
	if (!parse_value(cell_at(line, n),
			 &ret->row)) /* the line of a second metric has no value */
		return !cell_at(line, n).len && !cell_at(line, n + 2).len && has_rest(line, n + 2) ?
			       parse_metric(line, ret) :
			       DAMAGED;
	if (cell_at(line, n + 1).len &&
	    (n + 2 == line->n || parse_number(cell_at(line, n + 2), &number))) {
		n++; /* versions without units */
	} else {
		ret->unit = cell_at(line, n + 1);
		n += 2;
	}
	n = parse_event(line, n, &ret->event);
	if (!ret->event.len)
		return has_rest(line, n) ? parse_metric(line, ret) : DAMAGED;
	if (ret->event.len > MAX_NAME || parse_number(ret->event, &number) ||
	    cpu_of(ret->event) >= 0 || cpu_of(ret->unit) >= 0) /* the value is missing */
		return DAMAGED;
	parse_rest(line, n + 1, ret);
	return cell_is(cell_at(line, 0), "summary") ? SUMMARY : ROW;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static int intern_name(struct decode *d, struct cell cell, uint32_t *ret)
{
	*ret = cell.len ? pipa_strings_add(&d->counts->texts, cell.pos, cell.len) : 0;
	return *ret == PIPA_NO_STRING ? -ENOMEM : 0;
}

/* Return a key for a time, also for a missing one. */
static uint64_t time_key(const struct pipa_counts_row *row)
{
	uint64_t key;

	memcpy(&key, &row->time_s, sizeof(key));
	return key;
}

static bool is_timed(const struct parts *parts)
{
	return !isnan(parts->row.time_s);
}

static uint64_t hash_of(const struct pipa_counts_row *row)
{
	const uint64_t words[3] = { time_key(row), (uint64_t)row->event << 32 | row->place,
				    row->cgroup };

	return pipa_hash_words(words, PIPA_COUNT(words), PIPA_HASH_SEED);
}

static bool is_same(const struct pipa_counts_row *a, const struct pipa_counts_row *b)
{
	return a->event == b->event && a->place == b->place && a->cgroup == b->cgroup &&
	       time_key(a) == time_key(b);
}

static bool find_row(const struct decode *d, const struct pipa_counts_row *row, uint64_t hash)
{
	const struct pipa_index_slot *slot = pipa_index_start(&d->index, hash);

	for (; slot->id; slot = pipa_index_after(&d->index, slot))
		if (slot->hash == (uint32_t)hash && is_same(&d->counts->items[slot->id - 1], row))
			return true;
	return false;
}

static int add_row(struct decode *d, struct parts *parts)
{
	struct pipa_counts_row *slot, *row = &parts->row;
	uint64_t hash;

	if (d->counts->n >= MAX_ROWS)
		return -EFBIG;
	if (intern_name(d, parts->event, &row->event) || intern_name(d, parts->unit, &row->unit) ||
	    intern_name(d, parts->place, &row->place) ||
	    intern_name(d, parts->cgroup, &row->cgroup))
		return -ENOMEM;
	hash = hash_of(row);
	if (find_row(d, row, hash)) {
		d->result->repeated++;
		return 0;
	}
	slot = PIPA_VEC_ADD(d->counts);
	if (!slot || pipa_index_add(&d->index, hash, (uint32_t)(d->counts->n - 1)) < 0)
		return -ENOMEM;
	*slot = *row;
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '_';
}

/* Return the share of pipeline slots that a metric of perf is: "%  tma_frontend_bound", "retiring"; NULL: none. */
static const char *slots_of(struct cell unit)
{
	static const char *const names[] = { "frontend_bound", "backend_bound", "bad_speculation",
					     "retiring" };
	size_t i, k;

	while (unit.len && (*unit.pos == '%' || *unit.pos == ' ')) {
		unit.pos++;
		unit.len--;
	}
	if (unit.len > 4 && memcmp(unit.pos, "tma_", 4) == 0)
		unit = (struct cell){ unit.pos + 4, unit.len - 4 };
	for (i = 0; i < PIPA_COUNT(names); i++) {
		for (k = 0; k < unit.len && names[i][k]; k++)
			if ((is_blank(unit.pos[k]) ? '_' : unit.pos[k] | ' ') != names[i][k])
				break;
		if (k == unit.len && !names[i][k])
			return names[i];
	}
	return NULL;
}

/* Append the share of slots of a line, if it has one and it is wanted. */
static int add_slots(struct decode *d, const struct parts *line)
{
	const char *name = d->result->wants_slots ? slots_of(line->metric_unit) : NULL;
	struct parts parts = { .row = { .time_s = line->row.time_s,
					.percent = NAN,
					.cpu = line->row.cpu,
					.state = PIPA_COUNTED },
			       .place = line->place,
			       .cgroup = line->cgroup,
			       .unit = { "%", 1 } };

	if (!name || !parse_number(line->metric, &parts.row.value) ||
	    (d->counts->n && is_timed(&parts) != d->timed))
		return 0;
	parts.event = (struct cell){ name, strlen(name) };
	d->timed = is_timed(&parts);
	return add_row(d, &parts);
}

static int note_damage(struct decode *d)
{
	if (!d->result->damaged++)
		d->result->first_line = d->line;
	return 0;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool fits_separator(struct cell text, const char *separator, bool whole)
{
	struct parts parts;
	struct line line;

	return split_line(text, separator, &line) && parse_line(&line, &parts) == ROW &&
	       (parts.whole || !whole);
}

/* Try the usual separators, then the characters after the first word of the line. */
static bool try_separators(struct cell text, bool whole, char *ret, size_t most)
{
	static const char usual[] = ",;\t|:";
	size_t i, len;

	for (i = 0; i < sizeof(usual) - 1; i++) {
		memcpy(ret, (char[]){ usual[i], '\0' }, 2);
		if (fits_separator(text, ret, whole))
			return true;
	}
	for (i = 0; i < text.len && strchr("0123456789.CPU", text.pos[i]); i++)
		;
	for (len = 1; len <= most && i + len < text.len; len++) {
		memcpy(ret, text.pos + i, len);
		ret[len] = '\0';
		if (fits_separator(text, ret, whole))
			return true;
	}
	ret[0] = '\0';
	return false;
}

/* Find the separator: one that gives a complete line is preferred to one that gives a part. */
static bool find_separator(struct decode *d, struct cell text)
{
	size_t most = sizeof(d->result->separator) - 1;

	return try_separators(text, true, d->result->separator, most) ||
	       try_separators(text, false, d->result->separator, most);
}

/* Is a last line without a newline truncated? Not if it has all columns of the other lines. */
static bool is_half(const struct decode *d, const struct line *line, const struct parts *parts,
		    bool ended)
{
	return !ended && d->counts->n && (!parts->whole || line->n != d->cells);
}

static int read_text(struct decode *d, struct cell text, bool ended)
{
	struct parts parts;
	struct line line;
	int rc;

	if (memchr(text.pos, '\0', text.len) || /* a name would end there */
	    (!d->result->separator[0] && !find_separator(d, text)))
		return note_damage(d);
	if (!split_line(text, d->result->separator, &line))
		return note_damage(d);
	switch (parse_line(&line, &parts)) {
	case METRIC: return add_slots(d, &parts);
	case SUMMARY: d->result->summaries++; return 0;
	case ROW: break;
	case DAMAGED: return note_damage(d);
	}
	if (is_half(d, &line, &parts, ended) || (d->counts->n && is_timed(&parts) != d->timed))
		return note_damage(d);
	d->cells = line.n;
	d->timed = is_timed(&parts);
	rc = add_row(d, &parts);
	return rc ? rc : add_slots(d, &parts);
}

int pipa_stat_csv_decode(const char *text, size_t len, const char *separator,
			 struct pipa_counts *ret, struct pipa_stat_csv_result *result)
{
	struct decode d = { .counts = ret, .result = result };
	const char *end = text + len;
	int rc = 0;

	if (separator && strlen(separator) < sizeof(result->separator))
		memcpy(result->separator, separator, strlen(separator) + 1);
	while (!rc && text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		struct cell line = { text, (size_t)((newline ? newline : end) - text) };

		d.line++;
		if (line.len && line.pos[line.len - 1] == '\r')
			line.len--;
		while (line.len && *line.pos == ' ') { /* times are padded */
			line.pos++;
			line.len--;
		}
		if (line.len && *line.pos != '#')
			rc = read_text(&d, line, newline);
		text = newline ? newline + 1 : end;
	}
	pipa_index_done(&d.index);
	return rc;
}
