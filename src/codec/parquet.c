#include "codec/parquet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "codec/parquet_pages.h"
#include "codec/thrift.h"
#include "codec/varint.h"
#include "codec/zstd.h"

/* Numbers of the file format. */
enum physical_type { BOOLEAN = 0, INT32 = 1, INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6 };
enum encoding { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 };
enum page_type { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum { CODEC_ZSTD = 6, FORMAT_VERSION = 1, NO_CONVERTED_TYPE = -1 };

enum {
	LEVEL = 1,
	DICTIONARY_MAX = 1 << 15, /* distinct numbers in a group */
	TEXT_MAX = 8 << 20,	  /* bytes of distinct texts in a group; more end it early */
	BOUND_MAX = 64,		  /* bytes of a text that is stored as minimum or maximum */
	PAGE_MAX = 1 << 30,
	GROUP_CELLS = 5 << 20, /* rows times columns of a group: 9 bytes each at most */
	GROUP_ROWS_MIN = 1024,
};

struct type_facts {
	enum physical_type physical;
	int converted;
	unsigned int bytes; /* of a value in PLAIN encoding; 0: varies */
};

static const struct type_facts types[] = {
	[PIPA_FRAME_BOOL] = { BOOLEAN, NO_CONVERTED_TYPE, 0 },
	[PIPA_FRAME_U32] = { INT32, 13, 4 },
	[PIPA_FRAME_I64] = { INT64, NO_CONVERTED_TYPE, 8 },
	[PIPA_FRAME_U64] = { INT64, 14, 8 },
	[PIPA_FRAME_F64] = { DOUBLE, NO_CONVERTED_TYPE, 8 },
	[PIPA_FRAME_TEXT] = { BYTE_ARRAY, 0, 0 }, /* DuckDB shows text without it as a BLOB */
	[PIPA_FRAME_TIME_NS] = { INT64, NO_CONVERTED_TYPE, 8 },
	[PIPA_FRAME_UTC_NS] = { INT64, NO_CONVERTED_TYPE, 8 },
};

struct text_at {
	uint32_t offset, len;
};

/* The values of a column in the current row group. */
struct column {
	uint64_t *values; /* without nulls; of a text its number in the dictionary */
	uint8_t *present; /* of each row */
	size_t n;	  /* of values */
	bool is_set;	  /* in the current row */

