#include "export/frame/xlsx.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/f64.h"
#include "base/utf8.h"
#include "codec/zip_write.h"

enum {
	ROWS_MAX = 1048576,
	COLUMNS_MAX = 16384,
	PIECE = 64 << 10,
	SHEET_BYTES_MAX = 0xc0000000, /* a sheet ends earlier than a member of the archive */
};

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define MAIN "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define RELATIONS "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define PACKAGE "http://schemas.openxmlformats.org/package/2006"

/* The value of a column in the current row. */
struct cell {
	bool is_set;
	uint64_t bits;	  /* a number, or the bits of a double */
	size_t text, len; /* escaped, in the buffer of texts */
};

struct xlsx {
	struct pipa_frame_writer writer; /* first member: callbacks cast it */
	const struct pipa_frame_options *options;
	struct pipa_zip *zip;
	struct cell *cells;
	struct pipa_buf texts, clean, out;
	size_t sheets, rows; /* rows of the current sheet */
	bool in_sheet;
	int status;
	const char *long_column; /* column of a text that is too long, or NULL */
};

static struct xlsx *xlsx_of(struct pipa_frame_writer *w)
{
	return (struct xlsx *)(void *)w;
}

/* ---- cells --------------------------------------------------------------------------------------- */

static void put(struct pipa_frame_writer *w, size_t column, uint64_t value)
{
	xlsx_of(w)->cells[column] = (struct cell){ .is_set = true, .bits = value };
}

static void put_f64(struct pipa_frame_writer *w, size_t column, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put(w, column, bits);
}

/* Is this "_x0041_", which readers take for a character by its number? */
static bool is_escape(const char *text)
{
	return text[0] == '_' && text[1] == 'x' &&
	       strspn(text + 2, "0123456789abcdefABCDEF") >= 4 && text[6] == '_';
}

/* Append a text as XML; returns its length in UTF-16. */
static size_t put_escaped(struct pipa_buf *out, const char *text, size_t len)
{
	const char *end = text + len;
	size_t units = 0;

	for (; text < end; text++) {
		unsigned char c = (unsigned char)*text;

		units += (c & 0xc0) != 0x80; /* a character; those of four bytes are two units */
		units += c >= 0xf0;
		if (c == '&')
			pipa_buf_puts(out, "&amp;");
		else if (c == '<')
			pipa_buf_puts(out, "&lt;");
		else if (c == '>')
			pipa_buf_puts(out, "&gt;");
		else if (c == '"')
			pipa_buf_puts(out, "&quot;");
		else if (c == '\r')
			pipa_buf_puts(out, "&#13;");
		else if (c == '_' && is_escape(text))
			pipa_buf_puts(out, "_x005F_");
		else if (c < ' ' && c != '\t' && c != '\n')
			pipa_buf_puts(out, "\xef\xbf\xbd");
		else
			pipa_buf_putc(out, *text);
	}
	return units;
}

static void put_text(struct pipa_frame_writer *w, size_t column, const char *text, size_t len)
{
	struct xlsx *x = xlsx_of(w);
	struct cell *cell = &x->cells[column];

	*cell = (struct cell){ .is_set = true, .text = x->texts.len };
	pipa_buf_reset(&x->clean);
	pipa_utf8_put_clean(&x->clean, text, len);
	if (put_escaped(&x->texts, pipa_buf_str(&x->clean), x->clean.len) > PIPA_XLSX_TEXT_MAX &&
	    !x->status) {
		x->status = -EFBIG;
		x->long_column = x->options->columns[column].name;
	}
	if (x->clean.status && !x->status)
		x->status = x->clean.status;
	cell->len = x->texts.len - cell->text;
}

/* Write "AB12", the name of a cell. */
static void put_reference(struct pipa_buf *out, size_t column, size_t row)
{
	char letters[4];
	size_t n = 0;

	for (column++; column; column = (column - 1) / 26)
		letters[n++] = (char)('A' + (column - 1) % 26);
	while (n)
		pipa_buf_putc(out, letters[--n]);
	pipa_buf_put_u64(out, row);
}

static void put_text_cell(struct pipa_buf *out, const char *escaped, size_t len)
{
	pipa_buf_puts(out, " t=\"inlineStr\"><is><t xml:space=\"preserve\">");
	pipa_buf_add(out, escaped, len);
	pipa_buf_puts(out, "</t></is></c>");
}

