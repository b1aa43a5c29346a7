#include "analyze/profile/callgraph.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/callgraph_own.h"
#include "base/auto.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/vec.h"

void pipa_callgraph_done(struct pipa_callgraph *g)
{
	free(g->nodes.items);
	pipa_index_done(&g->nodes.index);
	free(g->edges.items);
	pipa_index_done(&g->edges.index);
	free(g->class_of);
	free(g->marks);
	free(g->own);
	free(g->whole);
	pipa_frames_done(&g->frames);
	*g = (struct pipa_callgraph){ 0 };
}

double pipa_callgraph_percent(const struct pipa_callgraph *g, uint64_t weight)
{
	return g->all.weight ? (double)weight / (double)g->all.weight * 100 : 0;
}

static void add_weight(struct pipa_weight *to, const struct pipa_weight *weight)
{
	to->weight += weight->weight;
	to->count += weight->count;
}

/* ---- functions -------------------------------------------------------------------------------------- */

/* Find the node of a function, adding it if missing; PIPA_NONE on allocation failure. */
static uint32_t find_node(struct pipa_callgraph *g, uint32_t object, uint32_t symbol)
{
	uint64_t hash = pipa_hash_u64((uint64_t)object << 32 | symbol, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&g->nodes.index, hash);
	struct pipa_callgraph_node *node;

	for (; g->nodes.items && slot->id; slot = pipa_index_after(&g->nodes.index, slot))
		if (g->nodes.items[slot->id - 1].object == object &&
		    g->nodes.items[slot->id - 1].symbol == symbol)
			return slot->id - 1;
	node = PIPA_VEC_ADD(&g->nodes);
	if (!node || pipa_index_add(&g->nodes.index, hash, (uint32_t)g->nodes.n - 1) < 0)
		return PIPA_NONE;
	*node = (struct pipa_callgraph_node){ .object = object, .symbol = symbol };
	return (uint32_t)g->nodes.n - 1;
}

/* Does the name match, with or without parameters? */
static bool matches_name(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);

	return strncmp(name, wanted, len) == 0 && (!name[len] || name[len] == '(');
}

static uint8_t mark_of(const struct pipa_callgraph_options *o, const regex_t *focus,
		       const char *name)
{
	uint8_t mark = 0;

	if (focus && regexec(focus, name, 0, NULL, 0) == 0)
		mark |= PIPA_CALLGRAPH_FOCUS;
	if (o->callers_of && matches_name(name, o->callers_of))
		mark |= PIPA_CALLGRAPH_CALLERS;
	if (o->callees_of && matches_name(name, o->callees_of))
		mark |= PIPA_CALLGRAPH_CALLEES;
	return mark;
}

/* Assign each frame to its function, with the marks of the options. */
static int classify(struct pipa_callgraph *g, const regex_t *focus)
{
	PIPA_AUTO(free) uint8_t *marks = NULL;
	size_t i;
	char buf[64];

	for (i = 0; i < g->frames.n; i++) {
		const struct pipa_frame *frame = &g->frames.items[i];

		g->class_of[i] = find_node(g, frame->object, frame->symbol);
		if (g->class_of[i] == PIPA_NONE)
			return -ENOMEM;
	}
	marks = malloc(g->nodes.n + 1);
	if (!marks)
		return -ENOMEM;
	for (i = 0; i < g->nodes.n; i++)
		marks[i] = mark_of(&g->o, focus,
				   pipa_frame_text(g->profile, g->nodes.items[i].symbol, buf));
	for (i = 0; i < g->frames.n; i++)
		g->marks[i] = marks[g->class_of[i]];
	return 0;
}

/* ---- samples ---------------------------------------------------------------------------------------- */

/* Is it of the event? Unnamed events come from files without event names. */
static bool is_of_event(const struct pipa_callgraph *g, uint32_t event)
{
	const struct pipa_profile *p = g->profile;

	return g->o.event == PIPA_NONE || event == g->o.event || event >= p->events.n ||
	       p->events.items[event].name == 0;
}