	struct pipa_buf texts; /* distinct texts, one after the other */
	struct {
		struct text_at *items;
		size_t n, cap;
	} dictionary;
	struct pipa_index index;
	uint32_t last; /* number of the last text */
};

struct parquet {
	struct pipa_frame_writer writer; /* first member: callbacks cast it */
	struct pipa_frame_options options;
	struct column *columns;
	size_t rows, max_rows; /* in the current group */
	uint64_t all_rows, offset, replaced;
	int status;
	struct pipa_zstd_compressor *zstd;
	struct pipa_buf page, packed, header, clean;
	struct pipa_buf groups; /* their metadata, as elements of a list */
	size_t n_groups;
	uint32_t *indices; /* of a column's values in its dictionary */
	uint64_t *distinct;
	uint32_t *slots; /* hash table of distinct: number + 1 */
};

enum { SLOTS = 4 * DICTIONARY_MAX };

static void keep_status(struct parquet *p, int rc)
{
	if (rc < 0 && !p->status)
		p->status = rc;
}

static void put(struct parquet *p, const void *bytes, size_t len)
{
	if (p->status || !len)
		return;
	keep_status(p, p->options.put(p->options.ctx, bytes, len));
	p->offset += len;
}

static bool column_alloc(struct column *c, size_t rows)
{
	c->values = malloc(rows * sizeof(*c->values));
	c->present = malloc(rows);
	c->texts.max = TEXT_MAX + (64 << 20);
	c->last = UINT32_MAX;
	return c->values && c->present;
}

static void column_done(struct column *c)
{
	free(c->values);
	free(c->present);
	free(c->dictionary.items);
	pipa_buf_done(&c->texts);
	pipa_index_done(&c->index);
}

static void parquet_free(struct pipa_frame_writer *w)
{
	struct parquet *p = (struct parquet *)(void *)w;
	size_t i;

	for (i = 0; p->columns && i < p->options.n_columns; i++)
		column_done(&p->columns[i]);
	free(p->columns);
	free(p->indices);
	free(p->distinct);
	free(p->slots);
	pipa_zstd_compressor_free(p->zstd);
	pipa_buf_done(&p->page);
	pipa_buf_done(&p->packed);
	pipa_buf_done(&p->header);
	pipa_buf_done(&p->clean);
	pipa_buf_done(&p->groups);
	free(p);
}

uint64_t pipa_parquet_replaced(const struct pipa_frame_writer *w)
{
	return ((const struct parquet *)(const void *)w)->replaced;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void put_number(struct pipa_frame_writer *w, size_t column, uint64_t value)
{
	struct column *c = &((struct parquet *)(void *)w)->columns[column];

	if (!c->is_set)
		c->n++;
	c->is_set = true;
	c->values[c->n - 1] = value;
}

static void put_f64(struct pipa_frame_writer *w, size_t column, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_number(w, column, bits);
}

static bool is_text(const struct column *c, uint32_t number, const char *text, size_t len)
{
	const struct text_at *at = &c->dictionary.items[number];

	return at->len == len && (!len || memcmp(c->texts.data + at->offset, text, len) == 0);
}

/* Return the number of the text in the column's dictionary, adding it; or a negative errno. */
static int64_t intern(struct column *c, const char *text, size_t len)
{
	const struct pipa_index_slot *slot;
	struct text_at *at;
	uint64_t hash;

	if (c->last != UINT32_MAX && is_text(c, c->last, text, len))
		return c->last;
	hash = pipa_hash_bytes(text, len, PIPA_HASH_SEED);
	for (slot = pipa_index_start(&c->index, hash); slot->id;
	     slot = pipa_index_after(&c->index, slot))
		if (slot->hash == (uint32_t)hash && is_text(c, slot->id - 1, text, len))
			return slot->id - 1;
	at = PIPA_VEC_ADD(&c->dictionary);
	if (!at)
		return -ENOMEM;
	*at = (struct text_at){ (uint32_t)c->texts.len, (uint32_t)len };
	pipa_buf_add(&c->texts, text, len);
	if (c->texts.status < 0)
		return c->texts.status;
	if (pipa_index_add(&c->index, hash, (uint32_t)c->dictionary.n - 1) < 0)
		return -ENOMEM;
	return (int64_t)c->dictionary.n - 1;
}

/*
 * Copy the text into `clean` with invalid UTF-8 replaced. Returns false if there was any. The inner copy has the
 * NUL at its end that pipa_utf8_len() needs.
 */
static bool replace_invalid(struct pipa_buf *clean, const char *text, size_t len)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf copy = { .max = PAGE_MAX };
	const unsigned char *at, *end;
	bool valid = true;
	size_t n;

	pipa_buf_add(&copy, text, len);
	pipa_buf_reset(clean);
	at = (const unsigned char *)pipa_buf_str(&copy);
	for (end = at + copy.len; at < end; at += n) {
		n = *at ? pipa_utf8_len(at) : 1;
		if (n && n <= (size_t)(end - at)) {
			pipa_buf_add(clean, at, n);
			continue;
		}
		pipa_buf_puts(clean, "\xef\xbf\xbd");
		valid = false;
		n = 1;
	}
	return valid;
}

static bool is_ascii(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len && !((unsigned char)text[i] & 0x80); i++)
		;
	return i == len;
}

static void put_text(struct pipa_frame_writer *w, size_t column, const char *text, size_t len)
{
	struct parquet *p = (struct parquet *)(void *)w;
	struct column *c = &p->columns[column];
	int64_t number;

	if (!is_ascii(text, len)) {
		if (!replace_invalid(&p->clean, text, len))
			p->replaced++;
		keep_status(p, p->clean.status);
		text = pipa_buf_str(&p->clean);
		len = p->clean.len;
	}
	number = intern(c, text, len);
	if (number < 0) {
		keep_status(p, (int)number);
		return;
	}
	c->last = (uint32_t)number;
	put_number(w, column, (uint64_t)number);
}

/* ---- pages --------------------------------------------------------------------------------- */

/* A column chunk that is being written. */
struct chunk {
	uint64_t dictionary_offset, data_offset;
	uint64_t size, packed_size; /* with the headers of pages */
	bool has_dictionary;
	enum encoding encoding;
};

/* Compress p->page and write it with its header. */
static void put_page(struct parquet *p, struct chunk *chunk, enum page_type type, size_t values,
		     enum encoding encoding)
{
	struct pipa_thrift t = { .out = &p->header };

