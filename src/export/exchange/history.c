#include "export/exchange/history.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/vec.h"
#include "codec/crc32.h"
#include "codec/varint.h"
#include "codec/zstd.h"

/* Last written value of one cell of a row: the reference for the next delta. */
struct cell {
	int64_t last; /* in units of its last digit */
	enum { CELL_NUMBER, CELL_MISSING, CELL_RAW } state;
};

struct row {
	uint32_t section;
	uint32_t cells; /* index of its first cell */
	uint32_t next;	/* next row of its bucket, plus one */
	char instance[PIPA_HISTORY_MAX_NAME + 1];
};

struct rows {
	struct row *items;
	size_t n, cap;
};

struct cells {
	struct cell *items;
	size_t n, cap;
};

enum { BUCKETS = 1024 };

struct pipa_history_writer {
	struct pipa_series_sink sink;
	const struct pipa_section *const *sections;
	size_t n_sections;
	enum pipa_history_packing packing;
	struct pipa_zstd_compressor *compressor; /* NULL if uncompressed */
	struct pipa_buf *out;

	uint32_t head_crc, last_crc;
	size_t ticks; /* intervals since the last key chunk; 0: the next one is a key chunk */
	bool in_tick;
	struct pipa_buf body;	/* of the interval, uncompressed */
	struct pipa_buf packed; /* the same, compressed */

	/* written since the last key chunk */
	struct rows rows;
	struct cells cells;
	uint32_t buckets[BUCKETS]; /* row index plus one */
	size_t following;	   /* the row expected next */
	uint64_t wall_us, interval_us;
};

/* ---- heads -------------------------------------------------------------------------------------- */

static void put_text(struct pipa_buf *out, const char *text)
{
	size_t len = text ? strnlen(text, PIPA_HISTORY_MAX_NAME) : 0;

	pipa_varint_put(out, len);
	pipa_buf_add(out, text, len);
}

static void put_section(struct pipa_buf *out, const struct pipa_section *section)
{
	size_t i;

	put_text(out, section->name);
	put_text(out, section->label);
	pipa_varint_put(out, section->n_columns);
	for (i = 0; i < section->n_columns; i++) {
		const struct pipa_column *column = &section->columns[i];

		put_text(out, column->id);
		put_text(out, column->name);
		put_text(out, column->unit == PIPA_UNIT_WORD ? PIPA_HISTORY_WORD :
							       pipa_unit_text(column->unit));
		pipa_varint_put(out, (uint64_t)column->digits);
	}
}

static void put_head(struct pipa_buf *out, const struct pipa_history_head *head)
{
	pipa_varint_put(out, head->reason);
	pipa_varint_put(out, head->wall_ns / 1000);
	pipa_varint_put(out, head->interval_ns / 1000);
	pipa_varint_put(out, pipa_zigzag(head->utc_offset_s));
	pipa_varint_put(out, head->cpus);
	put_text(out, head->host);
	put_text(out, head->boot_id);
}

void pipa_history_writer_begin(struct pipa_history_writer *w, const struct pipa_history_head *head)
{
	unsigned char fixed[PIPA_HISTORY_HEAD_SIZE] = { 0 };
	size_t i;

	pipa_buf_reset(&w->body);
	put_head(&w->body, head);
	pipa_varint_put(&w->body, w->n_sections);
	for (i = 0; i < w->n_sections; i++)
		put_section(&w->body, w->sections[i]);

	memcpy(fixed, PIPA_HISTORY_MAGIC, PIPA_HISTORY_MAGIC_SIZE);
	fixed[8] = PIPA_HISTORY_VERSION;
	fixed[9] = (unsigned char)w->packing;
	pipa_le_put(fixed + 12, w->body.len, 4);
	w->head_crc = pipa_crc32(pipa_crc32(0, fixed + 8, 8), w->body.data, w->body.len);
	pipa_le_put(fixed + 16, w->head_crc, 4);
	pipa_buf_add(w->out, fixed, sizeof(fixed));
	pipa_buf_add(w->out, w->body.data, w->body.len);
	if (w->body.status)
		w->out->status = w->body.status;
	pipa_buf_reset(&w->body);
	w->ticks = 0;
	w->in_tick = false;
}

