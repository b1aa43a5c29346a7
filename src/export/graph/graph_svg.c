#include "export/graph/graph_svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "export/graph/graph_svg_own.h"
#include "export/graph/graph_text.h"

#define MARGIN 24.0
#define LEAST_WIDTH 760.0
#define LINE 17.0

/*
 * Orange for heat and six more colours of Okabe and Ito's palette for colour-blind readers. Text
 * has a contrast of at least 4.5 on all of them, in light and dark mode.
 */
static const char stylesheet[] =
	"text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",Verdana,"
	"sans-serif;fill:#1b1f24}\n"
	".bg{fill:#fff}\n"
	"svg:root{max-width:100vw;max-height:100vh;background:#fff}\n"
	"svg:root:has(#full:target){max-width:none;max-height:none}\n"
	".z{display:none}.z text{text-anchor:end;font-size:18px;fill:#005a9c}"
	".z a+a{display:none}.z:target a{display:none}.z:target a+a{display:inline}\n"
	".n text{text-anchor:middle}.n .b{font-weight:600}.n .m{fill-opacity:.8}\n"
	".n rect{stroke:#8a929d;stroke-width:1}\n"
	".n:hover rect{stroke:#1b1f24;stroke-width:2}\n"
	".e path{fill:none;stroke:#4a535f}.e .a{fill:#4a535f;stroke:none}\n"
	".i path{stroke-dasharray:6 4}\n"
	".u path{stroke:#b0437e}.u .a{fill:#b0437e}\n"
	".p{font-size:10px;fill:#3d4550;stroke:#fff;stroke-width:3px;paint-order:stroke}\n"
	".q{font-size:12px}.h{font-size:18px;font-weight:600}\n"
	".l0{fill:#0072b2}.l1{fill:#009e73}.l2{fill:#cc79a7}.l3{fill:#56b4e9}.l4{fill:#d55e00}"
	".l5{fill:#f0e442}.l6{fill:#8a929d}\n"
	".c{stroke-width:2}.k{font-size:11px;font-weight:600;stroke-width:3px;"
	"paint-order:stroke}\n"
	".c0{fill:#eaf3f9;stroke:#9cc7e0}.c1{fill:#e8f6f1;stroke:#8fd0ba}"
	".c2{fill:#faf0f6;stroke:#e3b6d0}.c3{fill:#edf7fd;stroke:#a9d8f3}"
	".c4{fill:#fcf0e8;stroke:#ecb893}.c5{fill:#fcfae2;stroke:#d9cf63}"
	".c6{fill:#f4f5f7;stroke:#c3c8cf}\n"
	".c .f{stroke:none}\n"
	".k0{stroke:#eaf3f9}.k1{stroke:#e8f6f1}.k2{stroke:#faf0f6}.k3{stroke:#edf7fd}"
	".k4{stroke:#fcf0e8}.k5{stroke:#fcfae2}.k6{stroke:#f4f5f7}\n"
	".h0 rect{fill:#f3f4f6}.h1 rect{fill:#fff4dc}.h2 rect{fill:#ffe7b3}.h3 rect{fill:#ffd98a}"
	".h4 rect{fill:#fcc75c}.h5 rect{fill:#f5b335}.h6 rect{fill:#ee9a1f}"
	".h7 rect{fill:#e57a12}\n"
	"@media screen and (prefers-color-scheme:dark){\n"
	"text{fill:#e8eaed}.bg{fill:#14171c}svg:root{background:#14171c}.z text{fill:#7cc0f5}\n"
	".n rect{stroke:#59616d}.n:hover rect{stroke:#fff}\n"
	".e path{stroke:#a3adba}.e .a{fill:#a3adba}.u path{stroke:#dc8fb9}.u .a{fill:#dc8fb9}\n"
	".p{fill:#cfd5dd;stroke:#14171c}\n"
	".c0{fill:#17242e;stroke:#2f5f7d}.c1{fill:#152723;stroke:#2a6a57}"
	".c2{fill:#271d25;stroke:#77506a}.c3{fill:#19262f;stroke:#3c6b85}"
	".c4{fill:#291d16;stroke:#81502c}.c5{fill:#25241a;stroke:#6f6a35}"
	".c6{fill:#1b1f25;stroke:#474e59}\n"
	".k0{stroke:#17242e}.k1{stroke:#152723}.k2{stroke:#271d25}.k3{stroke:#19262f}"
	".k4{stroke:#291d16}.k5{stroke:#25241a}.k6{stroke:#1b1f25}\n"
	".h0 rect{fill:#262b33}.h1 rect{fill:#3a3324}.h2 rect{fill:#4f4022}.h3 rect{fill:#664e1f}"
	".h4 rect{fill:#785a1a}.h5 rect{fill:#c98a16}.h6 rect{fill:#e69f00}"
	".h7 rect{fill:#f5b83d}\n"
	".h5 text,.h6 text,.h7 text{fill:#14171c}\n"
	"}\n"
	"svg:has(.n:hover) .e,svg:has(.n:hover) .p{opacity:.1}\n";

