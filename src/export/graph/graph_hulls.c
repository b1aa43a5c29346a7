/*
 * Areas that mark the libraries of functions. Each run of neighbours of one library in a layer gets
 * a box. Boxes of adjacent layers merge where they overlap horizontally. A box contains no other
 * nodes, because the layout keeps libraries together within a layer, so areas never overlap. A
 * library whose functions are apart has several areas; a single function has none, because its node
 * shows the library.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "export/graph/graph_svg_own.h"
#include "export/graph/graph_text.h"

#define PAD 8.0	   /* around nodes */
#define LABEL 18.0 /* height reserved for the name, above the first layer */
#define LEAST 40.0 /* horizontal overlap that merges boxes of two layers */
#define ROUND 8.0  /* radius of the corners */
#define LABEL_SIZE 11.0
#define BETWEEN 6.0 /* minimum gap between widened boxes */
#define NEAR 2	    /* layers above and below that a box is widened to */

/* Neighbouring nodes of one library in a layer, and the box around them. */
struct run {
	uint32_t library, rank, nodes;
	uint32_t piece; /* first run of the merged area */
	double left, right, top, bottom;
};

struct hulls {
	const struct pipa_graph_drawing *d;
	uint32_t *order; /* nodes by layer, left to right */
	struct run *runs;
	size_t n;
};

static int by_place(const void *a, const void *b, void *ctx)
{
	const struct pipa_graph_layout_node *nodes = ctx;
	const struct pipa_graph_layout_node *x = &nodes[*(const uint32_t *)a];
	const struct pipa_graph_layout_node *y = &nodes[*(const uint32_t *)b];

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->x < y->x || x->x > y->x)
		return x->x < y->x ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void find_runs(struct hulls *h)
{
	const struct pipa_graph_layout *l = &h->d->layout;
	struct run *run = NULL;
	size_t i;

	for (i = 0; i < l->n_nodes; i++) {
		const struct pipa_graph_layout_node *node = &l->nodes[h->order[i]];
		uint32_t library = h->d->libraries.of_node[h->order[i]];

		if (!run || run->rank != node->rank || run->library != library) {
			run = &h->runs[h->n];
			*run = (struct run){ library,  node->rank, 0,	     (uint32_t)h->n,
					     INFINITY, -INFINITY,  INFINITY, -INFINITY };
			h->n++;
		}
		run->nodes++;
		run->left = fmin(run->left, node->x - node->width / 2 - PAD);
		run->right = fmax(run->right, node->x + node->width / 2 + PAD);
		run->top = fmin(run->top, node->y - node->height / 2 - PAD);
		run->bottom = fmax(run->bottom, node->y + node->height / 2 + PAD);
	}
}

/* Return the horizontal overlap of two runs. */
static double horizontal_overlap(const struct run *a, const struct run *b)
{
	return fmin(a->right, b->right) - fmax(a->left, b->left);
}

static bool grows_together(const struct run *above, const struct run *below)
{
	return above->library == below->library && above->rank + 1 == below->rank &&
	       horizontal_overlap(above, below) >= LEAST;
}

/* Merge runs in layer order: the first run of an area is a topmost one. */
static void join_runs(struct hulls *h)
{
	size_t i, k, first = 0, other;

	for (i = 0; i < h->n; i++) {
		while (h->runs[first].rank + 1 < h->runs[i].rank)
			first++;
		for (k = first; k < i; k++) {
			uint32_t from = h->runs[i].piece, to = h->runs[k].piece;

			if (!grows_together(&h->runs[k], &h->runs[i]) || from == to)
				continue;
			for (other = 0; other <= i; other++)
				if (h->runs[other].piece == from || h->runs[other].piece == to)
					h->runs[other].piece = from < to ? from : to;
		}
	}
}

/* ---- even sides ------------------------------------------------------------------------------------ */

/* Return the run of an area in a layer, or NULL. */
static const struct run *run_in(const struct hulls *h, uint32_t piece, size_t near, int64_t rank)
{
	size_t i = near;

	while (i && h->runs[i].rank >= rank)
		i--;
	for (; i < h->n && h->runs[i].rank <= rank; i++)
		if (h->runs[i].piece == piece && h->runs[i].rank == rank)
			return &h->runs[i];
	return NULL;
}

/* Compute how far an area extends to the left and right in the layers around a run. */
static void area_extent(const struct hulls *h, const struct run *run, int64_t rank, double *left,
			double *right)
{
	const struct run *other;
	int64_t i;

	*left = INFINITY;
	*right = -INFINITY;
	for (i = rank - NEAR; i <= rank + NEAR; i++) {
		other = run_in(h, run->piece, (size_t)(run - h->runs), i);
		if (!other)
			continue;
		*left = fmin(*left, other->left);
		*right = fmax(*right, other->right);
	}
}

