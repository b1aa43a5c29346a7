#include "import/history_tick.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/vec.h"
#include "codec/varint.h"
#include "model/sections.h"

enum { MAX_SECTIONS = 4096, MAX_COLUMNS = 1024, UNKNOWN = UINT32_MAX };

/* A column of the file. */
struct column {
	uint32_t known; /* index in the known section */
	double power;	/* 10 to the number of its digits */
	bool word;	/* holds words, not numbers */
};

struct section {
	const struct pipa_section *known; /* NULL: skipped */
	size_t columns, n_columns;
};

struct cell {
	int64_t last; /* in units of its last digit; of a word its offset in `names` */
	double value;
};

struct row {
	size_t section, cells, name;
};

/* Growing arrays for base/vec.h. */
struct sections {
	struct section *items;
	size_t n, cap;
};
struct columns {
	struct column *items;
	size_t n, cap;
};
struct rows {
	struct row *items;
	size_t n, cap;
};
struct cells {
	struct cell *items;
	size_t n, cap;
};

struct pipa_history_table {
	const struct pipa_history_read *read;
	struct pipa_history_result *result;
	struct sections sections;
	struct columns columns;
	double values[MAX_COLUMNS];
	struct pipa_buf texts; /* strings of the header */

	/* since the last key */
	struct rows rows;
	struct cells cells;	  /* of rows that are not skipped */
	struct pipa_buf names;	  /* and words; offset 0 is unused */
	struct pipa_buf instance; /* of the current row */
	uint64_t wall_us, interval_us;
};

struct pipa_history_table *pipa_history_table_new(const struct pipa_history_read *read,
						  struct pipa_history_result *result)
{
	struct pipa_history_table *t = calloc(1, sizeof(*t));

	if (t) {
		t->read = read;
		t->result = result;
		t->names.max = PIPA_HISTORY_MAX_TICK;
	}
	return t;
}

void pipa_history_table_free(struct pipa_history_table *t)
{
	if (!t)
		return;
	free(t->sections.items);
	free(t->columns.items);
	free(t->rows.items);
	free(t->cells.items);
	pipa_buf_done(&t->texts);
	pipa_buf_done(&t->names);
	pipa_buf_done(&t->instance);
	free(t);
}

/* ---- header ---------------------------------------------------------------------------------- */

/* Read a string of a header; "" and an error of the cursor if it is truncated. Borrowed. */
static const char *get_text(struct pipa_cursor *c, char text[PIPA_HISTORY_MAX_NAME + 1])
{
	uint64_t len = pipa_get_uleb(c);
	const unsigned char *bytes = pipa_get_bytes(c, len);

	if (len > PIPA_HISTORY_MAX_NAME)
		c->status = -EBADMSG;
	if (c->status)
		len = 0;
	if (len)
		memcpy(text, bytes, len);
	text[len] = '\0';
	return text;
}

static const struct pipa_section *find_section(const char *name)
{
	const struct pipa_section *section = pipa_section_find(name);

	return section && section->n_columns <= MAX_COLUMNS ? section : NULL;
}

static uint32_t find_column(const struct pipa_section *section, const char *id)
{
	size_t i;

	for (i = 0; section && i < section->n_columns; i++)
		if (strcmp(section->columns[i].id, id) == 0)
			return (uint32_t)i;
	return UNKNOWN;
}

static int get_column(struct pipa_history_table *t, struct pipa_cursor *c,
		      const struct pipa_section *known)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };
	char text[PIPA_HISTORY_MAX_NAME + 1];
	struct column *column = PIPA_VEC_ADD(&t->columns);
	uint64_t digits;

	if (!column)
		return -ENOMEM;
	column->known = find_column(known, get_text(c, text));
	t->result->unknown += !c->status && column->known == UNKNOWN;
	get_text(c, text); /* sysstat's name, for other readers, like most units */
	column->word = strcmp(get_text(c, text), PIPA_HISTORY_WORD) == 0;
	digits = pipa_get_uleb(c);
	if (c->status || digits >= PIPA_COUNT(powers))
		return -EBADMSG;
	column->power = powers[digits];
	return 0;
}

static int get_section(struct pipa_history_table *t, struct pipa_cursor *c)
{
	char text[PIPA_HISTORY_MAX_NAME + 1];
	struct section *section = PIPA_VEC_ADD(&t->sections);
	const struct pipa_section *known;
	uint64_t n, i;
	int rc = 0;

	if (!section)
		return -ENOMEM;
	known = find_section(get_text(c, text));
	get_text(c, text); /* label of the instances */
	n = pipa_get_uleb(c);
	if (c->status || n > MAX_COLUMNS)
		return -EBADMSG;
	section->known = known && (!t->read->wants || t->read->wants(t->read->ctx, known)) ? known :
											     NULL;
	section->columns = t->columns.n;
	section->n_columns = n;
	for (i = 0; !rc && i < n; i++)
		rc = get_column(t, c, known);
	return rc;
}