/* Write the hover rules: the edges of a node keep their colour while the others fade. */
static void put_hover(const struct pipa_graph_drawing *d)
{
	size_t i;

	if (d->layout.n_nodes > PIPA_GRAPH_HOVER_MAX)
		return;
	for (i = 0; i < d->layout.n_nodes; i++)
		pipa_buf_printf(
			d->out,
			"svg:has(#n%zu:hover) .f%zu,svg:has(#n%zu:hover) .t%zu{opacity:1}\n", i, i,
			i, i);
}

/* ---- above the graph -------------------------------------------------------------------------------- */

static void put_text(struct pipa_buf *out, const char *class, double x, double y, const char *text)
{
	pipa_buf_printf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	pipa_graph_xml(out, text);
	pipa_buf_puts(out, "</text>\n");
}

/* Write each line of the notes; returns the y of the next line. */
static double put_facts(const struct pipa_graph_drawing *d, struct pipa_buf *out, double y)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf facts = { 0 }, line = { 0 };
	const char *text;
	size_t len;

	pipa_graph_facts(d->graph, d->style, &facts);
	for (text = pipa_buf_str(&facts); *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		pipa_buf_reset(&line);
		pipa_buf_add(&line, text, len);
		put_text(out, "q", MARGIN, y, pipa_buf_str(&line));
		pipa_graph_pass_failure(&line, out);
		y += LINE;
	}
	pipa_graph_pass_failure(&facts, out);
	return y;
}

/* Write a legend entry, a swatch and its text, on this line or the next; advances x and y. */
static void put_key(struct pipa_buf *out, double most, double *x, double *y, const char *sample,
		    const char *text)
{
	double width = 20 + 12 * pipa_graph_width(text);

	if (*x > MARGIN && *x + width > most) {
		*x = MARGIN;
		*y += LINE + 3;
	}
	pipa_buf_printf(out, "<g transform=\"translate(%.1f %.1f)\">%s", *x, *y, sample);
	put_text(out, "q", 18, 0, text);
	pipa_buf_puts(out, "</g>\n");
	*x += width + 18;
}

static void put_library_keys(const struct pipa_graph_drawing *d, struct pipa_buf *out, double most,
			     double *x, double *y)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf sample = { 0 }, text = { 0 };
	char share[32];
	uint32_t i;

	for (i = 0; d->style->by_library && i < d->libraries.n && i <= PIPA_GRAPH_LIBRARIES; i++) {
		pipa_buf_reset(&sample);
		pipa_buf_reset(&text);
		pipa_buf_printf(
			&sample,
			"<rect class=\"l%u\" y=\"-10\" width=\"12\" height=\"12\" rx=\"2\"/>", i);
		if (i == PIPA_GRAPH_LIBRARIES) {
			pipa_buf_puts(&text, "others");
		} else {
			pipa_graph_text(&text,
					pipa_graph_library(d->graph, d->libraries.items[i].node),
					40);
			pipa_buf_printf(&text, " %s self",
					pipa_graph_share(d->graph, d->libraries.items[i].self,
							 share));
		}
		put_key(out, most, x, y, pipa_buf_str(&sample), pipa_buf_str(&text));
		pipa_graph_pass_failure(&sample, out);
		pipa_graph_pass_failure(&text, out);
	}
}

/* Write the legend of heat and of the kinds of edges that occur. */
static void put_other_keys(const struct pipa_graph_drawing *d, struct pipa_buf *out, double most,
			   double *x, double *y)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	bool indirect = false, upwards = false;
	char share[32];
	uint32_t i;

	for (i = 0; i < d->layout.n_edges; i++) {
		indirect |= !d->graph->edges.items[i].direct;
		upwards |= d->layout.edges[i].upwards || !d->layout.edges[i].n;
	}
	if (d->hottest) {
		pipa_buf_printf(&text, "color: self time, up to %s",
				pipa_graph_share(d->graph, d->hottest, share));
		put_key(out, most, x, y,
			"<g class=\"h6\"><rect y=\"-10\" width=\"12\" height=\"12\" rx=\"2\"/></g>",
			pipa_buf_str(&text));
	}
	if (indirect)
		put_key(out, most, x, y,
			"<g class=\"e i\"><path d=\"M0-4h14\" stroke-width=\"1.5\"/></g>",
			"via functions not shown");
	if (upwards)
		put_key(out, most, x, y,
			"<g class=\"e u\"><path d=\"M0-4h14\" stroke-width=\"1.5\"/></g>",
			"recursion");
	pipa_graph_pass_failure(&text, out);
}