	pipa_buf_reset(&p->packed);
	pipa_buf_reset(&p->header);
	pipa_zstd_compressor_restart(p->zstd);
	keep_status(p, p->page.status);
	keep_status(p, pipa_zstd_compressor_put(p->zstd, pipa_buf_str(&p->page), p->page.len,
						&p->packed));
	keep_status(p, pipa_zstd_compressor_end(p->zstd, &p->packed));
	keep_status(p, p->packed.status);
	pipa_thrift_int(&t, 1, PIPA_THRIFT_I32, type);
	pipa_thrift_int(&t, 2, PIPA_THRIFT_I32, (int64_t)p->page.len);
	pipa_thrift_int(&t, 3, PIPA_THRIFT_I32, (int64_t)p->packed.len);
	pipa_thrift_begin(&t, type == DATA_PAGE ? 5 : 7);
	pipa_thrift_int(&t, 1, PIPA_THRIFT_I32, (int64_t)values);
	pipa_thrift_int(&t, 2, PIPA_THRIFT_I32, encoding);
	if (type == DATA_PAGE) { /* encodings of definition and repetition levels */
		pipa_thrift_int(&t, 3, PIPA_THRIFT_I32, RLE);
		pipa_thrift_int(&t, 4, PIPA_THRIFT_I32, RLE);
	}
	pipa_thrift_end(&t);
	pipa_thrift_end(&t);
	keep_status(p, p->header.status);
	if (type == DATA_PAGE)
		chunk->data_offset = p->offset;
	else
		chunk->dictionary_offset = p->offset;
	put(p, p->header.data, p->header.len);
	put(p, p->packed.data, p->packed.len);
	chunk->size += p->header.len + p->page.len;
	chunk->packed_size += p->header.len + p->packed.len;
}

static void put_plain(struct pipa_buf *out, const uint64_t *values, size_t n, unsigned int bytes)
{
	char *room = pipa_buf_room(out, n * bytes);
	size_t i;

	if (!room)
		return;
	for (i = 0; i < n; i++)
		pipa_le_put((unsigned char *)room + i * bytes, values[i], bytes);
	pipa_buf_wrote(out, n * bytes);
}

static void put_plain_bools(struct pipa_buf *out, const uint64_t *values, size_t n)
{
	size_t i;
	unsigned int byte = 0;

	for (i = 0; i < n; i++) {
		byte |= (values[i] ? 1U : 0U) << i % 8;
		if (i % 8 == 7 || i + 1 == n) {
			pipa_buf_putc(out, (char)byte);
			byte = 0;
		}
	}
}

static void put_plain_text(struct pipa_buf *out, const struct column *c, uint64_t number)
{
	const struct text_at *at = &c->dictionary.items[number];
	unsigned char len[4];

	pipa_le_put(len, at->len, sizeof(len));
	pipa_buf_add(out, len, sizeof(len));
	if (at->len)
		pipa_buf_add(out, c->texts.data + at->offset, at->len);
}

/* Begin a data page: the definition levels of an optional column, 1 for a value and 0 for null. */
static void begin_data_page(struct parquet *p, const struct column *c, bool optional)
{
	unsigned char len[4] = { 0 };
	size_t i;

	pipa_buf_reset(&p->page);
	if (!optional)
		return;
	pipa_buf_add(&p->page, len, sizeof(len));
	if (c->n == p->rows) {
		pipa_varint_put(&p->page, p->rows << 1);
		pipa_buf_putc(&p->page, 1);
	} else {
		uint32_t *levels = p->indices;

		for (i = 0; i < p->rows; i++)
			levels[i] = c->present[i];
		pipa_parquet_pack_runs(&p->page, levels, p->rows, 1);
	}
	if (!p->page.status)
		pipa_le_put((unsigned char *)p->page.data, p->page.len - sizeof(len), sizeof(len));
}

/*
 * Number the distinct values in p->distinct and give each value its number in p->indices. Returns how many there
 * are, 0 if a dictionary would not pay.
 */