/* ---- rows --------------------------------------------------------------------------------------- */

static uint32_t *bucket_of(struct pipa_history_writer *w, size_t section, const char *instance)
{
	uint32_t hash = 2166136261u ^ (uint32_t)section;

	for (; *instance; instance++)
		hash = (hash ^ (unsigned char)*instance) * 16777619u;
	return &w->buckets[hash % BUCKETS];
}

static bool is_row(const struct pipa_history_writer *w, size_t number, const char *section,
		   const char *instance)
{
	const struct row *row = &w->rows.items[number];

	return w->sections[row->section]->name == section && strcmp(row->instance, instance) == 0;
}

/* Add a row that was not written since the last key chunk. */
static int append_history_row(struct pipa_history_writer *w, size_t section, const char *instance)
{
	size_t len = strlen(instance), first = w->cells.n, i;
	uint32_t *bucket = bucket_of(w, section, instance);
	struct row *row;

	if (w->rows.n == PIPA_HISTORY_MAX_ROWS ||
	    first + w->sections[section]->n_columns > PIPA_HISTORY_MAX_CELLS)
		return -EFBIG;
	row = PIPA_VEC_ADD(&w->rows);
	if (!row)
		return -ENOMEM;
	for (i = 0; i < w->sections[section]->n_columns; i++)
		if (!PIPA_VEC_ADD(&w->cells))
			return -ENOMEM;
	row->section = (uint32_t)section;
	row->cells = (uint32_t)first;
	memcpy(row->instance, instance, len + 1);
	row->next = *bucket;
	*bucket = (uint32_t)w->rows.n;
	pipa_varint_put(&w->body, PIPA_ROW_NEW);
	pipa_varint_put(&w->body, section);
	pipa_varint_put(&w->body, len);
	pipa_buf_add(&w->body, instance, len);
	return 0;
}

/* Write the reference to a row. Sets *ret to its index; -ENOENT if its section is not selected. */
static int put_row_reference(struct pipa_history_writer *w, const struct pipa_section *section,
			     const char *instance, size_t *ret)
{
	size_t i, number;

	*ret = w->following;
	if (w->following < w->rows.n && is_row(w, w->following, section->name, instance)) {
		pipa_varint_put(&w->body, PIPA_ROW_FOLLOWING);
		return 0;
	}
	for (i = 0; i < w->n_sections && w->sections[i] != section; i++)
		;
	if (i == w->n_sections)
		return -ENOENT;
	for (number = *bucket_of(w, i, instance); number; number = w->rows.items[number - 1].next)
		if (is_row(w, number - 1, section->name, instance)) {
			*ret = number - 1;
			pipa_varint_put(&w->body, PIPA_ROW_NUMBER + number - 1);
			return 0;
		}
	*ret = w->rows.n;
	return append_history_row(w, i, instance);
}

/* ---- values ------------------------------------------------------------------------------------- */

/*
 * Convert a value to units of its last digit, rounded as printf rounds: if the product is exactly a
 * half, the rounding error of the multiplication decides. False if the result is not an integer
 * that a double can represent.
 */
static bool to_digits(double value, int digits, int64_t *ret)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };
	double power, scaled, whole, lost;

	if (digits < 0 || digits >= (int)PIPA_COUNT(powers))
		return false;
	power = powers[digits];
	scaled = value * power;
	whole = rint(scaled);
	if (!(fabs(scaled) < 0x1p53))
		return false;
	if (fabs(scaled - whole) == 0.5) {
		lost = fma(value, power, -scaled);
		whole = lost > 0 ? ceil(scaled) : lost < 0 ? floor(scaled) : whole;
	}
	*ret = (int64_t)whole;
	return true;
}