static bool is_of_comm(const struct pipa_callgraph *g, uint32_t thread)
{
	const struct pipa_profile *p = g->profile;

	if (!g->o.comms)
		return true;
	return thread < p->threads.n &&
	       pipa_str_listed(g->o.comms, pipa_profile_string(p, p->threads.items[thread].comm),
			       false);
}

/* Set for each stack the marks of all its frames. */
static void mark_stacks(const struct pipa_callgraph *g, uint8_t *ret)
{
	const struct pipa_profile *p = g->profile;
	uint32_t s, first, n;

	for (s = 0; s < p->stacks.n; s++) {
		uint32_t parent = p->stacks.items[s].parent;

		ret[s] = parent == PIPA_NONE ? 0 : ret[parent];
		first = pipa_callgraph_frames(p, s, &n);
		while (n--)
			ret[s] |= g->marks[first + n];
	}
}

/* Does the stack contain the functions that the options require: focus, and callers or callees? */
static bool is_selected(const struct pipa_callgraph_options *o, uint8_t marks)
{
	if (o->focus && !(marks & PIPA_CALLGRAPH_FOCUS))
		return false;
	return (!o->callers_of && !o->callees_of) ||
	       marks & (PIPA_CALLGRAPH_CALLERS | PIPA_CALLGRAPH_CALLEES);
}

static int add_samples(struct pipa_callgraph *g, const uint8_t *marks)
{
	const struct pipa_profile *p = g->profile;
	uint32_t node;
	size_t i;

	for (i = 0; i < p->samples.n; i++) {
		const struct pipa_sample *s = &p->samples.items[i];
		const struct pipa_weight weight = { s->weight, s->count };

		if (!is_of_event(g, s->event))
			continue;
		add_weight(&g->all, &weight);
		if (!is_of_comm(g, s->thread) ||
		    !is_selected(&g->o, s->stack == PIPA_NONE ? 0 : marks[s->stack]))
			continue;
		add_weight(&g->chosen, &weight);
		if (s->stack != PIPA_NONE) {
			add_weight(&g->own[s->stack], &weight);
			continue;
		}
		node = find_node(g, PIPA_NONE, PIPA_NONE);
		if (node == PIPA_NONE)
			return -ENOMEM;
		add_weight(&g->nodes.items[node].self, &weight);
		add_weight(&g->nodes.items[node].total, &weight);
	}
	return 0;
}

/* Add weights to callers: the index of a stack is larger than its parent's. */
static void add_to_callers(struct pipa_callgraph *g)
{
	const struct pipa_profile *p = g->profile;
	size_t s;

	for (s = p->stacks.n; s--;) {
		add_weight(&g->whole[s], &g->own[s]);
		if (p->stacks.items[s].parent != PIPA_NONE)
			add_weight(&g->whole[p->stacks.items[s].parent], &g->whole[s]);
	}
}

/* ---- order ------------------------------------------------------------------------------------------ */