static size_t find_distinct(struct parquet *p, const uint64_t *values, size_t n)
{
	size_t i, most = n / 4 < DICTIONARY_MAX ? n / 4 : DICTIONARY_MAX, count = 0;
	uint64_t last = 0;
	uint32_t number = 0, slot;

	memset(p->slots, 0, SLOTS * sizeof(*p->slots));
	for (i = 0; i < n; i++) {
		if (i == 0 || values[i] != last) {
			last = values[i];
			slot = (uint32_t)pipa_hash_u64(last, PIPA_HASH_SEED) % SLOTS;
			while (p->slots[slot] && p->distinct[p->slots[slot] - 1] != last)
				slot = (slot + 1) % SLOTS;
			if (!p->slots[slot]) {
				if (count >= most)
					return 0;
				p->distinct[count++] = last;
				p->slots[slot] = (uint32_t)count;
			}
			number = p->slots[slot] - 1;
		}
		p->indices[i] = number;
	}
	return count;
}

/* Write the page of indices; the levels of an optional column use p->indices, so they are packed before. */
static void put_index_page(struct parquet *p, struct chunk *chunk, const struct column *c,
			   bool optional, size_t distinct)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf runs = { .max = PAGE_MAX };
	unsigned int width = pipa_parquet_width(distinct - 1);

	if (!width)
		width = 1;
	pipa_buf_putc(&runs, (char)width);
	pipa_parquet_pack_runs(&runs, p->indices, c->n, width);
	begin_data_page(p, c, optional);
	keep_status(p, runs.status);
	if (!runs.status)
		pipa_buf_add(&p->page, runs.data, runs.len);
	put_page(p, chunk, DATA_PAGE, p->rows, RLE_DICTIONARY);
}

static void put_numbers(struct parquet *p, struct chunk *chunk, const struct column *c,
			const struct pipa_frame_column *facts)
{
	const unsigned int bytes = types[facts->type].bytes;
	size_t distinct = find_distinct(p, c->values, c->n);

	if (distinct) {
		chunk->has_dictionary = true;
		chunk->encoding = RLE_DICTIONARY;
		pipa_buf_reset(&p->page);
		put_plain(&p->page, p->distinct, distinct, bytes);
		put_page(p, chunk, DICTIONARY_PAGE, distinct, PLAIN);
		put_index_page(p, chunk, c, facts->optional, distinct);
		return;
	}
	begin_data_page(p, c, facts->optional);
	if (facts->type == PIPA_FRAME_F64 || !c->n) {
		put_plain(&p->page, c->values, c->n, bytes);
	} else {
		chunk->encoding = DELTA_BINARY_PACKED;
		pipa_parquet_pack_deltas(&p->page, c->values, c->n, bytes * 8);
	}
	put_page(p, chunk, DATA_PAGE, p->rows, chunk->encoding);
}

/* Texts that repeat get a dictionary. */
static void put_texts(struct parquet *p, struct chunk *chunk, const struct column *c, bool optional)
{
	size_t i;

	if (c->dictionary.n > c->n / 2) {
		begin_data_page(p, c, optional);
		for (i = 0; i < c->n; i++)
			put_plain_text(&p->page, c, c->values[i]);
		put_page(p, chunk, DATA_PAGE, p->rows, PLAIN);
		return;
	}
	chunk->has_dictionary = c->n > 0;
	if (!c->n) {
		begin_data_page(p, c, optional);
		put_page(p, chunk, DATA_PAGE, p->rows, PLAIN);
		return;
	}
	chunk->encoding = RLE_DICTIONARY;
	pipa_buf_reset(&p->page);
	for (i = 0; i < c->dictionary.n; i++)
		put_plain_text(&p->page, c, i);
	put_page(p, chunk, DICTIONARY_PAGE, c->dictionary.n, PLAIN);
	for (i = 0; i < c->n; i++)
		p->indices[i] = (uint32_t)c->values[i];
	put_index_page(p, chunk, c, optional, c->dictionary.n);
}

/* ---- metadata ------------------------------------------------------------------------------ */

static bool is_less(enum pipa_frame_type type, uint64_t a, uint64_t b)
{
	double x, y;

	switch (type) {
	case PIPA_FRAME_F64:
		memcpy(&x, &a, sizeof(x));
		memcpy(&y, &b, sizeof(y));
		return x < y;
	case PIPA_FRAME_U32:
	case PIPA_FRAME_U64:
	case PIPA_FRAME_BOOL: return a < b;
	default: return (int64_t)a < (int64_t)b;
	}
}

static bool has_nan(const struct column *c)
{
	size_t i;
	double x;

	for (i = 0; i < c->n; i++) {
		memcpy(&x, &c->values[i], sizeof(x));
		if (x != x)
			return true;
	}
	return false;
}

