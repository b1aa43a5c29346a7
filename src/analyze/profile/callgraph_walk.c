/*
 * Compute nodes and edges in one depth-first walk of the tree of stacks. Nodes and edges on the
 * current path are marked: one that is on it already is recursion and is not counted again.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/profile/callgraph_own.h"
#include "base/auto.h"
#include "base/hash.h"
#include "base/vec.h"

/* State that a stack passes to those that extend it. */
struct step {
	uint32_t child, next;	  /* in the tree; PIPA_NONE: none */
	uint32_t last;		  /* the innermost node on the path */
	bool gap;		  /* hidden frames follow */
	bool inside;		  /* inside the function whose callees are shown */
	uint32_t trail;		  /* length of the path before */
	struct pipa_weight leads; /* weight of extending stacks that reach the function */
};

struct walk {
	struct pipa_callgraph *g;
	const uint32_t *node_of;
	struct step *steps; /* [stack] */
	bool *nodes;	    /* [node] on the path */
	struct {
		bool *items; /* [edge] on the path */
		size_t n, cap;
	} edges;
	struct {
		struct mark {
			bool edge;
			uint32_t number;
		} * items;
		size_t n, cap;
	} trail; /* everything on the path, in order */
	int status;
};

static void add_weight(struct pipa_weight *to, const struct pipa_weight *weight)
{
	to->weight += weight->weight;
	to->count += weight->count;
}

/* ---- what leads where ------------------------------------------------------------------------------- */

/* Find the innermost frame with the mark, counted from the innermost; n if none has it. */
static uint32_t find_mark(const struct pipa_callgraph *g, uint32_t first, uint32_t n, uint8_t mark)
{
	uint32_t k;

	for (k = 0; k < n && !(g->marks[first + k] & mark); k++)
		;
	return k;
}

/* Link children: the index of a stack is larger than its parent's. */
static void link_steps(struct walk *w)
{
	const struct pipa_callgraph *g = w->g;
	const struct pipa_profile *p = g->profile;
	uint32_t s, n, first;

	for (s = 0; s < p->stacks.n; s++)
		w->steps[s] = (struct step){ .child = PIPA_NONE, .next = PIPA_NONE };
	for (s = (uint32_t)p->stacks.n; s--;) {
		uint32_t parent = p->stacks.items[s].parent;

		if (parent == PIPA_NONE || !g->whole[s].count)
			continue;
		w->steps[s].next = w->steps[parent].child;
		w->steps[parent].child = s;
		first = pipa_callgraph_frames(p, s, &n);
		if (find_mark(g, first, n, PIPA_CALLGRAPH_CALLERS) < n)
			add_weight(&w->steps[parent].leads, &g->whole[s]);
		else
			add_weight(&w->steps[parent].leads, &w->steps[s].leads);
	}
}

/* Return the part of a stack's weight that belongs to its k-th frame under the options, or NULL. */
static const struct pipa_weight *weight_of(const struct walk *w, uint32_t stack, uint32_t first,
					   uint32_t k)
{
	const struct pipa_callgraph *g = w->g;
	const struct step *step = &w->steps[stack];

	if (!g->o.callers_of && !g->o.callees_of)
		return &g->whole[stack];
	if (step->inside || g->marks[first + k] & (PIPA_CALLGRAPH_CALLERS | PIPA_CALLGRAPH_CALLEES))
		return &g->whole[stack];
	if (!g->o.callers_of)
		return NULL;
	if (find_mark(g, first, k, PIPA_CALLGRAPH_CALLERS) < k)
		return &g->whole[stack];
	return step->leads.count ? &step->leads : NULL;
}

/* ---- the path --------------------------------------------------------------------------------------- */

static void push_path(struct walk *w, bool edge, uint32_t number)
{
	struct mark *mark = PIPA_VEC_ADD(&w->trail);

	if (!mark) {
		w->status = -ENOMEM;
		return;
	}
	*mark = (struct mark){ edge, number };
	(edge ? w->edges.items : w->nodes)[number] = true;
}

static void pop_path(struct walk *w, size_t until)
{
	while (w->trail.n > until) {
		const struct mark *mark = &w->trail.items[--w->trail.n];

		(mark->edge ? w->edges.items : w->nodes)[mark->number] = false;
	}
}