static int compare_u64(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int by_weight(const void *x, const void *y, void *ctx)
{
	const struct pipa_callgraph *g = ctx;
	const struct pipa_callgraph_node *a = &g->nodes.items[*(const uint32_t *)x];
	const struct pipa_callgraph_node *b = &g->nodes.items[*(const uint32_t *)y];
	char text_a[64], text_b[64];
	int order = compare_u64(a->total.weight, b->total.weight);

	if (!order)
		order = compare_u64(a->total.count, b->total.count);
	if (!order)
		order = compare_u64(a->self.weight, b->self.weight);
	if (!order)
		order = strcmp(pipa_frame_text(g->profile, a->symbol, text_a),
			       pipa_frame_text(g->profile, b->symbol, text_b));
	if (!order)
		order = strcmp(pipa_frame_mark(a->symbol), pipa_frame_mark(b->symbol));
	if (!order)
		order = strcmp(pipa_object_short(g->profile, a->object),
			       pipa_object_short(g->profile, b->object));
	return order ? order : *(const uint32_t *)x < *(const uint32_t *)y ? -1 : 1;
}

static int by_edge(const void *x, const void *y)
{
	const struct pipa_callgraph_edge *a = x, *b = y;
	int order = compare_u64(a->weight.weight, b->weight.weight);

	if (!order)
		order = a->from != b->from ? (a->from < b->from ? -1 : 1) : 0;
	return order ? order : a->to < b->to ? -1 : a->to > b->to;
}

/*
 * Keep the first n nodes of the order; node_of maps old indices to new ones. Edges are recomputed
 * among them.
 */
static int keep_nodes(struct pipa_callgraph *g, const uint32_t *order, size_t n, uint32_t *node_of)
{
	struct pipa_callgraph_node *kept = malloc((n + 1) * sizeof(*kept));
	size_t i;
	int rc;

	if (!kept)
		return -ENOMEM;
	for (i = 0; i < g->nodes.n; i++)
		node_of[i] = PIPA_NONE;
	for (i = 0; i < n; i++) {
		kept[i] = g->nodes.items[order[i]];
		node_of[order[i]] = (uint32_t)i;
	}
	rc = pipa_callgraph_walk(g, node_of);
	free(g->nodes.items);
	pipa_index_done(&g->nodes.index);
	g->nodes.items = kept;
	g->nodes.n = g->nodes.cap = n;
	return rc;
}

static int sort_nodes(struct pipa_callgraph *g, uint32_t **ret_order)
{
	uint32_t *order = malloc((g->nodes.n + 1) * sizeof(*order));
	size_t i;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < g->nodes.n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, g->nodes.n, sizeof(*order), by_weight, g);
	*ret_order = order;
	return 0;
}

/* ---- all of it -------------------------------------------------------------------------------------- */

static int sum_up(struct pipa_callgraph *g)
{
	PIPA_AUTO(free) uint8_t *marks = malloc(g->profile->stacks.n + 1);
	size_t i;
	int rc;

	if (!marks)
		return -ENOMEM;
	mark_stacks(g, marks);
	rc = add_samples(g, marks);
	if (rc < 0)
		return rc;
	add_to_callers(g);
	rc = pipa_callgraph_walk(g, NULL);
	g->n_calls = g->edges.n;
	for (i = 0; i < g->nodes.n; i++)
		g->n_functions += g->nodes.items[i].total.count > 0;
	return rc;
}

static int build_graph(struct pipa_callgraph *g, const regex_t *focus)
{
	const struct pipa_profile *p = g->profile;
	int rc = pipa_frames_make(p, false, &g->frames);

	if (rc < 0)
		return rc;
	g->class_of = malloc((g->frames.n + 1) * sizeof(*g->class_of));
	g->marks = malloc(g->frames.n + 1);
	g->own = calloc(p->stacks.n + 1, sizeof(*g->own));
	g->whole = calloc(p->stacks.n + 1, sizeof(*g->whole));
	if (!g->class_of || !g->marks || !g->own || !g->whole)
		return -ENOMEM;
	rc = classify(g, focus);
	return rc < 0 ? rc : sum_up(g);
}

/* Refuse a name that matches nothing: an empty image would hide the mistake. */
static int refuse_nothing(const struct pipa_callgraph *g, struct pipa_error *err)
{
	const char *name = g->o.callers_of ? g->o.callers_of : g->o.callees_of;
	struct pipa_nearest near = { .wanted = name };
	char hint[200], buf[64];
	uint8_t seen = 0;
	size_t i;

	for (i = 0; i < g->frames.n; i++)
		seen |= g->marks[i];
	if (g->o.focus && !(seen & PIPA_CALLGRAPH_FOCUS))
		return pipa_refuse(err, -EINVAL, "no function matches '%s'", g->o.focus);
	if (!name || seen & (PIPA_CALLGRAPH_CALLERS | PIPA_CALLGRAPH_CALLEES))
		return 0;
	for (i = 0; i < g->nodes.n; i++)
		pipa_nearest_offer(&near,
				   pipa_frame_text(g->profile, g->nodes.items[i].symbol, buf));
	pipa_refuse(err, -EINVAL, "no function '%s'", name);
	pipa_nearest_hint(&near, hint, sizeof(hint));
	return hint[0] ? pipa_hint(err, "%s", hint) : -EINVAL;
}