static int compare_text(const struct column *c, const struct text_at *a, const struct text_at *b)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int order = len ? memcmp(c->texts.data + a->offset, c->texts.data + b->offset, len) : 0;

	return order ? order : a->len < b->len ? -1 : a->len > b->len;
}

static void put_text_bounds(struct pipa_thrift *t, const struct column *c)
{
	const struct text_at *d = c->dictionary.items;
	size_t i, min = 0, max = 0;

	for (i = 1; i < c->dictionary.n; i++) {
		if (compare_text(c, &d[i], &d[min]) < 0)
			min = i;
		if (compare_text(c, &d[i], &d[max]) > 0)
			max = i;
	}
	if (d[min].len > BOUND_MAX || d[max].len > BOUND_MAX)
		return;
	pipa_thrift_binary(t, 5, pipa_buf_str(&c->texts) + d[max].offset, d[max].len);
	pipa_thrift_binary(t, 6, pipa_buf_str(&c->texts) + d[min].offset, d[min].len);
}

/* Write the minimum and maximum; none for a column with NaN, which has no order. */
static void put_statistics(struct pipa_thrift *t, const struct column *c, enum pipa_frame_type type,
			   size_t rows)
{
	const unsigned int bytes = type == PIPA_FRAME_BOOL ? 1 : types[type].bytes;
	unsigned char low[8], high[8];
	uint64_t min, max;
	size_t i;

	pipa_thrift_begin(t, 12);
	pipa_thrift_int(t, 3, PIPA_THRIFT_I64, (int64_t)(rows - c->n));
	if (type == PIPA_FRAME_TEXT && c->n) {
		put_text_bounds(t, c);
	} else if (c->n && !(type == PIPA_FRAME_F64 && has_nan(c))) {
		min = max = c->values[0];
		for (i = 1; i < c->n; i++) {
			if (is_less(type, c->values[i], min))
				min = c->values[i];
			if (is_less(type, max, c->values[i]))
				max = c->values[i];
		}
		pipa_le_put(low, min, bytes);
		pipa_le_put(high, max, bytes);
		pipa_thrift_binary(t, 5, high, bytes);
		pipa_thrift_binary(t, 6, low, bytes);
	}
	pipa_thrift_end(t);
}

static void put_chunk_metadata(struct pipa_thrift *t, const struct chunk *chunk,
			       const struct column *c, const struct pipa_frame_column *facts,
			       size_t rows)
{
	pipa_thrift_element(t);
	pipa_thrift_int(t, 2, PIPA_THRIFT_I64, 0); /* file_offset: deprecated */
	pipa_thrift_begin(t, 3);
	pipa_thrift_int(t, 1, PIPA_THRIFT_I32, types[facts->type].physical);
	pipa_thrift_list(t, 2, PIPA_THRIFT_I32, chunk->has_dictionary ? 3 : 2);
	if (chunk->has_dictionary)
		pipa_thrift_element_int(t, PLAIN);
	pipa_thrift_element_int(t, chunk->encoding);
	pipa_thrift_element_int(t, RLE);
	pipa_thrift_list(t, 3, PIPA_THRIFT_BINARY, 1);
	pipa_thrift_element_string(t, facts->name);
	pipa_thrift_int(t, 4, PIPA_THRIFT_I32, CODEC_ZSTD);
	pipa_thrift_int(t, 5, PIPA_THRIFT_I64, (int64_t)rows);
	pipa_thrift_int(t, 6, PIPA_THRIFT_I64, (int64_t)chunk->size);
	pipa_thrift_int(t, 7, PIPA_THRIFT_I64, (int64_t)chunk->packed_size);
	if (facts->unit) {
		pipa_thrift_list(t, 8, PIPA_THRIFT_STRUCT, 1);
		pipa_thrift_element(t);
		pipa_thrift_string(t, 1, "unit");
		pipa_thrift_string(t, 2, facts->unit);
		pipa_thrift_end(t);
	}
	pipa_thrift_int(t, 9, PIPA_THRIFT_I64, (int64_t)chunk->data_offset);
	if (chunk->has_dictionary)
		pipa_thrift_int(t, 11, PIPA_THRIFT_I64, (int64_t)chunk->dictionary_offset);
	put_statistics(t, c, facts->type, rows);
	pipa_thrift_end(t);
	pipa_thrift_end(t);
}

