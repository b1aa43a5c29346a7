#include "export/graph/graph_layout.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "export/graph/graph_layout_own.h"

#define MOST_BENDS 100000 /* bends of all edges together */
#define BEND_WIDTH 6.0
#define FAR 1000.0    /* horizontal distance of an edge that doubles the gap below its layer */
#define PORT_STEP 9.0 /* distance between the ends of edges at a node, if it is wide enough */

void pipa_graph_layout_done(struct pipa_graph_layout *l)
{
	free(l->points);
	l->points = NULL;
	l->n_points = 0;
}

static void sketch_done(struct pipa_sketch *s)
{
	free(s->rank);
	free(s->turned);
	free(s->bend);
	free(s->seg);
	free(s->place);
	free(s->width);
	free(s->x);
	free(s->segs);
	free(s->up.start);
	free(s->up.items);
	free(s->down.start);
	free(s->down.items);
	free(s->layers.start);
	free(s->layers.items);
	free(s->cursor);
}

/* Return the upper end of an edge as it is drawn. */
static uint32_t top_of(const struct pipa_sketch *s, size_t edge)
{
	return s->turned[edge] ? s->layout->edges[edge].to : s->layout->edges[edge].from;
}

static uint32_t bottom_of(const struct pipa_sketch *s, size_t edge)
{
	return s->turned[edge] ? s->layout->edges[edge].from : s->layout->edges[edge].to;
}

static bool is_loop(const struct pipa_sketch *s, size_t edge)
{
	return s->layout->edges[edge].from == s->layout->edges[edge].to;
}

/* Return the number of layers between the ends of an edge. */
static uint32_t layers_between(const struct pipa_sketch *s, size_t edge)
{
	const struct pipa_graph_layout_node *nodes = s->layout->nodes;

	return nodes[bottom_of(s, edge)].rank - nodes[top_of(s, edge)].rank - 1;
}

/* ---- the sketch ------------------------------------------------------------------------------------- */

/* Count items and segments. Edges beyond the limit on bends get none. */
static void count_items(struct pipa_sketch *s)
{
	const struct pipa_graph_layout *l = s->layout;
	size_t i, bends = 0;

	for (i = 0; i < l->n_nodes; i++)
		if (l->nodes[i].rank >= s->n_ranks)
			s->n_ranks = l->nodes[i].rank + 1;
	for (i = 0; i < l->n_edges; i++) {
		s->bend[i] = s->seg[i] = PIPA_SKETCH_NONE;
		if (is_loop(s, i) || bends + layers_between(s, i) > MOST_BENDS)
			continue;
		s->bend[i] = (uint32_t)(l->n_nodes + bends);
		s->seg[i] = (uint32_t)s->n_segs;
		bends += layers_between(s, i);
		s->n_segs += layers_between(s, i) + 1;
	}
	s->n_items = l->n_nodes + bends;
}

static int allocate(struct pipa_sketch *s)
{
	size_t n = s->n_items + 2, m = s->n_segs + 1;

	s->rank = malloc(n * sizeof(*s->rank));
	s->place = calloc(n, sizeof(*s->place));
	s->width = malloc(n * sizeof(*s->width));
	s->x = calloc(n, sizeof(*s->x));
	s->cursor = calloc(n, sizeof(*s->cursor));
	s->segs = calloc(m, sizeof(*s->segs));
	s->up.start = calloc(n, sizeof(*s->up.start));
	s->up.items = malloc(m * sizeof(*s->up.items));
	s->down.start = calloc(n, sizeof(*s->down.start));
	s->down.items = malloc(m * sizeof(*s->down.items));
	s->layers.start = calloc(s->n_ranks + 2, sizeof(*s->layers.start));
	s->layers.items = malloc(n * sizeof(*s->layers.items));
	return s->rank && s->place && s->width && s->x && s->cursor && s->segs && s->up.start &&
			       s->up.items && s->down.start && s->down.items && s->layers.start &&
			       s->layers.items ?
		       0 :
		       -ENOMEM;
}

static void add_edge(struct pipa_sketch *s, size_t edge)
{
	uint32_t n = layers_between(s, edge), from = top_of(s, edge), k;

	for (k = 0; k <= n; k++) {
		uint32_t to = k < n ? s->bend[edge] + k : bottom_of(s, edge);

		s->segs[s->seg[edge] + k] = (struct pipa_sketch_seg){
			.top = from,
			.bottom = to,
			.weight = s->layout->edges[edge].weight,
			.inner = k && k < n,
		};
		if (k < n) {
			s->rank[to] = s->layout->nodes[top_of(s, edge)].rank + 1 + k;
			s->width[to] = BEND_WIDTH;
		}
		from = to;
	}
}