int pipa_callgraph_make(const struct pipa_profile *profile,
			const struct pipa_callgraph_options *options, struct pipa_callgraph *ret,
			struct pipa_error *err)
{
	struct pipa_callgraph g = { .profile = profile, .o = *options };
	regex_t focus;
	char text[120];
	int rc;

	if (options->focus) {
		rc = regcomp(&focus, options->focus, REG_EXTENDED | REG_NOSUB);
		if (rc) {
			regerror(rc, &focus, text, sizeof(text));
			return pipa_refuse(err, -EINVAL, "'%s': %s", options->focus, text);
		}
	}
	rc = build_graph(&g, options->focus ? &focus : NULL);
	if (options->focus)
		regfree(&focus);
	rc = rc < 0 ? pipa_fail(err, rc, "make the call graph") : refuse_nothing(&g, err);
	if (rc < 0)
		pipa_callgraph_done(&g);
	else
		*ret = g;
	return rc;
}

/* ---- pruning ---------------------------------------------------------------------------------------- */

/* Count the nodes above the limit; nodes without samples were removed already. */
static size_t count_heavy(const struct pipa_callgraph *g, const uint32_t *order, double min_percent)
{
	double least = (double)g->chosen.weight * min_percent / 100;
	size_t n;

	for (n = 0; n < g->nodes.n; n++) {
		const struct pipa_weight *total = &g->nodes.items[order[n]].total;

		if (!total->weight || (double)total->weight < least)
			break;
	}
	return n;
}

/* Return the rank of a node: self counts more than children, because users look for it. */
static double rank_of(const struct pipa_callgraph *g, uint32_t node)
{
	return (double)g->nodes.items[node].total.weight +
	       3 * (double)g->nodes.items[node].self.weight;
}

static int by_rank(const void *x, const void *y, void *ctx)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	double more = rank_of(ctx, a) - rank_of(ctx, b);

	return more > 0 ? -1 : more < 0 ? 1 : by_weight(x, y, ctx);
}

/* Move the highest-ranked nodes to the front, in order of weight; returns their number. */
static size_t choose_nodes(struct pipa_callgraph *g, uint32_t *order,
			   const struct pipa_callgraph_limits *limits)
{
	size_t n = count_heavy(g, order, limits->min_node);

	if (!limits->max_nodes || n <= limits->max_nodes)
		return n;
	qsort_r(order, n, sizeof(*order), by_rank, g);
	qsort_r(order, limits->max_nodes, sizeof(*order), by_weight, g);
	return limits->max_nodes;
}

/*
 * Remove light edges. Edges are sorted by weight: the first edge to a node is its heaviest and
 * stays.
 */
static void prune_edges(struct pipa_callgraph *g, double min_percent, bool *reached)
{
	double least = (double)g->chosen.weight * min_percent / 100;
	size_t i, n = 0;

	for (i = 0; i < g->edges.n; i++) {
		const struct pipa_callgraph_edge *edge = &g->edges.items[i];
		bool first = edge->from != edge->to && !reached[edge->to];

		if (!edge->weight.weight || (!first && (double)edge->weight.weight < least))
			continue;
		reached[edge->to] |= first;
		g->edges.items[n++] = *edge;
	}
	g->edges.n = n;
}

int pipa_callgraph_prune(struct pipa_callgraph *g, const struct pipa_callgraph_limits *limits)
{
	PIPA_AUTO(free) uint32_t *node_of = malloc((g->nodes.n + 1) * sizeof(*node_of));
	PIPA_AUTO(free) bool *reached = calloc(g->nodes.n + 1, sizeof(*reached));
	PIPA_AUTO(free) uint32_t *order = NULL;
	int rc = node_of && reached ? sort_nodes(g, &order) : -ENOMEM;

	if (!rc)
		rc = keep_nodes(g, order, choose_nodes(g, order, limits), node_of);
	if (rc < 0)
		return rc;
	if (g->edges.n)
		qsort(g->edges.items, g->edges.n, sizeof(*g->edges.items), by_edge);
	prune_edges(g, limits->min_edge, reached);
	return 0;
}