static void put_raw(struct pipa_buf *out, double value)
{
	unsigned char bytes[8];
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	pipa_le_put(bytes, bits, sizeof(bytes));
	pipa_varint_put(out, PIPA_VALUE_RAW);
	pipa_buf_add(out, bytes, sizeof(bytes));
}

static void put_value(struct pipa_buf *out, struct cell *cell, double value, int digits)
{
	int64_t number;

	if (isnan(value)) {
		pipa_varint_put(out,
				cell->state == CELL_MISSING ? PIPA_VALUE_SAME : PIPA_VALUE_MISSING);
		cell->state = CELL_MISSING;
	} else if (!to_digits(value, digits, &number)) {
		put_raw(out, value);
		cell->state = CELL_RAW;
	} else if (number == cell->last && cell->state == CELL_NUMBER) {
		pipa_varint_put(out, PIPA_VALUE_SAME);
	} else {
		pipa_varint_put(out, PIPA_VALUE_CHANGE + pipa_zigzag(number - cell->last));
		cell->last = number;
		cell->state = CELL_NUMBER;
	}
}

/* Write a word if it changed. Only the hash of the previous word is stored. */
static void put_word(struct pipa_buf *out, struct cell *cell, const char *word)
{
	size_t len = strnlen(word, PIPA_WORD_MAX - 1), i;
	uint64_t hash = 14695981039346656037u;

	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)word[i]) * 1099511628211u;
	if (cell->state == CELL_NUMBER && cell->last == (int64_t)hash) {
		pipa_varint_put(out, PIPA_VALUE_SAME);
		return;
	}
	pipa_varint_put(out, PIPA_VALUE_TEXT + len);
	pipa_buf_add(out, word, len);
	cell->last = (int64_t)hash;
	cell->state = CELL_NUMBER;
}

static void put_values(struct pipa_history_writer *w, const struct pipa_section *section,
		       const struct row *row, const char *instance, const double *values)
{
	struct cell *cells = &w->cells.items[row->cells];
	size_t i;

	for (i = 0; i < section->n_columns; i++)
		if (section->columns[i].unit == PIPA_UNIT_WORD)
			put_word(&w->body, &cells[i], instance = pipa_instance_next(instance));
		else
			put_value(&w->body, &cells[i], values[i], section->columns[i].digits);
}

/* ---- ticks -------------------------------------------------------------------------------------- */

/* Forget all rows, so that the next chunk can be read without earlier ones. */
static void reset_rows(struct pipa_history_writer *w)
{
	w->rows.n = w->cells.n = 0;
	memset(w->buckets, 0, sizeof(w->buckets));
	w->wall_us = w->interval_us = 0;
	if (w->compressor)
		pipa_zstd_compressor_restart(w->compressor);
}

static void begin_tick(struct pipa_history_writer *w, const struct pipa_tick *tick)
{
	uint64_t wall_us = tick->wall_ns / 1000;
	uint64_t interval_us = (uint64_t)llrint(tick->interval_s * 1e6);

	/* short-lived rows can have filled the tables */
	if (w->ticks == PIPA_HISTORY_KEY_EVERY || w->rows.n > PIPA_HISTORY_MAX_ROWS / 2 ||
	    w->cells.n > PIPA_HISTORY_MAX_CELLS / 2)
		w->ticks = 0;
	if (!w->ticks)
		reset_rows(w);
	pipa_buf_reset(&w->body);
	pipa_varint_put(&w->body, pipa_zigzag((int64_t)(interval_us - w->interval_us)));
	pipa_varint_put(&w->body, pipa_zigzag((int64_t)(wall_us - w->wall_us - interval_us)));
	pipa_varint_put(&w->body, tick->late);
	pipa_varint_put(&w->body, (uint64_t)llrint(tick->suspended_s * 1e3));
	w->wall_us = wall_us;
	w->interval_us = interval_us;
	w->following = 0;
	w->in_tick = true;
}