static void put_cell(struct xlsx *x, size_t column, size_t row)
{
	const struct cell *cell = &x->cells[column];
	struct pipa_buf *out = &x->out;
	char text[PIPA_F64_SIZE];
	double real;

	pipa_buf_puts(out, "<c r=\"");
	put_reference(out, column, row);
	pipa_buf_putc(out, '"');
	memcpy(&real, &cell->bits, sizeof(real));
	switch (x->options->columns[column].type) {
	case PIPA_FRAME_TEXT:
		put_text_cell(out, pipa_buf_str(&x->texts) + cell->text, cell->len);
		return;
	case PIPA_FRAME_BOOL: pipa_buf_printf(out, " t=\"b\"><v>%d", cell->bits != 0); break;
	case PIPA_FRAME_F64:
		if (isfinite(real)) {
			pipa_buf_puts(out, "><v>");
			pipa_buf_puts(out, pipa_f64_print(real, text));
		} else {
			pipa_buf_puts(out, " t=\"e\"><v>#NUM!");
		}
		break;
	case PIPA_FRAME_I64:
		pipa_buf_puts(out, "><v>");
		pipa_buf_put_i64(out, (int64_t)cell->bits);
		break;
	default: pipa_buf_puts(out, "><v>"); pipa_buf_put_u64(out, cell->bits);
	}
	pipa_buf_puts(out, "</v></c>");
}

/* ---- sheets -------------------------------------------------------------------------------------- */

static void flush(struct xlsx *x)
{
	if (!x->status)
		x->status = x->out.status ? x->out.status : x->texts.status;
	if (!x->status)
		x->status = pipa_zip_add(x->zip, pipa_buf_str(&x->out), x->out.len);
	pipa_buf_reset(&x->out);
}

static void begin_member(struct xlsx *x, const char *name)
{
	if (!x->status)
		x->status = pipa_zip_begin(x->zip, name);
	pipa_buf_puts(&x->out, HEAD);
}

static void end_member(struct xlsx *x)
{
	flush(x);
	if (!x->status)
		x->status = pipa_zip_end(x->zip);
}

static void begin_row(struct xlsx *x)
{
	x->rows++;
	pipa_buf_puts(&x->out, "<row r=\"");
	pipa_buf_put_u64(&x->out, x->rows);
	pipa_buf_puts(&x->out, "\">");
}

static void begin_sheet(struct xlsx *x)
{
	char name[64];
	size_t i;

	snprintf(name, sizeof(name), "xl/worksheets/sheet%zu.xml", ++x->sheets);
	begin_member(x, name);
	pipa_buf_puts(&x->out, "<worksheet xmlns=\"" MAIN "\"><sheetData>");
	x->in_sheet = true;
	x->rows = 0;
	begin_row(x);
	for (i = 0; i < x->options->n_columns; i++) {
		const char *column = x->options->columns[i].name;

		pipa_buf_reset(&x->clean);
		put_escaped(&x->clean, column, strlen(column));
		pipa_buf_puts(&x->out, "<c r=\"");
		put_reference(&x->out, i, 1);
		pipa_buf_putc(&x->out, '"');
		put_text_cell(&x->out, pipa_buf_str(&x->clean), x->clean.len);
	}
	pipa_buf_puts(&x->out, "</row>");
}

static void end_sheet(struct xlsx *x)
{
	if (!x->in_sheet)
		return;
	pipa_buf_puts(&x->out, "</sheetData></worksheet>");
	end_member(x);
	x->in_sheet = false;
}

static int end_row(struct pipa_frame_writer *w)
{
	struct xlsx *x = xlsx_of(w);
	size_t i;

	for (i = 0; i < x->options->n_columns && !x->status; i++)
		if (!x->cells[i].is_set && !x->options->columns[i].optional)
			x->status = -EINVAL;
	if (x->status)
		return x->status;
	if (x->in_sheet && (x->rows == ROWS_MAX || pipa_zip_size(x->zip) > SHEET_BYTES_MAX))
		end_sheet(x);
	if (!x->in_sheet)
		begin_sheet(x);
	begin_row(x);
	for (i = 0; i < x->options->n_columns; i++)
		if (x->cells[i].is_set) {
			put_cell(x, i, x->rows);
			x->cells[i].is_set = false;
		}
	pipa_buf_puts(&x->out, "</row>");
	if (x->out.len >= PIECE || x->out.status || x->texts.status)
		flush(x);
	pipa_buf_reset(&x->texts);
	return x->status;
}

