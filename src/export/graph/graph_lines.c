/* Draw the edges of a call graph and their labels. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "export/graph/graph_svg_own.h"
#include "export/graph/graph_text.h"

#define LABEL_SIZE 10.0
#define LEAST_LABEL 0.5 /* percent; lighter edges have no label */
#define MOST_LABELS 400

static double share_of(const struct pipa_graph_drawing *d, uint32_t edge)
{
	return pipa_callgraph_percent(d->graph, d->graph->edges.items[edge].weight.weight) / 100;
}

static double line_width(const struct pipa_graph_drawing *d, uint32_t edge)
{
	return 0.9 + 6 * share_of(d, edge);
}

static double head_length(const struct pipa_graph_drawing *d, uint32_t edge)
{
	return 5 + 1.4 * line_width(d, edge);
}

/* ---- lines ------------------------------------------------------------------------------------------ */

static void put_curve(struct pipa_buf *out, const struct pipa_graph_layout_point *from,
		      const struct pipa_graph_layout_point *to)
{
	double middle = (from->y + to->y) / 2;

	pipa_buf_printf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", from->x, middle, to->x, middle,
			to->x, to->y);
}

/* Draw an edge from pair to pair of its points; it ends where the arrowhead begins. */
static void put_path(const struct pipa_graph_drawing *d, uint32_t number)
{
	const struct pipa_graph_layout_edge *edge = &d->layout.edges[number];
	const struct pipa_graph_layout_point *points = &d->layout.points[edge->first];
	double head = head_length(d, number) * (edge->upwards ? 1 : -1);
	struct pipa_graph_layout_point last = points[edge->n - 1], before = points[edge->n - 2];
	uint32_t i;

	last.y += head;
	if (edge->upwards ? before.y < last.y : before.y > last.y)
		before.y = last.y;
	pipa_buf_printf(d->out, "<path d=\"M%.1f %.1fL%.1f %.1f", points[0].x, points[0].y,
			points[1].x, points[1].y);
	for (i = 2; i + 2 < edge->n; i += 2) {
		put_curve(d->out, &points[i - 1], &points[i]);
		pipa_buf_printf(d->out, "L%.1f %.1f", points[i + 1].x, points[i + 1].y);
	}
	put_curve(d->out, &points[edge->n - 3], &before);
	pipa_buf_printf(d->out, "L%.1f %.1f\" stroke-width=\"%.1f\"/>", last.x, last.y,
			line_width(d, number));
}

static void put_head(const struct pipa_graph_drawing *d, uint32_t number, double x, double y,
		     bool upwards)
{
	double length = head_length(d, number), half = length * 0.42;

	pipa_buf_printf(d->out, "<path class=\"a\" d=\"M%.1f %.1fl%.1f %.1fh%.1fz\"/>", x, y, -half,
			upwards ? length : -length, 2 * half);
}

/* Draw the edge of a recursive function: out of its right side and back. */
static void put_loop(const struct pipa_graph_drawing *d, uint32_t number)
{
	const struct pipa_graph_layout_node *node = &d->layout.nodes[d->layout.edges[number].from];
	double x = node->x + node->width / 2 - PIPA_GRAPH_LOOP, y = node->y;
	double length = fmin(head_length(d, number), 9), half = length * 0.42;

	pipa_buf_printf(
		d->out,
		"<path d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\" "
		"stroke-width=\"%.1f\"/><path class=\"a\" d=\"M%.1f %.1fl%.1f %.1fv%.1fz\"/>",
		x, y - 9, x + 24, y - 20, x + 24, y + 16, x + length, y + 9,
		fmin(line_width(d, number), 3), x, y + 9, length, -half, 2 * half);
}

