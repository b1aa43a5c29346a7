#include "plot/plot_svg.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "export/view/view_text.h"
#include "plot/plot.h"
#include "plot/plot_number.h"
#include "plot/plot_text.h"

enum { SHORT_TEXT = 8 }; /* bytes; texts of this length cannot overlap others */

struct svg {
	struct pipa_drawing drawing;
	struct pipa_buf *out;
	unsigned int clips; /* number of clip paths */
	bool clipping;	    /* a group with a clip path is open */
};

static void put_attribute(struct pipa_buf *out, const char *name, double value)
{
	pipa_buf_printf(out, " %s=\"", name);
	pipa_plot_put_number(out, value);
	pipa_buf_putc(out, '"');
}

static void put_fill(struct pipa_buf *out, const char *name, struct pipa_color c, double opacity)
{
	pipa_buf_printf(out, " %s=\"#%02x%02x%02x\"", name, c.r, c.g, c.b);
	if (opacity < 1) {
		pipa_buf_printf(out, " %s-opacity=\"", name);
		pipa_plot_put_number(out, opacity);
		pipa_buf_putc(out, '"');
	}
}

static void put_points(struct pipa_buf *out, const struct pipa_xy *points, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (i)
			pipa_buf_putc(out, ' ');
		pipa_plot_put_number(out, points[i].x);
		pipa_buf_putc(out, ',');
		pipa_plot_put_number(out, points[i].y);
	}
}

static void draw_line(struct pipa_drawing *self, const struct pipa_xy *points, size_t n,
		      const struct pipa_stroke *stroke)
{
	struct pipa_buf *out = ((struct svg *)self)->out;

	pipa_buf_puts(out, "<polyline points=\"");
	put_points(out, points, n);
	pipa_buf_puts(out, "\" fill=\"none\"");
	put_fill(out, "stroke", stroke->color, stroke->opacity);
	put_attribute(out, "stroke-width", stroke->width);
	if (stroke->dash > 0) {
		pipa_buf_puts(out, " stroke-dasharray=\"");
		pipa_plot_put_number(out, stroke->dash);
		pipa_buf_putc(out, ' ');
		pipa_plot_put_number(out, stroke->gap);
		pipa_buf_putc(out, '"');
	}
	pipa_buf_puts(out, "/>\n");
}

static void draw_rect(struct pipa_drawing *self, struct pipa_rect rect, struct pipa_color color,
		      double opacity)
{
	struct pipa_buf *out = ((struct svg *)self)->out;

	pipa_buf_puts(out, "<rect");
	put_attribute(out, "x", rect.x);
	put_attribute(out, "y", rect.y);
	put_attribute(out, "width", rect.w);
	put_attribute(out, "height", rect.h);
	put_fill(out, "fill", color, opacity);
	pipa_buf_puts(out, "/>\n");
}

static void draw_polygon(struct pipa_drawing *self, const struct pipa_xy *points, size_t n,
			 struct pipa_color color, double opacity)
{
	struct pipa_buf *out = ((struct svg *)self)->out;

	pipa_buf_puts(out, "<polygon points=\"");
	put_points(out, points, n);
	pipa_buf_putc(out, '"');
	put_fill(out, "fill", color, opacity);
	pipa_buf_puts(out, "/>\n");
}

static void draw_disc(struct pipa_drawing *self, struct pipa_xy center, double radius,
		      struct pipa_color color, double opacity)
{
	struct pipa_buf *out = ((struct svg *)self)->out;

	pipa_buf_puts(out, "<circle");
	put_attribute(out, "cx", center.x);
	put_attribute(out, "cy", center.y);
	put_attribute(out, "r", radius);
	put_fill(out, "fill", color, opacity);
	pipa_buf_puts(out, "/>\n");
}

static void draw_text(struct pipa_drawing *self, const struct pipa_drawn_text *text)
{
	static const char *const anchors[] = { "start", "middle", "end" };
	struct pipa_buf *out = ((struct svg *)self)->out;

	pipa_buf_puts(out, "<text");
	if (text->vertical) {
		pipa_buf_puts(out, " transform=\"translate(");
		pipa_plot_put_number(out, text->at.x);
		pipa_buf_putc(out, ' ');
		pipa_plot_put_number(out, text->at.y);
		pipa_buf_puts(out, ") rotate(-90)\"");
	} else {
		put_attribute(out, "x", text->at.x);
		put_attribute(out, "y", text->at.y);
	}
	put_attribute(out, "font-size", text->size);
	if (text->anchor != PIPA_ANCHOR_START)
		pipa_buf_printf(out, " text-anchor=\"%s\"", anchors[text->anchor]);
	if (text->bold)
		pipa_buf_puts(out, " font-weight=\"bold\"");
	put_fill(out, "fill", text->color, 1);
	/* fit the layout although the fonts of viewers differ */
	if (strlen(text->text) > SHORT_TEXT) {
		put_attribute(out, "textLength",
			      pipa_plot_text_width(text->text, text->size, text->bold));
		pipa_buf_puts(out, " lengthAdjust=\"spacingAndGlyphs\"");
	}
	pipa_buf_putc(out, '>');
	pipa_view_put_xml(out, text->text, strlen(text->text), SIZE_MAX);
	pipa_buf_puts(out, "</text>\n");
}

static void set_clip(struct pipa_drawing *self, const struct pipa_rect *rect)
{
	struct svg *svg = (struct svg *)self;

	if (svg->clipping)
		pipa_buf_puts(svg->out, "</g>\n");
	svg->clipping = rect != NULL;
	if (!rect)
		return;
	pipa_buf_printf(svg->out, "<clipPath id=\"box%u\"><rect", svg->clips);
	put_attribute(svg->out, "x", rect->x);
	put_attribute(svg->out, "y", rect->y);
	put_attribute(svg->out, "width", rect->w);
	put_attribute(svg->out, "height", rect->h);
	pipa_buf_printf(svg->out, "/></clipPath>\n<g clip-path=\"url(#box%u)\">\n", svg->clips++);
}

/* Every character: the viewer has a font for it. */
static bool has_char(uint32_t ch PIPA_UNUSED)
{
	return true;
}

int pipa_plot_write_svg(struct pipa_plot *plot, struct pipa_buf *out, size_t *ret_lacking)
{
	struct svg svg = { .drawing = { draw_line, draw_rect, draw_polygon, draw_disc, draw_text,
					set_clip, has_char },
			   .out = out };
	int rc;

	pipa_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			   "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"");
	put_attribute(out, "width", plot->width);
	put_attribute(out, "height", plot->height);
	pipa_buf_puts(out, " viewBox=\"0 0 ");
	pipa_plot_put_number(out, plot->width);
	pipa_buf_putc(out, ' ');
	pipa_plot_put_number(out, plot->height);
	pipa_buf_puts(out, "\" font-family=\"Helvetica, Arial, Liberation Sans, sans-serif\""
			   " stroke-linejoin=\"round\">\n");
	if (plot->title && *plot->title) {
		pipa_buf_puts(out, "<title>");
		pipa_view_put_xml(out, plot->title, strlen(plot->title), SIZE_MAX);
		pipa_buf_puts(out, "</title>\n");
	}
	rc = pipa_plot_draw(plot, &svg.drawing, ret_lacking);
	pipa_buf_puts(out, "</svg>\n");
	return rc ? rc : out->status;
}