/* Return its index; PIPA_NONE on allocation failure. */
static uint32_t find_edge(struct walk *w, uint32_t from, uint32_t to)
{
	struct pipa_callgraph *g = w->g;
	uint64_t hash = pipa_hash_u64((uint64_t)from << 32 | to, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&g->edges.index, hash);
	struct pipa_callgraph_edge *edge;
	uint32_t number = (uint32_t)g->edges.n;

	for (; g->edges.items && slot->id; slot = pipa_index_after(&g->edges.index, slot))
		if (g->edges.items[slot->id - 1].from == from &&
		    g->edges.items[slot->id - 1].to == to)
			return slot->id - 1;
	edge = PIPA_VEC_ADD(&g->edges);
	if (!edge || !PIPA_VEC_ADD(&w->edges) || pipa_index_add(&g->edges.index, hash, number) < 0)
		return PIPA_NONE;
	*edge = (struct pipa_callgraph_edge){ .from = from, .to = to };
	return number;
}

static void enter_edge(struct walk *w, const struct step *step, uint32_t to,
		       const struct pipa_weight *weight)
{
	uint32_t edge = find_edge(w, step->last, to);

	if (edge == PIPA_NONE) {
		w->status = -ENOMEM;
		return;
	}
	w->g->edges.items[edge].direct |= !step->gap;
	if (w->edges.items[edge])
		return;
	push_path(w, true, edge);
	add_weight(&w->g->edges.items[edge].weight, weight);
}

static void enter_frame(struct walk *w, uint32_t stack, uint32_t first, uint32_t k)
{
	struct pipa_callgraph *g = w->g;
	struct step *step = &w->steps[stack];
	const struct pipa_weight *weight = weight_of(w, stack, first, k);
	uint32_t node = g->class_of[first + k];

	if (!weight) {
		step->last = PIPA_NONE;
		return;
	}
	node = w->node_of ? w->node_of[node] : node;
	if (node == PIPA_NONE) {
		step->gap = true;
		return;
	}
	if (step->last != PIPA_NONE)
		enter_edge(w, step, node, weight);
	if (k == 0 && !w->node_of && weight == &g->whole[stack])
		add_weight(&g->nodes.items[node].self, &g->own[stack]);
	if (!w->nodes[node]) {
		push_path(w, false, node);
		if (!w->node_of)
			add_weight(&g->nodes.items[node].total, weight);
	}
	step->last = node;
	step->gap = false;
}

static void enter(struct walk *w, uint32_t stack)
{
	const struct pipa_profile *p = w->g->profile;
	uint32_t parent = p->stacks.items[stack].parent, n, k;
	uint32_t first = pipa_callgraph_frames(p, stack, &n);
	struct step *step = &w->steps[stack];

	step->last = parent == PIPA_NONE ? PIPA_NONE : w->steps[parent].last;
	step->gap = parent != PIPA_NONE && w->steps[parent].gap;
	step->inside = parent != PIPA_NONE && w->steps[parent].inside;
	step->trail = (uint32_t)w->trail.n;
	for (k = n; k-- && !w->status;) { /* callers first */
		step->inside |= w->g->marks[first + k] & PIPA_CALLGRAPH_CALLEES;
		enter_frame(w, stack, first, k);
	}
}

static void walk_root(struct walk *w, uint32_t root)
{
	const struct pipa_profile *p = w->g->profile;
	uint32_t s = root;

	enter(w, s);
	while (!w->status) {
		if (w->steps[s].child != PIPA_NONE) {
			s = w->steps[s].child;
			enter(w, s);
			continue;
		}
		while (s != root && w->steps[s].next == PIPA_NONE) {
			pop_path(w, w->steps[s].trail);
			s = p->stacks.items[s].parent;
		}
		pop_path(w, w->steps[s].trail);
		if (s == root)
			return;
		s = w->steps[s].next;
		enter(w, s);
	}
}

static int walk_roots(struct walk *w)
{
	const struct pipa_profile *p = w->g->profile;
	uint32_t s;

	link_steps(w);
	for (s = 0; !w->status && s < p->stacks.n; s++)
		if (p->stacks.items[s].parent == PIPA_NONE && w->g->whole[s].count)
			walk_root(w, s);
	return w->status;
}

int pipa_callgraph_walk(struct pipa_callgraph *g, const uint32_t *node_of)
{
	struct walk w = { .g = g, .node_of = node_of };
	int rc;

	g->edges.n = 0;
	pipa_index_done(&g->edges.index);
	w.steps = malloc((g->profile->stacks.n + 1) * sizeof(*w.steps));
	w.nodes = calloc(g->nodes.n + 1, sizeof(*w.nodes));
	rc = w.steps && w.nodes ? walk_roots(&w) : -ENOMEM;
	free(w.steps);
	free(w.nodes);
	free(w.edges.items);
	free(w.trail.items);
	return rc;
}