/* Store a string as long as the header lives. Returns its offset. */
static size_t store_text(struct pipa_history_table *t, struct pipa_cursor *c)
{
	char text[PIPA_HISTORY_MAX_NAME + 1];
	size_t at = t->texts.len;

	get_text(c, text);
	pipa_buf_add(&t->texts, text, strlen(text) + 1);
	return at;
}

int pipa_history_table_head(struct pipa_history_table *t, const unsigned char *bytes, size_t len,
			    struct pipa_history_head *ret)
{
	struct pipa_cursor c = { .pos = bytes, .end = bytes + len };
	struct pipa_history_head head = { 0 };
	uint64_t reason, n, i;
	size_t host, boot_id;
	int rc = 0;

	pipa_buf_reset(&t->texts);
	t->sections.n = t->columns.n = 0;
	pipa_history_table_forget(t);
	reason = pipa_get_uleb(&c);
	head.wall_ns = pipa_get_uleb(&c) * 1000;
	head.interval_ns = pipa_get_uleb(&c) * 1000;
	head.utc_offset_s = (int32_t)pipa_unzigzag(pipa_get_uleb(&c));
	head.cpus = (uint32_t)pipa_get_uleb(&c);
	host = store_text(t, &c);
	boot_id = store_text(t, &c);
	n = pipa_get_uleb(&c);
	if (c.status || t->texts.status || n > MAX_SECTIONS || reason >= PIPA_HISTORY_REASON_NR)
		return t->texts.status ? t->texts.status : -EBADMSG;
	for (i = 0; !rc && i < n; i++)
		rc = get_section(t, &c);
	if (rc < 0)
		return rc;
	head.reason = (enum pipa_history_reason)reason;
	head.host = pipa_buf_str(&t->texts) + host;
	head.boot_id = pipa_buf_str(&t->texts) + boot_id;
	*ret = head;
	return 0;
}

/* ---- intervals ------------------------------------------------------------------------------- */

void pipa_history_table_forget(struct pipa_history_table *t)
{
	t->rows.n = t->cells.n = 0;
	t->wall_us = t->interval_us = 0;
	pipa_buf_reset(&t->names);
	pipa_buf_putc(&t->names, '\0');
}

static int get_new_row(struct pipa_history_table *t, struct pipa_cursor *c)
{
	char name[PIPA_HISTORY_MAX_NAME + 1];
	uint64_t section = pipa_get_uleb(c);
	const struct section *s;
	struct row *row;
	size_t i;

	get_text(c, name);
	if (c->status || section >= t->sections.n || t->rows.n == PIPA_HISTORY_MAX_ROWS)
		return c->status = -EBADMSG;
	s = &t->sections.items[section];
	if (t->cells.n + s->n_columns > PIPA_HISTORY_MAX_CELLS)
		return c->status = -EBADMSG;
	row = PIPA_VEC_ADD(&t->rows);
	if (!row)
		return -ENOMEM;
	*row = (struct row){ section, t->cells.n, t->names.len };
	if (!s->known)
		return 0;
	pipa_buf_add(&t->names, name, strlen(name) + 1);
	for (i = 0; i < s->n_columns; i++)
		if (!PIPA_VEC_ADD(&t->cells))
			return -ENOMEM;
	return t->names.status;
}

static void get_value(struct pipa_cursor *c, struct cell *cell, double power)
{
	uint64_t token = pipa_get_uleb(c);
	const unsigned char *raw;
	uint64_t bits;

	if (token >= PIPA_VALUE_CHANGE) {
		cell->last = (int64_t)((uint64_t)cell->last +
				       (uint64_t)pipa_unzigzag(token - PIPA_VALUE_CHANGE));
		cell->value = (double)cell->last / power;
	} else if (token == PIPA_VALUE_MISSING) {
		cell->value = NAN;
	} else if (token == PIPA_VALUE_RAW && (raw = pipa_get_bytes(c, 8))) {
		bits = pipa_le_get(raw, 8);
		memcpy(&cell->value, &bits, sizeof(bits));
	}
}

/* Read a word and store it with the names of rows. 0 or a negative errno. */
static int get_word(struct pipa_history_table *t, struct pipa_cursor *c, struct cell *cell)
{
	uint64_t token = pipa_get_uleb(c), len = token - PIPA_VALUE_TEXT;
	const unsigned char *text;

	if (token == PIPA_VALUE_SAME)
		return 0;
	text = pipa_get_bytes(c, len);
	if (len >= PIPA_WORD_MAX || c->status || memchr(text, 0, len)) {
		c->status = -EBADMSG;
		return 0;
	}
	cell->last = (int64_t)t->names.len;
	pipa_buf_add(&t->names, text, len);
	pipa_buf_putc(&t->names, '\0');
	return t->names.status;
}

