#include "export/exchange/graph_json.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/callgraph.h"
#include "base/auto.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/pieces.h"
#include "codec/doc.h"
#include "model/intern.h"
#include "model/profile.h"

struct node {
	uint32_t object, symbol; /* as in struct pipa_callgraph_node */
	uint32_t id;		 /* in the file; PIPA_NONE: no samples */
};

struct edge {
	uint32_t from, to; /* nodes */
};

/* Values of all nodes or edges: [row * events + event]. */
struct values {
	struct pipa_weight *items;
	size_t n, cap;
};

struct writer {
	const struct pipa_profile *p;
	uint32_t *events; /* of the profile: those with samples */
	size_t n_events;
	PIPA_TABLE(node) nodes;
	struct values self, total;
	PIPA_TABLE(edge) edges;
	struct values calls;
	uint32_t *order; /* nodes with samples, heaviest first */
	size_t n_order;
	struct pipa_doc doc;
	struct pipa_pieces out;
};

static void writer_done(struct writer *w)
{
	free(w->events);
	free(w->nodes.items);
	pipa_index_done(&w->nodes.index);
	free(w->self.items);
	free(w->total.items);
	free(w->edges.items);
	pipa_index_done(&w->edges.index);
	free(w->calls.items);
	free(w->order);
	pipa_buf_done(&w->out.buf);
}

/* ---- sums -------------------------------------------------------------------------------------- */

/* Return the values of a row, adding zeros up to it; NULL on allocation failure. */
static struct pipa_weight *values_of(const struct writer *w, struct values *values, size_t row)
{
	while (values->n < (row + 1) * w->n_events)
		if (!PIPA_VEC_ADD(values))
			return NULL;
	return &values->items[row * w->n_events];
}

static bool same_node(const struct node *a, const struct node *b)
{
	return a && a->object == b->object && a->symbol == b->symbol;
}

static bool same_edge(const struct edge *a, const struct edge *b)
{
	return a && a->from == b->from && a->to == b->to;
}

/* Add the nodes and edges of an event's graph, whose nodes are numbered for that event only. */
static int add_graph(struct writer *w, const struct pipa_callgraph *graph, size_t event)
{
	PIPA_AUTO(free) uint32_t *numbers = malloc((graph->nodes.n + 1) * sizeof(*numbers));
	struct pipa_weight *self, *total, *calls;
	size_t i;

	if (!numbers)
		return -ENOMEM;
	for (i = 0; i < graph->nodes.n; i++) {
		const struct pipa_callgraph_node *from = &graph->nodes.items[i];
		const struct node node = { from->object, from->symbol, PIPA_NONE };

		numbers[i] = PIPA_INTERN(&w->nodes,
					 pipa_hash_u64((uint64_t)node.object << 32 | node.symbol,
						       PIPA_HASH_SEED),
					 same_node, &node);
		if (numbers[i] == PIPA_NONE)
			return -ENOMEM;
		self = values_of(w, &w->self, numbers[i]);
		total = values_of(w, &w->total, numbers[i]);
		if (!self || !total)
			return -ENOMEM;
		self[event] = from->self;
		total[event] = from->total;
	}
	for (i = 0; i < graph->edges.n; i++) {
		const struct edge edge = { numbers[graph->edges.items[i].from],
					   numbers[graph->edges.items[i].to] };
		uint32_t number = PIPA_INTERN(&w->edges,
					      pipa_hash_u64((uint64_t)edge.from << 32 | edge.to,
							    PIPA_HASH_SEED),
					      same_edge, &edge);

		calls = number == PIPA_NONE ? NULL : values_of(w, &w->calls, number);
		if (!calls)
			return -ENOMEM;
		calls[event] = graph->edges.items[i].weight;
	}
	return 0;
}