static int keep_row(struct pipa_series_sink *self, const struct pipa_section *section,
		    const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_history_writer *w = (struct pipa_history_writer *)(void *)self;
	char name[PIPA_HISTORY_MAX_NAME + 1];
	size_t number;
	int rc;

	if (!w->in_tick)
		begin_tick(w, tick);
	pipa_instance_put(name, sizeof(name), instance, strlen(instance));
	rc = put_row_reference(w, section, name, &number);
	if (rc < 0) {
		if (rc != -ENOENT)
			w->ticks = 0;
		return rc == -ENOENT ? 0 : rc;
	}
	put_values(w, section, &w->rows.items[number], instance, values);
	w->following = number + 1;
	return 0;
}

/* Append the body as a chunk to the output. */
static int put_chunk(struct pipa_history_writer *w, bool key)
{
	unsigned char fixed[PIPA_HISTORY_CHUNK_SIZE], time[PIPA_HISTORY_KEY_TIME];
	size_t lead = key ? sizeof(time) : 0;
	const struct pipa_buf *payload = w->compressor ? &w->packed : &w->body;
	int rc = w->body.status;

	pipa_buf_reset(&w->packed);
	if (!rc && w->compressor)
		rc = pipa_zstd_compressor_put(w->compressor, w->body.data, w->body.len, &w->packed);
	if (!rc && payload->len + lead > PIPA_HISTORY_MAX_CHUNK)
		rc = -EFBIG;
	if (rc < 0)
		return rc;
	fixed[0] = key ? PIPA_HISTORY_KEY : PIPA_HISTORY_NEXT;
	pipa_le_put(fixed + 1, payload->len + lead, 3);
	pipa_le_put(time, w->wall_us, sizeof(time));
	w->last_crc = pipa_crc32(key ? w->head_crc : w->last_crc, fixed, 4);
	w->last_crc = pipa_crc32(w->last_crc, time, lead);
	w->last_crc = pipa_crc32(w->last_crc, payload->data, payload->len);
	pipa_le_put(fixed + 4, w->last_crc, 4);
	pipa_buf_add(w->out, fixed, sizeof(fixed));
	pipa_buf_add(w->out, time, lead);
	pipa_buf_add(w->out, payload->data, payload->len);
	return w->out->status;
}

static int end_tick(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	struct pipa_history_writer *w = (struct pipa_history_writer *)(void *)self;
	int rc;

	if (!w->in_tick) /* an interval without rows is written too: it shows that the collector was running */
		begin_tick(w, tick);
	pipa_varint_put(&w->body, PIPA_ROW_END);
	w->in_tick = false;
	rc = put_chunk(w, w->ticks == 0);
	w->ticks = rc ? 0 : w->ticks + 1;
	return rc;
}

/* ---- the writer --------------------------------------------------------------------------------- */

PIPA_DEFINE_AUTO(pipa_history_writer_free, struct pipa_history_writer *)

struct pipa_history_writer *pipa_history_writer_new(const struct pipa_section *const *sections,
						    size_t n, enum pipa_history_packing packing,
						    struct pipa_buf *out)
{
	PIPA_AUTO(pipa_history_writer_free)
	struct pipa_history_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	*w = (struct pipa_history_writer){ .sink = { .row = keep_row, .end = end_tick },
					   .sections = sections,
					   .n_sections = n,
					   .packing = packing,
					   .out = out,
					   .body.max = PIPA_HISTORY_MAX_TICK };
	if (packing == PIPA_HISTORY_ZSTD && !(w->compressor = pipa_zstd_compressor_new()))
		return NULL;
	return PIPA_TAKE(w);
}

void pipa_history_writer_free(struct pipa_history_writer *w)
{
	if (!w)
		return;
	pipa_zstd_compressor_free(w->compressor);
	pipa_buf_done(&w->body);
	pipa_buf_done(&w->packed);
	free(w->rows.items);
	free(w->cells.items);
	free(w);
}

struct pipa_series_sink *pipa_history_writer_sink(struct pipa_history_writer *w)
{
	return &w->sink;
}

void pipa_history_writer_lost(struct pipa_history_writer *w)
{
	w->ticks = 0;
	w->in_tick = false;
}
