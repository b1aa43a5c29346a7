/*
 * A chart as PDF 1.4: one page, one compressed content stream, and Helvetica of the standard 14 fonts,
 * which every reader has. Its encoding has Latin-1 only, so other characters are drawn as escapes.
 */
#include "plot/plot_pdf.h"

#include <math.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "codec/zlib.h"
#include "plot/plot.h"
#include "plot/plot_number.h"
#include "plot/plot_text.h"

enum { OPACITIES = 20, OBJECTS = 7 };

struct pdf {
	struct pipa_drawing drawing;
	struct pipa_buf content;
	double height;
	int opacity; /* current, in 1/OPACITIES */
	bool clipping;
};

/* Append n numbers and an operator. */
static void put_operator(struct pipa_buf *out, const double *numbers, size_t n,
			 const char *operator)
{
	size_t i;

	for (i = 0; i < n; i++) {
		pipa_plot_put_number(out, numbers[i]);
		pipa_buf_putc(out, ' ');
	}
	pipa_buf_puts(out, operator);
	pipa_buf_putc(out, '\n');
}

#define PUT(pdf, operator, ...)                                                                    \
	put_operator(&(pdf)->content, (const double[]){ __VA_ARGS__ },                             \
		     sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double), operator)

/* Set the opacity through one of the graphics states of the page. */
static void set_opacity(struct pdf *pdf, double opacity)
{
	int step = (int)lround(fmin(fmax(opacity, 0), 1) * OPACITIES);

	if (step == pdf->opacity)
		return;
	pdf->opacity = step;
	pipa_buf_printf(&pdf->content, "/G%d gs\n", step);
}

static void put_path(struct pdf *pdf, const struct pipa_xy *points, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		PUT(pdf, i ? "l" : "m", points[i].x, pdf->height - points[i].y);
}

static void set_fill(struct pdf *pdf, struct pipa_color c, double opacity)
{
	set_opacity(pdf, opacity);
	PUT(pdf, "rg", c.r / 255.0, c.g / 255.0, c.b / 255.0);
}

static void draw_line(struct pipa_drawing *self, const struct pipa_xy *points, size_t n,
		      const struct pipa_stroke *stroke)
{
	struct pdf *pdf = (struct pdf *)self;

	set_opacity(pdf, stroke->opacity);
	PUT(pdf, "RG", stroke->color.r / 255.0, stroke->color.g / 255.0, stroke->color.b / 255.0);
	PUT(pdf, "w", stroke->width);
	pipa_buf_putc(&pdf->content, '[');
	if (stroke->dash > 0) {
		pipa_plot_put_number(&pdf->content, fmax(stroke->dash, 0.01));
		pipa_buf_putc(&pdf->content, ' ');
		pipa_plot_put_number(&pdf->content, fmax(stroke->gap, 0.01));
	}
	pipa_buf_puts(&pdf->content, "] 0 d\n");
	put_path(pdf, points, n);
	pipa_buf_puts(&pdf->content, "S\n");
}

static void draw_rect(struct pipa_drawing *self, struct pipa_rect rect, struct pipa_color color,
		      double opacity)
{
	struct pdf *pdf = (struct pdf *)self;

	set_fill(pdf, color, opacity);
	PUT(pdf, "re", rect.x, pdf->height - rect.y - rect.h, rect.w, rect.h);
	pipa_buf_puts(&pdf->content, "f\n");
}

static void draw_polygon(struct pipa_drawing *self, const struct pipa_xy *points, size_t n,
			 struct pipa_color color, double opacity)
{
	struct pdf *pdf = (struct pdf *)self;

	set_fill(pdf, color, opacity);
	put_path(pdf, points, n);
	pipa_buf_puts(&pdf->content, "h f\n");
}

/* Draw a circle of four Bezier curves, whose error is below 0.03 % of the radius. */
static void draw_disc(struct pipa_drawing *self, struct pipa_xy center, double r,
		      struct pipa_color color, double opacity)
{
	struct pdf *pdf = (struct pdf *)self;
	double x = center.x, y = pdf->height - center.y, k = 0.5523 * r;

	set_fill(pdf, color, opacity);
	PUT(pdf, "m", x + r, y);
	PUT(pdf, "c", x + r, y + k, x + k, y + r, x, y + r);
	PUT(pdf, "c", x - k, y + r, x - r, y + k, x - r, y);
	PUT(pdf, "c", x - r, y - k, x - k, y - r, x, y - r);
	PUT(pdf, "c", x + k, y - r, x + r, y - k, x + r, y);
	pipa_buf_puts(&pdf->content, "h f\n");
}

/* Append a string in Latin-1; the characters are those that has_char() accepted. */
static void put_string(struct pipa_buf *out, const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;

	pipa_buf_putc(out, '(');
	while (*byte) {
		size_t len = pipa_utf8_len(byte);
		uint32_t ch = len ? pipa_utf8_char(byte, len) : '?';

		if (ch == '(' || ch == ')' || ch == '\\')
			pipa_buf_putc(out, '\\');
		if (ch < 0x7f)
			pipa_buf_putc(out, (char)ch);
		else
			pipa_buf_printf(out, "\\%03o", ch & 0xff);
		byte += len ? len : 1;
	}
	pipa_buf_putc(out, ')');
}