static int add_events(struct writer *w)
{
	struct pipa_error err = { 0 };
	size_t i;
	int rc = 0;

	w->events = malloc((w->p->events.n + 1) * sizeof(*w->events));
	if (!w->events)
		return -ENOMEM;
	for (i = 0; i < w->p->events.n; i++)
		if (w->p->events.items[i].count || w->p->events.items[i].weight)
			w->events[w->n_events++] = (uint32_t)i;
	for (i = 0; !rc && i < w->n_events; i++) {
		PIPA_AUTO(pipa_callgraph_done) struct pipa_callgraph graph = { 0 };
		const struct pipa_callgraph_options options = { .event = w->events[i] };

		rc = pipa_callgraph_make(w->p, &options, &graph, &err);
		if (!rc)
			rc = add_graph(w, &graph, i);
	}
	return rc;
}

static int heaviest_first(const void *a_, const void *b_, void *ctx)
{
	const struct writer *w = ctx;
	uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;
	size_t k;

	for (k = 0; k < w->n_events; k++) {
		uint64_t x = w->total.items[a * w->n_events + k].weight;
		uint64_t y = w->total.items[b * w->n_events + k].weight;

		if (x != y)
			return x > y ? -1 : 1;
	}
	return a < b ? -1 : a > b;
}

/* Number the nodes that have samples. */
static int sort_nodes(struct writer *w)
{
	size_t i, k;

	w->order = malloc((w->nodes.n + 1) * sizeof(*w->order));
	if (!w->order)
		return -ENOMEM;
	for (i = 0; i < w->nodes.n; i++)
		for (k = 0; k < w->n_events; k++)
			if (w->total.items[i * w->n_events + k].count) {
				w->order[w->n_order++] = (uint32_t)i;
				break;
			}
	qsort_r(w->order, w->n_order, sizeof(*w->order), heaviest_first, w);
	for (i = 0; i < w->n_order; i++)
		w->nodes.items[w->order[i]].id = (uint32_t)i;
	return 0;
}

/* ---- text -------------------------------------------------------------------------------------- */

/* Write the weights of all events, or their numbers of samples. */
static void put_values(struct writer *w, const char *key, const struct pipa_weight *values,
		       bool samples)
{
	size_t k;

	pipa_doc_list(&w->doc, key);
	for (k = 0; k < w->n_events; k++)
		pipa_doc_u64(&w->doc, NULL, samples ? values[k].count : values[k].weight);
	pipa_doc_end(&w->doc);
}

static void put_events(struct writer *w)
{
	size_t i;

	pipa_doc_str(&w->doc, "schema", "pipa-graph/1");
	pipa_doc_list(&w->doc, "events");
	for (i = 0; i < w->n_events; i++) {
		const struct pipa_profile_event *event = &w->p->events.items[w->events[i]];

		pipa_doc_map(&w->doc, NULL);
		pipa_doc_str(&w->doc, "name", pipa_profile_string(w->p, event->name));
		pipa_doc_str(&w->doc, "unit",
			     event->unit ? pipa_profile_string(w->p, event->unit) :
					   PIPA_VALUE_COUNT);
		pipa_doc_u64(&w->doc, "weight", event->weight);
		pipa_doc_u64(&w->doc, "samples", event->count);
		if (event->scale > 1)
			pipa_doc_u64(&w->doc, "scale", event->scale);
		pipa_doc_end(&w->doc);
	}
	pipa_doc_end(&w->doc);
	pipa_doc_map(&w->doc, "losses");
	pipa_doc_u64(&w->doc, "samples", w->p->losses.lost_samples);
	pipa_doc_u64(&w->doc, "records", w->p->losses.lost_records);
	pipa_doc_u64(&w->doc, "throttled", w->p->losses.throttled);
	pipa_doc_end(&w->doc);
}

static void put_nodes(struct writer *w)
{
	char buf[64];
	size_t i;

	pipa_doc_list(&w->doc, "nodes");
	for (i = 0; i < w->n_order && pipa_pieces_flush(&w->out); i++) {
		const struct node *node = &w->nodes.items[w->order[i]];
		size_t first = w->order[i] * w->n_events;

		pipa_doc_map(&w->doc, NULL);
		pipa_doc_u64(&w->doc, "id", i);
		pipa_doc_str(&w->doc, "function", pipa_frame_text(w->p, node->symbol, buf));
		if (*pipa_frame_mark(node->symbol))
			pipa_doc_bool(&w->doc, "inlined", true);
		pipa_doc_str(&w->doc, "module", pipa_object_short(w->p, node->object));
		put_values(w, "self", &w->self.items[first], false);
		put_values(w, "total", &w->total.items[first], false);
		put_values(w, "self_samples", &w->self.items[first], true);
		put_values(w, "total_samples", &w->total.items[first], true);
		pipa_doc_end(&w->doc);
	}
	pipa_doc_end(&w->doc);
}