/* List segments by item, not yet sorted. */
static void list_segs(struct pipa_sketch *s, bool up, struct pipa_sketch_lists *lists)
{
	uint32_t i;

	for (i = 0; i < s->n_segs; i++)
		lists->start[(up ? s->segs[i].bottom : s->segs[i].top) + 1]++;
	for (i = 0; i < s->n_items; i++)
		lists->start[i + 1] += lists->start[i];
	memcpy(s->cursor, lists->start, s->n_items * sizeof(*s->cursor));
	for (i = 0; i < s->n_segs; i++)
		lists->items[s->cursor[up ? s->segs[i].bottom : s->segs[i].top]++] = i;
}

static int make_sketch(struct pipa_sketch *s)
{
	const struct pipa_graph_layout *l = s->layout;
	size_t i;
	int rc;

	count_items(s);
	rc = allocate(s);
	if (rc < 0)
		return rc;
	for (i = 0; i < l->n_nodes; i++) {
		s->rank[i] = l->nodes[i].rank;
		s->width[i] = l->nodes[i].width;
	}
	for (i = 0; i < l->n_edges; i++)
		if (s->seg[i] != PIPA_SKETCH_NONE)
			add_edge(s, i);
	list_segs(s, true, &s->up);
	list_segs(s, false, &s->down);
	for (i = 0; i < s->n_items; i++)
		s->layers.start[s->rank[i] + 1]++;
	for (i = 0; i < s->n_ranks; i++)
		s->layers.start[i + 1] += s->layers.start[i];
	return 0;
}

/* ---- onto paper ------------------------------------------------------------------------------------- */

struct paper {
	struct pipa_sketch *s;
	double *top, *bottom;	 /* [rank] */
	double *gap;		 /* [rank] maximum horizontal distance of edges below it */
	uint32_t *above, *below; /* [segment] its index in the list of the item above, below */
};

/* Shift x coordinates to start at 0, in integers. */
static void set_x(struct pipa_sketch *s)
{
	struct pipa_graph_layout *l = s->layout;
	double low = INFINITY;
	size_t i;

	for (i = 0; i < s->n_items; i++)
		low = fmin(low, s->x[i] - s->width[i] / 2);
	for (i = 0; i < s->n_items; i++) {
		s->x[i] = round(s->x[i] - low);
		l->width = fmax(l->width, ceil(s->x[i] + s->width[i] / 2));
	}
	for (i = 0; i < l->n_nodes; i++)
		l->nodes[i].x = s->x[i];
}

/* Set y of each layer, with a larger gap where an edge covers a large horizontal distance. */
static void set_y(struct paper *p)
{
	struct pipa_sketch *s = p->s;
	struct pipa_graph_layout *l = s->layout;
	double y = 0;
	size_t i;

	for (i = 0; i < s->n_segs; i++) {
		double *gap = &p->gap[s->rank[s->segs[i].top]];

		*gap = fmax(*gap, fabs(s->x[s->segs[i].top] - s->x[s->segs[i].bottom]));
	}
	for (i = 0; i < l->n_nodes; i++)
		p->bottom[l->nodes[i].rank] = fmax(p->bottom[l->nodes[i].rank], l->nodes[i].height);
	for (i = 0; i < s->n_ranks; i++) {
		p->top[i] = y;
		p->bottom[i] += y;
		l->height = p->bottom[i];
		y = round(p->bottom[i] + l->rank_gap * (1 + fmin(1, p->gap[i] / FAR)));
	}
	for (i = 0; i < l->n_nodes; i++)
		l->nodes[i].y = (p->top[l->nodes[i].rank] + p->bottom[l->nodes[i].rank]) / 2;
}

static void number_ports(const struct pipa_sketch *s, const struct pipa_sketch_lists *lists,
			 uint32_t *ret)
{
	uint32_t i, k;

	for (i = 0; i < s->n_items; i++)
		for (k = lists->start[i]; k < lists->start[i + 1]; k++)
			ret[lists->items[k]] = k - lists->start[i];
}