static void draw_text(struct pipa_drawing *self, const struct pipa_drawn_text *text)
{
	struct pdf *pdf = (struct pdf *)self;
	double width = pipa_plot_text_width(text->text, text->size, text->bold);
	double back = text->anchor == PIPA_ANCHOR_START	 ? 0 :
		      text->anchor == PIPA_ANCHOR_MIDDLE ? width / 2 :
							   width;
	double x = text->at.x, y = pdf->height - text->at.y;

	set_fill(pdf, text->color, 1);
	pipa_buf_printf(&pdf->content, "BT /%s ", text->bold ? "B" : "R");
	pipa_plot_put_number(&pdf->content, text->size);
	pipa_buf_puts(&pdf->content, " Tf\n");
	if (text->vertical)
		PUT(pdf, "Tm", 0, 1, -1, 0, x, y - back);
	else
		PUT(pdf, "Tm", 1, 0, 0, 1, x - back, y);
	put_string(&pdf->content, text->text);
	pipa_buf_puts(&pdf->content, " Tj ET\n");
}

static void set_clip(struct pipa_drawing *self, const struct pipa_rect *rect)
{
	struct pdf *pdf = (struct pdf *)self;

	if (pdf->clipping) {
		pipa_buf_puts(&pdf->content, "Q\n");
		pdf->opacity = -1; /* Q restores an unknown one */
	}
	pdf->clipping = rect != NULL;
	if (!rect)
		return;
	pipa_buf_puts(&pdf->content, "q\n");
	PUT(pdf, "re", rect->x, pdf->height - rect->y - rect->h, rect->w, rect->h);
	pipa_buf_puts(&pdf->content, "W n\n");
}

static bool has_char(uint32_t ch)
{
	return ch < 0x7f || (ch >= 0xa0 && ch < 0x100);
}

/* Append the page around the compressed content. */
static void put_file(const struct pdf *pdf, double width, const struct pipa_buf *stream,
		     struct pipa_buf *out)
{
	size_t start = out->len, offsets[OBJECTS] = { 0 }, n = 0, i, table;

#define OBJECT()                                                                                   \
	do {                                                                                       \
		offsets[n++] = out->len - start;                                                   \
		pipa_buf_printf(out, "%zu 0 obj\n", n);                                            \
	} while (0)
	pipa_buf_puts(out, "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n");
	OBJECT();
	pipa_buf_puts(out, "<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
	OBJECT();
	pipa_buf_puts(out, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n");
	OBJECT();
	pipa_buf_puts(out, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ");
	pipa_plot_put_number(out, width);
	pipa_buf_putc(out, ' ');
	pipa_plot_put_number(out, pdf->height);
	pipa_buf_puts(out, "] /Contents 7 0 R\n/Resources << /Font << /R 4 0 R /B 5 0 R >>"
			   " /ExtGState 6 0 R >> >>\nendobj\n");
	OBJECT();
	pipa_buf_puts(out, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
			   " /Encoding /WinAnsiEncoding >>\nendobj\n");
	OBJECT();
	pipa_buf_puts(out, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold"
			   " /Encoding /WinAnsiEncoding >>\nendobj\n");
	OBJECT();
	pipa_buf_puts(out, "<<");
	for (i = 0; i <= OPACITIES; i++) {
		pipa_buf_printf(out, " /G%zu << /ca ", i);
		pipa_plot_put_number(out, (double)i / OPACITIES);
		pipa_buf_puts(out, " /CA ");
		pipa_plot_put_number(out, (double)i / OPACITIES);
		pipa_buf_puts(out, " >>\n");
	}
	pipa_buf_puts(out, ">>\nendobj\n");
	OBJECT();
	pipa_buf_printf(out, "<< /Length %zu /Filter /FlateDecode >>\nstream\n", stream->len);
	pipa_buf_add(out, stream->data, stream->len);
	pipa_buf_puts(out, "\nendstream\nendobj\n");
	table = out->len - start;
	pipa_buf_printf(out, "xref\n0 %zu\n0000000000 65535 f \n", n + 1);
	for (i = 0; i < n; i++)
		pipa_buf_printf(out, "%010zu 00000 n \n", offsets[i]);
	pipa_buf_printf(out, "trailer\n<< /Size %zu /Root 1 0 R >>\nstartxref\n%zu\n%%%%EOF\n",
			n + 1, table);
#undef OBJECT
}

int pipa_plot_write_pdf(struct pipa_plot *plot, struct pipa_buf *out, size_t *ret_lacking)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf stream = { 0 };
	struct pdf pdf = { .drawing = { draw_line, draw_rect, draw_polygon, draw_disc, draw_text,
					set_clip, has_char },
			   .height = plot->height,
			   .opacity = -1 };
	int rc;

	pipa_buf_puts(&pdf.content, "1 j\n"); /* round joins */
	rc = pipa_plot_draw(plot, &pdf.drawing, ret_lacking);
	if (!rc)
		rc = pdf.content.status;
	if (!rc)
		rc = pipa_zlib_compress(pdf.content.data, pdf.content.len, &stream);
	pipa_buf_done(&pdf.content);
	if (rc < 0)
		return rc;
	put_file(&pdf, plot->width, &stream, out);
	return out->status;
}