static void put_edges(struct writer *w)
{
	size_t i;

	pipa_doc_list(&w->doc, "edges");
	for (i = 0; i < w->edges.n && pipa_pieces_flush(&w->out); i++) {
		const struct edge *edge = &w->edges.items[i];
		const struct pipa_weight *values = &w->calls.items[i * w->n_events];

		pipa_doc_map(&w->doc, NULL);
		pipa_doc_u64(&w->doc, "from", w->nodes.items[edge->from].id);
		pipa_doc_u64(&w->doc, "to", w->nodes.items[edge->to].id);
		put_values(w, "weight", values, false);
		put_values(w, "samples", values, true);
		pipa_doc_end(&w->doc);
	}
	pipa_doc_end(&w->doc);
}

/* Write the modules with the sums of self, and their functions. */
static int put_modules(struct writer *w)
{
	size_t n = w->p->objects.n + 1, i, k; /* the last: unknown */
	struct pipa_weight *sums = calloc(n * w->n_events + 1, sizeof(*sums));
	uint32_t *first = malloc(n * sizeof(*first));
	uint32_t *next = malloc((w->n_order + 1) * sizeof(*next));
	int rc = sums && first && next ? 0 : -ENOMEM;

	if (rc)
		goto out;
	memset(first, 0xff, n * sizeof(*first));
	for (i = w->n_order; i--;) {
		uint32_t object = w->nodes.items[w->order[i]].object;
		size_t module = object < n - 1 ? object : n - 1;

		next[i] = first[module];
		first[module] = (uint32_t)i;
		for (k = 0; k < w->n_events; k++) {
			const struct pipa_weight *self =
				&w->self.items[w->order[i] * w->n_events + k];

			sums[module * w->n_events + k].weight += self->weight;
			sums[module * w->n_events + k].count += self->count;
		}
	}
	pipa_doc_list(&w->doc, "modules");
	for (i = 0; i < n && pipa_pieces_flush(&w->out); i++) {
		uint32_t id;

		if (first[i] == PIPA_NONE)
			continue;
		pipa_doc_map(&w->doc, NULL);
		pipa_doc_str(&w->doc, "name",
			     pipa_object_short(w->p, i < n - 1 ? (uint32_t)i : PIPA_NONE));
		if (i < n - 1)
			pipa_doc_str(&w->doc, "path",
				     pipa_profile_string(w->p, w->p->objects.items[i].path));
		put_values(w, "self", &sums[i * w->n_events], false);
		put_values(w, "self_samples", &sums[i * w->n_events], true);
		pipa_doc_list(&w->doc, "functions");
		for (id = first[i]; id != PIPA_NONE && pipa_pieces_flush(&w->out); id = next[id])
			pipa_doc_u64(&w->doc, NULL, id);
		pipa_doc_end(&w->doc);
		pipa_doc_end(&w->doc);
	}
	pipa_doc_end(&w->doc);
out:
	free(sums);
	free(first);
	free(next);
	return rc;
}

int pipa_graph_json_write(const struct pipa_profile *profile,
			  int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	struct writer w = { .p = profile, .out = { .put = put, .ctx = ctx } };
	int rc = add_events(&w);

	if (!rc)
		rc = sort_nodes(&w);
	if (!rc) {
		pipa_doc_begin(&w.doc, PIPA_DOC_JSON_LINE, &w.out.buf);
		put_events(&w);
		put_nodes(&w);
		put_edges(&w);
		rc = put_modules(&w);
		pipa_doc_finish(&w.doc);
		pipa_pieces_end(&w.out);
	}
	writer_done(&w);
	return rc ? rc : w.out.status;
}