/* ---- the workbook -------------------------------------------------------------------------------- */

static void put_workbook(struct xlsx *x)
{
	size_t i;

	begin_member(x, "xl/workbook.xml");
	pipa_buf_puts(&x->out, "<workbook xmlns=\"" MAIN "\" xmlns:r=\"" RELATIONS "\"><sheets>");
	for (i = 1; i <= x->sheets; i++)
		pipa_buf_printf(&x->out,
				"<sheet name=\"Sheet%zu\" sheetId=\"%zu\" r:id=\"rId%zu\"/>", i, i,
				i);
	pipa_buf_puts(&x->out, "</sheets></workbook>");
	end_member(x);

	begin_member(x, "xl/_rels/workbook.xml.rels");
	pipa_buf_puts(&x->out, "<Relationships xmlns=\"" PACKAGE "/relationships\">");
	for (i = 1; i <= x->sheets; i++)
		pipa_buf_printf(&x->out,
				"<Relationship Id=\"rId%zu\" Type=\"" RELATIONS
				"/worksheet\" Target=\"worksheets/sheet%zu.xml\"/>",
				i, i);
	pipa_buf_puts(&x->out, "</Relationships>");
	end_member(x);
}

static void put_package(struct xlsx *x)
{
	static const char type[] = "application/vnd.openxmlformats-officedocument.spreadsheetml";
	size_t i;

	begin_member(x, "_rels/.rels");
	pipa_buf_puts(&x->out, "<Relationships xmlns=\"" PACKAGE
			       "/relationships\"><Relationship Id=\"rId1\" Type=\"" RELATIONS
			       "/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>");
	end_member(x);
	begin_member(x, "[Content_Types].xml");
	pipa_buf_printf(
		&x->out,
		"<Types xmlns=\"" PACKAGE "/content-types\"><Default Extension=\"rels\" "
		"ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
		"<Override PartName=\"/xl/workbook.xml\" ContentType=\"%s.sheet.main+xml\"/>",
		type);
	for (i = 1; i <= x->sheets; i++)
		pipa_buf_printf(&x->out,
				"<Override PartName=\"/xl/worksheets/sheet%zu.xml\" "
				"ContentType=\"%s.worksheet+xml\"/>",
				i, type);
	pipa_buf_puts(&x->out, "</Types>");
	end_member(x);
}

static int finish(struct pipa_frame_writer *w, const struct pipa_frame_fact *facts PIPA_UNUSED,
		  size_t n PIPA_UNUSED)
{
	struct xlsx *x = xlsx_of(w);

	if (!x->sheets)
		begin_sheet(x);
	end_sheet(x);
	put_workbook(x);
	put_package(x);
	if (!x->status)
		x->status = pipa_zip_finish(x->zip);
	return x->status;
}

static void xlsx_free(struct pipa_frame_writer *w)
{
	struct xlsx *x = xlsx_of(w);

	pipa_zip_free(x->zip);
	pipa_buf_done(&x->texts);
	pipa_buf_done(&x->clean);
	pipa_buf_done(&x->out);
	free(x->cells);
	free(x);
}

const char *pipa_xlsx_long_column(const struct pipa_frame_writer *w)
{
	return ((const struct xlsx *)(const void *)w)->long_column;
}

struct pipa_frame_writer *pipa_xlsx_new(const struct pipa_frame_options *options)
{
	struct xlsx *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->writer =
		(struct pipa_frame_writer){ put, put_f64, put_text, end_row, finish, xlsx_free };
	x->options = options;
	x->status = options->n_columns > COLUMNS_MAX ? -EFBIG : 0;
	x->cells = calloc(options->n_columns, sizeof(*x->cells));
	x->zip = pipa_zip_new(options->put, options->ctx);
	if (x->cells && x->zip)
		return &x->writer;
	xlsx_free(&x->writer);
	return NULL;
}
