/*
 * Draw the nodes of a call graph. Positions are those of the layout; the enclosing SVG group is
 * translated.
 */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "export/graph/graph_svg_own.h"
#include "export/graph/graph_text.h"

#define NAME_LENGTH 38
#define SMALL_TEXT 11.0 /* font size of all texts except names */
#define STRIPE 5.0	/* width of the stripe in the library's colour */
#define PAD 11.0

static double share_of(const struct pipa_callgraph *g, uint64_t weight)
{
	return pipa_callgraph_percent(g, weight) / 100;
}

/* Return the font size of a name: larger for heavier functions. */
static double text_size(const struct pipa_callgraph *g, uint32_t node)
{
	return round(12 + 7 * sqrt(share_of(g, g->nodes.items[node].total.weight)));
}

static void name_text(const struct pipa_callgraph *g, uint32_t node, struct pipa_buf *ret)
{
	pipa_graph_name(g, node, NAME_LENGTH, ret);
}

static void library_text(const struct pipa_callgraph *g, uint32_t node, struct pipa_buf *ret)
{
	pipa_graph_text(ret, pipa_graph_library(g, node), NAME_LENGTH);
}

static void numbers_text(const struct pipa_callgraph *g, uint32_t node, struct pipa_buf *ret)
{
	const struct pipa_callgraph_node *n = &g->nodes.items[node];
	char text[32];

	if (n->self.weight)
		pipa_buf_printf(ret, "%s self \xc2\xb7 ",
				pipa_graph_share(g, n->self.weight, text));
	pipa_buf_printf(ret, "%s total", pipa_graph_share(g, n->total.weight, text));
}

/* Return the width of a node's texts. */
static double width_of(const struct pipa_graph_drawing *d, uint32_t node, double size,
		       void (*write)(const struct pipa_callgraph *, uint32_t, struct pipa_buf *))
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	write(d->graph, node, &text);
	pipa_graph_pass_failure(&text, d->out);
	return size * pipa_graph_width(pipa_buf_str(&text));
}

void pipa_graph_measure(struct pipa_graph_drawing *d)
{
	const struct pipa_callgraph *g = d->graph;
	uint32_t i;

	for (i = 0; i < g->edges.n; i++)
		if (g->edges.items[i].from == g->edges.items[i].to)
			d->loops[g->edges.items[i].from] = true;
	for (i = 0; i < d->layout.n_nodes; i++) {
		struct pipa_graph_layout_node *node = &d->layout.nodes[i];
		double size = text_size(g, i), width = width_of(d, i, size, name_text);

		if (d->style->by_library)
			width = fmax(width, width_of(d, i, SMALL_TEXT, library_text));
		width = fmax(width, width_of(d, i, SMALL_TEXT, numbers_text));
		node->width = ceil(width + 2 * PAD + STRIPE) +
			      (d->loops[i] ? 2 * PIPA_GRAPH_LOOP : 0);
		node->height = ceil(size * 1.25 + (d->style->by_library ? 30 : 15) + PAD);
		if (d->style->by_library)
			node->group = d->libraries.of_node[i] + 1;
		if (g->nodes.items[i].self.weight > d->hottest)
			d->hottest = g->nodes.items[i].self.weight;
	}
	for (i = 0; i < d->layout.n_edges; i++) {
		d->layout.edges[i].from = g->edges.items[i].from;
		d->layout.edges[i].to = g->edges.items[i].to;
		d->layout.edges[i].weight = share_of(g, g->edges.items[i].weight.weight);
	}
}

/* ---- nodes ------------------------------------------------------------------------------------------ */

static int heat_of(const struct pipa_graph_drawing *d, uint64_t self)
{
	int level;

	if (!self || !d->hottest)
		return 0;
	level = 1 + (int)(sqrt((double)self / (double)d->hottest) * (PIPA_GRAPH_HEATS - 1));
	return level < PIPA_GRAPH_HEATS ? level : PIPA_GRAPH_HEATS - 1;
}

static void put_line(const struct pipa_graph_drawing *d, uint32_t node, const char *class, double x,
		     double y, double size,
		     void (*write)(const struct pipa_callgraph *, uint32_t, struct pipa_buf *))
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	write(d->graph, node, &text);
	pipa_graph_pass_failure(&text, d->out);
	pipa_buf_printf(d->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\">",
			class, x, y, size);
	pipa_graph_xml(d->out, pipa_buf_str(&text));
	pipa_buf_puts(d->out, "</text>");
}

static void put_title(const struct pipa_graph_drawing *d, uint32_t number,
		      void (*about)(const struct pipa_callgraph *, const struct pipa_graph_style *,
				    uint32_t, struct pipa_buf *))
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	about(d->graph, d->style, number, &text);
	pipa_graph_pass_failure(&text, d->out);
	pipa_buf_puts(d->out, "<title>");
	pipa_graph_xml(d->out, pipa_buf_str(&text));
	pipa_buf_puts(d->out, "</title>");
}

/* Draw the stripe along the rounded left corners of the node. */
static void put_stripe(const struct pipa_graph_drawing *d, uint32_t number, double left, double top,
		       double height)
{
	uint32_t library = d->libraries.of_node[number];

	pipa_buf_printf(
		d->out,
		"<path class=\"l%u\" d=\"M%.1f %.1fh-1a5 5 0 0 0-5 5v%.1fa5 5 0 0 0 5 5h1z\"/>",
		library < PIPA_GRAPH_LIBRARIES ? library : PIPA_GRAPH_LIBRARIES, left + STRIPE + 1,
		top, height - 10);
}

static void draw_node(const struct pipa_graph_drawing *d, uint32_t number)
{
	const struct pipa_graph_layout_node *node = &d->layout.nodes[number];
	uint64_t self = d->graph->nodes.items[number].self.weight;
	double size = text_size(d->graph, number), width = node->width, middle = node->x;
	double left, top = node->y - node->height / 2, y = top + PAD / 2 + size;

	if (d->loops[number])
		width -= 2 * PIPA_GRAPH_LOOP;
	left = node->x - width / 2;
	pipa_buf_printf(d->out, "<g class=\"n h%d\" id=\"n%u\">", heat_of(d, self), number);
	put_title(d, number, pipa_graph_about_node);
	pipa_buf_printf(d->out,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"5\"/>",
			left, top, width, node->height);
	if (d->style->by_library) {
		put_stripe(d, number, left, top, node->height);
		middle += STRIPE / 2;
	}
	put_line(d, number, "b", middle, y, size, name_text);
	if (d->style->by_library) {
		y += 15;
		put_line(d, number, "m", middle, y, SMALL_TEXT, library_text);
	}
	put_line(d, number, "s", middle, y + 15, SMALL_TEXT, numbers_text);
	pipa_buf_puts(d->out, "</g>\n");
}

void pipa_graph_draw_nodes(const struct pipa_graph_drawing *d)
{
	uint32_t i;

	for (i = 0; i < d->layout.n_nodes; i++)
		draw_node(d, i);
}