static void column_reset(struct column *c)
{
	c->n = 0;
	c->dictionary.n = 0;
	c->last = UINT32_MAX;
	pipa_buf_reset(&c->texts);
	pipa_index_done(&c->index);
	c->index = (struct pipa_index){ 0 };
}

static void put_group(struct parquet *p)
{
	struct pipa_thrift t = { .out = &p->groups };
	uint64_t size = 0, start = p->offset;
	size_t i;

	if (!p->rows)
		return;
	/* an element of FileMetaData.row_groups: a struct at the depth of a list */
	pipa_thrift_list(&t, 1, PIPA_THRIFT_STRUCT, p->options.n_columns);
	for (i = 0; i < p->options.n_columns; i++) {
		const struct pipa_frame_column *facts = &p->options.columns[i];
		struct column *c = &p->columns[i];
		struct chunk chunk = { .encoding = PLAIN };

		if (facts->type == PIPA_FRAME_TEXT) {
			put_texts(p, &chunk, c, facts->optional);
		} else if (facts->type == PIPA_FRAME_BOOL) {
			begin_data_page(p, c, facts->optional);
			put_plain_bools(&p->page, c->values, c->n);
			put_page(p, &chunk, DATA_PAGE, p->rows, PLAIN);
		} else {
			put_numbers(p, &chunk, c, facts);
		}
		put_chunk_metadata(&t, &chunk, c, facts, p->rows);
		size += chunk.size;
		column_reset(c);
	}
	pipa_thrift_int(&t, 2, PIPA_THRIFT_I64, (int64_t)size);
	pipa_thrift_int(&t, 3, PIPA_THRIFT_I64, (int64_t)p->rows);
	pipa_thrift_int(&t, 6, PIPA_THRIFT_I64, (int64_t)(p->offset - start));
	pipa_thrift_end(&t);
	keep_status(p, p->groups.status);
	p->n_groups++;
	p->rows = 0;
}

static int end_row(struct pipa_frame_writer *w)
{
	struct parquet *p = (struct parquet *)(void *)w;
	bool full = false;
	size_t i;

	if (p->status)
		return p->status;
	for (i = 0; i < p->options.n_columns; i++) {
		struct column *c = &p->columns[i];

		if (!c->is_set && !p->options.columns[i].optional)
			keep_status(p, -EINVAL);
		c->present[p->rows] = c->is_set;
		c->is_set = false;
		full |= c->texts.len >= TEXT_MAX;
	}
	p->rows++;
	p->all_rows++;
	if (full || p->rows == p->max_rows)
		put_group(p);
	return p->status;
}

static void put_logical_type(struct pipa_thrift *t, enum pipa_frame_type type)
{
	enum { STRING = 1, TIMESTAMP = 8, INTEGER = 10, NANOS = 3 };

	switch (type) {
	case PIPA_FRAME_TEXT:
		pipa_thrift_begin(t, 10);
		pipa_thrift_empty(t, STRING);
		pipa_thrift_end(t);
		break;
	case PIPA_FRAME_U32:
	case PIPA_FRAME_U64:
		pipa_thrift_begin(t, 10);
		pipa_thrift_begin(t, INTEGER);
		pipa_thrift_i8(t, 1, type == PIPA_FRAME_U32 ? 32 : 64);
		pipa_thrift_bool(t, 2, false); /* not signed */
		pipa_thrift_end(t);
		pipa_thrift_end(t);
		break;
	case PIPA_FRAME_TIME_NS:
	case PIPA_FRAME_UTC_NS:
		pipa_thrift_begin(t, 10);
		pipa_thrift_begin(t, TIMESTAMP);
		pipa_thrift_bool(t, 1, type == PIPA_FRAME_UTC_NS);
		pipa_thrift_begin(t, 2);
		pipa_thrift_empty(t, NANOS);
		pipa_thrift_end(t);
		pipa_thrift_end(t);
		pipa_thrift_end(t);
		break;
	default: break;
	}
}