/* Write everything above the graph to a separate buffer; returns its height. */
static double put_head(const struct pipa_graph_drawing *d, double width, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf title = { 0 };
	double x = MARGIN, y = MARGIN + 16;

	pipa_graph_text(&title, d->style->title, (size_t)(width / 13));
	put_text(out, "h", MARGIN, y, pipa_buf_str(&title));
	pipa_graph_pass_failure(&title, out);
	y = put_facts(d, out, y + LINE + 6) + 6;
	put_library_keys(d, out, width - MARGIN, &x, &y);
	if (x > MARGIN) {
		x = MARGIN;
		y += LINE + 3;
	}
	put_other_keys(d, out, width - MARGIN, &x, &y);
	return y + MARGIN;
}

/* ---- the picture ------------------------------------------------------------------------------------ */

static int draw_graph(struct pipa_graph_drawing *d)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf head = { 0 }, names = { .max = d->out->max };
	double width = fmax(d->layout.width + 2 * MARGIN, LEAST_WIDTH), height;

	d->left = (width - d->layout.width) / 2;
	d->above = put_head(d, width, &head);
	height = d->above + d->layout.height + MARGIN;
	pipa_buf_printf(d->out,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
			"viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<style>\n%s",
			width, height, width, height, stylesheet);
	put_hover(d);
	/* the links are of use only in a window that is smaller than the image */
	pipa_buf_printf(d->out,
			"@media screen and (max-width:%.0fpx),screen and (max-height:%.0fpx)"
			"{.z{display:inline}}\n</style>\n"
			"<rect class=\"bg\" width=\"%.0f\" height=\"%.0f\"/>\n%s",
			width - 1, height - 1, width, height, pipa_buf_str(&head));
	pipa_buf_printf(d->out,
			"<g class=\"z\" id=\"full\"><a href=\"#full\"><text x=\"%.0f\" y=\"%.0f\">"
			"actual size</text></a><a href=\"#\"><text x=\"%.0f\" y=\"%.0f\">"
			"fit to window</text></a></g>\n<g transform=\"translate(%.1f %.1f)\">\n",
			width - MARGIN, MARGIN + 16, width - MARGIN, MARGIN + 16, d->left,
			d->above);
	if (d->style->by_library && pipa_graph_draw_hulls(d, &names) < 0)
		return -ENOMEM;
	pipa_graph_draw_edges(d);
	pipa_buf_add(d->out, pipa_buf_str(&names), names.len);
	pipa_graph_draw_nodes(d);
	if (pipa_graph_draw_labels(d) < 0)
		return -ENOMEM;
	pipa_buf_puts(d->out, "</g>\n</svg>\n");
	pipa_graph_pass_failure(&head, d->out);
	pipa_graph_pass_failure(&names, d->out);
	return d->out->status;
}

int pipa_graph_drawing_lay_out(struct pipa_graph_drawing *d)
{
	const struct pipa_callgraph *g = d->graph;
	int rc;

	d->layout = (struct pipa_graph_layout){
		.nodes = calloc(g->nodes.n + 1, sizeof(*d->layout.nodes)),
		.edges = calloc(g->edges.n + 1, sizeof(*d->layout.edges)),
		.n_nodes = g->nodes.n,
		.n_edges = g->edges.n,
		.node_gap = 22,
		.rank_gap = 52,
	};
	d->loops = calloc(g->nodes.n + 1, sizeof(*d->loops));
	if (!d->layout.nodes || !d->layout.edges || !d->loops)
		return -ENOMEM;
	rc = pipa_graph_libraries_find(g, &d->libraries);
	if (rc < 0)
		return rc;
	pipa_graph_measure(d);
	return pipa_graph_layout_make(&d->layout);
}

void pipa_graph_drawing_done(struct pipa_graph_drawing *d)
{
	pipa_graph_layout_done(&d->layout);
	free(d->layout.nodes);
	free(d->layout.edges);
	free(d->loops);
	pipa_graph_libraries_done(&d->libraries);
}

int pipa_graph_svg(const struct pipa_callgraph *graph, const struct pipa_graph_style *style,
		   struct pipa_buf *out)
{
	struct pipa_graph_drawing d = { .graph = graph, .style = style, .out = out };
	int rc = pipa_graph_drawing_lay_out(&d);

	if (!rc)
		rc = draw_graph(&d);
	pipa_graph_drawing_done(&d);
	return rc;
}
