#include "export/table/annotate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/visible.h"
#include "codec/doc.h"

enum { GAP_MOST = 4 }; /* most lines without code shown between two with code */

static double share(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void put_share(uint64_t weight, uint64_t all, const struct pipa_annotate_format *format,
		      struct pipa_buf *out)
{
	double percent = share(weight, all);
	const char *color = "";

	if (format->color && percent >= 5)
		color = "\033[31m";
	else if (format->color && percent >= 0.5)
		color = "\033[32m";
	if (!weight)
		pipa_buf_puts(out, "         : ");
	else
		pipa_buf_printf(out, "%s%8.2f%s : ", color, percent, *color ? "\033[m" : "");
}

/* Append code; tabs stay, other control characters are escaped. */
static void put_code_text(const char *text, size_t len, struct pipa_buf *out)
{
	const char *tab;

	for (; (tab = memchr(text, '\t', len)); text = tab + 1) {
		pipa_visible_add(out, text, (size_t)(tab - text));
		pipa_buf_putc(out, '\t');
		len -= (size_t)(tab + 1 - text);
	}
	pipa_visible_add(out, text, len);
}

/* Append a source line, escaped for the terminal. */
static void put_source(const char *file, uint32_t line, const struct pipa_annotate_format *format,
		       struct pipa_buf *out)
{
	size_t len = 0;
	const char *text = format->line(format->ctx, file, line, &len);

	if (text)
		put_code_text(text, len, out);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_head(const struct pipa_listing *l, const struct pipa_annotate_of *of,
		     struct pipa_buf *out)
{
	size_t start = out->len;

	pipa_buf_printf(out, "# %s%s%s: %.2f%%%s%s, %" PRIu64 " of %" PRIu64 " %s", l->name,
			l->object[0] ? " in " : "", l->object, share(l->weight, of->weight),
			of->event[0] ? " of " : "", of->event, l->count, of->count,
			of->count == 1 ? "sample" : "samples");
	pipa_visible_since(out, start);
	if (l->problem) {
		pipa_buf_puts(out, "\n# ");
		pipa_visible_put(out, l->problem);
	}
	pipa_buf_puts(out, "\n# Percent\n");
}

/* Write instructions, each run preceded by the source line it was compiled from. */
static void put_code(const struct pipa_listing *l, const struct pipa_annotate_format *format,
		     struct pipa_buf *out)
{
	const char *file = NULL;
	uint32_t line = 0;
	size_t i;

	for (i = 0; i < l->rows.n; i++) {
		const struct pipa_listing_row *row = &l->rows.items[i];

		if (format->source && row->file && row->line &&
		    (row->line != line || row->file != file)) {
			file = row->file;
			line = row->line;
			pipa_buf_puts(out, "         : ");
			pipa_visible_put(out, base_name(file));
			pipa_buf_printf(out, ":%u  ", line);
			put_source(file, line, format, out);
			pipa_buf_putc(out, '\n');
		}
		put_share(row->weight, l->weight, format, out);
		pipa_buf_printf(out, "    %6" PRIx64 ":  ", row->addr);
		put_code_text(row->text ? row->text : "??", strlen(row->text ? row->text : "??"),
			      out);
		pipa_buf_putc(out, '\n');
	}
}

static void put_line(const struct pipa_listing *l, const struct pipa_listing_line *line,
		     const struct pipa_annotate_format *format, struct pipa_buf *out)
{
	put_share(line->weight, l->weight, format, out);
	pipa_buf_printf(out, "%6u  ", line->line);
	put_source(line->file, line->line, format, out);
	pipa_buf_putc(out, '\n');
}

static int put_lines(const struct pipa_listing *l, const struct pipa_annotate_format *format,
		     struct pipa_buf *out)
{
	PIPA_AUTO(free) struct pipa_listing_line *lines = NULL;
	const char *file = NULL;
	size_t n, i;
	int rc = pipa_listing_lines(l, &lines, &n);

	for (i = 0; !rc && i < n; i++) {
		struct pipa_listing_line between = { .file = lines[i].file };

		if (!file || strcmp(file, lines[i].file) != 0) {
			pipa_buf_puts(out, "         : ");
			pipa_visible_put(out, lines[i].file);
			pipa_buf_putc(out, '\n');
		} else if (lines[i].line - lines[i - 1].line <= GAP_MOST) {
			between.line = lines[i - 1].line + 1;
			for (; between.line < lines[i].line; between.line++)
				put_line(l, &between, format, out);
		} else {
			pipa_buf_puts(out, "         :    ...\n");
		}
		file = lines[i].file;
		put_line(l, &lines[i], format, out);
	}
	return rc;
}

static int by_weight(const void *a, const void *b)
{
	const struct pipa_listing_line *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Write the source lines with samples as FILE:LINE, most samples first. */
static int put_summary(const struct pipa_listing *l, const struct pipa_annotate_format *format,
		       struct pipa_buf *out)
{
	PIPA_AUTO(free) struct pipa_listing_line *lines = NULL;
	size_t n = 0, i;
	int rc = pipa_listing_lines(l, &lines, &n);

	if (rc < 0)
		return rc;
	if (n)
		qsort(lines, n, sizeof(*lines), by_weight);
	for (i = 0; i < n && lines[i].weight; i++) {
		put_share(lines[i].weight, l->weight, format, out);
		pipa_visible_put(out, base_name(lines[i].file));
		pipa_buf_printf(out, ":%u\n", lines[i].line);
	}
	pipa_buf_puts(out, i ? "#\n" : "");
	return 0;
}

int pipa_annotate_text(const struct pipa_listing *l, const struct pipa_annotate_of *of,
		       const struct pipa_annotate_format *format, struct pipa_buf *out)
{
	int rc;

	put_head(l, of, out);
	rc = format->summary ? put_summary(l, format, out) : 0;
	if (rc || !format->code)
		return rc ? rc : put_lines(l, format, out);
	put_code(l, format, out);
	return 0;
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

static void doc_weight(struct pipa_doc *doc, uint64_t weight, uint64_t count, uint64_t all)
{
	pipa_doc_double(doc, "percent", share(weight, all));
	pipa_doc_u64(doc, "samples", count);
}

static void doc_rows(const struct pipa_listing *l, struct pipa_doc *doc)
{
	char address[20];
	size_t i;

	pipa_doc_list(doc, "instructions");
	for (i = 0; i < l->rows.n; i++) {
		const struct pipa_listing_row *row = &l->rows.items[i];

		snprintf(address, sizeof(address), "0x%" PRIx64, row->addr);
		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "address", address);
		doc_weight(doc, row->weight, row->count, l->weight);
		if (row->text)
			pipa_doc_str(doc, "text", row->text);
		if (row->file && row->line) {
			pipa_doc_str(doc, "file", row->file);
			pipa_doc_u64(doc, "line", row->line);
		}
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
}

static int doc_lines(const struct pipa_listing *l, struct pipa_doc *doc)
{
	PIPA_AUTO(free) struct pipa_listing_line *lines = NULL;
	size_t n, i;
	int rc = pipa_listing_lines(l, &lines, &n);

	if (rc < 0)
		return rc;
	pipa_doc_list(doc, "lines");
	for (i = 0; i < n; i++) {
		pipa_doc_map(doc, NULL);
		pipa_doc_str(doc, "file", lines[i].file);
		pipa_doc_u64(doc, "line", lines[i].line);
		doc_weight(doc, lines[i].weight, lines[i].count, l->weight);
		pipa_doc_end(doc);
	}
	pipa_doc_end(doc);
	return 0;
}

int pipa_annotate_doc(const struct pipa_listing *l, const struct pipa_annotate_of *of,
		      const struct pipa_annotate_format *format, struct pipa_doc *doc)
{
	int rc = 0;

	pipa_doc_map(doc, NULL);
	pipa_doc_str(doc, "symbol", l->name);
	pipa_doc_str(doc, "dso", l->object);
	doc_weight(doc, l->weight, l->count, of->weight);
	if (l->problem)
		pipa_doc_str(doc, "problem", l->problem);
	if (format->code)
		doc_rows(l, doc);
	if (format->source)
		rc = doc_lines(l, doc);
	pipa_doc_end(doc);
	return rc;
}