static void draw_edge(const struct pipa_graph_drawing *d, uint32_t number)
{
	const struct pipa_graph_layout_edge *edge = &d->layout.edges[number];
	const struct pipa_graph_layout_point *last;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	pipa_graph_about_edge(d->graph, d->style, number, &text);
	pipa_graph_pass_failure(&text, d->out);
	pipa_buf_printf(d->out, "<g class=\"e%s%s f%u t%u\" opacity=\"%.2f\"><title>",
			d->graph->edges.items[number].direct ? "" : " i",
			edge->upwards || !edge->n ? " u" : "", edge->from, edge->to,
			0.45 + 0.55 * sqrt(fmin(1, share_of(d, number))));
	pipa_graph_xml(d->out, pipa_buf_str(&text));
	pipa_buf_puts(d->out, "</title>");
	if (!edge->n) {
		put_loop(d, number);
	} else {
		last = &d->layout.points[edge->first + edge->n - 1];
		put_path(d, number);
		put_head(d, number, last->x, last->y, edge->upwards);
	}
	pipa_buf_puts(d->out, "</g>\n");
}

/* Draw the edges, heaviest last and so on top. */
void pipa_graph_draw_edges(const struct pipa_graph_drawing *d)
{
	uint32_t i;

	for (i = (uint32_t)d->layout.n_edges; i--;)
		draw_edge(d, i);
}

/* ---- labels ----------------------------------------------------------------------------------------- */

struct box {
	double left, top, right, bottom;
};

struct boxes {
	struct box *items;
	size_t n;
};

static bool is_free(const struct boxes *taken, const struct box *box)
{
	size_t i;

	for (i = 0; i < taken->n; i++) {
		const struct box *t = &taken->items[i];

		if (box->left < t->right && box->right > t->left && box->top < t->bottom &&
		    box->bottom > t->top)
			return false;
	}
	return true;
}

/* Return the label's box beside the curve between two pairs of points, at parameter t of the curve. */
static struct box box_at(const struct pipa_graph_layout_point *from,
			 const struct pipa_graph_layout_point *to, double t, double width,
			 double away)
{
	double u = 1 - t, middle = (from->y + to->y) / 2;
	double x = u * u * (u + 3 * t) * from->x + t * t * (t + 3 * u) * to->x;
	double y = u * u * u * from->y + 3 * u * t * middle + t * t * t * to->y;

	return (struct box){ x + away, y - LABEL_SIZE / 2, x + away + width, y + LABEL_SIZE / 2 };
}

static bool find_room(const struct pipa_graph_drawing *d, uint32_t number,
		      const struct boxes *taken, double width, struct box *ret)
{
	static const double tries[] = { 0.5, 0.35, 0.65, 0.2, 0.8 };
	const struct pipa_graph_layout_edge *edge = &d->layout.edges[number];
	const struct pipa_graph_layout_point *points = &d->layout.points[edge->first];
	double away = line_width(d, number) / 2 + 3;
	uint32_t i;
	size_t k;

	for (i = 2; i < edge->n; i += 2)
		for (k = 0; k < 2 * PIPA_COUNT(tries); k++) {
			*ret = box_at(&points[i - 1], &points[i], tries[k / 2], width,
				      k % 2 ? -away - width : away);
			if (is_free(taken, ret))
				return true;
		}
	return false;
}

static void put_label(const struct pipa_graph_drawing *d, uint32_t number, struct boxes *taken)
{
	const struct pipa_graph_layout_edge *edge = &d->layout.edges[number];
	char text[32];
	struct box box;
	double width;

	pipa_graph_share(d->graph, d->graph->edges.items[number].weight.weight, text);
	width = LABEL_SIZE * pipa_graph_width(text);
	if (!find_room(d, number, taken, width, &box))
		return;
	taken->items[taken->n++] = box;
	pipa_buf_printf(d->out, "<text class=\"p f%u t%u\" x=\"%.1f\" y=\"%.1f\">", edge->from,
			edge->to, box.left, box.bottom - 1.5);
	pipa_graph_xml(d->out, text);
	pipa_buf_puts(d->out, "</text>\n");
}

int pipa_graph_draw_labels(const struct pipa_graph_drawing *d)
{
	struct boxes taken = { .items = calloc(d->layout.n_edges + 1, sizeof(*taken.items)) };
	uint32_t i;

	if (!taken.items)
		return -ENOMEM;
	for (i = 0; i < d->layout.n_edges && i < MOST_LABELS; i++)
		if (d->layout.edges[i].n && share_of(d, i) * 100 >= LEAST_LABEL)
			put_label(d, i, &taken);
	free(taken.items);
	return 0;
}
