#include "export/frame/frame_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/f64.h"
#include "base/utf8.h"
#include "codec/doc.h"

enum { PIECE = 256 << 10 }; /* bytes per write */

/* The value of a column in the current row. */
struct cell {
	bool is_set;
	uint64_t bits;	  /* a number, or the bits of a double */
	size_t text, len; /* in the buffer of texts, followed by a NUL */
};

struct text_writer {
	struct pipa_frame_writer writer; /* first member: callbacks cast it */
	struct pipa_frame_options options;
	struct cell *cells;
	struct pipa_buf texts, out;
	int status;
	void (*put_row)(struct text_writer *t);
};

static struct text_writer *writer_of(struct pipa_frame_writer *w)
{
	return (struct text_writer *)(void *)w;
}

static void put(struct pipa_frame_writer *w, size_t column, uint64_t value)
{
	writer_of(w)->cells[column] = (struct cell){ .is_set = true, .bits = value };
}

static void put_f64(struct pipa_frame_writer *w, size_t column, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put(w, column, bits);
}

static void put_text(struct pipa_frame_writer *w, size_t column, const char *text, size_t len)
{
	struct text_writer *t = writer_of(w);
	struct cell *cell = &t->cells[column];

	*cell = (struct cell){ .is_set = true, .text = t->texts.len };
	pipa_utf8_put_clean(&t->texts, text, len); /* neither format can have invalid UTF-8 */
	cell->len = t->texts.len - cell->text;
	pipa_buf_putc(&t->texts, '\0');
}

static double cell_double(const struct cell *cell)
{
	double value;

	memcpy(&value, &cell->bits, sizeof(value));
	return value;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void put_csv_text(struct pipa_buf *out, const char *text, size_t len)
{
	const char *end = text + len;

	if (len && !memchr(text, ',', len) && !memchr(text, '"', len) && !memchr(text, '\n', len) &&
	    !memchr(text, '\r', len)) {
		pipa_buf_add(out, text, len);
		return;
	}
	pipa_buf_putc(out, '"');
	for (; text < end; text++) {
		if (*text == '"')
			pipa_buf_putc(out, '"');
		pipa_buf_putc(out, *text);
	}
	pipa_buf_putc(out, '"');
}

static void put_csv_double(struct pipa_buf *out, double value)
{
	char text[PIPA_F64_SIZE];

	pipa_buf_puts(out, isnan(value) ? "nan" : pipa_f64_print(value, text));
}

static void put_csv_cell(struct text_writer *t, const struct cell *cell, enum pipa_frame_type type)
{
	switch (type) {
	case PIPA_FRAME_BOOL: pipa_buf_puts(&t->out, cell->bits ? "true" : "false"); break;
	case PIPA_FRAME_I64: pipa_buf_put_i64(&t->out, (int64_t)cell->bits); break;
	case PIPA_FRAME_F64: put_csv_double(&t->out, cell_double(cell)); break;
	case PIPA_FRAME_TEXT:
		put_csv_text(&t->out, pipa_buf_str(&t->texts) + cell->text, cell->len);
		break;
	default: pipa_buf_put_u64(&t->out, cell->bits);
	}
}

static void put_csv_row(struct text_writer *t)
{
	size_t i;

	for (i = 0; i < t->options.n_columns; i++) {
		if (i)
			pipa_buf_putc(&t->out, ',');
		if (t->cells[i].is_set)
			put_csv_cell(t, &t->cells[i], t->options.columns[i].type);
	}
	pipa_buf_putc(&t->out, '\n');
}

static void put_csv_header(struct text_writer *t)
{
	size_t i;

	for (i = 0; i < t->options.n_columns; i++) {
		const char *name = t->options.columns[i].name;

		if (i)
			pipa_buf_putc(&t->out, ',');
		put_csv_text(&t->out, name, strlen(name));
	}
	pipa_buf_putc(&t->out, '\n');
}

/* ---- JSON lines ------------------------------------------------------------------------------ */

static void put_json_cell(struct text_writer *t, struct pipa_doc *doc, const struct cell *cell,
			  const struct pipa_frame_column *column)
{
	if (!cell->is_set) {
		pipa_doc_str(doc, column->name, NULL);
		return;
	}
	switch (column->type) {
	case PIPA_FRAME_BOOL: pipa_doc_bool(doc, column->name, cell->bits); break;
	case PIPA_FRAME_I64: pipa_doc_int(doc, column->name, (int64_t)cell->bits); break;
	case PIPA_FRAME_F64: pipa_doc_double(doc, column->name, cell_double(cell)); break;
	case PIPA_FRAME_TEXT:
		pipa_doc_str(doc, column->name, pipa_buf_str(&t->texts) + cell->text);
		break;
	default: pipa_doc_u64(doc, column->name, cell->bits);
	}
}

static void put_json_row(struct text_writer *t)
{
	struct pipa_doc doc;
	size_t i;

	pipa_doc_begin(&doc, PIPA_DOC_JSON_LINE, &t->out);
	for (i = 0; i < t->options.n_columns; i++)
		put_json_cell(t, &doc, &t->cells[i], &t->options.columns[i]);
	pipa_doc_finish(&doc);
}

/* ---- both ------------------------------------------------------------------------------------- */

static void flush(struct text_writer *t)
{
	if (!t->status)
		t->status = t->texts.status ? t->texts.status : t->out.status;
	if (!t->status && t->out.len)
		t->status = t->options.put(t->options.ctx, t->out.data, t->out.len);
	pipa_buf_reset(&t->out);
}

static int end_row(struct pipa_frame_writer *w)
{
	struct text_writer *t = writer_of(w);
	size_t i;

	if (t->status)
		return t->status;
	for (i = 0; i < t->options.n_columns; i++)
		if (!t->cells[i].is_set && !t->options.columns[i].optional)
			return t->status = -EINVAL;
	t->put_row(t);
	for (i = 0; i < t->options.n_columns; i++)
		t->cells[i].is_set = false;
	if (t->out.len >= PIECE || t->texts.status || t->out.status)
		flush(t);
	pipa_buf_reset(&t->texts);
	return t->status;
}

static int finish(struct pipa_frame_writer *w, const struct pipa_frame_fact *facts PIPA_UNUSED,
		  size_t n PIPA_UNUSED)
{
	flush(writer_of(w));
	return writer_of(w)->status;
}

static void text_free(struct pipa_frame_writer *w)
{
	struct text_writer *t = writer_of(w);

	pipa_buf_done(&t->texts);
	pipa_buf_done(&t->out);
	free(t->cells);
	free(t);
}

static struct text_writer *text_new(const struct pipa_frame_options *options,
				    void (*put_row)(struct text_writer *t))
{
	struct text_writer *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	*t = (struct text_writer){
		.writer = { put, put_f64, put_text, end_row, finish, text_free },
		.options = *options,
		.put_row = put_row,
	};
	t->cells = calloc(options->n_columns, sizeof(*t->cells));
	if (!t->cells) {
		free(t);
		return NULL;
	}
	return t;
}

struct pipa_frame_writer *pipa_frame_csv_new(const struct pipa_frame_options *options)
{
	struct text_writer *t = text_new(options, put_csv_row);

	if (!t)
		return NULL;
	put_csv_header(t);
	return &t->writer;
}

struct pipa_frame_writer *pipa_frame_json_new(const struct pipa_frame_options *options)
{
	struct text_writer *t = text_new(options, put_json_row);

	return t ? &t->writer : NULL;
}