/* Widen a box to the width of the layers above and below, as far as no other node is in between. */
static void widen_box(const struct hulls *h, const struct run *run, double *left, double *right)
{
	size_t at = (size_t)(run - h->runs);
	double l, r;
	int64_t i;

	*left = -INFINITY;
	*right = INFINITY;
	for (i = (int64_t)run->rank - NEAR; i <= (int64_t)run->rank + NEAR; i++) {
		if (!run_in(h, run->piece, at, i))
			continue;
		area_extent(h, run, i, &l, &r);
		*left = fmax(*left, l);
		*right = fmin(*right, r);
	}
	*left = fmin(*left, run->left);
	*right = fmax(*right, run->right);
}

static void even_out_boxes(struct hulls *h, double *left, double *right)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		widen_box(h, &h->runs[i], &left[i], &right[i]);
	for (i = 0; i < h->n; i++) {
		struct run *run = &h->runs[i];

		if (i && run[-1].rank == run->rank)
			left[i] = fmin(fmax(left[i], run[-1].right + BETWEEN), run->left);
		if (i + 1 < h->n && run[1].rank == run->rank)
			right[i] = fmax(fmin(right[i], run[1].left - BETWEEN), run->right);
		run->left = left[i];
		run->right = right[i];
	}
}

/* ---- drawing ---------------------------------------------------------------------------------------- */

static void put_rect(struct pipa_buf *out, const char *class, double left, double top, double right,
		     double bottom, double rounded)
{
	pipa_buf_printf(out,
			"<rect%s x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
			"rx=\"%.0f\"/>",
			class, left, top, right - left, bottom - top, rounded);
}

/* Draw the boxes of an area and the parts that join them. */
static void put_boxes(const struct hulls *h, uint32_t piece, const char *class,
		      struct pipa_buf *out)
{
	size_t i, k;

	for (i = piece; i < h->n; i++) {
		const struct run *run = &h->runs[i];

		if (run->piece != piece)
			continue;
		put_rect(out, class, run->left, run->top - (i == piece ? LABEL - PAD : 0),
			 run->right, run->bottom, ROUND);
		for (k = i + 1; k < h->n && h->runs[k].rank <= run->rank + 1; k++)
			if (grows_together(run, &h->runs[k]))
				put_rect(out, class, fmax(run->left, h->runs[k].left),
					 run->bottom - ROUND, fmin(run->right, h->runs[k].right),
					 h->runs[k].top + ROUND, 0);
	}
}

static uint32_t color_of(const struct run *run)
{
	return run->library < PIPA_GRAPH_LIBRARIES ? run->library : PIPA_GRAPH_LIBRARIES;
}

static void put_name(const struct hulls *h, const struct run *run, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf name = { 0 };
	uint32_t node = h->d->libraries.items[run->library].node;
	double room = (run->right - run->left - 2 * PAD) / (LABEL_SIZE * 0.62);

	pipa_graph_text(&name, pipa_graph_library(h->d->graph, node), room > 8 ? (size_t)room : 8);
	pipa_buf_printf(out, "<text class=\"k k%u\" x=\"%.1f\" y=\"%.1f\">", color_of(run),
			run->left + PAD, run->top - LABEL + PAD + 12);
	pipa_graph_xml(out, pipa_buf_str(&name));
	pipa_buf_puts(out, "</text>\n");
	pipa_graph_pass_failure(&name, out);
}

/* Draw all outlines first, then the fills: the visible rest is the outline of the area. */
static void put_piece(const struct hulls *h, uint32_t piece, struct pipa_buf *out)
{
	pipa_buf_printf(out, "<g class=\"c c%u\">", color_of(&h->runs[piece]));
	put_boxes(h, piece, "", out);
	put_boxes(h, piece, " class=\"f\"", out);
	pipa_buf_puts(out, "</g>\n");
}

static uint32_t nodes_of(const struct hulls *h, uint32_t piece)
{
	uint32_t n = 0;
	size_t i;

	for (i = piece; i < h->n; i++)
		n += h->runs[i].piece == piece ? h->runs[i].nodes : 0;
	return n;
}

int pipa_graph_draw_hulls(const struct pipa_graph_drawing *d, struct pipa_buf *names)
{
	size_t n = d->layout.n_nodes;
	PIPA_AUTO(free) uint32_t *order = malloc((n + 1) * sizeof(*order));
	PIPA_AUTO(free) struct run *runs = malloc((n + 1) * sizeof(*runs));
	PIPA_AUTO(free) double *left = malloc((n + 1) * sizeof(*left));
	PIPA_AUTO(free) double *right = malloc((n + 1) * sizeof(*right));
	struct hulls h = { d, order, runs, 0 };
	uint32_t i;

	if (!order || !runs || !left || !right)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), by_place, d->layout.nodes);
	find_runs(&h);
	join_runs(&h);
	even_out_boxes(&h, left, right);
	for (i = 0; i < h.n; i++)
		if (runs[i].piece == i && nodes_of(&h, i) > 1) {
			put_piece(&h, i, d->out);
			put_name(&h, &runs[i], names);
		}
	return 0;
}