/* Return the x at which an edge meets a node. Edge ends are side by side in their order. */
static double port_of(const struct pipa_sketch *s, const struct pipa_sketch_lists *lists,
		      uint32_t node, const uint32_t *nth)
{
	uint32_t n = lists->start[node + 1] - lists->start[node];
	double step = fmin(PORT_STEP, s->layout->nodes[node].width * 0.7 / n);

	return s->x[node] + (*nth - (n - 1) / 2.0) * step;
}

static void put_pair(struct pipa_graph_layout *l, double x, double top, double bottom)
{
	l->points[l->n_points++] = (struct pipa_graph_layout_point){ x, top };
	l->points[l->n_points++] = (struct pipa_graph_layout_point){ x, bottom };
}

static void turn_points(struct pipa_graph_layout_point *points, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n / 2; i++) {
		struct pipa_graph_layout_point point = points[i];

		points[i] = points[n - 1 - i];
		points[n - 1 - i] = point;
	}
}

static void set_edge(const struct paper *p, size_t number)
{
	const struct pipa_sketch *s = p->s;
	struct pipa_graph_layout *l = s->layout;
	struct pipa_graph_layout_edge *edge = &l->edges[number];
	uint32_t top = top_of(s, number), bottom = bottom_of(s, number), seg = s->seg[number], k;
	uint32_t bends = seg == PIPA_SKETCH_NONE ? 0 : layers_between(s, number);
	const struct pipa_graph_layout_node *high = &l->nodes[top], *low = &l->nodes[bottom];
	double start = high->x, end = low->x;

	if (seg != PIPA_SKETCH_NONE) {
		start = port_of(s, &s->down, top, &p->above[seg]);
		end = port_of(s, &s->up, bottom, &p->below[seg + bends]);
	}
	edge->first = (uint32_t)l->n_points;
	put_pair(l, start, high->y + high->height / 2, p->bottom[high->rank]);
	for (k = 0; k < bends; k++)
		put_pair(l, s->x[s->bend[number] + k], p->top[high->rank + 1 + k],
			 p->bottom[high->rank + 1 + k]);
	put_pair(l, end, p->top[low->rank], low->y - low->height / 2);
	edge->n = (uint32_t)l->n_points - edge->first;
	edge->upwards = s->turned[number];
	if (edge->upwards)
		turn_points(&l->points[edge->first], edge->n);
}

static int place_on_paper(struct pipa_sketch *s)
{
	struct pipa_graph_layout *l = s->layout;
	PIPA_AUTO(free) double *top = calloc(s->n_ranks + 1, sizeof(*top));
	PIPA_AUTO(free) double *bottom = calloc(s->n_ranks + 1, sizeof(*bottom));
	PIPA_AUTO(free) double *gap = calloc(s->n_ranks + 1, sizeof(*gap));
	PIPA_AUTO(free) uint32_t *above = malloc((s->n_segs + 1) * sizeof(*above));
	PIPA_AUTO(free) uint32_t *below = malloc((s->n_segs + 1) * sizeof(*below));
	struct paper p = { s, top, bottom, gap, above, below };
	size_t i;

	/* two points at either end of each edge, and two per bend */
	l->points = malloc((4 * l->n_edges + 2 * (s->n_items - l->n_nodes) + 1) *
			   sizeof(*l->points));
	if (!top || !bottom || !gap || !above || !below || !l->points)
		return -ENOMEM;
	number_ports(s, &s->down, above);
	number_ports(s, &s->up, below);
	set_x(s);
	set_y(&p);
	for (i = 0; i < l->n_edges; i++)
		if (!is_loop(s, i))
			set_edge(&p, i);
	return 0;
}

int pipa_graph_layout_make(struct pipa_graph_layout *l)
{
	struct pipa_sketch s = { .layout = l };
	size_t i;
	int rc;

	l->points = NULL;
	l->n_points = 0;
	l->width = l->height = 0;
	for (i = 0; i < l->n_edges; i++)
		l->edges[i].first = l->edges[i].n = 0;
	s.turned = calloc(l->n_edges + 1, sizeof(*s.turned));
	s.bend = malloc((l->n_edges + 1) * sizeof(*s.bend));
	s.seg = malloc((l->n_edges + 1) * sizeof(*s.seg));
	rc = s.turned && s.bend && s.seg ? pipa_sketch_rank(&s) : -ENOMEM;
	if (!rc)
		rc = make_sketch(&s);
	if (!rc)
		rc = pipa_sketch_order(&s);
	if (!rc)
		rc = pipa_sketch_place(&s);
	if (!rc)
		rc = place_on_paper(&s);
	sketch_done(&s);
	return rc;
}