static void put_schema(struct pipa_thrift *t, const struct pipa_frame_options *o)
{
	size_t i;

	pipa_thrift_list(t, 2, PIPA_THRIFT_STRUCT, o->n_columns + 1);
	pipa_thrift_element(t);
	pipa_thrift_string(t, 4, "schema");
	pipa_thrift_int(t, 5, PIPA_THRIFT_I32, (int64_t)o->n_columns);
	pipa_thrift_end(t);
	for (i = 0; i < o->n_columns; i++) {
		const struct type_facts *facts = &types[o->columns[i].type];

		pipa_thrift_element(t);
		pipa_thrift_int(t, 1, PIPA_THRIFT_I32, facts->physical);
		pipa_thrift_int(t, 3, PIPA_THRIFT_I32, o->columns[i].optional);
		pipa_thrift_string(t, 4, o->columns[i].name);
		if (facts->converted != NO_CONVERTED_TYPE)
			pipa_thrift_int(t, 6, PIPA_THRIFT_I32, facts->converted);
		put_logical_type(t, o->columns[i].type);
		pipa_thrift_end(t);
	}
}

static void put_metadata(struct pipa_thrift *t, const struct pipa_frame_fact *facts, size_t n)
{
	size_t i;

	pipa_thrift_list(t, 5, PIPA_THRIFT_STRUCT, n);
	for (i = 0; i < n; i++) {
		pipa_thrift_element(t);
		pipa_thrift_string(t, 1, facts[i].key);
		pipa_thrift_string(t, 2, facts[i].value);
		pipa_thrift_end(t);
	}
}

static int finish(struct pipa_frame_writer *w, const struct pipa_frame_fact *facts, size_t n_facts)
{
	struct parquet *p = (struct parquet *)(void *)w;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf footer = { .max = PAGE_MAX };
	struct pipa_thrift t = { .out = &footer };
	unsigned char len[4];
	size_t i;

	put_group(p);
	pipa_thrift_int(&t, 1, PIPA_THRIFT_I32, FORMAT_VERSION);
	put_schema(&t, &p->options);
	pipa_thrift_int(&t, 3, PIPA_THRIFT_I64, (int64_t)p->all_rows);
	pipa_thrift_list(&t, 4, PIPA_THRIFT_STRUCT, p->n_groups);
	pipa_buf_add(&footer, pipa_buf_str(&p->groups), p->groups.len);
	if (n_facts)
		put_metadata(&t, facts, n_facts);
	pipa_thrift_string(&t, 6, p->options.created_by);
	pipa_thrift_list(&t, 7, PIPA_THRIFT_STRUCT, p->options.n_columns);
	for (i = 0; i < p->options.n_columns; i++) { /* bounds are in the order of the type */
		pipa_thrift_element(&t);
		pipa_thrift_empty(&t, 1);
		pipa_thrift_end(&t);
	}
	pipa_thrift_end(&t);
	keep_status(p, footer.status);
	pipa_le_put(len, footer.len, sizeof(len));
	put(p, pipa_buf_str(&footer), footer.len);
	put(p, len, sizeof(len));
	put(p, "PAR1", 4);
	return p->status;
}

struct pipa_frame_writer *pipa_parquet_new(const struct pipa_frame_options *options)
{
	struct parquet *p = calloc(1, sizeof(*p));
	bool complete;
	size_t i;

	if (!p)
		return NULL;
	p->writer = (struct pipa_frame_writer){
		.put = put_number,
		.put_f64 = put_f64,
		.put_text = put_text,
		.end_row = end_row,
		.finish = finish,
		.free = parquet_free,
	};
	p->options = *options;
	p->max_rows = GROUP_CELLS / (options->n_columns ? options->n_columns : 1);
	if (p->max_rows > PIPA_PARQUET_GROUP_ROWS)
		p->max_rows = PIPA_PARQUET_GROUP_ROWS;
	if (p->max_rows < GROUP_ROWS_MIN)
		p->max_rows = GROUP_ROWS_MIN;
	p->page.max = p->packed.max = p->groups.max = PAGE_MAX;
	p->zstd = pipa_zstd_compressor_new_level(LEVEL);
	p->indices = malloc(p->max_rows * sizeof(*p->indices));
	p->distinct = malloc(DICTIONARY_MAX * sizeof(*p->distinct));
	p->slots = malloc(SLOTS * sizeof(*p->slots));
	p->columns = calloc(options->n_columns + 1, sizeof(*p->columns)); /* not of size 0 */
	complete = p->zstd && p->indices && p->distinct && p->slots && p->columns;
	for (i = 0; complete && i < options->n_columns; i++)
		complete = column_alloc(&p->columns[i], p->max_rows);
	if (!complete) {
		parquet_free(&p->writer);
		return NULL;
	}
	put(p, "PAR1", 4);
	return &p->writer;
}