static void skip_values(struct pipa_cursor *c, const struct column *columns, size_t n)
{
	size_t i;

	for (i = 0; i < n && !c->status; i++) {
		uint64_t token = pipa_get_uleb(c);

		if (columns[i].word && token != PIPA_VALUE_SAME)
			pipa_get_bytes(c, token - PIPA_VALUE_TEXT);
		else if (!columns[i].word && token == PIPA_VALUE_RAW)
			pipa_get_bytes(c, 8);
	}
}

/* Return the row's name, followed by the words in the order of the known section's columns. */
static const char *make_instance(struct pipa_history_table *t, const struct section *section,
				 const struct row *row)
{
	const struct column *columns = t->columns.items + section->columns;
	const struct cell *cells = t->cells.items + row->cells;
	const char *names = pipa_buf_str(&t->names);
	size_t i, k;

	pipa_buf_reset(&t->instance);
	pipa_buf_add(&t->instance, names + row->name, strlen(names + row->name) + 1);
	for (i = 0; i < section->known->n_columns; i++) {
		const char *word = "";

		if (section->known->columns[i].unit != PIPA_UNIT_WORD)
			continue;
		for (k = 0; k < section->n_columns; k++)
			if (columns[k].known == i && columns[k].word && cells[k].last)
				word = names + cells[k].last;
		pipa_buf_add(&t->instance, word, strlen(word) + 1);
	}
	return pipa_buf_str(&t->instance);
}

static int get_row(struct pipa_history_table *t, struct pipa_cursor *c,
		   const struct pipa_tick *tick, const struct row *row)
{
	const struct section *section = &t->sections.items[row->section];
	const struct column *columns = t->columns.items + section->columns;
	struct pipa_series_sink *sink = t->read->sink;
	struct cell *cells = t->cells.items + row->cells;
	size_t i;
	int rc = 0;

	if (!section->known) {
		skip_values(c, columns, section->n_columns);
		return 0;
	}
	for (i = 0; i < section->known->n_columns; i++)
		t->values[i] = NAN;
	for (i = 0; !rc && i < section->n_columns; i++) {
		if (columns[i].word)
			rc = get_word(t, c, &cells[i]);
		else
			get_value(c, &cells[i], columns[i].power);
		if (columns[i].known != UNKNOWN && !columns[i].word)
			t->values[columns[i].known] = cells[i].value;
	}
	if (rc < 0 || c->status)
		return rc; /* a truncated row is dropped */
	return sink->row(sink, section->known, tick, make_instance(t, section, row), t->values);
}

static int get_rows(struct pipa_history_table *t, struct pipa_cursor *c,
		    const struct pipa_tick *tick)
{
	size_t number, following = 0;
	uint64_t token;
	int rc = 0;

	while (!rc && (token = pipa_get_uleb(c)) != PIPA_ROW_END) {
		number = token == PIPA_ROW_FOLLOWING ? following :
			 token == PIPA_ROW_NEW	     ? t->rows.n :
						       token - PIPA_ROW_NUMBER;
		if (token == PIPA_ROW_NEW)
			rc = get_new_row(t, c);
		if (rc < 0)
			return c->status ? 0 : rc;
		if (number >= t->rows.n) {
			c->status = -EBADMSG;
			return 0;
		}
		rc = get_row(t, c, tick, &t->rows.items[number]);
		following = number + 1;
	}
	return rc;
}

int pipa_history_table_tick(struct pipa_history_table *t, const unsigned char *bytes, size_t len,
			    const struct pipa_restart *restart, bool *ret_bad)
{
	struct pipa_cursor c = { .pos = bytes, .end = bytes + len };
	struct pipa_series_sink *sink = t->read->sink;
	struct pipa_tick tick = { .restart = restart };
	int rc;

	t->interval_us += (uint64_t)pipa_unzigzag(pipa_get_uleb(&c));
	t->wall_us += (uint64_t)pipa_unzigzag(pipa_get_uleb(&c)) + t->interval_us;
	tick.wall_ns = t->wall_us * 1000;
	tick.interval_s = (double)t->interval_us / 1e6;
	tick.late = pipa_get_uleb(&c);
	tick.suspended_s = (double)pipa_get_uleb(&c) / 1e3;
	*ret_bad = c.status != 0;
	if (*ret_bad)
		return 0;
	rc = get_rows(t, &c, &tick);
	*ret_bad = c.status != 0 || c.pos != c.end;
	t->result->ticks++;
	return !rc && sink->end ? sink->end(sink, &tick) : rc;
}
